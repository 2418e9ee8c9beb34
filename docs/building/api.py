"""The public names, by topic: functions, then what one passes to them, then results."""

import inspect
import re
from operator import attrgetter
from typing import Literal

import polyroc
from polyroc._results.result import Result

Kind = Literal["functions", "records", "results"]
HEADINGS: dict[Kind, str] = {
    "functions": "Functions",
    "records": "Options and other records",
    "results": "Results",
}
TOPICS = {  # the packages of which a page is made; a test requires that every public name is on one
    "data": ("io", "scores", "conversions", "data_options"),
    "evaluation": ("inference", "measures", "engines"),
    "estimates": ("estimates",),
    "cross_validation": ("cross_validation",),
    "curves": ("curves",),
    "decisions": ("decisions", "rules"),
    "calibration": ("reliability",),
    "readers": ("readers",),
    "fronts": ("fronts",),
    "studies": ("studies",),
    "power": ("power",),
    "consistency": ("consistency",),
    "output": ("reports", "plots"),
}
NAMESPACES = ("results", "methods", "curves", "decisions", "fronts", "studies", "consistency", "conversions")
VERBS = ("read", "scan", "evaluate", "compare", "curve", "surface", "rates", "operate", "calibration",
         "decision_curve", "reader_study", "plan_reader_study", "front", "search_front", "compare_measures",
         "study", "sample_size", "scorer", "plot", "report")  # fmt: skip


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


def topic(name: str) -> str:
    """The page of a public name, by the package in which it is defined."""
    package = attrgetter(name)(polyroc).__module__.split(".")[1]
    return next(page for page, packages in TOPICS.items() if package in packages)


def listing(page: str) -> str:
    """A table of the names of a page, with the first sentence of each."""
    own = [name for kind in HEADINGS for name in names(kind) if topic(name) == page]
    return _rst([".. autosummary::", "   :nosignatures:", "", *(f"   polyroc.{name}" for name in own)])


def sections(page: str) -> str:
    """All docstrings of a page."""
    parts = []
    for kind, heading in HEADINGS.items():
        own = [name for name in names(kind) if topic(name) == page]
        directive = "autofunction" if kind == "functions" else "autoclass"
        described = [f"### {name}\n\n" + _rst([f".. {directive}:: polyroc.{name}"]) for name in own]
        parts += [f"## {heading}", *described] if own else []
    return "\n\n".join(parts)


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
