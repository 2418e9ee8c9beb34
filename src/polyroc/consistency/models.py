"""Simulation models of the outputs of two classifiers for the same cases.

A model is a record with `sizes` (cases of each class) and `draw(rng, pairs)`, which draws outputs of both
classifiers. Any object with these can be a model.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from polyroc.consistency.enumeration import checked_cuts, checked_sizes
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.outputs import ClassifierOutputs
from polyroc.scores import Scores
from polyroc.validation.scores import as_scores, one_sample
from polyroc.validation.signatures import PositiveInt, validate_fields, validated

__all__ = ["DirichletModel", "GaussianModel", "RankedLists", "ResampledModel", "SimulationModel"]

Cut = int | Sequence[int] | None


@runtime_checkable
class SimulationModel(Protocol):
    """A distribution of pairs of outputs: any object with `sizes` and `draw`."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cases of each class."""
        ...

    def draw(self, rng: np.random.Generator, pairs: int) -> tuple[ClassifierOutputs, ClassifierOutputs]:
        """Draw so many outputs of one classifier and, pair by pair, of another."""
        ...


@dataclass(frozen=True, slots=True)
class RankedLists:
    """Ranked lists, all equally likely: uninformative classifiers, as in Ling, Huang & Zhang (2003).

    Attributes
    ----------
    sizes
        Cases of each class, in the order of the classes; the last is the positive one of two.
    cut
        For two classes: how many at the top of a list are called positive. For any number: how many are called
        each class, from the lowest scores to the highest. By default as many as the class has.
    levels
        None: no ties. A number: each case has one of so many ratings, all equally likely.

    >>> RankedLists((5, 15), cut=10)
    RankedLists(sizes=(5, 15), cut=10, levels=None)
    """

    sizes: tuple[int, ...]
    cut: Cut = None
    levels: PositiveInt | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", checked_sizes(self.sizes))
        validate_fields(self)
        checked_cuts(self.cut, self.sizes)

    def draw(self, rng: np.random.Generator, pairs: int) -> tuple[ClassifierOutputs, ClassifierOutputs]:
        """Draw random lists."""
        shape, cuts = (2, pairs, sum(self.sizes)), checked_cuts(self.cut, self.sizes)
        drawn = rng.random(shape) if self.levels is None else rng.integers(self.levels, size=shape) * 1.0
        return ClassifierOutputs(drawn[0], self.sizes, cuts), ClassifierOutputs(drawn[1], self.sizes, cuts)


@dataclass(frozen=True, slots=True)
class GaussianModel:
    """Normal scores of two classifiers, whose noise may be correlated.

    "columns": one column per class, s_i = separation [i is the true class] + N(0, 1), turned into probabilities by
    p_i = exp(s_i) / sum of exp(s). "score": one score that rises along the classes, k separation + N(0, 1) for
    class k = 0, 1, ...

    Attributes
    ----------
    sizes
        Cases of each class.
    separation, rival
        The separation of the first classifier, and that of the second; the same by default.
    correlation
        The correlation between the noise of the two classifiers, case by case.
    form
        "columns" or "score".
    cut
        For "score": as in `RankedLists`.

    >>> GaussianModel((20, 20, 20), separation=1.0, rival=1.5)
    GaussianModel(sizes=(20, 20, 20), separation=1.0, rival=1.5, correlation=0.0, form='columns', cut=None)
    """

    sizes: tuple[int, ...]
    separation: float = 1.0
    rival: float | None = None
    correlation: float = 0.0
    form: Literal["columns", "score"] = "columns"
    cut: Cut = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", checked_sizes(self.sizes))
        validate_fields(self)
        _require_number("separation", self.separation)
        _require_number("rival", self.separation if self.rival is None else self.rival)
        _require_number("correlation", self.correlation, -1.0, 1.0)
        if self.form == "columns" and self.cut is not None:
            raise InputError("cut is valid for form='score' only; with columns the largest decides.")
        checked_cuts(self.cut, self.sizes)

    def draw(self, rng: np.random.Generator, pairs: int) -> tuple[ClassifierOutputs, ClassifierOutputs]:
        """Draw random scores."""
        classes = np.repeat(np.arange(len(self.sizes)), self.sizes)
        mean = (
            classes * 1.0 if self.form == "score" else np.eye(len(self.sizes))[classes]
        )  # per unit of separation
        first, second = rng.standard_normal((2, pairs, *mean.shape))
        second = self.correlation * first + np.sqrt(1.0 - self.correlation**2) * second
        rival = self.separation if self.rival is None else self.rival
        return self._outputs(self.separation * mean + first), self._outputs(rival * mean + second)

    def _outputs(self, values: FloatArray) -> ClassifierOutputs:
        if self.form == "score":
            return ClassifierOutputs(values, self.sizes, checked_cuts(self.cut, self.sizes))
        odds = np.exp(values - values.max(axis=2, keepdims=True))
        return ClassifierOutputs(odds / odds.sum(axis=2, keepdims=True), self.sizes)


@dataclass(frozen=True, slots=True)
class DirichletModel:
    """Predicted probabilities: each case has true probabilities t, which each classifier estimates with noise.

    Over all cases t is Dirichlet(clarity, ..., clarity) and the class is drawn from t, so for a case of class k it
    is Dirichlet(clarity + [i = k]). The predictions p of a classifier are Dirichlet(precision t): t on average,
    with a variance of t_i (1 - t_i) / (precision + 1). Both classifiers have the same t, so their errors are
    correlated.

    Attributes
    ----------
    sizes
        Cases of each class.
    precision, rival
        The precision of the first classifier, and that of the second; the same by default.
    clarity
        Concentration of the true probabilities. Small: near 0 and 1. Large: nearly equal, so that classes can
        hardly be distinguished.

    >>> DirichletModel((20, 20, 20), precision=5.0)
    DirichletModel(sizes=(20, 20, 20), precision=5.0, rival=None, clarity=1.0)
    """

    sizes: tuple[int, ...]
    precision: float = 10.0
    rival: float | None = None
    clarity: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", checked_sizes(self.sizes))
        validate_fields(self)
        for name in ("precision", "rival", "clarity"):
            if getattr(self, name) is not None:
                _require_number(name, getattr(self, name), 1e-3)

    def draw(self, rng: np.random.Generator, pairs: int) -> tuple[ClassifierOutputs, ClassifierOutputs]:
        """Draw true probabilities, and the predictions of two classifiers for each."""
        own = np.repeat(np.eye(len(self.sizes)), self.sizes, axis=0)
        truth = _dirichlet(rng, np.broadcast_to(self.clarity + own, (pairs, *own.shape)))
        rival = self.precision if self.rival is None else self.rival
        first, second = _dirichlet(rng, self.precision * truth), _dirichlet(rng, rival * truth)
        return ClassifierOutputs(first, self.sizes), ClassifierOutputs(second, self.sizes)


def _dirichlet(rng: np.random.Generator, alpha: FloatArray) -> FloatArray:
    """Gamma variables divided by their sum; if all underflow to 0, the class of the largest parameter has 1."""
    gamma = rng.standard_gamma(alpha)
    total = gamma.sum(axis=-1, keepdims=True)
    largest = alpha == alpha.max(axis=-1, keepdims=True)
    shares: FloatArray = np.where(total > 0, gamma / np.where(total > 0, total, 1.0), largest)
    return shares


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ResampledModel:
    """Resampled predictions of two of the user's classifiers.

    Cases are drawn with replacement within each class, in proportion to their weights if they have any; both
    classifiers have the same cases.

    Parameters
    ----------
    y_true, y_score
        True classes and a dict of scores by classifier, or `Scores` of several classifiers.
    classifiers
        Two of them; may be omitted if there are only two.
    sizes
        Cases of each class in a resampled test set; by default as many as there are.
    cut
        For one score per case: as in `RankedLists`.
    labels, pos_label
        As in `evaluate`.
    """

    scores: Scores
    classifiers: tuple[str, str]
    sizes: tuple[int, ...]
    cut: Cut = field(default=None)

    @validated
    def __init__(
        self,
        y_true: Any,
        y_score: Any = None,
        *,
        classifiers: tuple[str, str] | None = None,
        sizes: Sequence[int] | None = None,
        cut: Cut = None,
        labels: Sequence[Hashable] | None = None,
        pos_label: Hashable = None,
    ) -> None:
        scores = one_sample(as_scores(y_true, y_score, labels=labels, pos_label=pos_label), "ResampledModel")
        if scores.groups is not None:
            raise InputError(
                "ResampledModel does not resample groups; leave them out, or use order_stability, which does."
            )
        counts = checked_sizes(scores.counts.tolist() if sizes is None else sizes)
        if len(counts) != scores.n_classes:
            raise InputError(f"sizes must be {scores.n_classes} numbers, one for each class, got {sizes!r}.")
        if scores.kind == "score":
            scores, counts = _rising(scores, counts)
        elif cut is not None:
            raise InputError("cut is valid for one score per case only; with columns the largest decides.")
        checked_cuts(cut, counts)
        fields = {"scores": scores, "classifiers": _two(classifiers, scores), "sizes": counts, "cut": cut}
        for name, value in fields.items():  # the dataclass is frozen
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"ResampledModel({' and '.join(self.classifiers)}, sizes={self.sizes})"

    def draw(self, rng: np.random.Generator, pairs: int) -> tuple[ClassifierOutputs, ClassifierOutputs]:
        """Draw test sets from the cases."""
        cases = np.concatenate([self._cases(rng, k, pairs) for k in range(len(self.sizes))], axis=1)
        first, second = (self._outputs(self.scores.values[name][cases]) for name in self.classifiers)
        return first, second

    def _cases(self, rng: np.random.Generator, k: int, pairs: int) -> Any:
        cases, weight = np.flatnonzero(self.scores.codes == k), self.scores.sample_weight
        share = None if weight is None else weight[cases] / weight[cases].sum()
        return rng.choice(cases, (pairs, self.sizes[k]), p=share)

    def _outputs(self, values: FloatArray) -> ClassifierOutputs:
        scores = self.scores
        cuts = checked_cuts(self.cut, self.sizes) if scores.kind == "score" else None
        return ClassifierOutputs(
            values, self.sizes, cuts, scores.labels, scores.kind, scores.positive, scores.ordered
        )


def _rising(scores: Scores, sizes: tuple[int, ...]) -> tuple[Scores, tuple[int, ...]]:
    """Scores with the classes in the order along which the score rises, as cuts need it."""
    if scores.n_classes == 2 and scores.positive == 0:
        return scores._replace(codes=1 - scores.codes, labels=scores.labels[::-1], positive=1), sizes[::-1]
    if scores.positive is None and not scores.ordered:
        option = "pos_label" if scores.n_classes == 2 else "labels=[...]"
        raise InputError(f"With one score per case the order of the classes must be known; give {option}.")
    return scores, sizes


def _two(classifiers: tuple[str, str] | None, scores: Scores) -> tuple[str, str]:
    chosen = scores.classifiers if classifiers is None else tuple(classifiers)
    if len(chosen) != 2 or not set(chosen) <= set(scores.classifiers):
        known = ", ".join(map(repr, scores.classifiers))
        raise InputError(f"Expected two classifiers, classifiers=(one, other); there are {known}.")
    return chosen[0], chosen[1]


def _require_number(name: str, value: object, low: float = -np.inf, high: float = np.inf) -> None:
    if isinstance(value, int | float | np.number) and isfinite(value) and low <= value <= high:
        return
    limits = (
        "a finite number"
        if np.isinf(low)
        else f"a number from {low:g}" + ("" if np.isinf(high) else f" to {high:g}")
    )
    raise InputError(f"{name} must be {limits}, got {value!r}.")
