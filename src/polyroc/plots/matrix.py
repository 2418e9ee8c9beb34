"""A matrix of classes by classes as coloured cells with numbers in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colorbar import Colorbar
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from polyroc.errors import NotApplicableError
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import FloatArray
from polyroc.output.names import abbreviated
from polyroc.output.numbers import signed_text
from polyroc.plots.picture import Picture
from polyroc.plots.style import FAINT, HAIR, PLAIN, SHADES, SMALL, TEXT, TINY, axes_of, dress, ink, width_of

__all__ = ["MatrixPicture", "draw_matrix", "draw_pairs", "has_pairs", "shades_of"]


CELL, WIDE, AROUND, LARGEST = 0.55, 0.95, 2.2, 9.0  # inches: cells, cells with two lines, around them, at most
ROOM = 1.15  # a number is written where the cell is so many times as wide


@dataclass(frozen=True, slots=True)
class MatrixPicture(Picture):
    """A matrix of classes by classes.

    Attributes
    ----------
    mesh
        The cells; masked where there is no value.
    numbers
        The values written in the cells; none if the cells are too small.
    scale
        The scale of the colours.
    """

    mesh: QuadMesh
    numbers: tuple[Text, ...]
    scale: Colorbar


def draw_matrix(
    ax: Axes | None,
    values: FloatArray,
    names: Sequence[str],
    *,
    shades: tuple[float, float],
    colours: str,
    below: Sequence[Sequence[str]] | None = None,
) -> MatrixPicture:
    """Draw the values, nan for none, in colours between two ends; `below` is written small under each number."""
    classes = len(names)
    side = min(LARGEST, AROUND + (CELL if below is None else WIDE) * classes)
    ax = axes_of(ax, side + 0.6, side)
    dress(ax)
    ax.patch.set(hatch="////", edgecolor=(*to_rgb(ink()), FAINT / 2))
    cell = ax.get_window_extent().width / ax.figure.dpi * 72 / classes
    line = HAIR if cell > 24 else HAIR / 4
    mesh = ax.pcolormesh(np.ma.masked_invalid(values), cmap=colours, edgecolors="white", linewidth=line)
    mesh.set_clim(*shades)
    ax.set(aspect="equal", xlim=(0, classes), ylim=(classes, 0))
    ax.spines[:].set_visible(False)
    scale = ax.figure.colorbar(mesh, ax=ax, shrink=0.8, pad=0.02)
    scale.outline.set_visible(False)
    scale.ax.tick_params(labelsize=SMALL, length=2, width=HAIR)
    _name_classes(ax, names, cell)
    return MatrixPicture(ax, mesh, _write(ax, mesh, values, below, cell), scale)


def _name_classes(ax: Axes, names: Sequence[str], cell: float) -> None:
    """Names at the left and below, on end where they are wider than a cell, small where there are many."""
    texts = [abbreviated(name, 18) for name in names]
    size = min(SMALL, max(4.0, 0.8 * cell))
    wide = max(width_of(text, size) for text in texts) > 0.85 * cell
    places = np.arange(len(names)) + 0.5
    ax.set_yticks(places, texts, fontsize=size, **PLAIN)
    ax.set_xticks(places, texts, fontsize=size, rotation=90 if wide else 0, **PLAIN)
    ax.tick_params(length=0)


def _write(
    ax: Axes, mesh: QuadMesh, values: FloatArray, below: Sequence[Sequence[str]] | None, cell: float
) -> tuple[Text, ...]:
    """The values in their cells, in white on dark and in black on light; none if they do not fit."""
    if ROOM * width_of("0.00", SMALL) > cell:
        return ()
    light = mesh.to_rgba(values)[..., :3] @ (0.299, 0.587, 0.114) > 0.55
    more = below is not None and ROOM * width_of("0.00 to 0.00", TINY) < cell
    written = []
    for row, column in np.argwhere(~np.isnan(values)):
        look: dict[str, Any] = {
            "ha": "center",
            "va": "center",
            "color": "black" if light[row, column] else "white",
        }
        x, y = column + 0.5, row + 0.5
        number = signed_text(float(values[row, column]), 2)
        written.append(ax.text(x, y - 0.08 * more, number, fontsize=SMALL, **look))
        if below is not None and more:
            ax.text(x, y + 0.18, below[row][column], fontsize=TINY, **look)
    return tuple(written)


def has_pairs(estimate: Estimate) -> bool:
    """Whether its parts are ordered pairs of classes, as those of Hand & Till's M are."""
    first, second = [*estimate.provenance.cases][:2]
    return f"{_letter(estimate)}({first}|{second})" in estimate.parts


def _letter(estimate: Estimate) -> str:
    return next(iter(estimate.parts), " ")[0]


def draw_pairs(
    estimate: Estimate, ax: Axes | None = None, *, shades: tuple[float, float] | None = None
) -> MatrixPicture:
    """A(i|j) in row i and column j: how well the probabilities of class i tell it from class j.

    Dark cells are pairs that are hard to tell apart.

    Parameters
    ----------
    estimate
        Of the measure `hand_till` (or `pairwise_accuracy`).
    ax
        The axes to draw on.
    shades
        The values of the darkest and the lightest shade, to draw several on one scale; by default from below the
        smallest value to 1.
    """
    if not has_pairs(estimate):
        raise NotApplicableError(
            f"{estimate.measure} has no parts A(i|j) for pairs of classes; draw an estimate of hand_till."
        )
    classes = [*estimate.provenance.cases]
    ends = shades_of([estimate]) if shades is None else shades
    picture = draw_matrix(ax, _areas(estimate), classes, shades=ends, colours=f"{SHADES}_r")
    picture.scale.set_label(f"{_letter(estimate)}(i|j)", fontsize=SMALL)
    picture.ax.set_ylabel("class i", fontsize=TEXT)
    picture.ax.set_xlabel("class j", fontsize=TEXT)
    title = f"{abbreviated(estimate.classifier)}: {estimate.name} = {signed_text(estimate.value)}"
    picture.ax.set_title(title, fontsize=TEXT, loc="left", **PLAIN)
    return picture


def shades_of(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """Round ends of a scale for all pairs of these estimates."""
    areas = [float(value) for estimate in estimates for value in _areas(estimate).flat if not np.isnan(value)]
    return min([0.9, *(floor(20 * value) / 20 for value in areas)]), 1.0


def _areas(estimate: Estimate) -> FloatArray:
    letter, classes = _letter(estimate), [*estimate.provenance.cases]
    values = np.full((len(classes), len(classes)), np.nan)
    for i, first in enumerate(classes):
        for j, second in enumerate(classes):
            if i != j:
                values[i, j] = estimate.parts[f"{letter}({first}|{second})"].value
    return values
