"""Words in pictures: the user's names as they are, never read as mathematics, and numbers."""

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
    "capital",
    "decimals",
    "dress",
    "ink",
    "name_lines",
    "percent",
    "room",
    "shown",
    "style",
    "width_of",
]


PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}  # of every text that may hold a user's name


def shown(name: str, most: int = 28) -> str:
    """A name in at most so many signs, cut in the middle, on one line; what cannot be printed is replaced.

    >>> shown("versicolor"), shown("a name that goes on and on and on", 16)
    ('versicolor', 'a name t…and on')
    """
    signs = " ".join(name.split())
    signs = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in signs)
    if len(signs) <= most:
        return signs
    head = most // 2
    return f"{signs[:head].rstrip()}…{signs[len(signs) - (most - head - 1) :].lstrip()}"


def decimals(value: float, places: int = 3) -> str:
    r"""A number with a real minus sign, none before zero.

    >>> decimals(-0.0261) == "\N{MINUS SIGN}0.026", decimals(-0.0001), decimals(float("nan"))
    (True, '0.000', 'nan')
    """
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "\N{MINUS SIGN}")


def between(value: float, interval: ConfidenceInterval, places: int = 3) -> str:
    """A value and its interval, as a table has them.

    >>> between(0.9196, ConfidenceInterval(0.882, 0.946))
    '0.920 (0.882 to 0.946)'
    """
    if isnan(value):
        return "undefined"
    if isnan(interval.low) or isnan(interval.high):
        return f"{decimals(value, places)} (no interval)"
    low, high = (decimals(end, places) for end in interval)
    return f"{decimals(value, places)} ({low} to {high})"


def percent(level: float) -> str:
    """A level in words.

    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:g} %"


def capital(text: str) -> str:
    """With a capital first letter, the rest as it is.

    >>> capital("mean one-versus-all AUC")
    'Mean one-versus-all AUC'
    """
    return text[:1].upper() + text[1:]


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


def name_lines(ax: Axes, lines: Sequence[Artist], names: Sequence[str], **place: Any) -> Legend:
    """A legend of these lines; names are put in afterwards, for matplotlib leaves out those that begin with _."""
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
