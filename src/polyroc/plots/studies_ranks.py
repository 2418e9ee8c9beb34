"""The critical-difference diagram: mean ranks on a line, joined where Nemenyi's test finds no difference."""

from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

from polyroc.output.names import abbreviated
from polyroc.output.numbers import level_text, p_text, signed_text
from polyroc.plots.picture import Picture
from polyroc.plots.studies_groups import lanes
from polyroc.plots.style import HAIR, LINE, MUTED, PLAIN, SMALL, TEXT, axes_of, ink, width_of
from polyroc.studies.summaries.friedman import Friedman

__all__ = ["RanksPicture", "draw_critical_difference"]

SCALE, ROW, BAR = 4.2, 0.21, 0.11  # inches: the scale, a name, a bar


@dataclass(frozen=True, slots=True)
class RanksPicture(Picture):
    """A critical-difference diagram.

    Attributes
    ----------
    names
        Of the learners with their mean ranks, the best first.
    bars
        One for each group of two or more that do not differ.
    difference
        The length of the critical difference.
    """

    names: tuple[Annotation, ...]
    bars: tuple[Line2D, ...]
    difference: Line2D


def draw_critical_difference(test: Friedman, ax: Axes | None = None) -> RanksPicture:
    """Demsar's (2006) diagram: the best ranks at the left; learners joined by a bar do not differ."""
    order = list(test.ranks)
    labels = [abbreviated(name, 30) for name in order]
    spans = [(order.index(g[0]), order.index(g[-1])) for g in test.nemenyi.groups if len(g) > 1]
    rows = lanes(spans)
    half = (len(order) + 1) // 2
    depth = BAR * (max(rows, default=-1) + 1) + 0.12
    sides = max(width_of(f"{label}  9.99", SMALL) for label in labels) / 72 + 0.25
    height = depth + ROW * half + 1.0
    ax = axes_of(ax, SCALE + 2 * sides, height)
    worst = len(order)
    last = max(worst, 1 + test.critical_difference)
    ax.set(xlim=(1 - 0.02 * (last - 1), last + 0.02 * (last - 1)), ylim=(-depth - ROW * half, 0.35))
    _scale(ax, worst)
    names = []
    for place, name in enumerate(order):
        left = place < half
        y = -depth - ROW * (place if left else worst - 1 - place) - ROW / 2
        names.append(_label(ax, test.ranks[name], labels[place], y, left))
    bars = [_bar(ax, test, order, span, row) for span, row in zip(spans, rows, strict=True)]
    difference = _difference(ax, test)
    title = f"Friedman {p_text(test.pvalue)} on {len(test.data_sets)} data sets, {abbreviated(test.measure, 40)}"
    ax.set_title(title, fontsize=TEXT, loc="left", pad=20, **PLAIN)
    return RanksPicture(ax, tuple(names), tuple(bars), difference)


def _scale(ax: Axes, worst: int) -> None:
    """The line of ranks at zero height, ticks above it."""
    ax.spines[:].set_visible(False)
    ax.set_yticks([])
    ax.set_xticks([])
    ax.plot((1, worst), (0, 0), color=ink(), linewidth=HAIR, clip_on=False)
    every = 1 if worst <= 12 else 2
    for rank in range(1, worst + 1):
        ax.plot((rank, rank), (0, 0.05), color=ink(), linewidth=HAIR, clip_on=False)
        if (rank - 1) % every == 0:
            ax.annotate(str(rank), (rank, 0.06), ha="center", va="bottom", fontsize=SMALL)


def _label(ax: Axes, rank: float, label: str, y: float, left: bool) -> Annotation:
    """A line from the rank down to its height and out to the side, where the name and the rank stand."""
    edge = ax.get_xlim()[0 if left else 1]
    look: dict[str, Any] = {"color": ink(), "linewidth": HAIR, "alpha": MUTED, "clip_on": False}
    ax.plot((rank, rank, edge), (0, y, y), solid_joinstyle="miter", zorder=1, **look)
    text = f"{label}  {signed_text(rank, 2)}" if left else f"{signed_text(rank, 2)}  {label}"
    return ax.annotate(
        text,
        (edge, y),
        (-4 if left else 4, 0),
        textcoords="offset points",
        ha="right" if left else "left",
        va="center",
        fontsize=SMALL,
        annotation_clip=False,
        **PLAIN,
    )


def _bar(ax: Axes, test: Friedman, order: list[str], span: tuple[int, int], row: int) -> Line2D:
    first, last = (test.ranks[order[place]] for place in span)
    reach = 0.008 * (len(order) - 1)
    y = -0.1 - BAR * row
    (bar,) = ax.plot(
        (first - reach, last + reach), (y, y), color=ink(), linewidth=2.6 * LINE, solid_capstyle="butt", zorder=2
    )
    return bar


def _difference(ax: Axes, test: Friedman) -> Line2D:
    """The critical difference, drawn above the scale from rank 1."""
    end, y = 1 + test.critical_difference, 0.3
    (line,) = ax.plot(
        (1, end), (y, y), color=ink(), linewidth=LINE, marker="|", markersize=6, clip_on=False, zorder=3
    )
    text = f"critical difference {signed_text(test.critical_difference, 2)} ({level_text(test.nemenyi.alpha)})"
    ax.annotate(text, (1, y), (0, 4), textcoords="offset points", fontsize=SMALL, annotation_clip=False)
    return line
