"""One rate at a fixed value of the other: sensitivity at a specificity, specificity at a sensitivity.

The threshold is not known but estimated: it is the score at which the other rate has the given value. Both errors
enter the standard error, that of the rate at a given threshold and that of the threshold; the latter by the slope
of the curve. Intervals do not rely on the slope: they are those of a pointwise band, from order statistics.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from polyroc.errors import MeasureError
from polyroc.estimates.boundary import QUANTILES, Boundary
from polyroc.estimates.order_statistics import rate_limits
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure, always
from polyroc.measures.ranking import positive_highest
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Errors, Statistic, Strata, Stratum
from polyroc.measures.sweep import Sweep

__all__ = ["SENSITIVITY_VARIANTS", "SPECIFICITY_VARIANTS", "sensitivity_at", "specificity_at"]

ROUNDING = 1e-12  # relative: a rate such as 1 - 0.9 may be an ulp beside the share of cases that is meant
NODES = (np.arange(64) + 0.5) / 64  # probabilities at which the distribution of the fixed rate is represented


class _Place(NamedTuple):
    """Where a curve of rates reaches a value of the first rate.

    Attributes
    ----------
    value
        The second rate there.
    passed
        By step of the curve, the share of its cases before the place: 1, or 0, or a share of the step in which the
        place lies.
    """

    value: float
    passed: FloatArray


def _last_step(first: FloatArray, rate: Any) -> Any:
    """The last step of a curve that is not beyond a rate; rates may be an array."""
    return np.searchsorted(first, rate * (1.0 + ROUNDING) + ROUNDING, "right") - 1


def _place(first: FloatArray, second: FloatArray, rate: float) -> _Place:
    """Where the first rate has a value: straight along a block of ties, the highest point where it is vertical."""
    last = int(_last_step(first, rate))
    passed = np.zeros(len(first) - 1)
    passed[:last] = 1.0
    if last == len(passed):
        return _Place(float(second[last]), passed)
    share = max((rate - first[last]) / (first[last + 1] - first[last]), 0.0)
    passed[last] = share
    return _Place(float(second[last] + share * (second[last + 1] - second[last])), passed)


def _slope(first: FloatArray, second: FloatArray, rate: float, cases: float) -> float:
    """Return the slope that turns the error of the fixed rate into that of the second rate.

    The threshold is an order statistic of n cases, so that the rate which it truly has follows the distribution
    beta(n rate + 1, n (1 - rate)). The error of the second rate is its standard deviation over this distribution,
    as in Maritz & Jarrett's variance of a quantile (1978). A mean slope would be too large where the curve bends.
    """
    from scipy.special import betaincinv

    heights = np.interp(betaincinv(cases * rate + 1.0, cases * (1.0 - rate), NODES), first, second)
    return float(heights.std() * np.sqrt(cases / (rate * (1.0 - rate))))


def _units(sample: Sample, errors: Errors, stratum: Stratum, cases: float) -> float:
    """The effective number of cases of a class: as many independent cases have the variance of its rate.

    Not more than `cases`. Without a variance, as many as there are groups.
    """
    variance, groups = errors.variance((stratum,)), errors.units(stratum)
    weight = sample.weight if sample.weight is None else sample.weight[stratum.cases()]
    mean = np.average(stratum.components, weights=weight)
    spread = float(np.average((stratum.components - mean) ** 2, weights=weight))
    return min(spread / variance + 1.0 if min(variance, spread) > ROUNDING else groups, cases)


def _ends(
    first: FloatArray, second: FloatArray, value: float, rate: float, units: Sequence[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The limits at `QUANTILES`; monotone, as those of a count, which is discrete, need not be."""
    from scipy.special import ndtr

    def height(rates: FloatArray) -> FloatArray:
        last = _last_step(first, rates)
        following = np.minimum(last + 1, len(first) - 1)
        share = np.maximum(rates - first[last], 0.0) / np.where(
            following > last, first[following] - first[last], 1.0
        )
        return np.asarray(second[last] + share * (second[following] - second[last]))

    low, high = rate_limits(height, value, rate, (units[0], units[1]), ndtr(-np.array(QUANTILES)))
    return tuple(np.minimum.accumulate(low).tolist()), tuple(np.maximum.accumulate(high).tolist())


def _rate_at(sample: Sample, mirrored: bool, rate: float) -> Statistic:
    """The share of one class on its side of the threshold beyond which the other class has a share of `rate`."""
    sweep = Sweep(sample)
    first, second = sweep.fpr, sweep.tpr
    if mirrored:  # classes exchanged and scores negated: (FPR, TPR) becomes (1 - TPR, 1 - FPR)
        first, second = 1.0 - sweep.tpr[::-1], 1.0 - sweep.fpr[::-1]
    place = _place(first, second, rate)
    cases = float(sample.effective_sizes[sweep.classes[0 if mirrored else 1]])
    slope = cache(lambda: _slope(first, second, rate, cases))

    def strata() -> Strata:
        of_first, reach = place.value - slope() * (place.passed - rate), max(slope(), 1.0)
        if mirrored:
            return sweep.strata(of_first[::-1], place.passed[::-1], reach=(reach, None))
        return sweep.strata(place.passed, of_first, reach=(None, reach))

    def boundary(errors: Errors) -> Boundary:
        passed = place.passed[::-1] if mirrored else place.passed
        pairs = zip(sweep.strata(passed, passed), sweep.classes, strict=True)
        units = [_units(sample, errors, stratum, float(sample.effective_sizes[k])) for stratum, k in pairs]
        ends = _ends(first, second, place.value, rate, units[::-1] if mirrored else units)
        return Boundary(place.value, 0.0, 0.0, ends=ends)

    return Statistic(place.value, strata, boundary=boundary)


def sensitivity_at(sample: Sample, specificity: float | None = None, fpr: float | None = None) -> Statistic:
    """Sensitivity at the threshold with this specificity, or with this false positive rate.

    With R the ROC curve and u = 1 - specificity the value is R(u). Its variance is R (1 - R) / m + R'(u)^2 u (1 -
    u) / n for m positives and n negatives: the second term is due to the threshold, a quantile of the negatives.
    The component of a negative above the threshold is therefore R(u) - R'(u) (1 - u), below it R(u) + R'(u) u.
    """
    option, rate = _fixed_rate("sensitivity", specificity=specificity, fpr=fpr)
    return _rate_at(sample, False, rate if option == "fpr" else 1.0 - rate)


def specificity_at(sample: Sample, sensitivity: float | None = None, tpr: float | None = None) -> Statistic:
    """Specificity at the threshold with this sensitivity (or `tpr`): the mirror image of `sensitivity_at`."""
    _, rate = _fixed_rate("specificity", sensitivity=sensitivity, tpr=tpr)
    return _rate_at(sample, True, 1.0 - rate)


def _fixed_rate(measure: str, **fixed: Any) -> tuple[str, float]:
    """The one of two options that is set, and its value."""
    options = [(name, value) for name, value in fixed.items() if value is not None]
    if len(options) != 1:
        raise MeasureError(f"{measure} takes one of {' and '.join(fixed)}, got {len(options)}.")
    ((name, value),) = options
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1:
        return name, float(value)
    raise MeasureError(f"{measure}: {name} must be a number between 0 and 1, ends excluded, got {value!r}.")


def _chance(_: int, **fixed: Any) -> float:
    """The value of a constant score: on the diagonal of the ROC curve."""
    option, rate = _fixed_rate("The measure", **fixed)
    return rate if option == "fpr" else 1.0 - rate


SENSITIVITY_VARIANTS, SPECIFICITY_VARIANTS = (
    dict.fromkeys(
        (other, short),
        Measure(
            key=key,
            name=key,
            symbol=symbol,
            needs="score",
            classes=(2, 2),
            range=always((0.0, 1.0)),
            chance=_chance,
            paper="Pepe (2003)",
            compute=compute,
            degree=always(2),
            options={other: None, short: None},
            either=(other, short),
            symmetric=False,
            bins="score",
            bound_rule="curve",
            best_ranks=positive_highest,
        ),
    )
    for key, symbol, other, short, compute in (
        ("sensitivity", "TPR", "specificity", "fpr", sensitivity_at),
        ("specificity", "TNR", "sensitivity", "tpr", specificity_at),
    )
)
