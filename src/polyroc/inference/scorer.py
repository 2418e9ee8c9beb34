"""Measures as scikit-learn scorers."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.inference.evaluate import evaluate
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.messages import Option, short_repr
from polyroc.validation.signatures import validated

__all__ = ["Scorer", "scorer"]


@dataclass(frozen=True, slots=True)
class Scorer:
    """A measure as a scikit-learn scorer: called with a fitted classifier and data, it returns a number.

    Attributes
    ----------
    measure
        The measure as text, so that the scorer can be pickled.
    pos_label
        The positive one of two classes; None if it does not matter, or is 1 or True.
    """

    measure: str
    pos_label: Hashable = None

    def __repr__(self) -> str:
        positive = "" if self.pos_label is None else f", pos_label={self.pos_label!r}"
        return f"Scorer(measure={self.measure!r}{positive})"

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None) -> float:
        """The value of the measure, negated if less is better; nan if a class has no case in `y_true`."""
        measure, classes = find(self.measure), np.asarray(estimator.classes_).tolist()
        _check_positive(measure, classes, self.pos_label)
        predictions = _predictions(estimator, X, measure)
        if self.pos_label is not None and self.pos_label == classes[0] and np.ndim(predictions) == 1:
            predictions = _of_first_class(predictions, measure)
        evaluation = evaluate(
            y_true,
            predictions,
            measure=[measure],
            method=None,
            labels=classes,
            pos_label=self.pos_label,
            sample_weight=sample_weight,
        )
        value = float(evaluation[self.measure])
        return value if measure.larger_is_better else -value


@validated
def scorer(measure: str | Measure, *, pos_label: Hashable = None, **options: Any) -> Scorer:
    """A measure as a scorer for `cross_val_score`, `GridSearchCV` and everything else that takes `scoring=`.

    A measure that ranks takes `decision_function`, or the last column of `predict_proba`; one that needs a column
    per class takes `predict_proba`, or `decision_function` if only ranks matter; one that needs decisions, unless
    it has a threshold, or an ordered score takes `predict`.
    Classes are those the classifier was fitted on. A cost is negated, since scikit-learn maximises scores.

    Parameters
    ----------
    measure, options
        The measure, and its options.
    pos_label
        The positive one of two classes. Not needed for 0/1, -1/1 and False/True, nor if the value is the same for
        either class (the AUC, accuracy); otherwise required: for classes with names it is never guessed.

    Examples
    --------
    >>> scorer("hand_till")
    Scorer(measure='hand_till')
    >>> scorer("partial_auc", fpr=(0, 0.2))
    Scorer(measure='partial_auc(fpr=(0, 0.2))')
    >>> scorer("sensitivity", pos_label="sick")
    Scorer(measure='sensitivity', pos_label='sick')
    """
    return Scorer(str(find(measure, **options)), pos_label)


def _check_positive(measure: Measure, classes: Sequence[Any], pos_label: Hashable) -> None:
    """Raise an error if the positive class matters and is not known."""
    same_for_both = measure.symmetric or measure.areas is not None  # of two classes, areas are those of either
    known = pos_label is not None or classes in ([0, 1], [-1, 1])
    if len(classes) == 2 and not (known or same_for_both):
        raise InputError(
            f"{measure} needs the positive class, but the classes are {short_repr(classes)}; use ",
            Option("pos_label", *reversed(classes)),
            " in scorer.",
        )


def _of_first_class(predictions: Any, measure: Measure) -> Any:
    """The decision function of two classes, which is high for the second, as that of the first."""
    return -np.asarray(predictions) if measure.needs == "score" else predictions


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
