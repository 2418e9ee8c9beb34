"""The commands `study run`, `study show` and `study plan`: learners compared on data sets by cross-validation."""

from collections import Counter
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
    progress_bar,
    scores_from,
)
from polyroc.cli.study_tests import advice, study_test
from polyroc.output.numbers import number_text
from polyroc.output.sentences import counted
from polyroc.output.tables import Row, Table, record_table
from polyroc.output.text import Format

if TYPE_CHECKING:
    from polyroc.studies.result import Study
    from polyroc.studies.resume import Changed

__all__ = ["study"]

MOST_FAILURES = 20  # notes below the table; --json has all


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
    whose parameters or packages have changed since its stored fits is an error (--changed).
    """
    from polyroc.studies.study import study as run_study

    try:
        with progress_bar() as progress:
            result = run_study(
                plan,
                out=out,
                n_jobs=n_jobs,
                dask=dask,
                retry_failed=retry_failed,
                changed=changed,
                progress=progress,
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
