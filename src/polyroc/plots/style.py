"""The style of all pictures: colours, sizes, axes, legends, and texts that are never read as mathematics."""

from collections.abc import Sequence
from math import isnan
from typing import Any, Literal, NamedTuple

from matplotlib import pyplot, rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.textpath import text_to_path

from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.output.numbers import signed_text

__all__ = [
    "COLOURS",
    "FAINT",
    "HAIR",
    "LINE",
    "MUTED",
    "PLAIN",
    "SHADES",
    "SMALL",
    "TEXT",
    "TINY",
    "Style",
    "axes_of",
    "between",
    "dress",
    "ink",
    "name_lines",
    "room",
    "style",
    "width_of",
]


PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}  # of every text that may hold a user's name


def between(value: float, interval: ConfidenceInterval, places: int = 3) -> str:
    """A value and its interval, as a table has them.

    >>> between(0.9196, ConfidenceInterval(0.882, 0.946))
    '0.920 (0.882 to 0.946)'
    """
    if isnan(value):
        return "undefined"
    if isnan(interval.low) or isnan(interval.high):
        return f"{signed_text(value, places)} (no interval)"
    low, high = (signed_text(end, places) for end in interval)
    return f"{signed_text(value, places)} ({low} to {high})"


# Okabe & Ito (2008), distinguishable by colour-blind readers; without black (the text) and yellow (too pale).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
LINES = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)), (0, (4, 1.5, 1, 1.5, 1, 1.5)))
SHADES = "Blues"  # from light to dark, the same to colour-blind readers and in grey

TEXT, SMALL, TINY = 9.0, 8.0, 6.5  # points
LINE, HAIR = 1.6, 0.8  # points
MUTED, FAINT = 0.65, 0.25  # how much of the ink


class Style(NamedTuple):
    """The style of one classifier or class, distinguishable without colour too."""

    colour: str
    marker: str
    line: str | tuple[int, tuple[float, ...]]


def style(place: int) -> Style:
    """The style of the first, second ... of several; the first 35 lines and 56 markers differ."""
    return Style(COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)], LINES[place % len(LINES)])


def ink() -> str:
    """The colour of text: the user's own style sheet may be dark."""
    return str(rcParams["text.color"])


def axes_of(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes given, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    _, axes = pyplot.subplots(figsize=(width, height), layout=room())
    return axes


def room() -> ConstrainedLayoutEngine:
    """The layout of a new figure: every text inside, a margin around."""
    return ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)


def dress(ax: Axes, grid: Literal["x", "y", "both"] | None = None) -> None:
    """Keep only the spines with a scale, small ticks, and a faint grid below the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_linewidth(HAIR)
    ax.tick_params(labelsize=SMALL, length=3, width=HAIR)
    ax.set_axisbelow(True)
    ax.grid(False)
    if grid is not None:
        ax.grid(True, axis=grid, color=ink(), alpha=FAINT / 2, linewidth=HAIR)


def width_of(text: str, size: float) -> float:
    """The width of a text in points; nothing in it is read as mathematics."""
    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(width)


def name_lines(ax: Axes, lines: Sequence[Artist], names: Sequence[str], **place: Any) -> Legend:
    """A legend of these lines; names are set afterwards, because matplotlib skips those that begin with _."""
    legend = ax.legend(
        lines,
        ["x"] * len(lines),
        fontsize=SMALL,
        title_fontsize=SMALL,
        alignment="left",
        handlelength=2.6,
        edgecolor="none",
        framealpha=0.8,
        **place,
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set(text=name, parse_math=False, usetex=False)
    return legend
