"""Hand & Till's figures 1 and 2, and the ranks of table 1 over many splits."""

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from repro.hand_till.experiment import MEASURES, PUBLISHED, SETS, ranks_of, splits_of

__all__ = ["draw"]

ORDERS = [tuple(map(float, order)) for order in permutations((1, 2, 3))]
RULES = "L9T"  # logistic regression, 9 nearest neighbours, tree


def draw(results: dict[str, Any], folder: Path) -> None:
    """The measures by mu, the measures by each other, and the ranks of many splits."""
    mu, curves = results["figures"]["mu"], results["figures"]["curves"]
    figure, axes = pyplot.subplots(1, 4, figsize=(14.0, 3.8), layout="constrained")
    for ax, symbol, letter in zip(axes, curves, "abc", strict=False):
        for classes, values in curves[symbol].items():
            ax.plot(mu, values, label=f"{classes} classes")
        ax.set(xlabel="mu", ylabel=symbol, ylim=(0.0, 1.04), xlim=(0.0, 5.0))
        ax.set_title(f"Figure 1({letter})", loc="left", fontsize=10)
    _draw_misprint(axes[3], mu, curves["C2"])
    axes[0].legend(frameon=False, loc="lower right")
    figure.savefig(folder / "figure_1.svg")
    pyplot.close(figure)
    figure, axes = pyplot.subplots(1, 3, figsize=(12.0, 4.2), layout="constrained")
    for ax, (x, y), letter in zip(axes, (("C1", "M"), ("C2", "M"), ("C1", "C2")), "abc", strict=True):
        for classes in curves[x]:
            ax.plot(curves[x][classes], curves[y][classes], label=f"{classes} classes")
        ax.plot((0, 1), (0, 1), ":", color="0.6", linewidth=0.8)
        ax.set(xlabel=x, ylabel=y, xlim=(0.0, 1.0), ylim=(0.0, 1.0), aspect="equal")
        ax.set_title(f"Figure 2({letter})", loc="left", fontsize=10)
    axes[0].legend(frameon=False, loc="lower right")
    figure.savefig(folder / "figure_2.svg")
    pyplot.close(figure)
    if any(splits_of(results, name) for name in SETS):
        _draw_ranks(results, folder)


def _draw_misprint(ax: Axes, mu: list[float], C2: dict[str, list[float]]) -> None:
    """Equation 11 as it is printed, (c - 1) times too large: a share of right decisions above 1."""
    for classes, values in C2.items():
        ax.plot(mu, (int(classes) - 1) * np.array(values), "--")
    ax.axhline(1.0, color="0.6", linewidth=0.8)
    ax.set(xlabel="mu", ylabel="C2 as printed", xlim=(0.0, 5.0), ylim=(0.0, 4.16))
    ax.set_title("Equation 11 as printed: above 1", loc="left", fontsize=10)


def _draw_ranks(results: dict[str, Any], folder: Path) -> None:
    """Table 1: the share of splits with each order, ties separately; a frame around that of the paper's split."""
    sets = [name for name in SETS if splits_of(results, name)]
    names = ["<".join(RULES[place] for place in np.argsort(order)) for order in ORDERS] + ["ties"]
    figure, axes = pyplot.subplots(1, 3, figsize=(12.0, 4.0), sharey=True, layout="constrained")
    for ax, symbol in zip(axes, MEASURES, strict=True):
        shares = np.array([_shares(splits_of(results, name), symbol) for name in sets])
        ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
        for (row, column), share in np.ndenumerate(shares):
            if share:
                colour = "white" if share > 0.6 else "black"
                ax.text(column, row, f"{share:.2f}", ha="center", va="center", fontsize=8, color=colour)
        for row, name in enumerate(sets):
            printed = tuple(map(float, PUBLISHED[name][symbol]))
            column = ORDERS.index(printed) if printed in ORDERS else len(ORDERS)
            ax.add_patch(Rectangle((column - 0.46, row - 0.44), 0.92, 0.88, fill=False, color="C3", lw=1.6))
        ax.set_xticks(range(len(names)), [name.replace("<", " ") for name in names], rotation=45)
        ax.set_yticks(range(len(sets)), sets)
        ax.set_title(f"{symbol}: share of splits with an order", loc="left", fontsize=10)
    figure.supxlabel(
        "best to worst: L logistic regression, 9 nearest neighbours, T tree; framed: the paper's one split"
    )
    figure.savefig(folder / "table_1.svg")
    pyplot.close(figure)


def _shares(rows: list[dict[str, list[float]]], symbol: str) -> list[float]:
    ranks = [ranks_of(row[symbol]) for row in rows]
    shares = [ranks.count(order) / len(ranks) for order in ORDERS]
    return [*shares, 1.0 - sum(shares)]
