"""The command `reproduce`: the numbers of five papers, published beside measured."""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import formats, progress_bar
from polyroc.errors import MissingFileError
from polyroc.output.csv import as_csv
from polyroc.output.tables import Row, Table
from polyroc.output.text import Format, render

__all__ = ["reproduce"]


@click.command(short_help="The numbers of five papers: published beside measured, with a verdict.")
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@click.option("--quick", is_flag=True, help="Fewer replicates and wider tolerances: about a minute.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep what is done, so that an interrupted run goes on; a report and figures go there too.",
)
@click.option("--failures", is_flag=True, help="Show only what does not agree.")
@click.option(
    "--source",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The source tree of polyroc, where the numbers and experiments are; found if polyroc runs from it.",
)
@formats
def reproduce(
    papers: tuple[str, ...],
    quick: bool,
    out: Path | None,
    failures: bool,
    source: Path | None,
    output: Format | None,
) -> int:
    """Repeat the papers that polyroc implements: hand-till, ling, sampat, everson, bradley; all by default.

    Every available number of theirs stands beside the one measured here, with the tolerance and the
    reason for it. The exit code is 1 if something that should agree does not.

    \b
    polyroc reproduce --quick
    polyroc reproduce sampat
    polyroc reproduce hand-till --out found      (again after an interruption: goes on where it was)
    """
    running = _machinery(source)
    unknown = [paper for paper in papers if paper not in running.PAPERS]
    if unknown:
        raise click.UsageError(f"There is no paper {unknown[0]!r}; choose of {', '.join(running.PAPERS)}.")
    reports = []
    for paper in papers or tuple(running.PAPERS):
        with progress_bar() as progress:
            reports.append(running.reproduce(paper, quick=quick, out=out, progress=progress))
        if output is None:
            click.echo(render(_table(reports[-1], failures), None) + "\n")
    rows = [{"paper": report.paper, **line.row()} for report in reports for line in _lines(report, failures)]
    if output == "json":
        click.echo(json.dumps(rows, indent=2))
    elif output == "csv":
        click.echo(as_csv(rows))
    elif output == "markdown":
        click.echo("\n\n".join(render(_table(report, failures), output) for report in reports))
    return 0 if all(report.holds for report in reports) else 1


def _machinery(source: Path | None) -> Any:
    """The module `repro.reproduction` of the source tree, which is not part of the installed package."""
    known = [Path(__file__).parents[3], Path.cwd()] if source is None else [source]
    for root in known:
        if (root / "repro" / "reproduction.py").is_file():
            if str(root) not in sys.path:
                sys.path.insert(0, str(root))
            return importlib.import_module("repro.reproduction")
    raise MissingFileError(
        "polyroc reproduce needs the folder repro/ of polyroc's source tree, which the installed package does not "
        f"have, and it is not in {' or '.join(str(root) for root in known)}; run it from a checkout, or name "
        "one with --source DIR."
    )


def _lines(report: Any, failures: bool) -> list[Any]:
    return [line for line in report.lines if not (failures and line.holds)]


def _table(report: Any, failures: bool) -> Table:
    lines = _lines(report, failures)
    rows = [_row(line) for line in lines]
    shown = [line for line in lines if not line.holds or line.expected.kind != "agrees"]
    reasons = dict.fromkeys(f"{line.expected.table}: {line.expected.reason}" for line in shown)
    title = f"{report.title}{', quick' if report.quick else ''}"
    return Table.of(title, rows, [*reasons, "", report.summary()])


def _row(line: Any) -> Row:
    expected = line.expected
    sign = {"at most": "<= ", "at least": ">= "}.get(expected.kind, "")
    return {
        "table": expected.table,
        "number": expected.name,
        "published": f"{sign}{_digits(expected.published)}",
        "measured": "" if line.measured is None else _digits(line.measured),
        "tolerance": "" if expected.kind in ("shown", "not obtainable") else f"{expected.tolerance:.2g}",
        "verdict": line.verdict,
    }


def _digits(value: float) -> str:
    """Counts with all their digits, other numbers with six."""
    return f"{value:.15g}" if float(value).is_integer() else f"{value:.6g}"
