"""Measures of decisions: all are functions of the confusion rates, so one gradient gives each its components.

A decision is a row of shares, one per class: 1 for the class decided for, 1/m for each of m classes that tie
for the largest score. Of two classes, the option `threshold` makes decisions of a score: a case is called
positive if its score (after `negate`) is at least the threshold, as by a `ThresholdRule`. With R[k, m] the share
of class k decided as m, a measure f(R) has for a case of class k the component sum over m of (df / dR[k, m])
(share of m in the case's decision).
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from polyroc.errors import MeasureError, NotApplicableError
from polyroc.estimates.boundary import Boundary, unseen_variance
from polyroc.kernels.arrays import FloatArray, sums_of_others
from polyroc.measures.measure import Measure, RateForm, always, one_in_classes
from polyroc.measures.outputs import ClassifierOutputs
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Errors, Shares, Statistic, Strata, Stratum
from polyroc.messages import short_repr

__all__ = [
    "DECISION",
    "Confusion",
    "accuracy",
    "checked_number",
    "decided",
    "ht3",
    "macro_average",
    "pairwise_accuracy",
    "with_threshold",
]

MANY_COLUMNS = 16  # beyond which numpy finds the largest of a row as fast as of a column


def shares_decided(sample: Sample, threshold: float | None) -> FloatArray:
    """Decisions as shares per class: by the threshold, or the largest column wins, and a tie is shared."""
    table = _columns(sample, threshold)
    largest = table == _row_maxima(table)[:, None]
    if np.count_nonzero(largest) == len(largest):  # no tie: each row has one
        return np.asarray(largest, dtype=np.float64)
    shares: FloatArray = largest / largest.sum(axis=1, keepdims=True)
    return shares


def _row_maxima(table: FloatArray) -> FloatArray:
    """`table.max(axis=1)`, which takes several times as long for rows of a few numbers."""
    if table.shape[1] > MANY_COLUMNS:
        return np.asarray(table.max(axis=1))
    largest = table[:, 0]
    for column in table.T[1:]:
        largest = np.maximum(largest, column)
    return largest


def _columns(sample: Sample, threshold: float | None) -> FloatArray:
    """One column per class; a 1-D score without a threshold is read as decisions, whose values must be labels."""
    if threshold is not None:
        positive = sample.positive
        assert positive is not None
        called = (sample.values if sample.values.ndim == 1 else sample.values[:, positive]) >= threshold
        return np.stack([~called, called][:: 1 if positive else -1], axis=1).astype(np.float64)
    if sample.values.ndim == 2:
        return sample.values
    labels = sample.scores.labels
    table = np.column_stack([sample.values == _number(label) for label in labels]).astype(np.float64)
    unknown = ~table.any(axis=1)
    if unknown.any():
        i = int(np.argmax(unknown))
        raise NotApplicableError(
            f"As decisions, the values must be labels {list(labels)!r}, but position {i} holds "
            f"{sample.values[i]:g}; give decisions, one column per class, or (for two classes) a threshold, as in "
            "accuracy(threshold=0.5)."
        )
    return table


def _number(label: Any) -> float:
    return float(label) if isinstance(label, int | float) else np.nan


class Confusion:
    """The rates R[k, m] at which cases of class k are decided as class m, and what follows from them."""

    def __init__(self, sample: Sample, shares: FloatArray) -> None:
        self.sample = sample
        self.shares = sample.by_class(sample.grouped(shares))
        self._made: dict[tuple[int, bytes], Stratum] = {}  # measures and their boundaries have some in common
        self.priors = sample.totals / sample.totals.sum()
        self.rates = np.array([self._mean(k) for k in range(sample.classes)])

    def _mean(self, k: int) -> FloatArray:
        if not self.sample.totals[k]:
            return np.full(self.sample.classes, np.nan)
        shares, weight = self.shares[k], self.sample.weight
        if weight is not None:
            return np.asarray(np.average(shares, 0, weight[self.sample.cases(k)]))
        mean: FloatArray = np.add.reduce(shares, axis=0) / len(shares)
        return mean

    def statistic(
        self,
        value: float,
        gradient: FloatArray,
        parts: Callable[[], Mapping[str, Statistic]] | None = None,
        slopes: FloatArray | None = None,
        boundary: Callable[[Errors], Boundary] | None = None,
    ) -> Statistic:
        """The statistic with this value and these derivatives by the rates, and by the classes' shares if any."""
        shares = None if slopes is None else lambda: self._shares(gradient, slopes)
        return Statistic(value, lambda: self._strata(gradient), parts, shares=shares, boundary=boundary)

    def _shares(self, gradient: FloatArray, slopes: FloatArray) -> Shares:
        """The whole influence of a case of class k decided as m, times the number of cases, is its reach."""
        away = gradient - (gradient * self.rates).sum(axis=1, keepdims=True)
        whole = away / self.priors[:, None] + slopes[:, None]
        return Shares(slopes, float(np.ptp(whole)))

    def unseen(self, gradient: FloatArray, errors: Errors) -> float:
        """The variance that half an unseen case of each class adds."""
        strata = [self._stratum(k, slope, float(np.ptp(slope))) for k, slope in enumerate(gradient)]
        units = np.array([errors.units(stratum) for stratum in strata])
        return unseen_variance(self.rates, gradient, units)

    def allowing_for_unseen(
        self, statistic: Statistic, gradient: FloatArray, limits: tuple[float, float]
    ) -> Statistic:
        """The statistic with an interval that allows for half a case more of each class.

        A class that happens to be decided without error, or nearly so, would hide its share of the variance.
        """

        def boundary(errors: Errors) -> Boundary:
            return Boundary(statistic.value, 0.0, self.unseen(gradient, errors), 0.0, limits)

        return replace(statistic, boundary=boundary)

    def truncated(self, value: float, gradient: FloatArray, slopes: FloatArray, errors: Errors) -> Boundary:
        """The boundary of a mean of areas cut at 1/2; gradient and slopes are those without truncation."""
        variance = errors.variance(self._strata(gradient), lambda: self._shares(gradient, slopes))
        return Boundary(value, 0.0, self.unseen(gradient, errors), 0.0, (0.0, 1.0), variance)

    def _strata(self, gradient: FloatArray) -> Strata:
        # `reduce`, because the methods `max` and `min` take half as long again on so few numbers
        reaches = (np.maximum.reduce(gradient, axis=1) - np.minimum.reduce(gradient, axis=1)).tolist()
        involved: list[bool] = np.logical_or.reduce(gradient, axis=1).tolist()
        every = not any(involved)
        return tuple(
            [self._stratum(k, gradient[k], reach) for k, reach in enumerate(reaches) if every or involved[k]]
        )

    def _stratum(self, k: int, slope: FloatArray, reach: float) -> Stratum:
        key = k, slope.tobytes()
        if key not in self._made:
            self._made[key] = Stratum(self.shares[k] @ slope, partial(self.sample.cases, k), reach)
        return self._made[key]


def decided(sample: Sample, threshold: float | None = None) -> Confusion:
    """Return the confusion of the decisions at a threshold of the score, or as they stand."""
    at = None if threshold is None else checked_number("threshold", threshold)
    return sample.once(_confusion, at)


def _confusion(sample: Sample, threshold: float | None) -> Confusion:
    return Confusion(sample, shares_decided(sample, threshold))


def checked_number(name: str, value: Any, low: float = -np.inf, high: float = np.inf) -> float:
    """Return the value of an option as a number; raise an error if it is none, or beyond the limits."""
    if isinstance(value, int | float) and low <= value <= high:
        with suppress(OverflowError):  # an integer beyond the range of floats
            return float(value)
    limits = "a number" if np.isinf(high) and np.isinf(low) else f"a number from {low:g} to {high:g}"
    raise MeasureError(f"{name} must be {limits}, got {short_repr(value)}.")


def with_threshold(measure: Measure) -> Measure:
    """Return the measure of decisions with a variant of two classes that decides by the option `threshold`."""
    weighs_classes = measure.linear and measure.prevalence  # then a constant score gets the share of one class
    variant = replace(
        measure,
        options={"threshold": None, **measure.options},
        required=("threshold",),
        classes=(2, 2),
        chance=None if weighs_classes else measure.chance,
        symmetric=False,
        rank_based=False,
        bulk=None,
        bins="score",
        bound_rule="threshold",
    )
    return replace(measure, variants={**measure.variants, "threshold": variant})


def accuracy(sample: Sample, threshold: float | None = None) -> Statistic:
    """Proportion correct, C1: the share of cases whose largest score is that of their own class."""
    confusion = decided(sample, threshold)
    gradient = np.diag(confusion.priors)
    value = float((confusion.rates * gradient).sum())
    return confusion.statistic(value, gradient, slopes=np.diag(confusion.rates))


def macro_average(sample: Sample, threshold: float | None = None) -> Statistic:
    """Mean of the classes' rates of correct decisions (macro-averaged recall). Parts: each class's rate.

    The interval allows for half a case more of each class.
    """
    confusion = decided(sample, threshold)
    c = sample.classes
    identity = np.eye(c)

    def parts() -> Mapping[str, Statistic]:
        return {
            name: confusion.statistic(float(confusion.rates[k, k]), np.diag(identity[k]))
            for k, name in enumerate(sample.names)
        }

    statistic = confusion.statistic(float(np.trace(confusion.rates)) / c, identity / c, parts)
    return confusion.allowing_for_unseen(statistic, identity / c, (0.0, 1.0))


def ht3(sample: Sample, threshold: float | None = None) -> Statistic:
    """Modified Hand & Till measure of decisions (Ferri, Hernandez-Orallo & Salido 2003).

    HT3 = mean over i of max(1/2, 1 - FN_i/2 - FP_i/2), where FN_i is the share of class i decided otherwise and
    FP_i the share of the other cases decided as i: the area under the two straight lines through the single
    operating point of class i against the rest. Parts: each class's area. The interval is that of a mean of areas
    from 0 to 1, with the variance of all areas whether cut or not, and is cut at 1/2
    (`polyroc.estimates.boundary`).
    """
    confusion = decided(sample, threshold)
    c = sample.classes
    others = sums_of_others(confusion.priors)
    rest = confusion.priors[:, None] / others[None, :]  # share of class k among the not-i
    _set_diagonal(rest, 0.0)
    wrong = (rest * confusion.rates).sum(axis=0)
    areas = (1.0 + confusion.rates.diagonal() - wrong) / 2.0
    slopes = (wrong[:, None] - confusion.rates.T) / (2.0 * others[:, None])  # of area i at [i]
    _set_diagonal(slopes, 0.0)
    gradient = rest / -2.0  # of area i at [:, i]: it depends on the decisions for class i only
    _set_diagonal(gradient, 0.5)
    truncated = np.maximum(areas, 0.5)
    above = (areas > 0.5).astype(np.float64)

    def mean_of(share: FloatArray, parts: Callable[[], Mapping[str, Statistic]] | None = None) -> Statistic:
        """The mean of the areas that are cut, with these shares."""
        value, cut = float(share @ truncated), share * above

        def boundary(errors: Errors) -> Boundary:
            return confusion.truncated(value, gradient * share, share @ slopes, errors)

        return confusion.statistic(value, gradient * cut, parts, cut @ slopes, boundary)

    def parts() -> Mapping[str, Statistic]:
        return {name: mean_of(np.eye(c)[i]) for i, name in enumerate(sample.names)}

    return mean_of(np.full(c, 1.0 / c), parts)


def _set_diagonal(matrix: FloatArray, value: float) -> None:
    """`np.fill_diagonal` of a new matrix, whose numbers are contiguous in some order; it takes a fifth as long."""
    matrix.ravel("K")[:: len(matrix) + 1] = value


class PairedWins:
    """For each case, which other classes' scores its own class's score beats; a tie is half a win.

    Attributes
    ----------
    wins
        By class k, shape (classes, cases of k): at [j], 1 if the case has p_k > p_j, 1/2 if they tie.
    rates
        The pairwise confusion matrix: at [k, j], the share of class k with p_k > p_j, ties one half.
    """

    def __init__(self, sample: Sample, threshold: float | None) -> None:
        self.sample = sample
        rows = sample.grouped(_columns(sample, threshold))
        own = np.concatenate([of_class[:, k] for k, of_class in enumerate(sample.by_class(rows))])[:, None]
        wins = (own >= rows).astype(np.float64)
        wins += own > rows
        wins *= 0.5
        self.wins = [of_class.T for of_class in sample.by_class(wins)]
        self.rates = np.array([self._mean(k) for k in range(sample.classes)])

    def _mean(self, k: int) -> FloatArray:
        wins, weight = self.wins[k], self.sample.weight
        if weight is not None:
            return np.asarray(np.average(wins, axis=1, weights=weight[self.sample.cases(k)]))
        mean: FloatArray = np.add.reduce(wins, axis=1) / wins.shape[1]
        return mean

    def stratum(self, k: int, slope: FloatArray) -> Stratum:
        """Components of class k: its wins over each other class, times the slope for that class."""
        return Stratum(slope @ self.wins[k], lambda: self.sample.cases(k), float(np.abs(slope).sum()))


def pairwise_accuracy(sample: Sample, threshold: float | None = None) -> Statistic:
    """Pairwise proportion correct, C2: the mean over pairs of classes of the accuracy of choosing between the two.

    For the pair i, j it is the share of the cases of both classes together whose own class has the larger of the
    two scores. Parts: C(i|j), the share of class i with p_i > p_j (the pairwise confusion matrix), and C(i,j).
    """
    paired = sample.once(PairedWins, None if threshold is None else checked_number("threshold", threshold))
    c, totals = sample.classes, sample.totals
    pull = totals[:, None] / (totals[:, None] + totals[None, :])
    _set_diagonal(pull, 0.0)
    scale = 2.0 / (c * (c - 1))

    def strata() -> Strata:
        return tuple(paired.stratum(k, scale * pull[k]) for k in range(c))

    value = scale * float((pull * paired.rates).sum())
    slopes = _pair_slopes(paired, pull)

    def shares() -> Shares:
        by_class = slopes.sum(axis=1)
        return Shares(scale * by_class, float(scale * np.ptp(by_class)))

    return Statistic(value, strata, lambda: _pairwise_parts(paired, pull, slopes), shares=shares)


def _pair_slopes(paired: PairedWins, pull: FloatArray) -> FloatArray:
    """At [k, j], the derivative of C(k,j) with respect to the share of class k."""
    priors = paired.sample.totals / paired.sample.totals.sum()
    right = np.where(np.eye(len(pull), dtype=bool), 0.0, paired.rates)
    both = pull * right + (pull * right).T
    return np.asarray((right - both) / (priors[:, None] + priors[None, :]))


def _pairwise_parts(paired: PairedWins, pull: FloatArray, slopes: FloatArray) -> Mapping[str, Statistic]:
    c, names, unit = len(pull), paired.sample.names, np.eye(len(pull))

    def one_way(i: int, j: int) -> Statistic:
        return Statistic(float(paired.rates[i, j]), lambda: (paired.stratum(i, unit[j]),))

    def both_ways(i: int, j: int) -> Statistic:
        value = pull[i, j] * paired.rates[i, j] + pull[j, i] * paired.rates[j, i]
        slope = slopes[i, j] * unit[i] + slopes[j, i] * unit[j]
        return Statistic(
            float(value),
            lambda: (paired.stratum(i, pull[i, j] * unit[j]), paired.stratum(j, pull[j, i] * unit[i])),
            shares=lambda: Shares(slope, float(np.ptp(slope))),
        )

    parts = {f"C({names[i]}|{names[j]})": one_way(i, j) for i in range(c) for j in range(c) if i != j}
    parts |= {f"C({names[i]},{names[j]})": both_ways(i, j) for i in range(c) for j in range(i + 1, c)}
    return parts


def _accuracy_of_rates(rates: FloatArray, totals: FloatArray, _: int | None) -> FloatArray:
    return np.asarray(np.einsum("...kk,k->...", rates, totals / totals.sum()))


def _pair_accuracy_of_rates(rates: FloatArray, totals: FloatArray, positive: int | None) -> FloatArray | None:
    """Of two classes it is the accuracy; with more, a decision does not say which of two others has more."""
    return _accuracy_of_rates(rates, totals, positive) if len(totals) == 2 else None


def _mean_right_rate(rates: FloatArray, totals: FloatArray, _: int | None) -> FloatArray:
    return np.asarray(np.einsum("...kk->...", rates) / len(totals))


def _ht3_of_rates(rates: FloatArray, totals: FloatArray, _: int | None) -> FloatArray:
    rest = totals[:, None] / (totals.sum() - totals)
    np.fill_diagonal(rest, 0.0)
    right = np.einsum("...kk->...k", rates)
    areas = (1.0 + right - (rest * rates).sum(axis=-2)) / 2.0
    return np.asarray(np.maximum(areas, 0.5).mean(axis=-1))


def _bulk_pairwise_accuracy(outputs: ClassifierOutputs) -> FloatArray | None:
    if outputs.values.ndim != 3:
        return None
    c, total = outputs.classes, np.zeros(len(outputs))
    for k, size in enumerate(outputs.sizes):
        own = outputs.of(k, k)[..., None]
        block = outputs.of(k)
        wins = ((own > block) + 0.5 * (own == block)).mean(axis=1)
        pull = np.array([size / (size + other) for other in outputs.sizes])
        pull[k] = 0.0
        total += wins @ pull
    return total * 2.0 / (c * (c - 1))


_DECIDED = (
    Measure(
        key="ht3",
        name="modified Hand & Till measure",
        symbol="HT3",
        needs="decisions",
        classes=(2, None),
        range=always((0.5, 1.0)),
        chance=always(0.5),
        paper="Ferri et al. (2003); Sampat et al. (2009)",
        compute=ht3,
        prevalence=True,
        rates=RateForm(_ht3_of_rates),
        bins="decisions",
    ),
    Measure(
        key="accuracy",
        name="proportion correct",
        symbol="C1",
        needs="decisions",
        classes=(2, None),
        range=always((0.0, 1.0)),
        chance=one_in_classes,
        paper="Hand & Till (2001)",
        compute=accuracy,
        degree=always(1),
        prevalence=True,
        linear=True,
        mean_over_cases=True,
        proportion=True,
        rates=RateForm(_accuracy_of_rates, increasing=True),
        bins="decisions",
    ),
    Measure(
        key="pairwise_accuracy",
        name="pairwise proportion correct",
        symbol="C2",
        needs="decisions",
        classes=(2, None),
        range=always((0.0, 1.0)),
        chance=always(0.5),
        paper="Hand & Till (2001)",
        compute=pairwise_accuracy,
        degree=always(1),
        prevalence=True,
        linear=True,
        rates=RateForm(_pair_accuracy_of_rates, increasing=True),
        bulk=_bulk_pairwise_accuracy,
        bins="wins",
    ),
    Measure(
        key="macro_average",
        name="mean of the class rates",
        symbol="MAVG",
        needs="decisions",
        classes=(2, None),
        range=always((0.0, 1.0)),
        chance=one_in_classes,
        paper="Sampat et al. (2009)",
        compute=macro_average,
        degree=always(1),
        linear=True,
        rates=RateForm(_mean_right_rate, increasing=True),
        bins="decisions",
        headline=("decisions",),
    ),
)

DECISION = tuple(with_threshold(measure) for measure in _DECIDED)
