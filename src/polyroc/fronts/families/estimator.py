"""A scikit-learn classifier, whose hyper-parameters evolve. The only module of fronts that needs scikit-learn."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from polyroc.errors import InputError, MissingPackageError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr

try:
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
except ImportError as trouble:
    raise MissingPackageError(
        "EstimatorFamily needs scikit-learn, which is not installed; pip install scikit-learn."
    ) from trouble

__all__ = ["EstimatorFamily"]


class EstimatorFamily:
    """Any scikit-learn classifier with `predict_proba`, over ranges of its numeric hyper-parameters.

    Every member is a clone with other hyper-parameters, fitted anew. Training cases are judged by probabilities
    from cross-validation (the same folds for all members), so that a member that merely remembers its cases gains
    nothing by it; other cases are judged by a fit to all training cases. This takes a fit for each fold and
    generation: think of hundreds of generations, not thousands. Coefficients are left as they are fitted; to let
    coefficients evolve, use `LogisticFamily` or write a `Family`.

    Parameters
    ----------
    estimator
        The classifier; it is cloned and left alone. Give it a `random_state` if it has one, so that the same
        seed gives the same front.
    ranges
        {hyper-parameter: (low, high)}, names as `set_params` takes them. Whole numbers stay whole. A range whose
        low end is above 0 is walked in factors (steps on a logarithmic scale), any other in differences.
    scale
        Of the Laplacian steps, as a share of each range.
    folds
        Of the cross-validation.

    >>> from sklearn.linear_model import LogisticRegression
    >>> family = EstimatorFamily(LogisticRegression(), {"C": (0.01, 100.0)}, folds=3)
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]), np.array([0, 1, 0, 1, 0, 1])
    >>> family.start(X, y, np.random.default_rng(0)).tolist()
    [1.0]
    >>> family.posteriors(np.array([10.0]), X).shape
    (6, 2)
    """

    def __init__(
        self, estimator: Any, ranges: Mapping[str, tuple[float, float]], *, scale: float = 0.1, folds: int = 5
    ) -> None:
        if isinstance(estimator, type) or not hasattr(estimator, "predict_proba"):
            raise InputError(f"estimator must be a classifier with predict_proba, got {short_repr(estimator)}.")
        if not isinstance(ranges, Mapping) or not ranges:
            raise InputError(f"ranges must be a mapping such as {{'C': (0.01, 100.0)}}, got {short_repr(ranges)}.")
        if not (isinstance(scale, int | float) and 0 < scale < np.inf):
            raise InputError(f"scale must be a number above 0, got {scale!r}.")
        if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
            raise InputError(f"folds must be a whole number, 2 or more, got {folds!r}.")
        known = estimator.get_params()
        for name, ends in ranges.items():
            if name not in known:
                raise InputError(f"{type(estimator).__name__} has no hyper-parameter {name!r}; see get_params().")
            if not (isinstance(ends, tuple | list) and len(ends) == 2 and -np.inf < ends[0] < ends[1] < np.inf):
                raise InputError(
                    f"The range of {name} must be (low, high) with low < high, got {short_repr(ends)}."
                )
        self.estimator, self.scale, self.folds = estimator, float(scale), folds
        self.ranges = {name: (low, high) for name, (low, high) in ranges.items()}
        self.name = type(estimator).__name__
        self._own: tuple[FloatArray, IntArray] | None = None

    def describe(self) -> dict[str, Any]:
        """The estimator and the ranges."""
        ranges = {name: list(ends) for name, ends in self.ranges.items()}
        return {
            "estimator": repr(self.estimator),
            "ranges": repr(ranges),
            "scale": self.scale,
            "folds": self.folds,
        }

    def keep(self, X: FloatArray, y: IntArray) -> None:
        """The training cases."""
        fewest = int(np.bincount(y).min())
        if fewest < self.folds:
            raise InputError(
                f"{self.folds} folds need as many cases of every class, but one has {fewest}; give folds."
            )
        self._own = X, y

    def start(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """The estimator's own hyper-parameters, drawn into their ranges; the middle of those without a number."""
        self.keep(X, y)
        given = self.estimator.get_params()
        now = [given[name] for name in self.ranges]
        number = [isinstance(value, int | float) and not isinstance(value, bool) for value in now]
        middle = self._from_unit(np.full(len(now), 0.5))
        values = [float(value) if is_one else m for value, is_one, m in zip(now, number, middle, strict=True)]
        return self._from_unit(self._to_unit(np.array(values)))

    def random(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Anywhere in the ranges."""
        return self._from_unit(rng.random(len(self.ranges)))

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """A Laplacian step, thrown back at the ends of the ranges."""
        moved = self._to_unit(parameters) + rng.laplace(0.0, self.scale, len(parameters))
        return self._from_unit(1.0 - np.abs(1.0 - moved % 2.0))

    def posteriors(self, parameters: FloatArray, X: FloatArray) -> FloatArray:
        """Cases x classes: out of fold for the training cases, of a fit to all of these for others."""
        if self._own is None:
            raise InputError("EstimatorFamily has not seen training cases yet; call start first.")
        own, y = self._own
        model = clone(self.estimator).set_params(**self.settings(parameters))
        if X is not own:
            return np.asarray(model.fit(own, y).predict_proba(X))
        folds = StratifiedKFold(self.folds, shuffle=True, random_state=0)
        return np.asarray(cross_val_predict(model, own, y, cv=folds, method="predict_proba"))

    def settings(self, parameters: FloatArray) -> dict[str, float]:
        """Parameters as hyper-parameters by name, such as `set_params` takes."""
        if len(parameters) != len(self.ranges):
            raise InputError(
                f"A member has one parameter for each of {', '.join(self.ranges)}, got {len(parameters)}."
            )
        pairs = zip(self.ranges.items(), parameters.tolist(), strict=True)
        return {name: int(value) if _whole(ends) else value for (name, ends), value in pairs}

    def _to_unit(self, parameters: FloatArray) -> FloatArray:
        low, high = np.array(list(self.ranges.values()), dtype=np.float64).T
        factors = low > 0
        ends = [np.where(factors, np.log(np.where(factors, each, 1.0)), each) for each in (low, high, parameters)]
        return np.asarray(np.clip((ends[2] - ends[0]) / (ends[1] - ends[0]), 0.0, 1.0))

    def _from_unit(self, unit: FloatArray) -> FloatArray:
        low, high = np.array(list(self.ranges.values()), dtype=np.float64).T
        factors = low > 0
        first, last = (np.where(factors, np.log(np.where(factors, each, 1.0)), each) for each in (low, high))
        value = first + unit * (last - first)
        value = np.clip(np.where(factors, np.exp(np.where(factors, value, 0.0)), value), low, high)
        whole = [_whole(ends) for ends in self.ranges.values()]
        return np.asarray(np.where(whole, np.rint(value), value))


def _whole(ends: tuple[float, float]) -> bool:
    return all(isinstance(end, int | np.integer) for end in ends)
