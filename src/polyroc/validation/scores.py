"""Validate arrays, labels, weights and groups, and build `Scores`."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.messages import Option
from polyroc.scores import Kind, Sampling, Schema, Scores, WeightKind, readable
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.arrays import Missing, complete_rows
from polyroc.validation.data_frames import check_alignment, stated_order
from polyroc.validation.doubts import with_doubts
from polyroc.validation.folds import FoldColumns, as_folds, fold_columns
from polyroc.validation.labels import Coded, encode, in_order, positive_class, renumber
from polyroc.validation.negation import negated
from polyroc.validation.predictions import as_vector, check_width, classifier_values, match_columns, named_after
from polyroc.validation.subgroups import by_columns, with_subgroups
from polyroc.validation.weights import check_sampling, check_weight_kind, check_weights, repeated

__all__ = [
    "ArgumentNames",
    "Coded",
    "Missing",
    "as_scores",
    "in_order",
    "match_columns",
    "named_after",
    "normalise",
    "one_sample",
    "pooled_scores",
    "renumber",
    "schema_of",
]

LARGEST_UNSCALED = 2.0**60  # a largest weight beyond this, or below its inverse, is scaled


def as_scores(
    y_true: Any, y_score: Any, *, pooled: bool = False, by: Any = None, negate: Any = None, **options: Any
) -> Scores:
    """`Scores`, or made from arrays: the first two arguments of every verb.

    On request folds are pooled, scores negated, and the cases divided by columns, which `Scores` may have stored.
    """
    if pooled:
        return pooled_scores(as_scores(y_true, y_score, by=by, negate=negate, **options))
    if not isinstance(y_true, Scores):
        if y_score is None:
            raise InputError("y_score is missing; pass (y_true, y_score), or Scores from polyroc.read.")
        return normalise(y_true, y_score, by=by, negate=negate, **options)
    scores = y_true if negate is None else negated(y_true, negate)
    if by is not None:
        scores = with_subgroups(scores, by, options.get("missing", "raise"))
    arguments = {"y_score": y_score, **options, "missing": None}
    surplus = [name for name, value in arguments.items() if value is not None]
    if surplus:
        raise InputError(
            f"Scores cannot be combined with {', '.join(surplus)}; pass these to polyroc.read or Scores instead."
        )
    return scores


def pooled_scores(scores: Scores) -> Scores:
    """The scores with all folds as one sample; an error if there are none."""
    if scores.folds is None:
        raise InputError(
            Option("pooled", True),
            " evaluates all folds of a cross-validation as one sample, but there are none; pass ",
            Option("folds"),
            ", or leave it out.",
        )
    return scores.pool_folds()


def one_sample(scores: Scores, verb: str) -> Scores:
    """The scores for a verb that takes one sample: with folds only if these are pooled."""
    if scores.within_folds:
        raise InputError(
            f"{verb} is for one sample of cases, but these have folds, predicted by different models; pass "
            "scores.pool_folds() to take all folds as one sample, or leave out ",
            Option("folds"),
            ".",
        )
    return scores


def normalise(
    y_true: Any,
    y_score: Any,
    *,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    folds: Any = None,
    repeats: Any = None,
    cases: Coded | None = None,
    sampling: Sampling | None = None,
    missing: Missing = "raise",
    by: Any = None,
    negate: Any = None,
    arguments: ArgumentNames | None = None,
) -> Scores:
    """Validate the arguments of a verb and build `Scores`.

    Parameters
    ----------
    y_true
        True class of each case: a list, an array, a series; labels of any hashable kind.
    y_score
        1-D (a ranking or ordered score, or decisions given as text labels or as `Coded`), 2-D (cases x classes,
        columns in the order of `labels`; a data frame's columns are matched to the labels by name), or a mapping
        of such by classifier.
    labels
        The classes in order. By default that of an ordered categorical `y_true`, else sorted; needed to name a
        class without cases, or to order classes.
    pos_label
        The positive one of two classes. By default 1 of 0/1 and -1/1, True of False/True, and the last of `labels`
        where they are given; otherwise required for 1-D scores.
    sample_weight, groups
        One weight, one group (patient, site) per case.
    folds, repeats
        The fold, and the repeat, of each row of cross-validated predictions.
    cases
        The case of each row, if repeats have several rows per case; by default identified by `groups`, or by the
        order within each repeat.
    weight_kind
        "importance" (default): how much each case counts; scaling all weights changes nothing. "frequency": how
        many cases each row stands for, a whole number; rows are repeated.
    sampling
        "cohort" (default): class sizes are random. "case-control": they are fixed.
    missing
        "raise" an error if rows have missing values, or "drop" them with a warning.
    by
        Columns that divide the cases into subgroups; see `polyroc.validation.subgroups.by_columns`.
    negate
        The classifiers whose scores are multiplied by -1; True for all.
    arguments
        The names of the arguments in messages.

    >>> normalise([0, 1, 1], [0.2, 0.9, 0.4])
    Scores(3 cases (0: 1, 1: 2); score of classifier)
    """
    arguments = arguments or ArgumentNames()
    if labels is None and not isinstance(y_true, np.ndarray | list | tuple | range | Coded):
        labels = stated_order(y_true, y_score)
    check_alignment(
        by=by,
        **{
            arguments.truth: y_true,
            arguments.scores: y_score,
            arguments.weight: sample_weight,
            arguments.groups: groups,
            arguments.folds: folds,
            arguments.repeats: repeats,
        },
    )
    codes, classes = in_order(encode(y_true, arguments.truth), labels, arguments)
    n = len(codes)
    values, kind = classifier_values(y_score, classes, n, arguments, labels is not None)
    kind_of_weight = check_weight_kind(weight_kind, sample_weight is not None, arguments)
    weight = None if sample_weight is None else _weights(sample_weight, n, arguments)
    group = None if groups is None else _group_codes(groups, n, arguments)
    positive = positive_class(classes, pos_label, kind, labels is not None, arguments)
    columns = fold_columns(folds, repeats, cases, n, arguments)
    rows = _Rows(codes, values, weight, group, {} if by is None else by_columns(by, n, arguments))
    keep = complete_rows(codes, values, weight, _labelled_columns(rows, columns, arguments), missing, arguments)
    rows = rows.complete(keep)
    scores = Scores._make(
        rows.codes,
        classes,
        rows.values,
        kind,
        positive,
        ordered=labels is not None,
        sample_weight=_usable_weights(rows, classes, kind_of_weight, arguments),
        groups=rows.groups,
        dropped=n - len(rows.codes),
        sampling=check_sampling(sampling),
        folds=None if columns is None else as_folds(columns, keep, rows.codes, rows.groups, arguments),
        by=rows.by,
    )
    scores = scores if negate is None else negated(scores, negate)
    return with_doubts(repeated(scores, arguments) if kind_of_weight == "frequency" else scores)


class _Rows(NamedTuple):
    """What each row has, as codes and numbers: its class, predictions, weight, group and subgroups."""

    codes: CodeArray
    values: Mapping[str, FloatArray]
    weight: FloatArray | None
    groups: IntArray | None
    by: Mapping[str, Coded]

    def complete(self, keep: BoolArray | None) -> Self:
        """The rows without those that have missing values; None keeps all."""
        if keep is None:
            return self
        return self._replace(
            codes=self.codes[keep],
            values={name: column[keep] for name, column in self.values.items()},
            weight=None if self.weight is None else self.weight[keep],
            groups=None if self.groups is None else self.groups[keep],
            by={name: Coded(column.codes[keep], column.labels) for name, column in self.by.items()},
        )


def schema_of(
    present: Sequence[Hashable],
    classifiers: Sequence[str],
    columns: int,
    *,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sampling: Sampling | None = None,
    arguments: ArgumentNames | None = None,
) -> Schema:
    """Check what is known of predictions before their rows are read, as `normalise` does with the data.

    Parameters
    ----------
    present
        The distinct true classes in the data.
    classifiers, columns
        The classifiers' names, and the number of columns each has: one (a score) or one per class.
    labels, pos_label, sampling, arguments
        As in `normalise`.

    >>> schema_of(["a", "b"], ["forest"], 1, pos_label="b").positive
    1
    """
    arguments = replace(arguments or ArgumentNames(), row="")  # in which rows a class occurs is not known
    classes = in_order(encode([*present], arguments.truth), labels, arguments).labels
    if columns != 1:
        check_width(columns, classes, arguments.scores)
    kind: Kind = "score" if columns == 1 else "matrix"
    positive = positive_class(classes, pos_label, kind, labels is not None, arguments)
    return Schema(
        classes, kind, positive, labels is not None, readable(tuple(classifiers)), check_sampling(sampling)
    )


def _weights(data: Any, n: int, arguments: ArgumentNames) -> FloatArray:
    weight = as_vector(data, arguments.weight, n, arguments)
    if (weight < 0).any():
        raise InputError(
            f"{arguments.weight} has negative weights ({arguments.where(weight < 0)}); a weight "
            "says how much a case "
            "counts, or how many cases a row stands for: 0 or more."
        )
    return weight


def _labelled_columns(
    rows: _Rows, folds: FoldColumns | None, arguments: ArgumentNames
) -> dict[str, CodeArray | IntArray | None]:
    """By argument, the codes of the columns of labels beside that of the true classes."""
    columns: dict[str, CodeArray | IntArray | None] = {arguments.groups: rows.groups}
    if folds is not None:
        columns[arguments.folds] = folds.folds.codes
        columns[arguments.repeats] = None if folds.repeats is None else folds.repeats.codes
    return columns | {f"{arguments.by} {name!r}": column.codes for name, column in rows.by.items()}


def _usable_weights(
    rows: _Rows, classes: tuple[Hashable, ...], kind: WeightKind | None, arguments: ArgumentNames
) -> FloatArray | None:
    """The weights of the complete rows: not all zero, and importance weights on a safe scale."""
    weight = rows.weight
    if weight is None:
        return None
    check_weights(weight, rows.codes, readable(classes), arguments.weight)
    largest = float(weight.max())
    # Only ratios matter, and products of extreme weights would overflow; a power of two does not change them.
    usual = kind != "importance" or 1 / LARGEST_UNSCALED <= largest <= LARGEST_UNSCALED
    return weight if usual else np.ldexp(weight, -int(np.frexp(largest)[1]))


def _group_codes(groups: Any, n: int, arguments: ArgumentNames) -> IntArray:
    codes = groups.codes if isinstance(groups, Coded) else encode(groups, arguments.groups).codes
    if len(codes) != n:
        raise InputError(f"{arguments.groups} must name one group per case ({n}), got {len(codes)}.")
    return codes.astype(np.int64)
