"""Decision curves: the net benefit of acting on a probability, beside acting on all and on none."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from polyroc.plots.legend import name_lines
from polyroc.plots.look import LINE, MUTED, TEXT, axes_of, dress, ink, style
from polyroc.plots.picture import Picture
from polyroc.plots.words import percent, shown
from polyroc.results.decision_curve import DecisionCurve

__all__ = ["DecisionPicture", "draw_decision_curve"]

WIDTH, HEIGHT = 6.0, 4.2  # inches
FEW = 10  # thresholds are marked one by one
BELOW = 0.15  # how far the axis goes below zero, as a share of how far it goes above


@dataclass(frozen=True, slots=True)
class DecisionPicture(Picture):
    """Decision curves.

    Attributes
    ----------
    lines, bands
        One of each for every classifier; no bands if they were not wanted.
    treat_all, treat_none
        Acting on every case, and on none.
    legend
        The classifiers.
    """

    lines: tuple[Line2D, ...]
    bands: tuple[PolyCollection, ...]
    treat_all: Line2D
    treat_none: Line2D
    legend: Legend


def draw_decision_curve(
    found: DecisionCurve, ax: Axes | None = None, *, level: float = 0.95, band: bool = True
) -> DecisionPicture:
    """Net benefit by threshold; a rule is worth having where it is above both acting on all and acting on none.

    Parameters
    ----------
    found
        The decision curve, of one or several classifiers.
    ax
        The axes to draw on.
    level
        Of the pointwise bands.
    band
        Whether the bands are drawn.
    """
    ax = axes_of(ax, WIDTH, HEIGHT)
    dress(ax, grid="both")
    t = found.thresholds
    marked = len(t) <= FEW
    lines, bands = [], []
    for place, curve in enumerate(found.curves.values()):
        colour, marker, line = style(place)
        sign = marker if marked else "none"
        lines += ax.plot(t, curve.value, color=colour, linestyle=line, linewidth=LINE, marker=sign, markersize=5)
        if band:
            ends = curve.confidence_interval(level)
            bands.append(ax.fill_between(t, *ends, color=colour, alpha=0.16, linewidth=0, zorder=1))
    (everybody,) = ax.plot(t, found.treat_all.value, color=ink(), alpha=MUTED, linewidth=1.0)
    (nobody,) = ax.plot(t, found.treat_none, color=ink(), alpha=MUTED, linewidth=1.0, dashes=(4, 3))
    _limit(ax, found)
    names = [*(shown(name, 40) for name in found.curves), "treat all", "treat none"]
    title = f"{percent(level)} band, pointwise" if bands else None
    legend = name_lines(ax, [*lines, everybody, nobody], names, loc="best", title=title)
    return DecisionPicture(ax, tuple(lines), tuple(bands), everybody, nobody, legend)


def _limit(ax: Axes, found: DecisionCurve) -> None:
    """What matters is above zero; acting on all falls without end below it."""
    tops = [float(np.nanmax(curve.value, initial=0.0)) for curve in (found.treat_all, *found.curves.values())]
    top = 1.1 * max(tops) or 0.1
    low, high = float(min(found.thresholds)), float(max(found.thresholds))
    ax.set(xlim=(0.0 if low < 0.1 else low - 0.02, high + 0.02), ylim=(-BELOW * top, top))
    ax.set_xlabel("Probability from which one acts", fontsize=TEXT)
    ax.set_ylabel("Net benefit", fontsize=TEXT)
