"""Two-class problems within many classes: each class against the rest, and ordered pairs of classes."""

from collections.abc import Iterator
from itertools import permutations
from typing import Literal, NamedTuple

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.scores import Scores

__all__ = ["BinaryProblem", "ClassSplit", "MultiClass", "binary_problems", "class_splits"]

MultiClass = Literal["ova", "ovo"]


class BinaryProblem(NamedTuple):
    """The scores of one classifier for two classes; `key` names it in a family of curves."""

    key: str
    classifier: str
    scores: Scores

    @property
    def positive(self) -> str:
        """The name of the positive class."""
        assert self.scores.positive is not None
        return self.scores.names[self.scores.positive]

    @property
    def negative(self) -> str:
        """The name of the negative class."""
        assert self.scores.positive is not None
        return self.scores.names[1 - self.scores.positive]


class ClassSplit(NamedTuple):
    """Two sets of classes and the column of the values whose high values indicate the positive set.

    Attributes
    ----------
    key
        Its name in a family of curves.
    names
        What the negative and the positive set are called.
    column
        The column of the values.
    negative, positive
        The codes of the classes in either set.
    """

    key: str
    names: tuple[str, str]
    column: int
    negative: list[int]
    positive: list[int]


def class_splits(names: tuple[str, ...], multi_class: MultiClass) -> Iterator[ClassSplit]:
    """Each class against the rest ("ova"), or every ordered pair A(i|j) ("ovo"), by column i.

    The areas of "ova" are the parts of the measure `ova`, those of "ovo" the parts of `hand_till`.

    >>> [split.key for split in class_splits(("a", "b", "c"), "ovo")]
    ['A(a|b)', 'A(a|c)', 'A(b|a)', 'A(b|c)', 'A(c|a)', 'A(c|b)']
    """
    if multi_class == "ova":
        for i, name in enumerate(names):
            rest = [k for k in range(len(names)) if k != i]
            yield ClassSplit(name, (f"not {name}", name), i, rest, [i])
    else:
        for i, j in permutations(range(len(names)), 2):
            yield ClassSplit(f"A({names[i]}|{names[j]})", (names[j], names[i]), i, [j], [i])


def binary_problems(scores: Scores, multi_class: MultiClass | None) -> Iterator[BinaryProblem]:
    """The two-class problems of each classifier: its own two classes, or the splits of `class_splits`."""
    several = len(scores.classifiers) > 1
    for classifier in scores.classifiers:
        if multi_class is None:
            only = scores._replace(values={classifier: scores.values[classifier]})
            yield BinaryProblem(classifier, classifier, only)
            continue
        for split in class_splits(scores.names, multi_class):
            key = f"{classifier}: {split.key}" if several else split.key
            yield BinaryProblem(key, classifier, _two_classes(scores, classifier, split))


def _two_classes(scores: Scores, classifier: str, split: ClassSplit) -> Scores:
    """The cases of the classes in a split, recoded as 0 (negative) and 1 (positive)."""
    positive = np.isin(scores.codes, split.positive)
    included = positive | np.isin(scores.codes, split.negative)
    values: FloatArray = scores.values[classifier][included, split.column]
    return Scores._make(
        codes=positive[included].astype(np.int32),
        labels=split.names,
        values={classifier: values},
        kind="score",
        positive=1,
        sample_weight=None if scores.sample_weight is None else scores.sample_weight[included],
        groups=None if scores.groups is None else scores.groups[included],
        folds=None if scores.folds is None else scores.folds.subset(included),
        dropped=scores.dropped,
        converted=scores.converted,
        sampling=scores.sampling,
        weight_kind=scores.weight_kind,
        notes=scores.notes,
        pairing=scores.pairing,
    )
