"""Options of the verbs for file input, and the choice between reading a file into memory and an engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np

from polyroc.engines.files import Files, find_files, is_frame, is_session, is_source
from polyroc.engines.session import parse_size
from polyroc.errors import InputError
from polyroc.io.columns import ScorePatterns
from polyroc.io.frames import is_lazy, is_table
from polyroc.io.sources import Decimal, expand_home
from polyroc.io.text_copies import check_encoding
from polyroc.kernels.threads import machine_memory
from polyroc.messages import Option, short_repr
from polyroc.scores import Sampling
from polyroc.validation.arguments import did_you_mean

__all__ = [
    "MEMORY_SHARE",
    "Covariance",
    "Engine",
    "EngineOptions",
    "FileOptions",
    "LayoutOptions",
    "TableOptions",
    "engine_options",
    "fits_memory",
    "is_file_input",
    "is_large",
]

Covariance = Literal["joined", "bound"]
Engine = Literal["duckdb", "memory"] | Any  # or a Spark session
OFTEN_MEANT = ("measure", "method", "labels", "pos_label", "sample_weight", "groups", "folds", "by", "negate")
LAYOUT = ("classifier", "case", "class_")  # columns of rows that are not cases, as in `read`
SPARK_MEMORY = 2**30  # bytes of a Spark task and of the driver, by default
MEMORY_SHARE = (
    4  # files larger than memory / MEMORY_SHARE are not read into it: parsed, they take several times more
)


class TableOptions(TypedDict, total=False):
    """The columns of files and tables, which table of which connection, and how text is written; as in `read`."""

    truth: str
    scores: ScorePatterns
    weight: str | None
    table: str | None
    connection: Any
    decimal: Decimal
    encoding: str | None


class FileOptions(TableOptions, total=False):
    """The options of the verbs for files and tables: columns, and how the engine works."""

    tolerance: float | None
    exact: bool
    memory: str | int | None
    disk: str | int | None
    covariance: Covariance


class LayoutOptions(FileOptions, total=False):
    """The same, with the columns of several rows per case; for verbs whose `classifier` is not a name."""

    classifier: str | None
    case: str | None
    class_: str | None


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """The same options, validated, with the files, the table or the Spark data frame."""

    files: Any
    truth: str
    scores: ScorePatterns
    weight: str | None
    by: tuple[str, ...]
    tolerance: float | None
    exact: bool
    memory: int
    disk: int | None
    covariance: Covariance
    sampling: Sampling = "cohort"
    groups: str | None = None
    table: str | None = None
    negate: Any = None
    decimal: Decimal = "."
    encoding: str | None = None
    layout: tuple[tuple[str, str], ...] = ()  # the columns of several rows per case, by option


def engine_options(files: Files | Any, options: Mapping[str, Any]) -> EngineOptions:
    """Validate the options for file input."""
    known = [*LayoutOptions.__annotations__, "by", "negate"]
    unknown = [name for name in options if name not in known]
    if unknown:
        raise InputError(f"There is no option {unknown[0]!r}; files are read with {', '.join(known)}.")
    for name in ("truth", "scores"):
        if options.get(name) is None:
            raise InputError(
                "Files need ", Option("truth", ...), " and ", Option("scores", ...), f"; {name} is missing."
            )
    tolerance = options.get("tolerance")
    if tolerance is not None and not tolerance > 0:
        raise InputError(
            f"tolerance must be positive, got {tolerance!r}; for exact results use ", Option("exact", True), "."
        )
    covariance = options.get("covariance", "joined")
    if covariance not in ("joined", "bound"):
        raise InputError(f"covariance must be 'joined' or 'bound', got {covariance!r}.")
    default_memory = SPARK_MEMORY if is_frame(files) else machine_memory() // 2
    by, memory, disk = options.get("by"), options.get("memory"), options.get("disk")
    return EngineOptions(
        files=files,
        truth=options["truth"],
        scores=options["scores"],
        weight=options.get("weight"),
        by=_columns_of_by(by),
        tolerance=tolerance,
        exact=bool(options.get("exact", False)),
        memory=default_memory if memory is None else parse_size(memory),
        disk=None if disk is None else parse_size(disk, "disk"),
        covariance=covariance,
        table=options.get("table"),
        negate=options.get("negate"),
        decimal=options.get("decimal", "."),
        encoding=check_encoding(options.get("encoding")),
        layout=tuple((name, options[name]) for name in LAYOUT if options.get(name) is not None),
    )


def _columns_of_by(by: Any) -> tuple[str, ...]:
    """The names of the columns that divide the rows."""
    names = (by,) if isinstance(by, str) else () if by is None else by
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise InputError(f"Of files and tables, by must be a column or a list of columns, got {short_repr(by)}.")
    return tuple(dict.fromkeys(names))


def is_file_input(data: Any, engine: Engine | None, options: Mapping[str, Any]) -> bool:
    """Whether the first argument of a verb names files, or is a table whose columns are named.

    It is an error if the engine or the options are those of file input, and the first argument is not.
    """
    if type(data) is np.ndarray and engine is None and not options:
        return False
    spark = is_session(engine)
    if not spark and engine is not None and not (isinstance(engine, str) and engine in ("duckdb", "memory")):
        raise InputError(f"engine must be 'duckdb', 'memory' or a Spark session, got {short_repr(engine)}.")
    if is_frame(data):
        if engine is not None and not spark:
            raise InputError(f"A Spark data frame is evaluated by Spark; give its session instead of {engine!r}.")
        return True
    if spark:
        raise InputError(
            "engine=spark takes a Spark data frame; make one from files with spark.read.parquet(...)."
        )
    is_input = options.get("truth") is not None and is_source(data)
    unknown = [name for name in options if name not in LayoutOptions.__annotations__]
    if not is_input and unknown:
        hint = did_you_mean(unknown[0], [name for name in OFTEN_MEANT if name != unknown[0]])
        hint = hint if hint.startswith("did") else "the documentation of the function lists them."
        raise InputError(f"There is no option {unknown[0]!r}; {hint}")
    if not is_input and (engine is not None or options):
        names = ", ".join([*(["engine"] if engine else []), *options])
        raise InputError(
            f"{names} are only valid for files and tables: pass a path, a list of paths, a glob, a data frame or "
            "a lazy table first, with ",
            Option("truth", ...),
            " and ",
            Option("scores", ...),
            ".",
        )
    return is_input


def fits_memory(options: EngineOptions, engine: Engine | None) -> bool:
    """Whether to read the data into memory: as requested, or small data without an option that needs an engine."""
    files = options.files
    if is_frame(files):
        return False
    if engine == "duckdb" or (engine is None and (options.tolerance is not None or options.exact)):
        return False
    if is_table(files):
        return engine == "memory" or not is_lazy(files)
    single = files if isinstance(files, str | PathLike) else files[0] if len(files) == 1 else None
    single = None if single is None else expand_home(Path(single))
    is_one_file = single is not None and single.is_file()
    if engine == "memory":
        if not is_one_file and find_files(files):
            raise InputError(
                Option("engine", "memory"),
                " reads one file; several files, globs and folders need ",
                Option("engine", "duckdb"),
                ".",
            )
        return True
    return is_one_file and not is_large([single])


def is_large(files: Sequence[Any]) -> bool:
    """Whether files are larger than a quarter of the memory."""
    return sum(Path(file).stat().st_size for file in files) * MEMORY_SHARE > machine_memory()
