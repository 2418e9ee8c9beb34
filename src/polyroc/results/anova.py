"""Anova: the two-way analysis of variance of learners over folds."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isnan, sqrt
from typing import Any, Self

from polyroc.results.intervals import ConfidenceInterval
from polyroc.results.provenance import Provenance
from polyroc.results.result import SCHEMA, Result, number, number_text, p_text, plain
from polyroc.results.student import student_interval

__all__ = ["Anova", "Variation"]


@dataclass(frozen=True, slots=True)
class Variation:
    """One line of an analysis of variance.

    Attributes
    ----------
    source
        "learners", "folds", "error" or "total".
    df, sum_of_squares
        Degrees of freedom, and the sum of squared deviations.
    F, pvalue
        The ratio of its mean square to that of the error, and the chance of a larger one if all means of this
        source are equal; nan for error and total, and where there is no error to divide by.
    """

    source: str
    df: int
    sum_of_squares: float
    F: float
    pvalue: float

    @property
    def mean_square(self) -> float:
        """The sum of squares by its degrees of freedom."""
        return self.sum_of_squares / self.df


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Anova(Result):
    """Whether the mean values of learners over the same folds are equal.

    Attributes
    ----------
    data_set, measure
        What was tested on, and by what.
    means
        By learner, over the folds.
    folds
        How many folds (blocks).
    table
        By source: "learners", "folds", "error", "total".
    assumes
        What has to be so for the p-values to hold.
    provenance
        Method, folds left out, version.
    """

    data_set: str
    measure: str
    means: Mapping[str, float]
    folds: int
    table: Mapping[str, Variation]
    assumes: str
    provenance: Provenance

    @property
    def F(self) -> float:  # noqa: N802 - the statistic's name
        """The F ratio of the learners."""
        return self.table["learners"].F

    @property
    def pvalue(self) -> float:
        """Of the hypothesis that all learners have the same mean."""
        return self.table["learners"].pvalue

    @property
    def df(self) -> tuple[int, int]:
        """Degrees of freedom of the learners and of the error."""
        return self.table["learners"].df, self.table["error"].df

    @property
    def mean_square_error(self) -> float:
        """The variance that is left when learners and folds are accounted for (MSE)."""
        return self.table["error"].mean_square

    @property
    def standard_error(self) -> float:
        """Of one learner's mean: sqrt(MSE / folds)."""
        return sqrt(self.mean_square_error / self.folds)

    def confidence_interval(self, learner: str, level: float = 0.95) -> ConfidenceInterval:
        """Of a learner's mean over such folds: Student's, with the common error."""
        return student_interval(self.means[learner], self.standard_error, self.df[1], level)

    def __repr__(self) -> str:
        found = "no F" if isnan(self.F) else f"F({self.df[0]}, {self.df[1]}) = {number_text(self.F)}"
        return f"Anova({self.measure} on {self.data_set}: {found}, {p_text(self.pvalue)})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """One record per source of variation."""
        return [
            {
                "source": each.source,
                "df": each.df,
                "sum_of_squares": each.sum_of_squares,
                "mean_square": each.mean_square,
                "F": plain(each.F),
                "pvalue": plain(each.pvalue),
            }
            for each in self.table.values()
        ]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:  # noqa: ARG002 - no interval here
        """Plain data for JSON."""
        table = [
            {**asdict(each), "F": plain(each.F), "pvalue": plain(each.pvalue)} for each in self.table.values()
        ]
        return {
            "schema": SCHEMA,
            "kind": "Anova",
            "data_set": self.data_set,
            "measure": self.measure,
            "means": dict(self.means),
            "folds": self.folds,
            "table": table,
            "assumes": self.assumes,
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        table = [
            Variation(**{**each, "F": number(each["F"]), "pvalue": number(each["pvalue"])})
            for each in data["table"]
        ]
        return cls(
            data["data_set"],
            data["measure"],
            data["means"],
            data["folds"],
            {each.source: each for each in table},
            data["assumes"],
            Provenance(**data["provenance"]),
        )
