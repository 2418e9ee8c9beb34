"""The learners of Bradley (1997) that no maintained package offers, as scikit-learn classifiers.

C45Tree
    A tree in the manner of Quinlan's C4.5, release 5, with its default parameters.
MultiscaleClassifier
    Lovell & Bradley's Multiscale Classifier (MSC), pruned pessimistically (MSCP) or for minimum error (MSCM).
QuadraticDistances
    The quadratic discriminant function with costs that weight its two distances, as Bradley describes it.
CostSweep
    Any of them at many costs: the share of costs at which a class is predicted is its score.

Written from published descriptions, not from other programs. The tree splits as C4.5 did before release 8: the
threshold with the largest gain ratio, no penalty for the choice of one. Of the MSC, Bradley says little (inputs in
[0, 1], at most ten epochs, the two prunings with their parameters) and the abstract of its own paper that it is a
non-binary tree, learns incrementally, and splits the feature space in half repeatedly. Implemented here: the unit
hypercube is halved along one feature after the other (Bradley mentions hyper-rectangles), only the halves that
cases need become nodes, and a pass adds one node below each case that is still misclassified. This is one
interpretation; see the README of this folder.

References
----------
Bradley, A. P. (1997). Pattern Recognition 30, 1145-1159.
Lovell, B. C. & Bradley, A. P. (1996). The multiscale classifier. IEEE Trans. PAMI 18, 124-137.
Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from repro.bradley.boxes import Boxes
from repro.bradley.pruning import FloatArray, distribution
from repro.bradley.trees import grow, prune, route
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = [
    "BAYES_COSTS",
    "C45_COSTS",
    "MSC_COSTS",
    "C45Tree",
    "CostSweep",
    "MultiscaleClassifier",
    "QuadraticDistances",
]

# Costs of the first class against the second, as in section 4 of the paper; equal costs among them.
_FEW = (0.0, 0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5)
_MANY = (1.25, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0)
C45_COSTS = ((1.0, 1.0), *((few, 1.0) for few in _FEW), *((1.0, few) for few in _FEW))
MSC_COSTS = ((1.0, 1.0), *((many, 1.0) for many in _MANY), *((1.0, many) for many in _MANY))
BAYES_COSTS = tuple((1.0 - step / 14.0, step / 14.0) for step in range(15))
COSTS = {"bayes": BAYES_COSTS, "c4.5": C45_COSTS, "msc": MSC_COSTS}


class _CostedClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers with costs: cases fall into leaves, and costs decide the class of a leaf."""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to cases x features and the class of each case."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._learn(X, np.eye(len(self.classes_))[codes])
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Shares of the classes, weighted by their costs, in the leaf of each case."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._shares(X, self._costs(self.costs))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The predicted class of each case."""
        return self.decide(X, self.costs)

    def decide(self, X: Any, costs: Any) -> npt.NDArray[Any]:
        """The predicted classes at other costs: the model is pruned again, not grown again."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.classes_[np.argmax(self._shares(X, self._costs(costs)), axis=1)]

    def _costs(self, costs: Any) -> FloatArray:
        if costs is None:
            return np.ones(len(self.classes_))
        values = np.asarray(costs, dtype=np.float64)
        if values.shape != (len(self.classes_),) or not np.all(values >= 0.0) or not np.any(values > 0.0):
            raise ValueError(
                f"costs must be {len(self.classes_)} numbers, one per class, none below 0, not all; got {costs!r}"
            )
        return values


class C45Tree(_CostedClassifier):
    """A decision tree by gain ratio, pruned pessimistically.

    Parameters
    ----------
    confidence
        Of the upper limit of a leaf's errors; the smaller, the more is pruned.
    min_cases
        At least two branches of a split have at least this many cases.
    nominal
        Columns whose values have no order: one branch per value.
    costs
        One per class, in the order of the sorted classes; they weight the class distributions when pruning.

    Examples
    --------
    >>> tree = C45Tree().fit([[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]], ["a", "a", "a", "b", "b", "b"])
    >>> tree.predict([[0.0], [4.0], [10.0]]).tolist()
    ['a', 'b', 'b']
    """

    def __init__(
        self, confidence: float = 0.25, min_cases: int = 2, nominal: tuple[int, ...] = (), costs: Any = None
    ) -> None:
        self.confidence = confidence
        self.min_cases = min_cases
        self.nominal = nominal
        self.costs = costs

    def _learn(self, X: FloatArray, is_class: FloatArray) -> None:
        self.cases_, self.is_class_ = X, is_class
        self.tree_ = grow(X, is_class, self.min_cases, frozenset(self.nominal))

    def _shares(self, X: FloatArray, costs: FloatArray) -> FloatArray:
        pruned = prune(self.tree_, self.cases_, self.is_class_, costs, self.confidence)
        return distribution(route(pruned, X), costs)


class MultiscaleClassifier(_CostedClassifier):
    """The unit hypercube halved where cases need it, along every feature: a tree that is not binary.

    Features are scaled to [0, 1] by the smallest and largest training value; values outside are clipped.

    Parameters
    ----------
    pruning
        "pessimistic" (MSCP), "minimum_error" (MSCM) or None.
    halving
        "together": along every feature at once, as the abstract suggests; "in turn": along one feature
        after the other.
    confidence
        Of the upper limit of a node's errors, for pessimistic pruning.
    m
        Weight of the priors, in cases, for minimum-error pruning.
    epochs
        Maximal number of passes over the cases; fewer if all are classified correctly.
    costs
        One per class, in the order of the sorted classes; they weight the class distributions when pruning.

    Examples
    --------
    >>> msc = MultiscaleClassifier(pruning=None).fit([[0.0], [0.1], [0.6], [0.9]], ["a", "a", "b", "b"])
    >>> msc.predict([[0.2], [0.55]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        pruning: str | None = "pessimistic",
        halving: str = "together",
        confidence: float = 0.01,
        m: float = 8.0,
        epochs: int = 10,
        costs: Any = None,
    ) -> None:
        self.pruning = pruning
        self.halving = halving
        self.confidence = confidence
        self.m = m
        self.epochs = epochs
        self.costs = costs

    def _learn(self, X: FloatArray, is_class: FloatArray) -> None:
        if self.pruning not in ("pessimistic", "minimum_error", None):
            raise ValueError(f"pruning must be 'pessimistic', 'minimum_error' or None; got {self.pruning!r}")
        if self.halving not in ("together", "in turn"):
            raise ValueError(f"halving must be 'together' or 'in turn'; got {self.halving!r}")
        self.low_, high = X.min(axis=0), X.max(axis=0)
        self.span_ = np.where(high > self.low_, high - self.low_, 1.0)
        step = X.shape[1] if self.halving == "together" else 1
        self.boxes_ = Boxes.trained(self._scaled(X), is_class, self.epochs, step)

    def _shares(self, X: FloatArray, costs: FloatArray) -> FloatArray:
        if self.pruning == "pessimistic":
            boxes = self.boxes_.pessimistic(costs, self.confidence)
        elif self.pruning == "minimum_error":
            boxes = self.boxes_.minimum_error(costs, self.m)
        else:
            boxes = self.boxes_
        return distribution(boxes.counts_at(self._scaled(X)), costs)

    def _scaled(self, X: FloatArray) -> FloatArray:
        return np.clip((X - self.low_) / self.span_, 0.0, 1.0)


class QuadraticDistances(_CostedClassifier):
    """The quadratic discriminant function; costs weight its distances, and the smaller weighted one decides.

    The distance of a case from class j is -ln P(j) + ln|C_j| / 2 + (x - m_j)' C_j^-1 (x - m_j) / 2 (equation 13,
    with the sign of a distance). It can be negative, and is for most cases if features lie in [0, 1], so costs do
    not act on it as they do on posterior probabilities: of Bradley's fifteen few change a decision.

    Parameters
    ----------
    reg_param
        Share of the unit matrix in each covariance, as in scikit-learn's rule.
    costs
        One per class, in the order of the sorted classes.

    Examples
    --------
    >>> rule = QuadraticDistances().fit([[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]], ["a", "a", "a", "b", "b", "b"])
    >>> rule.predict([[0.1], [0.7]]).tolist()
    ['a', 'b']
    """

    def __init__(self, reg_param: float = 1e-3, costs: Any = None) -> None:
        self.reg_param = reg_param
        self.costs = costs

    def _learn(self, X: FloatArray, is_class: FloatArray) -> None:
        rule = QuadraticDiscriminantAnalysis(reg_param=self.reg_param).fit(X, np.argmax(is_class, axis=1))
        self.parts_ = list(zip(rule.priors_, rule.means_, rule.rotations_, rule.scalings_, strict=True))

    def distances(self, X: FloatArray) -> FloatArray:
        """Cases x classes: minus the decision function of equation 13."""
        return np.column_stack(
            [
                0.5 * (((X - mean) @ rotation) ** 2 / scale).sum(axis=1)
                + 0.5 * np.log(scale).sum()
                - np.log(prior)
                for prior, mean, rotation, scale in self.parts_
            ]
        )

    def _shares(self, X: FloatArray, costs: FloatArray) -> FloatArray:
        weighted = costs * self.distances(X)
        near = np.exp(weighted.min(axis=1, keepdims=True) - weighted)
        shares: FloatArray = near / near.sum(axis=1, keepdims=True)
        return shares


class CostSweep(ClassifierMixin, BaseEstimator):
    """A two-class classifier at many costs: the share of the costs at which a class is predicted is its score.

    The trapezoids below Bradley's ROC points are the AUC of this score as far as the decisions are nested: a case
    predicted positive at some cost is predicted positive at every cost that favours this class more.

    Parameters
    ----------
    estimator
        A `C45Tree`, a `MultiscaleClassifier` or `QuadraticDistances`.
    costs
        Pairs of costs, the first and the second of the sorted classes, or "c4.5", "msc" or "bayes" for those of
        the paper; `predict` decides at equal costs.
    """

    def __init__(self, estimator: Any = None, costs: Any = "c4.5") -> None:
        self.estimator = estimator
        self.costs = costs

    def fit(self, X: Any, y: Any) -> Self:
        """Fit once; costs only prune."""
        self.estimator_ = clone(C45Tree() if self.estimator is None else self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        if len(self.classes_) != 2:
            raise ValueError(f"Only binary classification is supported, got {len(self.classes_)} classes.")
        self.n_features_in_ = self.estimator_.n_features_in_
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class that each case is given at equal costs."""
        check_is_fitted(self)
        return self.estimator_.decide(X, (1.0, 1.0))

    def predict_proba(self, X: Any) -> FloatArray:
        """The share of the costs at which each class is predicted."""
        check_is_fitted(self)
        pairs = COSTS[self.costs] if isinstance(self.costs, str) else self.costs
        second = np.mean([self.estimator_.decide(X, costs) == self.classes_[1] for costs in pairs], axis=0)
        return np.column_stack((1.0 - second, second))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
