"""Results by subgroup, and the covariance between subgroups that have patients in common."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyroc.engines.bins import scaled_weights
from polyroc.engines.evaluate import group_context
from polyroc.estimates.grouped import Group, Grouped, GroupResult, own_covariance
from polyroc.estimates.multiplicity import Adjustment
from polyroc.inference.covariance import between_repeats, influence, sampled_strata
from polyroc.inference.methods.method import Method
from polyroc.kernels.arrays import FloatArray, IntArray, row_products
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.scores import Scores
from polyroc.validation.subgroups import split_cases

__all__ = ["group_results"]

Evaluate = Callable[[Scores, Method | None], GroupResult]
Samples = Callable[[Scores, Measure], Mapping[str, Sample]]


def group_results(
    scores: Scores,
    evaluate: Evaluate,
    samples: Samples,
    measures: Sequence[Measure],
    method: Method | None,
    adjustment: Adjustment | None,
) -> Grouped:
    """Evaluate all cases, and the cases of each subgroup.

    Parameters
    ----------
    scores
        All cases, with the columns that divide them (`Scores.by`).
    evaluate
        From cases and a method to the result.
    samples
        From cases and a measure to the samples of the classifiers, as `evaluate` makes them.
    measures, method
        The measures, and how standard errors are made; resamples of subgroups are drawn independently.
    adjustment
        Of the p-values of pairs of subgroups.
    """
    cases = split_cases(scores)
    by, whole = tuple(scores.by), replace(scores, by={})
    overall = evaluate(whole, method)
    parts = {group: _part(whole, rows) for group, rows in cases.items()}
    groups: dict[Group, GroupResult] = {}
    for number, (group, part) in enumerate(parts.items(), 1):
        with group_context(group):
            groups[group] = evaluate(part, None if method is None else method.for_block(number))
    grouped = Grouped(by, groups, overall, adjustment)
    if method is None or len(cases) < 2 or not _are_dependent(scores, cases):
        return grouped
    if method.resamples:  # the resamples of different subgroups are independent, their cases are not
        return replace(grouped, dependent=True)
    covariance = {
        str(measure): _covariance(
            measure, [samples(part, measure) for part in parts.values()], grouped, whole, cases
        )
        for measure in measures
        if str(measure) in grouped.measures
    }
    return replace(grouped, covariance=covariance)


def _part(scores: Scores, rows: IntArray) -> Scores:
    """The cases of a subgroup; its weights may all be small against those of the others."""
    part = scores.subset(rows)
    return replace(part, sample_weight=scaled_weights(part.sample_weight))


def _are_dependent(scores: Scores, cases: Mapping[Group, IntArray]) -> bool:
    """True if a patient has cases in several subgroups, or all are evaluated by the same repeats."""
    units = scores.units
    if units is None:
        return False
    if scores.within_folds and scores.folds is not None and scores.folds.repeats > 1:
        return True
    return sum(len(np.unique(units[rows])) for rows in cases.values()) > len(np.unique(units))


def _covariance(
    measure: Measure,
    samples: Sequence[Mapping[str, Sample]],
    grouped: Grouped,
    whole: Scores,
    cases: Mapping[Group, IntArray],
) -> FloatArray:
    """The covariance of the estimates of all subgroups and classifiers.

    Between subgroups it is the sum over patients of the products of their influence values, each added up over the
    patient's cases in the subgroup (Obuchowski 1997), and with repeats that of the values of the repeats; within a
    subgroup it is that of the method.
    """
    assert whole.units is not None
    units, total = whole.units, int(whole.units.max()) + 1
    values: list[FloatArray] = []
    statistics: list[Statistic] = []
    for of_group, rows in zip(samples, cases.values(), strict=True):
        for sample in of_group.values():
            if sample.scores.absent:
                values.append(np.full(total, np.nan))
                statistics.append(Statistic(np.nan, lambda: (), by_fold=()))
                continue
            statistics.append(measure(sample))
            cases_influence = influence(sampled_strata(statistics[-1], sample.scores), sample.scores)
            values.append(np.asarray(np.bincount(units[rows], cases_influence, total), dtype=np.float64))
    matrix = row_products(np.array(values))
    if whole.within_folds and whole.folds is not None and whole.folds.repeats > 1:
        defined = [place for place, statistic in enumerate(statistics) if statistic.by_fold]
        matrix[np.ix_(defined, defined)] += between_repeats([statistics[place] for place in defined], whole)
    m = len(grouped.classifiers)
    for place, result in enumerate(grouped.groups.values()):
        block = slice(place * m, (place + 1) * m)
        own = own_covariance(result, str(measure))
        # An evaluation has no covariance of its classifiers; that of the influence values is not used.
        matrix[block, block] = own
    return matrix
