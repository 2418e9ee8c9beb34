"""Options of the commands that judge files larger than memory, and what becomes of them."""

from collections.abc import Callable
from glob import has_magic
from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import score_columns, scores_from
from polyroc.errors import InputError

__all__ = ["Files", "data_from", "engine_options", "name_of"]

Files = Path | list[Path]
NOT_THERE = {"classifier": "--classifier", "case": "--case", "class_": "--class", "groups": "--groups"}
OPTIONS = {
    "engine": click.option(
        "--engine",
        type=click.Choice(["duckdb", "memory"]),
        help="duckdb: count scores in cells, with certified bounds; FILE may be a glob or a folder. By default "
        "for several files, or more than a quarter of the memory.",
    ),
    "memory": click.option("--memory", metavar="SIZE", help="How much the engine may take, such as 1GB."),
    "tolerance": click.option(
        "--tolerance", type=float, metavar="WIDTH", help="How far apart certified bounds may be."
    ),
    "exact": click.option("--exact", is_flag=True, help="Go on until the bounds meet, but for rounding."),
    "by": click.option(
        "--by", multiple=True, metavar="COLUMN", help="One result per value of this column; repeat it."
    ),
}


def engine_options(*without: str) -> Callable[[Any], Any]:
    """How large files are judged."""

    def add(command: Any) -> Any:
        for name in reversed([name for name in OPTIONS if name not in without]):
            command = OPTIONS[name](command)
        return command

    return add


def data_from(file: Files, columns: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """What a verb takes first, and what beside it: files that an engine counts, or scores read into memory.

    Takes the engine's own options out of `columns` in either case.
    """
    told = {name: columns.pop(name) for name in OPTIONS if name in columns}
    wanted = {name: value for name, value in told.items() if value not in (None, False, ())}
    files = [file] if isinstance(file, Path) else file
    if wanted.get("engine") == "memory" and wanted.get("by"):
        raise InputError("--by brings groups together with an engine; leave out --engine memory.")
    if wanted.get("engine") == "memory" or not (wanted or _for_engine(files)):
        if len(files) > 1:
            raise InputError(f"--engine memory reads one file, got {len(files)}; leave it out.")
        return scores_from(files[0], **columns), {}
    given = [option for name, option in NOT_THERE.items() if columns.get(name)]
    given += ["--convert"] if columns.get("convert") else []
    if given:
        raise InputError(
            f"{given[0]} needs the rows in memory, which --engine duckdb does not support; use --engine memory."
        )
    labels = columns["labels"]
    return [str(each) for each in files] if len(files) > 1 else str(files[0]), {
        "truth": columns["truth"],
        "scores": score_columns(columns["scores"]),
        "weight": columns["weight"],
        "weight_kind": columns["weight_kind"],
        "sampling": columns["sampling"],
        "labels": None if labels is None else [label.strip() for label in labels.split(",")],
        "pos_label": columns["pos_label"],
        "missing": columns["missing"],
        "engine": "duckdb",
        **{name: value for name, value in wanted.items() if name != "engine"},
    }


def _for_engine(files: list[Path]) -> bool:
    """Whether these are several files, or one too large to be read into memory."""
    from polyroc.engines.options import is_large

    (file, *more) = files
    return bool(more) or has_magic(str(file)) or file.is_dir() or (file.is_file() and is_large([file]))


def name_of(file: Files) -> str:
    """What a page calls the data."""
    return file.name if isinstance(file, Path) else f"{file[0].name} and {len(file) - 1} more"
