"""Whether the scores of different folds are on one scale: Kruskal and Wallis' test given the class."""

import numpy as np

from polyroc.errors import PooledFoldsWarning, warn
from polyroc.estimates.cross_validation import SHIFT_LEVEL
from polyroc.kernels.arrays import CodeArray, FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.messages import Message, Option
from polyroc.output.numbers import p_text
from polyroc.scores import Folds

__all__ = ["shift_pvalue", "warn_of_pooling"]


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
    from scipy.stats import rankdata

    from polyroc._scipy import chdtrc

    present, group = np.unique(groups, return_inverse=True)
    n, m = len(values), len(present)
    if m < 2 or n == m:
        return 1.0
    ranks = rankdata(values)
    centred = ranks - (n + 1) / 2
    variance = float(centred @ centred) / (n - 1)
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
