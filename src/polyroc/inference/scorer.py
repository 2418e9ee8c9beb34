"""Measures as scikit-learn scorers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.inference.evaluate import evaluate
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.validation.signatures import validated

__all__ = ["Scorer", "scorer"]


@dataclass(frozen=True, slots=True)
class Scorer:
    """A measure as a scikit-learn scorer: called with a fitted classifier and data, it returns a number.

    Attributes
    ----------
    measure
        The measure as text, so that the scorer can be pickled.
    """

    measure: str

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None) -> float:
        """The value of the measure, negated if less is better; nan if a class has no case in `y_true`."""
        measure = find(self.measure)
        evaluation = evaluate(
            y_true,
            _predictions(estimator, X, measure),
            measure=[measure],
            method=None,
            labels=list(estimator.classes_),
            sample_weight=sample_weight,
        )
        value = float(evaluation[self.measure])
        return value if measure.larger_is_better else -value


@validated
def scorer(measure: str | Measure, **options: Any) -> Scorer:
    """A measure as a scorer for `cross_val_score`, `GridSearchCV` and everything else that takes `scoring=`.

    A measure that ranks takes `decision_function`, or the last column of `predict_proba`; one that needs a column
    per class takes `predict_proba`, or `decision_function` if only ranks matter; one that needs decisions, unless
    it has a threshold, or an ordered score takes `predict`.
    Classes are those the classifier was fitted on; the last of two is the positive one. A cost is negated,
    since scikit-learn maximises scores.

    Examples
    --------
    >>> scorer("hand_till")
    Scorer(measure='hand_till')
    >>> scorer("partial_auc", fpr=(0, 0.2))
    Scorer(measure='partial_auc(fpr=(0, 0.2))')
    """
    return Scorer(str(find(measure, **options)))


def _predictions(estimator: Any, X: Any, measure: Measure) -> Any:
    """The predictions of a classifier in the form that the measure needs."""
    ranks = measure.needs == "score" or measure.settings.get("threshold") is not None
    if measure.needs == "ordered" or (measure.needs == "decisions" and not ranks):
        return estimator.predict(X)
    if measure.needs == "score" and hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X)
    if measure.needs == "columns" and hasattr(estimator, "decision_function"):
        columns = np.asarray(estimator.decision_function(X))
        return np.column_stack([-columns, columns]) if columns.ndim == 1 else columns
    raise InputError(
        f"{measure} needs predict_proba, which {type(estimator).__name__} does not have; "
        "calibrate the classifier, or take a measure of decisions."
    )
