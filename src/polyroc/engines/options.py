"""The settings of an engine, and the choice between reading a file into memory and an engine."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from polyroc.engines.files import Files, find_files, is_frame
from polyroc.engines.session import parse_size
from polyroc.errors import InputError
from polyroc.io.columns import ScorePatterns
from polyroc.io.frames import is_lazy, is_table
from polyroc.io.sources import Decimal, expand_home
from polyroc.io.text_copies import check_encoding
from polyroc.kernels.threads import machine_memory
from polyroc.messages import Option, short_repr
from polyroc.scores import Sampling
from polyroc.validation.arrays import Missing
from polyroc.validation.weights import check_sampling

__all__ = ["Covariance", "Engine", "EngineOptions", "columns_of_by", "engine_options", "fits_memory"]

Covariance = Literal["joined", "bound"]
Engine = Literal["duckdb", "memory"] | Any  # or a Spark session
SPARK_MEMORY = 2**30  # bytes of a Spark task and of the driver, by default
MEMORY_SHARE = (
    4  # files larger than memory / MEMORY_SHARE are not read into it: parsed, they take several times more
)


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Where the cases are, which columns are what, and how an engine reads them, validated."""

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
    labels: Sequence[Hashable] | None = None
    pos_label: Hashable = None
    missing: Missing = "raise"


def engine_options(files: Files | Any, options: Mapping[str, Any]) -> EngineOptions:
    """Return the settings of an engine, from the options of the data that are not None."""
    tolerance = options.get("tolerance")
    if tolerance is not None and not tolerance > 0:
        raise InputError(
            f"tolerance must be positive, got {tolerance!r}; for exact results use ", Option("exact", True), "."
        )
    covariance = options.get("covariance", "joined")
    if covariance not in ("joined", "bound"):
        raise InputError(f"covariance must be 'joined' or 'bound', got {covariance!r}.")
    default_memory = SPARK_MEMORY if is_frame(files) else machine_memory() // 2
    memory, disk = options.get("memory"), options.get("disk")
    as_they_are = ("groups", "table", "negate", "labels", "pos_label", "missing", "decimal")
    return EngineOptions(
        files=files,
        truth=options["truth"],
        scores=options["scores"],
        weight=options.get("sample_weight"),
        by=columns_of_by(options.get("by")),
        tolerance=tolerance,
        exact=bool(options.get("exact", False)),
        memory=default_memory if memory is None else parse_size(memory),
        disk=None if disk is None else parse_size(disk, "disk"),
        covariance=covariance,
        sampling=check_sampling(options.get("sampling")),
        encoding=check_encoding(options.get("encoding")),
        **{name: options[name] for name in as_they_are if name in options},
    )


def columns_of_by(by: Any) -> tuple[str, ...]:
    """Return the names of the columns that divide the rows."""
    names = (by,) if isinstance(by, str) else () if by is None else by
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise InputError(f"Of files and tables, by must be a column or a list of columns, got {short_repr(by)}.")
    return tuple(dict.fromkeys(names))


def fits_memory(options: EngineOptions, engine: Engine | None) -> bool:
    """Return whether to read the data into memory: as requested, or small data without an option of engines."""
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
    """Return whether files are larger than a quarter of the memory."""
    return sum(Path(file).stat().st_size for file in files) * MEMORY_SHARE > machine_memory()
