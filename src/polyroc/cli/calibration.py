"""The command `calibration`: whether the probabilities in a file are right."""

from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import data_file, formats, level_option, print_result, progress_bar, scores_from
from polyroc.output.text import Format

__all__ = ["calibration"]


@click.command("calibration")
@data_file
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
    """
    from polyroc.reliability.calibration import calibration as compute

    with progress_bar():
        result = compute(scores_from(file, **columns), level=level, n=replicates, rng=seed)
    print_result(
        output,
        record=lambda: result.to_dict(level),
        rows=lambda: result.curve_rows() if curve_rows else result.rows(level),
        table=lambda: [result.to_table(), result.decomposition_table()],
    )
    return 0
