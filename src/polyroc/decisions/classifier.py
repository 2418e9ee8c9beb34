"""`OperatingPointClassifier`: a scikit-learn classifier that decides by a rule of `operate`."""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from polyroc.decisions.criteria import Criterion, choose_rule, read_objective
from polyroc.errors import InputError, MissingPackageError
from polyroc.rules import CostRule, Rule, ThresholdRule
from polyroc.validation.arguments import checked_cv
from polyroc.validation.random import Rng
from polyroc.validation.scores import normalise
from polyroc.validation.signatures import Probability, validated

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
    from sklearn.model_selection import check_cv, cross_val_predict
    from sklearn.utils import column_or_1d, get_tags
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise MissingPackageError(
        "OperatingPointClassifier needs scikit-learn, which is not installed; run pip install scikit-learn."
    ) from error

__all__ = ["OperatingPointClassifier"]


class OperatingPointClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that decides by the best rule for costs, limits or a criterion.

    The rule is chosen on out-of-fold predictions (cross-validation), then the classifier is fitted to all cases.
    The options are those of `polyroc.operate`. Decisions need not be the class of the largest probability, so
    there is no `predict_proba`; use that of `estimator_`.

    Parameters
    ----------
    estimator
        A classifier with `predict_proba`, or, for two classes, `decision_function`. If its `decision_function` has
        one value per case for more classes (ordinal regression), cut-points along `classes_` are chosen.
    costs, priors, at_most, at_least, criterion, sensitivity, specificity
        The objective; by default the fewest errors.
    calibrated
        True to treat the probabilities as calibrated: Bayes' rule for the costs, with the class shares of `y`;
        only the classifier is then fitted.
    rule
        A fixed rule; none is then chosen.
    pos_label
        The positive one of two classes; by default the last of `classes_`, as in scikit-learn.
    cv
        The cross-validation of the predictions on which the rule is chosen: a number of folds or a splitter; or
        "prefit" if `estimator` is fitted already: the rule is then chosen on its predictions for the cases passed
        to `fit`, which should not be those it was fitted to.
    random_state
        Seed of the search for three classes or more.

    Attributes
    ----------
    classes_
        The labels.
    estimator_
        The fitted classifier.
    rule_
        The rule; `rule_.to_json()` can be deployed without scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OperatingPointClassifier(LogisticRegression(max_iter=1000), costs={(2, 1): 20}).fit(X, y)
    >>> int((model.predict(X)[y == 2] == 1).sum())
    0
    """

    def __init__(
        self,
        estimator: Any,
        *,
        costs: Any = None,
        priors: Any = None,
        at_most: Mapping[tuple[Any, Any], float] | None = None,
        at_least: Mapping[Any, float] | None = None,
        criterion: Literal["youden", "closest"] | None = None,
        sensitivity: float | None = None,
        specificity: float | None = None,
        calibrated: bool = False,
        rule: Rule | None = None,
        pos_label: Any = None,
        cv: Any = 5,
        random_state: int | None = 0,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.priors = priors
        self.at_most = at_most
        self.at_least = at_least
        self.criterion = criterion
        self.sensitivity = sensitivity
        self.specificity = specificity
        self.calibrated = calibrated
        self.rule = rule
        self.pos_label = pos_label
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Choose the rule, and fit the classifier.

        Parameters
        ----------
        X, y
            Features and classes of the cases.
        sample_weight
            The weight of each case, for the choice of the rule and for the classifier.
        **fit_params
            Passed to the classifier when it is fitted to all cases.
        """
        _check_parameters(
            cv=self.cv,
            criterion=self.criterion,
            sensitivity=self.sensitivity,
            specificity=self.specificity,
            calibrated=self.calibrated,
            rule=self.rule,
            random_state=self.random_state,
        )
        self._response(self.estimator)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        cross_validate = not _is_prefit(self.cv) and self.rule is None and not self.calibrated
        predictions = self._out_of_fold(X, y, weights) if cross_validate else None
        if _is_prefit(self.cv):
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
        else:
            self.estimator_ = clone(self.estimator).fit(X, y, **weights, **fit_params)
        self.classes_ = self.estimator_.classes_
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        if self.rule is not None:
            self.rule_ = self._checked_rule()
        else:
            if predictions is None:
                predictions = self._predictions(self.estimator_, X)
            self.rule_ = self._chosen_rule(y, predictions, sample_weight)
        return self

    def _out_of_fold(self, X: Any, y: Any, weights: Mapping[str, Any]) -> Any:
        folds = check_cv(self.cv, y, classifier=True)
        method = self._response(self.estimator)
        return cross_val_predict(
            clone(self.estimator), X, y, cv=folds, method=method, params=dict(weights) or None
        )

    def _checked_rule(self) -> Rule:
        if not isinstance(self.rule, Rule) or set(self.rule.labels) != set(self.classes_.tolist()):
            raise InputError(f"rule must be a Rule for the classes {self.classes_.tolist()}, got {self.rule!r}.")
        return self.rule

    def _chosen_rule(self, y: Any, predictions: Any, sample_weight: Any) -> Rule:
        labels = self.classes_.tolist()
        positive = self.pos_label
        if positive is None and len(labels) == 2:
            positive = labels[1]
        if np.ndim(predictions) == 1 and positive == labels[0]:
            predictions = -predictions  # high values of a decision function indicate the last class
        scores = normalise(
            np.asarray(y).tolist(), predictions, labels=labels, pos_label=positive, sample_weight=sample_weight
        )
        objective = read_objective(
            scores,
            costs=self.costs,
            priors=self.priors,
            at_most=self.at_most,
            at_least=self.at_least,
            criterion=self.criterion,
            sensitivity=self.sensitivity,
            specificity=self.specificity,
            calibrated=self.calibrated,
        )
        rng = np.random.default_rng(self.random_state)
        rule, _ = choose_rule(scores, scores.values["classifier"], objective, rng)
        return rule

    @staticmethod
    def _response(estimator: Any) -> str:
        for name in ("predict_proba", "decision_function"):
            if hasattr(estimator, name):
                return name
        raise InputError(
            f"estimator must have predict_proba or decision_function, got {type(estimator).__name__}; calibrate "
            "it."
        )

    def _predictions(self, estimator: Any, X: Any) -> Any:
        return getattr(estimator, self._response(estimator))(X)

    def predict(self, X: Any) -> Any:
        """The decision for each case."""
        values, positions = self._values(X)
        return self.classes_[np.array(positions)[self.rule_.codes(values)]]

    @available_if(lambda self: _has_decision_values(getattr(self, "rule_", self.rule)))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """The values of which the largest decides. Two classes: positive for the last of `classes_`."""
        values, positions = self._values(X)
        if isinstance(self.rule_, ThresholdRule):
            positive = self.rule_.labels.index(self.rule_.positive)
            score = values if values.ndim == 1 else values[:, positive]
            above = np.nan_to_num(score - self.rule_.threshold)
            above[score == self.rule_.threshold] = np.finfo(
                np.float64
            ).tiny  # a score at the threshold is positive
            return above if self.rule_.positive == self.classes_[1] else -above
        assert isinstance(self.rule_, CostRule)
        utility = -self.rule_.risks(values)[:, np.argsort(positions)]
        return utility[:, 1] - utility[:, 0] if utility.shape[1] == 2 else utility

    def _values(self, X: Any) -> tuple[Any, list[int]]:
        """The predictions, columns in the order of the rule's labels, and the positions of these in `classes_`."""
        check_is_fitted(self)
        predictions = np.asarray(self._predictions(self.estimator_, X), dtype=np.float64)
        positions = [self.classes_.tolist().index(label) for label in self.rule_.labels]
        if predictions.ndim == 2:
            return predictions[:, positions], positions
        positive_is_last = getattr(self.rule_, "positive", None) != self.classes_.tolist()[0]
        return (predictions if positive_is_last else -predictions), positions

    def __sklearn_is_fitted__(self) -> bool:
        """True once there is a rule."""
        return hasattr(self, "rule_")

    def __sklearn_tags__(self) -> Any:
        """The tags of the wrapped classifier."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags


def _has_decision_values(rule: Rule | None) -> bool:
    """True if the rule takes the largest of one value per class, or compares one value with a threshold."""
    return rule is None or isinstance(rule, ThresholdRule | CostRule)


def _is_prefit(cv: Any) -> bool:
    return isinstance(cv, str) and cv == "prefit"


@validated
def _check_parameters(
    *,
    cv: Any,
    criterion: Criterion | None,
    sensitivity: Probability | None,
    specificity: Probability | None,
    calibrated: bool,
    rule: Rule | None,
    random_state: Rng,
) -> None:
    """What `fit` is not to find out after hours of fitting; a scikit-learn estimator checks nothing before."""
    del criterion, sensitivity, specificity, calibrated, rule, random_state
    checked_cv(cv, prefit=True)
