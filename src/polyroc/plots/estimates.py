"""Estimates, their parts and their differences as forest plots."""

from collections.abc import Sequence
from math import isnan

from matplotlib.axes import Axes

from polyroc.estimates.comparison import Comparison
from polyroc.estimates.difference import Difference
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.output.names import abbreviated
from polyroc.output.numbers import p_number
from polyroc.output.sentences import capitalised
from polyroc.plots.forest import ForestPicture, Group, Row, draw_forest
from polyroc.plots.style import Style, ink, style

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
    for measure in dict.fromkeys(estimate.measure for estimate in estimates):
        own = [each for each in estimates if each.measure == measure]
        rows = [
            _row(each, abbreviated(each.classifier), style(names.index(each.classifier)), level) for each in own
        ]
        groups.append(Group(_title(own[0]), own[0].chance, rows))
    scale = "Value"
    if len(groups) == 1:
        scale, groups = groups[0].heading, [groups[0]._replace(heading="")]
    elif len(names) == 1:  # a heading above every single row would be too much
        scale = f"Values of {abbreviated(names[0])}"
        groups = [
            Group("", chance, [row._replace(label=abbreviated(heading, 48)) for row in rows])
            for heading, chance, rows in groups
        ]
    return draw_forest(ax, groups, scale, level=level, numbers=numbers)


def draw_evaluation(
    evaluation: Evaluation, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """All estimates of an evaluation; see `draw_estimates`."""
    return draw_estimates(list(evaluation.estimates.values()), ax, level=level, numbers=numbers)


def draw_comparison(
    comparison: Comparison, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """The estimates behind a comparison; see `draw_estimates`."""
    return draw_estimates(list(comparison.estimates.values()), ax, level=level, numbers=numbers)


def draw_parts(
    whole: Estimate, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """The parts of an estimate, and the whole, a diamond, at the bottom."""
    rows = [_row(part, abbreviated(key, 40), style(0), level) for key, part in whole.parts.items()]
    total = _row(whole, abbreviated(whole.measure, 40), Style(ink(), "D", "-"), level)
    scale = f"{_title(whole)} of {abbreviated(whole.classifier)}"
    return draw_forest(ax, [Group("", whole.chance, [*rows, total])], scale, level=level, numbers=numbers)


def draw_differences(
    comparison: Comparison, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """Every pair of a comparison: first minus second, its simultaneous interval and its adjusted p-value.

    A marker is filled where the adjusted p-value is below 1 - level, that is where the interval excludes 0.
    """
    rows = [_difference(difference, level) for difference in comparison.differences.values()]
    adjusted = comparison.adjustment is not None and len(rows) > 1
    heading = f"p ({comparison.adjustment})" if adjusted else "p"
    scale = f"Difference in {next(iter(comparison.estimates.values())).name}"
    groups = [Group("", 0.0, rows)]
    return draw_forest(ax, groups, scale, level=level, numbers=numbers, p_heading=heading)


def _row(estimate: Estimate, label: str, look: Style, level: float) -> Row:
    return Row(label, estimate.value, estimate.confidence_interval(level), look)


def _difference(difference: Difference, level: float) -> Row:
    label = f"{abbreviated(difference.first, 22)} \N{MINUS SIGN} {abbreviated(difference.second, 22)}"
    pvalue = "none" if isnan(difference.adjusted_pvalue) else p_number(difference.adjusted_pvalue)
    sure = difference.adjusted_pvalue < 1 - level
    return Row(label, difference.value, difference.simultaneous_interval(level), style(0), sure, pvalue)


def _title(estimate: Estimate) -> str:
    """The name of the measure, with its options."""
    _, bracket, options = estimate.measure.partition("(")
    return f"{capitalised(estimate.name)}{' ' if bracket else ''}{bracket}{options}"
