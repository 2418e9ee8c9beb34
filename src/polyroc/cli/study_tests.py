"""The command `study test`: what the folds of a study say, by the tests of `polyroc.studies.summaries`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import formats
from polyroc.errors import InputError
from polyroc.estimates.comparison import Comparison
from polyroc.output.csv import as_csv
from polyroc.output.numbers import level_text, p_text
from polyroc.output.tables import Table, record_table
from polyroc.output.text import Format, render
from polyroc.studies.summaries.bayesian import Posteriors
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.range_tests import RangeTest
from polyroc.studies.summaries.recommendation import Recommendation

__all__ = ["NAMES", "advice", "judge"]

ON_FOLDS = ("anova", "duncan", "tukey", "corrected_t", "bayes", "spread", "pooled_test")
OVER_DATA_SETS = ("friedman", "wilcoxon", "recommend")
NAMES = [name.replace("_", "-") for name in (*ON_FOLDS, *OVER_DATA_SETS)]
SETTINGS = {"alpha": ("duncan", "tukey", "friedman"), "rope": ("bayes",)}
COMMANDS = {"correlated_t": "bayes", "signed_rank": "bayes"}  # tests that the command has under another name
HIDDEN = ("level", "adjustment", "larger_is_better", "measure")  # columns of every row alike: --csv has them


@click.command("test", short_help="Which learners differ: Duncan, corrected t, Friedman and others.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("name", type=click.Choice(NAMES))
@click.option("-m", "--measure", metavar="KEY", help="The measure; the first of the plan by default.")
@click.option("--data", metavar="NAME", help="A data set; all by default, one by one or together as the test is.")
@click.option("--alpha", type=float, metavar="SHARE", help="Level of duncan, tukey and friedman; 0.05 by default.")
@click.option("--rope", type=float, metavar="DIFFERENCE", help="bayes: what counts as equal; 0.01 by default.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="PICTURE",
    help="Also draw it: .png, .svg or .pdf (underlines, critical differences, intervals).",
)
@click.option("--kind", help="Which picture, where there are several: underlines, letters, differences ...")
@formats
def judge(
    file: Path,
    name: str,
    measure: str | None,
    data: str | None,
    out: Path | None,
    kind: str | None,
    output: Format | None,
    **settings: float | None,
) -> int:
    """Test which learners in FILE differ. `recommend` says which test suits the study, and why.

    \b
    Which test:     polyroc study test study.duckdb recommend
    One data set:   polyroc study test study.duckdb duncan -m auc --data pima -o underlines.png
    Several:        polyroc study test study.duckdb friedman -m auc -o critical_difference.svg
    """
    from polyroc.studies.result import Study

    method = name.replace("-", "_")
    if method in OVER_DATA_SETS and data is not None:
        raise click.UsageError(f"{name} is over data sets; leave --data out.")
    study, how = Study.open(file), _settings(name, method, settings)
    asked = (measure,) if method in OVER_DATA_SETS else (measure, data)
    made = getattr(study, method)(*asked, **how)
    found: Mapping[str, Any] = made if isinstance(made, dict) else {"": made}
    if out is not None:
        _draw(name, found, out, kind)
    if output == "json":
        click.echo(
            json.dumps({key: each.to_dict() for key, each in found.items()} if "" not in found else made.to_dict())
        )
        return 0
    rows = [{**({"data_set": key} if key else {}), **row} for key, each in found.items() for row in each.rows()]
    if output == "csv":
        click.echo(as_csv(rows))
    else:
        title = f"{study.plan.name}: {name} of {measure or study.measures[0]}"
        click.echo(render(_table(title, rows, _notes(found)), output))
    return 0


def advice(found: Recommendation) -> str:
    """Which test is recommended, as the command calls it, and why."""
    why = f"{found.why[0].upper()}{found.why[1:]}"
    return f"To compare learners: polyroc study test FILE {_command(found.test)}. {why}"


def _command(test: str) -> str:
    return COMMANDS.get(test, test).replace("_", "-")


def _settings(name: str, method: str, given: dict[str, float | None]) -> dict[str, float]:
    for key, value in given.items():
        if value is not None and method not in SETTINGS[key]:
            raise click.UsageError(f"--{key} has nothing to do with {name}; it is for {', '.join(SETTINGS[key])}.")
    return {key: value for key, value in given.items() if value is not None}


def _draw(name: str, found: Mapping[str, Any], out: Path, kind: str | None) -> None:
    from polyroc.plots import require_matplotlib

    require_matplotlib()
    from polyroc.plots.dispatch import draw
    from polyroc.plots.picture import checked_name, save, without_windows

    checked_name(out)
    results = list(found.values())
    if len(results) > 1 and not all(isinstance(each, RangeTest) for each in results):
        raise InputError(f"--out draws {name} on one data set; name it with --data: {', '.join(found)}.")
    without_windows()
    save(draw(results if len(results) > 1 else results[0], None, kind).figure, out)


def _table(title: str, records: list[dict[str, Any]], notes: list[str]) -> Table:
    """The records, with the recommended test as the command names it."""
    if "test" in records[0]:
        records = [{**record, "test": _command(record["test"])} for record in records]
    return record_table(records, title, notes, hidden=HIDDEN)


def _notes(found: Mapping[str, Any]) -> list[str]:
    """What the table does not say: the test of all learners together, levels, what is assumed."""
    first = next(iter(found.values()))
    notes = []
    if isinstance(first, Recommendation):
        notes.append(advice(first))
    if isinstance(first, Friedman):
        notes.append(
            f"All equal: chi-square {first.statistic:.3f} with {first.df} df, {p_text(first.pvalue)}; "
            f"F {first.F:.3f} with {first.F_df[0]:g} and {first.F_df[1]:g} df, {p_text(first.F_pvalue)}."
        )
        notes.append(f"Mean ranks further apart than {first.critical_difference:.3f} differ (Nemenyi).")
    if isinstance(first, Posteriors):
        notes.append(f"Probabilities; equivalent: a difference of {first.rope:g} at most (--rope).")
    if isinstance(first, RangeTest | Friedman):
        alpha = first.nemenyi.alpha if isinstance(first, Friedman) else first.alpha
        notes.append(f"Learners that share a letter are not distinguished at {level_text(alpha)}.")
    if isinstance(first, Comparison):
        from polyroc.studies.summaries.pooled import POOLED

        notes += [
            f"{key + ', all' if key else 'All'} equal: {p_text(each.pvalue)}." for key, each in found.items()
        ]
        notes.append(f"Assumes: {POOLED}")
    elif getattr(first, "assumes", None):
        notes.append(f"Assumes: {first.assumes}")
    return notes
