"""Tables that the commands `evaluate`, `compare` and `measures` print, with their titles and notes."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from typing import Any

import click

from polyroc.cli.references import spelling_for
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.estimates.grouped import Grouped
from polyroc.estimates.interval_names import interval_notes
from polyroc.estimates.tables import conversion_notes, fold_notes, pairing_notes, score_notes, test_notes
from polyroc.measures.measure import Measure
from polyroc.measures.registry import MEASURES
from polyroc.messages import Message
from polyroc.output.numbers import number_text, p_text
from polyroc.output.sentences import counted, printable
from polyroc.output.tables import Table

__all__ = [
    "certificate_notes",
    "comparison_page",
    "evaluation_page",
    "grouped_page",
    "measure_rows",
    "measures_page",
]

MOST_CLASSES_IN_TITLE = 8


def evaluation_page(
    evaluation: Evaluation, *, level: float = 0.95, parts: bool = False, source: str, adjustment: Any = None
) -> Table:
    """Measure by measure; notes on how the estimates were made, and why other measures are not available."""
    table = evaluation.to_table(level, parts=parts, adjustment=adjustment)
    return _captioned(table, _title(evaluation, source), _notes(evaluation, level))


def _captioned(table: Table, title: str, notes: Iterable[str]) -> Table:
    return replace(table, title=printable(title), notes=tuple(map(printable, notes)))


def _title(evaluation: Evaluation, source: str) -> str:
    if not evaluation.estimates:
        return source
    cases = next(iter(evaluation.estimates.values())).provenance.cases
    counts = ", ".join(f"{name} {count}" for name, count in list(cases.items())[:MOST_CLASSES_IN_TITLE])
    more = ", ..." if len(cases) > MOST_CLASSES_IN_TITLE else ""
    return f"{source}: {sum(cases.values())} cases ({counts}{more})"


def _notes(evaluation: Evaluation, level: float) -> list[str]:
    notes = []
    estimates = list(evaluation.estimates.values())
    if estimates:
        provenance = estimates[0].provenance
        notes += _error_notes(estimates)
        notes += [provenance.weights] if provenance.weights else []
        notes += conversion_notes(estimates)
        notes += fold_notes(estimates)
        notes += score_notes(estimates, level)
        notes += _monte_carlo_notes(estimates)
        notes += certificate_notes(estimates)
    ordered = sorted(evaluation.skipped.items(), key=lambda item: item[1])
    context = click.get_current_context(silent=True)
    spelling = spelling_for(None if context is None else context.command)
    for reason, keys in groupby(ordered, key=lambda item: item[1]):
        explanation = Message(reason).render(spelling)
        notes.append(f"Not shown: {', '.join(key for key, _ in keys)} ({explanation}).")
    return notes


def _error_notes(estimates: list[Estimate]) -> list[str]:
    """How standard errors and intervals were made; those of some measures are made in other ways."""
    provenance = estimates[0].provenance
    intervals, others = interval_notes(estimates)
    if provenance.method == "Influence()":
        return [f"Standard errors from influence values, {provenance.class_sizes}{intervals}.", *others]
    return [f"Standard errors by {provenance.method or ''}{intervals}.", *others]


def _monte_carlo_notes(estimates: Iterable[Estimate]) -> list[str]:
    """The additional error of estimates from a random sample of tuples."""
    sampled = [estimate for estimate in estimates if estimate.monte_carlo_error > 0]
    errors = ", ".join(f"{e.measure} of {e.classifier} {e.monte_carlo_error:.2g}" for e in sampled)
    return [f"Monte Carlo error of the random sample of tuples of cases: {errors}."] if sampled else []


def certificate_notes(estimates: Iterable[Estimate]) -> list[str]:
    """The certified bounds of an engine, and the passes over the data that they took."""
    certified = [(e, e.certificate) for e in estimates if e.certificate is not None]
    if not certified:
        return []
    scan = certified[0][1]
    size = "" if scan.bytes is None else f" ({scan.bytes / 1e6:.4g} MB)"
    passes = counted(scan.passes, "pass", "passes")
    notes = [f"Certain to hold the exact value, after {passes} over {scan.rows} rows{size}:"]
    for estimate, bounds in certified:
        name = f"{estimate.measure} of {estimate.classifier}"
        notes.append(f"  {name}: {bounds.low:.10g} to {bounds.high:.10g} (width {bounds.width:.2g})")
    return notes


def comparison_page(comparison: Comparison, *, level: float, margin: float | None, source: str) -> Table:
    """Pair by pair; then the test that all are equal, and the conclusion in sentences."""
    table = comparison.to_table(level, margin=margin)
    estimates = comparison.estimates
    values = ", ".join(f"{name} {number_text(e.value, unit=e.unit)}" for name, e in estimates.items())
    tests = test_notes(comparison)
    if len(estimates) > 2:  # of two, it is the test of their difference
        tests = [f"Test that all are equal: {_test_of_all(comparison)}, {p_text(comparison.pvalue)}."]
    conversions = conversion_notes(estimates.values())
    pairing = pairing_notes(estimates.values())
    notes = [*tests, *pairing, *conversions, *certificate_notes(estimates.values())]
    notes += ["", *comparison.conclusion(level)]
    return _captioned(table, f"{source}: {comparison.measure}{' *' if conversions else ''} ({values})", notes)


def _test_of_all(comparison: Comparison) -> str:
    """The test that all classifiers are equal; McNemar's method has one of its own for three or more."""
    first = next(iter(comparison.estimates.values()))
    if len(comparison.estimates) > 2 and (first.provenance.method or "").startswith("McNemar("):
        return "Cochran's Q"
    test = next(iter(comparison.differences.values())).test
    return f"{test}, largest of {len(comparison.differences)} differences"


def grouped_page(grouped: Grouped, *, level: float, margin: float | None = None, source: str) -> Table:
    """Group by group: its estimates, or its pairs of classifiers; then whether the groups differ."""
    table = grouped.to_table(level, margin=margin)
    return _captioned(table, f"{source}: {len(grouped)} groups by {', '.join(grouped.by)}", table.notes)


def measures_page() -> Table:
    """The registry of measures."""
    rows = [
        {
            "measure": key,
            "name": measure.name,
            "needs": measure.needs,
            "classes": _classes(measure),
            "options": ", ".join(_options(measure)),
        }
        for key, measure in MEASURES.items()
    ]
    notes = [
        "Select one with --measure KEY, options in brackets: --measure 'partial_auc(fpr=(0, 0.2))'.",
        "Decisions are given as labels, or made from probabilities (the largest wins, ties are shared).",
    ]
    return Table.of("Measures", rows, notes)


def measure_rows() -> list[dict[str, object]]:
    """The registry with all its facts, for programs."""
    return [
        {
            "measure": key,
            "name": measure.name,
            "symbol": measure.symbol,
            "needs": measure.needs,
            "classes": _classes(measure),
            "low": low,
            "high": high,
            "options": ", ".join(
                f"{name}={value!r}"
                for name, value in {**measure.options, **dict.fromkeys(measure.variants)}.items()
            ),
            "source": measure.paper,
        }
        for key, measure in MEASURES.items()
        for low, high in [_range(measure)]
    ]


def _options(measure: Measure) -> dict[str, Any]:
    """Return the options with their defaults; those of variants have none."""
    return {**measure.options, **dict.fromkeys(measure.variants)}


def _range(measure: Measure) -> tuple[float | None, float | None]:
    """The range of a measure with its defaults; unknown if it depends on an option that has none."""
    return (None, None) if measure.required else measure.range(measure.classes[0], **measure.settings)


def _classes(measure: Measure) -> str:
    fewest, most = measure.classes
    return str(fewest) if most == fewest else f">= {fewest}" if most is None else f"{fewest} to {most}"
