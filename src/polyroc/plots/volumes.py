"""Scurfield's volumes as bars: the probability of each order of one case per class; volumes of fronts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

from polyroc.errors import NotApplicableError
from polyroc.estimates.estimate import Estimate
from polyroc.fronts.volume_table import FrontVolumes
from polyroc.output.names import abbreviated
from polyroc.output.numbers import level_text, signed_text
from polyroc.plots.forest import write_beside
from polyroc.plots.matrix import MatrixPicture, draw_matrix
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    COLOURS,
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    SHADES,
    SMALL,
    TEXT,
    axes_of,
    between,
    dress,
    ink,
)

__all__ = ["VolumesPicture", "draw_front_volumes", "draw_volumes", "has_volumes"]


WIDTH, BAR, AROUND = 7.0, 0.3, 1.1  # inches: of the figure, of a bar, of what is above and below
MOST = 24  # bars


@dataclass(frozen=True, slots=True)
class VolumesPicture(Picture):
    """Volumes as bars.

    Attributes
    ----------
    bars, intervals
        One for each order of the classes.
    numbers
        The volumes and intervals in figures.
    chance
        The line of chance.
    """

    bars: BarContainer
    intervals: tuple[Line2D, ...]
    numbers: tuple[Annotation, ...]
    chance: Line2D


def has_volumes(estimate: Estimate) -> bool:
    """Whether its parts are the orders of the classes."""
    return "<".join(estimate.provenance.cases) in estimate.parts


def draw_volumes(
    estimate: Estimate, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> VolumesPicture:
    """The volume of every order of the classes, with its interval; the dashed line is chance, one in c!.

    Of more than 24 orders (five classes or more) the largest 24 are drawn.

    Parameters
    ----------
    estimate
        Of the measure `scurfield`.
    ax
        The axes to draw on.
    level
        Of the intervals.
    numbers
        Whether volumes and intervals are also written, to the right of the axes.
    """
    if not has_volumes(estimate):
        raise NotApplicableError(
            f"{estimate.measure} has no parts for the orders of the classes; draw an estimate of scurfield."
        )
    parts = [*estimate.parts.items()]
    if len(parts) > MOST:
        parts = sorted(parts, key=lambda part: -part[1].value)[:MOST]
    limits = [part.confidence_interval(level) for _, part in parts]
    ax = axes_of(ax, WIDTH, AROUND + BAR * len(parts))
    _name(ax, estimate, [key for key, _ in parts])
    bars = ax.barh(range(len(parts)), [part.value for _, part in parts], height=0.62, color=COLOURS[4])
    intervals = tuple(
        ax.plot(ends, (y, y), color=ink(), linewidth=LINE, marker="|", markersize=6)[0]
        for y, ends in enumerate(limits)
    )
    chance = ax.axvline(1 / len(estimate.parts), color=ink(), alpha=MUTED, linewidth=HAIR, dashes=(4, 3))
    ax.set_xlim(left=0)
    written: tuple[Annotation, ...] = ()
    if numbers:
        texts = {
            y: between(part.value, ends) for y, ((_, part), ends) in enumerate(zip(parts, limits, strict=True))
        }
        written = write_beside(ax, f"volume ({level_text(level)} interval)", texts)
    return VolumesPicture(ax, bars, intervals, written, chance)


def _name(ax: Axes, estimate: Estimate, orders: Sequence[str]) -> None:
    """The axes with their names, before there is anything on them."""
    dress(ax, grid="x")
    ax.set_ylim(len(orders) - 0.4, -0.6)
    names = [" < ".join(abbreviated(name, 14) for name in order.split("<")) for order in orders]
    ax.set_yticks(range(len(orders)), names, fontsize=SMALL, **PLAIN)
    ax.tick_params(axis="y", length=0)
    total = len(estimate.parts)
    some = f", the largest {MOST} of {total}" if total > MOST else ""
    ax.set_xlabel(f"Volume of each order of the classes{some} (dashed: chance, 1/{total})", fontsize=TEXT)
    title = f"{abbreviated(estimate.classifier)}: {estimate.name} = {signed_text(estimate.value)}"
    ax.set_title(title, fontsize=TEXT, loc="left", pad=16, **PLAIN)


def draw_front_volumes(volumes: FrontVolumes, ax: Axes | None = None) -> MatrixPicture:
    """delta(row, column): what the front of the row dominates and that of the column does not; G at the left.

    Parameters
    ----------
    volumes
        The volumes.
    ax
        The axes to draw on.
    """
    n = len(volumes.fronts)
    if n < 2:
        raise NotApplicableError("The picture is of two fronts or more; the G of a single one is a number.")
    deltas = np.where(np.eye(n, dtype=bool), np.nan, volumes.shares)
    top = float(np.nanmax(deltas, initial=0.0)) or 1.0
    picture = draw_matrix(ax, deltas, volumes.fronts, shades=(0.0, top), colours=SHADES)
    for text, delta in zip(picture.numbers, deltas[~np.isnan(deltas)], strict=False):
        text.set_text(signed_text(float(delta)))
    rows = [f"{abbreviated(name, 18)}  G = {signed_text(volumes.gini(name))}" for name in volumes.fronts]
    picture.ax.set_yticks(picture.ax.get_yticks(), rows, fontsize=SMALL, **PLAIN)
    picture.ax.set_ylabel("dominated by this front", fontsize=TEXT)
    picture.ax.set_xlabel("and not by this one", fontsize=TEXT)
    picture.scale.set_label("share of the region below chance", fontsize=SMALL)
    return picture
