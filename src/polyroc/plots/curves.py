"""Curves (ROC, precision-recall, DET and cost) with bands, fits, hulls and operating points; ROC surfaces."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from textwrap import wrap
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from mpl_toolkits.mplot3d.axes3d import Axes3D

from polyroc.curves.hull import Hull, convex_hull
from polyroc.curves.result import Curve, Curves
from polyroc.curves.surface import Surface
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import level_text
from polyroc.output.sentences import abbreviated, capitalised
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    SHADES,
    add_legend,
    axes_3d_of,
    axes_of,
    mark_point,
    small_size,
    style,
    style_axes,
    style_axes_3d,
    text_colour,
    text_size,
    text_width,
    value_text,
)

__all__ = [
    "EDGE",
    "Place",
    "draw_curve",
    "draw_curves",
    "draw_family",
    "draw_surface",
    "prepare",
]


SIDE = 4.8  # inches
WRAPPED = 48  # letters of a line in the title of a legend
INSIDE, MOST = 6, 20  # a legend with more curves goes beside the axes, and has at most so many
EDGE = 5.0  # normal deviates beyond the axes, for rates of 0 and 1
TICKS = (0.0001, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999)  # rates in a DET plane
CHANCE: dict[str, Any] = {"linewidth": HAIR, "dashes": (4, 3), "alpha": MUTED, "zorder": 1.5}
SURFACE_WIDTH, SURFACE_HEIGHT = 5.6, 5.2  # inches
VIEW = 24.0, 40.0  # elevation and azimuth: from where the surface falls towards the reader


def prepare(ax: Axes, curves: Sequence[Curve]) -> Line2D | None:
    """Make the axes those of the curves' kind; gives the line of chance, None where there is no single one."""
    style_axes(ax, grid="both")
    beside = len(curves) > INSIDE  # the legend is to the right of the axes
    ax.set_anchor("W" if beside else "C")
    kind = curves[0].kind
    across, up = curves[0].axes
    if kind == "det":
        across, up = (name.removesuffix(" (normal deviate)") for name in (across, up))
    ax.set_xlabel(capitalised(across), fontsize=text_size())
    ax.set_ylabel(capitalised(up), fontsize=text_size())
    return PLANES[kind](ax, curves)


def _roc(ax: Axes, _: Sequence[Curve]) -> Line2D:
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    return ax.plot((0, 1), (0, 1), color=text_colour(), **CHANCE)[0]


def _precision_recall(ax: Axes, curves: Sequence[Curve]) -> Line2D | None:
    """Chance is the share of positives; a family of classes has several, so none is drawn."""
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    if len({round(curve.prevalence, 9) for curve in curves}) > 1:
        return None
    return ax.plot((0, 1), (curves[0].prevalence,) * 2, color=text_colour(), **CHANCE)[0]


def _cost(ax: Axes, curves: Sequence[Curve]) -> Line2D:
    """Chance is the better of calling all cases negative and calling all positive; above it is the legend."""
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.01, 0.6 + 0.03 * min(len(curves), 6)))
    ax.set_yticks(np.linspace(0, 0.5, 6))
    return ax.plot((0, 0.5, 1), (0, 0.5, 0), color=text_colour(), **CHANCE)[0]


def _det(ax: Axes, curves: Sequence[Curve]) -> Line2D:
    """Rates at the distance of normal deviates, so that binormal curves are straight."""
    places = [NormalDist().inv_cdf(rate) for rate in TICKS]
    names = [f"{rate:g}" for rate in TICKS]
    for values, set_ticks, set_limits in (
        ([curve.x for curve in curves], ax.set_xticks, ax.set_xlim),
        ([curve.y for curve in curves], ax.set_yticks, ax.set_ylim),
    ):
        set_ticks(places, names)
        set_limits(*_between_ticks(np.concatenate(values), places))
    ax.set_box_aspect(1)
    return ax.plot((-EDGE, EDGE), (EDGE, -EDGE), color=text_colour(), **CHANCE)[0]


def _between_ticks(values: FloatArray, places: Sequence[float]) -> tuple[float, float]:
    """From the tick below the smallest finite value to that above the largest, and at least around one half."""
    finite = [float(value) for value in values if np.isfinite(value)] or [0.0]
    low = max((place for place in places if place <= min(finite)), default=places[0])
    high = min((place for place in places if place >= max(finite)), default=places[-1])
    return min(low, places[3]) - 0.1, max(high, places[5]) + 0.1


PLANES: dict[str, Callable[[Axes, Sequence[Curve]], Line2D | None]] = {
    "roc": _roc,
    "pr": _precision_recall,
    "det": _det,
    "cost": _cost,
}


class Place(Protocol):
    """Whatever has rates: a place on a curve, a rule that reaches a hull."""

    @property
    def fpr(self) -> float:
        """The false positive rate."""

    @property
    def tpr(self) -> float:
        """The true positive rate."""


def draw_curve(curve: Curve, ax: Axes | None = None, **options: Any) -> Picture:
    """One curve; see `draw_curves` for the options."""
    return draw_curves([curve], ax, **options)


def draw_family(family: Curves, ax: Axes | None = None, *, level: float = 0.95, **options: Any) -> Picture:
    """The curves of classifiers, classes, pairs or folds; the measure their areas are parts of is the title."""
    picture = draw_curves(family.curves, ax, level=level, **options)
    if len(family.whole) == 1:
        ((name, whole),) = family.whole.items()
        text = f"{abbreviated(name)}: {whole.name} = {value_text(whole.value, whole.confidence_interval(level))}"
        picture.ax.set_title(text, fontsize=text_size(), loc="left", **PLAIN)
    return picture


def draw_curves(
    curves: Sequence[Curve] | Mapping[str, Curve],
    ax: Axes | None = None,
    *,
    level: float = 0.95,
    band: bool = True,
    fit: bool = True,
    hull: bool = False,
    deviates: bool = False,
    points: Mapping[str, Place] | None = None,
) -> Picture:
    """Curves of one kind on common axes, each from at most a few thousand of its points."""
    names = [*curves] if isinstance(curves, Mapping) else _names(curves)
    curves = [*curves.values()] if isinstance(curves, Mapping) else curves
    wanted = {"A hull is": hull, "Operating points are": points, "Double probability paper is": deviates}
    _check(curves, next((name for name, is_wanted in wanted.items() if is_wanted), None))
    entries = _entries(names, curves, level)
    area = wrap(f"{capitalised(curves[0].area.name)} ({level_text(level)} interval)", WRAPPED)
    wide = max(text_width(text, small_size()) for text in (*area, *entries))
    beside = 1.0 + wide / 72 if len(curves) > INSIDE else 0.0
    ax = axes_of(ax, SIDE + beside, SIDE)
    chance = prepare(ax, curves)
    width = LINE if len(curves) <= MOST else HAIR
    lines = [_draw_line(ax, curve, place, width) for place, curve in enumerate(curves)]
    bands = [_draw_band(ax, curve, place) for place, curve in enumerate(curves) if band and curve.band is not None]
    fits = [_draw_fit(ax, curve) for curve in curves if fit and curve.binormal is not None]
    outer = _draw_hull(ax, convex_hull(curve.vertices for curve in curves)) if hull else None
    if deviates and chance is not None:
        _stretch(ax, chance)
    marked = [mark_point(ax, place.fpr, place.tpr, name, 6) for name, place in (points or {}).items()]
    firsts = {"convex hull": outer, "binormal fit": (*fits, None)[0], _band_name(curves): (*bands, None)[0]}
    firsts["chance"] = chance
    more = {name: artist for name, artist in firsts.items() if artist is not None}
    place = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0)} if beside else {"loc": "best"}
    legend = add_legend(
        ax, [*lines[: len(entries)], *more.values()], [*entries, *more], title="\n".join(area), **place
    )
    dots, texts = tuple(dot for dot, _ in marked), tuple(text for _, text in marked)
    return Picture(
        ax,
        lines=tuple(lines),
        bands=tuple(bands),
        fits=tuple(fits),
        hull=outer,
        points=dots,
        names=texts,
        chance=chance,
        legend=legend,
    )


def _stretch(ax: Axes, chance: Line2D) -> None:
    """Draw rates at the distance of their normal deviates; those of 0 and 1 are beyond the axes."""
    from scipy.special import ndtr, ndtri

    shown = TICKS[2:-2]
    names = [f"{rate:g}" for rate in shown]
    ax.set_xscale("function", functions=(ndtri, ndtr))
    ax.set_yscale("function", functions=(ndtri, ndtr))
    ax.set(xlim=(shown[0], shown[-1]), ylim=(shown[0], shown[-1]))
    ax.set_xticks(shown, names)
    ax.set_yticks(shown, names)
    chance.set_data(shown, shown)


def _check(curves: Sequence[Curve], wanted: str | None) -> None:
    kinds = sorted({curve.kind for curve in curves})
    if len(kinds) != 1:
        raise InputError(f"Curves that are drawn together must be of one kind, got {', '.join(kinds) or 'none'}.")
    if wanted is not None and kinds != ["roc"]:
        raise InputError(f"{wanted} drawn in the ROC plane only, here it is a {kinds[0]} curve.")


def _band_name(curves: Sequence[Curve]) -> str:
    band = next((curve.band for curve in curves if curve.band is not None), None)
    return "" if band is None else f"{level_text(band.level)} band, {band.kind}"


def _draw_line(ax: Axes, curve: Curve, place: int, width: float) -> Line2D:
    """The curve; that of precision in steps, the area under which is the average precision."""
    thin = curve.thinned()
    look: dict[str, Any] = {"color": style(place).colour, "linestyle": style(place).line, "linewidth": width}
    steps = "steps-pre" if curve.kind == "pr" else "default"
    return ax.plot(_inside(thin.x), _inside(thin.y), drawstyle=steps, **look)[0]


def _draw_band(ax: Axes, curve: Curve, place: int) -> PolyCollection:
    band = curve.band
    assert band is not None
    ends = (_inside(band.x), _inside(band.low), _inside(band.high))
    return ax.fill_between(*ends, color=style(place).colour, alpha=0.16, linewidth=0, zorder=1)


def _draw_fit(ax: Axes, curve: Curve) -> Line2D:
    """The smooth curve, drawn where the other is: as another ROC curve of the same cases."""
    fit = curve.binormal
    assert fit is not None
    smooth = replace(curve, fpr=fit.fpr, tpr=fit.tpr, thresholds=np.full(len(fit.fpr), np.nan))
    return ax.plot(_inside(smooth.x), _inside(smooth.y), color=text_colour(), linewidth=HAIR)[0]


def _inside(values: FloatArray) -> FloatArray:
    """Normal deviates of the rates 0 and 1, which are infinite, just beyond the axes."""
    return np.clip(values, -EDGE, EDGE)


def _draw_hull(ax: Axes, hull: Hull) -> Line2D:
    return ax.plot(
        hull.fpr, hull.tpr, ":", color=text_colour(), linewidth=1.2, marker=".", markersize=4, zorder=1.8
    )[0]


def _entries(names: Sequence[str], curves: Sequence[Curve], level: float) -> list[str]:
    """Whose curve it is, and its area; of very many curves only the first, and how many there are."""
    areas = [value_text(float(curve.area), curve.area.confidence_interval(level)) for curve in curves]
    entries = [f"{abbreviated(name, 36)}  {area}" for name, area in zip(names, areas, strict=True)]
    return entries if len(entries) <= MOST else [*entries[: MOST - 1], f"... and {len(entries) - MOST + 1} more"]


def _names(curves: Sequence[Curve]) -> list[str]:
    """Names that distinguish the curves: the classifier, the two classes, or both."""
    problems = [f"{curve.positive} or {curve.negative}" for curve in curves]
    classifiers = [curve.classifier for curve in curves]
    if len(set(problems)) == 1:
        return classifiers
    both = [f"{name}: {problem}" for name, problem in zip(classifiers, problems, strict=True)]
    return problems if len(set(classifiers)) == 1 else both


def draw_surface(surface: Surface, ax: Axes | None = None, *, level: float = 0.95) -> Picture:
    """The correct rate of the second class at given correct rates of the first and the third."""
    axes = axes_3d_of(ax, SURFACE_WIDTH, SURFACE_HEIGHT)
    first, third, second = surface.mesh.corners
    look: dict[str, Any] = {"cmap": SHADES, "vmin": -0.35, "vmax": 1.1, "rcount": 40, "ccount": 40}
    mesh = axes.plot_surface(
        first, third, second, edgecolor=text_colour(), linewidth=HAIR / 4, antialiased=True, **look
    )
    mesh.set_alpha(0.92)
    (chance,) = axes.plot(
        (1, 0, 0, 1), (0, 1, 0, 0), (0, 0, 1, 0), color=text_colour(), linewidth=1.2, linestyle=(0, (4, 3))
    )
    _name_surface(axes, surface)
    volume = value_text(surface.volume.value, surface.volume.confidence_interval(level))
    axes.set_title(
        f"{abbreviated(surface.classifier)}: {surface.volume.name} = {volume}", fontsize=text_size(), **PLAIN
    )
    return Picture(axes, mesh=mesh, chance=chance)


def _name_surface(ax: Axes3D, surface: Surface) -> None:
    """The unit cube seen from where all of the surface shows, with the names of the classes."""
    style_axes_3d(ax, *VIEW, zoom=0.92)
    ax.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1))
    one, two, three = (abbreviated(name, 20) for name in surface.classes)
    ax.set_xlabel(f"correct rate of {one}", fontsize=small_size(), labelpad=6, **PLAIN)
    ax.set_ylabel(f"correct rate of {three}", fontsize=small_size(), labelpad=6, **PLAIN)
    ax.set_zlabel(f"correct rate of {two}", fontsize=small_size(), **PLAIN)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_ticks((0, 0.25, 0.5, 0.75, 1), ("0", "", "0.5", "", "1"))
