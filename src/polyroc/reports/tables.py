"""The tables of a report, the same for every format."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf, isnan, nan

from polyroc.decisions.rate_matrix import Rates
from polyroc.estimates.difference import Difference
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.measures.measure import Parts
from polyroc.measures.registry import record_of
from polyroc.output.numbers import (
    DASH,
    chance_text,
    defined,
    end_texts,
    estimated_text,
    level_text,
    p_number,
)
from polyroc.output.sentences import printable, short_names, shortened
from polyroc.output.tables import Bar, Table, columns
from polyroc.readers.result import ReaderStudy
from polyroc.reports.findings import Findings
from polyroc.rules import CutPointRule

__all__ = [
    "ESTIMATE_COLUMNS",
    "MINUS",
    "confusions",
    "difference_bars",
    "divided_measures",
    "estimate_bar",
    "estimate_cells",
    "p_cell",
    "reader_tables",
    "tables",
]

MOST_PAIRS = 100  # rows of differences; CSV and JSON have all
MOST_FOLDS = 50  # rows of one table; CSV and JSON have all
MOST_PARTS = 40  # of one estimate, beyond which its parts are only drawn
MOST_CONFUSION_CLASSES = 6  # beyond, a confusion matrix is too wide for a page
TABLED: tuple[Parts, ...] = ("pair_areas", "order_volumes")  # those of one class against the rest are drawn
ESTIMATE_COLUMNS = ("value", "std. error", "low", "high", "chance")
MINUS = "\N{MINUS SIGN}"


def tables(findings: Findings, level: float = 0.95) -> list[Table]:
    """Every table for which there are results."""
    every = [
        _measures(findings, level),
        _differences(findings, level),
        _folds(findings, level),
        _parts(findings, level),
        _cut_points(findings, level),
        *_confusion_tables(findings, level),
    ]
    return [table for table in every if table is not None]


def _measures(findings: Findings, level: float) -> Table | None:
    evaluation = findings.evaluation
    if evaluation is None or not evaluation.estimates:
        return None
    names = short_names(findings.classifiers)
    order = [(name, key) for key in evaluation.measures for name in evaluation.classifiers]
    estimates = [evaluation.estimates[pair] for pair in order if pair in evaluation.estimates]
    rows = tuple(
        (
            printable(estimate.name) + (" *" if estimate.converted else ""),
            printable(estimate.measure),
            names[estimate.classifier],
            *estimate_cells(estimate, level),
        )
        for estimate in estimates
    )
    bars = tuple(estimate_bar(estimate, level) for estimate in estimates)
    heads = columns(("measure", "key", "classifier"), ESTIMATE_COLUMNS)
    return Table("Measures", heads, rows, key="measures", bars=bars)


def _folds(findings: Findings, level: float) -> Table | None:
    """The measure of the comparison by fold, then averaged and pooled; one column per classifier."""
    estimates = _compared(findings)
    by_fold = [estimate.cross_validation for estimate in estimates]
    if not estimates or by_fold[0] is None:
        return None
    first, names = by_fold[0], short_names(findings.classifiers)
    values = [folds.values for folds in by_fold if folds is not None]
    pooled = [folds.pooled for folds in by_fold if folds is not None]
    rows = [
        (printable(fold), str(cases), *map(defined, row))
        for fold, cases, row in zip(first.folds, first.cases, zip(*values, strict=True), strict=True)
    ]
    left_out = len(rows) - MOST_FOLDS
    rows = rows[:MOST_FOLDS]
    unit = estimates[0].unit
    ends = [_end_cells(estimate.confidence_interval(level), unit) for estimate in estimates]
    total = str(sum(first.cases) // first.repeats)
    rows += [
        ("averaged over folds", total, *(defined(estimate.value, unit) for estimate in estimates)),
        (f"interval ({level_text(level)})", "", *(" to ".join(pair) for pair in ends)),
        ("pooled", total, *(defined(value, unit) for value in pooled)),
    ]
    title = f"{estimates[0].measure} by fold" + (f", without {left_out} more folds" if left_out > 0 else "")
    heads = columns(("fold",), ("cases", *(names[estimate.classifier] for estimate in estimates)))
    return Table(printable(title), heads, tuple(rows), key="folds")


def _compared(findings: Findings) -> list[Estimate]:
    """The estimates of the first measure, by which classifiers are compared."""
    evaluation = findings.evaluation
    if evaluation is None or not evaluation.estimates:
        return []
    return [estimate for (_, key), estimate in evaluation.estimates.items() if key == evaluation.measures[0]]


def estimate_cells(estimate: Estimate, level: float) -> tuple[str, ...]:
    """Value, standard error, interval and chance value."""
    chance = "" if estimate.chance is None else chance_text(estimate.chance)
    return (*number_cells(estimate, estimate.confidence_interval(level)), chance)


def number_cells(shown: Estimate | Difference, interval: tuple[float, float]) -> tuple[str, str, str, str]:
    """Value, standard error and the ends of an interval."""
    value, error, unit = shown.value, shown.standard_error, shown.unit
    estimated = DASH if isnan(value) else estimated_text(value, error, unit=unit)
    error_text = shown.error_text if isinstance(shown, Estimate) and not isnan(error) else defined(error, unit)
    return estimated, error_text, *_end_cells(interval, unit, isinstance(shown, Difference))


def _end_cells(interval: tuple[float, float], unit: float = 1.0, signed: bool = False) -> tuple[str, str]:
    """The ends of an interval, or dashes if it is undefined."""
    return (DASH, DASH) if isnan(interval[0]) else end_texts(interval, unit=unit, signed=signed)


def p_cell(pvalue: float) -> str:
    """A p-value, or a dash if it is undefined."""
    return DASH if isnan(pvalue) else p_number(pvalue)


def estimate_bar(estimate: Estimate, level: float) -> Bar | None:
    """The estimate on the range of its measure."""
    low, high = estimate.confidence_interval(level)
    bottom, top = estimate.limits
    if isnan(estimate.value) or isnan(low) or not 0.0 < top - bottom < inf:
        return None
    bottom = min(bottom, 0.0) if estimate.chance is None else bottom

    def place(x: float) -> float:
        return min(1.0, max(0.0, (x - bottom) / (top - bottom)))

    chance = None if estimate.chance is None else place(estimate.chance)
    return Bar(place(estimate.value), place(low), place(high), chance)


def _differences(findings: Findings, level: float) -> Table | None:
    comparison = findings.comparison
    if comparison is None:
        return None
    names, adjusted = short_names(findings.classifiers), comparison.is_adjusted
    pairs = list(comparison.differences.values())
    kind = f", {pairs[0].interval_kind} intervals" if adjusted else ""
    title = printable(f"Differences of {comparison.measure}, {pairs[0].test}{kind}")
    if len(pairs) > MOST_PAIRS:
        title += f": the {MOST_PAIRS} of {len(pairs)} with the smallest p"
        pairs = sorted(pairs, key=lambda pair: (isnan(pair.adjusted_pvalue), pair.adjusted_pvalue))[:MOST_PAIRS]
    rows, intervals = [], []
    for pair in pairs:
        low, high = pair.adjusted_interval(level)
        numbers = number_cells(pair, (low, high))
        rows.append((f"{names[pair.first]} {MINUS} {names[pair.second]}", *numbers, p_cell(pair.adjusted_pvalue)))
        intervals.append((pair.value, low, high))
    bars, scale = difference_bars(intervals)
    heads = columns(("difference",), ("value", "std. error", "low", "high", "p adjusted" if adjusted else "p"))
    return Table(title, heads, tuple(rows), key="differences", bars=bars, scale=scale)


def difference_bars(
    differences: Iterable[tuple[float, float, float]],
) -> tuple[tuple[Bar | None, ...], tuple[str, str, str]]:
    """Differences with their intervals on one symmetric scale; and the ends of the scale and its middle."""
    differences = list(differences)
    reach = max((abs(x) for ends in differences for x in ends if not isnan(x)), default=0.0) or 1.0
    bars = tuple(_difference_bar(*difference, reach) for difference in differences)
    return bars, (f"{MINUS}{reach:.2g}", "0", f"{reach:.2g}")


def _difference_bar(value: float, low: float, high: float, reach: float) -> Bar | None:
    if isnan(value) or isnan(low):
        return None
    at, first, last = (0.5 + 0.5 * x / reach for x in (value, low, high))
    return Bar(at, first, last, 0.5)


def _parts(findings: Findings, level: float) -> Table | None:
    """The parts of measures, if they are few."""
    if findings.evaluation is None:
        return None
    names = short_names(findings.classifiers)
    rows, bars = [], []
    for estimate in divided_measures(findings.evaluation):
        if len(estimate.parts) > MOST_PARTS:
            continue
        for key, part in estimate.parts.items():
            name = printable(estimate.measure), shortened((key,))[0], names[estimate.classifier]
            rows.append((*name, *estimate_cells(part, level)))
            bars.append(estimate_bar(part, level))
    if not 0 < len(rows) <= 3 * MOST_PARTS:
        return None
    heads = columns(("measure", "part", "classifier"), ESTIMATE_COLUMNS)
    return Table(
        "Parts of the measures", heads, tuple(rows), key="parts", bars=tuple(bars), scale=("0", "0.5", "1")
    )


def divided_measures(evaluation: Evaluation) -> list[Estimate]:
    """The estimates whose parts are shown: pairs and orders of classes."""
    records = {key: record_of(key) for _, key in evaluation.estimates}
    shown = {key for key, record in records.items() if record is not None and record.parts in TABLED}
    return [estimate for (_, key), estimate in evaluation.estimates.items() if key in shown]


def _cut_points(findings: Findings, level: float) -> Table | None:
    """The cut-points of one ordered score: the class that is decided from each on, with intervals."""
    names, rows = short_names(findings.classifiers), []
    for name, point in findings.points.items():
        if isinstance(point.rule, CutPointRule):
            none = [(nan, nan)] * len(point.thresholds)
            intervals = none if point.uncertainty is None else point.threshold_intervals(level)
            labels = shortened(point.confusion.classes)[1:]
            for label, value, ends in zip(labels, point.thresholds, intervals, strict=True):
                numbers = (DASH if isnan(number) else f"{number:.6g}" for number in (value, *ends))
                rows.append((names[name], label, *numbers))
    if not rows:
        return None
    heads = columns(("classifier", "class"), ("from", "low", "high"))
    return Table("Cut-points of the score", heads, tuple(rows), key="cut-points")


def _confusion_tables(findings: Findings, level: float) -> Iterator[Table]:
    for name, confusion in confusions(findings).items():
        if len(confusion.classes) > MOST_CONFUSION_CLASSES:
            continue
        labels = shortened(confusion.classes)
        rows = tuple(
            (label, *(_rate_cell(confusion[true, decision], level) for decision in confusion.classes))
            for true, label in zip(confusion.classes, labels, strict=True)
        )
        heads = columns(("true class",), [f"called {label}" for label in labels])
        point = None if name in findings.rates else findings.points.get(name)
        notes = (point.evaluation,) if point is not None else ()
        yield Table(f"Confusion rates of {shortened((name,))[0]}", heads, rows, notes=notes, key=f"rates-{name}")


def _rate_cell(rate: Estimate, level: float) -> str:
    return f"{defined(rate.value)} ({' to '.join(_end_cells(rate.confidence_interval(level)))})"


def confusions(findings: Findings) -> dict[str, Rates]:
    """By classifier, the confusion rates of its decisions, or else at the threshold of least error."""
    points = {name: point.confusion for name, point in findings.points.items()}
    return {**points, **findings.rates}


def reader_tables(study: ReaderStudy, level: float) -> list[Table]:
    """Values by reader and modality, the differences between modalities, and the analysis of variance."""
    effects = [*study.differences.values(), *(study.algorithm or {}).values(), *study.by_reader.values()]
    bars, scale = difference_bars((effect.value, *effect.confidence_interval(level)) for effect in effects)
    tables = {
        "readers": study.to_table(level),
        "reader-differences": replace(study.difference_table(level), bars=bars, scale=scale),
        "reader-variances": study.variance_table(),
    }
    # the conclusion and the section have the sentences
    return [replace(table, key=key, notes=()) for key, table in tables.items() if table.rows]
