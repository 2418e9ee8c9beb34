"""The command `calibration`: whether the probabilities in a file are right."""

from typing import Any

import click

from polyroc.cli.help import Command
from polyroc.cli.options import (
    ENGINE,
    Files,
    column_options,
    data_files,
    data_from,
    formats,
    level_option,
    print_result,
    progress_bar,
    smooth_option,
    view_option,
)
from polyroc.output.text import Format

__all__ = ["calibration"]


@click.command("calibration", cls=Command)
@data_files
@column_options("folds", "repeats")
@view_option
@smooth_option
@click.option("--replicates", type=int, default=1000, show_default=True, help="Number of simulated samples.")
@click.option("--rng", type=int, default=0, show_default=True, help="Seed of the simulated samples.")
@click.option("--curve", "curve_rows", is_flag=True, help="With --csv: the points of the curves, with bands.")
@column_options(*ENGINE)
@level_option
@formats
def calibration(
    file: Files,
    replicates: int,
    rng: int,
    curve_rows: bool,
    views: Any,
    smooth: bool,
    level: float,
    output: Format | None,
    **columns: Any,
) -> int:
    """Whether the probabilities in FILE are right: slope, tests, and the terms of the Brier score.

    Of two classes for the positive one; of more for each class, and for the class of the largest probability.
    `polyroc plot --kind reliability` draws the curves.

    \b
    One model:     polyroc calibration risks.csv --truth sick --scores risk
    Two models:    polyroc calibration risks.csv --truth sick --scores old=p1 --scores new=p2
    More classes:  polyroc calibration irises.csv --truth species --scores "p_*"
    Pairs:         polyroc calibration irises.csv --truth species --scores "p_*" --views pair
    Subgroups:     polyroc calibration risks.csv --truth sick --scores risk --by sex
    Folds:         polyroc calibration cv.csv --truth sick --scores risk --folds fold
    Many rows:     polyroc calibration "s/*.parquet" --truth sick --scores risk --engine duckdb
    """
    from polyroc.reliability.calibration import calibration as compute

    with progress_bar() as progress:
        data, options = data_from("calibration", file, columns)
        options |= {"views": views, "smooth": smooth, "progress": progress}
        result: Any = compute(data, level=level, replicates=replicates, rng=rng, **options)
    print_result(
        output,
        record=lambda: result.to_dict(level),
        rows=lambda: result.curve_rows() if curve_rows else result.rows(level),
        table=lambda: result.tables(),
    )
    return 0
