"""What jobs do: read the first rows of a file, make a report, choose an operating point, plan a sample size."""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from polyroc.errors import InputError, OptimismWarning, PolyrocError, PolyrocWarning
from polyroc.io.sources import DataFile
from polyroc.messages import Message, Option
from polyroc.output.tables import Table
from polyroc.scores import Scores
from polyroc.serve.limits import Limits

__all__ = ["choose_point", "make_report", "plan_size", "preview_file", "shortened"]

Progress = Callable[[int, int, str], None]
MOST_SHOWN = 60  # characters of a value
MOST_NAMES = 2**20  # characters of all column names, and of all listed values
MOST_LABEL = 200  # characters of a class
MOST_CHOICES = 200  # sheets of a workbook that are listed
_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
RESAMPLES = 2000  # the default of the command line
ASKED = ("encoding", "table")  # options that the page asks for if the file cannot be read without them


def preview_file(
    path: Path, name: str, limits: Limits, reading: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The columns and the first rows of a file, and the roles that are suggested, as plain data.

    If the file cannot be read without its encoding, or has several sheets, the result is the message and what is
    to be asked.
    """
    from polyroc.serve.forms import field_spelling

    progress(0, 0, "reading")
    try:
        return _previewed(path, name, limits, dict(reading), progress)
    except InputError as error:
        options = [part for part in error.message.parts if isinstance(part, Option) and part.name in ASKED]
        if not options:
            raise
        choices = [str(value) for value in options[0].values if value is not ...][:MOST_CHOICES]
        text = error.render(field_spelling)
        return {"asks": options[0].name, "choices": choices, "message": text, "reading": dict(reading)}


def _previewed(
    path: Path, name: str, limits: Limits, reading: dict[str, Any], progress: Progress
) -> dict[str, Any]:
    from polyroc.inference.evaluate import evaluate
    from polyroc.io.preview import distinct_values, preview
    from polyroc.io.read import read
    from polyroc.measures.registry import headline_measure
    from polyroc.serve.forms import as_study, field_spelling
    from polyroc.serve.suggestions import classifier_names, readable_suggestions, row_suggestions

    file, table = _file(path, name, reading), reading.get("table")
    seen = preview(file, most_columns=limits.columns, table=table)
    if not seen.previewed:
        raise InputError(f"{file.name} has column names but no rows; write the file again.")
    if sum(len(column.name) for column in seen.columns) > MOST_NAMES:
        raise InputError(f"The column names of {file.name} are too long; shorten them.")
    if "decimal" not in reading and _has_decimal_commas(seen):
        return _previewed(path, name, limits, {**reading, "decimal": ","}, progress)
    _check_rows(file, limits, table)
    progress(0, 0, "looking for classes and scores")
    with suppress(PolyrocError):  # too many values for the memory: those of the first rows will do
        seen = distinct_values(file, seen, table)
    names = classifier_names(seen)
    doubts: list[str] = []

    def attempt(**options: Any) -> None:
        with _silent():
            if "reader" in options:
                doubts[:] = _read(file, as_study({**options, **reading})).provenance.notes or ()
                return
            scores = read(file, **options, **reading)
            ungrouped = {role: column for role, column in options.items() if role != "groups"}
            doubts[:] = (scores if ungrouped == options else read(file, **ungrouped, **reading)).notes
            if "folds" in options:  # within which the measures must be defined
                evaluate(scores, measure=headline_measure(scores), method=None)

    suggested, problem = readable_suggestions(seen, attempt, names)
    if further := row_suggestions(notes := [*doubts]):
        suggested, problem = readable_suggestions(seen, attempt, names, further)
        notes = [*doubts] if {"classifier", "reader"} & {one.role for one in suggested} else notes
    if problem is not None:
        notes.append(Message("Some roles are not suggested: ", problem))
    texts = [note.render(field_spelling) if isinstance(note, Message) else note for note in notes]
    odd = [column for column in seen.columns if column.odd is not None]
    texts += [
        f"Column {c.name!r} is no score because of {shortened(str(c.odd))!r}; leave such cells empty." for c in odd
    ]
    listed = _listed_values(seen)
    return {
        "columns": [
            {
                "name": column.name,
                "distinct": column.distinct,
                "range": f"{column.low:.4g} to {column.high:.4g}" if column.numeric else None,
                "classes": listed.get(column.name, []),
            }
            for column in seen.columns
        ],
        "rows": [[None if value is None else shortened(value) for value in row] for row in seen.rows],
        "previewed": seen.previewed,
        "suggestions": [one._asdict() for one in suggested],
        "notes": texts,
        "names": names,
        "reading": reading,
    }


def _listed_values(seen: Any) -> dict[str, list[str]]:
    """By column its values, as possible classes; of long ones and of very many columns none, to limit the page."""
    listed: dict[str, list[str]] = {}
    room = MOST_NAMES
    for column in seen.columns:
        room -= sum(map(len, column.values))
        if column.values and room > 0 and max(map(len, column.values)) <= MOST_LABEL:
            listed[column.name] = list(column.values)
    return listed


def _file(path: Path, name: str, reading: Mapping[str, Any]) -> DataFile:
    """The stored file, which messages call by the visitor's name."""
    from polyroc.io.text_copies import check_encoding

    return DataFile(path, name, reading.get("decimal", "."), check_encoding(reading.get("encoding")))


def _has_decimal_commas(seen: Any) -> bool:
    """Whether a column of text is one of numbers with decimal commas, and none has numbers with points."""
    places = [place for place, column in enumerate(seen.columns) if not column.numeric]
    values = [[row[place] for row in seen.rows if row[place] is not None] for place in places]
    commas = any(own and all(_COMMA.fullmatch(value) for value in own) for own in values)
    points = any(column.numeric and column.low != round(column.low or 0) for column in seen.columns)
    return commas and not points


@contextmanager
def _silent() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PolyrocWarning)
        yield


def make_report(
    path: Path,
    name: str,
    limits: Limits,
    target: Path,
    columns: dict[str, Any],
    repeat: list[str],
    progress: Progress,
) -> None:
    """Read a file by the chosen columns and write its report."""
    from polyroc.reports.report import report

    scores = _scores(path, name, limits, columns, progress)
    options: dict[str, Any] = {"progress": progress, "by": columns.get("by")} if isinstance(scores, Scores) else {}
    report(scores, path=target, title=name, repeat=repeat, **options)


def _scores(path: Path, name: str, limits: Limits, columns: dict[str, Any], progress: Progress) -> Any:
    file = _file(path, name, columns)
    progress(0, 0, "reading")
    _check_rows(file, limits, columns.get("table"))
    return _read(DataFile(path, name), columns)


def _read(file: DataFile, columns: Mapping[str, Any]) -> Any:
    """Read a file by the chosen columns; with readers, as a reader study."""
    from polyroc.io.read import read
    from polyroc.readers.reader_study import reader_study

    if "reader" not in columns:
        return read(file, **columns)
    named = {role: columns[role] for role in ("reader", "modality", "case") if role in columns}
    others = {role: column for role, column in columns.items() if role not in ("measure", *named)}
    missing = {"missing": columns["missing"]} if "missing" in columns else {}
    rows = read(file, **others, by=[*named.values()])
    return reader_study(rows, measure=columns["measure"], **named, **missing)


def choose_point(
    path: Path,
    name: str,
    limits: Limits,
    columns: dict[str, Any],
    terms: dict[str, Any],
    progress: Progress,
) -> dict[str, Any]:
    """Choose an operating point: a table of rates, sentences, and the rule as JSON."""
    from polyroc.decisions.operate import operate
    from polyroc.decisions.pages import point_page
    from polyroc.inference.methods import Bootstrap

    if "method" in terms:
        terms = {**terms, "method": Bootstrap(replicates=RESAMPLES, rng=0)}
    with _noting() as notes:
        scores = _scores(path, name, limits, columns, progress)
        progress(0, 0, "choosing")
        point = operate(scores, **terms, progress=progress)
    return {**_plain(point_page(point, 0.95, name), notes), "rule": point.rule.to_json()}


def plan_size(question: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Plan a sample size: a table of cases by class, and sentences."""
    from polyroc.power.pages import size_page
    from polyroc.power.sample_size import sample_size

    progress(0, 0, "planning")
    with _noting() as notes:
        planned = sample_size(**question)
    return _plain(size_page(planned), notes)


@contextmanager
def _noting() -> Iterator[list[str]]:
    """The warnings as notes for a reader of the page, which itself says on which cases a rule was chosen."""
    from polyroc.serve.forms import field_spelling

    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PolyrocWarning)
        warnings.simplefilter("ignore", OptimismWarning)
        yield notes
    own = (one.message for one in caught if isinstance(one.message, PolyrocWarning))
    notes += [warning.message.render(field_spelling) for warning in own]


def _plain(table: Table, notes: list[str]) -> dict[str, Any]:
    """A table as plain data."""
    return {
        "title": table.title,
        "columns": [column.name for column in table.columns],
        "rows": [list(row) for row in table.rows],
        "notes": [note for note in (*table.notes, *notes) if note],
    }


def _check_rows(file: DataFile, limits: Limits, table: str | None) -> None:
    from polyroc.io.preview import has_more_rows

    try:
        more = has_more_rows(file, limits.rows, table)
    except PolyrocError:  # `read` says which rows cannot be read
        return
    if more:
        raise InputError(
            f"{file.name} has more than {limits.rows:,} rows, the limit of this page; for larger files use the "
            "command line: polyroc report FILE."
        )


def shortened(text: str) -> str:
    """A text of at most 60 characters.

    >>> shortened("a" * 100) == "a" * 57 + "..."
    True
    """
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."
