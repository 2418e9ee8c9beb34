"""The command `compare`: paired tests and intervals of differences."""

from math import isnan
from typing import Any

import click

from polyroc.cli.evaluate import print_groups
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

__all__ = ["compare"]


@click.command(cls=Command)
@data_files
@column_options(*FOLDS)
@measure_option("The measure, such as hand_till.", required=True)
@adjust_option
@click.option("--margin", type=float, help="Also test non-inferiority and equivalence with this margin.")
@convert_option
@click.option(
    "--test",
    default="score",
    show_default=True,
    type=click.Choice(["score", "delong", "permutation", "bootstrap"]),
    help="Test of the differences, with the interval that belongs to it.",
)
@method_options("delong", "permutation", "mcnemar")
@column_options(*ENGINE)
@level_option
@formats
def compare(
    file: Files,
    measure: str,
    test: Any,
    method: str,
    replicates: int,
    rng: int | None,
    adjustment: Any,
    margin: float | None,
    level: float,
    output: Format | None,
    **columns: Any,
) -> int:
    """Compare the classifiers in FILE on the same cases: all of them, and pair by pair.

    \b
    Stacked:       polyroc compare all.csv --truth y --scores "p_*" --classifier model --case id -m hand_till
    Side by side:  polyroc compare wide.csv --truth y --scores rf=rf_* --scores lr=lr_* -m hand_till
    Folds:         polyroc compare cv.csv --truth y --scores rf=rf_* --scores lr=lr_* -m auc --folds fold
    By group:      polyroc compare "s/*.parquet" --truth y --scores a=a_* --scores b=b_* -m auc --by country
    """
    from polyroc.cli.pages import comparison_page
    from polyroc.inference.compare import compare as compute

    with progress_bar() as progress:
        data, options = data_from("compare", file, columns)
        result: Any = compute(
            data,
            measure=measure,
            method=method_from(test if method == "influence" and test != "score" else method, replicates, rng),
            test=test,
            adjustment=adjustment,
            progress=progress,
            **options,
        )
    if options.get("by"):
        print_groups(result, output, level, margin, name_of(file))
        return 0
    print_result(
        output,
        record=lambda: result.to_dict(level),
        rows=lambda: result.rows(level),
        table=lambda: comparison_page(result, level=level, margin=margin, source=name_of(file)),
    )
    return 1 if isnan(result.pvalue) else 0
