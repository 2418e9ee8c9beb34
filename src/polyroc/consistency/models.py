"""Simulation models: where the outputs of two classifiers for the same cases come from.

A model is a small record with `sizes` (cases of each class) and `draw(rng, pairs)`, which gives the outputs of
both classifiers, as many times as asked. Anything that has these can be a model.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from polyroc.consistency.enumeration import checked_cuts, checked_sizes
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.outputs import Outputs
from polyroc.scores import Scores
from polyroc.validation.scores import as_scores

__all__ = ["DirichletModel", "GaussianModel", "RankedLists", "ResampledModel", "SimulationModel"]

Cut = int | Sequence[int] | None


@runtime_checkable
class SimulationModel(Protocol):
    """Where pairs of outputs come from."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cases of each class."""
        ...

    def draw(self, rng: np.random.Generator, pairs: int) -> tuple[Outputs, Outputs]:
        """So many outputs of one classifier and, pair by pair, of another."""
        ...


@dataclass(frozen=True, slots=True)
class RankedLists:
    """Ranked lists, all equally likely: classifiers that know nothing, as in Ling, Huang & Zhang (2003).

    Attributes
    ----------
    sizes
        Cases of each class, in the order of the classes; the last is the positive one of two.
    cut
        For two classes: how many at the top of a list are called positive. For any number: how many are called
        each class, from the lowest scores to the highest. By default as many as there are.
    levels
        None: no ties. A number: each case gets one of so many ratings, all equally likely.

    >>> RankedLists((5, 15), cut=10)
    RankedLists(sizes=(5, 15), cut=10, levels=None)
    """

    sizes: tuple[int, ...]
    cut: Cut = None
    levels: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", checked_sizes(self.sizes))
        checked_cuts(self.cut, self.sizes)
        if self.levels is not None and not (isinstance(self.levels, int) and self.levels >= 1):
            raise InputError(
                f"levels must be a whole number of ratings, or None for no ties, got {self.levels!r}."
            )

    def draw(self, rng: np.random.Generator, pairs: int) -> tuple[Outputs, Outputs]:
        """Random lists."""
        shape, cuts = (2, pairs, sum(self.sizes)), checked_cuts(self.cut, self.sizes)
        drawn = rng.random(shape) if self.levels is None else rng.integers(self.levels, size=shape) * 1.0
        return Outputs(drawn[0], self.sizes, cuts), Outputs(drawn[1], self.sizes, cuts)


@dataclass(frozen=True, slots=True)
class GaussianModel:
    """Normal scores: the further the classes are apart, the better the classifier.

    "columns": one column per class, s_i = separation [i is the true class] + N(0, 1), turned into probabilities by
    p_i = exp(s_i) / sum of exp(s). "score": one score that rises along the classes, k separation + N(0, 1) for
    class k = 0, 1, ...

    Attributes
    ----------
    sizes
        Cases of each class.
    separation, rival
        Of the first classifier, and of the second; the same by default.
    correlation
        Of the noise of the two classifiers, case by case.
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
        _require_number("separation", self.separation)
        _require_number("rival", self.separation if self.rival is None else self.rival)
        _require_number("correlation", self.correlation, -1.0, 1.0)
        if self.form not in ("columns", "score"):
            raise InputError(f"form must be 'columns' or 'score', got {self.form!r}.")
        if self.form == "columns" and self.cut is not None:
            raise InputError("cut is for form='score'; of columns the largest decides.")
        checked_cuts(self.cut, self.sizes)

    def draw(self, rng: np.random.Generator, pairs: int) -> tuple[Outputs, Outputs]:
        """Random scores."""
        classes = np.repeat(np.arange(len(self.sizes)), self.sizes)
        place = classes * 1.0 if self.form == "score" else np.eye(len(self.sizes))[classes]
        one, two = rng.standard_normal((2, pairs, *place.shape))
        two = self.correlation * one + np.sqrt(1.0 - self.correlation**2) * two
        rival = self.separation if self.rival is None else self.rival
        return self._outputs(self.separation * place + one), self._outputs(rival * place + two)

    def _outputs(self, values: FloatArray) -> Outputs:
        if self.form == "score":
            return Outputs(values, self.sizes, checked_cuts(self.cut, self.sizes))
        odds = np.exp(values - values.max(axis=2, keepdims=True))
        return Outputs(odds / odds.sum(axis=2, keepdims=True), self.sizes)


@dataclass(frozen=True, slots=True)
class DirichletModel:
    """Probabilities around a truth: each case has true probabilities t, and each classifier sees them with noise.

    Over all cases t is Dirichlet(clarity, ..., clarity) and the class is drawn from t, so for a case of class k it
    is Dirichlet(clarity + [i = k]). The classifiers say p, Dirichlet(precision t): t on average, with a variance
    of t_i (1 - t_i) / (precision + 1). Both see the same t, so they err alike.

    Attributes
    ----------
    sizes
        Cases of each class.
    precision, rival
        Of the first classifier, and of the second; the same by default.
    clarity
        Small: true probabilities near 0 and 1. Large: hardly more than guessing can be done.

    >>> DirichletModel((20, 20, 20), precision=5.0)
    DirichletModel(sizes=(20, 20, 20), precision=5.0, rival=None, clarity=1.0)
    """

    sizes: tuple[int, ...]
    precision: float = 10.0
    rival: float | None = None
    clarity: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", checked_sizes(self.sizes))
        for name in ("precision", "rival", "clarity"):
            if getattr(self, name) is not None:
                _require_number(name, getattr(self, name), 1e-3)

    def draw(self, rng: np.random.Generator, pairs: int) -> tuple[Outputs, Outputs]:
        """Random truths, and what two classifiers make of each."""
        own = np.repeat(np.eye(len(self.sizes)), self.sizes, axis=0)
        truth = _dirichlet(rng, np.broadcast_to(self.clarity + own, (pairs, *own.shape)))
        rival = self.precision if self.rival is None else self.rival
        one, two = _dirichlet(rng, self.precision * truth), _dirichlet(rng, rival * truth)
        return Outputs(one, self.sizes), Outputs(two, self.sizes)


def _dirichlet(rng: np.random.Generator, alpha: FloatArray) -> FloatArray:
    """Gamma variables, scaled to add up to one; if all vanish, the largest parameter takes all."""
    gamma = rng.standard_gamma(alpha)
    total = gamma.sum(axis=-1, keepdims=True)
    certain = alpha == alpha.max(axis=-1, keepdims=True)
    shares: FloatArray = np.where(total > 0, gamma / np.where(total > 0, total, 1.0), certain)
    return shares


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ResampledModel:
    """The user's own predictions: test sets drawn anew from the cases, judged by two of the classifiers.

    Cases are drawn with replacement within each class, in proportion to their weights if they have any; both
    classifiers judge the same cases.

    Parameters
    ----------
    y_true, y_score
        True classes and a dict of scores by classifier, or `Scores` of several classifiers.
    classifiers
        Two of them; may be left out if there are only two.
    sizes
        Cases of each class in a drawn test set; by default as many as there are.
    cut
        Where there is one score a case: as in `RankedLists`.
    labels, pos_label
        As in `evaluate`.
    """

    scores: Scores
    classifiers: tuple[str, str]
    sizes: tuple[int, ...]
    cut: Cut = field(default=None)

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
        scores = as_scores(y_true, y_score, labels=labels, pos_label=pos_label)
        if scores.groups is not None:
            raise InputError(
                "Groups cannot be resampled here; leave them out, or use order_kept, which draws them."
            )
        counts = checked_sizes(scores.counts.tolist() if sizes is None else sizes)
        if len(counts) != scores.n_classes:
            raise InputError(f"sizes must be {scores.n_classes} numbers, one for each class, got {sizes!r}.")
        if scores.kind == "score":
            scores, counts = _rising(scores, counts)
        elif cut is not None:
            raise InputError("cut is for one score a case; of columns the largest decides. Leave it out.")
        checked_cuts(cut, counts)
        found = {"scores": scores, "classifiers": _two(classifiers, scores), "sizes": counts, "cut": cut}
        for name, value in found.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"ResampledModel({' and '.join(self.classifiers)}, sizes={self.sizes})"

    def draw(self, rng: np.random.Generator, pairs: int) -> tuple[Outputs, Outputs]:
        """Test sets drawn from the cases."""
        drawn = np.concatenate([self._cases(rng, k, pairs) for k in range(len(self.sizes))], axis=1)
        one, two = (self._outputs(self.scores.values[name][drawn]) for name in self.classifiers)
        return one, two

    def _cases(self, rng: np.random.Generator, k: int, pairs: int) -> Any:
        cases, weight = np.flatnonzero(self.scores.codes == k), self.scores.sample_weight
        share = None if weight is None else weight[cases] / weight[cases].sum()
        return rng.choice(cases, (pairs, self.sizes[k]), p=share)

    def _outputs(self, values: FloatArray) -> Outputs:
        scores = self.scores
        cuts = checked_cuts(self.cut, self.sizes) if scores.kind == "score" else None
        return Outputs(values, self.sizes, cuts, scores.labels, scores.kind, scores.positive, scores.ordered)


def _rising(scores: Scores, sizes: tuple[int, ...]) -> tuple[Scores, tuple[int, ...]]:
    """The classes in the order along which one score rises, so that cuts can call each case a class."""
    if scores.n_classes == 2 and scores.positive == 0:
        return replace(scores, codes=1 - scores.codes, labels=scores.labels[::-1], positive=1), sizes[::-1]
    if scores.positive is None and not scores.ordered:
        what = "pos_label" if scores.n_classes == 2 else "labels=[...]"
        raise InputError(f"One score a case rises along the classes, but their order is unknown; give {what}.")
    return scores, sizes


def _two(classifiers: tuple[str, str] | None, scores: Scores) -> tuple[str, str]:
    chosen = scores.classifiers if classifiers is None else tuple(classifiers)
    if len(chosen) != 2 or not set(chosen) <= set(scores.classifiers):
        known = ", ".join(map(repr, scores.classifiers))
        raise InputError(f"Two classifiers are needed, say which: classifiers=(one, other); there are {known}.")
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
