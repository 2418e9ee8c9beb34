"""Groups of learners that do not differ: Bradley's underlines, letters, critical-difference diagrams."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

from polyroc.errors import InputError
from polyroc.output.numbers import level_text, p_text, signed_text
from polyroc.output.sentences import abbreviated, capitalised
from polyroc.plots.forest import add_column
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    axes_of,
    figure_layout,
    small_size,
    style,
    style_axes,
    text_colour,
    text_size,
    text_width,
)
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.range_tests import RangeTest, letter

__all__ = [
    "draw_critical_difference",
    "draw_letters",
    "draw_several",
    "draw_underlines",
    "lanes",
]


WIDEST = 11.0  # inches that names may fill side by side before they stand on end
GAP, ROW, AROUND, SCALE = 12.0, 0.16, 1.0, 3.6  # points between names; inches: a line, around, width of a scale
RANK_SCALE, NAME_HEIGHT, BAR_HEIGHT = 4.2, 0.21, 0.11  # inches: the scale, a name, a bar
FIGURE_SPACE = "\N{FIGURE SPACE}"


class _Layout(NamedTuple):
    """Where the parts of an underlined row of learners go: lines by group, sizes in inches."""

    names: list[str]
    values: list[str]
    spans: list[tuple[int, int]]
    rows: list[int]
    upright: bool
    width: float
    height: float


def _layout(test: RangeTest) -> _Layout:
    """Names side by side, or on end where that would be too wide."""
    order = test.learners[::-1]
    names = [abbreviated(name, 24) for name in order]
    values = [signed_text(test.values[name]) for name in order]
    widest = max(text_width(text, small_size()) for text in (*names, *values)) + GAP
    upright = widest * len(names) / 72 > WIDEST
    cell = max(text_width(text, small_size()) for text in values) + GAP if upright else widest
    spans = [(order.index(group[-1]), order.index(group[0])) for group in test.groups]
    rows = lanes(spans)
    tall = max(text_width(name, small_size()) for name in names) / 72 if upright else 0.15
    width = max(cell * len(names), text_width(_title(test), small_size())) / 72 + 0.4
    return _Layout(names, values, spans, rows, upright, width, tall + ROW * (max(rows) + 3) + AROUND / 2)


def draw_underlines(test: RangeTest, ax: Axes | None = None) -> Picture:
    """Learners from the worst to the best; those over one line do not differ, as in Bradley (1997)."""
    names, values, spans, rows, upright, width, height = _layout(test)
    ax = axes_of(ax, width, height)
    ax.set(xlim=(-0.5, len(names) - 0.5), ylim=(-(max(rows) + 1.6), 0.9))
    ax.axis("off")
    look: dict[str, Any] = {"ha": "center", "fontsize": small_size(), **PLAIN}
    place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    turned: dict[str, Any] = {"va": "bottom", "rotation": 90 if upright else 0, "annotation_clip": False}
    above = [ax.annotate(name, (x, 1), (0, 2), **place, **turned, **look) for x, name in enumerate(names)]
    below = [ax.text(x, 0.2, value, va="center", **look) for x, value in enumerate(values)]
    lines = [
        ax.plot(
            (a - 0.35, b + 0.35), (-row - 0.8,) * 2, color=text_colour(), linewidth=LINE, solid_capstyle="butt"
        )[0]
        for (a, b), row in zip(spans, rows, strict=True)
    ]
    _add_title_below(ax, test)
    return Picture(ax, names=tuple(above), values=tuple(below), lines=tuple(lines))


def draw_several(several: Sequence[RangeTest], ax: Axes | None = None) -> Picture:
    """Underlines of several data sets or measures, one below the other; on a figure of their own."""
    if ax is not None:
        raise InputError("Several range tests need a figure of their own; draw them one by one on your axes.")
    layouts = [_layout(result) for result in several]
    width, heights = max(layout.width for layout in layouts), [layout.height for layout in layouts]
    apart = figure_layout()
    apart.set(h_pad=0.14)
    _, axes = pyplot.subplots(
        len(several),
        figsize=(width, sum(heights) + 0.1 * len(several)),
        layout=apart,
        squeeze=False,
        gridspec_kw={"height_ratios": heights},
    )
    pictures = [draw_underlines(test, own) for test, own in zip(several, axes[:, 0], strict=True)]
    return Picture(pictures[0].ax, pictures=tuple(pictures))


def draw_letters(test: RangeTest, ax: Axes | None = None) -> Picture:
    """Learners from the best to the worst, and the letters of their groups; equal letters: no difference."""
    names = [abbreviated(name) for name in test.values]
    letters = test.letters
    wide = max(text_width(name, small_size()) for name in names) + max(
        text_width(text, small_size()) for text in letters.values()
    )
    ax = axes_of(ax, SCALE + (wide + 60) / 72, AROUND + 0.25 * len(names))
    style_axes(ax, grid="x")
    colour, marker, _ = style(0)
    points = [
        ax.plot(value, y, marker, color=colour, markersize=6, mec=ax.get_facecolor(), mew=0.6)[0]
        for y, value in enumerate(test.values.values())
    ]
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_yticks(range(len(names)), names, fontsize=small_size(), **PLAIN)
    ax.tick_params(axis="y", length=0, pad=6)
    ax.spines["left"].set_visible(False)
    ax.margins(x=0.06)
    ax.locator_params(axis="x", nbins=6)
    ax.set_xlabel(capitalised(f"{test.quantity} {test.measure}"), fontsize=text_size(), **PLAIN)
    aligned = [_aligned(test, name) for name in test.values]
    written = add_column(ax, "group", dict(enumerate(aligned)))
    for annotation in written:
        annotation.set_fontfamily("monospace")
    ax.set_title(_title(test), fontsize=text_size(), loc="left", pad=16, **PLAIN)
    return Picture(ax, points=tuple(points), letters=written)


def _aligned(test: RangeTest, learner: str) -> str:
    """A learner's letters, each in the column of its group."""
    signs = [letter(place) for place in range(len(test.groups))]
    columns = zip(signs, test.groups, strict=True)
    return "".join(sign if learner in group else FIGURE_SPACE * len(sign) for sign, group in columns)


def lanes(spans: Sequence[tuple[float, float]]) -> list[int]:
    """A row for each span such that no two on one row touch; the first that is free.

    >>> lanes([(0, 2), (1, 3), (3, 5)])
    [0, 1, 0]
    """
    ends: list[float] = []
    rows = []
    for start, end in sorted(spans):
        row = next((k for k, last in enumerate(ends) if start > last), len(ends))
        ends[row : row + 1] = [end]
        rows.append(row)
    by_span = dict(zip(sorted(spans), rows, strict=True))
    return [by_span[span] for span in spans]


def _title(test: RangeTest) -> str:
    return f"{test.name}, {level_text(test.alpha)}: {abbreviated(f'{test.measure} on {test.data_set}', 48)}"


def _add_title_below(ax: Axes, test: RangeTest) -> None:
    ax.annotate(
        _title(test),
        (0, 0),
        (0, -2),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        fontsize=small_size(),
        alpha=MUTED,
        annotation_clip=False,
        **PLAIN,
    )


def draw_critical_difference(test: Friedman, ax: Axes | None = None) -> Picture:
    """Demsar's (2006) diagram: the best ranks at the left; learners joined by a bar do not differ."""
    order = list(test.ranks)
    labels = [abbreviated(name, 30) for name in order]
    spans = [(order.index(g[0]), order.index(g[-1])) for g in test.nemenyi.groups if len(g) > 1]
    rows = lanes(spans)
    half = (len(order) + 1) // 2
    depth = BAR_HEIGHT * (max(rows, default=-1) + 1) + 0.12
    sides = max(text_width(f"{label}  9.99", small_size()) for label in labels) / 72 + 0.25
    height = depth + NAME_HEIGHT * half + 1.0
    ax = axes_of(ax, RANK_SCALE + 2 * sides, height)
    worst = len(order)
    last = max(worst, 1 + test.critical_difference)
    ax.set(xlim=(1 - 0.02 * (last - 1), last + 0.02 * (last - 1)), ylim=(-depth - NAME_HEIGHT * half, 0.35))
    _scale(ax, worst)
    names = []
    for place, name in enumerate(order):
        left = place < half
        y = -depth - NAME_HEIGHT * (place if left else worst - 1 - place) - NAME_HEIGHT / 2
        names.append(_label(ax, test.ranks[name], labels[place], y, left))
    bars = [_bar(ax, test, order, span, row) for span, row in zip(spans, rows, strict=True)]
    difference = _difference(ax, test)
    title = f"Friedman {p_text(test.pvalue)} on {len(test.data_sets)} data sets, {abbreviated(test.measure, 40)}"
    ax.set_title(title, fontsize=text_size(), loc="left", pad=20, **PLAIN)
    return Picture(ax, names=tuple(names), bars=tuple(bars), difference=difference)


def _scale(ax: Axes, worst: int) -> None:
    """The line of ranks at zero height, ticks above it."""
    ax.spines[:].set_visible(False)
    ax.set_yticks([])
    ax.set_xticks([])
    ax.plot((1, worst), (0, 0), color=text_colour(), linewidth=HAIR, clip_on=False)
    every = 1 if worst <= 12 else 2
    for rank in range(1, worst + 1):
        ax.plot((rank, rank), (0, 0.05), color=text_colour(), linewidth=HAIR, clip_on=False)
        if (rank - 1) % every == 0:
            ax.annotate(str(rank), (rank, 0.06), ha="center", va="bottom", fontsize=small_size())


def _label(ax: Axes, rank: float, label: str, y: float, left: bool) -> Annotation:
    """A line from the rank down to its height and out to the side, where the name and the rank stand."""
    edge = ax.get_xlim()[0 if left else 1]
    look: dict[str, Any] = {"color": text_colour(), "linewidth": HAIR, "alpha": MUTED, "clip_on": False}
    ax.plot((rank, rank, edge), (0, y, y), solid_joinstyle="miter", zorder=1, **look)
    text = f"{label}  {signed_text(rank, 2)}" if left else f"{signed_text(rank, 2)}  {label}"
    return ax.annotate(
        text,
        (edge, y),
        (-4 if left else 4, 0),
        textcoords="offset points",
        ha="right" if left else "left",
        va="center",
        fontsize=small_size(),
        annotation_clip=False,
        **PLAIN,
    )


def _bar(ax: Axes, test: Friedman, order: list[str], span: tuple[int, int], row: int) -> Line2D:
    first, last = (test.ranks[order[place]] for place in span)
    reach = 0.008 * (len(order) - 1)
    y = -0.1 - BAR_HEIGHT * row
    (bar,) = ax.plot(
        (first - reach, last + reach),
        (y, y),
        color=text_colour(),
        linewidth=2.6 * LINE,
        solid_capstyle="butt",
        zorder=2,
    )
    return bar


def _difference(ax: Axes, test: Friedman) -> Line2D:
    """The critical difference, drawn above the scale from rank 1."""
    end, y = 1 + test.critical_difference, 0.3
    (line,) = ax.plot(
        (1, end), (y, y), color=text_colour(), linewidth=LINE, marker="|", markersize=6, clip_on=False, zorder=3
    )
    text = f"critical difference {signed_text(test.critical_difference, 2)} ({level_text(test.nemenyi.alpha)})"
    ax.annotate(text, (1, y), (0, 4), textcoords="offset points", fontsize=small_size(), annotation_clip=False)
    return line
