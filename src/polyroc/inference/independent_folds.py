"""The covariance of an average over folds from that of each fold, for methods that know one sample only."""

from collections.abc import Sequence

import numpy as np

from polyroc.estimates.bootstrap_intervals import Resampled, acceleration
from polyroc.inference.covariance import by_unit, influence, sampled_strata
from polyroc.inference.methods.method import Method, Uncertainty, require_independent_folds
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic

__all__ = ["fold_covariance"]


def fold_covariance(
    method: Method, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic]
) -> Uncertainty:
    """The covariance of averages over folds whose cases are independent: sum over folds of w^2 covariance.

    Resamples are drawn within each fold; the replicates of the average are the averages of those of the folds.

    Parameters
    ----------
    method
        A method that estimates the covariance of one sample.
    measure, samples, statistics
        The measure, one sample per classifier, and the averages of the measure over folds.
    """
    scores = samples[0].scores
    require_independent_folds(method, scores)
    assert scores.folds is not None
    weights = scores.folds.weights
    by_fold = [
        method.for_block(v).covariance(measure, [sample.folds[v] for sample in samples])
        for v in range(len(weights))
    ]
    covariance = np.einsum("v,vij->ij", weights**2, [fold.covariance for fold in by_fold])
    if not method.resamples:
        return Uncertainty(covariance)
    strata = [sampled_strata(statistic, scores) for statistic in statistics]
    values = np.array(
        [by_unit(influence(of_classifier, scores, corrected=False), scores) for of_classifier in strata]
    )
    resampled = [
        _averaged([fold.resampled[number] for fold in by_fold], weights.tolist(), acceleration(of_units))
        for number, of_units in enumerate(values)
    ]
    return Uncertainty(covariance, resampled, values)


def _averaged(folds: Sequence[Resampled], weights: Sequence[float], skewness: float) -> Resampled:
    """The replicates of the average; folds in which some were undefined have fewer of them."""
    fewest = min(len(fold.replicates) for fold in folds)
    replicates = sum(w * np.array(fold.replicates[:fewest]) for w, fold in zip(weights, folds, strict=True))
    return Resampled(folds[0].kind, tuple(np.asarray(replicates).tolist()), skewness)
