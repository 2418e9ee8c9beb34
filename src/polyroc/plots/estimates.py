"""Estimates, their parts and differences as forest plots; pairs of classes as a matrix, volumes as bars."""

from collections.abc import Sequence
from math import floor

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation

from polyroc.errors import NotApplicableError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import level_text, signed_text
from polyroc.output.sentences import abbreviated, capitalised
from polyroc.plots.forest import Group, Row, add_column, difference_row, draw_forest
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
    axes_of,
    small_size,
    style,
    style_axes,
    text_colour,
    text_size,
    value_text,
)

__all__ = [
    "draw_comparison",
    "draw_differences",
    "draw_estimates",
    "draw_evaluation",
    "draw_pairs",
    "draw_parts",
    "draw_volumes",
    "has_pairs",
    "has_volumes",
    "shades_of",
]

WIDE_TITLE = 32  # characters, from which a title above a matrix of few classes is smaller
MOST_VOLUMES = 24  # bars
VOLUMES_WIDTH, VOLUME_HEIGHT, VOLUMES_MARGIN = 7.0, 0.3, 1.1  # inches: the figure, a bar, above and below


def draw_estimates(
    estimates: Sequence[Estimate], ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> Picture:
    """Estimates one below the other, by measure; the dashed line is chance."""
    names = list(dict.fromkeys(estimate.classifier for estimate in estimates))
    groups = []
    for measure in dict.fromkeys(estimate.measure for estimate in estimates):
        own = [estimate for estimate in estimates if estimate.measure == measure]
        rows = [
            _row(estimate, abbreviated(estimate.classifier), style(names.index(estimate.classifier)), level)
            for estimate in own
        ]
        groups.append(Group(_title(own[0]), own[0].chance, rows))
    scale = "Value"
    if len(groups) == 1:
        scale, groups = groups[0].heading, [groups[0]._replace(heading="")]
    elif len(names) == 1:  # a heading above every single row would be too much
        scale = f"Values of {abbreviated(names[0])}"
        groups = [
            Group("", group.reference, [row._replace(label=abbreviated(group.heading, 48)) for row in group.rows])
            for group in groups
        ]
    return draw_forest(ax, groups, scale, level=level, numbers=numbers)


def draw_evaluation(
    evaluation: Evaluation, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> Picture:
    """All estimates of an evaluation; see `draw_estimates`."""
    return draw_estimates(list(evaluation.estimates.values()), ax, level=level, numbers=numbers)


def draw_comparison(
    comparison: Comparison, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> Picture:
    """The estimates behind a comparison; see `draw_estimates`."""
    return draw_estimates(list(comparison.estimates.values()), ax, level=level, numbers=numbers)


def draw_parts(whole: Estimate, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True) -> Picture:
    """The parts of an estimate, and the whole, a diamond, at the bottom."""
    rows = [_row(part, abbreviated(key, 40), style(0), level) for key, part in whole.parts.items()]
    total = _row(whole, abbreviated(whole.measure, 40), Style(text_colour(), "D", "-"), level)
    scale = f"{_title(whole)} of {abbreviated(whole.classifier)}"
    return draw_forest(ax, [Group("", whole.chance, [*rows, total])], scale, level=level, numbers=numbers)


def draw_differences(
    comparison: Comparison, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> Picture:
    """Every pair of a comparison: first minus second, its adjusted interval and p-value.

    A marker is filled where the adjusted p-value is below 1 - level.
    """
    rows = [
        difference_row(pair, pair.value, pair.adjusted_interval(level), level)
        for pair in comparison.differences.values()
    ]
    heading = f"p ({comparison.adjustment})" if comparison.is_adjusted else "p"
    kind = next(iter(comparison.differences.values())).interval_kind if comparison.is_adjusted else ""
    scale = f"Difference in {next(iter(comparison.estimates.values())).name}"
    groups = [Group("", 0.0, rows)]
    return draw_forest(ax, groups, scale, level=level, numbers=numbers, p_heading=heading, kind=kind)


def _row(estimate: Estimate, label: str, look: Style, level: float) -> Row:
    return Row(label, estimate.value, estimate.confidence_interval(level), look)


def _title(estimate: Estimate) -> str:
    """The name of the measure, with its options."""
    _, bracket, options = estimate.measure.partition("(")
    return f"{capitalised(estimate.name)}{' ' if bracket else ''}{bracket}{options}"


def has_volumes(estimate: Estimate) -> bool:
    """Whether its parts are the orders of the classes."""
    return "<".join(estimate.provenance.cases) in estimate.parts


def draw_volumes(
    estimate: Estimate, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> Picture:
    """The volume of every order of the classes, with its interval; the dashed line is chance, one in c!.

    Of more than 24 orders (five classes or more) the largest 24 are drawn.
    """
    if not has_volumes(estimate):
        raise NotApplicableError(
            f"{estimate.measure} has no parts for the orders of the classes; draw an estimate of scurfield."
        )
    parts = [*estimate.parts.items()]
    if len(parts) > MOST_VOLUMES:
        parts = sorted(parts, key=lambda part: -part[1].value)[:MOST_VOLUMES]
    limits = [part.confidence_interval(level) for _, part in parts]
    ax = axes_of(ax, VOLUMES_WIDTH, VOLUMES_MARGIN + VOLUME_HEIGHT * len(parts))
    _name_orders(ax, estimate, [key for key, _ in parts])
    bars = ax.barh(range(len(parts)), [part.value for _, part in parts], height=0.62, color=COLOURS[4])
    intervals = tuple(
        ax.plot(ends, (y, y), color=text_colour(), linewidth=LINE, marker="|", markersize=6)[0]
        for y, ends in enumerate(limits)
    )
    chance = ax.axvline(1 / len(estimate.parts), color=text_colour(), alpha=MUTED, linewidth=HAIR, dashes=(4, 3))
    ax.set_xlim(left=0)
    written: tuple[Annotation, ...] = ()
    if numbers:
        texts = {
            y: value_text(part.value, ends, unit=part.unit)
            for y, ((_, part), ends) in enumerate(zip(parts, limits, strict=True))
        }
        written = add_column(ax, f"volume ({level_text(level)} interval)", texts)
    return Picture(ax, bars=bars, intervals=intervals, numbers=written, chance=chance)


def _name_orders(ax: Axes, estimate: Estimate, orders: Sequence[str]) -> None:
    """The axes with their names, before there is anything on them."""
    style_axes(ax, grid="x")
    ax.set_ylim(len(orders) - 0.4, -0.6)
    names = [" < ".join(abbreviated(name, 14) for name in order.split("<")) for order in orders]
    ax.set_yticks(range(len(orders)), names, fontsize=small_size(), **PLAIN)
    ax.tick_params(axis="y", length=0)
    total = len(estimate.parts)
    some = f", the largest {MOST_VOLUMES} of {total}" if total > MOST_VOLUMES else ""
    ax.set_xlabel(f"Volume of each order of the classes{some} (dashed: chance, 1/{total})", fontsize=text_size())
    title = (
        f"{abbreviated(estimate.classifier)}: {estimate.name} = {signed_text(estimate.value, unit=estimate.unit)}"
    )
    ax.set_title(title, fontsize=text_size(), loc="left", pad=16, **PLAIN)


def has_pairs(estimate: Estimate) -> bool:
    """Whether its parts are ordered pairs of classes, as those of Hand & Till's M are."""
    first, second = [*estimate.provenance.cases][:2]
    return f"{_letter(estimate)}({first}|{second})" in estimate.parts


def _letter(estimate: Estimate) -> str:
    return next(iter(estimate.parts), " ")[0]


def draw_pairs(
    estimate: Estimate, ax: Axes | None = None, *, shades: tuple[float, float] | None = None
) -> Picture:
    """A(i|j) in row i and column j: how well the probabilities of class i tell it from class j.

    Dark cells are pairs that are hard to tell apart.
    """
    if not has_pairs(estimate):
        raise NotApplicableError(
            f"{estimate.measure} has no parts A(i|j) for pairs of classes; draw an estimate of hand_till."
        )
    classes = [*estimate.provenance.cases]
    ends = shades_of([estimate]) if shades is None else shades
    picture = draw_matrix(
        ax, _areas(estimate), classes, label=f"{_letter(estimate)}(i|j)", shades=ends, colours=f"{SHADES}_r"
    )
    picture.ax.set_ylabel("class i", fontsize=text_size())
    picture.ax.set_xlabel("class j", fontsize=text_size())
    title = (
        f"{abbreviated(estimate.classifier)}: {estimate.name} = {signed_text(estimate.value, unit=estimate.unit)}"
    )
    size = text_size() if len(title) < WIDE_TITLE else small_size()
    picture.ax.set_title(title, fontsize=size, loc="left", **PLAIN)
    return picture


def shades_of(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """Round ends of a scale for all pairs of these estimates."""
    areas = [float(value) for estimate in estimates for value in _areas(estimate).flat if not np.isnan(value)]
    return min([0.9, *(floor(20 * value) / 20 for value in areas)]), 1.0


def _areas(estimate: Estimate) -> FloatArray:
    letter, classes = _letter(estimate), [*estimate.provenance.cases]
    values = np.full((len(classes), len(classes)), np.nan)
    for i, first in enumerate(classes):
        for j, second in enumerate(classes):
            if i != j:
                values[i, j] = estimate.parts[f"{letter}({first}|{second})"].value
    return values
