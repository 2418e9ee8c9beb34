"""The style of all pictures: colours, sizes, axes, legends, and texts that are never read as mathematics."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import isnan
from typing import Any, Literal, NamedTuple

from matplotlib import pyplot, rcParams, rcParamsDefault
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PathCollection
from matplotlib.colorbar import Colorbar
from matplotlib.colors import to_hex
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.textpath import text_to_path
from mpl_toolkits.mplot3d.axes3d import Axes3D

from polyroc.errors import InputError
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.messages import short_repr
from polyroc.output.numbers import interval_text, signed_text
from polyroc.output.sentences import abbreviated

__all__ = [
    "COLOURS",
    "FAINT",
    "HAIR",
    "LINE",
    "MUTED",
    "PLAIN",
    "SHADES",
    "Style",
    "add_legend",
    "add_scale",
    "axes_3d_of",
    "axes_of",
    "enlarge_dots",
    "figure_layout",
    "first_colour",
    "mark_point",
    "small_size",
    "style",
    "style_axes",
    "style_axes_3d",
    "text_colour",
    "text_size",
    "text_width",
    "tiny_size",
    "value_text",
]


PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}  # of every text that may hold a user's name


def value_text(value: float, interval: ConfidenceInterval, places: int = 3, unit: float = 1.0) -> str:
    """A value and its interval, as a table has them.

    >>> value_text(0.9196, ConfidenceInterval(0.882, 0.946))
    '0.920 (0.882 to 0.946)'
    """
    if isnan(value):
        return "undefined"
    if isnan(interval.low) or isnan(interval.high):
        return f"{signed_text(value, places, unit)} (no interval)"
    ends = interval_text(interval, places, unit).replace("-", "\N{MINUS SIGN}")
    return f"{signed_text(value, places, unit)} ({ends})"


# Okabe & Ito (2008), distinguishable by colour-blind readers; without black (the text) and yellow (too pale).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
LINES = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)), (0, (4, 1.5, 1, 1.5, 1, 1.5)))
SHADES = "Blues"  # from light to dark, the same to colour-blind readers and in grey

LINE, HAIR = 1.6, 0.8  # points
MUTED, FAINT = 0.65, 0.25  # opacity


class Style(NamedTuple):
    """The style of one classifier or class, distinguishable without colour too."""

    colour: str
    marker: str
    line: str | tuple[int, tuple[float, ...]]


_FIRST_COLOUR: ContextVar[str | None] = ContextVar("first_colour", default=None)


def _is_colour(colour: Any) -> bool:
    try:
        to_hex(colour)  # `is_color_like` takes nan for a share of a colour
    except (TypeError, ValueError):
        return False
    return True


@contextmanager
def first_colour(colour: Any) -> Iterator[None]:
    """Within it, the first of several has this colour; None for the usual one."""
    if colour is not None and not _is_colour(colour):
        raise InputError(
            f"color must be a colour of matplotlib, such as 'red' or '#0072B2', got {short_repr(colour)}."
        )
    before = _FIRST_COLOUR.set(None if colour is None else to_hex(colour, keep_alpha=True))
    try:
        yield
    finally:
        _FIRST_COLOUR.reset(before)


def style(place: int) -> Style:
    """The style of the first, second ... of several; the first 35 lines and 56 markers differ."""
    colour = COLOURS[place % len(COLOURS)] if place else _FIRST_COLOUR.get() or COLOURS[0]
    return Style(colour, MARKERS[place % len(MARKERS)], LINES[place % len(LINES)])


def text_size() -> float:
    """The size of axis labels and titles in points, which follows the font size of the user's rcParams."""
    return 0.9 * float(rcParams["font.size"])


def small_size() -> float:
    """The size of ticks, legends and numbers."""
    return 0.8 * float(rcParams["font.size"])


def tiny_size() -> float:
    """The size of what is below other numbers."""
    return 0.65 * float(rcParams["font.size"])


def text_colour() -> str:
    """The colour of text: the user's own style sheet may be dark."""
    return str(rcParams["text.color"])


def axes_of(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes given, or those of a new figure of this size in inches, or of that in the user's rcParams."""
    if ax is not None:
        return ax
    _, axes = pyplot.subplots(figsize=_size(width, height), layout=figure_layout())
    return axes


def _size(width: float, height: float) -> tuple[float, float]:
    """The size of a new figure: that of the user's rcParams, unless it is matplotlib's default."""
    chosen = tuple(map(float, rcParams["figure.figsize"]))
    is_default = chosen == tuple(map(float, rcParamsDefault["figure.figsize"]))
    return (width, height) if is_default else (chosen[0], chosen[1])


def axes_3d_of(ax: Axes | None, width: float, height: float) -> Axes3D:
    """The three-dimensional axes given, or those of a new figure of this size in inches or that of rcParams."""
    if ax is None:
        figure = pyplot.figure(figsize=_size(width, height), layout=figure_layout())
        ax = figure.add_subplot(projection="3d")
    if not isinstance(ax, Axes3D):
        raise InputError("This picture is drawn on axes of three dimensions; make them with projection='3d'.")
    return ax


def figure_layout() -> ConstrainedLayoutEngine:
    """The layout of a new figure: every text inside, a margin around."""
    return ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)


def style_axes(ax: Axes, grid: Literal["x", "y", "both"] | None = None) -> None:
    """Keep only the spines with a scale, small ticks, and a faint grid below the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_linewidth(HAIR)
    ax.tick_params(labelsize=small_size(), length=3, width=HAIR)
    ax.set_axisbelow(True)
    ax.grid(False)
    if grid is not None:
        ax.grid(True, axis=grid, color=text_colour(), alpha=FAINT / 2, linewidth=HAIR)


def style_axes_3d(ax: Axes3D, elevation: float, azimuth: float, zoom: float) -> None:
    """View a cube from this direction, without panes, with small ticks."""
    ax.view_init(elev=elevation, azim=azimuth)
    ax.set_box_aspect((1, 1, 0.85), zoom=zoom)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
    ax.tick_params(labelsize=small_size(), pad=0)


def text_width(text: str, size: float) -> float:
    """The width of a text in points; nothing in it is read as mathematics."""
    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(width)


def add_legend(ax: Axes, lines: Sequence[Artist], names: Sequence[str], **place: Any) -> Legend:
    """A legend of these lines; names are set afterwards, because matplotlib skips those that begin with _."""
    legend = ax.legend(
        lines,
        ["x"] * len(lines),
        fontsize=small_size(),
        title_fontsize=small_size(),
        alignment="left",
        handlelength=2.6,
        edgecolor="none",
        framealpha=0.8,
        **place,
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set(text=name, parse_math=False, usetex=False)
    return legend


def add_scale(ax: Axes, shaded: ScalarMappable, label: str, *, shrink: float, pad: float) -> Colorbar:
    """The scale of the shades, beside the axes."""
    scale = ax.figure.colorbar(shaded, ax=ax, shrink=shrink, pad=pad)
    scale.outline.set_visible(False)
    scale.ax.tick_params(labelsize=small_size(), length=2, width=HAIR)
    scale.set_label(label, fontsize=small_size(), **PLAIN)
    return scale


def mark_point(ax: Axes, x: float, y: float, name: str, size: float) -> tuple[Line2D, Annotation]:
    """A marker in the ROC plane, and its name where the curve is not: below and to the right."""
    (dot,) = ax.plot(x, y, "o", color=text_colour(), markersize=size, mec=ax.get_facecolor(), zorder=4)
    offset, side = ((7, -3), "left") if x < 0.6 else ((-4, -8), "right")
    words: dict[str, Any] = {"ha": side, "va": "top", "fontsize": small_size(), **PLAIN}
    return dot, ax.annotate(abbreviated(name), (x, y), offset, textcoords="offset points", **words)


def enlarge_dots(legend: Legend, area: float) -> None:
    """Dots of this area in a legend, to be seen however small they are on the axes."""
    for handle in legend.legend_handles:
        if isinstance(handle, PathCollection):
            handle.set_sizes([area])
