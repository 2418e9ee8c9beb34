"""Input of the summaries: fold values as complete blocks, means of data sets as complete rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import nan
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from polyroc.errors import DroppedRowsWarning, InputError, MeasureError, warn
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.registry import measure as find
from polyroc.messages import Option
from polyroc.results.result import tidy
from polyroc.studies.fold_values import FoldTable
from polyroc.validation.arrays import Missing

__all__ = ["Means", "Table", "Tables", "direction", "fold_table", "means_of"]

Table: TypeAlias = FoldTable | Mapping[str, Sequence[float]]
Tables: TypeAlias = Sequence[FoldTable] | Mapping[str, Sequence[float]]


class Means(NamedTuple):
    """One value of each learner on each data set.

    Attributes
    ----------
    values
        Data sets x learners, without rounding errors that would break ties.
    learners, data_sets, measure
        Names of the columns and rows, and what was measured.
    dropped
        How many data sets were left out.
    """

    values: FloatArray
    learners: tuple[str, ...]
    data_sets: tuple[str, ...]
    measure: str
    dropped: int

    @property
    def scale(self) -> FloatArray:
        """The largest value of each data set, as a column: differences are told from rounding by it."""
        largest: FloatArray = np.abs(self.values).max(axis=1, keepdims=True)
        return largest

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Of learners, in order."""
        return list(combinations(self.learners, 2))

    def differences(self) -> FloatArray:
        """First minus second, data sets x pairs."""
        i, j = np.triu_indices(len(self.learners), 1)
        return tidy(self.values[:, i] - self.values[:, j], self.scale)


def fold_table(table: Table, missing: Missing) -> tuple[FoldTable, int]:
    """Complete blocks of at least two learners, and how many blocks were left out.

    Parameters
    ----------
    table
        A `FoldTable`, or the values by learner, one for each fold.
    missing
        What to do with folds in which a learner has no value: "raise" them, or "drop" them, and with them the
        learners without any value.
    """
    if not isinstance(table, FoldTable):
        learners, values = _columns(table, "fold")
        blocks = tuple((0, k) for k in range(len(values)))
        table = FoldTable(values, learners, blocks, nan, nan)
    _check(missing, table.learners)
    whole = _without_missing(table, missing)
    if len(whole.learners) < 2:
        raise InputError(
            f"A comparison needs two or more learners, got {', '.join(map(repr, whole.learners)) or 'none'}."
        )
    if len(whole.values) < 2:
        raise InputError(
            f"A comparison needs two or more complete folds, got {len(whole.values)} ({_where(table)})."
        )
    return whole, len(table.values) - len(whole.values)


def means_of(tables: Tables, missing: Missing) -> Means:
    """The mean of each learner on each data set; at least two of either.

    Parameters
    ----------
    tables
        A `FoldTable` for each data set, all of the same learners and measure; or the values by learner, one for
        each data set.
    missing
        "raise" what is missing, or "drop" it: folds in which a learner has no value, and data sets without a fold
        in which all learners have one.
    """
    if isinstance(tables, FoldTable):
        raise InputError("Give the tables of several data sets, as a list; this is the table of one.")
    found = _of_columns(tables) if isinstance(tables, Mapping) else _of_tables(tables, missing)
    _check(missing, found.learners)
    known = np.array(np.isfinite(found.values).all(axis=1))
    if not known.all():
        lost = [name for name, keep in zip(found.data_sets, known, strict=True) if not keep]
        _complain(missing, f"No complete values on {_some(lost)}", "leave these data sets out")
        kept = tuple(name for name, keep in zip(found.data_sets, known, strict=True) if keep)
        found = found._replace(values=found.values[known], data_sets=kept, dropped=len(lost))
    if len(found.values) < 2 or len(found.learners) < 2:
        raise InputError(
            "A comparison over data sets needs two or more data sets and learners, got "
            f"{len(found.values)} and {len(found.learners)}."
        )
    return found._replace(values=tidy(found.values, found.scale))


def _of_columns(columns: Mapping[str, Sequence[float]]) -> Means:
    learners, values = _columns(columns, "data set")
    return Means(values, learners, tuple(f"data set {k + 1}" for k in range(len(values))), "value", 0)


def _of_tables(tables: Sequence[FoldTable], missing: Missing) -> Means:
    if not tables or not all(isinstance(each, FoldTable) for each in tables):
        raise InputError(f"Expected a FoldTable for each data set, got {tables!r}.")
    first = tables[0]
    for each in tables[1:]:
        if set(each.learners) != set(first.learners) or each.measure != first.measure:
            raise InputError(
                f"All data sets need the same learners and measure; {first.data_set!r} has {_what(first)}, "
                f"{each.data_set!r} has {_what(each)}."
            )
    rows = [_row(each, first.learners, missing) for each in tables]
    return Means(np.array(rows), first.learners, tuple(each.data_set for each in tables), first.measure, 0)


def _row(table: FoldTable, learners: tuple[str, ...], missing: Missing) -> FloatArray:
    """The means over complete folds, learners in this order; nan if there is no such fold."""
    if missing == "raise":
        _without_missing(table, missing)
    values = table.complete().values[:, [table.learners.index(name) for name in learners]]
    return values.mean(axis=0) if len(values) else np.full(len(learners), np.nan)


def _columns(columns: Any, what: str) -> tuple[tuple[str, ...], FloatArray]:
    if not isinstance(columns, Mapping) or not columns:
        raise InputError(f"Expected a FoldTable, or a dict of one value per {what} by learner, got {columns!r}.")
    try:
        arrays = {str(name): np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    except (TypeError, ValueError):
        raise InputError(f"Every learner needs one number per {what}, got {columns!r}.") from None
    if any(values.ndim != 1 for values in arrays.values()) or len({len(values) for values in arrays.values()}) > 1:
        shapes = ", ".join(f"{name!r} {values.shape}" for name, values in arrays.items())
        raise InputError(f"Every learner needs one value per {what}, all equally many; got shapes {shapes}.")
    return tuple(arrays), np.column_stack(list(arrays.values()))


def _without_missing(table: FoldTable, missing: Missing) -> FoldTable:
    known = np.isfinite(table.values)
    if known.all():
        return table
    some, always = (np.array(kind(known, axis=0)) for kind in (np.any, np.all))
    never = [name for name, found in zip(table.learners, some, strict=True) if not found]
    failed = [name for name, found in zip(table.learners, always, strict=True) if not found]
    blocks = int((~known[:, some].all(axis=1)).sum())
    _complain(
        missing,
        f"{_some(failed)} has no value in some folds ({_where(table)})",
        (f"leave out {_some(never)}, which never has one" if never else "")
        + (" and " if never and blocks else "")
        + (f"leave out {blocks} of {len(known)} folds for all learners" if blocks else ""),
    )
    learners = tuple(name for name, keep in zip(table.learners, some, strict=True) if keep)
    return replace(table, values=table.values[:, some], learners=learners).complete()


def _check(missing: Missing, learners: tuple[str, ...]) -> None:
    if missing not in ("raise", "drop"):
        raise InputError(f"missing must be 'raise' or 'drop', got {missing!r}.")
    if len(set(learners)) < len(learners):
        raise InputError(f"Learners need names of their own, got {', '.join(map(repr, learners))}.")


def _complain(missing: Missing, what: str, remedy: str) -> None:
    if missing == "raise":
        raise InputError(f"{what}; ", Option("missing", "drop"), f" would {remedy}.")
    warn(f"{what}: asked to {remedy}.", DroppedRowsWarning)


def _where(table: FoldTable) -> str:
    return f"{table.measure} on {table.data_set}"


def _what(table: FoldTable) -> str:
    return f"{table.measure} of {', '.join(table.learners)}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:4])) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def direction(measure: str) -> float:
    """1 if a larger value of the measure is better, -1 if a smaller is; what is no measure of ours is the former.

    >>> direction("auc"), direction("expected_cost"), direction("my own score")
    (1.0, -1.0, 1.0)
    """
    try:
        return 1.0 if find(measure).larger_is_better else -1.0
    except MeasureError:
        return 1.0
