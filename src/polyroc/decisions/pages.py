"""Confusion rates and operating points as pages: a table with its sentences, for a terminal and the web page."""

from dataclasses import replace

from polyroc.decisions.operating_point import OperatingPoint
from polyroc.decisions.rate_matrix import Rates
from polyroc.output.numbers import estimate_text, interval_text, level_text, number_text
from polyroc.output.sentences import printable
from polyroc.output.tables import Row, Table
from polyroc.rules import CostRule

__all__ = ["matrix_page", "point_page"]


def matrix_page(rates: Rates, level: float, source: str) -> Table:
    """A row per true class, a column per decision."""
    rows: list[Row] = []
    for k, true in enumerate(rates.classes):
        row = {"true class": true, "cases": _case_count(float(rates.counts[k].sum()))}
        for decision in rates.classes:
            rate = rates[true, decision]
            ends = interval_text(rate.confidence_interval(level), 3)
            row[f"called {decision}"] = f"{number_text(rate.value)} ({ends})"
        rows.append(row)
    title = f"{source}, {rates.classifier}: share of each true class by decision, {level_text(level)} intervals"
    return Table.of(title, rows, [] if rates.provenance.target is None else [rates.provenance.target])


def _case_count(cases: float) -> str:
    return f"{cases:.0f}" if cases == round(cases) else f"{cases:g}"


def point_page(point: OperatingPoint, level: float, source: str) -> Table:
    """The confusion rates; then the rule, its cost, and the aim it was chosen for."""
    priors = ", ".join(f"{k} {p:.4g}" for k, p in zip(point.confusion.classes, point.priors, strict=True))
    cost = estimate_text(point.expected_cost, point.cost.confidence_interval(level), 4)
    notes = [
        f"Rule: {point.rule.sentence()}",
        *(_rule_costs(point.rule) if isinstance(point.rule, CostRule) else []),
        f"Chosen for: {point.aim}.",
        point.sentence(),
        *_thresholds(point, level),
        f"Expected cost {cost} per case; priors {priors}.",
        point.evaluation,
    ]
    return replace(matrix_page(point.confusion, level, source), notes=tuple(map(printable, notes)))


def _thresholds(point: OperatingPoint, level: float) -> list[str]:
    """The intervals of the thresholds, if the choice was repeated."""
    uncertainty = point.uncertainty
    if uncertainty is None:
        return []
    if not point.rule.thresholds:
        return [
            f"Searched again in {uncertainty.resamples} resamples, and evaluated on the cases left out of them; "
            "the costs of the rule have no intervals, as very different ones make the same decisions."
        ]
    texts = "; ".join(point.threshold_texts(level))
    return [f"Chosen again in {uncertainty.resamples} resamples: {texts}."]


def _rule_costs(rule: CostRule) -> list[str]:
    rows = zip(rule.labels, rule.costs, strict=True)
    return [f"  {true}: " + ", ".join(f"{cost:.4g}" for cost in row) for true, row in rows]
