"""Fronts of any number of classes: all error rates of an operating point side by side, as one line."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colorbar import Colorbar
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from polyroc.decisions.operating_point import OperatingPoint
from polyroc.fronts.result import Front
from polyroc.output.names import abbreviated
from polyroc.plots.fronts import SCALE, Colour, add_scale, place_of, values_by
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    COLOURS,
    HAIR,
    MUTED,
    PLAIN,
    SMALL,
    TEXT,
    axes_of,
    dress,
    ink,
    name_lines,
    style,
    width_of,
)

__all__ = ["ParallelPicture", "draw_parallel"]

AXIS, AROUND, NARROWEST, WIDEST, HEIGHT = 0.7, 1.2, 5.6, 17.0, 4.2  # inches
IN_A_ROW = 3  # entries of the legend
MANY = 2000  # lines from which a picture holds them as dots, not as shapes


@dataclass(frozen=True, slots=True)
class ParallelPicture(Picture):
    """Operating points as lines over all errors.

    Attributes
    ----------
    lines
        The operating points.
    points
        The selected operating points.
    legend, scale
        What is what.
    """

    lines: LineCollection
    points: tuple[Line2D, ...]
    legend: Legend
    scale: Colorbar | None


def draw_parallel(
    front: Front,
    ax: Axes | None = None,
    *,
    points: Mapping[str, int | OperatingPoint] | None = None,
    colour: Colour = None,
) -> ParallelPicture:
    """Every operating point as a line over the Q(Q - 1) error rates, grouped by true class; low is good.

    Parameters
    ----------
    front
        A front.
    ax
        The axes to draw on.
    points
        Operating points by name, each an index into the front or an `OperatingPoint` of it.
    colour
        (true, decision) to shade the lines by the rate of an error, "generation" by their generation.
    """
    c = len(front.classes)
    places = [place_of(front, place) for place in (points or {}).values()]
    width = float(np.clip(AROUND + AXIS * c * (c - 1), NARROWEST, WIDEST))
    ax = axes_of(ax, width + (colour is not None), HEIGHT)
    dress(ax, grid="y")
    rates = front.rates[:, ~np.eye(c, dtype=bool)]
    x = _across(c)
    lines, scale = _lines(ax, front, np.stack(np.broadcast_arrays(x, rates), axis=2), colour)
    chosen = [_mark(ax, x, rates[place], i) for i, place in enumerate(places)]
    ax.set(xlim=(x[0] - 0.3, x[-1] + 0.3), ylim=(-0.01, max(0.1, 1.03 * float(rates.max()))))
    _name(ax, front, x)
    names = [f"{len(front)} operating points", *(abbreviated(name) for name in points or {})]
    above = 8 + 14 * -(-len(names) // IN_A_ROW)
    ax.set_title(abbreviated(front.classifier, 60), fontsize=TEXT, loc="left", pad=above, **PLAIN)
    key = Line2D([], [], color=COLOURS[0] if scale is None else ink(), linewidth=HAIR)
    legend = name_lines(ax, [key, *chosen], names, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=IN_A_ROW)
    return ParallelPicture(ax, lines, tuple(chosen), legend, scale)


def _across(classes: int) -> Any:
    """Where the errors stand: side by side, with a gap between true classes."""
    errors = np.arange(classes * (classes - 1))
    return errors + 0.35 * (errors // (classes - 1))


def _lines(ax: Axes, front: Front, paths: Any, colour: Colour) -> tuple[LineCollection, Colorbar | None]:
    """Fainter, the more there are."""
    n = len(paths)
    look: dict[str, Any] = {
        "linewidths": HAIR,
        "alpha": float(np.clip(60 / n, 0.008, 0.8)),
        "rasterized": n > MANY,
    }
    if colour is None:
        lines = LineCollection(paths, colors=COLOURS[0], **look)
    else:
        values, words = values_by(front, colour)
        lines = LineCollection(paths, array=values, cmap=SCALE, **look)
    ax.add_collection(lines)
    if colour is None:
        return lines, None
    scale = add_scale(ax, lines, words)
    if scale.solids is not None:
        scale.solids.set_alpha(1.0)
    return lines, scale


def _mark(ax: Axes, x: Any, rates: Any, place: int) -> Line2D:
    _, marker, line = style(place)
    colour = ink() if place == 0 else style(place).colour
    return ax.plot(x, rates, color=colour, linestyle=line, linewidth=2.0, marker=marker, markersize=5, zorder=4)[0]


def _name(ax: Axes, front: Front, x: Any) -> None:
    """Below each axis the decision, below each group the true class."""
    c = len(front.classes)
    decisions = [abbreviated(name, 14) for k in range(c) for m, name in enumerate(front.classes) if m != k]
    cell = ax.get_window_extent().width / ax.figure.dpi * 72 / (x[-1] + 0.6)
    upright = max(width_of(text, SMALL) for text in decisions) > 0.9 * cell
    ax.set_xticks(x, decisions, fontsize=min(SMALL, max(4.5, 0.75 * cell)), rotation=90 if upright else 0, **PLAIN)
    ax.tick_params(axis="x", length=0)
    for place in x:
        ax.axvline(place, color=ink(), alpha=MUTED / 3, linewidth=HAIR, zorder=0.5)
    below = max(width_of(text, SMALL) for text in decisions) if upright else SMALL
    for k, name in enumerate(front.classes):
        middle = float(x[k * (c - 1) : (k + 1) * (c - 1)].mean())
        ax.annotate(
            abbreviated(name, 18),
            (middle, 0),
            (0, -below - 12),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=SMALL,
            weight="bold",
            **PLAIN,
        )
    ax.set_ylabel("Share of the true class (bold) that is called another", fontsize=SMALL)
