"""Confusion rates as a matrix, and decision curves."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from polyroc.decisions.decision_curve import DecisionCurve
from polyroc.decisions.operating_point import OperatingPoint
from polyroc.decisions.rate_matrix import Rates
from polyroc.output.names import abbreviated
from polyroc.output.numbers import level_text, signed_text
from polyroc.plots.matrix import MatrixPicture, draw_matrix
from polyroc.plots.picture import Picture
from polyroc.plots.style import LINE, MUTED, PLAIN, SHADES, SMALL, TEXT, axes_of, dress, ink, name_lines, style

__all__ = ["DecisionPicture", "draw_decision_curve", "draw_operating_point", "draw_rates"]


def draw_rates(rates: Rates, ax: Axes | None = None, *, level: float = 0.95) -> MatrixPicture:
    """The share of each class (row) that is called each class (column), with its interval where there is room.

    Parameters
    ----------
    rates
        The rates.
    ax
        The axes to draw on.
    level
        Of the intervals.
    """
    intervals = [
        [
            " to ".join(signed_text(end, 2) for end in rates[true, decision].confidence_interval(level))
            for decision in rates.classes
        ]
        for true in rates.classes
    ]
    picture = draw_matrix(ax, rates.rates, rates.classes, shades=(0.0, 1.0), colours=SHADES, below=intervals)
    picture.scale.set_label("share of the true class", fontsize=SMALL)
    picture.ax.set_ylabel("true class", fontsize=TEXT)
    picture.ax.set_xlabel("decision", fontsize=TEXT)
    title = f"{abbreviated(rates.classifier)}: rates and {level_text(level)} intervals"
    picture.ax.set_title(title, fontsize=TEXT, loc="left", **PLAIN)
    return picture


def draw_operating_point(point: OperatingPoint, ax: Axes | None = None, *, level: float = 0.95) -> MatrixPicture:
    """The confusion rates of the rule that was chosen; see `draw_rates`.

    On a ROC curve it is drawn by `plot(curve, points={"chosen": operating_point})`.
    """
    picture = draw_rates(point.confusion, ax, level=level)
    picture.ax.set_title(
        abbreviated(f"{point.confusion.classifier}: {point.aim}", 60), fontsize=TEXT, loc="left", **PLAIN
    )
    return picture


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
    decision_curve: DecisionCurve, ax: Axes | None = None, *, level: float = 0.95, band: bool = True
) -> DecisionPicture:
    """Net benefit by threshold; a rule is worth having where it is above both acting on all and acting on none.

    Parameters
    ----------
    decision_curve
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
    t = decision_curve.thresholds
    marked = len(t) <= FEW
    lines, bands = [], []
    for place, curve in enumerate(decision_curve.curves.values()):
        colour, marker, line = style(place)
        sign = marker if marked else "none"
        lines += ax.plot(t, curve.value, color=colour, linestyle=line, linewidth=LINE, marker=sign, markersize=5)
        if band:
            ends = curve.confidence_interval(level)
            bands.append(ax.fill_between(t, *ends, color=colour, alpha=0.16, linewidth=0, zorder=1))
    (everybody,) = ax.plot(t, decision_curve.treat_all.value, color=ink(), alpha=MUTED, linewidth=1.0)
    (nobody,) = ax.plot(t, decision_curve.treat_none, color=ink(), alpha=MUTED, linewidth=1.0, dashes=(4, 3))
    _limit(ax, decision_curve)
    names = [*(abbreviated(name, 40) for name in decision_curve.curves), "treat all", "treat none"]
    title = f"{level_text(level)} band, pointwise" if bands else None
    legend = name_lines(ax, [*lines, everybody, nobody], names, loc="best", title=title)
    return DecisionPicture(ax, tuple(lines), tuple(bands), everybody, nobody, legend)


def _limit(ax: Axes, decision_curve: DecisionCurve) -> None:
    """What matters is above zero; acting on all falls without end below it."""
    tops = [
        float(np.nanmax(curve.value, initial=0.0))
        for curve in (decision_curve.treat_all, *decision_curve.curves.values())
    ]
    top = 1.1 * max(tops) or 0.1
    low, high = float(min(decision_curve.thresholds)), float(max(decision_curve.thresholds))
    ax.set(xlim=(0.0 if low < 0.1 else low - 0.02, high + 0.02), ylim=(-BELOW * top, top))
    ax.set_xlabel("Probability from which one acts", fontsize=TEXT)
    ax.set_ylabel("Net benefit", fontsize=TEXT)
