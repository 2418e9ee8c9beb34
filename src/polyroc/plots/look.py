"""The look that all pictures share: colours, markers, lines, sizes of text, spines."""

from typing import Literal, NamedTuple

from matplotlib import pyplot, rcParams
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.textpath import text_to_path

__all__ = [
    "COLOURS",
    "FAINT",
    "HAIR",
    "LINE",
    "MUTED",
    "SHADES",
    "SMALL",
    "TEXT",
    "TINY",
    "Style",
    "axes_of",
    "dress",
    "ink",
    "room",
    "style",
    "width_of",
]

# Okabe & Ito (2008), told apart by colour-blind readers; without black (the ink) and yellow (lost on white).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
LINES = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)), (0, (4, 1.5, 1, 1.5, 1, 1.5)))
SHADES = "Blues"  # from light to dark, the same to colour-blind readers and in grey

TEXT, SMALL, TINY = 9.0, 8.0, 6.5  # points
LINE, HAIR = 1.6, 0.8  # points
MUTED, FAINT = 0.65, 0.25  # how much of the ink


class Style(NamedTuple):
    """How one classifier (or class) is drawn, so that it is told apart without colour too."""

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
    _, made = pyplot.subplots(figsize=(width, height), layout=room())
    return made


def room() -> ConstrainedLayoutEngine:
    """The layout of a new figure: every text inside, a margin around."""
    return ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)


def dress(ax: Axes, grid: Literal["x", "y", "both"] | None = None) -> None:
    """Only the spines that carry a scale, small ticks, a faint grid below the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_linewidth(HAIR)
    ax.tick_params(labelsize=SMALL, length=3, width=HAIR)
    ax.set_axisbelow(True)
    ax.grid(False)
    if grid is not None:
        ax.grid(True, axis=grid, color=ink(), alpha=FAINT / 2, linewidth=HAIR)


def width_of(text: str, size: float) -> float:
    """How wide a text is, in points; nothing in it is read as mathematics."""
    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(width)
