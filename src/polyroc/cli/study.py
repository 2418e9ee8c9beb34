"""The commands `study run`, `study show` and `study plan`: learners compared on data sets by cross-validation.

Progress is a live table on a terminal, and lines of text in a pipe.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyroc.cli.help import Group
from polyroc.cli.options import (
    column_options,
    data_file,
    formats,
    help_without_command,
    measure_option,
    out_option,
    print_result,
    scores_from,
)
from polyroc.cli.study_tests import advice, study_test
from polyroc.output.numbers import number_text
from polyroc.output.sentences import counted, printable
from polyroc.output.tables import Row, Table, record_table
from polyroc.output.text import Format

if TYPE_CHECKING:
    from polyroc.studies.result import Study
    from polyroc.studies.resume import Changed
    from polyroc.studies.study import StudyProgress

__all__ = ["progress_table", "study"]

MOST_FAILURES = 20  # notes below the table; --json has all
REFRESH_INTERVAL = 0.1  # seconds between two updates of the table
LONGEST_NAME = 24  # characters
OTHER_LINES = 8  # lines of a screen that are not learners: heading, rules, totals


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def study(context: click.Context) -> None:
    """Compare learners on data sets by cross-validation, as Bradley (1997) did.

    A plan (TOML) names data sets, learners, splitting and measures. Every out-of-fold prediction is kept in one
    DuckDB file, so any measure, curve or test is available later without fitting again.

    \b
    A plan to start from:  polyroc study plan bradley > plan.toml
    Run or resume it:      polyroc study run plan.toml --out study.duckdb --n-jobs 4
    On a Dask cluster:     polyroc study run plan.toml --out study.duckdb --dask tcp://host:8786
    Predictions of others: polyroc study import predictions.csv --truth y --folds fold --out study.duckdb
    Its results:           polyroc study show study.duckdb
    Which test to use:     polyroc study test study.duckdb recommend
    """
    help_without_command(context)


@study.command(short_help="Run a plan, or resume it.")
@click.argument("plan")
@out_option("FILE", "The store; NAME.duckdb by default.")
@click.option("--n-jobs", type=int, metavar="N", help="Fits at a time, each in its own process; -1: one per core.")
@click.option("--dask", metavar="ADDRESS", help="Fit on the Dask cluster of this scheduler, tcp://host:8786.")
@click.option("--retry-failed", is_flag=True, help="Repeat the fits that failed before.")
@click.option(
    "--changed",
    type=click.Choice(["raise", "refit", "keep"]),
    default="raise",
    help="If a learner has changed since its stored fits: raise an error (default), refit it, or keep the fits.",
)
@formats
def run(
    plan: str,
    out: Path | None,
    n_jobs: int | None,
    dask: str | None,
    retry_failed: bool,
    changed: "Changed",
    output: Format | None,
) -> int:
    """Run PLAN, a TOML file or the name of a preset (bradley, hand-till).

    The same command resumes an interrupted run: stored fits are not repeated, and the result is the same as
    that of an uninterrupted run. A learner that raises an error, exceeds its time limit or predicts values that
    are not probabilities is recorded as failed, and the other fits continue; the exit code is then 1. A learner
    whose parameters, code or packages have changed since its stored fits is an error (--changed).
    """
    from polyroc.studies.study import run_study

    try:
        with study_progress() as observer:
            result = run_study(
                plan,
                out=out,
                n_jobs=n_jobs,
                dask=dask,
                retry_failed=retry_failed,
                observer=observer,
                changed=changed,
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "Interrupted; finished fits are stored, and the same command resumes the run."
        ) from None
    _print_study(result, output, result.measures)
    return 1 if result.failures else 0


@study.command(short_help="Measures by data set and learner, and failures.")
@click.argument("file", type=click.Path(path_type=Path))
@measure_option("A measure; those of the plan by default.", multiple=True)
@formats
def show(file: Path, measure: tuple[str, ...], output: Format | None) -> int:
    """Mean and standard deviation of every measure over the folds, by data set and learner; failures.

    Any measure is available: it is computed from the predictions in FILE.
    """
    from dataclasses import replace

    from polyroc.studies.result import Study

    stored = Study.open(file)
    if measure:
        stored = replace(stored, plan=replace(stored.plan, measures=measure))
    _print_study(stored, output, stored.measures)
    return 1 if stored.failures or stored.left else 0


@study.command(short_help="Print a preset, to start from.")
@click.argument("name")
def plan(name: str) -> None:
    """Print the plan of the preset NAME (bradley, hand-till) as TOML."""
    from polyroc.studies.plan import Plan, preset_text

    Plan.preset(name)
    click.echo(preset_text(name), nl=False)


@study.command(short_help="The folds of a plan, to predict on them elsewhere.")
@click.argument("plan")
@click.option("--data", metavar="NAME", help="The data set; required if the plan has several.")
@formats
def folds(plan: str, data: str | None, output: Format | None) -> None:
    """Print the folds of PLAN: case, repeat, fold, truth and group of every test case, counted from 0.

    Train a model on all cases outside of a fold and predict those in it, with any program. A file with the columns
    case, repeat, fold and p_CLASS for each class is then a learner of the plan: predictions = "FILE".

    \b
    polyroc study folds plan.toml --csv > folds.csv
    """
    from polyroc.studies.plan import Plan
    from polyroc.studies.prediction_files import case_folds

    columns = {name: values.tolist() for name, values in case_folds(Plan.read(plan), data).items()}
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    print_result(output, record=lambda: columns, rows=lambda: rows, table=lambda: record_table(rows, "folds", []))


@study.command("import", short_help="A study of predictions made elsewhere.")
@data_file
@column_options("folds", "repeats")
@out_option("STORE", "The store to create.", required=True)
@measure_option("A measure; hand_till and accuracy by default.", multiple=True)
@click.option("--name", default="study", show_default=True, help="Name of the study.")
@formats
def import_(
    file: Path, out: Path, measure: tuple[str, ...], name: str, output: Format | None, **columns: Any
) -> int:
    """Make a study of the cross-validated predictions in FILE, by PyTorch, R, MLflow or any other program.

    `study show`, `study test` and `report` then serve them as those of `study run`. The folds are those of FILE.

    \b
    polyroc study import predictions.csv --truth y --scores "p_*" --classifier model --folds fold -o s.duckdb
    """
    from polyroc.studies.imported import import_predictions

    scores = scores_from(file, **columns)
    options = {"measures": measure} if measure else {}
    data_set = file.name.partition(".")[0] or "data"
    result = import_predictions({data_set: scores}, out=out, name=name, **options)
    _print_study(result, output, result.measures)
    return 0


study.add_command(study_test)


def _print_study(study: "Study", output: Format | None, measures: tuple[str, ...]) -> None:
    print_result(output, record=study.to_dict, rows=study.rows, table=lambda: _table(study, measures))


def _table(study: "Study", measures: tuple[str, ...]) -> Table:
    import numpy as np

    rows: list[Row] = []
    failed = Counter((failure.data_set, failure.learner) for failure in study.failures)
    for name in study.data_sets:
        columns = {key: study.values(key, name).values for key in measures if study.applies(key, name)}
        for place, learner in enumerate(study.learners):
            row = {"data set": name, "learner": learner}
            for key in measures:
                values = columns[key][:, place] if key in columns else np.empty(0)
                row[f"{key} (SD)"] = _mean(values[np.isfinite(values)])
            if failed:
                row["failed"] = str(failed[name, learner])
            rows.append(row)
    notes = [*_notes(study), *study.notes, *_failures(study), *_warnings(study)]
    return Table.of(f"{study.plan.name}: {study.plan.splitting.design}", rows, notes)


def _mean(values: Any) -> str:
    if not len(values):
        return ""
    return number_text(values.mean()) + (f" ({number_text(values.std(ddof=1))})" if len(values) > 1 else "")


def _notes(study: "Study") -> list[str]:
    if study.left:
        return [f"{study.left} fits are left; run polyroc study run with the same plan to resume."]
    notes = ["Mean over the folds, and the standard deviation between them in brackets."]
    if study.plan.splitting.kind == "leave-one-out":
        notes = ["All cases together, each predicted by a model fitted to the others."]
    if len(study.learners) > 1 and study.tables():
        notes.append(advice(study.recommend()))
    return notes


def _failures(study: "Study") -> list[str]:
    """One line per data set, learner and message."""
    counts = Counter((failure.data_set, failure.learner, failure.message) for failure in study.failures)
    lines = [
        f"failed: {name}, {learner}, {counted(folds, 'fold')}: {message}"
        for (name, learner, message), folds in counts.items()
    ]
    more = [f"and {len(lines) - MOST_FAILURES} more; --json has all."] if len(lines) > MOST_FAILURES else []
    return [*lines[:MOST_FAILURES], *more]


def _warnings(study: "Study") -> list[str]:
    """One line per kind of warning, with the learners that raised it."""
    kinds: dict[str, Counter[str]] = {}
    for warning in study.warnings:
        kinds.setdefault(warning.message.partition(":")[0], Counter())[warning.learner] += warning.folds
    lines = []
    for kind, learners in kinds.items():
        fits = ", ".join(f"{name} ({counted(number, 'fit')})" for name, number in learners.items())
        lines.append(f"warned: {kind}: {fits}")
    return lines


@contextmanager
def study_progress() -> "Iterator[Callable[[StudyProgress], None]]":
    """A live table on a terminal; in a pipe a line for each data set and learner that is done."""
    if not sys.stderr.isatty():
        yield _print_line
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    with Live("reading data, checking the plan", console=console, auto_refresh=False, transient=True) as live:
        live.refresh()
        updated = 0.0

        def update(tally: "StudyProgress") -> None:
            nonlocal updated
            if time.monotonic() - updated >= REFRESH_INTERVAL or tally.finished:
                live.update(progress_table(tally, *console.size), refresh=True)
                updated = time.monotonic()

        yield update


def _print_line(tally: "StudyProgress") -> None:
    if tally.latest is None:
        before, total = int(tally.done.sum()), int(tally.total.sum())
        if before:
            click.echo(f"polyroc: {before} of {total} fits are already stored", err=True)
        return
    cell = tally.latest.key.data_set, tally.latest.key.learner
    if tally.done[cell] == tally.total[cell]:
        failed = f", {tally.failed[cell]} failed" if tally.failed[cell] else ""
        summary = f"{tally.data_sets[cell[0]]}, {tally.learners[cell[1]]}: {tally.done[cell]} fits{failed}"
        click.echo(printable(f"polyroc: {summary}{_time_left(tally)}"), err=True)


def _time_left(tally: "StudyProgress") -> str:
    seconds = tally.seconds_left()
    if tally.finished or seconds is None:
        return ""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f" ({hours}:{minutes:02}:{seconds:02} left)"


def progress_table(tally: "StudyProgress", width: int, height: int) -> Any:
    """Fits by learner and data set, as many as a screen holds; finished ones are hidden first."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    finished = tally.done >= tally.total
    learners, data_sets = list(map(all, finished.T.tolist())), list(map(all, finished.tolist()))
    now = data_sets.index(False) if False in data_sets else -1
    rows = _window(finished[now].tolist(), max(1, height - OTHER_LINES))
    cells = [[_cell(tally, i, j) for i in range(len(tally.data_sets))] for j in rows]
    names = [_short(tally.learners[j]) for j in rows]
    heads = [_short(name) for name in tally.data_sets]
    needs = [max(len(head), *(len(line[i]) for line in cells)) + 3 for i, head in enumerate(heads)]
    room = width - max(map(len, [*names, "learner"])) - 2
    columns = _window(data_sets, max(1, room // max(needs)))
    table = Table(box=box.SIMPLE_HEAD, header_style="bold cyan", pad_edge=False)
    table.add_column("learner", no_wrap=True)
    for i in columns:
        table.add_column(Text(heads[i]), justify="right", no_wrap=True)
    for name, line in zip(names, cells, strict=True):
        table.add_row(Text(name), *(line[i] for i in columns))
    hidden = [_hidden("learner", learners, rows), _hidden("data set", data_sets, columns)]
    failed = f", {tally.failed.sum()} failed" if tally.failed.any() else ""
    head = Text(f"{tally.done.sum()} of {tally.total.sum()} fits{failed}{_time_left(tally)}", "bold")
    return Group(head, table, *(Text(line, "dim") for line in hidden if line))


def _window(finished: Sequence[bool], room: int) -> list[int]:
    """Indices of the entries to show: if there are too many, finished ones are left out first, then the last ones.

    >>> _window([True, True, False, False, False], 3), _window([False, True, False], 1)
    ([2, 3, 4], [0])
    """
    kept = list(range(len(finished)))
    for place in [place for place in kept if finished[place]][: max(0, len(kept) - room)]:
        kept.remove(place)
    return kept[:room]


def _hidden(noun: str, finished: Sequence[bool], shown: Sequence[int]) -> str:
    """The number of hidden learners or data sets, and how many of them are finished."""
    others = [done for place, done in enumerate(finished) if place not in shown]
    if not others:
        return ""
    return f"and {len(others)} {noun}{'s' if len(others) > 1 else ''} more, {sum(others)} of them done"


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 9]}...{text[-6:]}"


def _cell(tally: "StudyProgress", i: int, j: int) -> Any:
    from rich.text import Text

    done, failed, total = int(tally.done[i, j]), int(tally.failed[i, j]), int(tally.total[i, j])
    style = "green" if done == total else "" if done else "dim"
    text = Text(f"{done}/{total}", style)
    return text.append(f" {failed} failed", "bold red") if failed else text
