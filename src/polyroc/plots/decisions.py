"""Decisions: confusion rates as a matrix, decision curves, and decision regions over two features."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection, QuadMesh
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from polyroc.decisions.decision_curve import DecisionCurve
from polyroc.decisions.operating_point import OperatingPoint
from polyroc.decisions.rate_matrix import Rates
from polyroc.decisions.regions import DecisionRegions
from polyroc.output.numbers import level_text, signed_text
from polyroc.output.sentences import abbreviated
from polyroc.plots.matrix import MatrixPicture, draw_matrix
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    SHADES,
    SMALL,
    TEXT,
    add_legend,
    axes_of,
    enlarge_dots,
    style,
    style_axes,
    text_colour,
)

__all__ = [
    "DecisionPicture",
    "RegionsPicture",
    "draw_decision_curve",
    "draw_operating_point",
    "draw_rates",
    "draw_regions",
]

CURVE_WIDTH, CURVE_HEIGHT = 6.0, 4.2  # inches
FEW = 10  # thresholds that are marked one by one
BELOW = 0.15  # how far the axis goes below zero, as a share of how far it goes above
REGIONS_WIDTH, REGIONS_HEIGHT = 6.0, 5.0  # inches
PALE = 0.72  # share of white in the colour of a region
MANY = 2000  # cases from which a picture holds them as pixels, not as shapes
LISTED_CLASSES = 20  # classes in the legend


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
    picture = draw_matrix(
        ax,
        rates.rates,
        rates.classes,
        label="share of the true class",
        shades=(0.0, 1.0),
        colours=SHADES,
        below=intervals,
    )
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


@dataclass(frozen=True, slots=True, repr=False)
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
    ax = axes_of(ax, CURVE_WIDTH, CURVE_HEIGHT)
    style_axes(ax, grid="both")
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
    (treat_all,) = ax.plot(t, decision_curve.treat_all.value, color=text_colour(), alpha=MUTED, linewidth=1.0)
    (treat_none,) = ax.plot(
        t, decision_curve.treat_none, color=text_colour(), alpha=MUTED, linewidth=1.0, dashes=(4, 3)
    )
    _limit(ax, decision_curve)
    names = [*(abbreviated(name, 40) for name in decision_curve.curves), "treat all", "treat none"]
    title = f"{level_text(level)} band, pointwise" if bands else None
    legend = add_legend(ax, [*lines, treat_all, treat_none], names, loc="best", title=title)
    return DecisionPicture(ax, tuple(lines), tuple(bands), treat_all, treat_none, legend)


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


@dataclass(frozen=True, slots=True, repr=False)
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
    ax = axes_of(ax, REGIONS_WIDTH, REGIONS_HEIGHT)
    style_axes(ax)
    classes = range(len(regions.classes))
    pale = ListedColormap([_pale(style(k).colour) for k in classes])
    mesh = ax.pcolormesh(
        regions.across, regions.up, regions.regions, cmap=pale, shading="nearest", rasterized=True
    )
    mesh.set_clim(-0.5, len(classes) - 0.5)
    for k in classes:
        here = regions.regions == k
        if here.any() and not here.all():
            ax.contour(regions.across, regions.up, here, [0.5], colors=text_colour(), linewidths=HAIR)
    right, wrong = zip(*(_cases(ax, regions, k) for k in classes), strict=True)
    ax.set(xlim=regions.across[[0, -1]], ylim=regions.up[[0, -1]])
    ax.set_xlabel(abbreviated(regions.features[0], 40), fontsize=TEXT, **PLAIN)
    ax.set_ylabel(abbreviated(regions.features[1], 40), fontsize=TEXT, **PLAIN)
    title = f"{regions.errors} of {len(regions.truth)} cases decided wrongly (open)"
    names = [abbreviated(name) for name in regions.classes[:LISTED_CLASSES]]
    beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    legend = add_legend(ax, right[:LISTED_CLASSES], names, **beside)
    enlarge_dots(legend, 28)
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
