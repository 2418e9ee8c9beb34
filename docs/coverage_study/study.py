"""What is recorded in each kind of cell."""

import math
import warnings
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import decision_study
import numpy as np
import truths
from grid import Cell
from models import Data, draw
from quantities import Result, Setting, compare, divide, evaluate, evaluate_binned, options
from records import LEVEL, Ends, Rows, Tally, interval_row, rejection_row, row_of, samples_of, true_value

import polyroc as pr

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
RESAMPLES = 400


def simulate(cell: Cell, share: float = 1.0) -> Rows:
    """The rows of one cell, from a share of the replicates."""
    run = {
        "single": _singles,
        "pair": _pairs,
        "several": _several,
        "band": _bands,
        "binned": _binned,
        "curves": decision_study.compare_curves,
        "curve power": decision_study.find_differences,
        "subgroups": _subgroups,
        "unequal subgroups": _unequal_subgroups,
        "choice": decision_study.choose_thresholds,
        "searched": decision_study.search_rules,
        "decisions": decision_study.compare_decisions,
    }[cell.kind]
    replicates = max(10, round(share * cell.replicates))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(run(cell, replicates))


def _singles(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Intervals of single values, and one-sample tests against the true value."""
    true = {name: true_value(cell, name) for name in cell.measures}
    tallies: dict[str, dict[str, Tally]] = {name: {"default": Tally()} for name in cell.measures}
    pvalues: dict[str, dict[str, list[float]]] = {name: {} for name in cell.measures}
    for replicate, data, setting in samples_of(cell, replicates):
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
        yield interval_row(cell, "interval", name, true[name], tallies[name])
        for test, p in pvalues[name].items():
            yield rejection_row(cell, "one_sample", name, p, test) | {"truth": f"{true[name]:.6f}"}


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
        formula = evaluate(name, data, setting, pr.methods.HanleyMcNeil("exponential"))
        tallies.setdefault("hanley_mcneil", Tally()).add(formula.ends)


def _methods(cell: Cell, replicate: int) -> dict[str, Any]:
    """Methods beside the default: in cells with a bootstrap, which is slow, in their first replicates."""
    if replicate >= cell.bootstrap:
        return {}
    methods: dict[str, Any] = {
        "bca": pr.methods.Bootstrap(replicates=RESAMPLES, kind="bca", rng=replicate),
        "percentile": pr.methods.Bootstrap(replicates=RESAMPLES, kind="percentile", rng=replicate),
        "jackknife": pr.methods.Jackknife(),
        "unbiased": pr.methods.Unbiased(),
    }
    if cell.kind == "pair" and cell.has_equal_values:
        methods["permutation"] = pr.methods.Permutation(replicates=RESAMPLES, rng=replicate)
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
    true = {name: true_value(cell, name, 0) - true_value(cell, name, 1) for name in cell.measures}
    tallies = {name: {kind: Tally() for kind in ("default", "wald", "mover")} for name in cell.measures}
    pvalues: dict[str, dict[str, list[float]]] = {name: {} for name in cell.measures}
    for replicate, data, setting in samples_of(cell, replicates):
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
        yield interval_row(cell, "difference", name, true[name], tallies[name])
        for test, p in pvalues[name].items():
            for kind, level in PAIR_TESTS[test]:
                yield rejection_row(cell, kind, name, p, test, level)


PAIR_TESTS = {
    "two-sided": (("superiority", 0.05),),
    "permutation": (("superiority", 0.05),),
    "one-sided": (("non_inferiority", 0.05), ("non_inferiority", 0.025)),
    "two one-sided": (("equivalence", 0.05),),
}


def _add_intervals(comparison: pr.results.Comparison | None, tallies: dict[str, Tally]) -> None:
    """The intervals of the difference in one sample."""
    tallies["default"].add(_ends(comparison))
    tallies["wald"].add((math.nan, math.nan) if comparison is None else wald(comparison.difference("0", "1")))
    tallies["mover"].add((math.nan, math.nan) if comparison is None else mover(comparison))


def _add_pair_tests(
    cell: Cell, comparison: pr.results.Comparison | None, margin: float, pvalues: dict[str, list[float]]
) -> None:
    """The p-value of equality, or of inferiority and of difference by the margin."""
    pair = None if comparison is None else comparison.difference("0", "1")
    if cell.has_equal_values:
        pvalues.setdefault("two-sided", []).append(_pvalue(comparison))
        return
    pvalues.setdefault("one-sided", []).append(math.nan if pair is None else pair.non_inferiority(margin))
    pvalues.setdefault("two one-sided", []).append(math.nan if pair is None else pair.equivalence(margin))


def _ends(comparison: pr.results.Comparison | None) -> Ends:
    if comparison is None:
        return math.nan, math.nan
    return tuple(comparison.difference("0", "1").confidence_interval(LEVEL))


def _pvalue(comparison: pr.results.Comparison | None) -> float:
    return math.nan if comparison is None else comparison.difference("0", "1").pvalue


def wald(difference: pr.results.Difference) -> Ends:
    """Value plus or minus 1.96 standard errors, cut at the limits."""
    reach, (low, high) = 1.959963984540054 * difference.standard_error, difference.limits
    return max(low, difference.value - reach), min(high, difference.value + reach)


def mover(comparison: pr.results.Comparison) -> Ends:
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
    values = [true_value(cell, name, i) for i in range(len(cell.values))]
    true = np.array([values[i] - values[j] for i, j in combinations(range(len(values)), 2)])
    pvalues, inside, missing, widths = [], [], [], []
    for _, data, setting in samples_of(cell, replicates):
        comparison = compare(name, data, setting)
        if comparison is None:
            raise ValueError(f"{name} must be defined in every sample of a cell with several classifiers.")
        pvalues.append(comparison.pvalue)
        ends = np.array([pair.adjusted_interval(LEVEL) for pair in comparison.differences.values()])
        inside.append(bool(((ends[:, 0] <= true + 1e-9) & (true - 1e-9 <= ends[:, 1])).all()))
        missing.append(bool(np.isnan(ends).any()))
        widths.append(float(np.median(ends[:, 1] - ends[:, 0])))
    if cell.has_equal_values:
        yield rejection_row(cell, "omnibus", name, pvalues, "all equal")
    summary = {"rate": float(np.mean(inside)), "nan_share": float(np.mean(missing))}
    summary["median_width"] = float(np.nanmedian(widths))
    yield row_of(cell, "simultaneous", name, nominal=f"{LEVEL:g}", replicates=replicates, **summary)


def _bands(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """The pointwise band of the ROC curve at some false positive rates, or of the PR curve at some recalls."""
    rates = [float(name.split()[-1]) for name in cell.measures]
    kind: Any = "roc" if cell.measures[0].startswith("tpr") else "pr"
    tallies = {name: Tally() for name in cell.measures}
    for _, data, setting in samples_of(cell, replicates):
        curve: Any = pr.curve(
            data.y, data.scores[0], kind=kind, band="pointwise", **options(pr.curve, data, setting)
        )
        band = curve.band
        for name, rate in zip(cell.measures, rates, strict=True):
            tallies[name].add((np.interp(rate, band.x, band.low), np.interp(rate, band.x, band.high)))
    for name in cell.measures:
        true = truths.height(name, cell.model, cell.values[0], cell.sizes)
        yield interval_row(cell, "band", name, true, {"default": tallies[name]})


def _binned(cell: Cell, replicates: int) -> Iterator[dict[str, str]]:
    """Intervals and two-sided tests from a tally: its bounds are part of them where they are not negligible."""
    (name,) = cell.measures
    true, bits = true_value(cell, name), f"{cell.bits} bits"
    tallies, pvalues = {"default": Tally()}, []
    for _, data, setting in samples_of(cell, replicates):
        estimate = evaluate_binned(name, data, setting, cell.bits)
        tallies["default"].add(estimate.confidence_interval(LEVEL))
        pvalues.append(estimate.test(true))
    yield interval_row(cell, "binned", name, true, tallies) | {"test": bits}
    yield rejection_row(cell, "binned_test", name, pvalues, bits) | {"truth": f"{true:.6f}"}


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
        yield rejection_row(cell, kind, name, p, f"{cell.subgroups} subgroups{test}")


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
    true = true_value(cell, name, 0) - true_value(cell, name, 1)
    tally, setting = Tally(), truths.setting_of(cell.model)
    for replicate in range(replicates):
        rng = cell.rng(replicate)
        first, second = (draw(cell.model, (value,), cell.sizes, rng) for value in cell.values)
        scores = [np.concatenate([first.scores[0], second.scores[0]])]
        data = first._replace(y=np.concatenate([first.y, second.y]), scores=scores)
        by = np.repeat([0, 1], [len(first.y), len(second.y)])
        tally.add(tuple(divide(name, data, setting, by).between().difference("0", "1").confidence_interval(LEVEL)))
    yield interval_row(cell, "subgroup_difference", name, true, {"default": tally})
