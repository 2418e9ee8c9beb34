"""The commands `study run`, `study show` and `study plan`: learners compared on data sets by cross-validation."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyroc.cli.options import formats
from polyroc.cli.study_progress import study_progress
from polyroc.cli.study_tests import advice, judge
from polyroc.output.terminal import Format, Page, Row, as_csv, printable, render
from polyroc.results.result import number_text

if TYPE_CHECKING:
    from polyroc.studies.result import Study

__all__ = ["study"]

MOST_FAILURES = 20  # shown as notes; --json has all


@click.group(short_help="Compare learners on data sets by cross-validation; resumable.")
def study() -> None:
    """Compare learners on data sets by cross-validation, as Bradley (1997) did.

    A plan (TOML) names data sets, learners, splitting and measures. Every out-of-fold prediction is kept in one
    DuckDB file, so any measure, curve or test is available later without fitting again.

    \b
    A plan to start from:  polyroc study plan bradley > plan.toml
    Run it, or go on:      polyroc study run plan.toml --out study.duckdb --n-jobs 4
    On a Dask cluster:     polyroc study run plan.toml --out study.duckdb --dask tcp://host:8786
    What was found:        polyroc study show study.duckdb
    Which one is better:   polyroc study test study.duckdb recommend
    """


@study.command(short_help="Carry out a plan, or go on where it was stopped.")
@click.argument("plan")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="The store; NAME.duckdb by default.")
@click.option("--n-jobs", type=int, metavar="N", help="Fits at a time, each in its own process; -1: one per core.")
@click.option("--dask", metavar="ADDRESS", help="Fit on the Dask cluster of this scheduler, tcp://host:8786.")
@click.option("--retry-failed", is_flag=True, help="Try again what has failed before.")
@formats
def run(
    plan: str, out: Path | None, n_jobs: int | None, dask: str | None, retry_failed: bool, output: Format | None
) -> int:
    """Carry out PLAN, a TOML file or the name of a preset (bradley, hand-till).

    The same command again goes on where it was: what is stored is not fitted again, and the result is the same as
    if it had never been stopped. A learner that raises, hangs past its time limit or says something that is no
    probability is recorded as failed, and the rest goes on; the exit code is then 1.
    """
    from polyroc.studies.study import run_study

    try:
        with study_progress() as observer:
            found = run_study(
                plan, out=out, n_jobs=n_jobs, dask=dask, retry_failed=retry_failed, observer=observer
            )
    except KeyboardInterrupt:
        click.echo("polyroc: stopped; what was done is stored, and the same command goes on", err=True)
        raise
    _show(found, output, found.measures)
    return 1 if found.failures else 0


@study.command(short_help="What was found.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-m", "--measure", multiple=True, metavar="KEY", help="A measure; those of the plan by default.")
@formats
def show(file: Path, measure: tuple[str, ...], output: Format | None) -> int:
    """Mean and standard deviation of every measure over the folds, by data set and learner; failures.

    Any measure can be asked for: it is computed from the predictions in FILE.
    """
    from dataclasses import replace

    from polyroc.studies.result import Study

    found = Study.open(file)
    if measure:
        found = replace(found, plan=replace(found.plan, measures=measure))
    _show(found, output, found.measures)
    return 1 if found.failures or found.left else 0


@study.command(short_help="Print a preset, to start from.")
@click.argument("name")
def plan(name: str) -> None:
    """Print the plan of the preset NAME (bradley, hand-till) as TOML."""
    from polyroc.studies.plan import Plan, preset_text

    Plan.preset(name)
    click.echo(preset_text(name), nl=False)


study.add_command(judge)


def _show(found: "Study", output: Format | None, measures: tuple[str, ...]) -> None:
    if output == "json":
        click.echo(json.dumps(found.to_dict()))
    elif output == "csv":
        click.echo(as_csv(found.rows()))
    else:
        click.echo(render(_page(found, measures), output))


def _page(found: "Study", measures: tuple[str, ...]) -> Page:
    import numpy as np

    table: list[Row] = []
    failed: dict[tuple[str, str], int] = {}
    for failure in found.failures:
        failed[failure.data_set, failure.learner] = failed.get((failure.data_set, failure.learner), 0) + 1
    for name in found.data_sets:
        columns = {key: found.values(key, name).values for key in measures if found.applies(key, name)}
        for place, learner in enumerate(found.learners):
            row = {"data set": printable(name), "learner": printable(learner)}
            for key in measures:
                values = columns[key][:, place] if key in columns else np.empty(0)
                row[f"{key} (SD)"] = _mean(values[np.isfinite(values)])
            if failed:
                row["failed"] = str(failed.get((name, learner), 0))
            table.append(row)
    notes = [*_notes(found), *_failures(found), *_warnings(found)]
    return Page(f"{printable(found.plan.name)}: {_design(found)}", table, notes)


def _mean(values: Any) -> str:
    if not len(values):
        return ""
    return number_text(values.mean()) + (f" ({number_text(values.std(ddof=1))})" if len(values) > 1 else "")


def _design(found: "Study") -> str:
    how = found.plan.splitting
    if how.kind == "leave-one-out":
        return "leave-one-out"
    if how.kind == "hold-out":
        size = f"{how.test_size:g} of the cases" if how.test_size < 1 else f"{how.test_size:g} cases"
        return f"{how.repeats} test set{'s' if how.repeats > 1 else ''} of {size}"
    again = f", {how.repeats} times" if how.repeats > 1 else ""
    return f"{how.folds}-fold cross-validation{again}"


def _notes(found: "Study") -> list[str]:
    if found.left:
        return [f"{found.left} fits are left; polyroc study run with the same plan goes on."]
    notes = ["Mean over the folds, and the standard deviation between them in brackets."]
    if found.plan.splitting.kind == "leave-one-out":
        notes = ["All cases together, each predicted by what was learned from the others."]
    if len(found.learners) > 1 and found.tables():
        notes.append(advice(found.recommend()))
    return notes


def _failures(found: "Study") -> list[str]:
    """What failed, and why: one line for each learner, data set and message."""
    counts: dict[tuple[str, str, str], int] = {}
    for failure in found.failures:
        key = failure.data_set, failure.learner, failure.message
        counts[key] = counts.get(key, 0) + 1
    lines = [
        f"failed: {name}, {learner}, {many} fold{'s' if many > 1 else ''}: {message}"
        for (name, learner, message), many in counts.items()
    ]
    more = [f"and {len(lines) - MOST_FAILURES} more; --json has all."] if len(lines) > MOST_FAILURES else []
    return [printable(line) for line in (*lines[:MOST_FAILURES], *more)]


def _warnings(found: "Study") -> list[str]:
    """What learners warned of: each kind of warning once, with the learners."""
    kinds: dict[str, dict[str, int]] = {}
    for told in found.warnings:
        learners = kinds.setdefault(told.message.partition(":")[0], {})
        learners[told.learner] = learners.get(told.learner, 0) + told.folds
    return [
        printable(f"warned: {kind}: {', '.join(f'{name} ({_fits(many)})' for name, many in learners.items())}")
        for kind, learners in kinds.items()
    ]


def _fits(many: int) -> str:
    return f"{many} fit{'s' if many > 1 else ''}"
