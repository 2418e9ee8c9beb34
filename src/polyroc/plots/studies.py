"""Summaries of studies: which picture each gets; means and differences as forest plots."""

from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from polyroc.plots.forest import ForestPicture, Group, Row, draw_forest
from polyroc.plots.look import SHADES, SMALL, TEXT, style
from polyroc.plots.matrix import MatrixPicture, draw_matrix
from polyroc.plots.picture import Picture
from polyroc.plots.studies_errors import draw_errors
from polyroc.plots.studies_groups import draw_letters, draw_several, draw_underlines
from polyroc.plots.studies_posteriors import (
    draw_bars,
    draw_density,
    draw_probabilities,
    draw_triangle,
)
from polyroc.plots.studies_ranks import draw_critical_difference
from polyroc.plots.studies_spread import draw_means, draw_spread
from polyroc.plots.words import percent, shown
from polyroc.results import Anova, Friedman, PairedTests, Posteriors, RangeTest, Result, Spread, WilcoxonErrors
from polyroc.results.result import p_number, p_text

__all__ = ["SEVERAL", "SUMMARIES", "draw_anova", "draw_paired", "draw_pvalues"]

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
