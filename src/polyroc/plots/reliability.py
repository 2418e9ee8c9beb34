"""Reliability diagrams: the share of events by predicted probability, with bands and a histogram."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.container import BarContainer
from matplotlib.legend import Legend
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
from polyroc.reliability.result import Calibration, EventCalibration

__all__ = ["ReliabilityPicture", "draw_reliability"]

SIDE = 4.8  # inches
HISTOGRAM = 0.12  # of the height
BANDS = ("simultaneous", "pointwise")


@dataclass(frozen=True, slots=True, repr=False)
class ReliabilityPicture(Picture):
    """A reliability diagram.

    Attributes
    ----------
    lines
        The curves.
    diagonal
        Where right probabilities are.
    bands
        Of a single curve: the consistency band and the confidence band, where there are any.
    histogram
        Of a single curve: the predictions; None for several.
    legend
        The legend.
    """

    lines: tuple[Line2D, ...]
    diagonal: Line2D
    bands: tuple[PolyCollection, ...]
    histogram: BarContainer | None
    legend: Legend


def draw_reliability(
    calibration: Calibration,
    ax: Axes | None = None,
    *,
    classifier: str | None = None,
    event: str | None = None,
    band: str = "simultaneous",
) -> ReliabilityPicture:
    """Reliability curves: one with bands and the histogram of predictions, or several as lines.

    Parameters
    ----------
    calibration
        The calibration.
    ax
        The axes to draw on.
    classifier, event
        Which curves; all by default.
    band
        "simultaneous" (bands hold everywhere at once) or "pointwise".
    """
    if band not in BANDS:
        raise InputError(f"band must be 'simultaneous' or 'pointwise', got {band!r}.")
    chosen = calibration.chosen(classifier, event)
    ax = axes_of(ax, SIDE, SIDE)
    style_axes(ax, grid="both")
    (diagonal,) = ax.plot([0, 1], [0, 1], color=text_colour(), alpha=MUTED, linewidth=1.0, dashes=(4, 3))
    lines, bands, bars = [], list[PolyCollection](), None
    for place, own in enumerate(chosen.values()):
        colour, _, line = style(place)
        lines += ax.plot(own.curve.predicted, own.curve.observed, color=colour, linestyle=line, linewidth=LINE)
        if len(chosen) == 1:
            bands = [*_bands(ax, own, band, colour)]
            bars = _histogram(ax, own)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set_xlabel("predicted probability", fontsize=small_size())
    ax.set_ylabel("share of events", fontsize=small_size())
    if len(chosen) == 1:
        ((name, of),) = chosen
        ax.set_title(f"{abbreviated(name, 30)}: {abbreviated(of, 20)}", fontsize=text_size(), loc="left")
    names = ["observed"] if len(chosen) == 1 else [_name(calibration, *key) for key in chosen]
    names += ["right", *(["if right", "confidence"][-len(bands) :] if bands else [])]
    title = f"{level_text(calibration.level)} bands, {band}" if bands else None
    legend = add_legend(ax, [*lines, diagonal, *bands], names, loc="upper left", title=title)
    return ReliabilityPicture(ax, tuple(lines), diagonal, tuple(bands), bars, legend)


def _name(calibration: Calibration, classifier: str, event: str) -> str:
    several = len(calibration.classifiers) > 1, len(calibration.events) > len(calibration.classifiers)
    parts = [text for text, shown in ((classifier, several[0]), (event, several[1])) if shown]
    return abbreviated(", ".join(parts) or classifier, 40)


def _bands(ax: Axes, own: EventCalibration, band: str, colour: Any) -> list[PolyCollection]:
    drawn: list[PolyCollection] = []
    looks = ((own.curve.consistency, text_colour(), 0.12), (own.curve.confidence, colour, 0.18))
    for bands, paint, alpha in looks:
        if bands is not None:
            wide = bands.simultaneous_low, bands.simultaneous_high
            ends = wide if band == "simultaneous" else (bands.low, bands.high)
            drawn.append(
                ax.fill_between(own.curve.predicted, *ends, color=paint, alpha=alpha, linewidth=0, zorder=1)
            )
    return drawn


def _histogram(ax: Axes, own: EventCalibration) -> BarContainer:
    edges, counts = own.curve.edges, own.curve.counts
    heights = HISTOGRAM * counts / max(float(counts.max()), 1.0)
    return ax.bar(edges[:-1], heights, np.diff(edges), align="edge", color=text_colour(), alpha=0.35, zorder=1)
