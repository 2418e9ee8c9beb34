"""Summaries of studies: which picture each gets; means and differences as forest plots."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite, isnan
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from polyroc.errors import NotApplicableError
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.output.numbers import p_number, p_text
from polyroc.plots.forest import ForestPicture, Group, Row, draw_forest, write_beside
from polyroc.plots.matrix import MatrixPicture, draw_matrix
from polyroc.plots.picture import Picture
from polyroc.plots.studies_groups import draw_letters, draw_several, draw_underlines
from polyroc.plots.studies_posteriors import draw_bars, draw_density, draw_probabilities, draw_triangle
from polyroc.plots.studies_ranks import draw_critical_difference
from polyroc.plots.style import (
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    SHADES,
    SMALL,
    TEXT,
    Style,
    axes_of,
    decimals,
    dress,
    ink,
    name_lines,
    percent,
    shown,
    style,
    width_of,
)
from polyroc.results.result import Result
from polyroc.studies.summaries.anova import Anova
from polyroc.studies.summaries.bayesian import Posteriors
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.paired_tests import PairedTests
from polyroc.studies.summaries.range_tests import RangeTest
from polyroc.studies.summaries.spread import FoldSpread, Spread, WilcoxonErrors

__all__ = [
    "SEVERAL",
    "SUMMARIES",
    "ErrorsPicture",
    "SpreadPicture",
    "draw_anova",
    "draw_errors",
    "draw_means",
    "draw_paired",
    "draw_pvalues",
    "draw_spread",
]


LISTED = 36  # pairs that are listed one below the other; more go into a matrix


def draw_anova(
    found: Anova, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """Every learner's mean over folds, with the interval that the common error gives it."""
    rows = [
        Row(shown(name), mean, found.confidence_interval(name, level), style(0))
        for name, mean in found.means.items()
    ]
    scale = f"Mean {found.measure} over {found.folds} folds of {found.data_set}; all equal: {p_text(found.pvalue)}"
    return draw_forest(ax, [Group("", None, rows)], scale, level=level, numbers=numbers)


def draw_paired(
    found: PairedTests, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """Every pair: first minus second, its interval, its adjusted p-value; filled if that is below 1 - level."""
    rows = []
    for each in found.tests.values():
        label = f"{shown(each.first, 22)} \N{MINUS SIGN} {shown(each.second, 22)}"
        pvalue = "none" if isnan(each.adjusted_pvalue) else p_number(each.adjusted_pvalue)
        sure = each.adjusted_pvalue < 1 - level
        rows.append(Row(label, each.value, each.confidence_interval(level), style(0), sure, pvalue))
    adjusted = found.adjustment is not None and len(rows) > 1
    heading = f"p ({str(found.adjustment).title()})" if adjusted else "p"
    scale = f"Difference in {found.measure} on {found.data_set}"
    return draw_forest(ax, [Group("", 0.0, rows)], scale, level=level, numbers=numbers, p_heading=heading)


def draw_pvalues(found: PairedTests, ax: Axes | None = None, *, level: float = 0.95) -> MatrixPicture:
    """The adjusted p-value of each pair; dark where a difference is shown."""
    names = found.learners
    values = np.array([[np.nan if a == b else found[a, b].adjusted_pvalue for b in names] for a in names])
    picture = draw_matrix(ax, values, names, shades=(0.0, 1.0), colours=f"{SHADES}_r")
    picture.scale.set_label("adjusted p-value", fontsize=SMALL)
    low = sum(each.adjusted_pvalue < 1 - level for each in found.tests.values())
    picture.ax.set_title(found.name, fontsize=TEXT, loc="left")
    picture.ax.set_xlabel(f"{low} of {len(found.tests)} pairs differ at {percent(1 - level)}", fontsize=TEXT)
    return picture


def _paired(found: PairedTests) -> dict[str, Callable[..., Picture]]:
    """Listed if there are few."""
    both: dict[str, Callable[..., Picture]] = {"differences": draw_paired, "pvalues": draw_pvalues}
    return both if len(found.tests) <= LISTED else dict(reversed(both.items()))


def _posteriors(found: Posteriors) -> dict[str, Callable[..., Picture]]:
    """One pair in full, few as bars, many as a matrix."""
    listed: dict[str, Callable[..., Picture]] = {"bars": draw_bars, "probabilities": draw_probabilities}
    listed = listed if len(found.pairs) <= LISTED else dict(reversed(listed.items()))
    full = {"density": draw_density} if found.draws is None else {"triangle": draw_triangle}
    return {**full, **listed} if len(found.pairs) == 1 else {**listed, **full}


def _spread(found: Spread) -> dict[str, Callable[..., Picture]]:
    return {**({"errors": draw_spread} if found.has_errors else {}), "means": draw_means}


SUMMARIES: dict[type[Result], Callable[[Any], dict[str, Callable[..., Picture]]]] = {
    Anova: lambda _: {"forest": draw_anova},
    Friedman: lambda _: {"critical_difference": draw_critical_difference},
    PairedTests: _paired,
    Posteriors: _posteriors,
    RangeTest: lambda _: {"underlines": draw_underlines, "letters": draw_letters},
    Spread: _spread,
    WilcoxonErrors: lambda _: {"sizes": draw_errors},
}
SEVERAL: dict[type[Result], Callable[[Any], dict[str, Callable[..., Picture]]]] = {
    RangeTest: lambda _: {"underlines": draw_several},
}


@dataclass(frozen=True, slots=True)
class ErrorsPicture(Picture):
    """SE(W) by size.

    Attributes
    ----------
    lines
        One for each area.
    legend
        The areas.
    """

    lines: tuple[Line2D, ...]
    legend: Legend


def draw_errors(found: WilcoxonErrors, ax: Axes | None = None) -> ErrorsPicture:
    """A line for each area: the error of one test set against its positive cases."""
    ax = axes_of(ax, 5.0, 3.4)
    dress(ax, grid="both")
    lines: list[Line2D] = []
    for place, errors in enumerate(found.errors):
        colour, _, dashes = style(place)
        lines += ax.plot(found.positives, errors, color=colour, linestyle=dashes, linewidth=LINE)
    ax.set_ylim(bottom=0)
    ax.set_xlim(left=0)
    same = found.positives == found.negatives
    ax.set_xlabel(f"Positive cases of a test set{', as many negative ones' if same else ''}", fontsize=TEXT)
    ax.set_ylabel("SE(W)", fontsize=TEXT)
    legend = name_lines(ax, lines, [f"AUC {area:g}" for area in found.areas], loc="upper right")
    return ErrorsPicture(ax, tuple(lines), legend)


@dataclass(frozen=True, slots=True)
class SpreadPicture(Picture):
    """SD over folds against SE(W).

    Attributes
    ----------
    points
        One set of markers for each data set.
    line
        The least squares line; None with too few points.
    identity
        Where the two are equal.
    legend
        Names of the data sets; None if there is one.
    """

    points: tuple[Line2D, ...]
    line: Line2D | None
    identity: Line2D
    legend: Legend | None


def draw_spread(found: Spread, ax: Axes | None = None) -> SpreadPicture:
    """One marker for each learner: the standard deviation over folds against SE(W) of one fold, by data set."""
    known = [each for each in found.spreads.values() if isfinite(each.wilcoxon_error + each.standard_deviation)]
    if not known:
        raise NotApplicableError(
            "There is no SE(W) to draw: give spread the class counts of a fold, for auc or gini."
        )
    many = len(found.data_sets) > 1
    beside = max(width_of(shown(name), SMALL) for name in found.data_sets) / 72 + 0.6 if many else 0.0
    ax = axes_of(ax, 4.6 + beside, 4.4)
    dress(ax, grid="both")
    end = 1.08 * max(max(each.wilcoxon_error, each.standard_deviation) for each in known)
    (identity,) = ax.plot((0, end), (0, end), color=ink(), alpha=MUTED, linewidth=HAIR, dashes=(4, 3))
    points = []
    for place, data_set in enumerate(found.data_sets):
        own = [each for each in known if each.data_set == data_set]
        colour, marker, _ = style(place)
        x, y = [each.wilcoxon_error for each in own], [each.standard_deviation for each in own]
        points += ax.plot(x, y, marker, color=colour, markersize=5.5, mec=ax.get_facecolor(), mew=0.5)
    line = _line(ax, found, [each.wilcoxon_error for each in known])
    ax.set(xlim=(0, end), ylim=(0, end), aspect="equal")
    ax.set_xlabel("SE(W) of one fold", fontsize=TEXT)
    ax.set_ylabel("SD over folds", fontsize=TEXT)
    ax.set_title(_said(found), fontsize=TEXT, loc="left", **PLAIN)
    names = [shown(name) for name in found.data_sets]
    legend = name_lines(ax, points, names, loc="upper left", bbox_to_anchor=(1.0, 1.02)) if many else None
    return SpreadPicture(ax, tuple(points), line, identity, legend)


def _line(ax: Axes, found: Spread, x: list[float]) -> Line2D | None:
    if found.line is None:
        return None
    ends = min(x), max(x)
    y = [found.line.intercept + found.line.slope * each for each in ends]
    (line,) = ax.plot(ends, y, color=ink(), linewidth=LINE, zorder=1.9)
    return line


def _said(found: Spread) -> str:
    what = shown(found.measure, 24)
    if found.line is None:
        return what
    slope, start = decimals(found.line.slope, 2), decimals(found.line.intercept, 3)
    return f"{what}: SD = {start} + {slope} SE(W), r = {decimals(found.line.correlation, 2)}"


def draw_means(found: Spread, ax: Axes | None = None) -> ForestPicture:
    """Every learner's mean over folds, plus and minus one standard deviation, by data set."""
    learners, several = found.learners, len(found.data_sets) > 1
    groups: list[Group] = []
    numbers: dict[int, str] = {}
    for data_set in found.data_sets:
        own = [each for each in found.spreads.values() if each.data_set == data_set]
        rows = [_row(each, style(learners.index(each.learner))) for each in own]
        groups.append(Group(data_set if several else "", None, rows))
        start = sum(len(group.lines) for group in groups) - len(rows)
        numbers |= {start + k: f"{decimals(e.mean)} ({decimals(e.standard_deviation)})" for k, e in enumerate(own)}
    names = max(width_of(line if isinstance(line, str) else line.label, SMALL) for g in groups for line in g.lines)
    lines = sum(len(group.lines) for group in groups)
    ax = axes_of(ax, 3.6 + (names + width_of("0.000 (0.000)", SMALL) + 12) / 72, 0.95 + 0.27 * lines)
    where = "" if several else f" of {found.data_sets[0]}"
    scale = f"{found.measure}: mean over folds{where}, one SD either way"
    picture = draw_forest(ax, groups, scale, level=0.95, numbers=False)
    return replace(picture, numbers=write_beside(ax, "mean (SD)", numbers))


def _row(each: FoldSpread, look: Style) -> Row:
    low, high = each.mean - each.standard_deviation, each.mean + each.standard_deviation
    return Row(shown(each.learner), each.mean, ConfidenceInterval(low, high), look)
