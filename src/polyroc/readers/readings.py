"""The readings of a study: which reader read which case with which modality, from long or wide data."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from polyroc.errors import DroppedRowsWarning, InputError, warn
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.messages import Message, Option, short_repr
from polyroc.output.sentences import counted, listed
from polyroc.readers.anova import Nested
from polyroc.scores import Scores, readable
from polyroc.validation.arrays import Missing

__all__ = [
    "ROW_OPTIONS",
    "Cell",
    "Columns",
    "Readings",
    "cell_names",
    "check_design",
    "check_ratings",
    "from_rows",
    "from_table",
    "is_long",
]


ROW_OPTIONS = (Option("reader", ...), ", ", Option("modality", ...), " and ", Option("case", ...))


class Cell(NamedTuple):
    """One reader with one modality."""

    modality: str
    reader: str


class Columns(NamedTuple):
    """What the rows of a long table are read by: the names of columns, or their values."""

    reader: Any
    modality: Any
    case: Any


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """The readings of a study.

    Attributes
    ----------
    scores
        All cases; the classifiers are the cells, by `names`. If cases are nested in readers, a cell has values
        (nan elsewhere) only where `read` is true.
    names
        By cell, the classifier in `scores`.
    modalities, readers
        In order; readers are those of all modalities.
    read
        At [cell, case] whether the cell has a reading.
    """

    scores: Scores
    names: Mapping[Cell, str]
    modalities: tuple[str, ...]
    readers: tuple[str, ...]
    read: BoolArray

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells, in the order of `read`."""
        return tuple(self.names)

    def readers_of(self, modality: str) -> tuple[str, ...]:
        """The readers of a modality."""
        return tuple(cell.reader for cell in self.names if cell.modality == modality)

    def scores_of(self, cell: Cell) -> tuple[Scores, IntArray]:
        """The scores of a cell on its own cases, and the positions of these cases."""
        cases = np.flatnonzero(self.read[self.cells.index(cell)])
        name = self.names[cell]
        alone = self.scores._replace(values={name: self.scores.values[name]})
        return alone.subset(cases), cases


def is_long(columns: Columns) -> bool:
    """Whether the data have one row per case, reader and modality; an error if only some columns are given."""
    if all(column is None for column in columns):
        return False
    absent = [name for name in ("reader", "case") if getattr(columns, name) is None]
    if absent:
        raise InputError(
            "Rows with one reading each need the reader, the case and (if there are several) the modality of "
            "each: ",
            Option(absent[0], ...),
            " is missing.",
        )
    return True


def cell_names(cells: Sequence[Cell]) -> dict[Cell, str]:
    """The cells as distinct names.

    >>> cell_names([Cell("CT", "Smith")])
    {Cell(modality='CT', reader='Smith'): 'CT: Smith'}
    """
    names = [f"{cell.modality}: {cell.reader}" for cell in cells]
    distinct = len(set(names)) == len(names)
    return {cell: name if distinct else repr(tuple(cell)) for cell, name in zip(cells, names, strict=True)}


def from_table(table: Any, standalone: str | None, argument: str = "y_score") -> dict[Cell, Any]:
    """The predictions, or the columns, of each cell: from a mapping by modality of mappings by reader."""
    if not isinstance(table, Mapping) or not table:
        raise InputError(
            "Readings are a mapping by modality of mappings by reader, ",
            Option(argument, {"MODALITY": {"READER": ...}}),
            ", or one row per case, reader and modality with ",
            *ROW_OPTIONS,
            f"; got {short_repr(table)}.",
        )
    cells: dict[Cell, Any] = {}
    for modality, by_reader in zip(readable(tuple(table)), table.values(), strict=True):
        if not isinstance(by_reader, Mapping):
            if modality != standalone:
                raise InputError(
                    Option(argument),
                    f": modality {short_repr(modality)} has no readers; it must be a mapping from readers to "
                    "ratings, or, if it is an algorithm without a reader, be named with ",
                    Option("standalone", modality),
                    ".",
                )
            by_reader = {modality: by_reader}
        for reader, values in zip(readable(tuple(by_reader)), by_reader.values(), strict=True):
            cells[Cell(modality, reader)] = values
    return cells


def from_rows(rows: Scores, nested: Nested | None, standalone: str | None, missing: Missing) -> Readings:
    """The readings of rows with the columns modality, reader and case in `rows.by`, one reading per row."""
    (values,) = rows.values.values()
    *keys, case = (_Key(*rows.by[name]) for name in ("modality", "reader", "case"))
    modality, reader = keys
    cell = modality.codes * len(reader.names) + reader.codes
    present, cell = np.unique(cell, return_inverse=True)
    cells = [Cell(modality.names[i], reader.names[j]) for i, j in (divmod(c, len(reader.names)) for c in present)]
    row = np.full((len(cells), len(case.names)), -1, dtype=np.int64)
    row[cell, case.codes] = np.arange(len(rows))
    _check_duplicates(row, cell, case, cells)
    first = row.max(axis=0)
    for name, column in (("truth", rows.codes), ("weight", rows.sample_weight), ("group", rows.groups)):
        _check_agreement(name, column, first, case)
    read = row >= 0
    if nested != "cases":
        read, row, first, case = _crossed(read, row, first, case, cells, missing)
    scores = rows.subset(first)
    names = cell_names(cells)
    table = {name: _values(values, row[k]) for k, name in enumerate(names.values())}
    kept = scores._replace(values=table, by={}, dropped=rows.dropped)
    order = [name for name in modality.names if name in {cell.modality for cell in cells}]
    readers = [name for name in reader.names if any(c.reader == name and c.modality != standalone for c in cells)]
    return Readings(kept, names, tuple(order), tuple(readers), read)


class _Key:
    """A column of labels, as codes and names."""

    def __init__(self, codes: Any, labels: tuple[Hashable, ...]) -> None:
        self.codes = codes.astype(np.int64)
        self.names = readable(labels)

    def subset(self, cases: BoolArray) -> "_Key":
        """The names of some of the cases."""
        key = object.__new__(_Key)
        key.codes, key.names = self.codes, tuple(np.array(self.names, dtype=object)[cases].tolist())
        return key


def _values(values: FloatArray, rows: IntArray) -> FloatArray:
    """The values of a cell; nan where it has no reading."""
    chosen = values[np.maximum(rows, 0)].astype(np.float64)
    chosen[rows < 0] = np.nan
    return chosen


def _check_duplicates(row: IntArray, cell: IntArray, case: _Key, cells: Sequence[Cell]) -> None:
    """Raise an error if a reader read a case twice with one modality."""
    kept = row[cell, case.codes]
    again = np.flatnonzero(kept != np.arange(len(cell)))
    if len(again):
        k = int(again[0])
        modality, reader = cells[cell[k]]
        raise InputError(
            f"Reader {reader!r} read case {case.names[case.codes[k]]!r} more than once with modality {modality!r} "
            f"(rows {k + 1} and {kept[k] + 1}, {len(again)} such rows in all); keep one reading, or average them."
        )


def _check_agreement(name: str, column: Any, first: IntArray, case: _Key) -> None:
    """Raise an error if the rows of a case differ in what belongs to the case."""
    if column is None:
        return
    differs = np.flatnonzero(column != column[first][case.codes])
    if len(differs):
        k = int(differs[0])
        raise InputError(
            f"Case {case.names[case.codes[k]]!r} has different values of its {name} (rows {k + 1} and "
            f"{first[case.codes[k]] + 1}); all rows of a case must agree there."
        )


def _crossed(
    read: BoolArray, row: IntArray, first: IntArray, case: _Key, cells: Sequence[Cell], missing: Missing
) -> tuple[BoolArray, IntArray, IntArray, _Key]:
    """The cases that all cells read; an error that names the missing readings unless these are to be dropped."""
    complete: BoolArray = np.asarray(read.all(axis=0))
    if complete.all():
        return read, row, first, case
    cell, place = (int(k[0]) for k in np.nonzero(~read))
    modality, reader = cells[cell]
    absent, cases = int((~read).sum()), counted(int((~read[cell]).sum()), "case")
    if missing == "drop" and complete.any():
        warn(
            f"{int((~complete).sum())} of {len(complete)} cases were not read by every reader with every "
            "modality, and are dropped.",
            DroppedRowsWarning,
        )
        return read[:, complete], row[:, complete], first[complete], case.subset(complete)
    raise InputError(
        Message(
            f"Reader {reader!r} has no reading of case {case.names[place]!r} with modality {modality!r} ({cases} "
            f"of this cell, {absent} of all {read.size} readings are missing). Add them; or drop the cases that "
            "not all have read with ",
            Option("missing", "drop"),
            "; or, if readers read different cases by design, use ",
            Option("nested", "cases"),
            ".",
        )
    )


def check_design(readings: Readings, nested: Nested | None, standalone: str | None) -> None:
    """Raise an error unless the readers, modalities and cases are as the design says."""
    human = [modality for modality in readings.modalities if modality != standalone]
    if standalone is not None and standalone not in readings.modalities:
        raise InputError(
            Option("standalone", standalone),
            f" is none of the modalities, which are {listed([repr(name) for name in readings.modalities])}.",
        )
    if not human:
        raise InputError("There is no modality with readers beside the stand-alone algorithm; nothing to compare.")
    if standalone is not None and len(readings.readers_of(standalone)) > 1:
        raise InputError(
            f"Modality {standalone!r} has {len(readings.readers_of(standalone))} readers, but ",
            Option("standalone", standalone),
            " is an algorithm without readers: one reading per case.",
        )
    (_check_nested_readers if nested == "readers" else _check_crossed_readers)(readings, human)
    if nested == "cases":
        _check_cases_of_readers(readings, human)
    few = min(human, key=lambda modality: len(readings.readers_of(modality)))
    if len(readings.readers_of(few)) < 2:
        raise InputError(
            f"A reader study needs two readers or more, but modality {few!r} has one, "
            f"{readings.readers_of(few)[0]!r}; with one reader the modalities are classifiers: use compare."
        )


def _check_crossed_readers(readings: Readings, human: Sequence[str]) -> None:
    """Raise an error for a reader who did not read all modalities."""
    for reader in readings.readers:
        own = [modality for modality in human if Cell(modality, reader) in readings.names]
        if len(own) < len(human):
            lacking = next(modality for modality in human if modality not in own)
            raise InputError(
                f"Reader {reader!r} read with modality {own[0]!r} but not with {lacking!r}; every reader must "
                "read with every modality. Leave the reader out; or, if readers differ between modalities by "
                "design, use ",
                Option("nested", "readers"),
                ".",
            )


def _check_cases_of_readers(readings: Readings, human: Sequence[str]) -> None:
    """Raise an error unless each reader read the same cases with all modalities."""
    for reader in readings.readers:
        first, *others = (readings.read[readings.cells.index(Cell(name, reader))] for name in human)
        for name, other in zip(human[1:], others, strict=True):
            if (first != other).any():
                raise InputError(
                    f"Reader {reader!r} read {counted(int((first & ~other).sum()), 'case')} with {human[0]!r} "
                    f"only, and {counted(int((other & ~first).sum()), 'case')} with {name!r} only, but with ",
                    Option("nested", "cases"),
                    " each reader reads the same cases with all modalities. Leave out the cases that the reader "
                    "did not read with all of them, or leave out the reader. A study in which no reader reads a "
                    "case with two modalities cannot be analysed here.",
                )


def _check_nested_readers(readings: Readings, human: Sequence[str]) -> None:
    """Raise an error unless each reader reads one modality, and all modalities have as many readers."""
    for reader in readings.readers:
        own = [modality for modality in human if Cell(modality, reader) in readings.names]
        if len(own) > 1:
            raise InputError(
                f"Reader {reader!r} read with {own[0]!r} and {own[1]!r}, but with ",
                Option("nested", "readers"),
                " each reader reads with one modality; leave it out, or give different readers different names.",
            )
    counts = {modality: len(readings.readers_of(modality)) for modality in human}
    if len(set(counts.values())) > 1:
        text = ", ".join(f"{name!r}: {count}" for name, count in counts.items())
        raise InputError(
            "With ",
            Option("nested", "readers"),
            f" all modalities need the same number of readers, got {text}; leave some out.",
        )


def check_ratings(readings: Readings) -> None:
    """Raise an error if a reader gave all cases the same rating."""
    for k, (cell, name) in enumerate(readings.names.items()):
        values = readings.scores.values[name][readings.read[k]]
        if (values == values[0]).all():
            raise InputError(
                f"Reader {cell.reader!r} gave all cases the same rating with modality {cell.modality!r}, which "
                "says nothing about the cases; correct the ratings, or leave the reader out."
            )
