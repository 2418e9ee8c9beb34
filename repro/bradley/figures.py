"""Bradley's figures 5 to 15 and the groups that his tables underline, for the first draw of ten test sets."""

from pathlib import Path
from typing import Any

from matplotlib import pyplot
from matplotlib.axes import Axes
from repro.bradley.experiment import FIGURE_15, LEARNERS, TABLES, ranges, spreads

import polyroc as pr
from polyroc.studies.summaries import wilcoxon_errors

__all__ = ["draw"]

SIDES = {"left": ("BAYES", "KNN", "MLP2", "MLP4", "MLP8"), "right": ("C4.5", "MSCP", "MSCM", "PTRON")}
FIRST = {"breast": 5, "pima": 7, "cleveland": 9, "hungarian": 11}  # figure of the left panel
MARKERS = "os^Dv"


def draw(results: dict[str, Any], folder: Path) -> None:
    """Pooled curves, SE(W) against SD, SE(W) by area and cases, and Duncan's underlines."""
    first = {name: results[f"{name} draw 0"] for name in TABLES if f"{name} draw 0" in results}
    for name, result in first.items():
        _draw_curves(name, result, folder)
        picture = pr.plot(list(ranges(TABLES[name], result).values()))
        picture.figure.savefig(folder / f"duncan_{name}.svg")
        pyplot.close(picture.figure)
    if first:
        picture = pr.plot(spreads(results, 0))
        picture.figure.savefig(folder / "figures_13_and_14.svg")
        pyplot.close(picture.figure)
    picture = pr.plot(wilcoxon_errors(tuple(FIGURE_15), range(10, 201)))
    picture.figure.savefig(folder / "figure_15.svg")
    pyplot.close(picture.figure)


def _draw_curves(name: str, result: dict[str, Any], folder: Path) -> None:
    """Bayes, k-nn and networks at the left, trees and the perceptron at the right, as in the paper."""
    figure, axes = pyplot.subplots(1, 2, figsize=(10.4, 5.8), sharey=True, layout="constrained")
    for side, (ax, learners) in enumerate(zip(axes, SIDES.values(), strict=True)):
        kept = [learner for learner in learners if LEARNERS[learner][1] in result["learners"]]
        for position, learner in enumerate(kept):
            _draw_learner(ax, learner, result, position)
        ax.plot((0, 1), (0, 1), ":", color="0.6", linewidth=0.8)
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal", xlabel="false positive rate")
        ax.set_title(f"Figure {FIRST[name] + side}: {TABLES[name].split(', ')[1]}", loc="left", fontsize=10)
        ax.legend(
            frameon=False, fontsize=9, loc="lower right", title="marks: the paper's thresholds\nthin: every one"
        )
    axes[0].set_ylabel("true positive rate, pooled over ten test sets")
    figure.savefig(folder / f"figures_{FIRST[name]}_and_{FIRST[name] + 1}.svg")
    pyplot.close(figure)


def _draw_learner(ax: Axes, learner: str, result: dict[str, Any], position: int) -> None:
    every, few = LEARNERS[learner]
    look: dict[str, Any] = {"color": f"C{position}"}
    if every is not None and learner != "PTRON":  # its outputs have another scale in each test set
        ax.plot(*result["exact curves"][every], linewidth=0.8, alpha=0.55, **look)
    ax.plot(*result["curves"][few], MARKERS[position] + "-", markersize=4, linewidth=1.4, label=learner, **look)
