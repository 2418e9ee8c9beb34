"""A scikit-learn classifier that decides by a rule. The only module here that needs scikit-learn."""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from polyroc.decisions.criteria import choose_rule, read_aim
from polyroc.errors import InputError, MissingPackageError
from polyroc.rules import CostRule, MossmanRule, Rule, ThresholdRule
from polyroc.validation.scores import normalise

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
    from sklearn.model_selection import check_cv, cross_val_predict
    from sklearn.utils import column_or_1d, get_tags
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
except ImportError as trouble:
    raise MissingPackageError(
        "OperatingPointClassifier needs scikit-learn, which is not installed; pip install scikit-learn."
    ) from trouble

__all__ = ["OperatingPointClassifier"]


class OperatingPointClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Wraps a classifier and decides by the rule that is best at what you ask for.

    The rule is chosen on predictions for cases that the classifier did not see (cross-validation), then the
    classifier is fitted to all cases. The options mean what they mean for `polyroc.operate`. Decisions differ from
    the largest probability, so there is no `predict_proba`; ask `estimator_` for it.

    Parameters
    ----------
    estimator
        A classifier with `predict_proba`, or, for two classes, `decision_function`.
    costs, priors, at_most, criterion, sensitivity, specificity
        What to aim at; by default the fewest errors.
    calibrated
        True to believe the probabilities: Bayes' rule for the costs, for classes as frequent as in `y`; nothing is
        then fitted but the classifier.
    rule
        A rule to apply as it is; nothing is then chosen.
    pos_label
        The positive one of two classes; by default the last of `classes_`, as everywhere in scikit-learn.
    cv
        How the predictions are made on which the rule is chosen: a number of folds or a splitter; or "prefit" if
        `estimator` is fitted already: the rule is then chosen on its predictions for the cases given to `fit`,
        which should not be those it was fitted to.
    random_state
        Seed of the search for three classes or more.

    Attributes
    ----------
    classes_
        The labels.
    estimator_
        The classifier, fitted.
    rule_
        The rule; `rule_.to_json()` is what can be deployed without scikit-learn.

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
            Cases and their classes.
        sample_weight
            How much each case counts, for the choice of the rule and for the classifier.
        **fit_params
            Passed on to the classifier when it is fitted to all cases.
        """
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        apart = self.cv != "prefit" and self.rule is None and not self.calibrated
        said = self._out_of_fold(X, y, weights) if apart else None
        if self.cv == "prefit":
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
            said = self._said(self.estimator_, X) if said is None else said
            self.rule_ = self._chosen(y, said, sample_weight)
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

    def _chosen(self, y: Any, said: Any, sample_weight: Any) -> Rule:
        labels = self.classes_.tolist()
        positive = self.pos_label
        if positive is None and len(labels) == 2:
            positive = labels[1]
        if np.ndim(said) == 1 and positive == labels[0]:
            said = -said  # a decision function indicates the last class
        scores = normalise(
            np.asarray(y).tolist(), said, labels=labels, pos_label=positive, sample_weight=sample_weight
        )
        aim = read_aim(
            scores,
            costs=self.costs,
            priors=self.priors,
            at_most=self.at_most,
            criterion=self.criterion,
            sensitivity=self.sensitivity,
            specificity=self.specificity,
            calibrated=self.calibrated,
        )
        rng = np.random.default_rng(self.random_state)
        rule, _ = choose_rule(scores, scores.values["classifier"], aim, rng)
        return rule

    @staticmethod
    def _response(estimator: Any) -> str:
        for name in ("predict_proba", "decision_function"):
            if hasattr(estimator, name):
                return name
        raise InputError(
            f"{type(estimator).__name__} has neither predict_proba nor decision_function; calibrate it."
        )

    def _said(self, estimator: Any, X: Any) -> Any:
        return getattr(estimator, self._response(estimator))(X)

    def predict(self, X: Any) -> Any:
        """The class decided for, for each case."""
        values, places = self._values(X)
        return self.classes_[np.array(places)[self.rule_.codes(values)]]

    @available_if(lambda self: not isinstance(getattr(self, "rule_", self.rule), MossmanRule))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """What the rule compares: the largest decides. Two classes: positive for the last of `classes_`."""
        values, places = self._values(X)
        if isinstance(self.rule_, ThresholdRule):
            positive = self.rule_.labels.index(self.rule_.positive)
            score = values if values.ndim == 1 else values[:, positive]
            above = np.nan_to_num(score - self.rule_.threshold)
            above[score == self.rule_.threshold] = np.finfo(np.float64).tiny  # a tie is called positive
            return above if self.rule_.positive == self.classes_[1] else -above
        assert isinstance(self.rule_, CostRule)
        worth = -self.rule_.risks(values)[:, np.argsort(places)]
        return worth[:, 1] - worth[:, 0] if worth.shape[1] == 2 else worth

    def _values(self, X: Any) -> tuple[Any, list[int]]:
        """What the classifier says, as the rule takes it, and where the rule's labels are in `classes_`."""
        check_is_fitted(self)
        said = np.asarray(self._said(self.estimator_, X), dtype=np.float64)
        places = [self.classes_.tolist().index(label) for label in self.rule_.labels]
        if said.ndim == 2:
            return said[:, places], places
        speaks_for_last = getattr(self.rule_, "positive", None) != self.classes_.tolist()[0]
        return (said if speaks_for_last else -said), places

    def __sklearn_is_fitted__(self) -> bool:
        """Fitted once there is a rule."""
        return hasattr(self, "rule_")

    def __sklearn_tags__(self) -> Any:
        """Those of the classifier inside."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags
