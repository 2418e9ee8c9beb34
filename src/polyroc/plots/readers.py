"""Reader studies: forest plots of readers, ROC curves of readers with their mean, and the power of a plan."""

from itertools import chain
from math import isnan
from typing import Any

from matplotlib.axes import Axes

from polyroc.errors import NotApplicableError
from polyroc.output.numbers import number_text, p_number
from polyroc.output.sentences import abbreviated, capitalised
from polyroc.plots.forest import Group, Row, draw_forest
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    Style,
    add_legend,
    axes_of,
    small_size,
    style,
    style_axes,
    text_colour,
    text_size,
)
from polyroc.readers.plan_result import ReaderPlan
from polyroc.readers.result import MEAN, ReaderStudy

__all__ = [
    "draw_plan",
    "draw_reader_curves",
    "draw_reader_differences",
    "draw_readers",
]

SIDE = 4.8  # inches


def _mean_style() -> Style:
    return Style(text_colour(), "D", "-")


def draw_readers(
    study: ReaderStudy, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> Picture:
    """The values of all readers by modality; diamond and line: the mean over readers."""
    groups = []
    chance = next(iter(study.estimates.values())).chance
    for place, modality in enumerate(study.modalities):
        rows = []
        for reader in study.readers_of(modality):
            one = study.estimates[modality, reader]
            rows.append(Row(abbreviated(reader), one.value, one.confidence_interval(level), style(place)))
        mean = study.averages[modality]
        rows.append(Row(MEAN, mean.value, mean.confidence_interval(level), _mean_style()))
        groups.append(Group(abbreviated(modality), chance, rows, mean.value))
    if study.standalone is not None:
        own = study.estimates[study.standalone, study.standalone]
        row = Row("algorithm", own.value, own.confidence_interval(level), style(len(groups)))
        groups.append(Group(abbreviated(study.standalone), chance, [row]))
    return draw_forest(ax, groups, capitalised(study.name), level=level, numbers=numbers)


def draw_reader_differences(
    study: ReaderStudy, ax: Axes | None = None, *, level: float = 0.95, numbers: bool = True
) -> Picture:
    """The differences between modalities of every reader and of the means; filled where p is below 1 - level."""
    effects = [*study.differences.values(), *(study.algorithm or {}).values()]
    if not effects:
        raise NotApplicableError("There is one modality, so there are no differences to draw; draw 'forest'.")
    groups = []
    for effect in effects:
        pair = effect.first, effect.second
        own = [(reader, one) for (reader, *names), one in study.by_reader.items() if (*names,) == pair]
        rows = [_row(abbreviated(reader), one, style(0), one.pvalue, level) for reader, one in own]
        p = effect.pvalue if isnan(effect.adjusted_pvalue) else effect.adjusted_pvalue
        rows.append(_row(MEAN, effect, _mean_style(), p, level))
        title = f"{abbreviated(effect.first, 22)} \N{MINUS SIGN} {abbreviated(effect.second, 22)}"
        groups.append(Group(title, 0.0, rows, effect.value))
    return draw_forest(ax, groups, f"Difference in {study.measure}", level=level, numbers=numbers, p_heading="p")


def _row(label: str, effect: Any, look: Style, p: float, level: float) -> Row:
    text = "none" if isnan(p) else p_number(p)
    return Row(label, effect.value, effect.confidence_interval(level), look, p < 1 - level, text)


def draw_reader_curves(study: ReaderStudy, ax: Axes | None = None) -> Picture:
    """The ROC curve of every reader (thin) and their mean (thick) by modality; of two classes."""
    curves = study.curves()
    ax = axes_of(ax, SIDE, SIDE)
    style_axes(ax, grid="both")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.set_xlabel("False positive rate", fontsize=text_size())
    ax.set_ylabel("True positive rate", fontsize=text_size())
    chance = ax.plot((0, 1), (0, 1), color=text_colour(), linewidth=HAIR, dashes=(4, 3), alpha=MUTED)[0]
    order = [*study.modalities, *([] if study.standalone is None else [study.standalone])]
    readers, means, names = [], [], []
    for curve in curves:
        colour, _, line = style(order.index(curve.modality))
        if curve.reader is None or curve.modality == study.standalone:
            means += ax.plot(curve.fpr, curve.tpr, color=colour, linestyle=line, linewidth=1.6 * LINE, zorder=3)
            whose = "" if curve.modality == study.standalone else ", mean"
            names.append(f"{abbreviated(curve.modality, 24)}{whose}: {number_text(curve.area, 3)}")
        else:
            readers += ax.plot(curve.fpr, curve.tpr, color=colour, linewidth=HAIR, alpha=0.55)
    legend = add_legend(ax, means, names, loc="lower right", title="area")
    return Picture(ax, readers=tuple(readers), means=tuple(means), chance=chance, legend=legend)


def draw_plan(plan: ReaderPlan, ax: Axes | None = None) -> Picture:
    """The power by number of cases, one line per number of readers; a ring where the wanted power is reached."""
    ax = axes_of(ax, 1.3 * SIDE, SIDE)
    style_axes(ax, grid="both")
    lines = []
    largest = max(plan.cases)
    for place, (readers, needed) in enumerate(zip(plan.readers, plan.needed, strict=True)):
        points = dict(zip(plan.cases, plan.powers[place].tolist(), strict=True))
        reached = needed.cases if needed.cases is not None and needed.cases <= largest else None
        if reached is not None:
            points[reached] = needed.power
        colour, marker, line = style(place)
        x, y = zip(*sorted(points.items()), strict=True)
        lines += ax.plot(
            x, y, color=colour, marker=marker, markersize=4, linestyle=line, linewidth=LINE, label=readers
        )
        if reached is not None:
            ax.plot(reached, needed.power, "o", color="none", mec=text_colour(), markersize=9, mew=HAIR)
    wanted = ax.axhline(plan.wanted_power, color=text_colour(), alpha=MUTED, linewidth=HAIR, dashes=(4, 3))
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("Cases", fontsize=text_size())
    ax.set_ylabel(f"Power to show {abs(plan.effect):g}", fontsize=text_size(), **PLAIN)
    names = [f"{readers} readers" for readers in plan.readers]
    legend = add_legend(
        ax,
        [*chain(lines, [wanted])],
        [*names, f"wanted: {plan.wanted_power:g}"],
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
    )
    for text in legend.get_texts():
        text.set_fontsize(small_size())
    return Picture(ax, lines=tuple(lines), wanted=wanted, legend=legend)
