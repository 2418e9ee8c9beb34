"""Fronts of three classes in the space of their false positive rates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colorbar import Colorbar
from matplotlib.legend import Legend
from mpl_toolkits.mplot3d.art3d import Line3D, Line3DCollection
from mpl_toolkits.mplot3d.axes3d import Axes3D

from polyroc.decisions.operating_point import OperatingPoint
from polyroc.errors import InputError, NotApplicableError
from polyroc.fronts.result import Front
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.output.names import abbreviated
from polyroc.plots.fronts import SCALE, Colour, add_scale, place_of, values_by
from polyroc.plots.picture import Picture
from polyroc.plots.style import FAINT, HAIR, PLAIN, SMALL, TEXT, ink, name_lines, room, style

__all__ = ["FalsePositivesPicture", "draw_false_positives"]

WIDTH, HEIGHT = 6.0, 5.4  # inches
VIEW = {"elev": 22.0, "azim": 45.0}  # from the side of many errors, so that the nearer points are the worse
PANE = (1.0, 1.0, 1.0, 0.0)
MANY = 2000  # points from which a picture holds them as dots, not as shapes
ROUNDING = 1e-9  # a point of random allocation is one, whichever way its rates were rounded
STEMS = 60  # points, at most, that stand on the floor


@dataclass(frozen=True, slots=True)
class FalsePositivesPicture(Picture):
    """A front of three classes in the space of false positive rates.

    Attributes
    ----------
    dots
        The operating points: a collection for each class into which most errors go, or one for all.
    stems
        From the points to the floor, where they are few.
    points
        The selected operating points.
    legend, scale
        What the colours mean; no scale if they are classes.
    """

    dots: tuple[PathCollection, ...]
    stems: Line3DCollection | None
    points: tuple[Line3D, ...]
    legend: Legend
    scale: Colorbar | None


def draw_false_positives(
    front: Front,
    ax: Axes | None = None,
    *,
    points: Mapping[str, int | OperatingPoint] | None = None,
    colour: Colour = None,
    beyond: bool = False,
) -> FalsePositivesPicture:
    """Each operating point of three classes at its three false positive rates (Everson & Fieldsend, figure 2).

    The false positive rate of a class adds up the shares of the two others that are called it. Six rates are seen
    as three, so the points do not form a surface, but they lie near one.

    Parameters
    ----------
    front
        A front of three classes.
    ax
        The axes to draw on, made with `projection="3d"`.
    points
        Operating points by name, each an index into the front or an `OperatingPoint` of it.
    colour
        (true, decision) to shade the points by the rate of an error, "generation" by their generation; by default
        each has the colour of the class into which most errors go.
    beyond
        Whether points no better than random allocation, whose error rates add up to 2 or more, are drawn too.
    """
    if len(front.classes) != 3:
        raise NotApplicableError(
            f"False positive rates are drawn for three classes, here are {len(front.classes)}; kind='parallel' is "
            "for any number."
        )
    if ax is None:
        figure = pyplot.figure(figsize=(WIDTH, HEIGHT), layout=room())
        ax = figure.add_subplot(projection="3d")
    if not isinstance(ax, Axes3D):
        raise InputError("This picture is drawn on axes of three dimensions; make them with projection='3d'.")
    F = front.false_positive_rates
    better = np.flatnonzero(F.sum(axis=1) < 2.0 - ROUNDING)
    drawn = np.arange(len(F)) if beyond or not len(better) else better
    places = [place_of(front, place) for place in (points or {}).values()]
    _cube(ax, front, F[[*drawn, *places]])
    stems = _stems(ax, F[drawn]) if len(drawn) <= STEMS else None
    dots, names, scale = _dots(ax, front, drawn, colour)
    chosen = [_mark(ax, F[place], i) for i, place in enumerate(places)]
    names += [abbreviated(name) for name in points or {}]
    legend = name_lines(ax, [*dots, *chosen], names, loc="upper left", bbox_to_anchor=(0.0, 0.98))
    if colour is None:
        legend.set_title("most errors go to")
    for handle in legend.legend_handles:
        if isinstance(handle, PathCollection):
            handle.set_sizes([24])  # to be seen however small the dots are
    _head(ax, front, len(F) - len(drawn))
    return FalsePositivesPicture(ax, tuple(dots), stems, tuple(chosen), legend, scale)


def _dots(
    ax: Axes3D, front: Front, drawn: IntArray, colour: Colour
) -> tuple[list[PathCollection], list[str], Colorbar | None]:
    """The points by the class into which most errors go, or all in shades of a scale; and their names."""
    F = front.false_positive_rates
    look: dict[str, Any] = {"s": float(np.clip(9000 / len(drawn), 5, 40)), "linewidth": 0}
    look["rasterized"] = len(drawn) > MANY
    if colour is not None:
        values, words = values_by(front, colour)
        dots = ax.scatter(*F[drawn].T, c=values[drawn], cmap=SCALE, **look)
        return [dots], ["operating points"], add_scale(ax, dots, words)
    into = front.counts.sum(axis=1) - np.diagonal(front.counts, axis1=1, axis2=2)
    worst = into.argmax(axis=1)[drawn]
    groups = [F[drawn][worst == k] for k in range(3)]
    return (
        [ax.scatter(*g.T, color=style(k).colour, marker=style(k).marker, **look) for k, g in enumerate(groups)],
        [f"{abbreviated(name, 20)} ({len(g)})" for name, g in zip(front.classes, groups, strict=True)],
        None,
    )


def _cube(ax: Axes3D, front: Front, F: FloatArray) -> None:
    """From no false positives, at the far corner, to the most there are."""
    ax.view_init(**VIEW)
    ax.set_box_aspect((1, 1, 0.85), zoom=0.9)
    top = float(max(F.max(), 0.05)) * 1.03
    ax.set(xlim=(0, top), ylim=(0, top), zlim=(0, top))
    for set_label, name in zip((ax.set_xlabel, ax.set_ylabel, ax.set_zlabel), front.classes, strict=True):
        set_label(f"false {abbreviated(name, 20)}", fontsize=SMALL, **PLAIN)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_pane_color(PANE)
    ax.tick_params(labelsize=SMALL, pad=0)


def _stems(ax: Axes3D, F: FloatArray) -> Line3DCollection:
    feet = F * (1.0, 1.0, 0.0)
    stems = Line3DCollection(np.stack([feet, F], axis=1), colors=ink(), linewidths=HAIR, alpha=FAINT)
    ax.add_collection3d(stems)
    return stems


def _mark(ax: Axes3D, F: FloatArray, place: int) -> Line3D:
    sign = style(place).marker
    return ax.plot(*F[:, None], sign, color=ink(), markersize=10, mec="white", mew=1.2, zorder=99)[0]


def _head(ax: Axes3D, front: Front, left: int) -> None:
    omitted = f" ({left} no better than chance are left out)" if left else ""
    ax.set_title(
        f"{abbreviated(front.classifier)}: {len(front)} operating points{omitted}", fontsize=TEXT, **PLAIN
    )
