"""The command `reproduce`: numbers of five papers beside measured ones."""

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from polyroc.cli.help import Command
from polyroc.cli.options import formats, print_result, progress_bar
from polyroc.output.tables import Row, Table
from polyroc.output.text import Format

__all__ = ["reproduce"]


@click.command(cls=Command)
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@click.option("--quick", is_flag=True, help="Fewer replicates and wider tolerances: about a minute.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder for checkpoints, so that an interrupted run can be resumed, for a report and figures.",
)
@click.option("--failures", is_flag=True, help="Show only numbers that do not agree.")
@formats
def reproduce(
    papers: tuple[str, ...],
    quick: bool,
    out: Path | None,
    failures: bool,
    output: Format | None,
) -> int:
    """Repeat the papers that polyroc implements: hand-till, ling, sampat, everson, bradley; all by default.

    Every number is shown beside the measured one, with its tolerance and the reason for it. Numbers that could
    not be read in the paper, or in another source, are marked. What needs data sets that are not here is skipped,
    by name. The exit code is 1 if a number that should agree does not.

    \b
    polyroc reproduce --quick
    polyroc reproduce sampat
    polyroc reproduce hand-till --out results    (the same command resumes an interrupted run)
    """
    reproduction = _reproduction_module()
    unknown = [paper for paper in papers if paper not in reproduction.PAPERS]
    if unknown:
        raise click.UsageError(f"There is no paper {unknown[0]!r}; choose from {', '.join(reproduction.PAPERS)}.")
    reports = []
    for paper in papers or tuple(reproduction.PAPERS):
        with progress_bar() as progress:
            reports.append(reproduction.reproduce(paper, quick=quick, out=out, progress=progress))
        if output is None:  # a paper may take minutes: print its table as soon as it is ready
            _print_reports(reports[-1:], failures, output)
            click.echo()
    if output is not None:
        _print_reports(reports, failures, output)
    return 0 if all(report.holds for report in reports) else 1


UNVERIFIED = " *"  # a longer mark would make the column so wide that names are folded


def _print_reports(reports: Sequence[Any], failures: bool, output: Format | None) -> None:
    rows = [{"paper": report.paper, **line.row()} for report in reports for line in _lines(report, failures)]
    print_result(
        output,
        record=lambda: rows,
        rows=lambda: rows,
        table=lambda: [_table(report, failures, _sections if output is None else _flat) for report in reports],
    )


def _reproduction_module() -> Any:
    """Import `repro.reproduction` from the source tree, or from the copy in the installed package."""
    package = Path(__file__).parents[1]
    root = next(root for root in (package.parents[1], package / "papers") if (root / "repro").is_dir())
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return importlib.import_module("repro.reproduction")


def _lines(report: Any, failures: bool) -> list[Any]:
    return [line for line in report.lines if not (failures and line.holds)]


def _table(report: Any, failures: bool, layout: Callable[[Sequence[Any]], list[Row]]) -> Table:
    lines = _lines(report, failures)
    rows = layout(lines)
    shown = [line for line in lines if not line.holds or line.expected.kind != "agrees"]
    reasons = dict.fromkeys(f"{line.expected.table}: {line.expected.reason}" for line in shown)
    title = f"{report.title}{', quick' if report.quick else ''}"
    unverified = any(not line.expected.verified for line in lines)
    notes = (
        [f"{UNVERIFIED.strip()} unverified: it could not be read in the paper or another source."]
        if unverified
        else []
    )
    return Table.of(title, rows, [*notes, *reasons, "", report.summary()])


def _flat(lines: Sequence[Any]) -> list[Row]:
    """Every number with the name of its table in a column."""
    return [{"table": line.expected.table, "number": line.expected.name, **_cells(line)} for line in lines]


def _sections(lines: Sequence[Any]) -> list[Row]:
    """The numbers of each published table, indented below its name, which as a column would be too wide."""
    tables: dict[str, list[Row]] = {}
    for line in lines:
        cells = _cells(line)
        heading = {"number": line.expected.table, **dict.fromkeys(cells, "")}
        tables.setdefault(line.expected.table, [heading]).append({"number": f"  {line.expected.name}", **cells})
    return [row for rows in tables.values() for row in rows]


def _cells(line: Any) -> Row:
    expected = line.expected
    sign = {"at most": "<= ", "at least": ">= "}.get(expected.kind, "")
    return {
        "expected": f"{sign}{_digits(expected.value)}{'' if expected.verified else UNVERIFIED}",
        "measured": "" if line.measured is None else _digits(line.measured),
        "tolerance": "" if expected.kind in ("shown", "not obtainable") else f"{expected.tolerance:.2g}",
        "verdict": line.verdict,
    }


def _digits(value: float) -> str:
    """Counts with all their digits, other numbers with six."""
    return f"{value:.15g}" if float(value).is_integer() else f"{value:.6g}"
