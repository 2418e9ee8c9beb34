"""The tables of a report, the same for every format: titles, columns, rows of text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

from polyroc.decisions.rate_matrix import Rates
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.output.numbers import number_text, p_number
from polyroc.reports.embedding import shortened, tidy
from polyroc.reports.findings import Findings

__all__ = [
    "Interval",
    "Table",
    "bar",
    "decided",
    "difference_bar",
    "difference_scale",
    "in_parts",
    "numbers",
    "tables",
    "text",
]

PAIRS = 100  # rows of differences; CSV and JSON have all
PARTS = 40  # rows of parts beyond which only the pictures tell


class Interval(NamedTuple):
    """Where a value and its interval lie on a scale, as shares of it; for a bar beside the number."""

    value: float
    low: float
    high: float
    chance: float | None
    label: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes
    ----------
    key, title
        What it is found by, and called.
    columns, numeric
        The heads; and which columns hold numbers, to be lined up at the decimal point.
    rows
        Cells as text.
    bars
        One per row, or nothing.
    scale
        What the left end, the middle and the right end of all bars mean, if they share a scale.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    bars: tuple[Interval | None, ...] = ()
    scale: tuple[str, str, str] | None = None


def tables(found: Findings, level: float = 0.95) -> list[Table]:
    """Every table that the findings fill."""
    made = [_measures(found, level), _differences(found, level), _parts(found, level), *_confusions(found, level)]
    return [table for table in made if table is not None]


def _measures(found: Findings, level: float) -> Table | None:
    if found.evaluation is None or not found.evaluation.estimates:
        return None
    evaluation = found.evaluation
    names = dict(zip(found.classifiers, shortened(found.classifiers), strict=True))
    order = [(name, key) for key in evaluation.measures for name in evaluation.classifiers]
    estimates = [evaluation.estimates[each] for each in order if each in evaluation.estimates]
    rows, bars = [], []
    for each in estimates:
        mark = " *" if each.converted else ""
        rows.append((tidy(each.name) + mark, tidy(each.measure), names[each.classifier], *numbers(each, level)))
        bars.append(bar(each, level))
    columns = ("measure", "key", "classifier", "value", "std. error", "low", "high", "chance")
    return Table("measures", "Measures", columns, (False,) * 3 + (True,) * 5, tuple(rows), tuple(bars))


def numbers(each: Estimate, level: float) -> tuple[str, ...]:
    """Value, standard error, interval and chance."""
    low, high = each.confidence_interval(level)
    chance = "" if each.chance is None else number_text(each.chance)
    return (*(text(x) for x in (each.value, each.standard_error, low, high)), chance)


def text(value: float) -> str:
    """A number, or a dash if it is undefined."""
    return "\N{EN DASH}" if isnan(value) else number_text(value)


def bar(each: Estimate, level: float) -> Interval | None:
    """On the range of its measure."""
    low, high = each.confidence_interval(level)
    bottom, top = each.limits
    if isnan(each.value) or isnan(low) or not top > bottom:
        return None
    bottom = min(bottom, 0.0) if each.chance is None else bottom

    def place(x: float) -> float:
        return min(1.0, max(0.0, (x - bottom) / (top - bottom)))

    chance = None if each.chance is None else place(each.chance)
    label = f"{each.value:.3f}, {low:.3f} to {high:.3f}, on a scale from {bottom:g} to {top:.3g}"
    return Interval(place(each.value), place(low), place(high), chance, label)


def _differences(found: Findings, level: float) -> Table | None:
    if found.comparison is None:
        return None
    names = dict(zip(found.classifiers, shortened(found.classifiers), strict=True))
    rows, bars = [], []
    pairs, adjusted = list(found.comparison.differences.values()), found.comparison.is_adjusted
    title = tidy(f"Differences of {found.comparison.measure}{', simultaneous intervals' if adjusted else ''}")
    if len(pairs) > PAIRS:
        title += f": the {PAIRS} of {len(pairs)} with the smallest p"
        pairs = sorted(pairs, key=lambda each: (isnan(each.adjusted_pvalue), each.adjusted_pvalue))[:PAIRS]
    for each in pairs:
        low, high = each.simultaneous_interval(level)
        rows.append(
            (
                f"{names[each.first]} \N{MINUS SIGN} {names[each.second]}",
                *(text(x) for x in (each.value, each.standard_error, low, high)),
                "\N{EN DASH}" if isnan(each.adjusted_pvalue) else p_number(each.adjusted_pvalue),
            )
        )
        bars.append((each.value, low, high))
    reach = max((abs(x) for bar in bars for x in bar if not isnan(x)), default=0.0) or 1.0
    drawn = tuple(difference_bar(*each, reach) for each in bars)
    columns = ("difference", "value", "std. error", "low", "high", "p adjusted" if adjusted else "p")
    numeric = (False,) + (True,) * 5
    return Table("differences", title, columns, numeric, tuple(rows), drawn, difference_scale(reach))


def difference_bar(value: float, low: float, high: float, reach: float) -> Interval | None:
    """On a scale from -reach to reach."""
    if isnan(value) or isnan(low):
        return None
    at, first, last = (0.5 + 0.5 * x / reach for x in (value, low, high))
    label = f"{value:.3f}, {low:.3f} to {high:.3f}, on a scale from {-reach:.3g} to {reach:.3g}"
    return Interval(at, first, last, 0.5, label)


def difference_scale(reach: float) -> tuple[str, str, str]:
    """The marks under bars on this scale."""
    return f"\N{MINUS SIGN}{reach:.2g}", "0", f"{reach:.2g}"


def _parts(found: Findings, level: float) -> Table | None:
    """The pieces of hand_till and scurfield, if they are few."""
    if found.evaluation is None:
        return None
    names = dict(zip(found.classifiers, shortened(found.classifiers), strict=True))
    rows, bars = [], []
    for each in in_parts(found.evaluation):
        if len(each.parts) > PARTS:
            continue
        for key, part in each.parts.items():
            rows.append((tidy(each.measure), shortened((key,))[0], names[each.classifier], *numbers(part, level)))
            bars.append(bar(part, level))
    if not 0 < len(rows) <= 3 * PARTS:
        return None
    columns = ("measure", "part", "classifier", "value", "std. error", "low", "high", "chance")
    numeric = (False,) * 3 + (True,) * 5
    title, scale = "What the measures are made of", ("0", "0.5", "1")
    return Table("parts", title, columns, numeric, tuple(rows), tuple(bars), scale)


def in_parts(evaluation: Evaluation) -> list[Estimate]:
    """Those whose parts are told: the pairs of classes, and the orders of Scurfield."""
    told = ("hand_till", "scurfield")
    return [each for (_, key), each in evaluation.estimates.items() if key.partition("(")[0] in told]


def _confusions(found: Findings, level: float) -> Iterator[Table]:
    for name, confusion in decided(found).items():
        if len(confusion.classes) > 6:
            continue
        labels = shortened(confusion.classes)
        rows = tuple((label, *_cells(confusion, k, level)) for k, label in enumerate(labels))
        title = f"Confusion rates of {shortened((name,))[0]}"
        columns = ("true class", *(f"called {label}" for label in labels))
        yield Table(f"rates-{name}", title, columns, (False, *(True,) * len(labels)), rows)


def decided(found: Findings) -> dict[str, Rates]:
    """The confusion rates by classifier: as it decides, or else at the threshold of least error."""
    points = {name: point.confusion for name, point in found.points.items()}
    return {**points, **found.rates}


def _cells(confusion: Rates, k: int, level: float) -> Sequence[str]:
    true = confusion.classes[k]
    cells = []
    for said in confusion.classes:
        each = confusion[true, said]
        low, high = each.confidence_interval(level)
        cells.append(f"{text(each.value)} ({text(low)} to {text(high)})")
    return cells
