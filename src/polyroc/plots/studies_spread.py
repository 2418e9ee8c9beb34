"""SD over folds against SE(W), Bradley's figure 14; and means with SD."""

from dataclasses import dataclass, replace
from math import isfinite

from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from polyroc.errors import NotApplicableError
from polyroc.plots.beside import write_beside
from polyroc.plots.forest import ForestPicture, Group, Row, draw_forest
from polyroc.plots.legend import name_lines
from polyroc.plots.look import HAIR, LINE, MUTED, SMALL, TEXT, Style, axes_of, dress, ink, style, width_of
from polyroc.plots.picture import Picture
from polyroc.plots.words import PLAIN, decimals, shown
from polyroc.results import ConfidenceInterval
from polyroc.results.spread import FoldSpread, Spread

__all__ = ["SpreadPicture", "draw_means", "draw_spread"]


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
