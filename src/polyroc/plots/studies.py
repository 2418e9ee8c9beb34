"""Summaries of studies: means and differences as forest plots, p-values, and the spread over folds."""

from math import isfinite

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from polyroc.errors import NotApplicableError
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.output.numbers import level_text, p_text, signed_text
from polyroc.output.sentences import abbreviated
from polyroc.plots.forest import Group, Row, add_column, difference_row, draw_forest
from polyroc.plots.matrix import draw_matrix
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    SHADES,
    Style,
    add_legend,
    axes_of,
    small_size,
    style,
    style_axes,
    text_colour,
    text_size,
    text_width,
)
from polyroc.studies.summaries.anova import Anova
from polyroc.studies.summaries.paired_tests import PairedTests
from polyroc.studies.summaries.spread import FoldSpread, Spread, WilcoxonErrors

__all__ = [
    "draw_anova",
    "draw_errors",
    "draw_means",
    "draw_paired",
    "draw_pvalues",
    "draw_spread",
]


def draw_anova(anova: Anova, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True) -> Picture:
    """Every learner's mean over folds, with the interval that the common error gives it."""
    rows = [
        Row(abbreviated(name), mean, anova.confidence_interval(name, level), style(0))
        for name, mean in anova.means.items()
    ]
    scale = f"Mean {anova.measure} over {anova.folds} folds of {anova.data_set}; all equal: {p_text(anova.pvalue)}"
    return draw_forest(ax, [Group("", None, rows)], scale, level=level, numbers=numbers)


def draw_paired(
    tests: PairedTests, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> Picture:
    """Every pair: first minus second, its interval, its adjusted p-value; filled if that is below 1 - level."""
    rows = [
        difference_row(test, test.value, test.confidence_interval(level), level) for test in tests.tests.values()
    ]
    adjusted = tests.adjustment is not None and len(rows) > 1
    heading = f"p ({str(tests.adjustment).title()})" if adjusted else "p"
    scale = f"Difference in {tests.measure} on {tests.data_set}"
    return draw_forest(ax, [Group("", 0.0, rows)], scale, level=level, numbers=numbers, p_heading=heading)


def draw_pvalues(tests: PairedTests, ax: Axes | None = None, *, level: float = 0.95) -> Picture:
    """The adjusted p-value of each pair; dark where a difference is shown."""
    names = tests.learners
    values = np.array([[np.nan if a == b else tests[a, b].adjusted_pvalue for b in names] for a in names])
    picture = draw_matrix(ax, values, names, label="adjusted p-value", shades=(0.0, 1.0), colours=f"{SHADES}_r")
    low = sum(test.adjusted_pvalue < 1 - level for test in tests.tests.values())
    picture.ax.set_title(tests.name, fontsize=text_size(), loc="left")
    picture.ax.set_xlabel(
        f"{low} of {len(tests.tests)} pairs differ at {level_text(1 - level)}", fontsize=text_size()
    )
    return picture


def draw_errors(result: WilcoxonErrors, ax: Axes | None = None) -> Picture:
    """A line for each area: the error of one test set against its positive cases."""
    ax = axes_of(ax, 5.0, 3.4)
    style_axes(ax, grid="both")
    lines: list[Line2D] = []
    for place, errors in enumerate(result.errors):
        colour, _, dashes = style(place)
        lines += ax.plot(result.positives, errors, color=colour, linestyle=dashes, linewidth=LINE)
    ax.set_ylim(bottom=0)
    ax.set_xlim(left=0)
    same = result.positives == result.negatives
    ax.set_xlabel(f"Positive cases of a test set{', as many negative ones' if same else ''}", fontsize=text_size())
    ax.set_ylabel("SE(W)", fontsize=text_size())
    legend = add_legend(ax, lines, [f"AUC {area:g}" for area in result.areas], loc="upper right")
    return Picture(ax, lines=tuple(lines), legend=legend)


def draw_spread(spread: Spread, ax: Axes | None = None) -> Picture:
    """One marker for each learner: the standard deviation over folds against SE(W) of one fold, by data set."""
    known = [result for result in spread.spreads.values() if all(map(isfinite, _errors(result)))]
    if not known:
        raise NotApplicableError(
            "There is no SE(W) to draw: give spread the class counts of a fold, for auc or gini."
        )
    many = len(spread.data_sets) > 1
    beside = (
        max(text_width(abbreviated(name), small_size()) for name in spread.data_sets) / 72 + 0.6 if many else 0.0
    )
    ax = axes_of(ax, 4.6 + beside, 4.4)
    style_axes(ax, grid="both")
    end = 1.08 * max(max(_errors(result)) for result in known)
    (identity,) = ax.plot((0, end), (0, end), color=text_colour(), alpha=MUTED, linewidth=HAIR, dashes=(4, 3))
    points = []
    for place, data_set in enumerate(spread.data_sets):
        errors = [_errors(result) for result in known if result.data_set == data_set]
        x, y = np.array(errors).reshape(-1, 2).T
        colour, marker, _ = style(place)
        points += ax.plot(x, y, marker, color=colour, markersize=5.5, mec=ax.get_facecolor(), mew=0.5)
    line = _line(ax, spread, [result.wilcoxon_error for result in known])
    ax.set(xlim=(0, end), ylim=(0, end), aspect="equal")
    ax.set_xlabel("SE(W) of one fold", fontsize=text_size())
    ax.set_ylabel("SD over folds", fontsize=text_size())
    ax.set_title(_regression_title(spread), fontsize=text_size(), loc="left", **PLAIN)
    names = [abbreviated(name) for name in spread.data_sets]
    legend = add_legend(ax, points, names, loc="upper left", bbox_to_anchor=(1.0, 1.02)) if many else None
    return Picture(ax, points=tuple(points), line=line, identity=identity, legend=legend)


def _errors(result: FoldSpread) -> tuple[float, float]:
    """SE(W) of one fold, and the standard deviation over folds."""
    return result.wilcoxon_error, result.standard_deviation


def _line(ax: Axes, spread: Spread, x: list[float]) -> Line2D | None:
    if spread.line is None:
        return None
    ends = min(x), max(x)
    y = [spread.line.intercept + spread.line.slope * end for end in ends]
    (line,) = ax.plot(ends, y, color=text_colour(), linewidth=LINE, zorder=1.9)
    return line


def _regression_title(spread: Spread) -> str:
    """The measure, with the equation of the line if there is one."""
    measure = abbreviated(spread.measure, 24)
    if spread.line is None:
        return measure
    slope, intercept = signed_text(spread.line.slope, 2), signed_text(spread.line.intercept, 3)
    return f"{measure}: SD = {intercept} + {slope} SE(W), r = {signed_text(spread.line.correlation, 2)}"


def draw_means(spread: Spread, ax: Axes | None = None) -> Picture:
    """Every learner's mean over folds, plus and minus one standard deviation, by data set."""
    learners, several = spread.learners, len(spread.data_sets) > 1
    groups: list[Group] = []
    numbers: dict[int, str] = {}
    for data_set in spread.data_sets:
        results = [result for result in spread.spreads.values() if result.data_set == data_set]
        rows = [_row(result, style(learners.index(result.learner))) for result in results]
        groups.append(Group(data_set if several else "", None, rows))
        start = sum(len(group.lines) for group in groups) - len(rows)
        for y, result in enumerate(results, start):
            numbers[y] = f"{signed_text(result.mean)} ({signed_text(result.standard_deviation)})"
    names = max(
        text_width(line if isinstance(line, str) else line.label, small_size()) for g in groups for line in g.lines
    )
    lines = sum(len(group.lines) for group in groups)
    ax = axes_of(ax, 3.6 + (names + text_width("0.000 (0.000)", small_size()) + 12) / 72, 0.95 + 0.27 * lines)
    where = "" if several else f" of {spread.data_sets[0]}"
    scale = f"{spread.measure}: mean over folds{where}, one SD either way"
    picture = draw_forest(ax, groups, scale, level=0.95, numbers=False)
    return Picture(ax, **{**picture.artists, "numbers": add_column(ax, "mean (SD)", numbers)})


def _row(result: FoldSpread, look: Style) -> Row:
    interval = ConfidenceInterval(result.mean - result.standard_deviation, result.mean + result.standard_deviation)
    return Row(abbreviated(result.learner), result.mean, interval, look)
