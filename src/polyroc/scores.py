"""`Scores`, the observed classes and predictions, and `Schema`, what is known of them without the data."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray

__all__ = ["Kind", "Sampling", "Schema", "Scores", "WeightKind", "readable"]

Kind = Literal["score", "matrix", "decisions"]
Sampling = Literal["cohort", "case-control"]
WeightKind = Literal["importance", "frequency"]


@dataclass(frozen=True, slots=True)
class Schema:
    """What is known of predictions without the data: the classes and the kind of the predicted values.

    Engines know the schema of a file before they scan its rows. Whether a measure applies depends on the schema,
    and for probabilities on the range of the values too (`polyroc.measures.applicability`).

    Attributes
    ----------
    labels
        The classes, in order.
    kind
        "score" (one number per case), "matrix" (one column per class) or "decisions" (a matrix of 0 and 1).
    positive
        Position of the positive class among two, where it is known.
    ordered
        True if the order of `labels` was given by the caller and therefore counts.
    classifiers
        The names of the classifiers.
    sampling
        "cohort" (class sizes are random) or "case-control" (class sizes are fixed).
    names
        The labels as distinct strings.

    Examples
    --------
    >>> Schema(("benign", "malignant"), positive=1).n_classes
    2
    """

    labels: tuple[Hashable, ...]
    kind: Kind = "score"
    positive: int | None = None
    ordered: bool = False
    classifiers: tuple[str, ...] = ("classifier",)
    sampling: Sampling = "cohort"
    names: tuple[str, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", readable(self.labels))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.labels)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """The true classes of the cases and the predictions of one or more classifiers.

    All classifiers of one `Scores` predicted the same cases, in the same order: they are paired by construction.
    Made by `Scores.from_arrays` and `polyroc.read`; every verb accepts it in place of `y_true` and `y_score`. The
    constructor itself takes class codes and checks nothing.

    Attributes
    ----------
    codes
        True class of each case, as a position in `labels`.
    labels
        The classes, in order. Sorted unless the caller gave an order (`ordered`).
    values
        By classifier: a ranking score, shape (cases,), or one column per class, shape (cases, classes).
    kind
        "score" (one number per case), "matrix" (one number per class) or "decisions" (a matrix of 0 and 1).
    positive
        Position of the positive class among two, where it is known.
    ordered
        True if the caller gave `labels`, whose order then counts.
    sample_weight, groups
        One weight, and the code of one group, per case; None if not given.
    dropped
        Number of rows with missing values that were dropped on request.
    converted
        How the values were derived from the classifiers' predictions, if they are not the predictions themselves;
        see `polyroc.conversions`.
    sampling
        How the cases were collected. "cohort": all together, so that class sizes are random. "case-control": each
        class on its own, so that class sizes are fixed and carry no information about the prevalences.
    weight_kind
        Meaning of the weights. "importance": how much each case counts, as in `sample_weight`. "frequency": how
        many cases each row stood for; the rows have been repeated, and `sample_weight` is None.
    names, counts
        The labels as distinct strings, and the number of cases of positive weight in each class.
    """

    codes: CodeArray
    labels: tuple[Hashable, ...]
    values: Mapping[str, FloatArray]
    kind: Kind = "score"
    positive: int | None = None
    ordered: bool = False
    sample_weight: FloatArray | None = None
    groups: IntArray | None = None
    dropped: int = 0
    converted: str | None = None
    sampling: Sampling = "cohort"
    weight_kind: WeightKind = "importance"
    names: tuple[str, ...] = field(init=False)
    counts: IntArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", readable(self.labels))
        codes = self.codes if self.sample_weight is None else self.codes[self.sample_weight > 0]
        object.__setattr__(self, "counts", _counts(codes, len(self.labels)))

    @classmethod
    def from_arrays(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        labels: Sequence[Hashable] | None = None,
        pos_label: Hashable = None,
        sample_weight: Any = None,
        weight_kind: WeightKind | None = None,
        groups: Any = None,
        sampling: Sampling | None = None,
        missing: Literal["raise", "drop"] = "raise",
    ) -> "Scores":
        """Validate arrays and build `Scores`, with the arguments that every verb takes.

        Parameters
        ----------
        y_true
            True class of each case: a list, an array or a series of labels of any hashable type.
        y_score
            1-D (a ranking score, an ordered score, or decisions given as text labels), 2-D (cases x classes,
            columns in the order of `labels`; the columns of a data frame are matched to the labels by name), or a
            mapping from classifiers' names to such arrays.
        labels
            The classes in order. Sorted by default; required to name a class without cases, or to order classes.
        pos_label
            The positive class of two. Not needed for 0/1, -1/1, False/True, nor where `labels` are given: the last
            of two labels is then the positive one.
        sample_weight, groups
            One weight, and one group (patient, fold), per case.
        weight_kind
            "importance" (default): how much each case counts. "frequency": how many cases each row stands for.
        sampling
            "cohort" (default): class sizes are random. "case-control": class sizes are fixed.
        missing
            "raise" an error for missing values, or "drop" the rows that have them, with a warning.

        Raises
        ------
        polyroc.errors.InputError
            If the arrays do not fit together or hold invalid values.

        Examples
        --------
        >>> import polyroc as pr
        >>> scores = pr.Scores.from_arrays(
        ...     ["ill", "well", "ill", "well"],
        ...     {"test A": [0.9, 0.2, 0.4, 0.5], "test B": [0.8, 0.1, 0.7, 0.3]},
        ...     pos_label="ill",
        ... )
        >>> scores
        Scores(4 cases (ill: 2, well: 2); score of test A, test B)
        >>> pr.evaluate(scores, measure="auc")["test A", "auc"].value
        0.75
        """
        # Imported here because validation is a higher layer: it returns Scores.
        from polyroc.validation.scores import normalise

        return normalise(
            y_true,
            y_score,
            labels=labels,
            pos_label=pos_label,
            sample_weight=sample_weight,
            weight_kind=weight_kind,
            groups=groups,
            sampling=sampling,
            missing=missing,
        )

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        cases = ", ".join(f"{name}: {count}" for name, count in self.cases.items())
        return f"Scores({len(self)} cases ({cases}); {self.kind} of {', '.join(self.values)})"

    @property
    def schema(self) -> Schema:
        """What remains when the data are left out: classes, kind of values, classifiers, sampling."""
        return Schema(self.labels, self.kind, self.positive, self.ordered, self.classifiers, self.sampling)

    @property
    def n_classes(self) -> int:
        """Number of classes, those without a case included."""
        return len(self.labels)

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The names of the classifiers."""
        return tuple(self.values)

    @property
    def cases(self) -> dict[str, int]:
        """The counts by the class's name."""
        return dict(zip(self.names, self.counts.tolist(), strict=True))

    @property
    def absent(self) -> tuple[str, ...]:
        """The classes that are among the labels but have no case."""
        return tuple(name for name, count in self.cases.items() if count == 0)


def _counts(codes: CodeArray, classes: int) -> IntArray:
    """Number of cases by class."""
    if classes == 2:  # one vectorised count is many times faster than the general kernel
        ones = np.count_nonzero(codes)
        return np.array([len(codes) - ones, ones], dtype=np.int64)
    from polyroc.kernels.class_blocks import count  # imported late: messages and --help need no compiler

    return count(codes, classes)


def readable(labels: tuple[Hashable, ...]) -> tuple[str, ...]:
    """Labels as distinct strings: `str`, or `repr` where two labels have the same text.

    >>> readable(("cat", 2))
    ('cat', '2')
    >>> readable((1, "1"))
    ('1', "'1'")
    """
    names = tuple(str(label) for label in labels)
    return names if len(set(names)) == len(names) else tuple(repr(label) for label in labels)
