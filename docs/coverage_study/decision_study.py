"""Cells of decisions: tests of curves and of paired decisions, chosen thresholds, searched rules."""

import math
from collections.abc import Iterator

import choices
import numpy as np
import truths
from grid import Cell
from models import distance, draw
from quantities import benefit_difference, compare, curve_tests, options, venkatraman_tests
from records import LEVEL, Tally, interval_row, rejection_row, row_of, samples_of, true_value

import polyroc as pr

THRESHOLDS = (0.2, 0.35, 0.5, 0.65, 0.8)  # of decision curves
METHODS = {
    "mcnemar": pr.methods.McNemar(),
    "mcnemar, chi-square": pr.methods.McNemar(exact=False),
    "components": pr.methods.Influence(),
}


def compare_curves(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Tests that two equal curves or decisions are equal; the band of the difference of two decision curves."""
    true = np.subtract(*(truths.benefit_curve(cell.model, value, cell.sizes, THRESHOLDS) for value in cell.values))
    pvalues: dict[tuple[str, str], list[float]] = {}
    covers, widths = [], []
    for replicate, data, setting in samples_of(cell, replicates):
        band = benefit_difference(data, setting, THRESHOLDS)
        covers.append(bool(((band.low <= true + 1e-9) & (true - 1e-9 <= band.high)).all()))
        widths.append(float(np.median(band.high - band.low)))
        if cell.has_equal_values:
            for test, pvalue in curve_tests(data, setting, replicate).items():
                pvalues.setdefault(test, []).append(pvalue)
    fields = {"nominal": f"{LEVEL:g}", "rate": float(np.mean(covers)), "median_width": float(np.median(widths))}
    yield row_of(cell, "benefit_band", cell.measures[0], replicates=len(covers), **fields)
    for (measure, test), p in pvalues.items():
        yield rejection_row(cell, "curves", measure, p, test)


def find_differences(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """How often tests reject that two different curves are equal: of whole curves, and of areas."""
    pvalues: dict[str, list[float]] = {}
    for replicate, data, setting in samples_of(cell, replicates):
        scores = {str(i): own for i, own in enumerate(data.scores)}
        areas = pr.compare(data.y, scores, measure="auc", **options(pr.compare, data, setting))
        pvalues.setdefault("areas", []).append(areas.pvalue)
        for (_, test), pvalue in venkatraman_tests(data, replicate).items():
            pvalues.setdefault(test, []).append(pvalue)
    for test, p in pvalues.items():
        yield rejection_row(cell, "curve_power", cell.measures[0], p, test)


def choose_thresholds(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Intervals of chosen thresholds, and of the rates of the chosen rule on new cases, which vary with it."""
    classes = len(cell.sizes)
    laws = cell.model.laws(distance(cell.model, cell.values[0], classes), classes)
    for name in cell.measures:
        true = choices.true_thresholds(name, cell.model, cell.values[0], classes)
        thresholds, rates = [Tally() for _ in true], [Tally() for _ in laws]
        reached = []
        for replicate, data, setting in samples_of(cell, replicates):
            point = choices.choose(name, data, setting, replicate)
            for tally, ends in zip(thresholds, point.threshold_intervals(LEVEL), strict=True):
                tally.add(ends)
            reached.append(choices.true_rates(laws, point.thresholds))
            for k, (tally, rate) in enumerate(zip(rates, reached[-1], strict=True)):
                low, high = point.confusion[k, k].confidence_interval(LEVEL)
                tally.add((low - rate, high - rate))  # around the true rate of this rule
        of_thresholds, of_rates = choices.quantities(name, classes)
        for quantity, tally, value in zip(of_thresholds, thresholds, true, strict=True):
            yield interval_row(cell, "threshold", quantity, value, {"default": tally})
        for quantity, tally, value in zip(of_rates, rates, np.mean(reached, axis=0), strict=True):
            row = interval_row(cell, "chosen_rate", quantity, 0.0, {"default": tally})
            tuned = cell.model_name in choices.TUNED and name not in choices.REQUIRED
            used = {"set": "choice"} if tuned else {}
            yield row | {"truth": f"{value:.6f}"} | used


def search_rules(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Intervals of the cost of a searched rule on new cases, and of its rates of right decisions."""
    classes = len(cell.sizes)
    new = draw(cell.model, cell.values, (choices.NEW_CASES,) * classes, cell.rng(2**32 - 1))
    tallies, reached = [Tally() for _ in range(classes + 1)], []
    for replicate, data, setting in samples_of(cell, replicates):
        point = choices.search(data, setting, replicate)
        truth, estimates = choices.searched_quantities(point, new)
        reached.append(truth)
        for tally, value, estimate in zip(tallies, truth, estimates, strict=True):
            low, high = estimate.confidence_interval(LEVEL)
            tally.add((low - value, high - value))  # around the true value of this rule
    for name, tally, value in zip(choices.searched_names(classes), tallies, np.mean(reached, axis=0), strict=True):
        yield interval_row(cell, "searched", name, 0.0, {"default": tally}) | {"truth": f"{value:.6f}"}


def compare_decisions(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """McNemar's test and its interval: of equal classifiers the size, of others coverage and power."""
    for name in cell.measures:
        tally = Tally()
        pvalues: dict[str, list[float]] = {test: [] for test in METHODS}
        for _, data, setting in samples_of(cell, replicates):
            made = {test: compare(name, data, setting, method) for test, method in METHODS.items()}
            for test, comparison in made.items():
                pvalues[test].append(math.nan if comparison is None else comparison.pvalue)
            exact = made["mcnemar"]
            if len(cell.values) == 2 and exact is not None:
                tally.add(exact.difference("0", "1").confidence_interval(LEVEL))
        if tally.ends:
            true = true_value(cell, name, 0) - true_value(cell, name, 1)
            yield interval_row(cell, "mcnemar_difference", name, true, {"default": tally})
        for test, p in pvalues.items():
            if not cell.has_equal_values:
                yield rejection_row(cell, "decision_power", name, p, test)
            elif test != "components":  # whose size has cells of its own
                yield rejection_row(cell, "curves" if len(cell.values) == 2 else "omnibus", name, p, test)
