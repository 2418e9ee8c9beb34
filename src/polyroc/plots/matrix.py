"""A matrix of classes by classes as coloured cells with numbers in them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import signed_text
from polyroc.output.sentences import abbreviated
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    FAINT,
    HAIR,
    PLAIN,
    add_scale,
    axes_of,
    small_size,
    style_axes,
    text_colour,
    text_width,
    tiny_size,
)

__all__ = ["draw_matrix"]


CELL, WIDE, AROUND, LARGEST = 0.55, 0.95, 2.2, 9.0  # inches: cells, cells with two lines, around them, at most
ROOM = 1.15  # a number is written where the cell is so many times as wide


def draw_matrix(
    ax: Axes | None,
    values: FloatArray,
    names: Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    label: str,
    shades: tuple[float, float],
    colours: str,
    below: Sequence[Sequence[str]] | None = None,
) -> Picture:
    """Draw the values, nan for none, in colours between two ends.

    `columns` are the names of the columns, if they are not those of the rows; `label` is written beside the scale
    of the colours, `below` small under each number.
    """
    columns = names if columns is None else columns
    classes = max(len(names), len(columns))
    side = min(LARGEST, AROUND + (CELL if below is None else WIDE) * classes)
    ax = axes_of(ax, side + 0.6, side * len(names) / len(columns))
    style_axes(ax)
    ax.patch.set(hatch="////", edgecolor=(*to_rgb(text_colour()), FAINT / 2))
    cell = ax.get_window_extent().width / ax.figure.dpi * 72 / classes
    line = HAIR if cell > 24 else HAIR / 4
    mesh = ax.pcolormesh(np.ma.masked_invalid(values), cmap=colours, edgecolors="white", linewidth=line)
    mesh.set_clim(*shades)
    ax.set(aspect="equal", xlim=(0, len(columns)), ylim=(len(names), 0))
    ax.spines[:].set_visible(False)
    scale = add_scale(ax, mesh, label, shrink=0.8, pad=0.02)
    _name_classes(ax, names, columns, cell)
    return Picture(ax, mesh=mesh, numbers=_write(ax, mesh, values, below, cell), scale=scale)


def _name_classes(ax: Axes, names: Sequence[str], columns: Sequence[str], cell: float) -> None:
    """Names at the left and below, on end where they are wider than a cell, small where there are many."""
    texts = [abbreviated(name, 18) for name in columns]
    size = min(small_size(), max(4.0, 0.8 * cell))
    wide = max(text_width(text, size) for text in texts) > 0.7 * cell  # names at the left take some of its width
    ax.set_yticks(np.arange(len(names)) + 0.5, [abbreviated(name, 30) for name in names], fontsize=size, **PLAIN)
    ax.set_xticks(np.arange(len(texts)) + 0.5, texts, fontsize=size, rotation=90 if wide else 0, **PLAIN)
    ax.tick_params(length=0)


def _write(
    ax: Axes, mesh: QuadMesh, values: FloatArray, below: Sequence[Sequence[str]] | None, cell: float
) -> tuple[Text, ...]:
    """The values in their cells, in white on dark and in black on light; none if they do not fit."""
    if ROOM * text_width("0.00", small_size()) > cell:
        return ()
    light = mesh.to_rgba(values)[..., :3] @ (0.299, 0.587, 0.114) > 0.55
    more = below is not None and ROOM * text_width("0.00 to 0.00", tiny_size()) < cell
    written = []
    for row, column in np.argwhere(~np.isnan(values)):
        look: dict[str, Any] = {
            "ha": "center",
            "va": "center",
            "color": "black" if light[row, column] else "white",
        }
        x, y = column + 0.5, row + 0.5
        number = signed_text(float(values[row, column]), 2)
        written.append(ax.text(x, y - 0.08 * more, number, fontsize=small_size(), **look))
        if below is not None and more:
            ax.text(x, y + 0.18, below[row][column], fontsize=tiny_size(), **look)
    return tuple(written)
