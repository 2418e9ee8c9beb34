"""The commands `study run`, `study show` and `study plan`: learners compared on data sets by cross-validation."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyroc.cli.options import formats, help_without_command, out_option, print_result
from polyroc.cli.study_progress import study_progress
from polyroc.cli.study_tests import advice, study_test
from polyroc.output.numbers import number_text
from polyroc.output.sentences import counted
from polyroc.output.tables import Row, Table
from polyroc.output.text import Format

if TYPE_CHECKING:
    from polyroc.studies.result import Study

__all__ = ["study"]

MOST_FAILURES = 20  # notes below the table; --json has all


@click.group(
    invoke_without_command=True, short_help="Compare learners on data sets by cross-validation; resumable."
)
@click.pass_context
def study(context: click.Context) -> None:
    """Compare learners on data sets by cross-validation, as Bradley (1997) did.

    A plan (TOML) names data sets, learners, splitting and measures. Every out-of-fold prediction is kept in one
    DuckDB file, so any measure, curve or test is available later without fitting again.

    \b
    A plan to start from:  polyroc study plan bradley > plan.toml
    Run or resume it:      polyroc study run plan.toml --out study.duckdb --n-jobs 4
    On a Dask cluster:     polyroc study run plan.toml --out study.duckdb --dask tcp://host:8786
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
@formats
def run(
    plan: str, out: Path | None, n_jobs: int | None, dask: str | None, retry_failed: bool, output: Format | None
) -> int:
    """Run PLAN, a TOML file or the name of a preset (bradley, hand-till).

    The same command resumes an interrupted run: stored fits are not repeated, and the result is the same as
    that of an uninterrupted run. A learner that raises an error, exceeds its time limit or predicts values that
    are not probabilities is recorded as failed, and the other fits continue; the exit code is then 1.
    """
    from polyroc.studies.study import run_study

    try:
        with study_progress() as observer:
            result = run_study(
                plan, out=out, n_jobs=n_jobs, dask=dask, retry_failed=retry_failed, observer=observer
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "Interrupted; finished fits are stored, and the same command resumes the run."
        ) from None
    _print_study(result, output, result.measures)
    return 1 if result.failures else 0


@study.command(short_help="Measures by data set and learner, and failures.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-m", "--measure", multiple=True, metavar="KEY", help="A measure; those of the plan by default.")
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
    notes = [*_notes(study), *_failures(study), *_warnings(study)]
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
