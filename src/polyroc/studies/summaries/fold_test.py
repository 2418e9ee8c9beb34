"""Out-of-fold predictions: the paired test within folds, and averaged and pooled ROC curves."""

from typing import Any

import numpy as np

from polyroc.curves.curve import curve
from polyroc.curves.result import Curve, Curves
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.multiplicity import Adjustment
from polyroc.inference.compare import compare
from polyroc.inference.methods import DEFAULT, Method
from polyroc.measures.measure import Measure
from polyroc.scores import Scores
from polyroc.validation.signatures import validated

__all__ = ["assumptions", "averaged_roc", "fold_test", "pooled_roc"]

WITHIN = (
    "Every case is predicted once in each repeat, by a classifier that did not learn from it. Errors of folds are "
    "correlated as those of pairs of cases are, each of which trains the classifier that is tested on the other."
)
ONE_RUN = "One run shows nothing of this correlation: it rejects too often, most where features hardly predict."
POOLED = (
    "Every case is predicted once, by a classifier that did not learn from it; scores mean the same in all folds; "
    "folds are independent of each other, and ten or more if errors are to be trusted. It is about these trained "
    "classifiers, not about new training sets."
)
ONE_SET = "The cases of the test set are independent. It is about these trained classifiers, not about new ones."


@validated
def fold_test(
    scores: Scores,
    measure: str | Measure,
    *,
    pooled: bool = False,
    method: Method = DEFAULT,
    adjustment: Adjustment | None = "max-t",
) -> Comparison:
    """Compare learners by their out-of-fold predictions: `compare`, within folds, over all repeats.

    The best supported test on one data set if the cross-validation was repeated, five times or more, also for
    hypotheses about the learners (simulations: docs/cross_validation.md). With one run it rejects too often, most
    where the models hardly predict. Predictions of a single test set have no folds and are compared as they are.
    `assumptions` states what the result assumes.

    Parameters
    ----------
    scores
        Out-of-fold predictions of several learners on the same cases, with their folds, of all repeats.
    measure, method, adjustment
        As in `compare`.
    pooled
        True to compare the cases of all folds of one repeat as one sample, in which those of a fold are a group.
        The test needs scores that mean the same in all folds, and ten folds or more; it is biased for
        leave-one-out. It is here to repeat published analyses.

    Examples
    --------
    >>> from polyroc.validation.scores import as_scores
    >>> y, fold = [0, 1] * 8, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    >>> knn = [1, 3, 2, 4, 1, 2, 3, 4, 2, 1, 3, 4, 1, 4, 2, 3]
    >>> tree = [1, 1, 2, 2, 1, 3, 3, 2, 1, 1, 2, 2, 2, 1, 1, 3]
    >>> scores = as_scores(y, {"knn": knn, "tree": tree}, folds=fold)
    >>> fold_test(scores, "auc")
    Comparison(auc: knn 0.8125, tree 0.5625; all equal: p = 0.193)
    >>> fold_test(scores, "auc", pooled=True)
    Comparison(auc: knn 0.8125, tree 0.5859; all equal: p = 0.085)
    """
    chosen = _folds_as_groups(scores) if pooled else scores
    return compare(chosen, measure=measure, method=method, adjustment=adjustment)


def _folds_as_groups(scores: Scores) -> Scores:
    """All folds as one sample, in which the cases of a fold are a group; a single test set as it is."""
    if scores.folds is None:
        return scores
    return scores._replace(groups=scores.folds.codes.astype(np.int64), folds=None)


def assumptions(test: Comparison) -> str:
    """What a result of `fold_test` assumes, in sentences."""
    provenance = next(iter(test.estimates.values())).provenance
    if provenance.folds is None:
        return ONE_SET if provenance.groups is None else POOLED
    if provenance.pooled:
        return POOLED
    return WITHIN if (provenance.repeats or 1) > 1 else f"{WITHIN} {ONE_RUN}"


@validated
def pooled_roc(scores: Scores, **options: Any) -> Curve | Curves:
    """One ROC curve for each learner from the cases of all folds (Bradley's pooling); options as in `curve`."""
    return curve(scores.pool_folds(), **options)


@validated
def averaged_roc(scores: Scores, **options: Any) -> Curve | Curves:
    """The mean of the folds' ROC curves for each learner (Bradley's averaging); options as in `curve`.

    The true positive rates are averaged at each false positive rate, so the area is the mean of the folds' areas.
    """
    return curve(scores, average="vertical", **options)
