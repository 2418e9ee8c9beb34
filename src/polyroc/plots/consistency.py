"""Measure against measure: C and D by the number of cases, and the joint distribution of two measures."""

from collections.abc import Callable, Sequence
from math import isfinite
from operator import attrgetter

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogFormatter

from polyroc.consistency.result import Joint, MeasureComparison, MeasureComparisons
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.output.sentences import abbreviated
from polyroc.plots.matrix import draw_matrix
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    COLOURS,
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    SHADES,
    Style,
    add_legend,
    axes_of,
    figure_layout,
    small_size,
    style,
    style_axes,
    text_colour,
    text_size,
)

__all__ = [
    "draw_comparisons",
    "draw_consistency",
    "draw_discriminancy",
    "draw_joint",
    "draw_links",
    "draw_measures",
    "has_links",
]

MOST_LINKS = 2000  # more of them are one grey field


def draw_consistency(
    comparisons: Sequence[MeasureComparison], ax: Axes | None = None, *, level: float = 0.95
) -> Picture:
    """C against the number of cases, with intervals if pairs were drawn; dashed the normal approximation."""
    picture = _draw_sizes(
        comparisons,
        ax,
        lambda comparison: (comparison.consistency, *comparison.consistency_interval(level)),
        lambda comparison: comparison.asymptotics and comparison.asymptotics.consistency,
    )
    picture.ax.set_ylabel("Consistency C", fontsize=text_size())
    asymptotics = comparisons[-1].asymptotics
    if asymptotics is not None:
        picture.ax.axhline(
            asymptotics.limit, color=text_colour(), alpha=MUTED, linewidth=HAIR, linestyle=(0, (1, 2))
        )
        picture.ax.annotate(
            f"limit {asymptotics.limit:.3f}",
            (1.0, asymptotics.limit),
            (-3, 3),
            xycoords=picture.ax.get_yaxis_transform(),
            textcoords="offset points",
            ha="right",
            fontsize=small_size(),
        )
    return picture


def draw_discriminancy(
    comparisons: Sequence[MeasureComparison], ax: Axes | None = None, *, level: float = 0.95
) -> Picture:
    """D against the number of cases, both on logarithmic scales; see `draw_consistency`."""
    picture = _draw_sizes(
        comparisons,
        ax,
        lambda comparison: (comparison.discriminancy, *comparison.discriminancy_interval(level)),
        lambda comparison: comparison.asymptotics and comparison.asymptotics.discriminancy,
    )
    picture.ax.set_yscale("log")
    _plain_numbers(picture.ax.yaxis)
    picture.ax.set_ylabel("Discriminancy D", fontsize=text_size())
    return picture


def _draw_sizes(
    comparisons: Sequence[MeasureComparison],
    ax: Axes | None,
    value: Callable[[MeasureComparison], tuple[float, float, float]],
    approximation: Callable[[MeasureComparison], float | None],
) -> Picture:
    """A line for each pair of measures, and its normal approximation where there is one."""
    ax = axes_of(ax, 4.6, 3.4)
    style_axes(ax, "both")
    by_pair: dict[tuple[str, str], list[MeasureComparison]] = {}
    for comparison in comparisons:
        by_pair.setdefault((comparison.first, comparison.second), []).append(comparison)
    lines, asymptotes = [], []
    for place, pair in enumerate(by_pair.values()):
        finite = [
            comparison for comparison in sorted(pair, key=attrgetter("cases")) if isfinite(value(comparison)[0])
        ]
        line, asymptote = _draw_pair(ax, finite, style(place), value, approximation)
        lines.append(line)
        asymptotes += asymptote
    ax.set_xscale("log")
    _plain_numbers(ax.xaxis)
    ax.set_xlabel("Cases", fontsize=text_size())
    names = [f"{first} against {second}" for first, second in by_pair]
    approximations = ["normal approximation"] if asymptotes else []
    add_legend(ax, [*lines, *asymptotes[:1]], [*names, *approximations], loc="best")
    return Picture(ax, lines=tuple(lines), asymptotes=tuple(asymptotes))


def _draw_pair(
    ax: Axes,
    comparisons: Sequence[MeasureComparison],
    look: Style,
    value: Callable[[MeasureComparison], tuple[float, float, float]],
    approximation: Callable[[MeasureComparison], float | None],
) -> tuple[Line2D, list[Line2D]]:
    """The line of one pair of measures, and its normal approximation in a list, which may be empty."""
    sizes = [comparison.cases for comparison in comparisons]
    values, low, high = np.array([value(comparison) for comparison in comparisons]).reshape(-1, 3).T
    (line,) = ax.plot(sizes, values, color=look.colour, marker=look.marker, markersize=3.5, linewidth=LINE)
    ax.fill_between(sizes, low, high, color=look.colour, alpha=0.2, linewidth=0)
    approximations = [approximation(comparison) for comparison in comparisons]
    known = [(size, y) for size, y in zip(sizes, approximations, strict=True) if y is not None]
    if not known:
        return line, []
    x, y = zip(*known, strict=True)
    return line, ax.plot(x, y, color=text_colour(), alpha=MUTED, linewidth=HAIR, linestyle="--")


def _plain_numbers(axis: Axis) -> None:
    """20, not 2 x 10^1."""
    axis.set_major_formatter(LogFormatter())
    axis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.4)))
    axis.set_tick_params(which="minor", labelsize=small_size())


def has_links(comparison: MeasureComparison) -> bool:
    """Whether the links between the values are few enough to be distinguished."""
    return comparison.joint is not None and len(comparison.joint) <= MOST_LINKS


def draw_links(comparison: MeasureComparison, ax: Axes | None = None) -> Picture:
    """The values of one measure at the left, of the other at the right, linked where an output has both.

    As in figure 1 of Ling, Huang & Zhang (2003). Links that cross are pairs of outputs on which the measures
    disagree; links that meet at the right are distinguished by the first measure only, at the left by the second
    only.
    """
    joint = _joint(comparison)
    ax = axes_of(ax, 3.6, 4.6)
    style_axes(ax)
    left, right = (_between(values) for values in (joint.first, joint.second))
    weight = _weights(joint)
    links = LineCollection(
        [[(0.0, y), (1.0, z)] for y, z in zip(left, right, strict=True)],
        colors=COLOURS[0],
        linewidths=0.3 + 1.7 * weight,
        alpha=np.asarray(0.15 + 0.75 * weight),
    )
    ax.add_collection(links)
    for x, y in ((0.0, left), (1.0, right)):
        ax.plot(np.full(len(y), x), y, "o", color=text_colour(), markersize=2.5)
    ax.set(xlim=(-0.05, 1.05), ylim=(-0.03, 1.03))
    ax.spines["right"].set_visible(True)
    ax.spines["bottom"].set_visible(False)
    ax.set_xticks(
        [0.0, 1.0], [abbreviated(comparison.first), abbreviated(comparison.second)], fontsize=text_size(), **PLAIN
    )
    _scale(ax, joint.first)
    _scale(ax.twinx(), joint.second)
    ax.set_title(_title(comparison), fontsize=text_size(), loc="left", **PLAIN)
    return Picture(ax, links=links)


def _scale(ax: Axes, values: FloatArray) -> None:
    """A scale in the values themselves along positions from 0 to 1."""
    ax.set_ylim(-0.03, 1.03)
    ticks = np.linspace(0.0, 1.0, 5)
    texts = [f"{values.min() + tick * np.ptp(values):.2f}" for tick in ticks]
    ax.set_yticks(ticks, texts, fontsize=small_size())
    ax.spines[["top", "bottom"]].set_visible(False)
    ax.tick_params(length=3, width=HAIR)


def draw_joint(comparison: MeasureComparison, ax: Axes | None = None) -> Picture:
    """Every pair of values that occurs, the more often the darker; a perfect agreement is a rising line."""
    joint, ax = _joint(comparison), axes_of(ax, 4.6, 4.0)
    style_axes(ax, "both")
    weight = _weights(joint)
    order = np.argsort(weight)
    size = 2.0 + 60.0 * weight[order] / max(1.0, len(joint) / 60)
    cells = ax.scatter(
        joint.second[order], joint.first[order], s=size, c=0.25 + 0.75 * weight[order], cmap=SHADES, vmin=0, vmax=1
    )
    ax.set_xlabel(abbreviated(comparison.second), fontsize=text_size(), **PLAIN)
    ax.set_ylabel(abbreviated(comparison.first), fontsize=text_size(), **PLAIN)
    ax.set_title(_title(comparison), fontsize=text_size(), loc="left", **PLAIN)
    return Picture(ax, cells=cells)


def draw_measures(comparisons: MeasureComparisons, ax: Axes | None = None) -> Picture:
    """C of every two measures as a heat map; D of the row's measure against the column's in small print."""
    D = [["" if np.isnan(value) else f"D {value:.3g}" for value in row] for row in comparisons.discriminancy]
    return draw_matrix(
        ax,
        comparisons.consistency,
        comparisons.measures,
        label="consistency C",
        shades=(0.5, 1.0),
        colours=SHADES,
        below=D,
    )


def draw_comparisons(comparisons: Sequence[MeasureComparison]) -> Figure:
    """Comparisons for several sizes as C and D side by side; for one size, the joint distribution of each pair."""
    if not comparisons:
        raise InputError("There is a picture of C and D, and of joint distributions; here is neither.")
    if len({comparison.cases for comparison in comparisons}) > 1:
        figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.2, 3.4), layout=figure_layout())
        draw_consistency(comparisons, left)
        draw_discriminancy(comparisons, right)
        return figure
    across = min(3, len(comparisons))
    down = -(-len(comparisons) // across)
    figure, axes = pyplot.subplots(
        down, across, figsize=(4.6 * across, 4.0 * down), layout=figure_layout(), squeeze=False
    )
    for ax, comparison in zip(axes.flat, comparisons, strict=False):
        draw_joint(comparison, ax)
    for ax in axes.flat[len(comparisons) :]:
        ax.set_visible(False)
    return figure


def _joint(comparison: MeasureComparison) -> Joint:
    joint = comparison.joint
    if joint is None or not len(joint):
        raise InputError("The joint distribution was not stored with this comparison; run the comparison again.")
    return joint


def _weights(joint: Joint) -> FloatArray:
    """From 0 to 1, how many outputs a cell holds; the root of it, so that rare cells can be seen."""
    most = max(joint.counts)
    return np.sqrt([count / most for count in joint.counts])


def _between(values: FloatArray) -> FloatArray:
    """From the smallest at 0 to the largest at 1."""
    span = np.ptp(values)
    return np.asarray((values - values.min()) / (span or 1.0))


def _title(comparison: MeasureComparison) -> str:
    return f"{comparison.cases} cases: C = {comparison.consistency:.4f}, D = {comparison.discriminancy:.4g}"
