"""The public names, by what they are: functions, results, and what one passes to functions."""

import inspect
import re
from operator import attrgetter
from typing import Literal

import polyroc
from polyroc.results.result import Result

Kind = Literal["functions", "records", "results"]
NAMESPACES = (
    "estimates",
    "curves",
    "decisions",
    "reliability",
    "readers",
    "fronts",
    "studies",
    "power",
    "consistency",
    "conversions",
)
VERBS = ("read", "evaluate", "compare", "curve", "surface", "rates", "operate", "calibration", "decision_curve",
         "reader_study", "plan_reader_study", "front", "compare_measures", "study", "sample_size", "scorer",
         "plot", "report")  # fmt: skip


def names(kind: Kind) -> list[str]:
    """The public names of a kind: verbs in the order in which one needs them, then all others by the alphabet."""
    others = sorted(set(polyroc.__all__) - set(VERBS), key=str.lower)
    nested = [
        f"{space}.{name}"
        for space in NAMESPACES
        for name in getattr(polyroc, space).__all__
        if not hasattr(polyroc, name)
    ]
    return [name for name in (*VERBS, *others, *nested) if _kind(name) == kind]


def _kind(name: str) -> Kind | None:
    thing = attrgetter(name)(polyroc)
    if inspect.isfunction(thing):
        return "functions"
    if inspect.isclass(thing):
        return "results" if issubclass(thing, Result) else "records"
    return None


def listing(kind: Kind) -> str:
    """A table of them, with the first sentence of each."""
    lines = [".. autosummary::", "   :nosignatures:", "", *(f"   polyroc.{name}" for name in names(kind))]
    return _rst(lines)


def pages(kind: Kind) -> str:
    """All of their docstrings."""
    directive = "autofunction" if kind == "functions" else "autoclass"
    return "\n\n".join(f"## {name}\n\n" + _rst([f".. {directive}:: polyroc.{name}"]) for name in names(kind))


def without_checks(signature: str) -> str:
    """A signature in which annotations are types alone, without the checks of values attached to them.

    >>> without_checks("(a: ~typing.Annotated[int | list[str], <function own_check at 0x7f>] = 1)")
    '(a: int | list[str] = 1)'
    """
    while (begin := re.search(r"~?(?:typing|types)\.Annotated\[", signature)) is not None:
        depth, comma, place = 0, None, begin.end()
        while depth >= 0:
            depth += {"[": 1, "]": -1}.get(signature[place], 0)
            comma = place if comma is None and depth == 0 and signature[place] == "," else comma
            place += 1
        signature = signature[: begin.start()] + signature[begin.end() : comma or place - 1] + signature[place:]
    return signature


def formulas_as_written(lines: list[str]) -> None:
    """Indented lines below a paragraph of a docstring are formulas: kept as they stand."""
    for i in reversed(range(len(lines) - 2)):
        paragraph = lines[i] and not lines[i].startswith((" ", "-", "*", ">>>"))
        if paragraph and not lines[i + 1] and lines[i + 2].startswith("    "):
            lines[i + 1 : i + 2] = ["", "::", ""]


def _rst(lines: list[str]) -> str:
    return "\n".join(["```{eval-rst}", *lines, "```"])
