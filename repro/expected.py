"""What a paper says: its numbers as data, each with a tolerance and the reason for it.

An `expected.toml` is a list of groups. A group has a `table` (where the numbers stand), a `reason`, and

    numbers = { name = published, ... }   what is printed
    kind                                   what is asked of them, "agrees" by default:
        agrees           measured and published are no further apart than `tolerance`
        at most          measured is no larger than published plus `tolerance`
        at least         measured is no smaller than published minus `tolerance`
        misprint         measured is further from published than `tolerance`: the print is wrong, and stays so
        shown            beside each other, without a verdict
        not obtainable   cannot be measured; the reason says why
    tolerance, quick                       of the full run, and of the quick one (the same unless given)
    needs = "hungarian"                    a data set without which they are not obtainable
    full = true                            only the full run measures them
    but = { name = { tolerance, quick, reason, kind } }   exceptions, each with its own reason
"""

import tomllib
from dataclasses import dataclass
from math import isfinite, isnan
from pathlib import Path
from typing import Any

from polyroc.datasets import entries
from polyroc.errors import InputError

__all__ = ["KINDS", "Expected", "Line", "judge", "read_expected"]

KINDS = ("agrees", "at most", "at least", "misprint", "shown", "not obtainable")
Measured = dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Expected:
    """One number of a paper."""

    table: str
    name: str
    published: float
    kind: str
    tolerance: float
    reason: str


@dataclass(frozen=True, slots=True)
class Line:
    """A published number beside the measured one, and the verdict."""

    expected: Expected
    measured: float | None
    verdict: str
    holds: bool

    def row(self) -> dict[str, Any]:
        """A flat record."""
        e = self.expected
        return {
            "table": e.table,
            "number": e.name,
            "published": e.published if isfinite(e.published) else str(e.published),
            "measured": self.measured if self.measured is None or isfinite(self.measured) else str(self.measured),
            "kind": e.kind,
            "tolerance": e.tolerance,
            "verdict": self.verdict,
            "reason": e.reason,
        }


def read_expected(path: Path, *, quick: bool = False) -> list[Expected]:
    """The numbers of a paper, with the tolerances of the quick or of the full run."""
    stored = tomllib.loads(path.read_text(encoding="utf-8"))
    groups = [group for group in stored["group"] if not (quick and group.get("full", False))]
    found = [_number(group, name, quick) for group in groups for name in group["numbers"]]
    names = [(number.table, number.name) for number in found]
    for twice in {name for name in names if names.count(name) > 1}:
        raise InputError(f"{path.name} has {twice[1]!r} of {twice[0]} twice; give it once.")
    return found


def _number(group: dict[str, Any], name: str, quick: bool) -> Expected:
    facts = {"kind": "agrees", "tolerance": 0.0, **group, **group.get("but", {}).get(name, {})}
    if facts["kind"] not in KINDS or not facts.get("reason"):
        raise InputError(f"{name!r} of {group['table']} needs a reason, and a kind of {', '.join(KINDS)}.")
    lacking = facts.get("needs")
    if lacking is not None and not any(entry.name == lacking and entry.available for entry in entries()):
        facts |= {"kind": "not obtainable", "reason": f"Needs the data set {lacking}: see polyroc datasets."}
    tolerance = facts.get("quick", facts["tolerance"]) if quick else facts["tolerance"]
    published = float(group["numbers"][name])
    return Expected(group["table"], name, published, facts["kind"], float(tolerance), facts["reason"])


def judge(expected: list[Expected], measured: Measured) -> list[Line]:
    """Every expected number with what was measured; one that was not measured does not hold."""
    return [_judged(number, measured.get(number.table, {}).get(number.name)) for number in expected]


def _judged(number: Expected, measured: float | None) -> Line:
    if number.kind == "not obtainable":
        return Line(number, None, "not obtainable", True)
    if measured is None:
        return Line(number, None, "NOT MEASURED", False)
    if number.kind == "shown":
        return Line(number, measured, "", True)
    holds = not isnan(measured) and _holds(number, measured)
    said = {"misprint": "print is wrong", "at most": "holds", "at least": "holds"}.get(number.kind, "agrees")
    return Line(number, measured, said if holds else "DISAGREES", holds)


def _holds(number: Expected, measured: float) -> bool:
    if not isfinite(number.published) and number.published == measured:
        return number.kind != "misprint"
    away = measured - number.published
    slack = number.tolerance + 1e-12  # a difference of exactly half a printed digit is not lost to rounding
    if number.kind == "at most":
        return away <= slack
    if number.kind == "at least":
        return away >= -slack
    return (abs(away) <= slack) == (number.kind == "agrees")
