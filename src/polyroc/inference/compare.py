"""The verb `compare`: whether classifiers are equal, and if not, which differ."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack, overload

import numpy as np

from polyroc._results.provenance import UNPAIRED
from polyroc.data_options import DataOptions, cases_in_memory, cases_of
from polyroc.engines.options import EngineOptions
from polyroc.engines.support import Verb
from polyroc.errors import InputError
from polyroc.estimates.comparison import (
    Comparison,
    accelerations_of,
    adjusted_comparison,
    compare_estimates,
)
from polyroc.estimates.difference import Difference
from polyroc.estimates.estimate import Estimate, warn_of_few_effective
from polyroc.estimates.grouped import Grouped
from polyroc.estimates.multiplicity import Adjustment
from polyroc.inference.estimation import Estimates, estimate_measure
from polyroc.inference.evaluate import Options, cases_for, select_measures, warn_of_absent, warn_of_small
from polyroc.inference.methods import DEFAULT, Method, as_method
from polyroc.inference.methods.method import PairedPvalues
from polyroc.inference.subgroups import group_results
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.threads import thread_limit
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.measures.sample import Sample
from polyroc.messages import Option
from polyroc.progress import Progress, ProgressOption, progress_callback
from polyroc.scores import Scores
from polyroc.validation.random import NJobs, count_workers
from polyroc.validation.signatures import own_check, validated

if TYPE_CHECKING:
    from polyroc.engines.request import EngineResult

__all__ = ["Test", "case_blocks", "compare", "name_in_block"]

Test = Literal["score", "delong", "permutation", "bootstrap"]


@overload
def compare(
    data: Any,
    y_score: Mapping[Any, Any] | None = ...,
    *,
    measure: str | Measure,
    by: Any,
    test: Test = ...,
    **options: Unpack[Options],
) -> Grouped: ...
@overload
def compare(
    data: Any,
    y_score: Mapping[Any, Any] | None = ...,
    *,
    measure: str | Measure,
    test: Test = ...,
    **options: Unpack[Options],
) -> Comparison: ...


@validated
def compare(
    data: Any,
    y_score: Annotated[Mapping[Any, Any] | None, own_check] = None,
    *,
    measure: str | Measure,
    method: Method | str | None = DEFAULT,
    test: Test = "score",
    adjustment: Adjustment | None = "max-t",
    progress: ProgressOption = None,
    n_jobs: NJobs = None,
    **data_options: Unpack[DataOptions],
) -> Comparison | Grouped:
    """Compare two or more classifiers by one measure.

    Classifiers evaluated on the same cases are paired: what they have in common cancels out of the difference.

    Parameters
    ----------
    data, y_score
        True classes and a dict of scores by classifier, or `Scores` of several classifiers: paired; or a file or a
        data frame with `truth` and `scores`, as in `evaluate`. A dict by name instead, of `Scores` or of pairs
        (y_true, y_score): different cases, unpaired.
    measure
        A key such as "hand_till".
    method
        How the covariance is made: `Influence()`, `Unbiased()`, `Bootstrap()`, `Jackknife()`, `HanleyMcNeil()` of
        areas, or one of these by name ("bootstrap"); `Permutation()` makes the p-values by exchanging
        paired classifiers, `McNemar()` those of proportions of right decisions, and intervals are stretched to
        agree. With `Bootstrap()` intervals are of the kind that
        it names, from the replicates of the difference (sets of different cases are drawn independently). All
        other p-values are inversions of the interval of the difference (see `Difference`): p < 0.05 if and only if
        the 95 % interval excludes 0.
    test
        "score" (default): the score test of the difference, unless the method has a test of its own; "delong":
        DeLong's test of areas, z = difference / standard error; "permutation" or "bootstrap": that of the method
        of this name. Each has the interval that belongs to it; docs/intervals.md compares them.
    adjustment
        Of the p-values of all pairs: "max-t" (from the joint covariance; see `MaxT`), "holm", "bonferroni",
        "benjamini-hochberg", or None. The intervals beside them are simultaneous, with Holm's those of max-t; with
        Benjamini & Hochberg's they are FCR-adjusted (see `polyroc.estimates.multiplicity.critical_value`).
    progress
        For files: True for a progress bar, or a function called with (done, total, message), as in `evaluate`.
    n_jobs
        How many threads, as in `evaluate`.
    data_options
        As in `evaluate`. With `by` there is one comparison for each subgroup: its p-values are adjusted for the
        pairs within it; `Grouped.adjusted_over_groups` also for the number of subgroups, `Grouped.interaction`
        tests whether a difference is the same in all subgroups, and `Grouped.between` whether a classifier has the
        same value in all. With `folds`, differences are averaged over the pairs of models trained on the same
        cases, and tests are about these trained models.

    Examples
    --------
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> one, two = [1, 2, 3, 4, 6, 5, 7, 8, 9, 10], [2, 1, 6, 9, 3, 4, 7, 8, 5, 10]
    >>> comparison = compare(y, {"one": one, "two": two}, measure="auc")
    >>> comparison
    Comparison(auc: one 0.9600, two 0.7600; all equal: p = 0.307)
    >>> round(comparison.difference("one", "two").standard_error, 4)
    0.1897
    """
    method = _tested_by(test, as_method(method) or DEFAULT)
    by = data_options.get("by")
    with progress_callback(progress) as report, thread_limit(None if n_jobs is None else count_workers(n_jobs)):
        if isinstance(data, Mapping):
            if by is not None:
                raise InputError(
                    Option("by"),
                    " divides cases that all classifiers have in common; compare a dict of Scores without it.",
                )
            blocks = case_blocks("compare", data, y_score, data_options)
            return _compare_blocks(blocks, measure, method, adjustment)
        cases = cases_of("compare", data, y_score, data_options, method)
        if not isinstance(cases, Scores):
            return _compare_rows(cases, find(measure), method, adjustment, report)
        if by is not None:
            return _compare_groups(cases, measure, method, adjustment)
        return _compare_blocks({"": cases}, measure, method, adjustment)


def _tested_by(test: Test, method: Method) -> Method:
    """Return the method that makes this test: the default one by its name, another if it is the same."""
    if test == "score" or method.name == test:
        return method
    if method != DEFAULT:
        raise InputError(
            Option("test", test),
            f" needs the method {test!r}, got {method.name!r}; leave out ",
            Option("method", ...),
        )
    chosen = as_method(test)
    assert chosen is not None
    return chosen


def _compare_blocks(
    blocks: Mapping[str, Scores], measure: str | Measure, method: Method, adjustment: Adjustment | None
) -> Comparison:
    """Compare all classifiers: those of one set of cases are paired."""
    measure = find(measure)
    for scores in blocks.values():
        select_measures([measure], scores, converts=True)
    blocks = {prefix: cases_for(measure, scores) for prefix, scores in blocks.items()}
    estimates: dict[str, Estimate] = {}
    estimated: list[Estimates] = []
    for number, (prefix, scores) in enumerate(blocks.items()):
        block = _estimate_block(scores, measure, method.for_block(number))
        for classifier, estimate in block.estimates.items():
            name = name_in_block(prefix, classifier, scores)
            origin = replace(estimate.provenance, pairing=UNPAIRED) if prefix else estimate.provenance
            estimates[name] = replace(estimate, classifier=name, provenance=origin)
        estimated.append(block)
    _require_two(estimates)
    covariance = _block_diagonal([block.covariance for block in estimated])
    influence = _block_diagonal([block.influence for block in estimated])
    accelerations = accelerations_of(estimates, influence)
    comparison = compare_estimates(
        estimates, covariance, accelerations, measure.larger_is_better, adjustment, method.test
    )
    pvalues = method.paired_pvalues(measure, blocks.get(""))
    return comparison if pvalues is None else _with_pvalues(comparison, pvalues)


def _compare_groups(
    scores: Scores, measure: str | Measure, method: Method, adjustment: Adjustment | None
) -> Grouped:
    """Compare the classifiers in every subgroup of the cases."""
    _require_two(scores.classifiers)
    measure = find(measure)

    def compare_part(part: Scores, method: Method | None) -> Comparison:
        assert method is not None
        return _compare_blocks({"": part}, measure, method, adjustment)

    def samples(part: Scores, _: Measure) -> dict[str, Sample]:
        return {classifier: Sample(cases_for(measure, part), classifier) for classifier in part.classifiers}

    return group_results(scores, compare_part, samples, [measure], method, adjustment)


def _compare_rows(
    cases: EngineOptions,
    measure: Measure,
    method: Method,
    adjustment: Adjustment | None,
    progress: Progress | None,
) -> Comparison | Grouped:
    """Compare classifiers whose scores an engine reads."""
    from polyroc.engines.evaluate import estimate_dataset, estimate_groups

    def result(solution: "EngineResult", _: object = None) -> Comparison:
        estimates = {classifier: estimate for (classifier, _), estimate in solution.estimates.items()}
        no_influence = np.empty((len(estimates), 0))
        accelerations = accelerations_of(estimates, no_influence)
        larger = measure.larger_is_better
        return compare_estimates(estimates, solution.covariance, accelerations, larger, adjustment, method.test)

    engine_arguments: dict[str, Any] = {
        "check": lambda schema: _require_two(schema.classifiers),
        "paired": True,
        "progress": progress,
    }
    if cases.by:
        groups, overall = estimate_groups(cases, measure, result, **engine_arguments)
        return Grouped(cases.by, groups, overall, adjustment, dependent=cases.groups is not None or None)
    return result(estimate_dataset(cases, measure, **engine_arguments)[0])


def _require_two(classifiers: Collection[str]) -> None:
    if len(classifiers) < 2:
        raise InputError(
            f"A comparison needs at least two classifiers, got {', '.join(map(repr, classifiers))}; "
            "name each, as in ",
            Option("y_score", {"NAME": ...}),
            ".",
        )


def case_blocks(verb: Verb, data: Any, y_score: Any, options: DataOptions) -> dict[str, Scores]:
    """Return the sets of cases in memory: one if the classifiers are paired, one for each if not."""
    if not isinstance(data, Mapping):
        return {"": cases_in_memory(verb, data, y_score, options)}
    invalid = [name for name, cases in data.items() if not (isinstance(cases, Scores) or _is_pair(cases))]
    if invalid or not data:
        raise InputError(
            "To compare classifiers on different cases, give a dict of Scores, or of (y_true, y_score), by name"
            + (f"; {invalid[0]!r} is a {type(data[invalid[0]]).__name__}." if invalid else "; got an empty one.")
        )
    blocks = {}
    for name, cases in data.items():
        first, second = cases if _is_pair(cases) and y_score is None else (cases, y_score)
        blocks[str(name)] = cases_in_memory(verb, first, second, options)
    return blocks


def _is_pair(cases: Any) -> bool:
    return isinstance(cases, tuple) and len(cases) == 2


def name_in_block(prefix: str, classifier: str, scores: Scores) -> str:
    """The name of a classifier among those of all sets of cases."""
    if not prefix:
        return classifier
    return prefix if len(scores.classifiers) == 1 else f"{prefix}: {classifier}"


def _estimate_block(scores: Scores, measure: Measure, method: Method) -> Estimates:
    """The classifiers on one set of cases."""
    warn_of_absent(scores, [measure])
    samples = {classifier: Sample(scores, classifier) for classifier in scores.classifiers}
    block = estimate_measure(measure, method, samples)
    warn_of_small(scores, {(name, str(measure)): estimate for name, estimate in block.estimates.items()})
    warn_of_few_effective(block.estimates.values())
    return block


def _block_diagonal(blocks: Sequence[FloatArray]) -> FloatArray:
    whole, row, column = np.zeros(np.sum([block.shape for block in blocks], axis=0)), 0, 0
    for block in blocks:
        rows, columns = block.shape
        whole[row : row + rows, column : column + columns] = block
        row, column = row + rows, column + columns
    return whole


def _with_pvalues(comparison: Comparison, pvalues: PairedPvalues) -> Comparison:
    """The same comparison with p-values of the method's own, and intervals stretched to agree with them."""
    stretched = {
        pair: replace(difference, pvalue=pvalues.pairs[pair], stretch=_stretch(difference, pvalues.pairs[pair]))
        for pair, difference in comparison.differences.items()
    }
    z = {pair: difference.z_value() for pair, difference in stretched.items()}
    adjusted = adjusted_comparison(
        comparison.estimates, comparison.covariance, stretched, z, comparison.adjustment
    )
    return replace(adjusted, pvalue=pvalues.all_equal)


def _stretch(difference: Difference, pvalue: float) -> float:
    """The factor on z with which the interval of the difference just reaches 0 at the level 1 - pvalue."""
    if not pvalue > 0:  # below the smallest number
        return 1.0
    z, expected = abs(difference.z_value()), -NormalDist().inv_cdf(pvalue / 2.0)  # not 1 - p / 2, which may be 1
    return z / expected if 0 < z < np.inf and expected > 0 else 1.0
