"""Proper scores of predicted probabilities: Brier score and skill, logarithmic and spherical score.

A proper score is a number for each case, from the probabilities predicted for it and its true class, whose
expectation is best if the probabilities are right. Its mean over the cases has these numbers as components.
"""

from functools import cached_property, partial
from math import inf, log
from typing import Any

import numpy as np

from polyroc.errors import InfiniteLossWarning, MeasureError, warn
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import CaseMean, Measure, always
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Shares, Statistic, Strata, Stratum
from polyroc.messages import short_repr

__all__ = [
    "PROPER_SCORES",
    "CaseAverage",
    "Forecast",
    "brier",
    "brier_skill",
    "log_loss",
    "spherical",
    "warn_of_infinity",
]


class Forecast:
    """The probabilities of a sample that proper scores need, class by class in the order of `Sample.cases`.

    Attributes
    ----------
    own
        By class, the probability that each case has for its own class.
    """

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        classes = range(sample.classes)
        if sample.values.ndim == 1:  # the probability of the positive class
            of_positive = [sample.unsorted(k) for k in classes]
            self.own = [p if k == sample.positive else 1.0 - p for k, p in enumerate(of_positive)]
        else:
            self.own = [sample.unsorted(k, k) for k in classes]

    @cached_property
    def squares(self) -> list[FloatArray]:
        """By class, the sum of the squared probabilities of each case."""
        if self.sample.values.ndim == 1:
            return [p**2 + (1.0 - p) ** 2 for p in self.own]
        classes = range(self.sample.classes)
        return [sum((self.sample.unsorted(k, j) ** 2 for j in classes), np.zeros(())) for k in classes]


class CaseAverage:
    """A mean over all cases, from the means of the classes and their shares; or the skill that follows from it.

    Attributes
    ----------
    value, slope, by_share
        The measure, and its derivatives by the mean over the cases and by the shares of the classes.
    """

    def __init__(
        self, form: CaseMean, by_class: FloatArray, totals: FloatArray, limits: tuple[float, float]
    ) -> None:
        self.shares = totals / totals.sum()
        self._by_class, self._span = by_class, limits[1] - limits[0]
        self.value, self.slope, self.by_share = float(self.shares @ by_class), 1.0, by_class
        if form.reference is not None:
            reference, change = form.reference(self.shares)
            ratio = self.value / reference
            self.value, self.slope = 1.0 - ratio, -1.0 / reference
            self.by_share = (ratio * change - by_class) / reference

    def reach(self, k: int) -> float | None:
        """How far apart two components of class k can be; None in a range without limits."""
        return float(abs(self.slope) * self.shares[k] * self._span) if self._span < inf else None

    def share_slopes(self) -> Shares:
        """The dependence on the shares, and how far apart the contributions of two cases can be."""
        if self._span == inf:
            return Shares(self.by_share, inf)
        ends = self.by_share + self.slope * (np.array([[0.0], [self._span]]) - self._by_class)
        return Shares(self.by_share, float(np.ptp(ends)))


def _statistic(form: CaseMean, sample: Sample, values: list[FloatArray], limits: tuple[float, float]) -> Statistic:
    """The statistic of numbers that are given class by class."""
    weights = [None if sample.weight is None else sample.weight[sample.cases(k)] for k in range(sample.classes)]
    by_class = [float(np.average(own, weights=w)) for own, w in zip(values, weights, strict=True)]
    average = CaseAverage(form, np.array(by_class), sample.totals, limits)

    def strata() -> Strata:
        return tuple(
            Stratum(average.slope * average.shares[k] * own, partial(sample.cases, k), average.reach(k))
            for k, own in enumerate(values)
        )

    return Statistic(average.value, strata, shares=average.share_slopes)


def brier(sample: Sample) -> Statistic:
    """Brier score: the mean squared distance of the probabilities from what happened.

    Of two classes (p - y)^2, with p the probability of the positive class and y 1 for a positive case, else 0; of
    more, the sum over the classes, which is from 0 to 2 (Brier 1950).
    """
    return _statistic(BRIER, sample, _squared_errors(sample), _brier_range(sample.classes))


def _squared_errors(sample: Sample) -> list[FloatArray]:
    forecast, c = sample.once(Forecast), sample.classes
    if sample.values.ndim == 1:  # the same for either class
        return [(1.0 - own) ** 2 for own in forecast.own]
    return [_squared_error(own, squares, c) for own, squares in zip(forecast.own, forecast.squares, strict=True)]


def _squared_error(own: FloatArray, squares: FloatArray, classes: int) -> FloatArray:
    error = (1.0 - own) ** 2 + (squares - own**2)
    return np.asarray(error / 2.0 if classes == 2 else error)


def _brier_range(classes: int) -> tuple[float, float]:
    return 0.0, 1.0 if classes == 2 else 2.0


def brier_skill(sample: Sample) -> Statistic:
    """Brier skill score: 1 - (Brier score) / (that of predicting the share of each class for every case).

    1 is perfect, 0 no better than the shares of the classes, which are those of the same cases.
    """
    # how far apart the squared errors can be, from which that of the skill follows
    return _statistic(SKILL, sample, _squared_errors(sample), _brier_range(sample.classes))


def _uncertainty(shares: FloatArray) -> tuple[float, FloatArray]:
    """The Brier score of predicting the shares of the classes, and its derivatives by the shares."""
    half = 0.5 if len(shares) == 2 else 1.0
    return half * float(1.0 - shares @ shares), -2.0 * half * shares


def log_loss(sample: Sample, clip: float | None = None) -> Statistic:
    """Logarithmic score: the mean of -log(probability of the true class), in natural logarithms (Good 1952).

    A case with the probability 0 of its true class makes it infinite. That is its value, with a warning: nothing
    is clipped unless `clip` is given, below which a probability then counts as `clip`.
    """
    limits = _log_range(sample.classes, clip)
    forecast = sample.once(Forecast)
    values = [_logarithm(own, own, sample.classes, clip) for own in forecast.own]
    impossible = sum(int(np.isinf(own).sum()) for own in values)
    if impossible and _counts(sample, values):
        warn_of_infinity(impossible)
        return Statistic(inf, tuple)
    values = [np.where(np.isinf(own), 0.0, own) for own in values] if impossible else values  # of weight 0
    return _statistic(LOGARITHM, sample, values, limits)


def _counts(sample: Sample, values: list[FloatArray]) -> bool:
    """Whether a case with an infinite value has a weight."""
    if sample.weight is None:
        return True
    return any((sample.weight[sample.cases(k)][np.isinf(own)] > 0).any() for k, own in enumerate(values))


def warn_of_infinity(cases: int) -> None:
    """Warn that the log loss is infinite."""
    warn(
        f"{cases} case{'s have' if cases > 1 else ' has'} the probability 0 of the true class, so log_loss is "
        "infinite. Correct the probabilities (no model knows that a class is impossible), or state a smallest "
        "one, log_loss(clip=1e-6); brier is finite.",
        InfiniteLossWarning,
    )


def _logarithm(own: FloatArray, _: FloatArray, __: int, clip: float | None = None) -> FloatArray:
    least = 0.0 if clip is None else _checked_clip(clip)
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(np.clip(own, least, 1.0)) + 0.0)  # + 0.0: no -0.0


def _checked_clip(clip: Any) -> float:
    if isinstance(clip, int | float) and not isinstance(clip, bool) and 0 < clip < 0.5:
        return float(clip)
    raise MeasureError(f"log_loss: clip must be a number between 0 and 0.5, or None, got {short_repr(clip)}.")


def _log_range(_: int, clip: float | None = None) -> tuple[float, float]:
    return 0.0, inf if clip is None else -log(_checked_clip(clip))


def spherical(sample: Sample) -> Statistic:
    """Spherical score: the mean of (probability of the true class) / (length of the vector of probabilities).

    From 0 to 1, larger is better (Roby 1965).
    """
    forecast, c = sample.once(Forecast), sample.classes
    values = [_direction(own, squares, c) for own, squares in zip(forecast.own, forecast.squares, strict=True)]
    return _statistic(DIRECTION, sample, values, (0.0, 1.0))


def _direction(own: FloatArray, squares: FloatArray, _: int) -> FloatArray:
    return np.asarray(np.clip(own / np.sqrt(squares), 0.0, 1.0))


BRIER, LOGARITHM, DIRECTION = CaseMean(_squared_error), CaseMean(_logarithm), CaseMean(_direction)
SKILL = CaseMean(_squared_error, _uncertainty)


def _mean_of_cases(form: CaseMean, **facts: Any) -> Measure:
    """A measure that is a mean over all cases."""
    return Measure(
        needs="forecast",
        classes=(2, None),
        chance=None,
        degree=always(1),
        rank_based=False,
        prevalence=True,
        linear=True,
        mean_over_cases=True,
        case_mean=form,
        **facts,
    )


PROPER_SCORES = (
    _mean_of_cases(
        BRIER,
        key="brier",
        name="Brier score",
        symbol="BS",
        range=_brier_range,
        paper="Brier (1950)",
        compute=brier,
        larger_is_better=False,
    ),
    Measure(
        key="brier_skill",
        name="Brier skill score",
        symbol="BSS",
        needs="forecast",
        classes=(2, None),
        range=always((-inf, 1.0)),
        chance=None,
        paper="Brier (1950); Murphy (1973)",
        compute=brier_skill,
        rank_based=False,
        prevalence=True,
        case_mean=SKILL,
    ),
    _mean_of_cases(
        LOGARITHM,
        key="log_loss",
        name="logarithmic score",
        symbol="LS",
        range=_log_range,
        paper="Good (1952)",
        compute=log_loss,
        options={"clip": None},
        larger_is_better=False,
    ),
    _mean_of_cases(
        DIRECTION,
        key="spherical",
        name="spherical score",
        symbol="SS",
        range=always((0.0, 1.0)),
        paper="Roby (1965)",
        compute=spherical,
    ),
)
