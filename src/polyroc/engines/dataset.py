"""From files and what is asked of them to rows: which columns, which classes, which rows count."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from polyroc.engines.rows import DuckRows, Rows, code_of
from polyroc.engines.session import EngineSession
from polyroc.engines.source import Files, check_files, find_files, open_files
from polyroc.errors import DroppedRowsWarning, InputError, warn
from polyroc.io.columns import Asked, Columns, Request, choose
from polyroc.io.messages import ColumnWords, columns_named
from polyroc.io.predictions import as_labels, class_columns, like
from polyroc.io.sources import Kind, Source
from polyroc.scores import Sampling, Schema
from polyroc.validation.arrays import Missing
from polyroc.validation.scores import schema_of

__all__ = [
    "MOST_LABELS",
    "Opened",
    "OpenedFiles",
    "Question",
    "bind_columns",
    "columns_of",
    "kind_of_labels",
    "left_out",
    "opened",
    "sorted_labels",
]

MOST_LABELS = 65536


class Question(NamedTuple):
    """Which columns are meant and what they mean, as in `read`; `by` are columns that make groups."""

    truth: str
    scores: Request
    weight: str | None
    by: Sequence[str]
    labels: Sequence[Hashable] | None
    pos_label: Hashable
    missing: Missing
    sampling: Sampling = "cohort"


@dataclass(frozen=True, eq=False)
class Opened:
    """Rows ready to be judged.

    Attributes
    ----------
    rows
        The rows, their score columns numbered.
    classifiers
        By name: the numbers of its columns.
    schema
        The classes and the kind of the scores, from which applicability of a measure is checked.
    dropped
        How many rows are left out because something is missing.
    """

    rows: Rows
    classifiers: dict[str, tuple[int, ...]]
    schema: Schema
    dropped: int

    def expected(self) -> int | None:
        """How many rows there are, if that is known without going through them."""
        return None


@dataclass(frozen=True, eq=False)
class OpenedFiles(Opened):
    """Rows of files, ready to be judged."""

    rows: DuckRows

    def expected(self) -> int | None:
        """How many rows there are, which Parquet files say at their end."""
        source = self.rows.source
        if not source.call.startswith("read_parquet"):
            return None
        query = "SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata(?)"
        ((found,),) = self.rows.session.rows(query, source.parameters, source.name)
        return int(found) - self.dropped

    def where(self, condition: str, told: Sequence[Any]) -> DuckRows:
        """The rows that also meet a condition on the columns c0, c1, ..."""
        code, before = self.rows.told
        return replace(
            self.rows, condition=f"{self.rows.condition} AND {condition}", told=(code, [*before, *told])
        )

    def column(self, name: str) -> str:
        """A column's name in queries."""
        return f"c{self.rows.source.columns.index(name)}"


@contextmanager
def opened(files: Files, question: Question, memory: int, disk: int | None = None) -> Iterator[OpenedFiles]:
    """Open files."""
    found = find_files(files)
    with EngineSession(memory // 2, disk) as session:
        source = open_files(session, found)
        columns = columns_of(source, question)
        held = _labels(session, source, columns.truth)
        classifiers, names, schema = bind_columns(source, columns, held, question)
        weight = [question.weight] if question.weight else []
        check_files(session, found, (*names, *weight), (question.truth, *question.by))
        truth = f"c{source.columns.index(question.truth)}"
        code, told = code_of(truth, schema.labels)
        rows = DuckRows(
            session,
            source,
            code,
            names,
            [_number(source, name) for name in names],
            _number(source, question.weight) if question.weight else None,
            "TRUE",
            (told, ()),
            memory // 4,
            sum(Path(file).stat().st_size for file in found),
        )
        dropped = 0
        if question.missing == "drop":
            rows, dropped = _complete(rows, truth)
        yield OpenedFiles(rows, classifiers, schema, dropped)


def _number(source: Source, name: str) -> str:
    return f"CAST(c{source.columns.index(name)} AS DOUBLE)"


def _labels(session: EngineSession, source: Source, truth: str) -> tuple[Hashable, ...]:
    """The distinct true classes, sorted."""
    cast = {"integer": "HUGEINT", "float": "DOUBLE", "boolean": "BOOLEAN"}.get(
        kind_of_labels(source, truth), "VARCHAR"
    )
    found = session.rows(
        source.select([f"DISTINCT CAST(c{source.columns.index(truth)} AS {cast}) AS label"])
        + f" LIMIT {MOST_LABELS + 2}",
        source.parameters,
        source.name,
    )
    return sorted_labels((label for (label,) in found), truth)


def columns_of(source: Source, question: Question) -> Columns:
    """The columns asked for, all of which are there."""
    asked = Asked(question.truth, question.scores, None, None, None, question.weight, None)
    found = choose(asked, source, question.by)
    for name in (question.truth, *question.by):
        kind_of_labels(source, name)
    return found


def kind_of_labels(source: Source, name: str) -> Kind:
    """What a column of labels holds."""
    assert source.kinds is not None
    kind = source.kinds[source.columns.index(name)]
    if kind == "other":
        raise InputError(f"column {name!r} of {source.name} holds lists or records; name another column.")
    return kind


def sorted_labels(found: Iterable[Any], truth: str) -> tuple[Hashable, ...]:
    """The distinct labels that are not missing, if there are not too many."""
    held = [label for label in found if label is not None and label == label]
    if len(held) > MOST_LABELS:
        raise InputError(
            f"column {truth!r} holds more than {MOST_LABELS} different labels; is it the right column?"
        )
    return tuple(sorted(held))


def bind_columns(
    source: Source, columns: Columns, held: tuple[Hashable, ...], question: Question
) -> tuple[dict[str, tuple[int, ...]], list[str], Schema]:
    """By classifier the numbers of its columns; the names of all columns of scores; and the schema."""
    if not held:
        raise InputError(f"column {columns.truth!r} of {source.name} has no label at all; is it the right column?")
    order = as_labels(question.labels, held)
    labels = order or held
    names: list[str] = []
    classifiers: dict[str, tuple[int, ...]] = {}
    for classifier, asked in columns.scores.items():
        wanted = asked.names
        if len(wanted) > 1:
            wanted = class_columns(source.name, asked, labels, order is not None)
        names += [name for name in wanted if name not in names]
        classifiers[classifier] = tuple(names.index(name) for name in wanted)
    shapes = {len(numbers) for numbers in classifiers.values()}
    if len(shapes) > 1:
        raise InputError("All classifiers must give the same kind of scores; evaluate them apart.")
    (width,) = shapes
    arguments = ColumnWords(truth=columns_named([columns.truth]), scores=columns_named(names))
    schema = schema_of(
        held,
        [*classifiers],
        width,
        labels=order,
        pos_label=like(question.pos_label, labels),
        sampling=question.sampling,
        arguments=arguments,
    )
    return classifiers, names, schema


def _complete(rows: DuckRows, truth: str) -> tuple[DuckRows, int]:
    """Only the rows with nothing missing, and how many are not."""
    parts = [f"NOT isnan({each})" for each in (*rows.expressions, *([rows.weight] if rows.weight else []))]
    condition = " AND ".join([f"{truth} IS NOT NULL", *parts])
    whole, kept = rows.session.rows(
        rows.source.select(["count(*)", f"count(*) FILTER ({condition})"]),
        rows.source.parameters,
        rows.source.name,
    )[0]
    return replace(rows, condition=condition), left_out(whole, kept)


def left_out(whole: int, kept: int) -> int:
    """How many rows are not kept, which is said aloud."""
    if not kept:
        raise InputError("Every row has a missing value; nothing is left to evaluate.")
    if kept < whole:
        warn(f"Dropped {whole - kept} of {whole} rows with missing values.", DroppedRowsWarning)
    return whole - kept
