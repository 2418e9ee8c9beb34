"""The command `evaluate`: measures with standard errors and intervals."""

from math import isnan
from typing import Any

import click

from polyroc.cli.help import Command
from polyroc.cli.options import (
    ENGINE,
    FOLDS,
    Files,
    adjust_option,
    column_options,
    convert_option,
    data_files,
    data_from,
    formats,
    level_option,
    measure_option,
    method_from,
    method_options,
    name_of,
    print_result,
    progress_bar,
)
from polyroc.output.text import Format

__all__ = ["evaluate", "print_evaluation", "print_groups"]


@click.command(cls=Command)
@data_files
@column_options(*FOLDS)
@measure_option("A measure, such as hand_till; all by default.", multiple=True)
@click.option("--parts", is_flag=True, help="Also the parts of each measure: pairs of classes, or classes.")
@click.option(
    "--null", metavar="NUMBER|chance", help="Also test the hypothesis that the true value is this: a p-value."
)
@adjust_option
@convert_option
@method_options()
@column_options(*ENGINE)
@level_option
@formats
def evaluate(
    file: Files,
    measure: tuple[str, ...],
    parts: bool,
    null: str | None,
    adjustment: Any,
    method: str,
    replicates: int,
    rng: int | None,
    level: float,
    output: Format | None,
    **columns: Any,
) -> int:
    """Measures with standard errors and intervals, for every classifier in FILE.

    \b
    Two classes:           polyroc evaluate scores.csv --truth sick --scores risk
    One column per class:  polyroc evaluate irises.parquet --truth species --scores "p_*"
    Several classifiers:   polyroc evaluate all.csv --truth y --scores "p_*" --classifier model --case id
    Side by side:          polyroc evaluate wide.csv --truth y --scores rf=rf_* --scores lr=lr_*
    One measure:           polyroc evaluate scores.csv --truth y --scores s -m 'partial_auc(fpr=(0, 0.2))'
    Cross-validation:      polyroc evaluate cv.csv --truth y --scores s --folds fold -m auc
    Several tests:         polyroc evaluate f.csv --truth y --scores a --null chance --adjustment holm
    Subgroups:             polyroc evaluate scores.csv --truth sick --scores risk -m auc --by sex
    A reversed score:      polyroc evaluate scores.csv --truth sick --scores 'abeta=-ABETA42' -m auc
    Larger than memory:    polyroc evaluate "s/*.parquet" --truth y -m auc --engine duckdb --tolerance 1e-6
    Standard input:        zstd -dc scores.csv.zst | polyroc evaluate - --truth y --scores s

    FILE is CSV, TSV, .txt, JSON lines (also with .gz or .zst), Excel (.xlsx), Parquet, Arrow (Feather) or a DuckDB
    file; polyroc reads nothing from the network.
    """
    from polyroc.inference.evaluate import evaluate as compute

    with progress_bar() as progress:
        data, options = data_from("evaluate", file, columns)
        result: Any = compute(
            data,
            measure=list(measure) or None,
            method=method_from(method, replicates, rng),
            null=_null(null),
            adjustment=adjustment,
            progress=progress,
            **options,
        )
    if options.get("by"):
        print_groups(result, output, level, None, name_of(file))
        return 0
    adjusted = None if null is None or adjustment == "max-t" else adjustment
    print_evaluation(result, output, level, parts, name_of(file), adjusted)
    defined = [not isnan(estimate.value) for estimate in result.estimates.values()]
    return 0 if (all(defined) if measure else any(defined)) else 1


def _null(text: str | None) -> Any:
    """The value to test against: a number, or a word for `evaluate` to check."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def print_groups(grouped: Any, output: Format | None, level: float, margin: float | None, source: str) -> None:
    """Print one result per group."""
    from polyroc.cli.pages import grouped_page

    print_result(
        output,
        record=lambda: grouped.to_dict(level),
        rows=lambda: grouped.rows(level),
        table=lambda: grouped_page(grouped, level=level, margin=margin, source=source),
    )


def print_evaluation(
    evaluation: Any, output: Format | None, level: float, parts: bool, source: str, adjustment: Any = None
) -> None:
    """Print the estimates, with their parts and adjusted p-values if wanted."""
    from polyroc.cli.pages import evaluation_page

    estimates = evaluation.estimates.values()
    print_result(
        output,
        record=lambda: evaluation.to_dict(level),
        rows=lambda: (
            [row for e in estimates for row in e.rows(level)]
            if parts
            else evaluation.rows(level, adjustment=adjustment)
        ),
        table=lambda: evaluation_page(evaluation, level=level, parts=parts, source=source, adjustment=adjustment),
    )
