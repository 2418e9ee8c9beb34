"""Estimates, their parts and their differences as forest plots."""

from collections.abc import Sequence
from math import isnan

from matplotlib.axes import Axes

from polyroc.estimates.comparison import Comparison
from polyroc.estimates.difference import Difference
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.output.numbers import p_number
from polyroc.plots.forest import ForestPicture, Group, Row, draw_forest
from polyroc.plots.style import Style, capital, ink, shown, style

__all__ = ["draw_comparison", "draw_differences", "draw_estimates", "draw_evaluation", "draw_parts"]


def draw_estimates(
    estimates: Sequence[Estimate], ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """Estimates one below the other, by measure; the dashed line is chance.

    Parameters
    ----------
    estimates
        Of any measures and classifiers.
    ax
        The axes to draw on.
    level
        Of the intervals.
    numbers
        Whether values and intervals are also written, to the right of the axes.
    """
    names = list(dict.fromkeys(each.classifier for each in estimates))
    groups = []
    for measure in dict.fromkeys(each.measure for each in estimates):
        own = [each for each in estimates if each.measure == measure]
        rows = [_row(each, shown(each.classifier), style(names.index(each.classifier)), level) for each in own]
        groups.append(Group(_title(own[0]), own[0].chance, rows))
    scale = "Value"
    if len(groups) == 1:
        scale, groups = groups[0].heading, [groups[0]._replace(heading="")]
    elif len(names) == 1:  # a heading above every single row would be too much
        scale = f"Values of {shown(names[0])}"
        groups = [
            Group("", chance, [row._replace(label=shown(heading, 48)) for row in rows])
            for heading, chance, rows in groups
        ]
    return draw_forest(ax, groups, scale, level=level, numbers=numbers)


def draw_evaluation(
    found: Evaluation, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """All estimates of an evaluation; see `draw_estimates`."""
    return draw_estimates(list(found.estimates.values()), ax, level=level, numbers=numbers)


def draw_comparison(
    found: Comparison, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """The estimates behind a comparison; see `draw_estimates`."""
    return draw_estimates(list(found.estimates.values()), ax, level=level, numbers=numbers)


def draw_parts(
    whole: Estimate, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """The pieces an estimate is made of, and the whole, a diamond, at the foot."""
    rows = [_row(part, shown(key, 40), style(0), level) for key, part in whole.parts.items()]
    total = _row(whole, shown(whole.measure, 40), Style(ink(), "D", "-"), level)
    scale = f"{_title(whole)} of {shown(whole.classifier)}"
    return draw_forest(ax, [Group("", whole.chance, [*rows, total])], scale, level=level, numbers=numbers)


def draw_differences(
    found: Comparison, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """Every pair of a comparison: first minus second, its simultaneous interval and its adjusted p-value.

    A marker is filled where the adjusted p-value is below 1 - level, that is where the interval excludes 0.
    """
    rows = [_difference(each, level) for each in found.differences.values()]
    adjusted = found.adjustment is not None and len(rows) > 1
    heading = f"p ({found.adjustment})" if adjusted else "p"
    scale = f"Difference in {next(iter(found.estimates.values())).name}"
    groups = [Group("", 0.0, rows)]
    return draw_forest(ax, groups, scale, level=level, numbers=numbers, p_heading=heading)


def _row(estimate: Estimate, label: str, look: Style, level: float) -> Row:
    return Row(label, estimate.value, estimate.confidence_interval(level), look)


def _difference(found: Difference, level: float) -> Row:
    label = f"{shown(found.first, 22)} \N{MINUS SIGN} {shown(found.second, 22)}"
    pvalue = "none" if isnan(found.adjusted_pvalue) else p_number(found.adjusted_pvalue)
    sure = found.adjusted_pvalue < 1 - level
    return Row(label, found.value, found.simultaneous_interval(level), style(0), sure, pvalue)


def _title(estimate: Estimate) -> str:
    """The measure in words, with the options it was told."""
    _, bracket, told = estimate.measure.partition("(")
    return f"{capital(estimate.name)}{' ' if bracket else ''}{bracket}{told}"
