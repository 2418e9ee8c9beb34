"""The section on subgroups: tables, a forest plot and sentences."""

from collections.abc import Iterator, Sequence
from html import escape
from math import isfinite, isnan

from polyroc.estimates.comparison import Comparison
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.grouped import Grouped, estimates_of
from polyroc.estimates.subgroup_text import ALL, case_text, grouped_summary, is_listed
from polyroc.output.sentences import clipped, printable, short_names, shortened
from polyroc.output.tables import Table, columns
from polyroc.reports.tables import MINUS, difference_bars, estimate_bar, number_cells, p_cell

__all__ = ["forest_figure", "subgroup_sentences", "subgroup_tables"]

MOST_ROWS = 100  # of one table; CSV and JSON have all
MOST_DRAWN = 60  # rows of the forest plot
LABELS, SCALE, ROW, BELOW = 300, 380, 22, 34  # pixels: names of the rows, scale, height of a row, axis
NUMBERS = ("value", "std. error", "low", "high")


def subgroup_sentences(grouped: Grouped, level: float, classifier: str | None = None) -> list[str]:
    """Whether subgroups differ, in sentences; with a classifier, in brief, and only on this one."""
    sentences = grouped.conclusion(level) if classifier is None else grouped_summary(grouped, classifier, level)
    return [clipped(sentence, 600) for sentence in sentences]


def subgroup_tables(grouped: Grouped, level: float) -> list[Table]:
    """The estimates by subgroup; the differences between subgroups, and between classifiers in each subgroup."""
    tables = [_values(grouped, level)]
    if grouped.pairs:
        tables.append(_effects(grouped, level))
    if len(grouped) > 1 and is_listed(grouped):
        tables.append(_between(grouped, level))
    return [table for table in tables if table.rows]


def _rows(grouped: Grouped) -> Iterator[tuple[tuple[str, ...], str, Estimate]]:
    """The values of the columns, the classifier and the estimate, of all subgroups and of all cases."""
    named = [(shortened_values(group), result) for group, result in grouped.groups.items()]
    if grouped.overall is not None:
        named.append(((ALL, *[""] * (len(grouped.by) - 1)), grouped.overall))
    names = short_names(grouped.classifiers)
    for classifier in grouped.classifiers:
        for values, result in named:
            yield values, names[classifier], estimates_of(result)[classifier, grouped.measures[0]]


def shortened_values(group: Sequence[object]) -> tuple[str, ...]:
    """The values of a subgroup as short texts."""
    return tuple(shortened((str(value),))[0] for value in group)


def _values(grouped: Grouped, level: float) -> Table:
    rows = [*_rows(grouped)][:MOST_ROWS]
    cells = tuple(
        (*values, classifier, clipped(case_text(estimate), 80), *_numbers(estimate, level))
        for values, classifier, estimate in rows
    )
    heads = columns((*shortened(grouped.by), "classifier", "cases"), NUMBERS)
    title = printable(f"{grouped.measures[0]} by {', '.join(grouped.by)}")
    bars = tuple(estimate_bar(estimate, level) for _, _, estimate in rows)
    return Table(clipped(title, 120), heads, cells, key="subgroups", bars=bars)


def _numbers(estimate: Estimate, level: float) -> tuple[str, ...]:
    return number_cells(estimate, estimate.confidence_interval(level))


def _effects(grouped: Grouped, level: float) -> Table:
    """The difference between each pair of classifiers in every subgroup."""
    over_groups = grouped.adjusted_over_groups()
    names = short_names(grouped.classifiers)
    rows, intervals = [], []
    for pair in grouped.pairs:
        for name, (group, result) in zip(grouped.names, grouped.groups.items(), strict=True):
            assert isinstance(result, Comparison)
            difference = result.differences[pair]
            interval = difference.confidence_interval(level)
            adjusted = over_groups.get((name, pair), float("nan"))
            texts = *shortened_values(group), f"{names[pair[0]]} {MINUS} {names[pair[1]]}"
            rows.append((*texts, *number_cells(difference, interval), p_cell(difference.pvalue), p_cell(adjusted)))
            intervals.append((difference.value, *interval))
    bars, scale = difference_bars(intervals[:MOST_ROWS])
    heads = columns((*shortened(grouped.by), "difference"), (*NUMBERS, "p", "p over subgroups"))
    title = clipped(f"Differences of {grouped.measures[0]} between classifiers by subgroup", 120)
    return Table(title, heads, tuple(rows[:MOST_ROWS]), key="subgroup-effects", bars=bars, scale=scale)


def _between(grouped: Grouped, level: float) -> Table:
    """The differences between subgroups of every classifier."""
    groups = short_names(grouped.names)
    names = short_names(grouped.classifiers)
    rows, intervals, adjusted = [], [], False
    for classifier in grouped.classifiers:
        comparison = grouped.between(classifier, grouped.measures[0])
        adjusted = comparison.is_adjusted
        for pair in comparison.differences.values():
            ends = pair.adjusted_interval(level)
            label = f"{groups[pair.first]} {MINUS} {groups[pair.second]}"
            numbers = number_cells(pair, ends)
            rows.append((names[classifier], label, *numbers, p_cell(pair.adjusted_pvalue)))
            intervals.append((pair.value, *ends))
    bars, scale = difference_bars(intervals[:MOST_ROWS])
    heads = columns(("classifier", "subgroups"), (*NUMBERS, "p adjusted" if adjusted else "p"))
    kind = f", {pair.interval_kind} intervals" if adjusted else ""
    title = clipped(f"Differences of {grouped.measures[0]} between subgroups, {pair.test}{kind}", 120)
    return Table(title, heads, tuple(rows[:MOST_ROWS]), key="subgroup-pairs", bars=bars, scale=scale)


def forest_figure(grouped: Grouped | None, level: float) -> str:
    """The estimates of all subgroups as SVG: intervals, chance (dashed), all cases (diamond and line)."""
    if grouped is None:
        return ""
    rows = [*_rows(grouped)][:MOST_DRAWN]
    intervals = [(estimate.value, *estimate.confidence_interval(level)) for _, _, estimate in rows]
    known = [x for interval in intervals for x in interval if isfinite(x)]
    if not known:
        return ""
    low, high = min(known), max(known)
    margin = 0.04 * (high - low) or 0.05
    scale = _Scale(low - margin, high + margin, len(rows))
    several = len(grouped.classifiers) > 1
    overall = [] if grouped.overall is None else [*estimates_of(grouped.overall).values()]
    shapes = [scale.axis(), scale.reference(rows[0][2].chance)]
    for number, ((values, classifier, estimate), ends) in enumerate(zip(rows, intervals, strict=True)):
        label = ", ".join(filter(None, values)) + (f" ({classifier})" if several else "")
        shapes.append(scale.row(number, label, ends, len(grouped) if estimate in overall else None))
    height = len(rows) * ROW + BELOW
    size = f'viewBox="0 0 {LABELS + SCALE + 10} {height}" width="{LABELS + SCALE + 10}"'
    title = f"Forest plot of {clipped(grouped.measures[0], 80)} by subgroup"
    return f'<svg {size} role="img" aria-label="{escape(title)}">{"".join(shapes)}</svg>'


class _Scale:
    """The horizontal scale of the forest plot, and what is drawn on it."""

    def __init__(self, low: float, high: float, rows: int) -> None:
        self.low, self.high, self.bottom = low, high, rows * ROW

    def x(self, value: float) -> float:
        """The place of a value."""
        return LABELS + SCALE * (value - self.low) / (self.high - self.low)

    def axis(self) -> str:
        """The line below, with its ends and its middle."""
        ticks = {"start": self.low, "middle": (self.low + self.high) / 2, "end": self.high}
        texts = "".join(
            f'<text x="{self.x(tick):.1f}" y="{self.bottom + 20}" font-size="11" text-anchor="{anchor}" '
            f'fill="currentColor">{tick:.3g}</text>'
            for anchor, tick in ticks.items()
        )
        return f'<path d="M{LABELS} {self.bottom + 4}h{SCALE}" stroke="var(--line)"/>{texts}'

    def reference(self, chance: float | None) -> str:
        """A dashed line at chance, if it is on the scale."""
        if chance is None or not self.low <= chance <= self.high:
            return ""
        path = f"M{self.x(chance):.1f} 0V{self.bottom + 4}"
        return f'<path d="{path}" stroke="currentColor" opacity="0.5" stroke-dasharray="4 3"/>'

    def row(self, number: int, label: str, ends: tuple[float, float, float], above: int | None) -> str:
        """A name, an interval and a value; for all cases a diamond, and a line along the rows above."""
        value, low, high = ends
        y, colour = number * ROW + ROW / 2, "var(--accent)" if above is None else "currentColor"
        text = f'<text x="{LABELS - 12}" y="{y + 4}" font-size="12" text-anchor="end" fill="currentColor">'
        shapes = [f"{text}{escape(clipped(label, 44))}</text>"]
        if isnan(value):
            text = f'<text x="{LABELS}" y="{y + 4}" font-size="12" fill="currentColor">'
            return f"{shapes[0]}{text}undefined</text>"
        if isfinite(low) and isfinite(high):
            path = f"M{self.x(low):.1f} {y}H{self.x(high):.1f}"
            shapes.append(f'<path d="{path}" stroke="{colour}" stroke-width="2"/>')
        x = self.x(value)
        if above is not None:
            shapes.append(f'<path d="M{x:.1f} {y - 6}l6 6l-6 6l-6 -6Z" fill="{colour}"/>')
            shapes.append(
                f'<path d="M{x:.1f} {y - above * ROW - ROW / 2}V{y}" stroke="currentColor" opacity="0.35"/>'
            )
        else:
            shapes.append(f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="{colour}"/>')
        return "".join(shapes)
