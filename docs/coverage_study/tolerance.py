"""The effect on coverage of stopping refinement when the bounds are a fifth of the standard error apart.

    python docs/coverage_study/tolerance.py

The value with ties inside bins is then at most a tenth of the standard error from the exact one. Coverage of the
95 % interval in the same samples: of all cases exactly; from the coarsest tally that stops there; and in the
worst cases, with values that are a tenth of a standard error higher in every sample, lower in every sample, or
away from the true value in every sample, which no order inside bins makes them. The table is in docs/scale.md.
"""

import sys
import warnings
from dataclasses import replace
from typing import Any

from grid import Cell
from page import percent, table
from quantities import evaluate, evaluate_binned
from records import LEVEL, Tally, samples_of, true_value

CELLS = tuple(
    Cell("binned", model, (value,), sizes, (measure,))
    for model, value, sizes, measure in (
        ("normal", 0.8, (50, 50), "auc"),
        ("normal", 0.95, (400, 400), "auc"),
        ("skewed", 0.95, (50, 50), "auc"),
        ("exponential", 0.8, (100, 100, 100), "vus"),
    )
)
REPLICATES, LARGEST_MOVE, MOST_BITS = 800, 0.1, 16


def coverages(cell: Cell) -> list[str]:
    """By way of estimation, the coverage in per cent."""
    (name,) = cell.measures
    true = true_value(cell, name)
    ways = {way: Tally() for way in ("exact", "stopped", "higher", "lower", "away")}
    for _, data, setting in samples_of(cell, REPLICATES):
        exact: Any = evaluate(name, data, setting).estimate
        ways["exact"].add(exact.confidence_interval(LEVEL))
        binned = (evaluate_binned(name, data, setting, bits) for bits in range(2, MOST_BITS))
        stopped = next(estimate for estimate in binned if not estimate.certificate.in_interval)
        ways["stopped"].add(stopped.confidence_interval(LEVEL))
        signs = {"higher": 1.0, "lower": -1.0, "away": 1.0 if exact.value >= true else -1.0}
        for way, sign in signs.items():
            low, high = exact.limits
            shifted = min(max(exact.value + sign * LARGEST_MOVE * exact.standard_error, low), high)
            ways[way].add(replace(exact, value=shifted).confidence_interval(LEVEL))
    place = f"{name}, {cell.model_name}, {cell.shown_values}, {cell.shown_sizes.replace('+', ' + ')}"
    return [place, *(percent(tally.summary(true)["rate"]) for tally in ways.values())]


def main() -> None:
    """Print the table."""
    head = ["cell", "all cases", "bins that just suffice", "a tenth higher", "a tenth lower", "a tenth away"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.stdout.write(table(head, [coverages(cell) for cell in CELLS]) + "\n")


if __name__ == "__main__":
    main()
