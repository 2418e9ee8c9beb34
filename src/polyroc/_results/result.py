"""The base class of all results."""

import json
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from inspect import isfunction
from itertools import islice
from math import isfinite
from typing import Any, ClassVar, Literal, Self, get_args

from polyroc._results.codec import Record, decode_fields, encode_fields
from polyroc._results.invariants import check_invariants
from polyroc._results.provenance import Provenance
from polyroc.errors import InputError, MissingPackageError, PolyrocError
from polyroc.messages import short_repr
from polyroc.output.formats import html_table, latex_table
from polyroc.output.sentences import printable
from polyroc.output.tables import Table, record_table
from polyroc.output.text import as_text
from polyroc.validation.signatures import validated

__all__ = ["SCHEMA", "Result", "plain"]


FrameLibrary = Literal["pandas", "polars", "pyarrow"]
FRAME_LIBRARIES: tuple[FrameLibrary, ...] = get_args(FrameLibrary)
LATEX_LABEL = re.compile(r"[\w:.-]*")
MAX_PARTS = 20  # of a result, which nearly always have the same input
SCHEMA = 1  # of the layout of stored results


class Result(Record, ABC):
    """A frozen record that can be listed as rows, printed as a table, stored as JSON and read back."""

    __slots__ = ()
    _most_rows: ClassVar[int] = 60  # that are printed; of more, `SHOWN_ROWS` are

    def __init_subclass__(cls, **options: Any) -> None:
        """Tables and records check their arguments, whichever class makes them."""
        super().__init_subclass__(**options)
        for name in ("rows", "to_table", "conclusion"):
            method = cls.__dict__.get(name)
            if isfunction(method) and not hasattr(method, "__wrapped__"):
                setattr(cls, name, validated(method))

    @abstractmethod
    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """Tidy records: one flat dictionary per line of a table, with intervals at a level."""

    @validated
    def to_frame(self, level: float = 0.95, *, library: FrameLibrary | None = None) -> Any:
        """The rows as a data frame.

        Parameters
        ----------
        level
            Of the intervals.
        library
            "pandas", "polars" or "pyarrow". By default the first of these that the program has imported; if it
            has imported none, the first that is installed.
        """
        rows = self.rows(level)
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: [row.get(name) for row in rows] for name in names}
        imported = [name for name in FRAME_LIBRARIES if sys.modules.get(name) is not None]
        for name in (library,) if library else (*imported, *FRAME_LIBRARIES):
            try:
                module = import_module(name)
            except ImportError:
                continue
            return module.table(columns) if name == "pyarrow" else module.DataFrame(columns)
        needed = f"{library}, which is not installed" if library else "pandas or polars, and neither is installed"
        raise MissingPackageError(
            f"A data frame needs {needed}: pip install {library or 'pandas'}, or use rows()."
        )

    @validated
    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON: schema, kind and fields, with intervals at a level."""
        return {"schema": SCHEMA, "kind": type(self).__name__, **encode_fields(self, level)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what `to_dict` wrote, also in earlier versions."""
        try:
            result = cls._from_fields(decode_fields(cls, cls._checked(data), cls.__name__))
            check_invariants(result, cls.__name__)
        except PolyrocError:
            raise
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise InputError(
                f"This stored {cls.__name__} is damaged: its parts do not fit together ({error!r})."
            ) from None
        return result

    @validated
    def to_json(self, level: float = 0.95) -> str:
        """JSON text of `to_dict`."""
        return json.dumps(self.to_dict(level), indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` wrote; nothing in the text is executed."""
        try:
            data = json.loads(text)
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(f"Expected JSON text, got {short_repr(text)} ({error}).") from None
        return cls.from_dict(data)

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> Self:
        """The result with these fields; for results that have to rebuild what is not stored."""
        return cls(**fields)

    @classmethod
    def _checked(cls, data: Any) -> dict[str, Any]:
        """The data in the layout of this schema, if they are of this kind and of a schema that can be read."""
        kind, schema = (data.get("kind"), data.get("schema")) if isinstance(data, dict) else (None, None)
        if kind != cls.__name__ or type(schema) is not int or schema != SCHEMA:
            came = (
                f"kind {short_repr(kind)} of schema {short_repr(schema)}"
                if isinstance(data, dict)
                else short_repr(data)
            )
            raise InputError(
                f"Expected a stored {cls.__name__} of schema {SCHEMA}, got {came}; it may come from another "
                "version of polyroc."
            )
        return dict(data)

    @validated
    def to_table(self, level: float = 0.95) -> Table:
        """The records as a table of text, with intervals at a level."""
        return record_table(self.rows(level))

    @validated
    def to_latex(self, level: float = 0.95, *, caption: str | None = None, label: str = "") -> str:
        r"""The table as a LaTeX environment for the package booktabs.

        Parameters
        ----------
        level
            Of the intervals.
        caption
            By default the title of the table, if it has one.
        label
            For `\ref`, such as "tab:areas"; by default there is none.
        """
        if LATEX_LABEL.fullmatch(label) is None:
            raise InputError(f"label must have letters, digits and :-._ only, got {short_repr(label)}.")
        table = self._noted_table(level)
        return latex_table(table if caption is None else replace(table, title=caption), label)

    def __str__(self) -> str:
        return as_text(self._noted_table().shortened(self._most_rows))

    def _repr_html_(self) -> str:
        """The table as HTML, for notebooks."""
        return html_table(self._noted_table().shortened(self._most_rows))

    def _noted_table(self, level: float = 0.95) -> Table:
        """The table with the notes on the input below it."""
        table = self.to_table(level)
        notes = dict.fromkeys(note for one in _provenances(self) for note in one.input_notes)
        return replace(table, notes=(*table.notes, *map(printable, notes)))


def _provenances(result: Any) -> Iterator[Provenance]:
    """The provenance of a result, or those of its parts."""
    own = getattr(result, "provenance", None)
    if own is not None:
        yield own
        return
    for name in ("estimates", "curves", "groups", "confusion"):
        part = getattr(result, name, None)
        for value in islice(part.values(), MAX_PARTS) if isinstance(part, Mapping) else [part]:
            if value is not None:
                yield from _provenances(value)


def plain(value: float) -> float | None:
    """A number of a table; None if it is nan or infinite."""
    return float(value) if isfinite(value) else None
