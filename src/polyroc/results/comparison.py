"""Comparison: several classifiers by one measure, with the covariance between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from statistics import NormalDist
from typing import Any, Literal, Self

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.results.estimate import Estimate
from polyroc.results.intervals import ConfidenceInterval
from polyroc.results.resampled import Resampled, less
from polyroc.results.result import SCHEMA, Result, number, number_text, p_text, plain
from polyroc.results.wald import Wald, upper_tail, wald

__all__ = ["Adjustment", "Comparison", "Difference"]

Adjustment = Literal["holm", "bonferroni", "benjamini-hochberg"]


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more one classifier has of a measure than another.

    Attributes
    ----------
    first, second
        The classifiers; the value is first minus second.
    value, standard_error
        The difference and its standard error.
    limits
        The smallest and largest difference there can be.
    pvalue
        Two-sided, of no difference: Wald's, from the standard error, unless the method makes p-values itself.
    adjusted_pvalue
        The same, adjusted for all pairs that were compared.
    larger_is_better
        False for a cost.
    resampled
        The replicates behind the interval, if the method resamples.
    """

    first: str
    second: str
    value: float
    standard_error: float
    limits: tuple[float, float]
    pvalue: float
    adjusted_pvalue: float
    larger_is_better: bool = True
    resampled: Resampled | None = field(default=None, repr=False)

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The interval at a level, cut at what is possible; not adjusted for other pairs.

        Value plus or minus z standard errors; or, if the method resamples, of the kind that was asked for, from
        the replicates of the difference. Of these only kind "normal" always agrees with the p-value: another kind
        can leave out 0 although p is a little above 0.05, or hold it although p is a little below.
        """
        if not 0 < level < 1:
            raise InputError(f"level must be between 0 and 1 (0.95 for 95 %), got {level!r}.")
        found = None if self.resampled is None else self.resampled.confidence_interval(self.value, level)
        if found is None:
            reach = NormalDist().inv_cdf(0.5 + level / 2) * self.standard_error
            found = ConfidenceInterval(self.value - reach, self.value + reach)
        return ConfidenceInterval(max(self.limits[0], found.low), min(self.limits[1], found.high))

    def non_inferiority(self, margin: float) -> float:
        """P-value of the hypothesis that the first is worse than the second by `margin` or more."""
        gain = self.value if self.larger_is_better else -self.value
        return upper_tail(gain + _checked_margin(margin), self.standard_error)

    def equivalence(self, margin: float) -> float:
        """P-value of the hypothesis that the two differ by `margin` or more, either way (two one-sided tests)."""
        margin = _checked_margin(margin)
        return max(upper_tail(margin + side * self.value, self.standard_error) for side in (1, -1))

    def reversed(self) -> "Difference":
        """The same pair the other way round."""
        resampled = None if self.resampled is None else self.resampled.reversed()
        return replace(self, first=self.second, second=self.first, value=-self.value, resampled=resampled)

    def sentence(self, adjustment: str | None = None, level: float = 0.95) -> str:
        """The difference in a plain sentence."""
        if isnan(self.pvalue):
            return f"{self.first} and {self.second} cannot be compared: their difference has no standard error."
        shown = self if self.value >= 0 else self.reversed()
        low, high = shown.confidence_interval(level)
        after = f" after {adjustment}" if adjustment else ""
        sure = f"({100 * level:g} % {low:.3f} to {high:.3f}), {p_text(self.adjusted_pvalue)}{after}"
        if self.adjusted_pvalue >= 1 - level:
            return f"No difference is shown between {shown.first} and {shown.second}: {shown.value:.3f} {sure}."
        winner, loser = (shown.first, shown.second)[:: 1 if self.larger_is_better else -1]
        return f"{winner} is better than {loser} by {shown.value:.3f} {sure}."


def _checked_margin(margin: float) -> float:
    if not margin > 0:
        raise InputError(f"margin must be positive, the largest difference that does not matter, got {margin}.")
    return margin


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Result):
    """Whether several classifiers are equal, and if not, which differ.

    Attributes
    ----------
    estimates
        By classifier.
    covariance
        Of the estimates, in the same order.
    statistic, df, pvalue
        The chi-square test that all are equal; the degrees of freedom are the rank of what can differ.
    differences
        By pair of classifiers, in order.
    adjustment
        How the p-values of the pairs were adjusted: "holm", "bonferroni", "benjamini-hochberg" or None.
    """

    estimates: Mapping[str, Estimate]
    covariance: FloatArray
    statistic: float
    df: int
    pvalue: float
    differences: Mapping[tuple[str, str], Difference]
    adjustment: Adjustment | None

    @property
    def measure(self) -> str:
        """The measure they were compared by."""
        return next(iter(self.estimates.values())).measure

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {number_text(e.value)}" for name, e in self.estimates.items())
        return f"Comparison({self.measure}: {shown}; all equal: {p_text(self.pvalue)})"

    def difference(self, first: str, second: str) -> Difference:
        """First minus second."""
        for name in (first, second):
            if name not in self.estimates:
                known = ", ".join(map(repr, self.estimates))
                raise InputError(f"There is no classifier {name!r}; there are {known}.")
        if (first, second) in self.differences:
            return self.differences[first, second]
        if first == second:
            raise InputError(f"A difference needs two classifiers, got {first!r} twice.")
        return self.differences[second, first].reversed()

    def contrast(self, weights: Sequence[float] | Sequence[Sequence[float]]) -> Wald:
        """Test that weighted sums of the estimates are zero.

        Parameters
        ----------
        weights
            One row per sum, or a single row: one weight per classifier, adding up to zero.
        """
        matrix = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        if matrix.ndim != 2 or matrix.shape[1] != len(self.estimates) or not np.isfinite(matrix).all():
            raise InputError(
                f"Contrasts must be rows of {len(self.estimates)} finite weights, one per classifier, "
                f"got shape {matrix.shape}."
            )
        if np.abs(matrix.sum(axis=1)).max() > 1e-9 * np.abs(matrix).max():
            raise InputError(f"The weights of a contrast must add up to zero, got {matrix.sum(axis=1).tolist()}.")
        return wald(np.array([float(e) for e in self.estimates.values()]), self.covariance, matrix)

    def conclusion(self, level: float = 0.95) -> list[str]:
        """The comparison in plain sentences, one per pair."""
        adjustment = None if self.adjustment is None or len(self.differences) < 2 else self.adjustment.title()
        return [difference.sentence(adjustment, level) for difference in self.differences.values()]

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per pair, with its adjusted p-value."""
        return [
            {
                "measure": self.measure,
                "first": difference.first,
                "second": difference.second,
                "difference": difference.value,
                "standard_error": difference.standard_error,
                "low": difference.confidence_interval(level).low,
                "high": difference.confidence_interval(level).high,
                "level": level,
                "pvalue": difference.pvalue,
                "adjusted_pvalue": difference.adjusted_pvalue,
                "adjustment": self.adjustment,
                "larger_is_better": difference.larger_is_better,
            }
            for difference in self.differences.values()
        ]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "Comparison",
            "estimates": [estimate.to_dict(level) for estimate in self.estimates.values()],
            "covariance": [[plain(cell) for cell in row] for row in self.covariance.tolist()],
            "statistic": plain(self.statistic),
            "df": self.df,
            "pvalue": plain(self.pvalue),
            "adjustment": self.adjustment,
            "differences": [
                {name: plain(cell) if isinstance(cell, float) else cell for name, cell in row.items()}
                | {"acceleration": None if each.resampled is None else each.resampled.acceleration}
                for row, each in zip(self.rows(level), self.differences.values(), strict=True)
            ],
            "conclusion": self.conclusion(level),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        estimates = {record["classifier"]: Estimate.from_dict(record) for record in data["estimates"]}
        low, high = next(iter(estimates.values())).limits
        found = [
            Difference(
                row["first"],
                row["second"],
                number(row["difference"]),
                number(row["standard_error"]),
                (low - high, high - low),
                number(row["pvalue"]),
                number(row["adjusted_pvalue"]),
                row["larger_is_better"],
                less(
                    estimates[row["first"]].resampled,
                    estimates[row["second"]].resampled,
                    row.get("acceleration"),
                ),
            )
            for row in data["differences"]
        ]
        return cls(
            estimates=estimates,
            covariance=np.array([[number(cell) for cell in row] for row in data["covariance"]]),
            statistic=number(data["statistic"]),
            df=data["df"],
            pvalue=number(data["pvalue"]),
            differences={(each.first, each.second): each for each in found},
            adjustment=data["adjustment"],
        )
