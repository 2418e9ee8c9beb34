"""What the verbs take beside files, and whether these are large enough for an engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypedDict

from polyroc.engines.session import machine_memory, parse_size
from polyroc.engines.source import Files, find_files, is_files, is_frame, is_session
from polyroc.errors import InputError
from polyroc.io.columns import Request
from polyroc.messages import Option
from polyroc.scores import Sampling

__all__ = [
    "SHARE",
    "Covariance",
    "Engine",
    "Reading",
    "Settings",
    "is_large",
    "over_files",
    "settings",
    "suits_memory",
]

Covariance = Literal["joined", "bound"]
Engine = Literal["duckdb", "memory"] | Any  # or a session of Spark
TASK = 2**30  # bytes for a task of Spark and for its driver, unless said otherwise
SHARE = 4  # files larger than one part in so many of the memory are not read into it


class Reading(TypedDict, total=False):
    """What the verbs take beside the files: columns as in `read`, and how the engine goes about it."""

    truth: str
    scores: Request
    weight: str | None
    tolerance: float | None
    exact: bool
    memory: str | int | None
    disk: str | int | None
    covariance: Covariance


@dataclass(frozen=True, slots=True)
class Settings:
    """The same, checked."""

    files: Any  # paths, or a data frame of Spark
    truth: str
    scores: Request
    weight: str | None
    by: tuple[str, ...]
    tolerance: float | None
    exact: bool
    memory: int
    disk: int | None
    covariance: Covariance
    sampling: Sampling = "cohort"


def settings(files: Files | Any, given: Mapping[str, Any]) -> Settings:
    """Check what was given."""
    known = [*Reading.__annotations__, "by"]
    strange = [name for name in given if name not in known]
    if strange:
        raise InputError(f"There is no option {strange[0]!r}; files are read with {', '.join(known)}.")
    for name in ("truth", "scores"):
        if given.get(name) is None:
            raise InputError(
                "Files need ", Option("truth", ...), " and ", Option("scores", ...), f"; {name} is missing."
            )
    tolerance = given.get("tolerance")
    if tolerance is not None and not tolerance > 0:
        raise InputError(
            f"tolerance must be positive, got {tolerance!r}; for exact results use ", Option("exact", True), "."
        )
    covariance = given.get("covariance", "joined")
    if covariance not in ("joined", "bound"):
        raise InputError(f"covariance must be 'joined' or 'bound', got {covariance!r}.")
    most = TASK if is_frame(files) else machine_memory() // 2
    by, memory, disk = given.get("by"), given.get("memory"), given.get("disk")
    return Settings(
        files,
        given["truth"],
        given["scores"],
        given.get("weight"),
        (by,) if isinstance(by, str) else tuple(by or ()),
        tolerance,
        bool(given.get("exact", False)),
        most if memory is None else parse_size(memory),
        None if disk is None else parse_size(disk),
        covariance,
    )


def over_files(data: Any, engine: Engine | None, given: Mapping[str, Any]) -> bool:
    """Whether the verb was given files; a complaint if only its options tell so."""
    spark = is_session(engine)
    if not spark and engine not in (None, "duckdb", "memory"):
        raise InputError(f"engine must be 'duckdb', 'memory' or a session of Spark, got {engine!r}.")
    if is_frame(data):
        if engine is not None and not spark:
            raise InputError(f"A Spark data frame is judged by Spark; give its session instead of {engine!r}.")
        return True
    if spark:
        raise InputError("engine=spark takes a Spark data frame; of files make one with spark.read.parquet(...).")
    named = is_files(data) and given.get("truth") is not None
    if not named and (engine is not None or given):
        told = ", ".join([*(["engine"] if engine else []), *given])
        raise InputError(
            f"{told} are only valid for file input: pass a path, a list of paths or a glob first, with ",
            Option("truth", ...),
            " and ",
            Option("scores", ...),
            ".",
        )
    return named


def suits_memory(asked: Settings, engine: Engine | None) -> bool:
    """Whether the file is read into memory: as said, or if it is one, small, and nothing else needs the engine."""
    files = asked.files
    if is_frame(files):
        return False
    if engine == "duckdb" or (engine is None and (asked.by or asked.tolerance is not None or asked.exact)):
        return False
    one = files if isinstance(files, str | PathLike) else files[0] if len(files) == 1 else None
    plain = one is not None and Path(one).is_file()
    if engine == "memory":
        if asked.by:
            raise InputError(Option("by"), " needs the engine; leave out ", Option("engine", "memory"), ".")
        if not plain and find_files(files):
            raise InputError(
                Option("engine", "memory"),
                " reads one file; several files, globs and folders need ",
                Option("engine", "duckdb"),
                ".",
            )
        return True
    return plain and not is_large([one])


def is_large(files: Sequence[Any]) -> bool:
    """Whether files are larger than a quarter of the memory."""
    return sum(Path(file).stat().st_size for file in files) * SHARE > machine_memory()
