"""The `polyroc` command and its sub-commands."""

import json
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import Any

import click

from polyroc._version import __version__
from polyroc.cli.compare_measures import compare_measures
from polyroc.cli.curve import curve
from polyroc.cli.datasets import datasets
from polyroc.cli.front import front
from polyroc.cli.operate import operate
from polyroc.cli.options import (
    Files,
    convert_option,
    data_files,
    data_from,
    engine_options,
    formats,
    level_option,
    method_from,
    method_options,
    name_of,
    progress_bar,
)
from polyroc.cli.plot import plot
from polyroc.cli.rates import rates
from polyroc.cli.report import report
from polyroc.cli.reproduce import reproduce
from polyroc.cli.serve import serve
from polyroc.cli.size import size
from polyroc.cli.spelling import shell_spelling
from polyroc.cli.study import study
from polyroc.cli.surface import surface
from polyroc.errors import PolyrocError, PolyrocWarning
from polyroc.output.csv import as_csv
from polyroc.output.text import Format, render

__all__ = ["app", "run"]


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments and give its exit code."""
    try:
        with _warnings_as_notes():
            code = app.main(list(arguments), prog_name="polyroc", standalone_mode=False)
            sys.stdout.flush()
        return int(code or 0)
    except click.exceptions.Abort:
        return 130
    except click.ClickException as error:
        command = getattr(error, "ctx", None)
        where = "polyroc" if command is None else command.command_path
        return _complain(f"{where}: {error.format_message()} ({where} --help tells more)")
    except PolyrocError as error:
        return _complain(f"polyroc: {error.render(shell_spelling)}")
    except (
        BrokenPipeError,
        SystemExit,
    ):  # click exits so where the reader of our output has gone: no error of ours
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _complain(message: str) -> int:
    click.echo(" ".join(message.split()), err=True)
    return 2


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Our own warnings as single lines on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PolyrocWarning)
        try:
            yield
        finally:
            for warning in caught:
                if isinstance(warning.message, PolyrocWarning):
                    click.echo(f"polyroc: note: {warning.message.render(shell_spelling)}", err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="polyroc")
def app() -> None:
    """ROC analysis for any number of classes, with standard errors, intervals and paired tests.

    Bring a file with the true class of each case and what one or more classifiers said of it: a score, or
    one probability per class. CSV, TSV, Parquet and JSON lines are read, gzipped or not.

    \b
    Try it:
      polyroc demo                     three classifiers on Fisher's irises
      polyroc measures                 what can be measured
      polyroc evaluate predictions.csv --truth species --scores 'p_*'
      polyroc compare predictions.csv --truth species --scores 'p_*' --classifier model -m hand_till
      polyroc size --value 0.85 --null 0.75 --power 0.9

    Exit codes: 0, all well; 1, ran, but a measure asked for is undefined; 2, bad input or usage.
    """


@app.command(short_help="Measures with error bars for every classifier in a file.")
@data_files
@click.option(
    "-m", "--measure", multiple=True, metavar="KEY", help="A measure, such as hand_till; all by default."
)
@click.option("--parts", is_flag=True, help="Also the pieces: pairs of classes, classes.")
@click.option(
    "--null", metavar="NUMBER|chance", help="Also test that the true value is this: a p-value for each measure."
)
@convert_option
@method_options()
@engine_options()
@level_option
@formats
def evaluate(
    file: Files,
    measure: tuple[str, ...],
    parts: bool,
    null: str | None,
    method: str,
    replicates: int,
    seed: int | None,
    level: float,
    output: Format | None,
    **columns: Any,
) -> int:
    """Measures with standard errors and intervals, for every classifier in FILE.

    \b
    Two classes:         polyroc evaluate scores.csv --truth sick --scores risk
    One column a class:  polyroc evaluate irises.parquet --truth species --scores 'p_*'
    Several classifiers: polyroc evaluate all.csv --truth y --scores 'p_*' --classifier model
    Side by side:        polyroc evaluate wide.csv --truth y --scores rf=rf_* --scores lr=lr_*
    One measure:         polyroc evaluate scores.csv --truth y --scores s -m 'partial_auc(fpr=(0, 0.2))'
    Larger than memory:  polyroc evaluate 's/*.parquet' --truth y -m auc --engine duckdb --tolerance 1e-6
    """
    from polyroc.inference.evaluate import evaluate as judge

    with progress_bar() as progress:
        data, told = data_from(file, columns)
        found: Any = judge(
            data,
            measure=list(measure) or None,
            method=method_from(method, replicates, seed),
            null=_null(null),
            progress=progress,
            **told,
        )
    if told.get("by"):
        return _show_groups(found, output, level, None, name_of(file))
    _show_evaluation(found, output, level, parts, name_of(file))
    defined = [not isnan(estimate.value) for estimate in found.estimates.values()]
    return 0 if (all(defined) if measure else any(defined)) else 1


def _null(text: str | None) -> Any:
    """The value to test against: a number, or what `evaluate` makes of the word."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _show_groups(found: Any, output: Format | None, level: float, margin: float | None, source: str) -> int:
    from polyroc.cli.pages import grouped_page

    if output == "json":
        click.echo(json.dumps(found.to_dict(level), indent=2))
    elif output == "csv":
        click.echo(as_csv(found.rows(level)))
    else:
        click.echo(render(grouped_page(found, level=level, margin=margin, source=source), output))
    return 0


def _show_evaluation(found: Any, output: Format | None, level: float, parts: bool, source: str) -> None:
    from polyroc.cli.pages import evaluation_page

    if output == "json":
        click.echo(json.dumps(found.to_dict(level), indent=2))
    elif output == "csv":
        estimates = found.estimates.values()
        click.echo(as_csv([row for e in estimates for row in (e.rows(level) if parts else [e.row(level)])]))
    else:
        click.echo(render(evaluation_page(found, level=level, parts=parts, source=source), output))


@app.command(short_help="Whether classifiers differ, by how much, and how sure that is.")
@data_files
@click.option("-m", "--measure", required=True, metavar="KEY", help="The measure, such as hand_till.")
@click.option(
    "--adjust",
    "adjustment",
    default="max-t",
    show_default=True,
    type=click.Choice(["max-t", "holm", "bonferroni", "benjamini-hochberg", "none"]),
    help="How the p-values and the intervals of all pairs are adjusted.",
)
@click.option("--margin", type=float, help="Also test non-inferiority and equivalence with this margin.")
@convert_option
@method_options("permutation")
@engine_options()
@level_option
@formats
def compare(
    file: Files,
    measure: str,
    method: str,
    replicates: int,
    seed: int | None,
    adjustment: str,
    margin: float | None,
    level: float,
    output: Format | None,
    **columns: Any,
) -> int:
    """Compare the classifiers in FILE, which judged the same cases: all equal, and pair by pair.

    \b
    Stacked:       polyroc compare all.csv --truth y --scores 'p_*' --classifier model --case id -m hand_till
    Side by side:  polyroc compare wide.csv --truth y --scores rf=rf_* --scores lr=lr_* -m hand_till
    By group:      polyroc compare 's/*.parquet' --truth y --scores a=a_* --scores b=b_* -m auc --by country
    """
    from polyroc.cli.pages import comparison_page
    from polyroc.inference.compare import compare as judge

    how: Any = None if adjustment == "none" else adjustment
    with progress_bar() as progress:
        data, told = data_from(file, columns)
        found: Any = judge(
            data,
            measure=measure,
            method=method_from(method, replicates, seed),
            adjustment=how,
            progress=progress,
            **told,
        )
    if told.get("by"):
        return _show_groups(found, output, level, margin, name_of(file))
    if output == "json":
        click.echo(json.dumps(found.to_dict(level), indent=2))
    elif output == "csv":
        click.echo(as_csv(found.rows(level)))
    else:
        click.echo(render(comparison_page(found, level=level, margin=margin, source=name_of(file)), output))
    return 1 if isnan(found.pvalue) else 0


@app.command(short_help="List what can be measured.")
@formats
def measures(output: Format | None) -> None:
    """List the measures: what each needs, its range, chance value, options and source."""
    from polyroc.cli.pages import measure_rows, measures_page

    if output == "json":
        click.echo(json.dumps(measure_rows(), indent=2))
    elif output == "csv":
        click.echo(as_csv(measure_rows()))
    else:
        click.echo(render(measures_page(), output))


@app.command(short_help="Three classifiers on Fisher's irises.")
@click.option(
    "--report",
    "target",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Also write the report here (.html).",
)
@formats
def demo(target: Path | None, output: Format | None) -> None:
    """Three classifiers on Fisher's irises (the two sepal measurements), judged by every measure.

    The predictions ship with the package; they were made by leaving one flower out at a time.
    """
    from polyroc.datasets import catalogue
    from polyroc.inference.evaluate import evaluate as judge
    from polyroc.io.read import read

    file = catalogue.path("iris_predictions")
    with progress_bar() as progress:
        scores = read(file, truth="species", scores="p_*", classifier="classifier", case="case")
        found = judge(scores, progress=progress)
    _show_evaluation(found, output, 0.95, False, file.name)
    if output is None:
        click.echo(
            "\nThe same for a file of your own:\n"
            "  polyroc evaluate FILE --truth species --scores 'p_*' --classifier classifier --case case"
        )
    if target is not None:
        from polyroc.reports.report import report as make

        make(scores, path=target, title="Three classifiers on Fisher's irises")
        click.echo(f"\nThe report of it, to be opened in a browser: {target.resolve()}")


app.add_command(compare_measures)
app.add_command(curve)
app.add_command(datasets)
app.add_command(front)
app.add_command(operate)
app.add_command(plot)
app.add_command(rates)
app.add_command(report)
app.add_command(reproduce)
app.add_command(serve)
app.add_command(size)
app.add_command(study)
app.add_command(surface)
