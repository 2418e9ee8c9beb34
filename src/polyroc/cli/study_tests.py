"""The command `study test`: the tests of `polyroc.studies.summaries` on a stored study."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from polyroc.cli.help import Command
from polyroc.cli.options import formats, measure_option, out_option, print_result
from polyroc.errors import InputError
from polyroc.estimates.comparison import Comparison
from polyroc.output.numbers import level_text, p_text
from polyroc.output.sentences import capitalised
from polyroc.output.tables import Table, record_table
from polyroc.output.text import Format
from polyroc.studies.summaries.bayesian import Posteriors
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.range_tests import RangeTest
from polyroc.studies.summaries.recommendation import Recommendation

__all__ = ["NAMES", "advice", "study_test"]

ON_FOLDS = ("anova", "duncan", "tukey", "corrected_t", "five_by_two", "bayes", "spread", "fold_test")
OVER_DATA_SETS = ("friedman", "wilcoxon", "recommend")
NAMES = [name.replace("_", "-") for name in (*ON_FOLDS, *OVER_DATA_SETS)]
SETTINGS = {
    "alpha": ("duncan", "tukey", "friedman"),
    "rope": ("bayes",),
    "pooled": ("fold_test",),
    "statistic": ("five_by_two",),
}
COMMANDS = {"correlated_t": "bayes", "signed_rank": "bayes"}  # tests that the command has under another name
HIDDEN = ("level", "adjustment", "larger_is_better", "measure")  # the same in every row; --csv has them


@click.command("test", cls=Command, short_help="Which learners differ: Duncan, corrected t, Friedman and others.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("name", type=click.Choice(NAMES), metavar="TEST")
@measure_option("The measure; the first of the plan by default.")
@click.option(
    "--data",
    metavar="NAME",
    help="A data set; by default all of them, separately or together, depending on the test.",
)
@click.option("--alpha", type=float, metavar="SHARE", help="Level of duncan, tukey and friedman; 0.05 by default.")
@click.option(
    "--rope",
    type=float,
    metavar="DIFFERENCE",
    help="bayes: largest difference that counts as equal; 0.01 by default.",
)
@click.option(
    "--pooled",
    flag_value=True,
    type=bool,
    default=None,
    help="fold-test: all folds of one repeat as one sample, with folds as groups; to repeat published analyses.",
)
@click.option(
    "--statistic",
    type=click.Choice(["F", "t"]),
    help="five-by-two: Alpaydin's F (default), or Dietterich's t, which depends on the order of the folds.",
)
@out_option("PICTURE", "Also draw it: .png, .svg or .pdf (underlines, critical differences, intervals).")
@click.option("--kind", help="Kind of the picture, where there are several: underlines, letters, differences ...")
@formats
def study_test(
    file: Path,
    name: str,
    measure: str | None,
    data: str | None,
    out: Path | None,
    kind: str | None,
    output: Format | None,
    **settings: float | bool | str | None,
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
    study, options = Study.open(file), _settings(name, method, settings)
    arguments = (measure,) if method in OVER_DATA_SETS else (measure, data)
    result = getattr(study, method)(*arguments, **options)
    by_data_set: Mapping[str, Any] = result if isinstance(result, dict) else {"": result}
    if out is not None:
        _draw(name, by_data_set, out, kind)
    title = f"{study.plan.name}: {name} of {measure or study.measures[0]}"
    print_result(
        output,
        record=lambda: _record(by_data_set),
        rows=lambda: _rows(by_data_set),
        table=lambda: _table(title, _rows(by_data_set), _notes(by_data_set)),
    )
    return 0


def _record(results: Mapping[str, Any]) -> Any:
    """The record of one result over all data sets, whose key is empty; else records by data set."""
    records = {key: result.to_dict() for key, result in results.items()}
    return records.get("", records)


def _rows(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {**({"data_set": key} if key else {}), **row} for key, result in results.items() for row in result.rows()
    ]


def advice(recommendation: Recommendation) -> str:
    """The recommended test, as the command names it, and the reason."""
    command = _command(recommendation.test)
    return f"To compare learners: polyroc study test FILE {command}. {capitalised(recommendation.why)}"


def _command(test: str) -> str:
    return COMMANDS.get(test, test).replace("_", "-")


def _settings(
    name: str, method: str, settings: dict[str, float | bool | str | None]
) -> dict[str, float | bool | str]:
    for key, value in settings.items():
        if value is not None and method not in SETTINGS[key]:
            valid = ", ".join(map(_command, SETTINGS[key]))
            raise click.UsageError(f"--{key} is not valid for {name}; it is for {valid}.")
    return {key: value for key, value in settings.items() if value is not None}


def _draw(name: str, by_data_set: Mapping[str, Any], out: Path, kind: str | None) -> None:
    from polyroc.plots import require_matplotlib

    require_matplotlib()
    from polyroc.plots.dispatch import draw
    from polyroc.plots.picture import checked_name, save, without_windows

    checked_name(out)
    results = list(by_data_set.values())
    if len(results) > 1 and not all(isinstance(result, RangeTest) for result in results):
        raise InputError(f"--out draws {name} on one data set; name it with --data: {', '.join(by_data_set)}.")
    without_windows()
    save(draw(results if len(results) > 1 else results[0], None, kind).figure, out)


def _table(title: str, records: list[dict[str, Any]], notes: list[str]) -> Table:
    """The records, with the recommended test as the command names it."""
    if "test" in records[0]:
        records = [{**record, "test": _command(record["test"])} for record in records]
    return record_table(records, title, notes, hidden=HIDDEN)


def _notes(results: Mapping[str, Any]) -> list[str]:
    """Notes below the table: the omnibus test, levels and assumptions."""
    first = next(iter(results.values()))
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
        from polyroc.studies.summaries.fold_test import assumptions

        notes += [
            f"{key + ', all' if key else 'All'} equal: {p_text(result.pvalue)}." for key, result in results.items()
        ]
        notes.append(f"Assumes: {assumptions(first)}")
    elif getattr(first, "assumes", None):
        notes.append(f"Assumes: {first.assumes}")
    return notes
