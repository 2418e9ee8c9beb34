"""Friedman: learners ranked on several data sets."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isinf
from typing import Any, Self

from polyroc.results.provenance import Provenance
from polyroc.results.range_test import RangeTest
from polyroc.results.result import SCHEMA, Result, number, number_text, p_text, plain

__all__ = ["Friedman"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Friedman(Result):
    """Whether learners rank equally over data sets, and by Nemenyi's test which do not.

    Attributes
    ----------
    measure, data_sets
        By what, and on what.
    ranks
        By learner, the best first: the mean of its ranks on the data sets; 1 is the best rank, ties share the
        mean.
    statistic, df, pvalue
        Friedman's chi-square, divided by `ties`.
    F, F_df, F_pvalue
        Iman & Davenport's F of it, less conservative.
    ties
        The correction for ties, 1 without any.
    nemenyi
        Which learners differ.
    assumes
        What has to be so for the p-values to hold.
    provenance
        Method, version.
    """

    measure: str
    data_sets: tuple[str, ...]
    ranks: Mapping[str, float]
    statistic: float
    df: int
    pvalue: float
    F: float
    F_df: tuple[int, int]
    F_pvalue: float
    ties: float
    nemenyi: RangeTest
    assumes: str
    provenance: Provenance

    @property
    def critical_difference(self) -> float:
        """The smallest difference of two mean ranks that Nemenyi's test would find."""
        return self.nemenyi.critical_ranges[-1]

    def __repr__(self) -> str:
        return (
            f"Friedman({self.measure}, {len(self.ranks)} learners on {len(self.data_sets)} data sets: "
            f"chi-square({self.df}) = {number_text(self.statistic)}, {p_text(self.pvalue)}; "
            f"F = {number_text(self.F)}, {p_text(self.F_pvalue)}; "
            f"critical difference {number_text(self.critical_difference)})"
        )

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per learner, the best first."""
        return self.nemenyi.rows(level)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "Friedman",
            "measure": self.measure,
            "data_sets": list(self.data_sets),
            "ranks": dict(self.ranks),
            "statistic": plain(self.statistic),
            "df": self.df,
            "pvalue": plain(self.pvalue),
            "F": "inf" if isinf(self.F) else plain(self.F),
            "F_df": list(self.F_df),
            "F_pvalue": plain(self.F_pvalue),
            "ties": self.ties,
            "nemenyi": self.nemenyi.to_dict(level),
            "assumes": self.assumes,
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        return cls(
            data["measure"],
            tuple(data["data_sets"]),
            data["ranks"],
            number(data["statistic"]),
            data["df"],
            number(data["pvalue"]),
            float(data["F"]) if data["F"] == "inf" else number(data["F"]),
            (*data["F_df"],),
            number(data["F_pvalue"]),
            data["ties"],
            RangeTest.from_dict(data["nemenyi"]),
            data["assumes"],
            Provenance(**data["provenance"]),
        )
