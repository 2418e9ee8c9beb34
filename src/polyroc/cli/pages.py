"""What is shown: results as pages of a title, a table and notes."""

from collections.abc import Iterable
from itertools import groupby

from polyroc.cli.spelling import shell_spelling
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.estimates.grouped import Grouped
from polyroc.measures.measure import Measure
from polyroc.measures.registry import MEASURES
from polyroc.messages import Message
from polyroc.output.terminal import Page, Row, printable
from polyroc.results.provenance import Provenance
from polyroc.results.result import number_text, p_number, p_text

__all__ = ["bounds_told", "comparison_page", "evaluation_page", "grouped_page", "measure_rows", "measures_page"]


def evaluation_page(found: Evaluation, *, level: float = 0.95, parts: bool = False, source: str) -> Page:
    """Measure by measure, so that classifiers stand side by side; notes say how, and why others are not there."""
    table: list[Row] = []
    for key in found.measures:
        for classifier in found.classifiers:
            estimate = found[classifier, key]
            table.append(_estimate_row(estimate, f"{key} *" if estimate.converted else key, level))
            if parts:
                table += [_estimate_row(part, f"  {name}", level) for name, part in estimate.parts.items()]
    if len(found.classifiers) < 2:
        table = [{name: cell for name, cell in row.items() if name != "classifier"} for row in table]
    return Page(_title(found, source), table, _notes(found))


def _estimate_row(estimate: Estimate, key: str, level: float) -> Row:
    low, high = estimate.confidence_interval(level)
    return {
        "measure": printable(key),
        "classifier": printable(estimate.classifier),
        "value": number_text(estimate.value),
        "std. error": number_text(estimate.standard_error),
        f"{100 * level:g} % interval": f"{number_text(low)} to {number_text(high)}",
        "chance": "" if estimate.chance is None else f"{estimate.chance:.3g}",
        **({} if estimate.pvalue is None else {f"p ({estimate.null:.3g})": p_number(estimate.pvalue)}),
    }


def _title(found: Evaluation, source: str) -> str:
    if not found.estimates:
        return printable(source)
    cases = next(iter(found.estimates.values())).provenance.cases
    shown = ", ".join(f"{name} {count}" for name, count in list(cases.items())[:8])
    more = ", ..." if len(cases) > 8 else ""
    return printable(f"{source}: {sum(cases.values())} cases ({shown}{more})")


def _notes(found: Evaluation) -> list[str]:
    notes = []
    if found.estimates:
        first = next(iter(found.estimates.values()))
        notes.append(_how(first.provenance, first.resampled is not None))
        notes += [first.provenance.weights] if first.provenance.weights else []
        notes += _conversions(found.estimates.values())
        notes += _draws(found.estimates.values())
        notes += bounds_told(found.estimates.values())
    ordered = sorted(found.skipped.items(), key=lambda item: item[1])
    for reason, keys in groupby(ordered, key=lambda item: item[1]):
        why = Message(reason).render(shell_spelling)
        notes.append(printable(f"Not shown: {', '.join(key for key, _ in keys)} ({why})."))
    return notes


def _conversions(estimates: Iterable[Estimate]) -> list[str]:
    """What the mark * stands for."""
    told = dict.fromkeys(estimate.converted for estimate in estimates if estimate.converted)
    return [printable(f"* Converted: {how}.") for how in told]


def _draws(estimates: Iterable[Estimate]) -> list[str]:
    """What looking at some tuples only adds to the uncertainty."""
    drawn = [e for e in estimates if e.monte_carlo_error > 0]
    told = ", ".join(f"{e.measure} of {e.classifier} {e.monte_carlo_error:.2g}" for e in drawn)
    return [printable(f"Monte Carlo error, as random tuples of cases were looked at: {told}.")] if drawn else []


def bounds_told(estimates: Iterable[Estimate]) -> list[str]:
    """What an engine vouches for, and what it took."""
    counted = [(e, e.certificate) for e in estimates if e.certificate is not None]
    if not counted:
        return []
    took = counted[0][1]
    size = "" if took.bytes is None else f" ({took.bytes / 1e6:.4g} MB)"
    passes = f"{took.passes} pass{'' if took.passes == 1 else 'es'}"
    told = [f"Certain to hold the exact value, after {passes} over {took.rows} rows{size}:"]
    for estimate, sure in counted:
        said = "; standard error is the largest there can be" if sure.error_is_bound else ""
        whose = f"{estimate.measure} of {estimate.classifier}"
        told.append(f"  {whose}: {sure.low:.10g} to {sure.high:.10g} (width {sure.width:.2g}){said}")
    return [printable(line) for line in told]


def comparison_page(found: Comparison, *, level: float, margin: float | None, source: str) -> Page:
    """Pair by pair; then whether all are equal, and the conclusion in words."""
    table = _difference_rows(found, level, margin)
    estimates = ", ".join(f"{name} {number_text(e.value)}" for name, e in found.estimates.items())
    equal = f"All equal: largest z of {len(table)} {found.statistic:.3f}, {p_text(found.pvalue)}."
    told = _conversions(found.estimates.values())
    notes = [equal, *told, *bounds_told(found.estimates.values()), "", *found.conclusion(level)]
    title = f"{source}: {found.measure}{' *' if told else ''} ({estimates})"
    return Page(printable(title), table, [printable(note) for note in notes])


def grouped_page(found: Grouped, *, level: float, margin: float | None = None, source: str) -> Page:
    """Group by group: its estimates, or its pairs of classifiers."""
    table = [
        {**{printable(name): printable(str(value)) for name, value in zip(found.by, group, strict=True)}, **row}
        for group, each in found.items()
        for row in _group_rows(each, level, margin)
    ]
    return Page(printable(f"{source}: {len(found)} groups by {', '.join(found.by)}"), table, [])


def _group_rows(found: Estimate | Evaluation | Comparison, level: float, margin: float | None) -> list[Row]:
    if isinstance(found, Comparison):
        cases = _cases(next(iter(found.estimates.values())))
        return [{**cases, **row} for row in _difference_rows(found, level, margin)]
    estimates = [found] if isinstance(found, Estimate) else found.estimates.values()
    return [{**_estimate_row(each, each.measure, level), **_cases(each)} for each in estimates]


def _cases(estimate: Estimate) -> Row:
    return {"cases": str(sum(estimate.provenance.cases.values()))}


def _difference_rows(comparison: Comparison, level: float, margin: float | None) -> list[Row]:
    """Pair by pair: the p-value and the interval beside it, both adjusted for the number of pairs or neither."""
    adjusted = comparison.is_adjusted
    interval = f"{'simultaneous ' if adjusted else ''}{100 * level:g} %{'' if adjusted else ' interval'}"
    rows = []
    for difference in comparison.differences.values():
        low, high = difference.simultaneous_interval(level)
        row = {
            "pair": printable(f"{difference.first} - {difference.second}"),
            "difference": number_text(difference.value),
            "std. error": number_text(difference.standard_error),
            interval: f"{number_text(low)} to {number_text(high)}",
            "p adjusted" if adjusted else "p": p_number(difference.adjusted_pvalue),
        }
        if margin is not None:
            row["p not worse"] = p_number(difference.non_inferiority(margin))
            row["p equivalent"] = p_number(difference.equivalence(margin))
        rows.append(row)
    return rows


def _how(facts: Provenance, resampled: bool) -> str:
    if facts.method == "DeLong()":
        return f"Standard errors from components (DeLong), {facts.class_sizes}; guarded logit intervals."
    return f"Standard errors by {facts.method or ''}; {'its own' if resampled else 'guarded logit'} intervals."


def measures_page() -> Page:
    """The registry."""
    table = [
        {
            "measure": key,
            "name": measure.name,
            "needs": measure.needs,
            "classes": _classes(measure),
            "options": ", ".join(measure.options),
        }
        for key, measure in MEASURES.items()
    ]
    notes = [
        "Ask for one with --measure KEY, options in brackets: --measure 'partial_auc(fpr=(0, 0.2))'.",
        "Decisions are given as labels, or made from probabilities (the largest wins, ties are shared).",
    ]
    return Page("Measures", table, notes)


def measure_rows() -> list[dict[str, object]]:
    """The registry with all its facts, for programs."""
    return [
        {
            "measure": key,
            "name": measure.name,
            "symbol": measure.symbol,
            "needs": measure.needs,
            "classes": _classes(measure),
            "low": measure.range(measure.classes[0], **measure.settings)[0],
            "high": measure.range(measure.classes[0], **measure.settings)[1],
            "options": ", ".join(f"{name}={value!r}" for name, value in measure.options.items()),
            "source": measure.paper,
        }
        for key, measure in MEASURES.items()
    ]


def _classes(measure: Measure) -> str:
    few, most = measure.classes
    return str(few) if most == few else f">= {few}" if most is None else f"{few} to {most}"
