"""Numbers of a paper as data, each with a tolerance and its reason, and their comparison with measured numbers.

An `expected.toml` is a list of groups. A group has a `table` (where the numbers are printed), a `reason`, and

    numbers = { name = expected, ... }    the printed numbers
    kind                                   the relation that is tested, "agrees" by default:
        agrees           measured and expected differ by at most `tolerance`
        at most          measured is at most expected plus `tolerance`
        at least         measured is at least expected minus `tolerance`
        misprint         measured and expected differ by more than `tolerance`: the printed number is wrong
        shown            both are shown, without a verdict
        not obtainable   cannot be measured; the reason says why
    tolerance, quick                       tolerance of the full run, and of the quick one (the same by default)
    full = true                            measured by the full run only
    verified = false                       recalled, not read: neither the paper nor another source at hand has it
    but = { name = { tolerance, quick, reason, kind } }   exceptions, also of `verified`

Its table `needs` has the data sets (or a package) of a table, without which its numbers are not obtainable.
"""

import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from math import isfinite, isnan
from pathlib import Path
from typing import Any

from polyroc.datasets import entries
from polyroc.datasets.catalogue import FOLDER
from polyroc.errors import InputError
from polyroc.messages import install_command

__all__ = ["KINDS", "Expected", "Line", "Measured", "available", "compare_numbers", "read_expected"]

KINDS = ("agrees", "at most", "at least", "misprint", "shown", "not obtainable")
UNTESTED = ("shown", "not obtainable")
ROUNDING = 1e-12  # a difference of exactly half a printed digit must not fail by a rounding error
Measured = dict[str, dict[str, float]]  # by table and name


@dataclass(frozen=True, slots=True)
class Expected:
    """One number of a paper; `verified` if it was read in the paper, or in another source."""

    table: str
    name: str
    value: float
    kind: str
    tolerance: float
    reason: str
    verified: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """An expected number beside the measured one, with the verdict."""

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
            "expected": e.value if isfinite(e.value) else str(e.value),
            "verified": e.verified,
            "measured": self.measured if self.measured is None or isfinite(self.measured) else str(self.measured),
            "kind": e.kind,
            "tolerance": e.tolerance,
            "verdict": self.verdict,
            "reason": e.reason,
        }


def read_expected(path: Path, *, quick: bool = False) -> list[Expected]:
    """The numbers of a paper, with the tolerances of the quick or the full run."""
    stored = tomllib.loads(path.read_text(encoding="utf-8"))
    groups = [group for group in stored["group"] if not (quick and group.get("full", False))]
    skipped = {table: _skipped(needed) for table, needed in stored.get("needs", {}).items()}
    numbers = [
        _number(group, name, quick, skipped.get(group["table"], ""))
        for group in groups
        for name in group["numbers"]
    ]
    names = [(number.table, number.name) for number in numbers]
    for table, name in {name for name in names if names.count(name) > 1}:
        raise InputError(f"{path.name} has {name!r} of {table} twice; remove one.")
    return numbers


def available(name: str) -> bool:
    """Return True if a data set of the catalogue, or else a package, is here."""
    known = {entry.name: entry.available for entry in entries()}
    return known[name] if name in known else find_spec(name) is not None


def _skipped(needed: list[str]) -> str:
    """Return what is not here, by name, and how to get it; empty if all is here."""
    absent = [name for name in needed if not available(name)]
    own = {entry.name for entry in entries() if not entry.package}
    how = f"name the folder of your copy in {FOLDER}" if own & {*absent} else install_command("repro")
    return f"Skipped without {', '.join(absent)}: {how}." if absent else ""


def _number(group: dict[str, Any], name: str, quick: bool, skipped: str) -> Expected:
    settings = {"kind": "agrees", "tolerance": 0.0, **group, **group.get("but", {}).get(name, {})}
    if settings["kind"] not in KINDS or not settings.get("reason"):
        raise InputError(f"{name!r} of {group['table']} needs a reason, and a kind of {', '.join(KINDS)}.")
    if skipped:
        settings |= {"kind": "not obtainable", "reason": skipped}
    tolerance = settings.get("quick", settings["tolerance"]) if quick else settings["tolerance"]
    value = float(group["numbers"][name])
    kind, reason, verified = settings["kind"], settings["reason"], settings.get("verified", True)
    return Expected(group["table"], name, value, kind, float(tolerance), reason, verified)


def compare_numbers(expected: list[Expected], measured: Measured) -> list[Line]:
    """Every expected number with the measured one; a number that was not measured does not hold."""
    return [_line(number, measured.get(number.table, {}).get(number.name)) for number in expected]


def _line(number: Expected, measured: float | None) -> Line:
    if number.kind == "not obtainable":
        return Line(number, None, "not obtainable", True)
    if measured is None:
        return Line(number, None, "NOT MEASURED", False)
    if number.kind == "shown":
        return Line(number, measured, "", True)
    holds = not isnan(measured) and _holds(number, measured)
    verdict = {"misprint": "print is wrong", "at most": "holds", "at least": "holds"}.get(number.kind, "agrees")
    return Line(number, measured, verdict if holds else "DISAGREES", holds)


def _holds(number: Expected, measured: float) -> bool:
    if not isfinite(number.value) and number.value == measured:
        return number.kind != "misprint"
    difference = measured - number.value
    tolerance = number.tolerance + ROUNDING
    if number.kind == "at most":
        return difference <= tolerance
    if number.kind == "at least":
        return difference >= -tolerance
    return (abs(difference) <= tolerance) == (number.kind == "agrees")
