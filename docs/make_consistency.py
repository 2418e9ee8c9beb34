"""Draw docs/consistency.svg anew: C and D of AUC against accuracy by size, and the extrapolations of the paper."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot

import polyroc as pr
from polyroc.plots.consistency import draw_consistency, draw_discriminancy
from polyroc.plots.picture import save
from polyroc.plots.style import figure_layout

PICTURE = Path(__file__).parent / "consistency.svg"
HALVES = (*range(2, 11), 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 140, 200)
LAST = 16  # cases, where the paper's tables end
RED = "#D55E00"


def main() -> None:
    """Two panels; the extrapolations start where the tables of the paper end."""
    mpl.use("agg")
    comparisons = [pr.compare_measures("auc", "accuracy", positives=n, negatives=n) for n in HALVES]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.6, 3.6), layout=figure_layout())
    draw_consistency(comparisons, left)
    draw_discriminancy(comparisons, right)
    cases = np.array([LAST, 2 * HALVES[-1]])
    for ax, value, label in ((left, 0.94, "the paper's 0.94"), (right, 19.0, "the paper's 19")):
        ax.plot(cases, [value, value], color=RED, linewidth=1.2, linestyle=(0, (4, 2)))
        ax.annotate(
            label, (cases[1], value), (0, 3), textcoords="offset points", ha="right", color=RED, fontsize=8
        )
        ax.axvspan(3.6, LAST, color="#7F7F7F", alpha=0.12, linewidth=0)
        ax.set_xlim(3.6, 1.1 * cases[1])
    left.annotate("counted in\nthe paper", (4, 0.85), fontsize=8, color="#555555")
    left.set_ylim(0.82, 1.005)
    save(figure, PICTURE)


if __name__ == "__main__":
    main()
