"""The command `calibration`: whether the probabilities in a file are right."""

from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import (
    add_options,
    by_option,
    data_file,
    fold_columns,
    formats,
    level_option,
    print_result,
    progress_bar,
    scores_from,
    smooth_option,
    view_option,
)
from polyroc.output.text import Format

__all__ = ["calibration"]


@click.command("calibration")
@data_file
@add_options(*fold_columns)
@by_option
@view_option
@smooth_option
@click.option("--replicates", type=int, default=1000, show_default=True, help="Number of simulated samples.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the simulated samples.")
@click.option("--curve", "curve_rows", is_flag=True, help="With --csv: the points of the curves, with bands.")
@level_option
@formats
def calibration(
    file: Path,
    replicates: int,
    seed: int,
    curve_rows: bool,
    by: tuple[str, ...],
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
    More classes:  polyroc calibration irises.csv --truth species --scores 'p_*'
    Pairs:         polyroc calibration irises.csv --truth species --scores 'p_*' --view pair
    Subgroups:     polyroc calibration risks.csv --truth sick --scores risk --by sex
    Folds:         polyroc calibration cv.csv --truth sick --scores risk --folds fold
    """
    from polyroc.reliability.calibration import calibration as compute

    with progress_bar():
        scores = scores_from(file, by=by, **columns)
        chosen: dict[str, Any] = {"views": views, "smooth": smooth}
        result: Any = compute(scores, by=[*by] or None, level=level, n=replicates, rng=seed, **chosen)
    print_result(
        output,
        record=lambda: result.to_dict(level),
        rows=lambda: result.curve_rows() if curve_rows else result.rows(level),
        table=lambda: result.tables(),
    )
    return 0
