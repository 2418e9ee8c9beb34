"""Curves: several curves that belong together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from polyroc.curves.hull import Hull, hull_of
from polyroc.curves.result import Curve
from polyroc.errors import NotApplicableError
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.results.result import Result, number_text
from polyroc.scores import Scores

__all__ = ["Curves", "FamilyKind", "MultiClass", "Problem", "problems"]


FamilyKind = Literal["classifier", "class", "pair", "fold"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Curves(Result, Mapping[str, Curve]):
    """A family of curves: by classifier, by class against the rest, by ordered pair of classes, or by fold.

    Attributes
    ----------
    by
        "classifier", "class", "pair" or "fold".
    curves
        By the name of the classifier, the class, the pair ("A(i|j)": class i against class j by column i) or the
        fold; where there are several classifiers of many classes, "classifier: class".
    whole
        For many classes: by classifier, the measure of which the areas are the parts (ova, or hand_till).
    """

    by: FamilyKind
    curves: Mapping[str, Curve]
    whole: Mapping[str, Estimate]

    def __getitem__(self, key: str) -> Curve:
        return self.curves[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def __repr__(self) -> str:
        shown = [f"{key} {number_text(curve.area.value)}" for key, curve in list(self.curves.items())[:6]]
        more = ", ..." if len(self) > 6 else ""
        return f"Curves({self.kind} by {self.by}: {', '.join(shown)}{more})"

    @property
    def kind(self) -> str:
        """The kind of every curve."""
        return next(iter(self.curves.values())).kind

    @property
    def areas(self) -> dict[str, Estimate]:
        """The area of each curve."""
        return {key: curve.area for key, curve in self.curves.items()}

    def hull(self) -> Hull:
        """The upper convex hull of the classifiers together: which of them to use where, and how to mix two."""
        if self.by != "classifier":
            raise NotApplicableError(
                f"A common hull is of classifiers that judge the same question, not of curves by {self.by}; "
                "take the hull of each curve."
            )
        return hull_of(curve.vertices for curve in self.curves.values())

    def thinned(self, points: int = 2000, tolerance: float = 1e-4) -> "Curves":
        """Every curve from fewer points; see `Curve.thinned`."""
        fewer = {key: curve.thinned(points, tolerance) for key, curve in self.curves.items()}
        return Curves(self.by, fewer, self.whole)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per point of each curve."""
        return [{self.by: key, **row} for key, curve in self.curves.items() for row in curve.rows(level)]

    def _repr_html_(self) -> str:
        return "".join(curve._repr_html_() for curve in self.curves.values())


MultiClass = Literal["ova", "ovo"]


class Problem(NamedTuple):
    """Two classes and one classifier, out of what may be more."""

    key: str
    classifier: str
    scores: Scores

    @property
    def positive(self) -> str:
        """The class that is called."""
        assert self.scores.positive is not None
        return self.scores.names[self.scores.positive]

    @property
    def negative(self) -> str:
        """What it is told from."""
        assert self.scores.positive is not None
        return self.scores.names[1 - self.scores.positive]


def problems(scores: Scores, multi_class: MultiClass | None) -> Iterator[Problem]:
    """The two-class problems, each with one classifier: by classifier, by class, or by ordered pair of classes.

    The score of class i against others is column i: the areas of "ova" are the parts of the measure ova, those of
    "ovo", A(i|j), are the parts of hand_till.
    """
    several = len(scores.classifiers) > 1
    for classifier in scores.classifiers:
        prefix = f"{classifier}: " if several else ""
        if multi_class is None:
            yield Problem(classifier, classifier, _only(scores, classifier))
        elif multi_class == "ova":
            for i, name in enumerate(scores.names):
                yield Problem(prefix + name, classifier, _class_or_rest(scores, classifier, i))
        else:
            for i, j in ((i, j) for i in range(scores.n_classes) for j in range(scores.n_classes) if i != j):
                key = f"{prefix}A({scores.names[i]}|{scores.names[j]})"
                yield Problem(key, classifier, _pair(scores, classifier, i, j))


def _only(scores: Scores, classifier: str) -> Scores:
    return replace(scores, values={classifier: scores.values[classifier]})


def _class_or_rest(scores: Scores, classifier: str, i: int) -> Scores:
    every = np.ones(len(scores), dtype=bool)
    name = scores.names[i]
    return _two_classes(scores, classifier, scores.codes == i, every, i, (f"not {name}", name))


def _pair(scores: Scores, classifier: str, i: int, j: int) -> Scores:
    names = scores.names[j], scores.names[i]
    return _two_classes(scores, classifier, scores.codes == i, np.isin(scores.codes, (i, j)), i, names)


def _two_classes(
    scores: Scores, classifier: str, positive: BoolArray, among: BoolArray, column: int, labels: tuple[str, str]
) -> Scores:
    values: FloatArray = scores.values[classifier][among, column]
    return Scores(
        codes=positive[among].astype(np.int32),
        labels=labels,
        values={classifier: values},
        kind="score",
        positive=1,
        sample_weight=None if scores.sample_weight is None else scores.sample_weight[among],
        groups=None if scores.groups is None else scores.groups[among],
        dropped=scores.dropped,
        converted=scores.converted,
        sampling=scores.sampling,
        weight_kind=scores.weight_kind,
    )
