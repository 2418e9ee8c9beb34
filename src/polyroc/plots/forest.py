"""Forest plots: estimates with intervals, one per row, and their numbers in columns beside the axes."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import ceil, isfinite, isnan, log10
from typing import Any, NamedTuple, Protocol

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

from polyroc.errors import NotApplicableError
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.output.numbers import level_text, p_number
from polyroc.output.sentences import abbreviated
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    Style,
    axes_of,
    small_size,
    style,
    style_axes,
    text_colour,
    text_size,
    text_width,
    value_text,
)

__all__ = ["Group", "Row", "add_column", "difference_row", "draw_forest"]


def add_column(ax: Axes, heading: str, texts: Mapping[int, str], offset: float = 8.0) -> tuple[Annotation, ...]:
    """Texts to the right of the axes, one for each row, so many points from the edge; a heading above them."""
    beside: dict[str, Any] = {"textcoords": "offset points", "fontsize": small_size(), "annotation_clip": False}
    ax.annotate(heading, (1, 1), xytext=(offset, 2), xycoords="axes fraction", va="bottom", alpha=MUTED, **beside)
    return tuple(
        ax.annotate(text, (1, y), xytext=(offset, 0), xycoords=("axes fraction", "data"), va="center", **beside)
        for y, text in texts.items()
    )


SCALE, ROW, AROUND = 3.6, 0.27, 0.95  # inches: width of the scale, height of a row and of what is around the rows
ENOUGH = 0.2  # share of the scale that the intervals must fill for chance to be on it


class Row(NamedTuple):
    """One line of a forest plot; the marker is filled if `sure`."""

    label: str
    value: float
    interval: ConfidenceInterval
    style: Style
    sure: bool = True
    pvalue: str = ""
    cases: str = ""


class Pair(Protocol):
    """A difference between two classifiers or learners: first minus second."""

    @property
    def first(self) -> str:
        """The first."""

    @property
    def second(self) -> str:
        """The second."""

    @property
    def adjusted_pvalue(self) -> float:
        """The p-value, adjusted for the number of pairs."""


def difference_row(pair: Pair, value: float, interval: ConfidenceInterval, level: float) -> Row:
    """The row of a difference, with its adjusted p-value; filled if that is below 1 - level."""
    label = f"{abbreviated(pair.first, 22)} \N{MINUS SIGN} {abbreviated(pair.second, 22)}"
    pvalue = "none" if isnan(pair.adjusted_pvalue) else p_number(pair.adjusted_pvalue)
    return Row(label, value, interval, style(0), pair.adjusted_pvalue < 1 - level, pvalue)


class Group(NamedTuple):
    """Rows below a heading (none if ""), the value to hold them against, and that of all cases together."""

    heading: str
    reference: float | None
    rows: Sequence[Row]
    overall: float | None = None

    @property
    def lines(self) -> list[Row | str]:
        """What is drawn from the top down."""
        return [*([self.heading] if self.heading else []), *self.rows]


def draw_forest(
    ax: Axes | None,
    groups: Sequence[Group],
    scale: str,
    *,
    level: float,
    numbers: bool,
    p_heading: str = "",
    kind: str = "",
) -> Picture:
    """Draw groups of rows over a scale with this name, and figures in one or two columns beside it.

    `kind` says what the intervals are if they are adjusted for the number of rows, such as "simultaneous".
    """
    lines = [line for group in groups for line in group.lines]
    rows = {y: line for y, line in enumerate(lines) if isinstance(line, Row)}
    if not rows:
        raise NotApplicableError("There is nothing to draw: the result holds no estimate.")
    interval = f"{kind} {level_text(level)}" if kind else f"{level_text(level)} interval"
    columns = _columns(rows, interval, p_heading) if numbers else {}
    names = [abbreviated(line, 48) if isinstance(line, str) else line.label for line in lines]
    beside = max(text_width(name, small_size()) for name in names) + sum(
        _width(column) + 12 for column in columns.items()
    )
    ax = axes_of(ax, SCALE + beside / 72, AROUND + ROW * len(lines))
    _prepare(ax, groups, names, scale)
    references = _references(ax, groups, named=not p_heading)
    overall = _overall(ax, groups)
    drawn = [_draw_row(ax, y, row) for y, row in rows.items()]
    written: list[Annotation] = []
    offset = 8.0
    for heading, texts in columns.items():
        written += add_column(ax, heading, texts, offset)
        offset += _width((heading, texts)) + 12
    points, intervals = (tuple(filter(None, kind)) for kind in zip(*drawn, strict=True))
    return Picture(
        ax, points=points, intervals=intervals, numbers=tuple(written), references=references, overall=overall
    )


def _columns(rows: dict[int, Row], interval: str, p_heading: str) -> dict[str, dict[int, str]]:
    """What is written beside the rows, by heading; with decimals enough for the narrowest interval."""
    widths = [row.interval.high - row.interval.low for row in rows.values()]
    places = [ceil(-log10(width)) for width in widths if width > 0]
    decimals = min(6, max([3, *places]))
    values = {y: value_text(row.value, row.interval, decimals) for y, row in rows.items()}
    columns = {f"value ({interval})": values}
    if any(row.cases for row in rows.values()):
        columns = {"cases": {y: row.cases for y, row in rows.items()}, **columns}
    return {**columns, p_heading: {y: row.pvalue for y, row in rows.items()}} if p_heading else columns


def _width(column: tuple[str, dict[int, str]]) -> float:
    heading, texts = column
    return max(text_width(text, small_size()) for text in (heading, *texts.values()))


def _prepare(ax: Axes, groups: Sequence[Group], names: Sequence[str], scale: str) -> None:
    """The scale below, the names of the rows at the left, headings in bold."""
    style_axes(ax, grid="x")
    ax.set_xlim(*_span(groups))
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlabel(abbreviated(scale, 70), fontsize=text_size(), **PLAIN)
    ax.set_yticks(range(len(names)), names, fontsize=small_size(), **PLAIN)
    ax.tick_params(axis="y", length=0, pad=6)
    ax.spines["left"].set_visible(False)
    labels = iter(ax.get_yticklabels())
    for group in groups:
        for line, label in zip(group.lines, labels, strict=False):
            label.set_fontweight("bold" if isinstance(line, str) else "normal")


def _span(groups: Sequence[Group]) -> tuple[float, float]:
    """The ends of the scale: every interval, and the references unless that would squeeze the intervals."""
    rows = [row for group in groups for row in group.rows]
    ends = [x for row in rows for x in (row.value, *row.interval) if isfinite(x)] or [0.0, 1.0]
    everything = ends + [group.reference for group in groups if group.reference is not None]
    if max(ends) - min(ends) >= ENOUGH * (max(everything) - min(everything)):
        ends = everything
    margin = 0.04 * (max(ends) - min(ends)) or 0.05
    return min(ends) - margin, max(ends) + margin


def _draw_row(ax: Axes, y: int, row: Row) -> tuple[Line2D | None, Line2D | None]:
    """The marker and the bar of a row; None for what is undefined."""
    point = bar = None
    colour, marker, _ = row.style
    if isfinite(row.interval.low) and isfinite(row.interval.high):
        (bar,) = ax.plot(row.interval, (y, y), color=colour, linewidth=LINE, marker="|", markersize=6)
    if isfinite(row.value):
        inside, edge = (colour, ax.get_facecolor()) if row.sure else (ax.get_facecolor(), colour)
        width = 0.6 if row.sure else 1.2
        (point,) = ax.plot(row.value, y, marker, color=inside, markersize=7, mec=edge, mew=width)
    return point, bar


def _references(ax: Axes, groups: Sequence[Group], named: bool) -> tuple[Line2D, ...]:
    """A dashed line beside the rows of each group, and its name above it where there is room."""
    low, high = ax.get_xlim()
    tops = accumulate((len(group.lines) for group in groups), initial=0)
    same = len({group.reference for group in groups}) == 1
    lines: list[Line2D] = []
    for top, group in zip(tops, groups, strict=False):
        if group.reference is None:
            continue
        first, last = top + (0.35 if group.heading else -0.6), top + len(group.lines) - 0.4
        if low <= group.reference <= high:
            x = (group.reference, group.reference)
            lines += ax.plot(x, (first, last), color=text_colour(), alpha=MUTED, linewidth=HAIR, dashes=(4, 3))
        if named and (group.heading or top == 0):
            name = f"chance {group.reference:.3g}" if same or group.heading else "chance"
            _name_reference(ax, group.reference, first, name)
    return tuple(lines)


def _overall(ax: Axes, groups: Sequence[Group]) -> tuple[Line2D, ...]:
    """A thin line beside the rows of each group at the value of all cases together."""
    tops = accumulate((len(group.lines) for group in groups), initial=0)
    lines: list[Line2D] = []
    for top, group in zip(tops, groups, strict=False):
        if group.overall is not None and isfinite(group.overall):
            y = top + (0.35 if group.heading else -0.6), top + len(group.lines) - 0.4
            lines += ax.plot((group.overall, group.overall), y, color=text_colour(), alpha=MUTED, linewidth=HAIR)
    return tuple(lines)


def _name_reference(ax: Axes, x: float, y: float, name: str) -> None:
    """The name above the line; at the edge, with an arrow, where the line would be beyond it."""
    low, high = ax.get_xlim()
    place = (x - low) / (high - low)
    side = "left" if place < 0.08 else "right" if place > 0.92 else "center"
    text = f"← {name}" if place < 0 else f"{name} →" if place > 1 else name
    at = (min(high, max(low, x)), y)
    ax.annotate(
        text, at, (0, 2), textcoords="offset points", ha=side, va="bottom", fontsize=small_size(), alpha=MUTED
    )
