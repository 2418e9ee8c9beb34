"""Subgroups as forest plots: the estimates of each, or the differences between classifiers, beside all cases."""

from math import isnan

from matplotlib.axes import Axes

from polyroc.errors import NotApplicableError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.grouped import Grouped, GroupResult, estimates_of
from polyroc.estimates.subgroup_text import ALL, case_text
from polyroc.output.numbers import p_number
from polyroc.output.sentences import abbreviated, capitalised
from polyroc.plots.forest import Group, Row, draw_forest
from polyroc.plots.picture import Picture
from polyroc.plots.style import Style, style, text_colour

__all__ = ["draw_group_differences", "draw_groups"]


def draw_groups(grouped: Grouped, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True) -> Picture:
    """The estimates of every subgroup, by measure and classifier; diamond and line: all cases together."""
    groups = []
    for measure in grouped.measures:
        for number, classifier in enumerate(grouped.classifiers):
            key = classifier, measure
            rows = [
                _row(estimates_of(result)[key], name, style(number), level)
                for name, result in zip(grouped.names, grouped.groups.values(), strict=True)
            ]
            whole = None if grouped.overall is None else estimates_of(grouped.overall)[key]
            if whole is not None:
                rows.append(_row(whole, ALL, Style(text_colour(), "D", "-"), level))
            chance = next(iter(grouped.groups.values()))
            groups.append(
                Group(
                    _heading(grouped, classifier, measure),
                    estimates_of(chance)[key].chance,
                    rows,
                    None if whole is None else whole.value,
                )
            )
    scale = "Value"
    if len(groups) == 1:
        first = next(iter(estimates_of(next(iter(grouped.groups.values()))).values()))
        scale, groups = capitalised(first.name), [groups[0]._replace(heading="")]
    return draw_forest(ax, groups, f"{scale} by {', '.join(grouped.by)}", level=level, numbers=numbers)


def _heading(grouped: Grouped, classifier: str, measure: str) -> str:
    if len(grouped.classifiers) == 1:
        return measure
    return abbreviated(classifier) if len(grouped.measures) == 1 else f"{measure}: {abbreviated(classifier)}"


def _row(estimate: Estimate, name: str, look: Style, level: float) -> Row:
    interval = estimate.confidence_interval(level)
    return Row(abbreviated(name), estimate.value, interval, look, cases=_cases(estimate))


def _cases(estimate: Estimate) -> str:
    return abbreviated(case_text(estimate), 40)


def draw_group_differences(
    grouped: Grouped, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> Picture:
    """The difference between classifiers in every subgroup, with p-values adjusted for the subgroups.

    A marker is filled where that p-value is below 1 - level; the interval is that of the subgroup alone. Diamond
    and line: all cases together.
    """
    if not grouped.pairs:
        raise NotApplicableError("There are no differences between classifiers; draw the result of compare.")
    over_groups, groups = grouped.adjusted_over_groups(), []
    for first, second in grouped.pairs:
        rows = [
            _difference(result, name, first, second, over_groups.get((name, (first, second))), level)
            for name, result in zip(grouped.names, grouped.groups.values(), strict=True)
        ]
        whole = None
        if isinstance(grouped.overall, Comparison):
            rows.append(_difference(grouped.overall, ALL, first, second, None, level))
            whole = grouped.overall.difference(first, second).value
        title = f"{abbreviated(first, 22)} \N{MINUS SIGN} {abbreviated(second, 22)}"
        groups.append(Group(title, 0.0, rows, whole))
    scale = f"Difference in {grouped.measures[0]} by {', '.join(grouped.by)}"
    heading = f"p ({grouped.adjustment})" if grouped.adjustment else "p"
    return draw_forest(ax, groups, scale, level=level, numbers=numbers, p_heading=heading)


def _difference(
    result: GroupResult, name: str, first: str, second: str, pvalue: float | None, level: float
) -> Row:
    assert isinstance(result, Comparison)
    difference = result.difference(first, second)
    look = Style(text_colour(), "D", "-") if pvalue is None and name == ALL else style(0)
    p = difference.pvalue if pvalue is None else pvalue
    return Row(
        abbreviated(name),
        difference.value,
        difference.confidence_interval(level),
        look,
        p < 1 - level,
        "none" if isnan(p) else p_number(p),
        _cases(next(iter(result.estimates.values()))),
    )
