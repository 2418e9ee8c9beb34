"""Fronts: those of two classes in the ROC plane, their growth, and the volumes that they dominate."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon, Rectangle

from polyroc.decisions.operating_point import OperatingPoint
from polyroc.errors import InputError, NotApplicableError
from polyroc.fronts.result import HALF, Front
from polyroc.fronts.volume_table import FrontVolumes
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import signed_text
from polyroc.output.sentences import abbreviated
from polyroc.plots.matrix import draw_matrix
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    SHADES,
    add_legend,
    axes_of,
    mark_point,
    small_size,
    style,
    style_axes,
    text_colour,
    text_size,
)

__all__ = [
    "draw_front_volumes",
    "draw_growth",
    "draw_growths",
    "draw_staircase",
    "draw_staircases",
    "draw_tradeoffs",
    "rates_at",
]


SIDE = 4.8  # inches
WIDTH, HEIGHT = 6.0, 3.8  # inches
FEW = 40  # points, or looks at the growth, that are marked one by one


def draw_staircase(front: Front, ax: Axes | None = None, **options: Any) -> Picture:
    """One front; see `draw_staircases`."""
    return draw_staircases([front], ax, **options)


def draw_staircases(
    fronts: Sequence[Front], ax: Axes | None = None, *, points: Mapping[str, int | OperatingPoint] | None = None
) -> Picture:
    """Fronts of two classes: what is reached without chance, as the staircase of a ROC curve.

    Of a single front the region it dominates above chance is shaded; its share of the triangle is G.
    """
    if {front.classes for front in fronts} != {fronts[0].classes} or len(fronts[0].classes) != 2:
        raise NotApplicableError("The ROC plane is for fronts of the same two classes.")
    if points and len(fronts) > 1:
        raise InputError("points are places in one front; draw one front, or leave them out.")
    ax = axes_of(ax, SIDE, SIDE)
    style_axes(ax, grid="both")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    first, second = (abbreviated(name, 20) for name in fronts[0].classes)
    ax.set_xlabel(f"{first} called {second}", fontsize=text_size(), **PLAIN)
    ax.set_ylabel(f"{second} called {second}", fontsize=text_size(), **PLAIN)
    (chance,) = ax.plot(
        (0, 1), (0, 1), color=text_colour(), linewidth=HAIR, dashes=(4, 3), alpha=MUTED, zorder=1.5
    )
    lines = [_stairs(ax, front, place) for place, front in enumerate(fronts)]
    shade = _shade(ax, lines[0]) if len(fronts) == 1 else None
    places = {name: rates_at(fronts[0], place) for name, place in (points or {}).items()}
    marked = [mark_point(ax, float(r[0, 1]), float(r[1, 1]), name, 7) for name, r in places.items()]
    entries = [f"{abbreviated(front.classifier)}  G = {signed_text(front.growth.gini[-1])}" for front in fronts]
    legend = add_legend(ax, lines, entries, loc="lower right")
    dots, names = tuple(dot for dot, _ in marked), tuple(text for _, text in marked)
    return Picture(ax, lines=tuple(lines), shade=shade, points=dots, names=names, chance=chance, legend=legend)


def _stairs(ax: Axes, front: Front, place: int) -> Line2D:
    """Points come by rising rate of the first error, and so by rising correct rate of the second class."""
    rates = front.rates
    x, y = np.append(rates[:, 0, 1], 1.0), np.append(rates[:, 1, 1], rates[-1, 1, 1])
    look: dict[str, Any] = {"color": style(place).colour, "linestyle": style(place).line, "linewidth": LINE}
    if len(front) <= FEW:
        look.update(marker=style(place).marker, markersize=4, markevery=slice(1, -1))
    return ax.plot(np.append(x[0], x), np.append(0.0, y), drawstyle="steps-post", **look)[0]


def _shade(ax: Axes, line: Line2D) -> PolyCollection:
    shade = ax.fill_between(
        *line.get_data(), step="post", color=line.get_color(), alpha=0.16, linewidth=0, zorder=1
    )
    shade.set_clip_path(Polygon([(0, 0), (0, 1), (1, 1)], transform=ax.transData))
    return shade


def rates_at(front: Front, place: int | OperatingPoint) -> FloatArray:
    """The confusion rates of an operating point on the cases of the front."""
    index = place.point if isinstance(place, OperatingPoint) else place
    if isinstance(place, OperatingPoint) and index is None and place.rule.labels == front.labels:
        counts = front.counts_of(place.rule)
        if counts is not None:
            return np.asarray(counts / counts.sum(axis=1, keepdims=True))
    if not isinstance(index, int | np.integer) or not 0 <= index < len(front):
        raise InputError(
            f"points must be indices into the front, from 0 to {len(front) - 1}, or operating points of it; "
            f"got {index!r}."
        )
    return np.asarray(front.rates[int(index)])


def draw_growth(front: Front, ax: Axes | None = None) -> Picture:
    """One front; see `draw_growths`."""
    return draw_growths([front], ax)


def draw_growths(fronts: Sequence[Front], ax: Axes | None = None) -> Picture:
    """G by the costs drawn, or the generations, so far: if it still rises at the end, the front is incomplete."""
    ax = axes_of(ax, WIDTH, HEIGHT)
    style_axes(ax, grid="both")
    searched = all(front.growth.generations for front in fronts)
    grown = [(front.growth.generations if searched else front.growth.draws, front.growth.gini) for front in fronts]
    lines = [_growth(ax, steps, gini, place) for place, (steps, gini) in enumerate(grown)]
    last = max(steps[-1] for steps, _ in grown)
    ax.set_xlim(0, 1.02 * last)
    ax.set_xlabel("Generations" if searched else "Cost vectors drawn", fontsize=text_size())
    ax.set_ylabel("Generalised Gini coefficient G", fontsize=text_size())
    lately = (
        ax.axvspan(last / 2, last, color=text_colour(), alpha=0.05, linewidth=0, zorder=0)
        if len(fronts) == 1
        else None
    )
    if len(fronts) == 1:
        ax.set_title(fronts[0].convergence.replace("; ", ";\n"), fontsize=small_size(), loc="left", **PLAIN)
    legend = add_legend(ax, lines, [_grown(front) for front in fronts], loc="lower right")
    return Picture(ax, lines=tuple(lines), lately=lately, legend=legend)


def _grown(front: Front) -> str:
    lately = f"{signed_text(front.growth.lately)} of it lately{'' if front.converged else ': not converged'}"
    return f"{abbreviated(front.classifier)}  {signed_text(front.growth.gini[-1])}, {lately}; {len(front)} points"


def _growth(ax: Axes, steps: Sequence[int], gini: Sequence[float], place: int) -> Line2D:
    colour, marker, line = style(place)
    sign = marker if len(steps) <= FEW else "none"
    return ax.plot(steps, gini, color=colour, linestyle=line, linewidth=LINE, marker=sign, markersize=4)[0]


def draw_tradeoffs(front: Front, ax: Axes | None = None) -> Picture:
    """A few operating points by the share of each class that they miss: what it costs others to spare a class.

    The first row has the fewest errors; each further one at most half the misses of a class, framed, and as few
    others as possible (`Front.tradeoffs`). Small below: the share of the other classes that is called this one.

    Parameters
    ----------
    front
        A front.
    ax
        The axes to draw on.
    """
    points, c = front.tradeoffs(), len(front.classes)
    places = [*points.values()]
    missed, rates = 100 * front.misses[places], front.rates[places]
    totals = front.counts[0].sum(axis=1)
    called = (rates * (1 - np.eye(c)) * totals[:, None]).sum(axis=1) / (totals.sum() - totals)
    below = [[*(f"({100 * share:.1f})" for share in row), ""] for row in called]
    picture = draw_matrix(
        ax,
        np.column_stack([missed, missed.mean(axis=1)]),
        [f"{name.replace(HALF, 'spare ')} #{place}" for name, place in points.items()],
        columns=[*front.classes, "mean"],
        label="missed, % of the class",
        shades=(0.0, float(missed.max()) or 1.0),
        colours=SHADES,
        below=below,
    )
    for text in picture.numbers:
        x, y = text.get_position()
        text.set_text(f"{(*missed[int(y)], missed[int(y)].mean())[int(x)]:.1f}")
    look: dict[str, Any] = {"fill": False, "edgecolor": text_colour(), "linewidth": 1.6, "clip_on": False}
    for row, name in enumerate([*points][1:], 1):
        column = front.classes.index(name.removeprefix(HALF))
        picture.ax.add_patch(Rectangle((column, row), 1, 1, **look))
    picture.ax.set_xlabel("class: % of it called another (% of the others called it)", fontsize=small_size())
    picture.ax.axvline(c, color=text_colour(), linewidth=1.2)
    title = f"{abbreviated(front.classifier, 40)}: {len(places)} of {len(front)} operating points;"
    title += "\nafter the first, each halves the misses of a class (framed)"
    picture.ax.set_title(title, fontsize=text_size(), loc="left", **PLAIN)
    return picture


def draw_front_volumes(volumes: FrontVolumes, ax: Axes | None = None) -> Picture:
    """delta(row, column): what the front of the row dominates and that of the column does not; G at the left."""
    n = len(volumes.fronts)
    if n < 2:
        raise NotApplicableError("The picture is of two fronts or more; the G of a single one is a number.")
    deltas = np.where(np.eye(n, dtype=bool), np.nan, volumes.shares)
    top = float(np.nanmax(deltas, initial=0.0)) or 1.0
    picture = draw_matrix(
        ax, deltas, volumes.fronts, label="share of the region below chance", shades=(0.0, top), colours=SHADES
    )
    for text, delta in zip(picture.numbers, deltas[~np.isnan(deltas)], strict=False):
        text.set_text(signed_text(float(delta)))
    rows = [f"{abbreviated(name, 18)}  G = {signed_text(volumes.gini(name))}" for name in volumes.fronts]
    picture.ax.set_yticks(picture.ax.get_yticks(), rows, fontsize=small_size(), **PLAIN)
    picture.ax.set_ylabel("dominated by this front", fontsize=text_size())
    picture.ax.set_xlabel("and not by this one", fontsize=text_size())
    return picture
