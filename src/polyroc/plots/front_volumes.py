"""The volumes of several fronts: what each dominates, and what it dominates that another does not."""

import numpy as np
from matplotlib.axes import Axes

from polyroc.errors import NotApplicableError
from polyroc.plots.look import SHADES, SMALL, TEXT
from polyroc.plots.matrix import MatrixPicture, draw_matrix
from polyroc.plots.words import PLAIN, decimals, shown
from polyroc.results import FrontVolumes

__all__ = ["draw_front_volumes"]


def draw_front_volumes(found: FrontVolumes, ax: Axes | None = None) -> MatrixPicture:
    """delta(row, column): what the front of the row dominates and that of the column does not; G at the left.

    Parameters
    ----------
    found
        The volumes.
    ax
        The axes to draw on.
    """
    n = len(found.fronts)
    if n < 2:
        raise NotApplicableError("The picture is of two fronts or more; the G of a single one is a number.")
    deltas = np.where(np.eye(n, dtype=bool), np.nan, found.shares)
    top = float(np.nanmax(deltas, initial=0.0)) or 1.0
    picture = draw_matrix(ax, deltas, found.fronts, shades=(0.0, top), colours=SHADES)
    for text, delta in zip(picture.numbers, deltas[~np.isnan(deltas)], strict=False):
        text.set_text(decimals(float(delta)))
    rows = [f"{shown(name, 18)}  G = {decimals(found.gini(name))}" for name in found.fronts]
    picture.ax.set_yticks(picture.ax.get_yticks(), rows, fontsize=SMALL, **PLAIN)
    picture.ax.set_ylabel("dominated by this front", fontsize=TEXT)
    picture.ax.set_xlabel("and not by this one", fontsize=TEXT)
    picture.scale.set_label("share of the region below chance", fontsize=SMALL)
    return picture
