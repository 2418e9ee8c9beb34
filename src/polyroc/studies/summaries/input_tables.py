"""Input of the summaries: complete folds of one data set, or means over several data sets."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import nan
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from polyroc.errors import DroppedRowsWarning, InputError, MeasureError, warn
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.registry import measure as find_measure
from polyroc.messages import Option, short_repr
from polyroc.studies.fold_values import FoldTable
from polyroc.validation.arrays import Missing
from polyroc.validation.signatures import is_sequence, own_check

__all__ = ["Means", "Table", "Tables", "direction", "fold_table", "means_of", "tidy"]

Table: TypeAlias = Annotated[FoldTable | Mapping[str, Sequence[float]], own_check]
Tables: TypeAlias = Annotated[Sequence[FoldTable] | Mapping[str, Sequence[float]], own_check]


class Means(NamedTuple):
    """Mean values of learners on data sets.

    Attributes
    ----------
    values
        Data sets x learners, rounded so that rounding errors do not break ties.
    learners, data_sets, measure
        Names of the columns and rows, and key of the measure.
    dropped
        Number of data sets left out.
    """

    values: FloatArray
    learners: tuple[str, ...]
    data_sets: tuple[str, ...]
    measure: str
    dropped: int

    @property
    def scale(self) -> FloatArray:
        """The largest absolute value of each data set, as a column: the scale of rounding errors."""
        largest: FloatArray = np.abs(self.values).max(axis=1, keepdims=True)
        return largest

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Pairs of learners, in order."""
        return list(combinations(self.learners, 2))

    def differences(self) -> FloatArray:
        """First minus second, data sets x pairs."""
        i, j = np.triu_indices(len(self.learners), 1)
        return tidy(self.values[:, i] - self.values[:, j], self.scale)


def fold_table(table: Table, missing: Missing) -> tuple[FoldTable, int]:
    """Complete folds of at least two learners, and the number of folds left out.

    Parameters
    ----------
    table
        A `FoldTable`, or the values by learner, one for each fold.
    missing
        Folds in which a learner has no value: "raise" an error, or "drop" them, as well as learners without any
        value.
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
            f"A comparison needs two or more complete folds, got {len(whole.values)} ({_subject(table)})."
        )
    return whole, len(table.values) - len(whole.values)


def means_of(tables: Tables, missing: Missing) -> Means:
    """Mean of each learner on each data set; at least two learners and two data sets.

    Parameters
    ----------
    tables
        A `FoldTable` for each data set, all of the same learners and measure; or the values by learner, one for
        each data set.
    missing
        "raise" an error for missing values, or "drop" them: folds in which a learner has no value, and data sets
        without a fold in which all learners have one.
    """
    if isinstance(tables, FoldTable):
        raise InputError("tables must be a list with the tables of several data sets, got one table.")
    means = _of_columns(tables) if isinstance(tables, Mapping) else _of_tables(tables, missing)
    _check(missing, means.learners)
    known = np.array(np.isfinite(means.values).all(axis=1))
    if not known.all():
        lost = [name for name, keep in zip(means.data_sets, known, strict=True) if not keep]
        _raise_or_warn(missing, f"No complete fold on {_some(lost)}", "leave these data sets out")
        kept = tuple(name for name, keep in zip(means.data_sets, known, strict=True) if keep)
        means = means._replace(values=means.values[known], data_sets=kept, dropped=len(lost))
    if len(means.values) < 2 or len(means.learners) < 2:
        raise InputError(
            "A comparison over data sets needs two or more data sets and learners, got "
            f"{len(means.values)} and {len(means.learners)}."
        )
    return means._replace(values=tidy(means.values, means.scale))


def _of_columns(columns: Mapping[str, Sequence[float]]) -> Means:
    learners, values = _columns(columns, "data set")
    return Means(values, learners, tuple(f"data set {k + 1}" for k in range(len(values))), "value", 0)


def _of_tables(tables: Sequence[FoldTable], missing: Missing) -> Means:
    if not is_sequence(tables) or not len(tables) or not all(isinstance(table, FoldTable) for table in tables):
        raise InputError(f"tables must be a FoldTable for each data set, got {short_repr(tables)}.")
    first = tables[0]
    for table in tables[1:]:
        if set(table.learners) != set(first.learners) or table.measure != first.measure:
            raise InputError(
                f"All data sets need the same learners and measure; {first.data_set!r} has {_contents(first)}, "
                f"{table.data_set!r} has {_contents(table)}."
            )
    rows = [_row(table, first.learners, missing) for table in tables]
    return Means(np.array(rows), first.learners, tuple(table.data_set for table in tables), first.measure, 0)


def _row(table: FoldTable, learners: tuple[str, ...], missing: Missing) -> FloatArray:
    """The means over complete folds, learners in this order; nan if there is no such fold."""
    if missing == "raise":
        _without_missing(table, missing)
    values = table.complete().values[:, [table.learners.index(name) for name in learners]]
    return values.mean(axis=0) if len(values) else np.full(len(learners), np.nan)


def _columns(columns: Any, unit: str) -> tuple[tuple[str, ...], FloatArray]:
    if not isinstance(columns, Mapping) or not columns:
        name = "table" if unit == "fold" else "tables"
        raise InputError(
            f"{name} must be a FoldTable, or a dict of one value per {unit} by learner, got {short_repr(columns)}."
        )
    try:
        arrays = {str(name): np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    except (TypeError, ValueError):
        raise InputError(f"Every learner needs one number per {unit}, got {columns!r}.") from None
    if any(values.ndim != 1 for values in arrays.values()) or len({len(values) for values in arrays.values()}) > 1:
        shapes = ", ".join(f"{name!r} {values.shape}" for name, values in arrays.items())
        raise InputError(f"Every learner needs one value per {unit}, all equally many; got shapes {shapes}.")
    return tuple(arrays), np.column_stack(list(arrays.values()))


def _without_missing(table: FoldTable, missing: Missing) -> FoldTable:
    known = np.isfinite(table.values)
    if known.all():
        return table
    ever, always = (np.array(kind(known, axis=0)) for kind in (np.any, np.all))
    never = [name for name, has_value in zip(table.learners, ever, strict=True) if not has_value]
    failed = [name for name, has_value in zip(table.learners, always, strict=True) if not has_value]
    incomplete = int((~known[:, ever].all(axis=1)).sum())
    _raise_or_warn(
        missing,
        f"{_some(failed)} has no value in some folds ({_subject(table)})",
        (f"leave out {_some(never)}, which never has one" if never else "")
        + (" and " if never and incomplete else "")
        + (f"leave out {incomplete} of {len(known)} folds for all learners" if incomplete else ""),
    )
    learners = tuple(name for name, keep in zip(table.learners, ever, strict=True) if keep)
    return replace(table, values=table.values[:, ever], learners=learners).complete()


def _check(missing: Missing, learners: tuple[str, ...]) -> None:
    if missing not in ("raise", "drop"):
        raise InputError(f"missing must be 'raise' or 'drop', got {missing!r}.")
    if len(set(learners)) < len(learners):
        raise InputError(f"Names of learners must be distinct, got {', '.join(map(repr, learners))}.")


def _raise_or_warn(missing: Missing, problem: str, remedy: str) -> None:
    if missing == "raise":
        raise InputError(f"{problem}; ", Option("missing", "drop"), f" would {remedy}.")
    warn(f"{problem}: asked to {remedy}.", DroppedRowsWarning)


def _subject(table: FoldTable) -> str:
    return f"{table.measure} on {table.data_set}"


def _contents(table: FoldTable) -> str:
    return f"{table.measure} of {', '.join(table.learners)}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:4])) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def direction(measure: str) -> float:
    """1 if larger values of the measure are better, -1 if smaller; 1 for a name that is not in the registry.

    >>> direction("auc"), direction("expected_cost"), direction("my own score")
    (1.0, -1.0, 1.0)
    """
    try:
        return 1.0 if find_measure(measure).larger_is_better else -1.0
    except MeasureError:
        return 1.0


def tidy(values: FloatArray, scale: FloatArray) -> FloatArray:
    """Values rounded to the twelfth digit of their scale, so that equal differences tie on every machine.

    >>> tidy(np.array([0.1 + 0.2, 0.3]), np.ones(1)).tolist()
    [0.3, 0.3]
    """
    size = np.abs(scale)
    places = 12 - np.ceil(np.log10(np.where(size > 0, size, 1.0)))
    unit = 10.0 ** np.clip(places, -290, 290)
    rounded: FloatArray = np.round(values * unit) / unit
    return rounded
