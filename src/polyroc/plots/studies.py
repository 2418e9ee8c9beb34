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
from polyroc.output.names import abbreviated
from polyroc.output.numbers import level_text, p_number, p_text, signed_text
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
    dress,
    ink,
    name_lines,
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
    anova: Anova, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """Every learner's mean over folds, with the interval that the common error gives it."""
    rows = [
        Row(abbreviated(name), mean, anova.confidence_interval(name, level), style(0))
        for name, mean in anova.means.items()
    ]
    scale = f"Mean {anova.measure} over {anova.folds} folds of {anova.data_set}; all equal: {p_text(anova.pvalue)}"
    return draw_forest(ax, [Group("", None, rows)], scale, level=level, numbers=numbers)


def draw_paired(
    tests: PairedTests, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> ForestPicture:
    """Every pair: first minus second, its interval, its adjusted p-value; filled if that is below 1 - level."""
    rows = []
    for test in tests.tests.values():
        label = f"{abbreviated(test.first, 22)} \N{MINUS SIGN} {abbreviated(test.second, 22)}"
        pvalue = "none" if isnan(test.adjusted_pvalue) else p_number(test.adjusted_pvalue)
        sure = test.adjusted_pvalue < 1 - level
        rows.append(Row(label, test.value, test.confidence_interval(level), style(0), sure, pvalue))
    adjusted = tests.adjustment is not None and len(rows) > 1
    heading = f"p ({str(tests.adjustment).title()})" if adjusted else "p"
    scale = f"Difference in {tests.measure} on {tests.data_set}"
    return draw_forest(ax, [Group("", 0.0, rows)], scale, level=level, numbers=numbers, p_heading=heading)


def draw_pvalues(tests: PairedTests, ax: Axes | None = None, *, level: float = 0.95) -> MatrixPicture:
    """The adjusted p-value of each pair; dark where a difference is shown."""
    names = tests.learners
    values = np.array([[np.nan if a == b else tests[a, b].adjusted_pvalue for b in names] for a in names])
    picture = draw_matrix(ax, values, names, shades=(0.0, 1.0), colours=f"{SHADES}_r")
    picture.scale.set_label("adjusted p-value", fontsize=SMALL)
    low = sum(test.adjusted_pvalue < 1 - level for test in tests.tests.values())
    picture.ax.set_title(tests.name, fontsize=TEXT, loc="left")
    picture.ax.set_xlabel(f"{low} of {len(tests.tests)} pairs differ at {level_text(1 - level)}", fontsize=TEXT)
    return picture


def _paired(tests: PairedTests) -> dict[str, Callable[..., Picture]]:
    """Listed if there are few."""
    both: dict[str, Callable[..., Picture]] = {"differences": draw_paired, "pvalues": draw_pvalues}
    return both if len(tests.tests) <= LISTED else dict(reversed(both.items()))


def _posteriors(posteriors: Posteriors) -> dict[str, Callable[..., Picture]]:
    """One pair in full, few as bars, many as a matrix."""
    listed: dict[str, Callable[..., Picture]] = {"bars": draw_bars, "probabilities": draw_probabilities}
    listed = listed if len(posteriors.pairs) <= LISTED else dict(reversed(listed.items()))
    full = {"density": draw_density} if posteriors.draws is None else {"triangle": draw_triangle}
    return {**full, **listed} if len(posteriors.pairs) == 1 else {**listed, **full}


def _spread(spread: Spread) -> dict[str, Callable[..., Picture]]:
    return {**({"errors": draw_spread} if spread.has_errors else {}), "means": draw_means}


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


def draw_errors(result: WilcoxonErrors, ax: Axes | None = None) -> ErrorsPicture:
    """A line for each area: the error of one test set against its positive cases."""
    ax = axes_of(ax, 5.0, 3.4)
    dress(ax, grid="both")
    lines: list[Line2D] = []
    for place, errors in enumerate(result.errors):
        colour, _, dashes = style(place)
        lines += ax.plot(result.positives, errors, color=colour, linestyle=dashes, linewidth=LINE)
    ax.set_ylim(bottom=0)
    ax.set_xlim(left=0)
    same = result.positives == result.negatives
    ax.set_xlabel(f"Positive cases of a test set{', as many negative ones' if same else ''}", fontsize=TEXT)
    ax.set_ylabel("SE(W)", fontsize=TEXT)
    legend = name_lines(ax, lines, [f"AUC {area:g}" for area in result.areas], loc="upper right")
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


def draw_spread(spread: Spread, ax: Axes | None = None) -> SpreadPicture:
    """One marker for each learner: the standard deviation over folds against SE(W) of one fold, by data set."""
    known = [each for each in spread.spreads.values() if isfinite(each.wilcoxon_error + each.standard_deviation)]
    if not known:
        raise NotApplicableError(
            "There is no SE(W) to draw: give spread the class counts of a fold, for auc or gini."
        )
    many = len(spread.data_sets) > 1
    beside = max(width_of(abbreviated(name), SMALL) for name in spread.data_sets) / 72 + 0.6 if many else 0.0
    ax = axes_of(ax, 4.6 + beside, 4.4)
    dress(ax, grid="both")
    end = 1.08 * max(max(each.wilcoxon_error, each.standard_deviation) for each in known)
    (identity,) = ax.plot((0, end), (0, end), color=ink(), alpha=MUTED, linewidth=HAIR, dashes=(4, 3))
    points = []
    for place, data_set in enumerate(spread.data_sets):
        own = [each for each in known if each.data_set == data_set]
        colour, marker, _ = style(place)
        x, y = [each.wilcoxon_error for each in own], [each.standard_deviation for each in own]
        points += ax.plot(x, y, marker, color=colour, markersize=5.5, mec=ax.get_facecolor(), mew=0.5)
    line = _line(ax, spread, [each.wilcoxon_error for each in known])
    ax.set(xlim=(0, end), ylim=(0, end), aspect="equal")
    ax.set_xlabel("SE(W) of one fold", fontsize=TEXT)
    ax.set_ylabel("SD over folds", fontsize=TEXT)
    ax.set_title(_said(spread), fontsize=TEXT, loc="left", **PLAIN)
    names = [abbreviated(name) for name in spread.data_sets]
    legend = name_lines(ax, points, names, loc="upper left", bbox_to_anchor=(1.0, 1.02)) if many else None
    return SpreadPicture(ax, tuple(points), line, identity, legend)


def _line(ax: Axes, spread: Spread, x: list[float]) -> Line2D | None:
    if spread.line is None:
        return None
    ends = min(x), max(x)
    y = [spread.line.intercept + spread.line.slope * end for end in ends]
    (line,) = ax.plot(ends, y, color=ink(), linewidth=LINE, zorder=1.9)
    return line


def _said(spread: Spread) -> str:
    what = abbreviated(spread.measure, 24)
    if spread.line is None:
        return what
    slope, start = signed_text(spread.line.slope, 2), signed_text(spread.line.intercept, 3)
    return f"{what}: SD = {start} + {slope} SE(W), r = {signed_text(spread.line.correlation, 2)}"


def draw_means(spread: Spread, ax: Axes | None = None) -> ForestPicture:
    """Every learner's mean over folds, plus and minus one standard deviation, by data set."""
    learners, several = spread.learners, len(spread.data_sets) > 1
    groups: list[Group] = []
    numbers: dict[int, str] = {}
    for data_set in spread.data_sets:
        own = [each for each in spread.spreads.values() if each.data_set == data_set]
        rows = [_row(each, style(learners.index(each.learner))) for each in own]
        groups.append(Group(data_set if several else "", None, rows))
        start = sum(len(group.lines) for group in groups) - len(rows)
        numbers |= {
            start + k: f"{signed_text(e.mean)} ({signed_text(e.standard_deviation)})" for k, e in enumerate(own)
        }
    names = max(width_of(line if isinstance(line, str) else line.label, SMALL) for g in groups for line in g.lines)
    lines = sum(len(group.lines) for group in groups)
    ax = axes_of(ax, 3.6 + (names + width_of("0.000 (0.000)", SMALL) + 12) / 72, 0.95 + 0.27 * lines)
    where = "" if several else f" of {spread.data_sets[0]}"
    scale = f"{spread.measure}: mean over folds{where}, one SD either way"
    picture = draw_forest(ax, groups, scale, level=0.95, numbers=False)
    return replace(picture, numbers=write_beside(ax, "mean (SD)", numbers))


def _row(each: FoldSpread, look: Style) -> Row:
    low, high = each.mean - each.standard_deviation, each.mean + each.standard_deviation
    return Row(abbreviated(each.learner), each.mean, ConfidenceInterval(low, high), look)
