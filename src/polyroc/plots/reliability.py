"""Reliability diagrams: the share of events by predicted probability, with bands and a histogram."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D

from polyroc.errors import InputError
from polyroc.output.numbers import level_text
from polyroc.output.sentences import abbreviated
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    LINE,
    MUTED,
    add_legend,
    axes_of,
    small_size,
    style,
    style_axes,
    text_colour,
    text_size,
)
from polyroc.reliability.grouped import GroupedCalibration
from polyroc.reliability.result import Calibration, EventCalibration

__all__ = ["draw_group_reliability", "draw_reliability"]

SIDE = 4.8  # inches
HISTOGRAM = 0.12  # of the height
BANDS = ("simultaneous", "pointwise")


def draw_reliability(
    calibration: Calibration,
    ax: Axes | None = None,
    *,
    classifier: str | None = None,
    event: str | None = None,
    band: str = "simultaneous",
) -> Picture:
    """Reliability curves: one with bands and the histogram of predictions, or several as lines.

    Of a calibration with smooth curves (`smooth=True`), one is drawn with the smooth curve, several are smooth.
    """
    if band not in BANDS:
        raise InputError(f"band must be 'simultaneous' or 'pointwise', got {band!r}.")
    chosen = calibration.chosen(classifier, event)
    ax = axes_of(ax, SIDE, SIDE)
    style_axes(ax, grid="both")
    (diagonal,) = ax.plot([0, 1], [0, 1], color=text_colour(), alpha=MUTED, linewidth=1.0, dashes=(4, 3))
    lines, bands, bars = list[Line2D](), list[PolyCollection](), None
    for place, own in enumerate(chosen.values()):
        lines += _lines(ax, own, place, alone=len(chosen) == 1)
        if len(chosen) == 1:
            bands = [*_bands(ax, own, band, style(place)[0])]
            bars = _histogram(ax, own)
    _frame(ax)
    if len(chosen) == 1:
        ((name, of),) = chosen
        ax.set_title(f"{abbreviated(name, 30)}: {abbreviated(of, 20)}", fontsize=text_size(), loc="left")
    names = (
        ["observed", "smooth"][: len(lines)] if len(chosen) == 1 else [_name(calibration, *key) for key in chosen]
    )
    names += ["right", *(["if right", "confidence"][-len(bands) :] if bands else [])]
    shown = "smooth: pointwise" if len(chosen) == 1 and len(lines) == 2 else band
    title = f"{level_text(calibration.level)} bands, {shown}" if bands else None
    legend = add_legend(ax, [*lines, diagonal, *bands], names, loc="upper left", title=title)
    return Picture(ax, lines=tuple(lines), diagonal=diagonal, bands=tuple(bands), histogram=bars, legend=legend)


def draw_group_reliability(
    grouped: GroupedCalibration,
    ax: Axes | None = None,
    *,
    classifier: str | None = None,
    event: str | None = None,
) -> Picture:
    """The reliability curves of the subgroups, as lines."""
    grouped.overall.event(classifier, event)
    ax = axes_of(ax, SIDE, SIDE)
    style_axes(ax, grid="both")
    (diagonal,) = ax.plot([0, 1], [0, 1], color=text_colour(), alpha=MUTED, linewidth=1.0, dashes=(4, 3))
    named = {
        name: own.event(classifier, event)
        for name, own in grouped.named().items()
        if any(classifier in (None, key[0]) and event in (None, key[1]) for key in own.events)
    }
    lines = [line for place, own in enumerate(named.values()) for line in _lines(ax, own, place, alone=False)]
    _frame(ax)
    names = [abbreviated(name, 40) for name in named]
    title = abbreviated(", ".join(grouped.by), 40)
    legend = add_legend(ax, [*lines, diagonal], [*names, "right"], loc="upper left", title=title)
    return Picture(ax, lines=tuple(lines), diagonal=diagonal, bands=(), histogram=None, legend=legend)


def _frame(ax: Axes) -> None:
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set_xlabel("predicted probability", fontsize=small_size())
    ax.set_ylabel("share of events", fontsize=small_size())


def _lines(ax: Axes, own: EventCalibration, place: int, alone: bool) -> list[Line2D]:
    """The curve, or its smooth version if there is one; of a single event both."""
    colour, _, line = style(place)
    smooth = own.smooth if own.smooth is not None and own.smooth.undefined is None else None
    lines: list[Line2D] = []
    if alone or smooth is None:
        width = LINE if smooth is None else LINE / 2.0
        lines += ax.plot(own.curve.predicted, own.curve.observed, color=colour, linestyle=line, linewidth=width)
    if smooth is not None:
        look = "--" if alone else line
        lines += ax.plot(smooth.predicted, smooth.observed, color=colour, linestyle=look, linewidth=LINE)
    return lines


def _name(calibration: Calibration, classifier: str, event: str) -> str:
    several = len(calibration.classifiers) > 1, len(calibration.events) > len(calibration.classifiers)
    parts = [text for text, shown in ((classifier, several[0]), (event, several[1])) if shown]
    return abbreviated(", ".join(parts) or classifier, 40)


def _bands(ax: Axes, own: EventCalibration, band: str, colour: Any) -> list[PolyCollection]:
    drawn: list[PolyCollection] = []
    smooth = own.smooth if own.smooth is not None and own.smooth.undefined is None else None
    looks = ((own.curve.consistency, text_colour(), 0.12), (own.curve.confidence, colour, 0.18))
    for bands, paint, alpha in looks[: 1 if smooth is not None else 2]:
        if bands is not None:
            wide = bands.simultaneous_low, bands.simultaneous_high
            ends = wide if band == "simultaneous" else (bands.low, bands.high)
            drawn.append(
                ax.fill_between(own.curve.predicted, *ends, color=paint, alpha=alpha, linewidth=0, zorder=1)
            )
    if smooth is not None:
        points = smooth.predicted, smooth.low, smooth.high
        drawn.append(ax.fill_between(*points, color=colour, alpha=0.18, linewidth=0, zorder=1))
    return drawn


def _histogram(ax: Axes, own: EventCalibration) -> BarContainer:
    edges, counts = own.curve.edges, own.curve.counts
    heights = HISTOGRAM * counts / max(float(counts.max()), 1.0)
    return ax.bar(edges[:-1], heights, np.diff(edges), align="edge", color=text_colour(), alpha=0.35, zorder=1)
