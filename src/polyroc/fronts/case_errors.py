"""Standard errors of G and delta over cases: the rules of the fronts are fixed, and the cases are resampled.

The decisions of every point on every case are made once. A resample draws as many cases of each class as there
are, gives each case the number of times it was drawn, and counts the decisions anew; G and delta of all fronts are
computed on the same resamples and the same random points, so that fronts of the same cases can be compared.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.estimates.intervals import ConfidenceInterval, student_interval
from polyroc.fronts.dominated_volume import shares_on, volume_shares
from polyroc.kernels.arrays import FloatArray, IntArray, ShortArray
from polyroc.kernels.cost_decisions import decide_cases, tally_decided
from polyroc.kernels.volumes import points_below_chance
from polyroc.results.invariants import Invariants, at_least, finite
from polyroc.validation.signatures import validated

__all__ = ["CaseErrors", "DecidedCases", "VolumeDifference", "case_errors"]

MOST_DECISIONS = 2**29  # points x cases, 16 bits each: 1 GB
ERROR_POINTS = 10_000  # random points of the volumes; all resamples share them, so that their error cancels


@dataclass(frozen=True, slots=True, eq=False)
class CaseErrors:
    """How G and delta vary over cases, by resampling them.

    Attributes
    ----------
    replicates
        The number of resamples.
    standard_errors
        At [a, a] of G(A), at [a, b] of delta(A, B): the standard deviation over the resamples.
    bias
        The mean of the resamples less the value: of many points some do well by chance, and G is that of the best.
    differences
        At [a, b] the standard error of G(A) - G(B).
    """

    replicates: int
    standard_errors: FloatArray
    bias: FloatArray
    differences: FloatArray

    def _invariants(self) -> Invariants:
        shape = self.standard_errors.shape
        yield self.replicates >= 2, "replicates must be 2 or more"
        yield len(shape) == 2 and shape[0] == shape[1], "standard_errors must have a row and a column per front"
        yield shape == self.bias.shape == self.differences.shape, "shapes must agree"
        yield finite(self.bias) and finite(self.standard_errors), "errors must be finite"
        yield at_least(self.standard_errors, 0.0) and at_least(self.differences, 0.0), "errors must be 0 or more"


@dataclass(frozen=True, slots=True)
class VolumeDifference:
    """The difference of G of two fronts on the same cases.

    Attributes
    ----------
    front, against
        The names of the fronts.
    value
        G of the first less G of the second.
    standard_error
        Over the cases.
    degrees_of_freedom
        Of Student's t: the resamples, or the cases of the smallest class if these are fewer, less one.
    """

    front: str
    against: str
    value: float
    standard_error: float
    degrees_of_freedom: float

    @property
    def pvalue(self) -> float:
        """Of the two-sided test that G is the same, by Student's t; 1 if nothing differs."""
        from polyroc._scipy import stdtr

        if self.standard_error == 0.0:
            return 1.0 if self.value == 0.0 else 0.0
        return float(2.0 * stdtr(self.degrees_of_freedom, -abs(self.value) / self.standard_error))

    @validated
    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The value plus or minus the quantile of Student's t times the standard error."""
        return student_interval(self.value, self.standard_error, self.degrees_of_freedom, level)


@dataclass(frozen=True, slots=True, eq=False)
class DecidedCases:
    """The decisions of all points of a front on cases grouped by true class.

    Attributes
    ----------
    decisions
        Points x cases.
    starts, weight
        Where each class begins and the last one ends; how many cases each row stands for.
    """

    decisions: ShortArray
    starts: IntArray
    weight: IntArray

    @classmethod
    def of(
        cls,
        codes: IntArray,
        weight: IntArray,
        costs: FloatArray,
        place: IntArray,
        posteriors: Callable[[int], FloatArray],
    ) -> "DecidedCases":
        """Point i decides by costs[i] over posteriors(place[i])."""
        if len(costs) * len(codes) > MOST_DECISIONS:
            raise InputError(
                f"Standard errors over cases of {len(costs)} points and {len(codes)} cases need too much memory; "
                "take a random part of the cases, or a front of fewer cost vectors (n=)."
            )
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(costs.shape[1] + 1)).astype(np.int64)
        decisions = np.empty((len(costs), len(codes)), dtype=np.uint16)
        by_place = np.argsort(place, kind="stable")
        for points in np.split(by_place, np.flatnonzero(np.diff(place[by_place])) + 1):
            P = np.ascontiguousarray(posteriors(int(place[points[0]]))[order].T)
            part = np.empty((len(points), len(codes)), dtype=np.uint16)
            decide_cases(P, np.ascontiguousarray(costs[points]), part)
            decisions[points] = part
        return cls(decisions, starts, weight[order])

    @property
    def counts(self) -> IntArray:
        """Points x true class x decision."""
        return self.resampled(self.weight)

    def resampled(self, weight: IntArray) -> IntArray:
        """The counts if the cases had these weights."""
        c = len(self.starts) - 1
        tallies = np.empty((len(self.decisions), c, c), dtype=np.int64)
        tally_decided(self.decisions, self.starts, weight, tallies)
        return tallies


def case_errors(fronts: Sequence[DecidedCases], replicates: int, rng: Any) -> CaseErrors:
    """Standard errors of G and delta of fronts on the same cases, by a bootstrap within classes."""
    random = np.random.default_rng(rng)
    starts, weight = fronts[0].starts, fronts[0].weight
    c = len(starts) - 1
    points = None if c == 2 else np.concatenate(list(points_below_chance(c, ERROR_POINTS, random)))

    def shares(drawn: IntArray) -> FloatArray:
        rates = [(counts / counts.sum(axis=2, keepdims=True)) for counts in (f.resampled(drawn) for f in fronts)]
        return np.array(volume_shares(rates, None, 0)) if points is None else shares_on(rates, points)

    drawn = np.empty_like(weight)
    table = np.empty((replicates, len(fronts), len(fronts)))
    for replicate in table:
        for k in range(c):
            part = weight[starts[k] : starts[k + 1]]
            drawn[starts[k] : starts[k + 1]] = random.multinomial(part.sum(), part / part.sum())
        replicate[:] = shares(drawn)
    gini = np.diagonal(table, axis1=1, axis2=2)
    return CaseErrors(
        replicates=replicates,
        standard_errors=table.std(axis=0, ddof=1),
        bias=table.mean(axis=0) - shares(weight),
        differences=(gini[:, :, None] - gini[:, None, :]).std(axis=0, ddof=1),
    )
