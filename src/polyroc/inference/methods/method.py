"""The common interface of the methods that estimate the covariance of a measure."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from polyroc.errors import NotApplicableError
from polyroc.estimates.bootstrap_intervals import Resampled
from polyroc.inference.covariance import between_repeats, covariance, sampled_strata, variance
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.messages import Call, Option
from polyroc.scores import Scores

__all__ = ["Method", "PairedPvalues", "PairedTest", "Uncertainty"]


class Uncertainty(NamedTuple):
    """The uncertainty of a measure of classifiers on the same cases.

    Attributes
    ----------
    covariance
        Of the classifiers' values.
    resampled
        By classifier the replicates behind its interval; empty if the method draws no resamples.
    influence
        At [classifier, unit] the influence value of each case (or group), from which the skewness of a difference
        between resampled classifiers is computed; None if the method draws no resamples.
    df
        Degrees of freedom of the covariance, if intervals are to use quantiles of Student's t; None: normal ones.
    """

    covariance: FloatArray
    resampled: Sequence[Resampled] = ()
    influence: FloatArray | None = None
    df: float | None = None


class PairedPvalues(NamedTuple):
    """P-values of a method of its own: that all classifiers are equal, and of each pair."""

    all_equal: float
    pairs: dict[tuple[str, str], float]


class Method(ABC):
    """Base class of the methods: frozen records that compute a covariance.

    Verbs ask a method what it can do by the class attributes below; none looks at its type. A new method sets
    `name`, implements `covariance`, and overrides whatever else it does differently.

    Attributes
    ----------
    name
        The text that stands for the method with its defaults: `method="bootstrap"`.
    resamples
        True if it draws resamples: it then has `resample` and `over_resamples`, and makes intervals of them.
    compares_only
        True if it has p-values of paired classifiers (`paired_pvalues`) and nothing of its own for one classifier.
    always_applies
        True if it is defined for every measure and for all data, so that it can be evaluated later.
    works_on_bins
        True if binned counts are enough, so that engines can use it on data larger than memory.
    test
        The test of a difference between classifiers, in words.
    averages_folds
        True if `covariance` is that of averages over folds, where the scores have folds. Other methods are applied
        to each fold; see `polyroc.inference.folds`.
    """

    __slots__ = ()
    name: ClassVar[str]
    resamples: ClassVar[bool] = False
    compares_only: ClassVar[bool] = False
    always_applies: ClassVar[bool] = False
    works_on_bins: ClassVar[bool] = False
    averages_folds: ClassVar[bool] = False
    test: ClassVar[str] = "score test"

    @abstractmethod
    def covariance(
        self, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic] | None = None
    ) -> Uncertainty:
        """The covariance of a measure of classifiers on the same cases.

        Parameters
        ----------
        measure
            The measure.
        samples
            One sample per classifier, all of the same `Scores`.
        statistics
            The measure of these samples, if it was computed already.
        """

    def part_variances(
        self, measure: Measure, sample: Sample, parts: Mapping[str, Statistic]
    ) -> Callable[[str], float]:
        """From the key of a part of the measure to its variance; by default from the part's components."""
        del measure
        return component_variances(sample.scores, parts)

    def paired_pvalues(self, measure: Measure, scores: Scores | None) -> PairedPvalues | None:
        """P-values of its own for paired classifiers; None if p-values are those of the intervals.

        `scores` is None if the classifiers were evaluated on different cases.
        """
        del measure, scores
        return None

    def resample(self, measure: Measure, samples: Sequence[Sample]) -> FloatArray:
        """The measure on resampled cases, at [classifier, replicate]."""
        raise NotApplicableError(f"{self!r} draws no resamples of {measure} ({len(samples)} classifiers).")

    def over_resamples(self, sample: Sample, values: Callable[[npt.NDArray[Any]], FloatArray]) -> FloatArray:
        """What a function of the weights of the cases gives on all resamples, along the last axis."""
        del values
        raise NotApplicableError(f"{self!r} draws no resamples of {len(sample.values)} cases.")

    @property
    def seed(self) -> int | None:
        """The seed of its random numbers; None if it draws none, or none is fixed."""
        return None

    def seeded(self) -> Self:
        """The same method with a fixed seed, so that all that is computed by it can be repeated."""
        return self

    def for_measure(self, measure: Measure, scores: Scores) -> Self:
        """The same method with its options settled for a measure of these scores."""
        del measure, scores
        return self

    def for_shares(self, depends: bool, scores: Scores) -> Self:
        """The same method with its options settled for a value that depends on the class shares, or not."""
        del depends, scores
        return self

    def for_block(self, number: int) -> Self:
        """The same method for another set of cases: with random numbers of its own, if it draws any."""
        del number
        return self


class PairedTest(Method):
    """Base class of the methods with p-values of paired classifiers only, and errors of `Influence()`."""

    __slots__ = ()
    compares_only: ClassVar[bool] = True

    def covariance(
        self, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic] | None = None
    ) -> Uncertainty:
        """Return the covariance from influence values."""
        return component_covariance(samples[0].scores, statistics or [measure(sample) for sample in samples])

    @abstractmethod
    def paired_pvalues(self, measure: Measure, scores: Scores | None) -> PairedPvalues:
        """The p-values; `scores` is None if the classifiers were evaluated on different cases."""


def component_variances(scores: Scores, parts: Mapping[str, Statistic]) -> Callable[[str], float]:
    """From the key of a part of a measure to its variance from structural components."""
    if not scores.within_folds:  # without a matrix for each of the parts, of which ten classes have 135
        return lambda key: variance(sampled_strata(parts[key], scores), scores)
    return lambda key: float(component_covariance(scores, [parts[key]]).covariance[0, 0])


def component_covariance(scores: Scores, statistics: Sequence[Statistic]) -> Uncertainty:
    """Return the covariance from structural components (DeLong's, of areas).

    With repeats of a cross-validation, that of the values of the repeats is added (`between_repeats`). To second
    order it is half of the variance at most, so Satterthwaite's degrees of freedom are 4 (repeats - 1) or more.
    """
    strata = [sampled_strata(statistic, scores) for statistic in statistics]
    matrix = np.array([[variance(strata[0], scores)]]) if len(strata) == 1 else covariance(strata, scores)
    if not scores.within_folds or scores.folds is None or scores.folds.repeats == 1:
        return Uncertainty(matrix)
    return Uncertainty(matrix + between_repeats(statistics, scores), df=4.0 * (scores.folds.repeats - 1))


def require_independent_folds(method: Method, scores: Scores) -> None:
    """Raise an error if a case, or a group, is in several folds."""
    folds, units = scores.folds, scores.units
    assert folds is not None
    if units is None:
        return
    pairs = np.unique(units.astype(np.int64) * len(folds) + folds.codes)
    if folds.repeats > 1 or len(pairs) > len(np.unique(units)):
        reason = "cases are in several repeats" if folds.repeats > 1 else "groups have cases in several folds"
        raise NotApplicableError(
            f"{method!r} is for folds whose cases are independent, but {reason}; use ",
            Option("method", Call("Influence")),
            ", which adds up the influence values of each.",
        )
