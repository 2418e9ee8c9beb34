"""Decisions: confusion rates as a matrix, thresholds, decision curves, and regions over two features."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.patches import Patch, Rectangle

from polyroc.decisions.decision_curve import DecisionCurve
from polyroc.decisions.operating_point import OperatingPoint
from polyroc.decisions.rate_matrix import Rates
from polyroc.decisions.rates import scored_cases
from polyroc.decisions.regions import DecisionRegions
from polyroc.errors import InputError
from polyroc.output.numbers import level_text, signed_text
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
    enlarge_dots,
    small_size,
    style,
    style_axes,
    text_colour,
    text_size,
)

__all__ = [
    "draw_benefit_differences",
    "draw_decision_curve",
    "draw_operating_point",
    "draw_rates",
    "draw_regions",
    "draw_thresholds",
]

CURVE_WIDTH, CURVE_HEIGHT = 6.0, 4.2  # inches
FEW = 10  # thresholds that are marked one by one
BELOW = 0.15  # how far the axis goes below zero, as a share of how far it goes above
REGIONS_WIDTH, REGIONS_HEIGHT = 6.0, 5.0  # inches
PALE = 0.72  # share of white in the colour of a region
MANY = 2000  # cases from which a picture holds them as pixels, not as shapes
LISTED_CLASSES = 20  # classes in the legend
SCORES_WIDTH, ROW_HEIGHT = 6.4, 0.75  # inches
MOST_BINS, FEWEST_BINS = 60, 8  # of the scores of a class
FULL = 0.82  # height of the highest bar of a class, whose row has height 1


def draw_rates(rates: Rates, ax: Axes | None = None, *, level: float = 0.95) -> Picture:
    """The share of each class (row) that is called each class (column), with its interval where there is room."""
    intervals = [
        [
            " to ".join(signed_text(end, 2) for end in rates[true, decision].confidence_interval(level))
            for decision in rates.classes
        ]
        for true in rates.classes
    ]
    picture = draw_matrix(
        ax,
        rates.rates,
        rates.classes,
        label="share of the true class",
        shades=(0.0, 1.0),
        colours=SHADES,
        below=intervals,
    )
    picture.ax.set_ylabel("true class", fontsize=text_size())
    picture.ax.set_xlabel("decision", fontsize=text_size())
    title = f"{abbreviated(rates.classifier)}: rates and {level_text(level)} intervals"
    picture.ax.set_title(title, fontsize=text_size(), loc="left", **PLAIN)
    return picture


def draw_operating_point(point: OperatingPoint, ax: Axes | None = None, *, level: float = 0.95) -> Picture:
    """The confusion rates of the rule that was chosen; see `draw_rates`.

    On a ROC curve it is drawn by `plot(curve, points={"chosen": operating_point})`, and its thresholds among the
    scores by `plot(operating_point, kind="scores", scores=scores)`.
    """
    picture = draw_rates(point.confusion, ax, level=level)
    picture.ax.set_title(
        abbreviated(f"{point.confusion.classifier}: {point.aim}", 60), fontsize=text_size(), loc="left", **PLAIN
    )
    return picture


def draw_thresholds(point: OperatingPoint, ax: Axes | None = None, *, scores: Any, level: float = 0.95) -> Picture:
    """The scores of each class in a row of its own, the thresholds across, and their intervals as bands."""
    classes = point.confusion.classes
    values, truth, decisions = scored_cases(point.rule, scores, point.confusion.classifier)
    ax = axes_of(ax, SCORES_WIDTH, 1.4 + ROW_HEIGHT * len(classes))
    style_axes(ax)
    finite = [threshold for threshold in point.thresholds if np.isfinite(threshold)]
    edges = _bin_edges(values, finite)
    bars = []
    for k in range(len(classes)):
        counts = [np.histogram(values[(truth == k) & (decisions == m)], edges)[0] for m in range(len(classes))]
        highest = max(1, int(np.max(np.sum(counts, axis=0))))
        for m, of_decision in enumerate(counts):
            if of_decision.any():
                heights = FULL * of_decision / highest
                bars.append(
                    ax.bar(edges[:-1], heights, np.diff(edges), bottom=k, align="edge", color=style(m).colour)
                )
    lines = [ax.axvline(t, color=text_colour(), linewidth=LINE, linestyle=(0, (4, 2))) for t in finite]
    bands = []
    if point.uncertainty is not None:
        bands = _threshold_bands(ax, point, level, edges)
    ax.set(xlim=(edges[0], edges[-1]), ylim=(-0.08, len(classes)))
    ax.set_yticks([k + FULL / 2 for k in range(len(classes))], [abbreviated(name) for name in classes], **PLAIN)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(abbreviated(point.confusion.classifier, 40), fontsize=text_size(), **PLAIN)
    ax.set_ylabel("true class", fontsize=text_size())
    ax.set_title(abbreviated(point.aim, 80), fontsize=text_size(), loc="left", **PLAIN)
    patches = [Patch(color=style(m).colour) for m in range(min(len(classes), LISTED_CLASSES))]
    names = [abbreviated(f"decided {name}") for name in classes[:LISTED_CLASSES]]
    entries = [*patches, *lines[:1], *bands[:1]]
    names += ["threshold"] * bool(lines) + [f"{level_text(level)} interval"] * bool(bands)
    legend = add_legend(ax, entries, names, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return Picture(ax, bars=tuple(bars), lines=tuple(lines), bands=tuple(bands), legend=legend)


def _bin_edges(values: Any, thresholds: list[float]) -> Any:
    """Edges of bins, of which one is at each threshold, so that no bar contains two decisions."""
    low, high = float(values.min()), float(values.max())
    bins = int(np.clip(np.sqrt(len(values)), FEWEST_BINS, MOST_BINS))
    edges = np.linspace(low, high if high > low else low + 1.0, bins + 1)
    for threshold in thresholds:
        if low < threshold < high:
            edges[1 + np.abs(edges[1:-1] - threshold).argmin()] = threshold
    edges[-1] = np.nextafter(max(edges[-1], high), np.inf)  # the last bin contains the highest score
    return np.unique(edges)


def _threshold_bands(ax: Axes, point: OperatingPoint, level: float, edges: Any) -> list[Rectangle]:
    """The intervals, cut at the edges of the picture where they are infinite."""
    ends = [np.clip(interval, edges[0], edges[-1]) for interval in point.threshold_intervals(level)]
    return [ax.axvspan(*pair, color=text_colour(), alpha=0.12, linewidth=0, zorder=0) for pair in ends]


def draw_decision_curve(
    decision_curve: DecisionCurve, ax: Axes | None = None, *, level: float = 0.95, band: bool = True
) -> Picture:
    """Net benefit by threshold; a rule is worth having where it is above both acting on all and acting on none."""
    ax = axes_of(ax, CURVE_WIDTH, CURVE_HEIGHT)
    style_axes(ax, grid="both")
    t = decision_curve.thresholds
    marked = len(t) <= FEW
    lines, bands = [], []
    for place, curve in enumerate(decision_curve.curves.values()):
        colour, marker, line = style(place)
        sign = marker if marked else "none"
        lines += ax.plot(t, curve.value, color=colour, linestyle=line, linewidth=LINE, marker=sign, markersize=5)
        if band:
            ends = curve.confidence_interval(level)
            bands.append(ax.fill_between(t, *ends, color=colour, alpha=0.16, linewidth=0, zorder=1))
    (treat_all,) = ax.plot(t, decision_curve.treat_all.value, color=text_colour(), alpha=MUTED, linewidth=1.0)
    (treat_none,) = ax.plot(
        t, decision_curve.treat_none, color=text_colour(), alpha=MUTED, linewidth=1.0, dashes=(4, 3)
    )
    _limit(ax, decision_curve)
    names = [*(abbreviated(name, 40) for name in decision_curve.curves), "treat all", "treat none"]
    title = f"{level_text(level)} band, pointwise" if bands else None
    legend = add_legend(ax, [*lines, treat_all, treat_none], names, loc="best", title=title)
    return Picture(
        ax, lines=tuple(lines), bands=tuple(bands), treat_all=treat_all, treat_none=treat_none, legend=legend
    )


def draw_benefit_differences(
    decision_curve: DecisionCurve, ax: Axes | None = None, *, level: float | None = None, band: bool = True
) -> Picture:
    """Differences of net benefit between classifiers: a band that excludes 0 shows where one is better."""
    differences = decision_curve.differences or {}
    own = next(iter(differences.values())).simultaneous.level
    if level is not None and level != own:
        raise InputError(f"The bands of these differences have the level {own:g}; pass level to decision_curve.")
    ax = axes_of(ax, CURVE_WIDTH, CURVE_HEIGHT)
    style_axes(ax, grid="both")
    t = decision_curve.thresholds
    ax.axhline(0.0, color=text_colour(), alpha=MUTED, linewidth=1.0)
    lines, bands = [], []
    for place, difference in enumerate(differences.values()):
        colour, marker, line = style(place)
        sign = marker if len(t) <= FEW else "none"
        options: dict[str, Any] = {"color": colour, "linewidth": LINE, "marker": sign, "markersize": 5}
        lines += ax.plot(t, difference.value, linestyle=line, **options)
        shown = (difference.simultaneous, difference.pointwise)[: 2 if len(differences) == 1 else 1]
        bands += [
            ax.fill_between(t, limits.low, limits.high, color=colour, alpha=0.16, linewidth=0, zorder=1)
            for limits in (shown if band else ())
        ]
    ax.set(xlim=(0.0 if t[0] < 0.1 else t[0] - 0.02, t[-1] + 0.02))
    _zoom(ax, decision_curve)
    ax.set_xlabel("Probability from which one acts", fontsize=text_size())
    ax.set_ylabel("Difference of net benefit", fontsize=text_size())
    kinds = "pointwise (darker) and simultaneous" if len(differences) == 1 else "simultaneous"
    names = [f"{abbreviated(first, 30)} - {abbreviated(second, 30)}" for first, second in differences]
    title = f"{level_text(own)} bands, {kinds}" if bands else None
    return Picture(
        ax, lines=tuple(lines), bands=tuple(bands), legend=add_legend(ax, lines, names, loc="best", title=title)
    )


def _zoom(ax: Axes, decision_curve: DecisionCurve) -> None:
    """Show the differences, and their bands where these are not much wider: at high thresholds they widen."""
    differences = (decision_curve.differences or {}).values()
    largest = max(float(np.abs(difference.value).max()) for difference in differences)
    widths = [difference.simultaneous.high - difference.simultaneous.low for difference in differences]
    reach = largest + 1.5 * float(np.median(np.concatenate(widths)))
    ax.set_ylim(-reach, reach)


def _limit(ax: Axes, decision_curve: DecisionCurve) -> None:
    """What matters is above zero; acting on all falls without end below it."""
    tops = [
        float(np.nanmax(curve.value, initial=0.0))
        for curve in (decision_curve.treat_all, *decision_curve.curves.values())
    ]
    top = 1.1 * max(tops) or 0.1
    low, high = float(min(decision_curve.thresholds)), float(max(decision_curve.thresholds))
    ax.set(xlim=(0.0 if low < 0.1 else low - 0.02, high + 0.02), ylim=(-BELOW * top, top))
    ax.set_xlabel("Probability from which one acts", fontsize=text_size())
    ax.set_ylabel("Net benefit", fontsize=text_size())


def draw_regions(regions: DecisionRegions, ax: Axes | None = None) -> Picture:
    """What is decided where, in pale colours, and the cases with the markers of their true classes.

    This is figure 1 of Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927.
    """
    ax = axes_of(ax, REGIONS_WIDTH, REGIONS_HEIGHT)
    style_axes(ax)
    classes = range(len(regions.classes))
    pale = ListedColormap([_pale(style(k).colour) for k in classes])
    mesh = ax.pcolormesh(
        regions.across, regions.up, regions.regions, cmap=pale, shading="nearest", rasterized=True
    )
    mesh.set_clim(-0.5, len(classes) - 0.5)
    for k in classes:
        here = regions.regions == k
        if here.any() and not here.all():
            ax.contour(regions.across, regions.up, here, [0.5], colors=text_colour(), linewidths=HAIR)
    right, wrong = zip(*(_cases(ax, regions, k) for k in classes), strict=True)
    ax.set(xlim=regions.across[[0, -1]], ylim=regions.up[[0, -1]])
    ax.set_xlabel(abbreviated(regions.features[0], 40), fontsize=text_size(), **PLAIN)
    ax.set_ylabel(abbreviated(regions.features[1], 40), fontsize=text_size(), **PLAIN)
    title = f"{regions.errors} of {len(regions.truth)} cases decided wrongly (open)"
    names = [abbreviated(name) for name in regions.classes[:LISTED_CLASSES]]
    beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    legend = add_legend(ax, right[:LISTED_CLASSES], names, **beside)
    enlarge_dots(legend, 28)
    ax.set_title(title, fontsize=small_size(), loc="left")
    return Picture(ax, mesh=mesh, right=right, wrong=wrong, legend=legend)


def _pale(colour: str) -> tuple[float, ...]:
    return tuple(PALE + (1 - PALE) * part for part in to_rgb(colour))


def _cases(ax: Axes, regions: DecisionRegions, k: int) -> tuple[PathCollection, PathCollection]:
    """The cases of a class: filled, and open where the decision is wrong."""
    colour, marker, _ = style(k)
    n = len(regions.truth)
    look: dict[str, Any] = {"marker": marker, "s": float(np.clip(6000 / n, 5, 30)), "rasterized": n > MANY}
    rim, edge = (0.4, 1.1) if n <= MANY else (0.0, 0.6)
    mine, hit = regions.truth == k, regions.truth == regions.decisions
    right = ax.scatter(*regions.cases[mine & hit].T, color=colour, edgecolor="white", linewidth=rim, **look)
    wrong = ax.scatter(*regions.cases[mine & ~hit].T, facecolor="white", edgecolor=colour, linewidth=edge, **look)
    return right, wrong
