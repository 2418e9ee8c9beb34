"""Spread: means and standard deviations over folds, beside the standard error of one fold's area."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite, nan, sqrt
from typing import Any, NamedTuple, Self

from polyroc.errors import InputError
from polyroc.results.provenance import Provenance
from polyroc.results.result import SCHEMA, Result, number, number_text, plain

__all__ = ["FoldSpread", "Line", "Spread"]

STORED = ("mean", "standard_deviation", "wilcoxon_error")


@dataclass(frozen=True, slots=True)
class FoldSpread:
    """One learner on one data set.

    Attributes
    ----------
    data_set, learner
        Which.
    folds, failed
        How many folds have a value, and how many have none.
    mean, standard_deviation
        Over the folds; SD(theta) in Bradley (1997).
    wilcoxon_error
        SE(W), the standard error of the area of one fold by Hanley & McNeil; nan if the measure is no area, or if
        the class sizes of a fold are not known.
    """

    data_set: str
    learner: str
    folds: int
    failed: int
    mean: float
    standard_deviation: float
    wilcoxon_error: float

    @property
    def error_of_mean(self) -> float:
        """SD / sqrt(folds): as if folds were independent, which they are not quite."""
        return self.standard_deviation / sqrt(self.folds) if self.folds else nan


class Line(NamedTuple):
    """How SD over folds goes with SE(W): correlation, and the straight line SD = intercept + slope SE(W)."""

    correlation: float
    slope: float
    intercept: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Spread(Result):
    """Means and standard deviations of learners over folds, on one or more data sets.

    Attributes
    ----------
    measure
        By what.
    spreads
        By data set and learner.
    line
        The least squares line through SE(W) and SD, as in Bradley's figure 14; None with fewer than three points.
    assumes
        What has to be so for SD and SE(W) to agree.
    provenance
        Method, version.
    """

    measure: str
    spreads: Mapping[tuple[str, str], FoldSpread]
    line: Line | None
    assumes: str
    provenance: Provenance

    @property
    def data_sets(self) -> tuple[str, ...]:
        """The data sets, in order."""
        return tuple(dict.fromkeys(data_set for data_set, _ in self.spreads))

    @property
    def learners(self) -> tuple[str, ...]:
        """The learners, in order."""
        return tuple(dict.fromkeys(learner for _, learner in self.spreads))

    @property
    def has_errors(self) -> bool:
        """Whether there is a SE(W) to hold a SD against."""
        return any(isfinite(each.wilcoxon_error) for each in self.spreads.values())

    def __getitem__(self, key: tuple[str, str]) -> FoldSpread:
        if key not in self.spreads:
            known = ", ".join(map(repr, list(self.spreads)[:6]))
            raise InputError(f"There is no data set and learner {key!r}; there are {known}.")
        return self.spreads[key]

    def __repr__(self) -> str:
        shown = [
            f"{each.learner} {number_text(each.mean)} (SD {number_text(each.standard_deviation)})"
            for each in self.spreads.values()
        ]
        sets = f"{len(self.data_sets)} data sets" if len(self.data_sets) > 1 else self.data_sets[0]
        return f"Spread({self.measure} on {sets}: {', '.join(shown[:6])}{', ...' if len(shown) > 6 else ''})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """One record per data set and learner."""
        return [
            {**asdict(each), **{name: plain(getattr(each, name)) for name in (*STORED, "error_of_mean")}}
            for each in self.spreads.values()
        ]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "Spread",
            "measure": self.measure,
            "spreads": self.rows(level),
            "line": None if self.line is None else self.line._asdict(),
            "assumes": self.assumes,
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        found = [
            FoldSpread(
                each["data_set"],
                each["learner"],
                each["folds"],
                each["failed"],
                *(number(each[k]) for k in STORED),
            )
            for each in data["spreads"]
        ]
        return cls(
            data["measure"],
            {(each.data_set, each.learner): each for each in found},
            None if data["line"] is None else Line(**data["line"]),
            data["assumes"],
            Provenance(**data["provenance"]),
        )
