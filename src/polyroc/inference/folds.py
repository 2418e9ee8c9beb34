"""Cross-validation: the covariance of an average over folds, and whether scores of folds are on one scale.

`fold_covariance` is for methods that know one sample only; methods of components have the covariance of their own
(`polyroc.measures.within_folds`).
"""

from collections.abc import Sequence

import numpy as np

from polyroc.errors import PooledFoldsWarning, warn
from polyroc.estimates.bootstrap_intervals import Resampled, acceleration
from polyroc.estimates.cross_validation import SHIFT_LEVEL
from polyroc.inference.covariance import by_unit, influence, sampled_strata
from polyroc.inference.methods.method import Method, Uncertainty, require_independent_folds
from polyroc.kernels.arrays import CodeArray, FloatArray, inner_product
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.messages import Message, Option
from polyroc.output.numbers import p_text
from polyroc.scores import Folds

__all__ = ["fold_covariance", "shift_pvalue", "warn_of_pooling"]


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


def shift_pvalue(sample: Sample) -> float:
    """P-value of the hypothesis that scores of the same class have the same distribution in all folds.

    Models of a cross-validation that were trained on nearly the same cases may still score on different levels, as
    where the intercept follows the class shares of the training cases. Kruskal and Wallis' test compares the ranks
    of the scores of a class between folds. There is one test per class, repeat and column of the scores; the
    result is the smallest p-value times their number, 1 at most. It is 1 if no class has two cases in a fold.

    References
    ----------
    Kruskal & Wallis, Journal of the American Statistical Association 47 (1952) 583-621.
    """
    scores, folds = sample.scores, sample.scores.folds
    assert folds is not None
    counted = np.ones(len(scores), dtype=bool) if sample.weight is None else sample.weight > 0
    columns = sample.values.reshape(len(scores), -1)
    if scores.kind == "matrix" and scores.n_classes == 2:  # usually one column is a function of the other
        columns = columns[:, 1:]
    pvalues = []
    for repeat in range(folds.repeats):
        in_repeat = counted & (folds.repeat[folds.codes] == repeat)
        for k in range(scores.n_classes):
            cases = np.flatnonzero(in_repeat & (scores.codes == k))
            pvalues += [_kruskal_wallis(column[cases], folds.codes[cases]) for column in columns.T]
    return min(1.0, len(pvalues) * min(pvalues))


def _kruskal_wallis(values: FloatArray, groups: CodeArray) -> float:
    """The p-value by the chi-square approximation; 1 if there is nothing to compare."""
    from scipy.special import chdtrc
    from scipy.stats import rankdata

    present, group = np.unique(groups, return_inverse=True)
    n, m = len(values), len(present)
    if m < 2 or n == m:
        return 1.0
    ranks = rankdata(values)
    centred = ranks - (n + 1) / 2
    variance = inner_product(centred, centred) / (n - 1)
    if variance == 0:
        return 1.0
    sums, sizes = np.bincount(group, centred), np.bincount(group)
    return float(chdtrc(m - 1, (sums**2 / sizes).sum() / variance))


def warn_of_pooling(measure: Measure, sample: Sample) -> None:
    """Warn if the folds of a sample are pooled and a measure that compares scores of cases is biased by that."""
    folds = sample.scores.folds
    if folds is None or not folds.pooled or measure.needs == "decisions":
        return
    reason = _reason(sample, folds)
    if reason:
        # The same text for every measure, so that Python and the command line show it once.
        problem = "Values of all folds as one sample compare scores of different models and are biased: "
        warn(Message(problem, *reason, "."), PooledFoldsWarning)


def _reason(sample: Sample, folds: Folds) -> tuple[str | Option, ...]:
    """Why pooling is biased, and what to do; empty if there is no sign of it."""
    if np.bincount(folds.codes).max() == 1:
        return (
            "in leave-one-out cross-validation the scores of a model depend on the class of the case left out (a "
            "model that only knows the class shares has an AUC of 0). Use larger folds, or leave out pairs",
        )
    pvalue = sample.once(shift_pvalue)
    if pvalue >= SHIFT_LEVEL:
        return ()
    differ = f"scores of the same class differ between folds (Kruskal-Wallis test, {p_text(pvalue)})"
    return f"{differ}. Average them over folds by leaving out ", Option("pooled")
