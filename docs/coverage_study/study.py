"""Running the cells: every replicate has its own random numbers, so the answer is the same in any order."""

import csv
import math
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import choices
import numpy as np
import truths
from grid import Cell, cells
from models import Data, distance, draw
from quantities import (
    Result,
    Setting,
    benefit_difference,
    compare,
    curve_tests,
    divide,
    evaluate,
    evaluate_binned,
    options,
    venkatraman_tests,
)

import polyroc as pr

Rows: TypeAlias = list[dict[str, str]]
Ends: TypeAlias = tuple[float, float]

RESULTS = Path(__file__).parent / "results.csv"
LEVEL = 0.95
SMOOTH = (
    "normal",
    "heavy tails",
    "exponential",
    "unequal spreads",
    "Laplace",
)  # models with Hanley & McNeil's error
TESTED = (
    "normal",
    "heavy tails",
    "Laplace",
    "columns",
    "columns, heavy tails",
    "columns, skewed",
)  # models with one-sample tests
COMPETITORS = (
    "wald",
    "logit",
    "mover",
    "bca",
    "percentile",
    "jackknife",
    "unbiased",
    "hanley_mcneil",
    "ungrouped",
)
RESAMPLES = 400
THRESHOLDS = (0.2, 0.35, 0.5, 0.65, 0.8)  # of decision curves
COLUMNS = (
    *("kind", "measure", "model", "set", "sampling", "values", "sizes", "classifiers", "test", "nominal", "truth"),
    *("replicates", "rate", "below", "above", "nan_share", "median_width"),
    *(f"{name}{what}" for name in COMPETITORS for what in ("", "_width")),
    "bca_replicates",
)


class Tally:
    """Intervals of one quantity in one cell: how often they hold the true value, and how wide they are."""

    def __init__(self) -> None:
        self.ends: list[Ends] = []

    def add(self, ends: Ends) -> None:
        """Count one interval."""
        self.ends.append((float(ends[0]), float(ends[1])))

    def summary(self, truth: float) -> dict[str, float]:
        """Coverage, misses on either side, share without an interval (a miss), median width."""
        low, high = np.array(self.ends).T
        width = high - low
        slack = 1e-9  # a true value at the end of an interval, both at the limit of the measure
        return {
            "rate": float(np.mean((low <= truth + slack) & (truth - slack <= high))),
            "below": float(np.mean(high < truth - slack)),
            "above": float(np.mean(low > truth + slack)),
            "nan_share": float(np.mean(np.isnan(width))),
            "median_width": float(np.nanmedian(width)) if np.isfinite(width).any() else math.nan,
        }


def simulate(cell: Cell, share: float = 1.0) -> Rows:
    """The rows of one cell, from a share of the replicates."""
    run = {
        "single": _singles,
        "pair": _pairs,
        "several": _several,
        "band": _bands,
        "binned": _binned,
        "curves": _curve_tests,
        "curve power": _curve_power,
        "subgroups": _subgroups,
        "unequal subgroups": _unequal_subgroups,
        "choice": _choices,
    }[cell.kind]
    replicates = max(10, round(share * cell.replicates))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(run(cell, replicates))


def _samples(cell: Cell, replicates: int) -> Iterator[tuple[int, Data, Setting]]:
    setting = truths.setting_of(cell.model)
    for replicate in range(replicates):
        yield replicate, draw(cell.model, cell.values, cell.sizes, cell.rng(replicate)), setting


def _true(cell: Cell, measure: str, classifier: int = 0) -> float:
    return truths.truth(measure, cell.model, cell.values[classifier], cell.sizes)


def _row(cell: Cell, kind: str, measure: str, **fields: Any) -> dict[str, str]:
    """A line of the results; rates and widths with four digits, so that they are the same on every machine."""
    shown = {name: f"{value:.4f}" if isinstance(value, float) else str(value) for name, value in fields.items()}
    if "truth" in fields:
        shown["truth"] = f"{fields['truth']:.6f}"
    facts = {
        "kind": kind,
        "measure": measure,
        "model": cell.model_name,
        "set": cell.model.use,
        "sampling": "cohort" if cell.model.cohort else "case-control",
        "values": cell.shown_values,
        "sizes": cell.shown_sizes,
        "classifiers": str(len(cell.values)),
    }
    return dict.fromkeys(COLUMNS, "") | facts | shown


def _test_row(
    cell: Cell, kind: str, measure: str, pvalues: list[float], test: str, level: float = 0.05
) -> dict[str, str]:
    """How often a true hypothesis is rejected."""
    p = np.array(pvalues)
    rate, missing = float(np.mean(p <= level)), float(np.mean(np.isnan(p)))
    return _row(
        cell, kind, measure, test=test, nominal=f"{level:g}", replicates=len(p), rate=rate, nan_share=missing
    )


def _with_competitors(
    cell: Cell, kind: str, measure: str, truth: float, tallies: dict[str, Tally]
) -> dict[str, str]:
    """The row of an interval beside those of other intervals from the same samples."""
    fields: dict[str, Any] = {"nominal": f"{LEVEL:g}", "truth": truth, **tallies["default"].summary(truth)}
    for name in COMPETITORS:
        if name in tallies:
            summary = tallies[name].summary(truth)
            fields |= {name: summary["rate"], f"{name}_width": summary["median_width"]}
    if "bca" in tallies:
        fields["bca_replicates"] = len(tallies["bca"].ends)
    return _row(cell, kind, measure, replicates=len(tallies["default"].ends), **fields)


def _singles(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Intervals of single values, and one-sample tests against the true value."""
    true = {name: _true(cell, name) for name in cell.measures}
    tallies: dict[str, dict[str, Tally]] = {name: {"default": Tally()} for name in cell.measures}
    pvalues: dict[str, dict[str, list[float]]] = {name: {} for name in cell.measures}
    for replicate, data, setting in _samples(cell, replicates):
        for name in cell.measures:
            result = evaluate(name, data, setting)
            tallies[name]["default"].add(result.ends)
            _add_kinds(result, tallies[name])
            _add_methods(cell, name, data, setting, tallies[name])
            if cell.model_name in TESTED:
                _add_tests(result, true[name], pvalues[name])
            for method, made in _methods(cell, replicate).items():
                tallies[name].setdefault(method, Tally()).add(evaluate(name, data, setting, made).ends)
    for name in cell.measures:
        yield _with_competitors(cell, "interval", name, true[name], tallies[name])
        for test, p in pvalues[name].items():
            yield _test_row(cell, "one_sample", name, p, test) | {"truth": f"{true[name]:.6f}"}


def _add_kinds(result: Result, tallies: dict[str, Tally]) -> None:
    if result.estimate is not None:
        for kind in ("wald", "logit"):
            tallies.setdefault(kind, Tally()).add(result.estimate.confidence_interval(LEVEL, kind=kind))


def _add_methods(cell: Cell, name: str, data: Data, setting: Setting, tallies: dict[str, Tally]) -> None:
    """Hanley & McNeil's error of an AUC, and the default that ignores groups."""
    if data.groups is not None:
        ungrouped = evaluate(name, data._replace(groups=None), setting)
        tallies.setdefault("ungrouped", Tally()).add(ungrouped.ends)
    if cell.measures == ("auc",) and cell.model_name in SMOOTH:
        formula = evaluate(name, data, setting, pr.HanleyMcNeil("exponential"))
        tallies.setdefault("hanley_mcneil", Tally()).add(formula.ends)


def _methods(cell: Cell, replicate: int) -> dict[str, Any]:
    """Methods beside the default: in cells with a bootstrap, which is slow, in their first replicates."""
    if replicate >= cell.bootstrap:
        return {}
    methods: dict[str, Any] = {
        "bca": pr.Bootstrap(n=RESAMPLES, rng=replicate),
        "percentile": pr.Bootstrap(n=RESAMPLES, kind="percentile", rng=replicate),
        "jackknife": pr.Jackknife(),
        "unbiased": pr.Unbiased(),
    }
    if cell.kind == "pair" and cell.has_equal_values:
        methods["permutation"] = pr.Permutation(n=RESAMPLES, rng=replicate)
    return methods


def _add_tests(result: Result, true: float, pvalues: dict[str, list[float]]) -> None:
    """P-values of the true hypothesis; one-sided ones follow from the same z."""
    if result.estimate is None:
        return
    low, high = result.estimate.limits
    null = min(max(true, low), high)
    possible = {"two-sided": low < null < high, "greater": null < high, "less": null > low}
    for alternative in (name for name, is_possible in possible.items() if is_possible):
        pvalues.setdefault(alternative, []).append(result.estimate.test(null, alternative=alternative))


def _pairs(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Differences of two classifiers: intervals; superiority if they are equal, else tests against a margin."""
    true = {name: _true(cell, name, 0) - _true(cell, name, 1) for name in cell.measures}
    tallies = {name: {kind: Tally() for kind in ("default", "wald", "mover")} for name in cell.measures}
    pvalues: dict[str, dict[str, list[float]]] = {name: {} for name in cell.measures}
    for replicate, data, setting in _samples(cell, replicates):
        for name in cell.measures:
            comparison = compare(name, data, setting)
            _add_intervals(comparison, tallies[name])
            _add_pair_tests(cell, comparison, abs(true[name]), pvalues[name])
            for method, made in _methods(cell, replicate).items():
                other = compare(name, data, setting, made)
                if method == "permutation":
                    pvalues[name].setdefault(method, []).append(_pvalue(other))
                else:
                    tallies[name].setdefault(method, Tally()).add(_ends(other))
    for name in cell.measures:
        yield _with_competitors(cell, "difference", name, true[name], tallies[name])
        for test, p in pvalues[name].items():
            for kind, level in PAIR_TESTS[test]:
                yield _test_row(cell, kind, name, p, test, level)


PAIR_TESTS = {
    "two-sided": (("superiority", 0.05),),
    "permutation": (("superiority", 0.05),),
    "one-sided": (("non_inferiority", 0.05), ("non_inferiority", 0.025)),
    "two one-sided": (("equivalence", 0.05),),
}


def _add_intervals(comparison: pr.Comparison | None, tallies: dict[str, Tally]) -> None:
    """The intervals of the difference in one sample."""
    tallies["default"].add(_ends(comparison))
    tallies["wald"].add((math.nan, math.nan) if comparison is None else wald(comparison.difference("0", "1")))
    tallies["mover"].add((math.nan, math.nan) if comparison is None else mover(comparison))


def _add_pair_tests(
    cell: Cell, comparison: pr.Comparison | None, margin: float, pvalues: dict[str, list[float]]
) -> None:
    """The p-value of equality, or of inferiority and of difference by the margin."""
    pair = None if comparison is None else comparison.difference("0", "1")
    if cell.has_equal_values:
        pvalues.setdefault("two-sided", []).append(_pvalue(comparison))
        return
    pvalues.setdefault("one-sided", []).append(math.nan if pair is None else pair.non_inferiority(margin))
    pvalues.setdefault("two one-sided", []).append(math.nan if pair is None else pair.equivalence(margin))


def _ends(comparison: pr.Comparison | None) -> Ends:
    if comparison is None:
        return math.nan, math.nan
    return tuple(comparison.difference("0", "1").confidence_interval(LEVEL))


def _pvalue(comparison: pr.Comparison | None) -> float:
    return math.nan if comparison is None else comparison.difference("0", "1").pvalue


def wald(difference: pr.Difference) -> Ends:
    """Value plus or minus 1.96 standard errors, cut at the limits."""
    reach, (low, high) = 1.959963984540054 * difference.standard_error, difference.limits
    return max(low, difference.value - reach), min(high, difference.value + reach)


def mover(comparison: pr.Comparison) -> Ends:
    """Zou & Donner's interval of the difference, from the two guarded intervals and the correlation."""
    first, second = comparison.estimates.values()
    (l1, u1), (l2, u2) = (estimate.confidence_interval(LEVEL) for estimate in (first, second))
    a, b, v = first.value, second.value, comparison.covariance
    scale = math.sqrt(v[0, 0] * v[1, 1])
    r = max(-1.0, min(1.0, v[0, 1] / scale)) if scale > 0 else 0.0

    def reach(x: float, y: float) -> float:
        return math.sqrt(max(0.0, x * x + y * y - 2.0 * r * x * y))

    return a - b - reach(a - l1, u2 - b), a - b + reach(u1 - a, b - l2)


def _several(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Several classifiers by one measure: the test that all are equal, and intervals of all pairs at once."""
    (name,) = cell.measures
    values = [_true(cell, name, i) for i in range(len(cell.values))]
    true = np.array([values[i] - values[j] for i, j in combinations(range(len(values)), 2)])
    pvalues, inside, missing, widths = [], [], [], []
    for _, data, setting in _samples(cell, replicates):
        comparison = compare(name, data, setting)
        if comparison is None:
            raise ValueError(f"{name} must be defined in every sample of a cell with several classifiers.")
        pvalues.append(comparison.pvalue)
        ends = np.array([pair.simultaneous_interval(LEVEL) for pair in comparison.differences.values()])
        inside.append(bool(((ends[:, 0] <= true + 1e-9) & (true - 1e-9 <= ends[:, 1])).all()))
        missing.append(bool(np.isnan(ends).any()))
        widths.append(float(np.median(ends[:, 1] - ends[:, 0])))
    if cell.has_equal_values:
        yield _test_row(cell, "omnibus", name, pvalues, "all equal")
    summary = {"rate": float(np.mean(inside)), "nan_share": float(np.mean(missing))}
    summary["median_width"] = float(np.nanmedian(widths))
    yield _row(cell, "simultaneous", name, nominal=f"{LEVEL:g}", replicates=replicates, **summary)


def _bands(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """The pointwise band of the ROC curve at some false positive rates, or of the PR curve at some recalls."""
    rates = [float(name.split()[-1]) for name in cell.measures]
    kind: Any = "roc" if cell.measures[0].startswith("tpr") else "pr"
    tallies = {name: Tally() for name in cell.measures}
    for _, data, setting in _samples(cell, replicates):
        curve: Any = pr.curve(
            data.y, data.scores[0], kind=kind, band="pointwise", **options(pr.curve, data, setting)
        )
        band = curve.band
        for name, rate in zip(cell.measures, rates, strict=True):
            tallies[name].add((np.interp(rate, band.x, band.low), np.interp(rate, band.x, band.high)))
    for name in cell.measures:
        true = truths.height(name, cell.model, cell.values[0], cell.sizes)
        yield _with_competitors(cell, "band", name, true, {"default": tallies[name]})


def _binned(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Intervals and two-sided tests from a tally: its bounds are part of them where they are not negligible."""
    (name,) = cell.measures
    true, bits = _true(cell, name), f"{cell.bits} bits"
    tallies, pvalues = {"default": Tally()}, []
    for _, data, setting in _samples(cell, replicates):
        estimate = evaluate_binned(name, data, setting, cell.bits)
        tallies["default"].add(estimate.confidence_interval(LEVEL))
        pvalues.append(estimate.test(true))
    yield _with_competitors(cell, "binned", name, true, tallies) | {"test": bits}
    yield _test_row(cell, "binned_test", name, pvalues, bits) | {"truth": f"{true:.6f}"}


def _curve_tests(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Tests that two equal curves or decisions are equal; the band of the difference of two decision curves."""
    true = np.subtract(*(truths.benefit_curve(cell.model, value, cell.sizes, THRESHOLDS) for value in cell.values))
    pvalues: dict[tuple[str, str], list[float]] = {}
    covers, widths = [], []
    for replicate, data, setting in _samples(cell, replicates):
        band = benefit_difference(data, setting, THRESHOLDS)
        covers.append(bool(((band.low <= true + 1e-9) & (true - 1e-9 <= band.high)).all()))
        widths.append(float(np.median(band.high - band.low)))
        if cell.has_equal_values:
            for test, pvalue in curve_tests(data, setting, replicate).items():
                pvalues.setdefault(test, []).append(pvalue)
    fields = {"nominal": f"{LEVEL:g}", "rate": float(np.mean(covers)), "median_width": float(np.median(widths))}
    yield _row(cell, "benefit_band", cell.measures[0], replicates=len(covers), **fields)
    for (measure, test), p in pvalues.items():
        yield _test_row(cell, "curves", measure, p, test)


def _curve_power(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """How often tests reject that two different curves are equal: of whole curves, and of areas."""
    pvalues: dict[str, list[float]] = {}
    for replicate, data, setting in _samples(cell, replicates):
        scores = {str(i): own for i, own in enumerate(data.scores)}
        areas = pr.compare(data.y, scores, measure="auc", **options(pr.compare, data, setting))
        pvalues.setdefault("areas", []).append(areas.pvalue)
        for (_, test), pvalue in venkatraman_tests(data, replicate).items():
            pvalues.setdefault(test, []).append(pvalue)
    for test, p in pvalues.items():
        yield _test_row(cell, "curve_power", cell.measures[0], p, test)


def _subgroups(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Tests between subgroups: that one classifier has the same value in all, or that two differ by the same."""
    (name,) = cell.measures
    pvalues: dict[tuple[str, str], list[float]] = {}
    setting, total = truths.setting_of(cell.model), tuple(size * cell.subgroups for size in cell.sizes)
    for replicate in range(replicates):
        rng = cell.rng(replicate)
        data = draw(cell.model, cell.values, total, rng)
        by = np.empty(len(data.y), dtype=int)
        for k, size in enumerate(total):  # as many cases of every class in each subgroup
            by[data.y == k] = rng.permutation(np.arange(size) % cell.subgroups)
        grouped = divide(name, data, setting, by)
        tests = _interaction_tests(grouped) if len(cell.values) > 1 else _equality_tests(grouped)
        for test, p in tests.items():
            pvalues.setdefault(test, []).append(p)
    for (kind, test), p in pvalues.items():
        yield _test_row(cell, kind, name, p, f"{cell.subgroups} subgroups{test}")


def _equality_tests(grouped: Any) -> dict[tuple[str, str], float]:
    between = grouped.between()
    if len(grouped) == 2:
        return {("subgroup_pair", ""): between.pvalue}
    return {("subgroup_omnibus", ""): between.pvalue, ("subgroup_omnibus", ", Wald"): grouped.equality().pvalue}


def _interaction_tests(grouped: Any) -> dict[tuple[str, str], float]:
    return {("interaction", ""): grouped.interaction().pvalue}


def _unequal_subgroups(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """The interval of the difference between two subgroups in which one classifier has different values."""
    (name,) = cell.measures
    true = _true(cell, name, 0) - _true(cell, name, 1)
    tally, setting = Tally(), truths.setting_of(cell.model)
    for replicate in range(replicates):
        rng = cell.rng(replicate)
        first, second = (draw(cell.model, (value,), cell.sizes, rng) for value in cell.values)
        scores = [np.concatenate([first.scores[0], second.scores[0]])]
        data = first._replace(y=np.concatenate([first.y, second.y]), scores=scores)
        by = np.repeat([0, 1], [len(first.y), len(second.y)])
        tally.add(tuple(divide(name, data, setting, by).between().difference("0", "1").confidence_interval(LEVEL)))
    yield _with_competitors(cell, "subgroup_difference", name, true, {"default": tally})


def _choices(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Intervals of chosen thresholds, and of the rates of the chosen rule on new cases, which vary with it."""
    classes = len(cell.sizes)
    laws = cell.model.laws(distance(cell.model, cell.values[0], classes), classes)
    for name in cell.measures:
        true = choices.true_thresholds(name, cell.model, cell.values[0], classes)
        thresholds, rates = [Tally() for _ in true], [Tally() for _ in laws]
        reached = []
        for replicate, data, setting in _samples(cell, replicates):
            point = choices.choose(name, data, setting, replicate)
            for tally, ends in zip(thresholds, point.threshold_intervals(LEVEL), strict=True):
                tally.add(ends)
            reached.append(choices.true_rates(laws, point.thresholds))
            for k, (tally, rate) in enumerate(zip(rates, reached[-1], strict=True)):
                low, high = point.confusion[k, k].confidence_interval(LEVEL)
                tally.add((low - rate, high - rate))  # around the true rate of this rule
        of_thresholds, of_rates = choices.quantities(name, classes)
        for quantity, tally, value in zip(of_thresholds, thresholds, true, strict=True):
            yield _with_competitors(cell, "threshold", quantity, value, {"default": tally})
        for quantity, tally, value in zip(of_rates, rates, np.mean(reached, axis=0), strict=True):
            row = _with_competitors(cell, "chosen_rate", quantity, 0.0, {"default": tally})
            yield row | {"truth": f"{value:.6f}"}


def run(chosen: list[Cell], share: float, out: Path | None, jobs: int) -> Rows:
    """The rows of some cells, in their order; finished cells are kept beside `out`, and not run again."""
    partial = None if out is None else out.with_suffix(".part")
    done = _resumed(partial)
    left = [cell for cell in chosen if cell.key not in done]
    start, seconds, total = time.perf_counter(), 0.0, sum(_effort(cell) for cell in left)
    with _cancelling(jobs) as pool:
        # The longest first, so that no process works alone at the end.
        waiting = {pool.submit(_timed, cell, share): cell for cell in sorted(left, key=_effort, reverse=True)}
        finished = 0.0
        for number, future in enumerate(as_completed(waiting), start=1):
            cell = waiting[future]
            done[cell.key], seconds = future.result()
            finished += _effort(cell)
            if partial is not None:
                _append(partial, cell, done[cell.key])
            _report(number, len(left), start, finished / total, cell, seconds)
    rows = [row for cell in chosen for row in done[cell.key]]
    if out is not None and partial is not None:
        write(rows, out)
        partial.unlink(missing_ok=True)
    return rows


@contextmanager
def _cancelling(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that do not go on after an error or an interruption."""
    with ProcessPoolExecutor(jobs) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _timed(cell: Cell, share: float) -> tuple[Rows, float]:
    start = time.process_time()
    rows = simulate(cell, share)
    return rows, time.process_time() - start


COST = {
    "single": 1.0,
    "band": 1.0,
    "pair": 4.0,
    "binned": 4.0,
    "curves": 60.0,
    "curve power": 60.0,
    "choice": 12.0,
}  # milliseconds a measure and replicate, about


def _effort(cell: Cell) -> float:
    """About how long a cell takes, in milliseconds."""
    milliseconds = COST[cell.kind] if cell.kind in COST else 4.0 * max(len(cell.values), cell.subgroups)
    measures = 1 if cell.kind == "band" else len(cell.measures)
    return cell.replicates * milliseconds * measures + 15 * cell.bootstrap


def _report(number: int, count: int, start: float, share: float, cell: Cell, seconds: float) -> None:
    elapsed = time.perf_counter() - start
    left = elapsed * (1.0 - share) / share
    name = ", ".join((cell.kind, cell.model_name, cell.shown_values, cell.shown_sizes))
    sys.stdout.write(f"{number}/{count}  {elapsed:.0f} s, {left:.0f} s left  {name}: {seconds:.1f} s\n")
    sys.stdout.flush()


def _append(path: Path, cell: Cell, rows: Rows) -> None:
    """Add the rows of a finished cell to the file of a run that is under way."""
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, ["cell", *COLUMNS], lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows({"cell": "|".join(cell.key), **row} for row in rows)


def _resumed(path: Path | None) -> dict[tuple[str, ...], Rows]:
    """The rows of finished cells of an interrupted run, by cell."""
    done: dict[tuple[str, ...], Rows] = {}
    if path is None or not path.exists():
        return done
    for row in read(path):
        done.setdefault(tuple(row.pop("cell").split("|")), []).append(row)
    return done


def write(rows: Rows, path: Path) -> None:
    """Rows as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read(path: Path = RESULTS) -> Rows:
    """Rows from CSV; by default the committed results."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def needed_truths(jobs: int) -> None:
    """Simulate the true values that have no formula and are not in truths.csv yet, and keep them."""
    kinds = ("band", "curves", "curve power", "choice")
    wanted = {key for cell in cells() if cell.kind not in kinds for key in _without_formula(cell)}
    left = sorted(key for key in wanted if truths.key_of(*key) not in truths.stored())
    if not left:
        return
    entries = dict(truths.stored())
    with ProcessPoolExecutor(jobs) as pool:
        for number, (key, value) in enumerate(zip(left, pool.map(_simulated_truth, left), strict=True), start=1):
            entries[truths.key_of(*key)] = value
            truths.write(entries)
            sys.stdout.write(f"true value {number}/{len(left)}: {key} {value[0]:.5f} +- {value[1]:.5f}\n")
            sys.stdout.flush()
    truths.stored.cache_clear()


def _simulated_truth(key: truths.Name) -> tuple[float, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return truths.simulate(*key)


def _without_formula(cell: Cell) -> Iterator[truths.Name]:
    for name in cell.measures:
        for value in set(cell.values):
            if not truths.has_formula(name, cell.model, value, cell.sizes):
                yield truths.name_of(name, cell.model, value, cell.sizes)
