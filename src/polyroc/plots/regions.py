"""Decision regions over two features, with the cases."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.legend import Legend

from polyroc.decisions.regions import DecisionRegions
from polyroc.output.names import abbreviated
from polyroc.plots.picture import Picture
from polyroc.plots.style import HAIR, PLAIN, SMALL, TEXT, axes_of, dress, ink, name_lines, style

__all__ = ["RegionsPicture", "draw_regions"]

WIDTH, HEIGHT = 6.0, 5.0  # inches
PALE = 0.72  # how much white is in the colour of a region
MANY = 2000  # cases from which a picture holds them as dots, not as shapes
MOST = 20  # classes in the legend


@dataclass(frozen=True, slots=True)
class RegionsPicture(Picture):
    """Decision regions.

    Attributes
    ----------
    mesh
        The regions, in pale colours of the classes.
    right, wrong
        The cases of each class: filled where they are decided rightly, open where they are not.
    legend
        The classes.
    """

    mesh: QuadMesh
    right: tuple[PathCollection, ...]
    wrong: tuple[PathCollection, ...]
    legend: Legend


def draw_regions(regions: DecisionRegions, ax: Axes | None = None) -> RegionsPicture:
    """What is decided where, in pale colours, and the cases with the markers of their true classes.

    This is figure 1 of Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927.

    Parameters
    ----------
    regions
        The result of `decision_regions`.
    ax
        The axes to draw on.
    """
    ax = axes_of(ax, WIDTH, HEIGHT)
    dress(ax)
    classes = range(len(regions.classes))
    pale = ListedColormap([_pale(style(k).colour) for k in classes])
    mesh = ax.pcolormesh(
        regions.across, regions.up, regions.regions, cmap=pale, shading="nearest", rasterized=True
    )
    mesh.set_clim(-0.5, len(classes) - 0.5)
    for k in classes:
        here = regions.regions == k
        if here.any() and not here.all():
            ax.contour(regions.across, regions.up, here, [0.5], colors=ink(), linewidths=HAIR)
    right, wrong = zip(*(_cases(ax, regions, k) for k in classes), strict=True)
    ax.set(xlim=regions.across[[0, -1]], ylim=regions.up[[0, -1]])
    ax.set_xlabel(abbreviated(regions.features[0], 40), fontsize=TEXT, **PLAIN)
    ax.set_ylabel(abbreviated(regions.features[1], 40), fontsize=TEXT, **PLAIN)
    title = f"{regions.errors} of {len(regions.truth)} cases decided wrongly (open)"
    names = [abbreviated(name) for name in regions.classes[:MOST]]
    beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    legend = name_lines(ax, right[:MOST], names, **beside)
    for handle in legend.legend_handles:
        if isinstance(handle, PathCollection):
            handle.set_sizes([28])  # to be seen however small the dots are
    ax.set_title(title, fontsize=SMALL, loc="left")
    return RegionsPicture(ax, mesh, right, wrong, legend)


def _pale(colour: str) -> tuple[float, ...]:
    return tuple(PALE + (1 - PALE) * part for part in to_rgb(colour))


def _cases(ax: Axes, regions: DecisionRegions, k: int) -> tuple[PathCollection, PathCollection]:
    """The cases of a class: filled, and open where the decision is wrong."""
    colour, marker, _ = style(k)
    n = len(regions.truth)
    look: dict[str, Any] = {"marker": marker, "s": float(np.clip(6000 / n, 5, 30)), "rasterized": n > MANY}
    rim, edge = (0.4, 1.1) if n <= MANY else (0.0, 0.6)
    mine, hit = regions.truth == k, regions.truth == regions.decisions
    right = ax.scatter(*regions.cases[mine & hit].T, color=colour, edgecolor="white", linewidth=rim, **look)
    wrong = ax.scatter(*regions.cases[mine & ~hit].T, facecolor="white", edgecolor=colour, linewidth=edge, **look)
    return right, wrong
