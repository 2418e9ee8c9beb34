"""Many classes as two-class problems: each class against the others together, or every ordered pair."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.scores import Scores

__all__ = ["MultiClass", "Problem", "problems"]

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
