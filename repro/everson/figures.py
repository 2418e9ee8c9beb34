"""Everson & Fieldsend's three figures."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from repro.everson.experiment import FloatArray, densities, drawn_front, panels, two_classes

import polyroc as pr

__all__ = ["draw"]


def draw(results: dict[str, Any], folder: Path) -> None:  # noqa: ARG001 - fronts are not kept with the results
    """Decision regions of three points of the front; its false positives; G and delta of two classes."""
    X, y, front = drawn_front()
    _draw_regions(X, y, front, folder)
    picture = pr.plot(front, kind="false_positives")
    picture.ax.set_title(f"Multinomial logistic regression, synthetic data: {len(front)} operating points")
    picture.figure.savefig(folder / "figure_2.png", dpi=150)
    pyplot.close(picture.figure)
    _draw_crossing(folder)


def _draw_regions(X: FloatArray, y: Any, front: pr.results.Front, folder: Path) -> None:
    """Figure 1, with the boundaries that would be ideal for equal costs."""
    figure, axes = pyplot.subplots(1, 3, figsize=(14.0, 4.8), sharey=True, layout="constrained")
    for ax, (title, place) in zip(axes, panels(front).items(), strict=True):
        regions = pr.decisions.decision_regions(
            front.deploy(place), X, y, features=("first feature", "second feature")
        )
        picture: Any = pr.plot(regions, ax=ax)
        ideal = densities(np.stack(np.meshgrid(regions.across, regions.up), axis=-1).reshape(-1, 2)).argmax(axis=1)
        for k in range(3):
            here = (ideal == k).reshape(len(regions.up), len(regions.across))
            ax.contour(regions.across, regions.up, here, [0.5], colors="0.25", linewidths=1.0, linestyles=":")
        ax.set_title(f"{title}\n{ax.get_title(loc='left')}", loc="left", fontsize=10)
        picture.legend.remove()
        if ax is not axes[0]:
            ax.set_ylabel("")
    lines = [Line2D([], [], color="0.25", linewidth=1.0, linestyle=":")]
    figure.legend(
        [*picture.right, *lines],
        ["C1", "C2", "C3", "ideal boundary for equal costs"],
        loc="outside lower center",
        ncols=4,
        frameon=False,
    )
    figure.savefig(folder / "figure_1.png", dpi=150)
    pyplot.close(figure)


def _draw_crossing(folder: Path) -> None:
    """Figure 3: G(A) shaded, delta(A, B) hatched across, delta(B, A) hatched upright."""
    fronts = two_classes()
    volume = pr.fronts.front_volumes(fronts, n_points=None)
    below = {name: _dominated(front.rates[:, 0, 1], front.rates[:, 1, 0]) for name, front in fronts.items()}
    figure, ax = pyplot.subplots(figsize=(5.6, 5.8), layout="constrained")
    grid = np.linspace(0.0, 1.0, 2001)
    steps = {name: _height(stairs, grid) for name, stairs in below.items()}
    chance = 1.0 - grid
    pair = (
        f"delta(A, B) = {volume.exclusive('A', 'B').value:.3f}",
        f"delta(B, A) = {volume.exclusive('B', 'A').value:.3f}",
    )
    _between(ax, grid, steps["A"], chance, color="0.85", label=f"G(A) = {volume.gini('A').value:.3f}")
    _between(ax, grid, steps["A"], np.minimum(steps["B"], chance), hatch="---", label=pair[0])
    _between(ax, grid, steps["B"], np.minimum(steps["A"], chance), hatch="|||", label=pair[1])
    for name, style in (("A", "-"), ("B", "--")):
        ax.plot(*below[name].T, style, color="black", linewidth=1.4, label=f"front {name}")
    ax.plot((0, 1), (1, 0), ":", color="0.4", linewidth=1.0, label="random allocation")
    ax.set(xlabel="C12", ylabel="C21", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.legend(frameon=False, fontsize=9, loc="upper right")
    ax.set_title(
        "G and delta of two classes: shares of the triangle below random allocation", fontsize=9, loc="left"
    )
    figure.savefig(folder / "figure_3.svg")
    pyplot.close(figure)


def _dominated(across: FloatArray, up: FloatArray) -> FloatArray:
    """The lower left border of the region that a front dominates, from the upper edge to the right one."""
    order = np.lexsort((-up, across))
    corners = [(across[order[0]], 1.0)]
    for x, y in zip(across[order].tolist(), up[order].tolist(), strict=True):
        corners += [(x, corners[-1][1]), (x, y)]
    return np.array([*corners, (1.0, corners[-1][1])])


def _height(border: FloatArray, grid: FloatArray) -> FloatArray:
    """The lower limit of the dominated region at each abscissa; 1 if nothing is dominated."""
    heights: FloatArray = np.array([border[border[:, 0] <= x, 1].min(initial=1.0) for x in grid])
    return heights


def _between(ax: Axes, grid: FloatArray, low: FloatArray, high: FloatArray, **look: Any) -> None:
    look = {"linewidth": 0.0, **({"facecolor": "none", "edgecolor": "0.35"} if "hatch" in look else {}), **look}
    ax.fill_between(grid, low, high, where=(low < high).tolist(), step="post", **look)
