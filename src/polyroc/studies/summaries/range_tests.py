"""The studentized range: quick enough to hold every pair of many learners against it.

scipy.stats.studentized_range takes about 20 ms for one probability and 0.2 s for a quantile; twenty learners have
190 pairs. Here the same integral is a sum over one grid for all numbers of means at once, tens of times
quicker; tests hold it against scipy's.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import inf, isinf, sqrt

import numpy as np

from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.results.provenance import Provenance
from polyroc.studies.summaries.anova import anova
from polyroc.studies.summaries.input_tables import Table, direction, tidy
from polyroc.studies.summaries.range_groups import NAMES, Procedure, RangeTest
from polyroc.validation.arguments import checked_alpha
from polyroc.validation.arrays import Missing

__all__ = ["duncan", "range_probability", "range_quantile", "range_test", "tukey"]


REACH, STEP = 8.6, 0.2  # of the grid over a normal variable: what is beyond weighs less than rounding


def range_probability(q: FloatArray, means: Sequence[int], df: float) -> FloatArray:
    """P(range of k independent normal means / their estimated standard error <= q): a row per q, a column per k.

    The numbers of means k rise.

    With S the root of a chi-square by its df,

        P = E k integral phi(z) [Phi(z) - Phi(z - q S)]^(k - 1) dz

    by the trapezoidal rule in z and log S. The integrands are analytic and fall off at both ends exponentially or
    faster, so the rule's error falls exponentially with its step and is rounding here.

    >>> range_probability(np.array([3.5]), [2, 5], 72.0).round(4)
    array([[0.9843, 0.8921]])
    """
    from scipy.special import ndtr

    s, weight = _chi_grid(df)
    z = np.arange(-REACH, REACH + STEP / 2, STEP)
    density = STEP * np.exp(-0.5 * z**2) / sqrt(2 * np.pi)
    found = np.empty((len(q), len(means)))
    for row, each in enumerate(q):
        below = ndtr(z) - ndtr(z - float(each) * s[:, None])  # chance that a mean is in the range below z
        power = below
        for column, (before, k) in enumerate(pairwise([2, *means])):
            for _ in range(k - before):
                power = power * below
            found[row, column] = k * (weight @ (power @ density))
    return np.clip(found, 0.0, 1.0)


@lru_cache(maxsize=64)
def _chi_grid(df: float) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of S, evenly spaced in its logarithm."""
    if isinf(df):
        return np.ones(1), np.ones(1)
    width = 1 / sqrt(2 * df)
    step = min(0.06, width / 1.5)
    t = np.arange(-(38 / df + 6 * width), 9 * width + step, step)
    density = np.exp(df * (t - 0.5 * np.expm1(2 * t)))
    return np.exp(t), density / density.sum()


@lru_cache(maxsize=4096)
def range_quantile(probability: float, means: int, df: float) -> float:
    """The q with this probability: `range_probability` turned round.

    Duncan's table has it at probability (1 - alpha)^(k - 1); for 72 degrees of freedom, as in Bradley (1997):

    >>> [round(range_quantile(0.95 ** (k - 1), k, 72.0), 4) for k in range(2, 10)]
    [2.8192, 2.9662, 3.0634, 3.1343, 3.1892, 3.2332, 3.2695, 3.3001]
    """
    from scipy.optimize import brentq

    def excess(q: float) -> float:
        return float(range_probability(np.array([q]), [means], df)[0, 0]) - probability

    high = 4.0
    while excess(high) < 0 and high < inf:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-11, rtol=1e-13))


def duncan(table: Table, *, alpha: float = 0.05, missing: Missing = "raise") -> RangeTest:
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


def tukey(table: Table, *, alpha: float = 0.05, missing: Missing = "raise") -> RangeTest:
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
