"""What a method says of the uncertainty: the covariance of classifiers judged on the same cases."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from polyroc.errors import UndefinedMeasureWarning, warn
from polyroc.estimates.bootstrap_intervals import Resampled, acceleration
from polyroc.inference.covariance import by_unit, covariance, influence, sampled_strata, variance
from polyroc.inference.methods import Method
from polyroc.inference.methods.bootstrap import Bootstrap, replicates
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil, hanley_mcneil
from polyroc.inference.methods.jackknife import Jackknife, jackknife
from polyroc.inference.methods.unbiased import Unbiased, unbiased
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.scores import Scores

__all__ = ["Uncertainty", "influences", "part_variance", "uncertainty"]


class Uncertainty(NamedTuple):
    """The covariance of the classifiers' values, and what resampling gave each of them, if there was any."""

    covariance: FloatArray
    resampled: Sequence[Resampled | None]


def uncertainty(
    method: Method, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic]
) -> Uncertainty:
    """The uncertainty of a measure of one or more classifiers on the same cases.

    A permutation test makes p-values only: standard errors beside it are DeLong's.
    """
    nothing = [None] * len(samples)
    if isinstance(method, Bootstrap):
        return _bootstrapped(method, measure, samples, statistics)
    if isinstance(method, Unbiased):
        return Uncertainty(unbiased(measure, samples), nothing)
    if isinstance(method, HanleyMcNeil):
        return Uncertainty(hanley_mcneil(measure, samples, method.kind), nothing)
    if isinstance(method, Jackknife):
        return Uncertainty(jackknife(measure, samples), nothing)
    scores = samples[0].scores
    strata = [sampled_strata(each, scores) for each in statistics]
    if len(samples) == 1:
        return Uncertainty(np.array([[variance(strata[0], scores)]]), nothing)
    return Uncertainty(covariance(strata, scores), nothing)


def part_variance(method: Method, measure: Measure, sample: Sample, part: str, statistic: Statistic) -> float:
    """The variance of a part of a measure: by the method where it has one for parts, else by DeLong's."""
    if isinstance(method, Unbiased):
        return float(unbiased(measure, [sample], part)[0, 0])
    if isinstance(method, Jackknife):
        return float(jackknife(measure, [sample], part)[0, 0])
    return variance(sampled_strata(statistic, sample.scores), sample.scores)


def _bootstrapped(
    method: Bootstrap, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic]
) -> Uncertainty:
    found = replicates(method, measure, samples)
    defined = ~np.isnan(found).any(axis=0)
    if not defined.all():
        warn(
            f"{(~defined).sum()} of {method.n} resamples leave {measure} undefined (a class was not drawn, or no "
            "case was called); they are left out. Stratified resampling, or more cases, avoid it.",
            UndefinedMeasureWarning,
        )
    spread = np.full((len(samples), len(samples)), np.nan)
    if defined.sum() > 1:
        spread = np.atleast_2d(np.cov(found[:, defined]))
    moved = influences(statistics, samples[0].scores, random_sizes=not method.stratified)
    return Uncertainty(
        spread,
        [
            Resampled(method.kind, tuple(row[defined].tolist()), acceleration(u))
            for row, u in zip(found, moved, strict=True)
        ],
    )


def influences(statistics: Sequence[Statistic], scores: Scores, random_sizes: bool | None = None) -> FloatArray:
    """At [classifier, unit], by how much the unit (case, or group) moves the value."""
    strata = [sampled_strata(each, scores, random_sizes) for each in statistics]
    return np.array([by_unit(influence(each, scores, corrected=False), scores) for each in strata])
