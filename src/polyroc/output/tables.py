"""The table that every renderer takes: title, columns, rows of text, notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self, TypeAlias

from polyroc.output.numbers import (
    count_text,
    estimated_text,
    interval_text,
    level_text,
    number_text,
    p_number,
    unit_of,
)
from polyroc.output.sentences import printable

__all__ = ["SHOWN_ROWS", "Bar", "Column", "Row", "Table", "columns", "record_table"]

Record = Mapping[str, Any]
Row: TypeAlias = dict[str, str]
SHOWN_ROWS = 20  # of a long table: the first and the last ones
COUNTS = ("count", "cases", "events", "n")
HEADINGS = {
    "standard_error": "std. error",
    "monte_carlo_error": "Monte Carlo error",
    "pvalue": "p",
    "adjusted_pvalue": "p adjusted",
}


class Column(NamedTuple):
    """A column: its heading, and whether it holds numbers, which are aligned to the right."""

    name: str
    numeric: bool = False


class Bar(NamedTuple):
    """A value and its interval as shares of a scale, drawn beside the numbers in a report."""

    value: float
    low: float
    high: float
    chance: float | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text.

    Attributes
    ----------
    title, columns, rows, notes
        What is shown; rows have one cell per column.
    key
        Name of the table within a report.
    grouped
        True if equal neighbours in the first column belong together: a terminal shows the name once per group.
    bars
        One per row, or none at all.
    scale
        The values at the left end, the middle and the right end of the bars, if they share a scale.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    key: str = ""
    grouped: bool = False
    bars: tuple[Bar | None, ...] = ()
    scale: tuple[str, str, str] | None = None

    @classmethod
    def of(
        cls, title: str, rows: Sequence[Mapping[str, str]], notes: Sequence[str] = (), *, grouped: bool = False
    ) -> Self:
        """A table of rows by column; every text is made printable.

        A column other than the first is numeric if all its cells are numbers. A row may lack columns, as the parts
        of an estimate lack its p-value; the cell is then empty.

        >>> Table.of("Areas", [{"classifier": "lda", "value": "0.95"}]).columns[1]
        Column(name='value', numeric=True)
        """
        names = list(dict.fromkeys(name for row in rows for name in row))
        cells = tuple(tuple(printable(row.get(name, "")) for name in names) for row in rows)
        heads = [
            Column(printable(name), place > 0 and all(_is_number(row[place]) for row in cells))
            for place, name in enumerate(names)
        ]
        return cls(printable(title), tuple(heads), cells, tuple(map(printable, notes)), grouped=grouped)

    def shortened(self, most: int) -> Self:
        """The table as it is printed: of more than `most` rows the first and the last ones, and a note on that."""
        if len(self.rows) <= most:
            return self
        ends = SHOWN_ROWS // 2
        gap = ("...", *[""] * (len(self.columns) - 1))
        note = f"{SHOWN_ROWS} of {len(self.rows):,} rows; to_frame() and rows() have all."
        rows = (*self.rows[:ends], gap, *self.rows[-ends:])
        return replace(self, rows=rows, notes=(*self.notes, note), bars=())


def columns(texts: Sequence[str], numbers: Sequence[str] = ()) -> tuple[Column, ...]:
    """Columns of texts, then columns of numbers."""
    return (*(Column(name) for name in texts), *(Column(name, numeric=True) for name in numbers))


def _is_number(text: str) -> bool:
    """Whether a cell holds a number, a bound such as "< 0.001", or nothing."""
    try:
        float(text.removeprefix("< ") or "0")
    except ValueError:
        return False
    return True


def record_table(
    records: Sequence[Record], title: str = "", notes: Sequence[str] = (), *, hidden: Sequence[str] = ()
) -> Table:
    """The table of tidy records: empty columns left out, an interval in one column, numbers rounded.

    >>> table = record_table([{"measure": "auc", "value": 0.875, "low": 0.65, "high": 0.96, "level": 0.95}])
    >>> [column.name for column in table.columns], table.rows[0]
    (['measure', 'value', '95 % interval'], ('auc', '0.8750', '0.6500 to 0.9600'))
    """
    names = [name for name in (records[0] if records else ()) if name not in hidden]
    shown = [name for name in names if any(record.get(name) is not None for record in records)]
    if {"low", "high", "level"} <= set(shown):
        interval = f"{level_text(records[0]['level'])} interval"
        records = [_with_interval(record, interval) for record in records]
        shown = [interval if name == "low" else name for name in shown if name not in ("high", "level")]
    rows = [
        {HEADINGS.get(name, name.replace("_", " ")): _cell(name, record) for name in shown} for record in records
    ]
    return Table.of(title, rows, notes)


def _with_interval(record: Record, name: str) -> Record:
    ends = record["low"], record["high"]
    return {**record, name: None if None in ends else interval_text(ends, unit=_unit(record))}


def _unit(record: Record) -> float:
    """The order of magnitude of the numbers of a record, which its chance value shows."""
    return unit_of(record.get("chance"))


def _cell(name: str, record: Record) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if name == "df":
            return f"{value:g}"
        if name in COUNTS and value.is_integer():  # weighted counts have decimals
            return f"{value:.0f}"
        return p_number(value) if name.endswith("pvalue") else _number(name, value, record)
    return count_text(value) if isinstance(value, int) else str(value)


def _number(name: str, value: float, record: Record) -> str:
    error = record.get("standard_error")
    if error is None or name == "standard_error":
        return number_text(value, unit=_unit(record))
    return estimated_text(value, error, unit=_unit(record))
