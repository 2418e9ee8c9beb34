"""Pooled out-of-fold predictions: the paired test, and pooled and averaged ROC curves."""

from typing import Any

from polyroc.curves.curve import curve
from polyroc.curves.result import Curve, Curves
from polyroc.errors import InputError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.multiplicity import Adjustment
from polyroc.inference.compare import compare
from polyroc.inference.methods import DEFAULT, Method
from polyroc.measures.measure import Measure
from polyroc.scores import Scores

__all__ = ["POOLED", "averaged_roc", "pooled_roc", "pooled_test"]

POOLED = (
    "Every case is predicted once, by a classifier that did not learn from it; scores mean the same in all folds; "
    "folds are independent of each other, and ten or more if errors are to be trusted. It is about these trained "
    "classifiers, not about new training sets."
)


def pooled_test(
    scores: Scores, measure: str | Measure, *, method: Method = DEFAULT, adjustment: Adjustment | None = "max-t"
) -> Comparison:
    """Compare learners by their pooled out-of-fold predictions, with folds as groups.

    The cases of a fold share a classifier, so they are correlated: `compare` with groups. It needs the folds in
    `scores.groups`, at least ten of them, and one repeat of the cross-validation, so that every case is predicted
    once; `POOLED` states its assumptions.

    Parameters
    ----------
    scores
        Out-of-fold predictions of several learners on the same cases, folds as groups.
    measure, method, adjustment
        As in `compare`.

    Examples
    --------
    >>> from polyroc.validation.scores import as_scores
    >>> y, fold = [0, 1] * 8, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    >>> knn = [1, 3, 2, 4, 1, 2, 3, 4, 2, 1, 3, 4, 1, 4, 2, 3]
    >>> tree = [1, 1, 2, 2, 1, 3, 3, 2, 1, 1, 2, 2, 2, 1, 1, 3]
    >>> pooled_test(as_scores(y, {"knn": knn, "tree": tree}, groups=fold), "auc")
    Comparison(auc: knn 0.8125, tree 0.5859; all equal: p = 0.357)
    """
    return compare(_with_folds(scores), measure=measure, method=method, adjustment=adjustment)


def pooled_roc(scores: Scores, **options: Any) -> Curve | Curves:
    """One ROC curve for each learner from the cases of all folds (Bradley's pooling); options as in `curve`."""
    return curve(_with_folds(scores), folds="groups", average="pooled", **options)


def averaged_roc(scores: Scores, **options: Any) -> Curve | Curves:
    """The mean of the folds' ROC curves for each learner (Bradley's averaging); options as in `curve`.

    The true positive rates are averaged at each false positive rate, so the area is the mean of the folds' areas.
    """
    return curve(_with_folds(scores), folds="groups", average="vertical", **options)


def _with_folds(scores: Scores) -> Scores:
    if scores.groups is None:
        raise InputError("Expected out-of-fold predictions with their folds as groups, got no groups.")
    return scores
