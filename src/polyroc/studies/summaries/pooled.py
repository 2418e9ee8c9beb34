"""Pooled out-of-fold predictions: the paired test, and pooled and averaged ROC curves."""

from dataclasses import replace
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

__all__ = ["POOLED", "WITHIN", "averaged_roc", "fold_test", "folds_as_groups", "pooled_roc", "pooled_test"]

POOLED = (
    "Every case is predicted once, by a classifier that did not learn from it; scores mean the same in all folds; "
    "folds are independent of each other, and ten or more if errors are to be trusted. It is about these trained "
    "classifiers, not about new training sets."
)


WITHIN = (
    "Every case is predicted once in each repeat, by a classifier that did not learn from it. Errors of folds are "
    "correlated as those of pairs of cases are, each of which trains the classifier that is tested on the other."
)


@validated
def fold_test(
    scores: Scores, measure: str | Measure, *, method: Method = DEFAULT, adjustment: Adjustment | None = "max-t"
) -> Comparison:
    """Compare learners within folds by their out-of-fold predictions: `compare`, for scores with folds.

    The best supported test on one data set if the cross-validation was repeated, five times or more, also for
    hypotheses about the learners (simulations: docs/cross_validation.md). With one run it rejects too often if the
    models hardly predict. `WITHIN` states its assumptions.

    Parameters
    ----------
    scores
        Out-of-fold predictions of several learners on the same cases, with their folds, of all repeats.
    measure, method, adjustment
        As in `compare`.

    Examples
    --------
    >>> from polyroc.validation.scores import as_scores
    >>> y, fold = [0, 1] * 8, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    >>> knn = [1, 3, 2, 4, 1, 2, 3, 4, 2, 1, 3, 4, 1, 4, 2, 3]
    >>> tree = [1, 1, 2, 2, 1, 3, 3, 2, 1, 1, 2, 2, 2, 1, 1, 3]
    >>> fold_test(as_scores(y, {"knn": knn, "tree": tree}, folds=fold), "auc")
    Comparison(auc: knn 0.8125, tree 0.5625; all equal: p = 0.224)
    """
    return compare(scores, measure=measure, method=method, adjustment=adjustment)


@validated
def pooled_test(
    scores: Scores, measure: str | Measure, *, method: Method = DEFAULT, adjustment: Adjustment | None = "max-t"
) -> Comparison:
    """Compare learners by their pooled out-of-fold predictions, with folds as groups.

    The cases of a fold share a classifier, so they are correlated: `compare` with folds as groups. It needs at
    least ten folds, and one repeat of the cross-validation, so that every case is predicted once; `POOLED` states
    its assumptions. `compare(scores, ...)` itself compares within folds, and does not need scores on one scale.

    Parameters
    ----------
    scores
        Out-of-fold predictions of several learners on the same cases, with their folds.
    measure, method, adjustment
        As in `compare`.

    Examples
    --------
    >>> from polyroc.validation.scores import as_scores
    >>> y, fold = [0, 1] * 8, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    >>> knn = [1, 3, 2, 4, 1, 2, 3, 4, 2, 1, 3, 4, 1, 4, 2, 3]
    >>> tree = [1, 1, 2, 2, 1, 3, 3, 2, 1, 1, 2, 2, 2, 1, 1, 3]
    >>> pooled_test(as_scores(y, {"knn": knn, "tree": tree}, folds=fold), "auc")
    Comparison(auc: knn 0.8125, tree 0.5859; all equal: p = 0.357)
    """
    return compare(folds_as_groups(scores), measure=measure, method=method, adjustment=adjustment)


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


def folds_as_groups(scores: Scores) -> Scores:
    """All folds as one sample, in which the cases of a fold are a group; a single test set as it is."""
    if scores.folds is None:
        return scores
    return replace(scores, groups=scores.folds.codes.astype(np.int64), folds=None)
