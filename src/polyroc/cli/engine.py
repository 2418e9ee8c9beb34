"""Options of the commands that judge files larger than memory, and what is shown of it."""

from glob import has_magic
from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import score_columns
from polyroc.cli.rendering import Page, Row, printable
from polyroc.errors import InputError
from polyroc.results import Estimate, Evaluation, Grouped
from polyroc.results.result import number_text

__all__ = ["engine_options", "for_engine", "grouped_page"]

OPTIONS = ("engine", "memory", "tolerance", "exact", "by")
NOT_THERE = {"classifier": "--classifier", "case": "--case", "class_": "--class", "groups": "--groups"}


def engine_options(command: Any) -> Any:
    """How large files are judged."""
    for option in (
        click.option(
            "--by", multiple=True, metavar="COLUMN", help="One result per value of this column; repeat it."
        ),
        click.option("--exact", is_flag=True, help="Go on until the bounds meet, but for rounding."),
        click.option("--tolerance", type=float, metavar="WIDTH", help="How far apart certified bounds may be."),
        click.option("--memory", metavar="SIZE", help="How much the engine may take, such as 1GB."),
        click.option(
            "--engine",
            type=click.Choice(["duckdb", "memory"]),
            help="duckdb: count scores in cells, with certified bounds; FILE may be a glob or a folder. By "
            "default for several files, or more than a quarter of the memory.",
        ),
    ):
        command = option(command)
    return command


def for_engine(file: Path, columns: dict[str, Any]) -> dict[str, Any] | None:
    """What `evaluate` takes beside the files if an engine is to judge them; None if they are read into memory.

    Takes the engine's own options out of `columns` in either case.
    """
    told = {name: columns.pop(name) for name in OPTIONS if name in columns}
    wanted = {name: value for name, value in told.items() if value not in (None, False, ())}
    if told.get("engine") == "memory":
        return None
    if not wanted and not has_magic(str(file)) and not file.is_dir() and not _is_large(file):
        return None
    given = [option for name, option in NOT_THERE.items() if columns.get(name)]
    given += ["--convert"] if columns.get("convert") else []
    if given:
        raise InputError(
            f"{given[0]} needs the rows in memory, so --engine duckdb has it not; use --engine memory."
        )
    labels = columns["labels"]
    return {
        "truth": columns["truth"],
        "scores": score_columns(columns["scores"]),
        "weight": columns["weight"],
        "labels": None if labels is None else [label.strip() for label in labels.split(",")],
        "pos_label": columns["pos_label"],
        "missing": columns["missing"],
        "engine": "duckdb",
        **{name: value for name, value in wanted.items() if name != "engine"},
    }


def _is_large(file: Path) -> bool:
    from polyroc.engines.options import SHARE
    from polyroc.engines.session import machine_memory

    return file.is_file() and file.stat().st_size * SHARE > machine_memory()


def grouped_page(found: Grouped, *, level: float, source: str) -> Page:
    """Group by group."""
    table: list[Row] = []
    for group, each in found.items():
        for estimate in [each] if isinstance(each, Estimate) else _estimates(each):
            low, high = estimate.confidence_interval(level)
            names = {printable(name): printable(str(value)) for name, value in zip(found.by, group, strict=True)}
            table.append(
                {
                    **names,
                    "measure": estimate.measure,
                    "classifier": printable(estimate.classifier),
                    "cases": str(sum(estimate.provenance.cases.values())),
                    "value": number_text(estimate.value),
                    "std. error": number_text(estimate.standard_error),
                    f"{100 * level:g} % interval": f"{number_text(low)} to {number_text(high)}",
                }
            )
    return Page(printable(f"{source}: {len(found)} groups by {', '.join(found.by)}"), table, [])


def _estimates(found: Evaluation) -> list[Estimate]:
    return list(found.estimates.values())
