"""Operating points of a front by their error rates: three classes in space, any number on parallel axes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colorbar import Colorbar
from matplotlib.lines import Line2D
from mpl_toolkits.mplot3d.art3d import Line3D, Line3DCollection
from mpl_toolkits.mplot3d.axes3d import Axes3D

from polyroc.decisions.operating_point import OperatingPoint
from polyroc.errors import InputError, NotApplicableError
from polyroc.fronts.result import Front
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.output.sentences import abbreviated
from polyroc.plots.fronts import rates_at
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    COLOURS,
    FAINT,
    HAIR,
    MUTED,
    PLAIN,
    add_legend,
    add_scale,
    axes_3d_of,
    axes_of,
    enlarge_dots,
    small_size,
    style,
    style_axes,
    style_axes_3d,
    text_colour,
    text_size,
    text_width,
)

__all__ = ["Colour", "draw_false_positives", "draw_parallel"]


SCALE = "cividis"  # from dark to light, the same to colour-blind readers
SCALE_PLACE = {"shrink": 0.7, "pad": 0.04}
MANY = 2000  # points, or lines, from which a picture holds them as pixels, not as shapes
CUBE_WIDTH, CUBE_HEIGHT = 6.0, 5.4  # inches
VIEW = 22.0, 45.0  # elevation and azimuth: from the side of many errors, so that the nearer points are the worse
ROUNDING = 1e-9  # a point of random allocation is one, whichever way its rates were rounded
STEMS = 60  # points, at most, that stand on the floor
AXIS, AROUND, NARROWEST, WIDEST, HEIGHT = 0.7, 1.2, 5.6, 17.0, 4.2  # inches of the parallel axes
IN_A_ROW = 3  # entries of the legend

Colour = tuple[Any, Any] | str | None


def _values_by(front: Front, shade_by: Colour) -> tuple[FloatArray, str]:
    """One number for each point, and the label of their scale."""
    if isinstance(shade_by, tuple) and len(shade_by) == 2:
        k, m = (_position(front, label) for label in shade_by)
        true, decision = (abbreviated(front.classes[place], 20) for place in (k, m))
        return front.rates[:, k, m], f"{true} called {decision}"
    if shade_by == "generation" and front.generation is not None:
        return front.generation.astype(np.float64), "generation found"
    raise InputError(
        f"shade_by must be an error (true, decision) or, of a front that evolved, 'generation'; got {shade_by!r}."
    )


def _position(front: Front, label: Any) -> int:
    """The place of a class among those of the front, by its label or by how that is printed."""
    for spelling in (str(label), repr(label)):
        if spelling in front.classes:
            return front.classes.index(spelling)
    raise InputError(f"shade_by names {label!r}, which is not one of the classes {', '.join(front.classes)}.")


def draw_false_positives(
    front: Front,
    ax: Axes | None = None,
    *,
    points: Mapping[str, int | OperatingPoint] | None = None,
    shade_by: Colour = None,
    beyond: bool = False,
) -> Picture:
    """Each operating point of three classes at its three false positive rates (Everson & Fieldsend, figure 2).

    The false positive rate of a class adds up the shares of the two others that are called it. Six rates are seen
    as three, so the points do not form a surface, but they lie near one.
    """
    if len(front.classes) != 3:
        raise NotApplicableError(
            f"False positive rates are drawn for three classes, here are {len(front.classes)}; kind='parallel' is "
            "for any number."
        )
    axes = axes_3d_of(ax, CUBE_WIDTH, CUBE_HEIGHT)
    F = front.false_positive_rates
    better = np.flatnonzero(F.sum(axis=1) < 2.0 - ROUNDING)
    drawn = np.arange(len(F)) if beyond or not len(better) else better
    places = [_false_positives(rates_at(front, place)) for place in (points or {}).values()]
    _cube(axes, front, np.stack([*F[drawn], *places]))
    stems = _stems(axes, F[drawn]) if len(drawn) <= STEMS else None
    dots, names, scale = _dots(axes, front, drawn, shade_by)
    chosen = [_mark_dot(axes, place, i) for i, place in enumerate(places)]
    names += [abbreviated(name) for name in points or {}]
    legend = add_legend(axes, [*dots, *chosen], names, loc="upper left", bbox_to_anchor=(0.0, 0.98))
    if shade_by is None:
        legend.set_title("most errors go to")
    enlarge_dots(legend, 24)
    _head(axes, front, len(F) - len(drawn))
    return Picture(axes, dots=tuple(dots), stems=stems, points=tuple(chosen), legend=legend, scale=scale)


def _false_positives(rates: FloatArray) -> FloatArray:
    return np.asarray(rates.sum(axis=0) - np.diagonal(rates))


def _dots(
    ax: Axes3D, front: Front, drawn: IntArray, shade_by: Colour
) -> tuple[list[PathCollection], list[str], Colorbar | None]:
    """The points by the class into which most errors go, or all in shades of a scale; and their names."""
    F = front.false_positive_rates
    look: dict[str, Any] = {"s": float(np.clip(9000 / len(drawn), 5, 40)), "linewidth": 0}
    look["rasterized"] = len(drawn) > MANY
    if shade_by is not None:
        values, label = _values_by(front, shade_by)
        dots = ax.scatter(*F[drawn].T, c=values[drawn], cmap=SCALE, **look)
        return [dots], ["operating points"], add_scale(ax, dots, label, **SCALE_PLACE)
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
    style_axes_3d(ax, *VIEW, zoom=0.9)
    top = float(max(F.max(), 0.05)) * 1.03
    ax.set(xlim=(0, top), ylim=(0, top), zlim=(0, top))
    # the ends of two axes meet in the nearest corner, where their last numbers would be written over one another
    ax.set_yticks([tick for tick in ax.get_yticks() if tick < 0.97 * top])
    for set_label, name in zip((ax.set_xlabel, ax.set_ylabel, ax.set_zlabel), front.classes, strict=True):
        set_label(f"false {abbreviated(name, 20)}", fontsize=small_size(), **PLAIN)


def _stems(ax: Axes3D, F: FloatArray) -> Line3DCollection:
    feet = F * (1.0, 1.0, 0.0)
    stems = Line3DCollection(np.stack([feet, F], axis=1), colors=text_colour(), linewidths=HAIR, alpha=FAINT)
    ax.add_collection3d(stems)
    return stems


def _mark_dot(ax: Axes3D, F: FloatArray, place: int) -> Line3D:
    sign = style(place).marker
    return ax.plot(*F[:, None], sign, color=text_colour(), markersize=10, mec="white", mew=1.2, zorder=99)[0]


def _head(ax: Axes3D, front: Front, left: int) -> None:
    omitted = f" ({left} no better than chance are left out)" if left else ""
    ax.set_title(
        f"{abbreviated(front.classifier)}: {len(front)} operating points{omitted}", fontsize=text_size(), **PLAIN
    )


def draw_parallel(
    front: Front,
    ax: Axes | None = None,
    *,
    points: Mapping[str, int | OperatingPoint] | None = None,
    shade_by: Colour = None,
) -> Picture:
    """Every operating point as a line over the Q(Q - 1) error rates, grouped by true class; low is good."""
    c = len(front.classes)
    errors = ~np.eye(c, dtype=bool)
    places = [rates_at(front, place)[errors] for place in (points or {}).values()]
    width = float(np.clip(AROUND + AXIS * c * (c - 1), NARROWEST, WIDEST))
    ax = axes_of(ax, width + (shade_by is not None), HEIGHT)
    style_axes(ax, grid="y")
    rates = front.rates[:, errors]
    x = _across(c)
    lines, scale = _lines(ax, front, np.stack(np.broadcast_arrays(x, rates), axis=2), shade_by)
    chosen = [_mark_line(ax, x, place, i) for i, place in enumerate(places)]
    top = max(float(drawn.max()) for drawn in (rates, *places))
    ax.set(xlim=(x[0] - 0.3, x[-1] + 0.3), ylim=(-0.01, max(0.1, 1.03 * top)))
    _name_axes(ax, front, x)
    names = [f"{len(front)} operating points", *(abbreviated(name) for name in points or {})]
    above = 8 + 14 * -(-len(names) // IN_A_ROW)
    ax.set_title(abbreviated(front.classifier, 60), fontsize=text_size(), loc="left", pad=above, **PLAIN)
    key = Line2D([], [], color=COLOURS[0] if scale is None else text_colour(), linewidth=HAIR)
    legend = add_legend(ax, [key, *chosen], names, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=IN_A_ROW)
    return Picture(ax, lines=lines, points=tuple(chosen), legend=legend, scale=scale)


def _across(classes: int) -> Any:
    """Where the errors are drawn: side by side, with a gap between true classes."""
    errors = np.arange(classes * (classes - 1))
    return errors + 0.35 * (errors // (classes - 1))


def _lines(ax: Axes, front: Front, paths: Any, shade_by: Colour) -> tuple[LineCollection, Colorbar | None]:
    """Fainter, the more there are."""
    n = len(paths)
    look: dict[str, Any] = {
        "linewidths": HAIR,
        "alpha": float(np.clip(60 / n, 0.008, 0.8)),
        "rasterized": n > MANY,
    }
    if shade_by is None:
        lines = LineCollection(paths, colors=COLOURS[0], **look)
    else:
        values, label = _values_by(front, shade_by)
        lines = LineCollection(paths, array=values, cmap=SCALE, **look)
    ax.add_collection(lines)
    if shade_by is None:
        return lines, None
    scale = add_scale(ax, lines, label, **SCALE_PLACE)
    if scale.solids is not None:
        scale.solids.set_alpha(1.0)
    return lines, scale


def _mark_line(ax: Axes, x: Any, rates: Any, place: int) -> Line2D:
    _, marker, line = style(place)
    colour = text_colour() if place == 0 else style(place).colour
    return ax.plot(x, rates, color=colour, linestyle=line, linewidth=2.0, marker=marker, markersize=5, zorder=4)[0]


def _name_axes(ax: Axes, front: Front, x: Any) -> None:
    """Below each axis the decision, below each group the true class."""
    c = len(front.classes)
    decisions = [abbreviated(name, 14) for k in range(c) for m, name in enumerate(front.classes) if m != k]
    cell = ax.get_window_extent().width / ax.figure.dpi * 72 / (x[-1] + 0.6)
    upright = max(text_width(text, small_size()) for text in decisions) > 0.9 * cell
    ax.set_xticks(
        x, decisions, fontsize=min(small_size(), max(4.5, 0.75 * cell)), rotation=90 if upright else 0, **PLAIN
    )
    ax.tick_params(axis="x", length=0)
    for place in x:
        ax.axvline(place, color=text_colour(), alpha=MUTED / 3, linewidth=HAIR, zorder=0.5)
    below = max(text_width(text, small_size()) for text in decisions) if upright else small_size()
    for k, name in enumerate(front.classes):
        middle = float(x[k * (c - 1) : (k + 1) * (c - 1)].mean())
        ax.annotate(
            abbreviated(name, 18),
            (middle, 0),
            (0, -below - 12),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=small_size(),
            weight="bold",
            **PLAIN,
        )
    ax.set_ylabel("Share of the true class (bold) that is called another", fontsize=small_size())
