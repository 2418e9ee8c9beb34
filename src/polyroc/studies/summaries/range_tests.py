"""Multiple range tests: Duncan's and Tukey's on means over folds; Nemenyi's on mean ranks shares their groups."""

from collections.abc import Mapping

import numpy as np

from polyroc._normalise import Missing
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.results import Provenance
from polyroc.results.range_test import NAMES, Procedure, RangeTest
from polyroc.results.rounding import tidy
from polyroc.studies.summaries.anova import anova
from polyroc.studies.summaries.studentized_range import range_probability, range_quantile
from polyroc.studies.summaries.tables import Table, checked_alpha, direction

__all__ = ["duncan", "range_test", "tukey"]


def duncan(table: Table, *, alpha: float = 0.05, missing: Missing = "refuse") -> RangeTest:
    """Groups of learners that Duncan's multiple range test does not tell apart (Bradley 1997, section 7.2).

    The range of p neighbouring means is significant if it exceeds R_p = r_p sqrt(MSE / folds), where r_p is the
    quantile of the studentized range of p means at probability (1 - alpha)^(p - 1), and MSE is that of `anova`.
    A range inside one that is not significant is not significant (containment). With few degrees of freedom the
    formula's r_p fall again as p grows; as in Duncan's table, the largest so far counts.

    The p-value of a pair is the smallest level at which it would be told apart by this rule.

    Parameters
    ----------
    table, missing
        As in `anova`.
    alpha
        The level for two neighbours; for a range of p means it is 1 - (1 - alpha)^(p - 1), so nine equal learners
        have some difference found among them up to a third of the time at alpha = 0.05. Tukey's test holds the
        level for all pairs together.

    References
    ----------
    Duncan, Biometrics 11 (1955) 1-42.

    Examples
    --------
    >>> found = duncan({"a": [3, 4, 5], "b": [5, 5, 8], "c": [1, 4, 4]})
    >>> found.letters
    {'b': 'a', 'a': 'ab', 'c': 'b'}
    """
    return _of_means("duncan", table, alpha, missing)


def tukey(table: Table, *, alpha: float = 0.05, missing: Missing = "refuse") -> RangeTest:
    """Groups of learners that Tukey's honestly significant difference does not tell apart.

    Two means differ if they are more than q sqrt(MSE / folds) apart, where q is the quantile of the studentized
    range of all means at 1 - alpha, and MSE is that of `anova`. The chance that any of the equal ones is told
    apart is alpha at most.

    Parameters
    ----------
    table, missing
        As in `anova`.
    alpha
        The level, for all pairs together.

    Examples
    --------
    >>> found = tukey({"a": [3, 4, 5], "b": [5, 5, 8], "c": [1, 4, 4]})
    >>> found.groups, round(found.pvalue("b", "c"), 4)
    ((('b', 'a'), ('a', 'c')), 0.034)
    """
    return _of_means("tukey", table, alpha, missing)


def _of_means(procedure: Procedure, table: Table, alpha: float, missing: Missing) -> RangeTest:
    checked_alpha(alpha)
    found = anova(table, missing=missing)
    method = f"{NAMES[procedure]} at level {alpha:g}"
    return range_test(
        procedure,
        found.means,
        found.standard_error,
        found.df[1],
        alpha,
        better=direction(found.measure),
        data_set=found.data_set,
        measure=found.measure,
        assumes=found.assumes,
        provenance=Provenance({}, method, dropped=found.provenance.dropped),
    )


def range_test(
    procedure: Procedure,
    values: Mapping[str, float],
    standard_error: float,
    df: float,
    alpha: float,
    *,
    better: float,
    **said: object,
) -> RangeTest:
    """Sort, hold every range against its critical one, and gather the longest that are not significant."""
    order = sorted(values, key=lambda name: -better * values[name])
    y = np.array([values[name] for name in order])
    ranges = tidy(np.abs(y[:, None] - y), np.abs(y).max())
    critical = standard_error * _quantiles(procedure, len(y), df, alpha)
    pvalues = _contained(_pvalues(procedure, ranges, standard_error, df))
    i, j = np.triu_indices(len(y), 1)
    within = np.zeros(ranges.shape, dtype=bool)
    within[i, j] = ranges[i, j] <= critical[j - i - 1]
    groups = tuple(tuple(order[a:b]) for a, b in _longest(within))
    return RangeTest(
        procedure=procedure,
        values={name: values[name] for name in order},
        groups=groups,
        critical_ranges=tuple(critical.tolist()),
        pvalues=pvalues,
        standard_error=standard_error,
        df=df,
        alpha=alpha,
        **said,  # type: ignore[arg-type]
    )


def _quantiles(procedure: Procedure, k: int, df: float, alpha: float) -> FloatArray:
    """The critical studentized ranges of 2 .. k means."""
    if procedure != "duncan":
        return np.full(k - 1, range_quantile(1 - alpha, k, float(df)))
    found = [range_quantile((1 - alpha) ** (p - 1), p, float(df)) for p in range(2, k + 1)]
    return np.maximum.accumulate(found)


def _pvalues(procedure: Procedure, ranges: FloatArray, standard_error: float, df: float) -> FloatArray:
    """Of each range by itself, above the diagonal; without any error 1 for no range, else nan."""
    k = len(ranges)
    found = np.ones((k, k))
    above = np.triu_indices(k, 1)
    if standard_error == 0:
        found[above] = np.where(ranges[above] == 0, 1.0, np.nan)
        return found
    q = ranges[above] / standard_error
    if procedure != "duncan":
        found[above] = 1 - range_probability(q, [k], df)[:, 0]
        return found
    spans = np.arange(2, k + 1)
    each = 1 - range_probability(q, spans.tolist(), df) ** (1 / (spans - 1))
    # The critical range is the largest so far, and so is the level that is needed to exceed it.
    largest = np.maximum.accumulate(each, axis=1)
    found[above] = largest[np.arange(len(q)), above[1] - above[0] - 1]
    return found


def _contained(pvalues: FloatArray) -> FloatArray:
    """Containment: a pair cannot be told apart at a level at which a range around it is not significant."""
    above = np.where(np.tri(len(pvalues), dtype=bool), np.nan, pvalues)
    wider = np.fmax.accumulate(np.fmax.accumulate(above, axis=0)[:, ::-1], axis=1)[:, ::-1]
    found = np.triu(wider, 1)
    return found + found.T + np.eye(len(found))


def _longest(within: BoolArray) -> list[tuple[int, int]]:
    """The maximal ranges start .. stop that are not significant; what is inside one needs no test of its own."""
    runs: list[tuple[int, int]] = []
    end = 0
    for start in range(len(within)):
        last = max([start, *np.flatnonzero(within[start]).tolist()]) + 1
        if last > end:
            runs.append((start, last))
            end = last
    return runs
