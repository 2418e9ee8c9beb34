"""A scikit-learn classifier as a family: its hyper-parameters evolve.

This is the only module of `fronts` that needs scikit-learn.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from typing import Annotated, Any

import numpy as np

from polyroc.errors import InputError, MissingPackageError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr
from polyroc.validation.signatures import expected, validated

try:
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
except ImportError as error:
    raise MissingPackageError(
        "EstimatorFamily needs scikit-learn, which is not installed; pip install scikit-learn."
    ) from error

__all__ = ["EstimatorFamily"]

Ranges = Annotated[Mapping[str, Any], expected("a mapping of names to (low, high)")]


class EstimatorFamily:
    """Any scikit-learn classifier with `predict_proba`, over ranges of its numeric hyper-parameters.

    Every member is a clone with other hyper-parameters, fitted anew. The probabilities of training cases come from
    cross-validation (the same folds for all members), so that overfitting is not rewarded; those of other cases
    come from a fit to all training cases. Each generation takes one fit per fold: plan for hundreds of
    generations, not thousands. Only hyper-parameters evolve; for coefficients that evolve, use `LogisticFamily` or
    write a `Family`.

    Parameters
    ----------
    estimator
        The classifier; it is cloned, not modified. Give it a `random_state` if it has one, so that the same
        seed gives the same front.
    ranges
        {hyper-parameter: (low, high)}, names as `set_params` takes them. A range of two integers gives integers.
        Steps are on a logarithmic scale if the low end of the range is above 0, else on a linear one.
    scale
        Scale of the Laplacian steps, as a share of each range.
    folds
        Number of folds of the cross-validation.

    >>> from sklearn.linear_model import LogisticRegression
    >>> family = EstimatorFamily(LogisticRegression(), {"C": (0.01, 100.0)}, folds=3)
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]), np.array([0, 1, 0, 1, 0, 1])
    >>> family.start(X, y, np.random.default_rng(0)).tolist()
    [1.0]
    >>> family.posteriors(np.array([10.0]), X).shape
    (6, 2)
    """

    @validated
    def __init__(self, estimator: Any, ranges: Ranges, *, scale: float = 0.1, folds: int = 5) -> None:
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
                raise InputError(
                    f"ranges: {type(estimator).__name__} has no hyper-parameter {name!r} (get_params())."
                )
            if not _is_range(ends):
                raise InputError(
                    f"ranges: that of {name!r} must be two numbers (low, high) with low < high, got "
                    f"{short_repr(ends)}."
                )
        self.estimator, self.scale, self.folds = estimator, float(scale), folds
        self.ranges = {name: (low, high) for name, (low, high) in ranges.items()}
        self.name = type(estimator).__name__
        self._training: tuple[FloatArray, IntArray] | None = None

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
        """Store the training cases."""
        smallest = int(np.bincount(y).min())
        if smallest < self.folds:
            raise InputError(
                f"{self.folds} folds need as many cases of every class, but one has {smallest}; give folds."
            )
        self._training = X, y

    def start(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """The estimator's hyper-parameters, clipped to their ranges; the middle of a range if it has no number."""
        self.keep(X, y)
        parameters = self.estimator.get_params()
        middle = self._from_unit(np.full(len(self.ranges), 0.5))
        for i, name in enumerate(self.ranges):
            value = parameters[name]
            if isinstance(value, int | float) and not isinstance(value, bool):
                middle[i] = float(value)
        return self._from_unit(self._to_unit(middle))

    def random(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Uniform in the ranges."""
        return self._from_unit(rng.random(len(self.ranges)))

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Add Laplacian noise, reflected at the ends of the ranges."""
        unit = self._to_unit(parameters) + rng.laplace(0.0, self.scale, len(parameters))
        return self._from_unit(1.0 - np.abs(1.0 - unit % 2.0))  # a triangle wave: reflects at 0 and at 1

    def posteriors(self, parameters: FloatArray, X: FloatArray) -> FloatArray:
        """Cases x classes: out-of-fold for the training cases, from a fit to all of these for others."""
        training, y = self._cases()
        if X is not training:
            return np.asarray(self.fitted(parameters).predict_proba(X))
        model = self._member(parameters)
        folds = StratifiedKFold(self.folds, shuffle=True, random_state=0)
        with self._errors_of(parameters):
            return np.asarray(cross_val_predict(model, training, y, cv=folds, method="predict_proba"))

    def fitted(self, parameters: FloatArray) -> Any:
        """The classifier with these hyper-parameters, fitted to all training cases; its classes are 0 to Q - 1."""
        cases = self._cases()
        with self._errors_of(parameters):
            return self._member(parameters).fit(*cases)

    def _cases(self) -> tuple[FloatArray, IntArray]:
        """The training cases."""
        if self._training is None:
            raise InputError(
                "EstimatorFamily has no training cases; give the family that was searched, or call "
                "keep(X, y) first, with the classes as numbers from 0 on, in the order of the front."
            )
        return self._training

    def _member(self, parameters: FloatArray) -> Any:
        return clone(self.estimator).set_params(**self.settings(parameters))

    @contextmanager
    def _errors_of(self, parameters: FloatArray) -> Iterator[None]:
        """Errors of the classifier name the hyper-parameters, which are within the ranges but may be invalid."""
        try:
            yield
        except (ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError) as error:
            values = ", ".join(f"{name}={value:.6g}" for name, value in self.settings(parameters).items())
            reason = " ".join(str(error).split())
            raise InputError(
                f"{self.name} cannot be fitted with {values} ({reason[:200]}); narrow the ranges to valid values."
            ) from error

    def settings(self, parameters: FloatArray) -> dict[str, float]:
        """Parameters as hyper-parameters by name, as `set_params` takes them."""
        if len(parameters) != len(self.ranges):
            raise InputError(
                f"A member has one parameter for each of {', '.join(self.ranges)}, got {len(parameters)}."
            )
        pairs = zip(self.ranges.items(), parameters.tolist(), strict=True)
        return {name: int(value) if _is_integer(ends) else value for (name, ends), value in pairs}

    def _to_unit(self, parameters: FloatArray) -> FloatArray:
        """Parameters as positions in their ranges, from 0 to 1."""
        low, high, value = (self._on_scale(numbers) for numbers in (*self._ends(), parameters))
        return np.asarray(np.clip((value - low) / (high - low), 0.0, 1.0))

    def _from_unit(self, unit: FloatArray) -> FloatArray:
        """Positions in the ranges as parameters."""
        low, high = self._ends()
        first, last = self._on_scale(low), self._on_scale(high)
        scaled = first + unit * (last - first)
        # exp only where the scale is logarithmic: elsewhere it could overflow
        value = np.clip(np.where(low > 0, np.exp(np.where(low > 0, scaled, 0.0)), scaled), low, high)
        integer = [_is_integer(ends) for ends in self.ranges.values()]
        return np.asarray(np.where(integer, np.rint(value), value))

    def _ends(self) -> tuple[FloatArray, FloatArray]:
        low, high = np.array(list(self.ranges.values()), dtype=np.float64).T
        return low, high

    def _on_scale(self, values: FloatArray) -> FloatArray:
        """Logarithms where the range lies above 0."""
        logarithmic = self._ends()[0] > 0
        return np.where(logarithmic, np.log(np.where(logarithmic, values, 1.0)), values)


def _is_range(ends: Any) -> bool:
    """Whether these are two finite numbers, the lower one first."""
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        return False
    numbers = all(isinstance(end, Real) and not isinstance(end, bool | np.bool_) for end in ends)
    return numbers and bool(-np.inf < ends[0] < ends[1] < np.inf)


def _is_integer(ends: tuple[float, float]) -> bool:
    return all(isinstance(end, int | np.integer) for end in ends)
