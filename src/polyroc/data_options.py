"""The data of a verb: the options that describe it, declared once, and the one function that reads it.

`verb(data, y_score=None, *, <its own options>, **data_options)`: every verb passes its data options on unread to
`cases_of`, which decides whether they are arrays, `Scores`, a table, files or a Spark data frame. Options of the
command line and the table of the documentation are made from `DATA_OPTIONS`.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, Unpack

import numpy as np

from polyroc.engines.files import is_frame, is_session, is_source
from polyroc.engines.options import (
    Covariance,
    Engine,
    EngineOptions,
    columns_of_by,
    engine_options,
    fits_memory,
)
from polyroc.engines.support import Mode, Parts, Verb, check_supported, mode_of
from polyroc.errors import InputError, NotApplicableError
from polyroc.io.columns import ScorePatterns
from polyroc.io.inputs import check_file_options, resolve_input
from polyroc.io.read import read
from polyroc.io.sources import Decimal
from polyroc.io.text_copies import check_encoding
from polyroc.messages import Option, short_repr
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.validation.arrays import Missing
from polyroc.validation.option_table import DATA_OPTIONS
from polyroc.validation.scores import as_scores, pooled_scores
from polyroc.validation.signatures import own_check, validated
from polyroc.validation.weights import check_weight_kind

if TYPE_CHECKING:
    from polyroc.inference.methods.method import Method

__all__ = ["DataOptions", "WholeDataOptions", "cases_in_memory", "cases_of", "read_scores", "scan"]


class WholeDataOptions(TypedDict, total=False):
    """The options that describe data which are not divided into subgroups."""

    labels: Sequence[Hashable] | None
    pos_label: Hashable
    sample_weight: Any
    weight_kind: WeightKind | None
    groups: Any
    folds: Any
    repeats: Any
    pooled: bool
    negate: Annotated[str | Sequence[str] | bool | None, own_check]
    sampling: Sampling | None
    missing: Missing
    truth: Annotated[str | None, own_check]
    scores: ScorePatterns | None
    classifier: str | None
    case: Any
    class_: str | None
    table: str | None
    connection: Any
    decimal: Decimal
    encoding: str | None
    engine: Engine | None
    tolerance: float | None
    exact: bool
    memory: str | int | None
    disk: str | int | None
    covariance: Covariance


class DataOptions(WholeDataOptions, total=False):
    """The options that describe the data, of every verb; `DATA_OPTIONS` says what they mean."""

    by: Any


BEYOND_ARRAYS = tuple(option.name for option in DATA_OPTIONS.values() if option.kind in ("column", "text", "scan"))
COLUMNS_OF_ROWS = ("classifier", "case", "class_")  # of rows that are not cases


def cases_of(
    verb: Verb, data: Any, y_score: Any, options: DataOptions, method: "Method | None" = None
) -> Scores | EngineOptions:
    """Return the cases of a verb in memory, or the settings with which an engine reads them where they are.

    Parameters
    ----------
    verb
        Its name, in messages and in the table of what engines support.
    data, y_score, options
        The arguments of the verb.
    method
        The method of standard errors, which an engine may not support.
    """
    if isinstance(data, EngineOptions):
        settings = _with_subgroups(data, y_score, options)
        _check_engine(verb, mode_of(is_frame(settings.files)), settings, method, {})
        return settings
    if not _is_table_input(data, options):
        own: dict[str, Any] = {name: value for name, value in options.items() if name not in BEYOND_ARRAYS}
        return _checked(verb, as_scores(data, y_score, **own), options)
    columns = _columns(y_score, options)
    settings = _engine_settings(data, columns)
    if fits_memory(settings, columns.get("engine")):
        return _checked(verb, _loaded(settings, columns), options)
    _check_engine(verb, mode_of(is_frame(settings.files)), settings, method, columns)
    return settings


@validated
def read_scores(data: Any, y_score: Any = None, **data_options: Unpack[DataOptions]) -> Scores:
    """Return the cases in memory: what `Scores` does."""
    return cases_in_memory("Scores", data, y_score, data_options)


@validated
def scan(source: Any, **data_options: Unpack[DataOptions]) -> EngineOptions:
    """Name the columns of files, a table or a Spark data frame without loading their rows.

    Every verb takes the result as its data, like `Scores` from `polyroc.read`, and scans the rows where they are:
    in bins of the scores, with certified bounds.

    Parameters
    ----------
    source
        A path, a glob, a folder, a list of paths, a data frame, a lazy table or a Spark data frame.
    data_options
        `truth` and `scores` name columns; see `DataOptions`.
    """
    if not _is_table_input(source, data_options):
        raise InputError(f"scan takes files, a table or a Spark data frame, got {short_repr(source)}.")
    columns = _columns(None, data_options)
    settings = _engine_settings(source, columns)
    _check_engine(None, mode_of(is_frame(settings.files)), settings, None, columns)
    return settings


def _with_subgroups(settings: EngineOptions, y_score: Any, options: DataOptions) -> EngineOptions:
    """Return the settings with the subgroups of this call; everything else was said where they were made."""
    surplus = [
        name for name, value in options.items() if name != "by" and not DATA_OPTIONS[name].is_default(value)
    ]
    if y_score is not None or surplus:
        raise InputError(
            f"{', '.join(surplus) or 'y_score'} cannot be combined with a scan; pass it to polyroc.scan instead."
        )
    by = options.get("by")
    return settings if by is None else replace(settings, by=columns_of_by(by))


def cases_in_memory(verb: Verb, data: Any, y_score: Any, options: DataOptions) -> Scores:
    """Return the cases of a verb that needs all of them in memory."""
    if is_frame(data) or isinstance(data, EngineOptions):
        raise NotApplicableError(
            f"{verb} needs the cases in memory; read them, or a sample of them, with polyroc.read, and those of a "
            "Spark data frame with toPandas()."
        )
    for name in ("engine", "tolerance", "exact", "memory", "disk", "covariance"):
        value = options.get(name)
        if not (DATA_OPTIONS[name].is_default(value) or (isinstance(value, str) and value == "memory")):
            raise NotApplicableError(
                Option(name), f" is not for {verb}, which needs all cases in memory; omit it."
            )
    if _is_table_input(data, options):
        options = {**options, "engine": "memory"}
    scores = cases_of(verb, data, y_score, options)
    assert isinstance(scores, Scores)
    return scores


def _is_table_input(data: Any, options: Mapping[str, Any]) -> bool:
    """Return True if columns of the data are named; raise an error for options that the data do not have."""
    engine = options.get("engine")
    stated = [name for name in BEYOND_ARRAYS if not DATA_OPTIONS[name].is_default(options.get(name))]
    if type(data) is np.ndarray and not stated:
        return False
    spark = is_session(engine)
    if not (spark or engine is None or (isinstance(engine, str) and engine in ("duckdb", "memory"))):
        raise InputError(f"engine must be 'duckdb', 'memory' or a Spark session, got {short_repr(engine)}.")
    if is_frame(data):
        if engine is not None and not spark:
            raise InputError(f"A Spark data frame is evaluated by Spark; give its session instead of {engine!r}.")
        return True
    if spark:
        raise InputError(
            "engine=spark takes a Spark data frame; make one from files with spark.read.parquet(...)."
        )
    if options.get("truth") is not None and is_source(data):
        return True
    if stated or isinstance(data, str | PathLike):
        are = "are" if len(stated) > 1 else "is"
        names = f"{', '.join(stated)} {are} only valid for files and tables: pass" if stated else "Of a file, give"
        raise InputError(
            f"{names} a path, a list of paths, a glob, a data frame or a lazy table first, with ",
            Option("truth", ...),
            " and ",
            Option("scores", ...),
            ".",
        )
    return False


def _columns(y_score: Any, options: DataOptions) -> dict[str, Any]:
    """Return the options of a table, whose columns are named; arrays beside a table are an error."""
    columns = {name: value for name, value in options.items() if value is not None}
    if y_score is not None:
        raise InputError(
            "Of a file or a table, name columns (truth, scores) instead of passing arrays, here y_score."
        )
    for name in ("sample_weight", "groups", "folds", "repeats"):
        if not isinstance(columns.get(name, ""), str):
            raise InputError(
                f"With files and tables, {name} must be the name of a column, got {short_repr(columns[name])}."
            )
    for name in ("truth", "scores"):
        if name not in columns:
            raise InputError(
                "Files need ", Option("truth", ...), " and ", Option("scores", ...), f"; {name} is missing."
            )
    return columns


def _engine_settings(data: Any, columns: Mapping[str, Any]) -> EngineOptions:
    """Return the validated settings of an engine; open files and connections are resolved."""
    encoding = check_encoding(columns.get("encoding"))
    connection = columns.get("connection")
    check_file_options(data, connection, columns.get("decimal", "."), encoding)
    files = resolve_input(data, connection, encoding)
    return engine_options(files, columns)


def _loaded(settings: EngineOptions, columns: Mapping[str, Any]) -> Scores:
    """Return the cases of a small file or a table."""
    files = settings.files
    of_read = {name: value for name, value in columns.items() if DATA_OPTIONS[name].kind != "scan"}
    pooled = of_read.pop("pooled", False)
    of_read.pop("connection", None)  # it has read the files already
    of_read |= {"by": settings.by or None}
    scores = read(files[0] if isinstance(files, list | tuple) else files, **of_read)
    return pooled_scores(scores) if pooled else scores


def _checked(verb: Verb, scores: Scores, options: DataOptions) -> Scores:
    """Return the cases; an error if the verb has no subgroups and some were asked for."""
    if verb not in ("reader_study", "Scores") and options.get("by") is not None:
        check_supported("by", "memory", verb)
    return scores


def _check_engine(
    verb: Verb | None, mode: Mode, settings: EngineOptions, method: "Method | None", columns: Mapping[str, Any]
) -> None:
    """Raise an error if the verb needs something that the engine does not have."""
    frequency = check_weight_kind(columns.get("weight_kind"), settings.weight is not None) == "frequency"
    layout = [Option(name) for name in COLUMNS_OF_ROWS if name in columns]
    requested: dict[str, tuple[bool, Parts | None]] = {
        "folds": (any(columns.get(name) for name in ("folds", "repeats", "pooled")), None),
        "groups": (settings.groups is not None, None),
        "by": (bool(settings.by), None),
        "method": (method is not None and not method.works_on_bins, (f"{method}",)),
        "frequency": (frequency, None),
        "layout": (bool(layout), tuple(layout[:1])),
        "disk": (settings.disk is not None, None),
    }
    for feature, (is_requested, subject) in requested.items():
        if is_requested:
            check_supported(feature, mode, verb, subject)
    if settings.groups is not None and settings.covariance == "bound":
        raise NotApplicableError(
            Option("covariance", "bound"), " is not available with ", Option("groups"), "; leave it out."
        )
