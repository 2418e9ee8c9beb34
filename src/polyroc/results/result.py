"""Arrays of numbers for JSON, which knows no nan and no infinity."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import inf, isfinite, isnan, nan
from typing import Any, Self

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.output.html import html_table
from polyroc.output.tables import Table, record_table
from polyroc.output.text import as_text

__all__ = [
    "SCHEMA",
    "Result",
    "number",
    "plain",
    "restored",
    "stored",
    "tidy",
]


def stored(values: FloatArray) -> list[float | str | None]:
    """The numbers as a list: nan as None, infinity as text.

    >>> stored(np.array([np.inf, 0.5, np.nan]))
    ['inf', 0.5, None]
    """
    return [v if isfinite(v) else None if isnan(v) else str(v) for v in values.tolist()]


def restored(values: Sequence[float | str | None]) -> FloatArray:
    """What `stored` wrote, read back."""
    special = {None: nan, "inf": inf, "-inf": -inf}
    return np.array([special[v] if v is None or isinstance(v, str) else v for v in values], dtype=np.float64)


SCHEMA = 1


class Result(ABC):
    """A frozen record that can be listed, stored, read back and shown."""

    __slots__ = ()

    @abstractmethod
    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """Tidy records: one flat dictionary per line of a table, with intervals at a level."""

    @abstractmethod
    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON, with the schema's version and intervals at a level."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""

    @classmethod
    def _checked(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The data, if they are of this kind and of a version that can be read."""
        data = _with_present_names(data)
        kind, schema = data.get("kind"), data.get("schema")
        if kind != cls.__name__ or schema != SCHEMA:
            raise InputError(
                f"Expected a stored {cls.__name__} of schema {SCHEMA}, got {kind!r} of schema {schema!r}; "
                "it may come from another version of polyroc."
            )
        return data

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by plain data: what is computed lazily does not travel, its results do."""
        return type(self).from_dict, (self.to_dict(),)

    def to_table(self, level: float = 0.95) -> Table:
        """The records as a table of text, with intervals at a level."""
        return record_table(self.rows(level))

    def __str__(self) -> str:
        return as_text(self.to_table())

    def _repr_html_(self) -> str:
        """The table as HTML, for notebooks."""
        return html_table(self.to_table())


# Results and fields that were stored under another name.
RENAMED_KINDS = {"Contrast": "MeasureComparison", "Contrasts": "MeasureComparisons"}
RENAMED_FIELDS = {"MeasureComparison": {"world": "model"}, "MeasureComparisons": {"contrasts": "comparisons"}}


def _with_present_names(data: dict[str, Any]) -> dict[str, Any]:
    stored = data.get("kind")
    kind = RENAMED_KINDS.get(str(stored), stored)
    names = RENAMED_FIELDS.get(str(kind), {})
    return {names.get(name, name): value for name, value in data.items()} | {"kind": kind}


def plain(value: float) -> float | None:
    """A number for JSON, which knows no nan and no infinity."""
    return float(value) if isfinite(value) else None


def number(value: float | None) -> float:
    """A number from JSON, where nothing is nan."""
    return nan if value is None else value


def tidy(values: FloatArray, scale: FloatArray) -> FloatArray:
    """Each value rounded to the twelfth digit of its scale.

    >>> tidy(np.array([0.1 + 0.2, 0.3]), np.ones(1)).tolist()
    [0.3, 0.3]
    """
    size = np.abs(scale)
    places = 12 - np.ceil(np.log10(np.where(size > 0, size, 1.0)))
    unit = 10.0 ** np.clip(places, -290, 290)
    rounded: FloatArray = np.round(values * unit) / unit
    return rounded
