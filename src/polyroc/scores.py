"""`Scores`, the observed classes and predictions, and `Schema`, what is known of them without the data."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.messages import short_repr

if TYPE_CHECKING:
    from polyroc.data_options import DataOptions

__all__ = ["Coded", "Folds", "Kind", "Sampling", "Schema", "Scores", "WeightKind", "readable"]

Kind = Literal["score", "matrix", "decisions"]
Sampling = Literal["cohort", "case-control"]
WeightKind = Literal["importance", "frequency"]


class Coded(NamedTuple):
    """Labels as codes: `labels[codes[i]]` is the label of case i; code -1 is a missing label."""

    codes: CodeArray
    labels: tuple[Hashable, ...]


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

    @property
    def has_two_columns(self) -> bool:
        """True if each of two classes has a column."""
        return self.kind == "matrix" and self.n_classes == 2


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Folds:
    """The folds of a cross-validation: which trained model predicted each row.

    A fold is the test set of one trained model. In a repeated cross-validation every repeat divides the same cases
    into folds anew; there is one row per case and repeat, and a fold of one repeat is another fold than that of
    the same name in another repeat. Made of `folds` and `repeats`.

    Attributes
    ----------
    codes
        The fold of each row, as a position in `names`.
    names
        The folds, by repeat if there are several: ("1", "2") or ("repeat 1, fold 1", "repeat 1, fold 2", ...).
    repeat
        The repeat of each fold, counted from 0.
    cases
        The case of each row, counted from 0, if there are several repeats; None if every row is a case.
    pooled
        True if the cases of all folds are evaluated as one sample. False: measures are computed within folds, and
        averaged.
    """

    codes: CodeArray
    names: tuple[str, ...]
    repeat: IntArray
    cases: IntArray | None = None
    pooled: bool = False

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Folds({self.text})"

    @property
    def repeats(self) -> int:
        """Number of repeats of the cross-validation."""
        return int(self.repeat.max()) + 1

    @property
    def weights(self) -> FloatArray:
        """What each fold counts in an average: all repeats the same, and all folds (models) of a repeat."""
        in_repeat = np.bincount(self.repeat)
        return np.asarray(1.0 / (in_repeat[self.repeat] * len(in_repeat)))

    def subset(self, rows: Any) -> "Folds":
        """The folds of some of the rows; their names stay, also of those that have no row left."""
        return replace(self, codes=self.codes[rows], cases=None if self.cases is None else self.cases[rows])

    def by_repeat(self, values: Sequence[float]) -> FloatArray:
        """The average of the values of the folds of each repeat."""
        sums = np.bincount(self.repeat, np.asarray(values, dtype=np.float64))
        return np.asarray(sums / np.bincount(self.repeat), dtype=np.float64)

    @property
    def text(self) -> str:
        """The number of folds and repeats in words: "10 folds", "3 repeats of 10 folds"."""
        if self.repeats == 1:
            return f"{len(self)} folds"
        numbers = np.unique(np.bincount(self.repeat))
        folds = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        return f"{self.repeats} repeats of {folds} folds"


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Scores:
    """The true classes of the cases and the predictions of one or more classifiers.

    All classifiers of one `Scores` predicted the same cases, in the same order: they are paired by construction.
    Every verb accepts it in place of `data` and `y_score`, and makes it itself of what it is given.

    Parameters
    ----------
    data
        The true classes, or a file or a table that has them.
    y_score
        1-D (a ranking score, an ordered score, or decisions given as text labels), 2-D (cases x classes, columns
        in the order of `labels`; the columns of a data frame are matched to the labels by name), or a mapping from
        classifiers' names to such arrays.
    data_options
        What the data mean, as in every verb: `labels`, `pos_label`, `sample_weight`, `groups`, `folds`, ... (see
        `polyroc.data_options.DataOptions`).

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
    folds
        The folds of a cross-validation (`Folds`), if the rows are cross-validated predictions; None if not. With
        repeats there is one row per case and repeat.
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
    by
        Columns that divide the cases into subgroups, by name; `evaluate(scores, by=NAME)` uses them.
    negated
        The classifiers whose scores were multiplied by -1 on request (`negate`).
    notes
        What is doubtful about the input, each a sentence or two: rows that may be of the same case, columns that
        may be in another order. Every result keeps them in its provenance.
    pairing
        What identified the cases of several classifiers that came in rows; None if each row had all classifiers.
    names, counts
        The labels as distinct strings, and the number of rows of positive weight in each class.

    Raises
    ------
    polyroc.errors.InputError
        If the data do not fit together or hold invalid values.

    Examples
    --------
    >>> import polyroc as pr
    >>> scores = pr.Scores(
    ...     ["ill", "well", "ill", "well"],
    ...     {"test A": [0.9, 0.2, 0.4, 0.5], "test B": [0.8, 0.1, 0.7, 0.3]},
    ...     pos_label="ill",
    ... )
    >>> scores
    Scores(4 cases (ill: 2, well: 2); score of test A, test B)
    >>> pr.evaluate(scores, measure="auc")["test A", "auc"].value
    0.75
    """

    codes: CodeArray
    labels: tuple[Hashable, ...]
    values: Mapping[str, FloatArray]
    kind: Kind
    positive: int | None
    ordered: bool
    sample_weight: FloatArray | None
    groups: IntArray | None
    dropped: int
    converted: str | None
    sampling: Sampling
    weight_kind: WeightKind
    folds: Folds | None
    by: Mapping[str, Coded]
    negated: tuple[str, ...]
    notes: tuple[str, ...]
    pairing: str | None
    names: tuple[str, ...]
    counts: IntArray

    def __init__(self, data: Any, y_score: Any = None, **data_options: "Unpack[DataOptions]") -> None:
        # Imported here because the options of data belong to a higher layer, which returns Scores.
        from polyroc.data_options import read_scores

        made = read_scores(data, y_score, **data_options)
        for attribute in fields(self):
            object.__setattr__(self, attribute.name, getattr(made, attribute.name))

    @classmethod
    def _make(
        cls,
        codes: CodeArray,
        labels: tuple[Hashable, ...],
        values: Mapping[str, FloatArray],
        kind: Kind = "score",
        positive: int | None = None,
        ordered: bool = False,
        sample_weight: FloatArray | None = None,
        **others: Any,
    ) -> "Scores":
        """Make scores of class codes and arrays that have been checked; `others` are further attributes."""
        scores = object.__new__(cls)
        stated = (codes, labels, values, kind, positive, ordered, sample_weight)
        for name, value in {**dict(zip(STATED, stated, strict=True)), **DEFAULTS, **others}.items():
            object.__setattr__(scores, name, value)
        object.__setattr__(scores, "names", readable(labels))
        counted = codes if scores.sample_weight is None else codes[scores.sample_weight > 0]
        object.__setattr__(scores, "counts", _counts(counted, len(labels)))
        return scores

    def _replace(self, **changes: Any) -> "Scores":
        """Return the scores with other attributes."""
        return self._make(**{name: getattr(self, name) for name in ATTRIBUTES} | changes)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        cases = ", ".join(f"{name}: {count}" for name, count in self.cases.items())
        folds = "" if self.folds is None else f" in {self.folds.text}{', pooled' if self.folds.pooled else ''}"
        number = len(self) if self.folds is None else len(self) // self.folds.repeats
        return f"Scores({number} cases ({cases}){folds}; {self.kind} of {', '.join(self.values)})"

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
        """The number of cases of positive weight by the class's name; with repeats, a case counts once."""
        counts = self.counts if self.folds is None else self.counts // self.folds.repeats
        return dict(zip(self.names, counts.tolist(), strict=True))

    @property
    def units(self) -> IntArray | None:
        """The independent unit of each row: its group, or its case if repeated; None if every row is one."""
        return self.groups if self.groups is not None or self.folds is None else self.folds.cases

    @property
    def within_folds(self) -> bool:
        """True if measures are computed within folds and averaged."""
        return self.folds is not None and not self.folds.pooled

    def pool_folds(self) -> "Scores":
        """The same scores, with the cases of all folds evaluated as one sample.

        The value then also depends on how the scores of different trained models compare. It is biased where
        their scale or level differs between folds, as in leave-one-out cross-validation.

        >>> scores = Scores([0, 1, 0, 1], [0.1, 0.4, 0.5, 0.9], folds=[1, 1, 2, 2])
        >>> scores
        Scores(4 cases (0: 2, 1: 2) in 2 folds; score of classifier)
        >>> scores.pool_folds()
        Scores(4 cases (0: 2, 1: 2) in 2 folds, pooled; score of classifier)
        """
        return self if self.folds is None else self._replace(folds=replace(self.folds, pooled=True))

    def subset(self, cases: Any) -> "Scores":
        """The scores of some of the cases, given by position or by a mask; classes keep their place.

        >>> Scores([0, 1, 0, 1], [0.1, 0.4, 0.5, 0.9]).subset([0, 1, 3])
        Scores(3 cases (0: 1, 1: 2); score of classifier)
        """
        cases = _positions(cases, len(self))
        return self._replace(
            codes=self.codes[cases],
            values={name: values[cases] for name, values in self.values.items()},
            sample_weight=None if self.sample_weight is None else self.sample_weight[cases],
            groups=None if self.groups is None else np.unique(self.groups[cases], return_inverse=True)[1],
            folds=None if self.folds is None else self.folds.subset(cases),
            by={name: Coded(column.codes[cases], column.labels) for name, column in self.by.items()},
        )

    def merge(self, unions: Mapping[Hashable, Sequence[Hashable]]) -> "Scores":
        """Merge classes into unions, adding their columns; cases of classes in no union are left out.

        The separability of two groups of classes is M of two unions (Hand & Till 2001, section 3, after Taylor &
        Hand).

        Parameters
        ----------
        unions
            The classes of each union by its label, in order.

        Examples
        --------
        >>> P = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6], [0.4, 0.5, 0.1]]
        >>> scores = Scores(["a", "b", "c", "c"], P)
        >>> scores.merge({"a": ["a"], "b or c": ["b", "c"]})
        Scores(4 cases (a: 1, b or c: 3); matrix of classifier)
        """
        try:
            classes = [[self.labels.index(label) for label in union] for union in unions.values()]
        except (AttributeError, TypeError, ValueError):  # no mapping, no sequence, no such class
            classes = []
        merged = [k for union in classes for k in union]
        if self.kind == "score" or len(classes) < 2 or not all(classes) or len({*merged}) < len(merged):
            raise InputError(
                "unions must map two labels or more to classes, each used once at most, of "
                f"{list(self.labels)} with one column each; got {short_repr(unions)} and kind {self.kind!r}."
            )
        union_of = np.full(len(self.labels), -1, dtype=self.codes.dtype)
        for union, members in enumerate(classes):
            union_of[members] = union
        kept = self.subset(union_of[self.codes] >= 0)
        values = {
            name: np.column_stack([columns[:, union_of == union].sum(axis=1) for union in range(len(unions))])
            for name, columns in kept.values.items()
        }
        return kept._replace(codes=union_of[kept.codes], labels=tuple(unions), values=values, positive=None)

    @property
    def absent(self) -> tuple[str, ...]:
        """The classes that are among the labels but have no case."""
        if self.folds is None and 0 not in self.counts.tolist():  # for few classes faster than numpy's `all`
            return ()
        return tuple(name for name, count in self.cases.items() if count == 0)


def _positions(cases: Any, n: int) -> Any:
    """Positions of cases, or a mask of all, as an array that can be an index."""
    try:
        index = np.asarray(cases)
    except Exception:  # whatever the object raises
        index = np.empty(0)
    is_mask = index.dtype == bool and index.shape == (n,)
    if not is_mask and not (
        index.dtype.kind in "iu" and index.ndim == 1 and index.size and index.min() >= 0 and index.max() < n
    ):
        raise InputError(
            f"cases must be positions from 0 to {n - 1}, or a mask of {n} values, got {short_repr(cases)}."
        )
    return index


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


STATED = ("codes", "labels", "values", "kind", "positive", "ordered", "sample_weight")
DEFAULTS: Mapping[str, Any] = {
    "groups": None,
    "dropped": 0,
    "converted": None,
    "sampling": "cohort",
    "weight_kind": "importance",
    "folds": None,
    "by": MappingProxyType({}),
    "negated": (),
    "notes": (),
    "pairing": None,
}
ATTRIBUTES = (*STATED, *DEFAULTS)  # from which the others follow
