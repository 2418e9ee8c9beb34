"""Standard errors of G and delta over cases: the rules of the fronts are fixed, and cases are left out in turn.

The decisions of every point on every case are made once. The jackknife leaves out one group of cases of a class
after another and counts the decisions on the others; G and delta of all fronts are computed without the same cases
and on the same random points, so that fronts of the same cases can be compared.

Why not the bootstrap? G is the volume of the best of many points. In resamples these differ by more than in
samples, and the volume of the best varies less: standard errors by the bootstrap are too small. Those by the
jackknife are on average not (Efron & Stein, Annals of Statistics 9 (1981) 586-596).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np

from polyroc._results.codec import STORED_IF_SET
from polyroc._results.invariants import Invariants, at_least, finite
from polyroc.errors import InputError
from polyroc.estimates.intervals import ConfidenceInterval, student_interval
from polyroc.fronts.dominated_volume import shares_on, volume_shares
from polyroc.kernels.arrays import FloatArray, IntArray, ShortArray
from polyroc.kernels.cost_decisions import decide_cases, tally_decided
from polyroc.kernels.volumes import points_below_chance
from polyroc.validation.signatures import validated

__all__ = ["CaseErrors", "DecidedCases", "VolumeDifference", "bias_range", "case_errors"]

MOST_DECISIONS = 2**29  # points x cases, 16 bits each: 1 GB
# Random points of the volumes; all replicates share them, so that most of their error cancels.
ERROR_POINTS = 20_000
MOST_SHUFFLED = 2**22  # cases of a class that are shuffled one by one
HALVES = 8  # replicates for which the cases are divided into halves once
SMALLEST = 1e-300  # instead of a division by 0


@dataclass(frozen=True, slots=True, eq=False)
class CaseErrors:
    """How G and delta vary over cases, by the jackknife.

    Attributes
    ----------
    replicates
        The number of groups of cases that were left out in turn.
    standard_errors
        At [a, a] of G(A), at [a, b] of delta(A, B).
    bias
        The mean over random halves of the cases less the value: of many points some do well by chance, and G is
        that of the best. From halves to all cases G falls by so much, from all to infinitely many by up to 2.4
        times as much.
    differences
        At [a, b] the standard error of G(A) - G(B).
    degrees_of_freedom
        Of Student's t: at [a, a] for G(A), at [a, b] for G(A) - G(B). Few where few cases determine the volume.
        None in files with standard errors by the bootstrap, which earlier versions wrote.
    """

    replicates: int
    standard_errors: FloatArray
    bias: FloatArray
    differences: FloatArray
    degrees_of_freedom: FloatArray | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        shape = self.standard_errors.shape
        yield self.replicates >= 2, "replicates must be 2 or more"
        yield len(shape) == 2 and shape[0] == shape[1], "standard_errors must have a row and a column per front"
        yield shape == self.bias.shape == self.differences.shape, "shapes must agree"
        yield all(map(finite, (self.standard_errors, self.bias, self.differences))), "errors must be finite"
        yield at_least(self.standard_errors, 0.0) and at_least(self.differences, 0.0), "errors must be 0 or more"
        if self.degrees_of_freedom is not None:
            yield self.degrees_of_freedom.shape == shape, "degrees_of_freedom must be of these fronts"
            yield finite(self.degrees_of_freedom), "degrees_of_freedom must be finite"
            yield at_least(self.degrees_of_freedom, SMALLEST), "degrees_of_freedom must be above 0"


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
        Of Student's t.
    bias
        The difference of halves of the cases less the value: G of a front with more points is biased more.
    guard
        Added to the variance by interval and test: that of half an error more in either front, because cases
        without errors do not show how G varies.
    """

    front: str
    against: str
    value: float
    standard_error: float
    degrees_of_freedom: float
    bias: float = 0.0
    guard: float = 0.0

    @property
    def pvalue(self) -> float:
        """Of the two-sided test that G is the same, by Student's t; 1 if nothing differs."""
        from scipy.special import stdtr

        least, most = self._without_bias
        distance = max(least, -most, 0.0)  # from 0, whatever the bias is within its range
        if distance == 0.0 or self._error == 0.0:
            return float(distance == 0.0)
        return float(2.0 * stdtr(self.degrees_of_freedom, -distance / self._error))

    @validated
    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The value less its bias, plus or minus the quantile of Student's t times the guarded standard error."""
        least, most = (
            student_interval(value, self._error, self.degrees_of_freedom, level) for value in self._without_bias
        )
        return ConfidenceInterval(least.low, most.high)

    @property
    def _error(self) -> float:
        """The guarded standard error."""
        return sqrt(self.standard_error**2 + self.guard)

    @property
    def _without_bias(self) -> tuple[float, float]:
        """The least and the largest value if the bias is within its range."""
        least, most = bias_range(self.bias)
        return self.value - most, self.value - least


def bias_range(bias: float) -> tuple[float, float]:
    """The least and the largest bias of a volume of all cases, by that of halves of the cases less that of all.

    Halves have twice the variance. Where one point is best by far, the bias is proportional to the variance, and
    that of all cases is the difference itself; where many are nearly equal, it is proportional to the standard
    deviation, and that of all cases is 1 / (sqrt(2) - 1) times the difference. The difference is itself an
    estimate, so that the range begins at 0.

    >>> bias_range(0.1)
    (0.0, 0.241421...)
    """
    most = (1.0 + sqrt(2.0)) * bias
    return min(most, 0.0), max(most, 0.0)


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
        return self.counted(self.weight)

    def counted(self, weight: IntArray) -> IntArray:
        """The counts if the cases had these weights."""
        c = len(self.starts) - 1
        tallies = np.empty((len(self.decisions), c, c), dtype=np.int64)
        tally_decided(self.decisions, self.starts, weight, tallies)
        return tallies


def case_errors(
    fronts: Sequence[DecidedCases], replicates: int, rng: Any, points: int = ERROR_POINTS
) -> CaseErrors:
    """Standard errors of G and delta of fronts on the same cases, by a jackknife within classes."""
    random = np.random.default_rng(rng)
    starts, weight = fronts[0].starts, fronts[0].weight
    classes = [slice(first, last) for first, last in pairwise(starts.tolist())]
    shares = _Shares(fronts, random, points)
    volumes, differences, used = _Variances(), _Variances(), 0
    for cases in classes:
        groups = list(_groups(weight[cases], max(replicates // len(classes), 2), random))
        table = np.array([shares.of(_without(weight, cases, group)) for group in groups])
        gini = np.diagonal(table, axis1=1, axis2=2)
        volumes.add(table)
        # G itself on the diagonal, where the difference is 0
        differences.add(gini[:, :, None] - gini[:, None, :] + gini[:, :, None] * np.eye(len(fronts)))
        used += len(groups)
    halves = []
    for _ in range(max(replicates // HALVES, 1)):
        parts = zip(*(_groups(weight[cases], 2, random) for cases in classes), strict=True)
        halves += [shares.of(np.concatenate(half)) for half in parts]
    return CaseErrors(
        replicates=used,
        standard_errors=np.sqrt(volumes.variance),
        bias=np.mean(halves, axis=0) - shares.of(weight),
        differences=np.sqrt(differences.variance) * (1.0 - np.eye(len(fronts))),
        degrees_of_freedom=differences.degrees_of_freedom,
    )


class _Shares:
    """G and delta of fronts for any weights of the cases, on the same random points; exact for two classes."""

    def __init__(self, fronts: Sequence[DecidedCases], rng: np.random.Generator, points: int) -> None:
        self._fronts, c = fronts, len(fronts[0].starts) - 1
        self._points = None if c == 2 else np.concatenate(list(points_below_chance(c, points, rng)))

    def of(self, weight: IntArray) -> FloatArray:
        """At [a][a] G of a front, at [a][b] delta of two."""
        tables = [front.counted(weight) for front in self._fronts]
        if self._points is not None:
            return shares_on(tables, self._points)
        return np.array(volume_shares([counts / counts.sum(axis=2, keepdims=True) for counts in tables], None, 0))


def _without(weight: IntArray, cases: slice, group: IntArray) -> IntArray:
    """The weights without a group of the cases of a class."""
    left = weight.copy()
    left[cases] -= group
    return left


def _groups(weight: IntArray, number: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """The cases of a class in random groups, as many in each as possible: how many of each row are in a group."""
    total = int(weight.sum())
    if total < 2:
        raise InputError(
            "Standard errors over cases need two cases or more of every class; there is a class of one."
        )
    if total > MOST_SHUFFLED:  # then groups that are drawn one by one are as good as equal
        yield from rng.multinomial(weight, np.full(number, 1 / number)).T
        return
    rows, groups = rng.permutation(np.repeat(np.arange(len(weight)), weight)), min(number, total)
    for group in range(groups):
        yield np.bincount(rows[group::groups], minlength=len(weight))


class _Variances:
    """Jackknife variances, summed over classes, and their degrees of freedom.

    These are the sum's by Satterthwaite, with the kurtosis of the values in place of the normal one if it is
    larger: where few cases determine a volume, its variance is known less well than their number suggests.
    """

    def __init__(self) -> None:
        self.variance: Any = 0.0
        self._of_variance: Any = 0.0

    def add(self, values: FloatArray) -> None:
        """The volumes without one group of a class after another."""
        n = len(values)
        squares = (values - values.mean(axis=0)) ** 2
        variance = (n - 1) * squares.mean(axis=0)
        # The variance of a sample variance over its square is (kurtosis - (n - 3) / (n - 1)) / n.
        kurtosis = n * (squares**2).sum(axis=0) / np.maximum(squares.sum(axis=0) ** 2, SMALLEST)
        relative = np.maximum(kurtosis - (n - 3) / (n - 1), 2 * n / (n - 1)) / n
        self.variance = self.variance + variance
        self._of_variance = self._of_variance + variance**2 * relative

    @property
    def degrees_of_freedom(self) -> FloatArray:
        """Of Student's t; 1 where there is no variance."""
        none = self.variance <= 0
        return np.where(none, 1.0, 2 * self.variance**2 / np.where(none, 1.0, self._of_variance))
