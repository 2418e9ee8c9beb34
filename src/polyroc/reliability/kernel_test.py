"""The kernel test that rows of probabilities are right (Widmann, Lindsten & Zachariah 2019).

Of a case with the row p and the class y, the residual e(y) - p has the expectation 0 given p if the rows are
right. The squared kernel calibration error is the mean over pairs of cases of k(p, p') times the inner product of
their residuals; its expectation is 0 if rows are right. Its distribution under this hypothesis is that of classes
drawn from the rows, whatever the number of cases.
"""

from collections.abc import Callable
from math import nan
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.scores import Scores

__all__ = ["KernelTest", "kernel_test"]

LANDMARKS = 64  # rows to which all are compared: the rank of the kernel
MOST_CASES = 10_000
ROUNDING = 1e-13
CELLS_AT_ONCE = 2**19  # classes x cases of samples that are simulated together


class KernelTest(NamedTuple):
    """The squared kernel calibration error, an unbiased estimate that may be below 0, and its p-value.

    Attributes
    ----------
    value
        The mean over pairs of different cases.
    pvalue
        The share of samples, with classes drawn from the probabilities, in which it is as large; nan with groups.
    """

    value: float
    pvalue: float


def kernel_test(scores: Scores, table: FloatArray, n: int, rng: np.random.Generator) -> KernelTest:
    """The test of one classifier's rows, by n simulated samples.

    The kernel is exp(-|p - p'| / median distance), restricted to what 64 of the rows, drawn at random, span
    (Nystroem's method), so that time is linear in the number of cases. This is a kernel, too: the test stays
    valid. Of more than 10,000 cases, so many are drawn.

    Parameters
    ----------
    scores
        The true classes, weights and groups.
    table
        The rows of probabilities, which sum to 1.
    n, rng
        Number of simulated samples and random numbers.
    """
    counted = np.arange(len(table)) if scores.sample_weight is None else np.flatnonzero(scores.sample_weight > 0)
    if len(counted) > MOST_CASES:
        counted = rng.choice(counted, MOST_CASES, replace=False)
    weight = np.ones(len(counted)) if scores.sample_weight is None else scores.sample_weight[counted]
    table, codes = table[counted], scores.codes[counted]
    error = _error(table, weight / weight.mean(), rng)
    own = float(error(np.stack([codes > k for k in range(table.shape[1] - 1)])[:, None])[0])
    if scores.units is not None or len(counted) < 2:
        return KernelTest(own, nan)
    edges = table.cumsum(axis=1)[:, :-1].T
    at_once = max(1, CELLS_AT_ONCE // table.size)
    draws = np.concatenate(
        [
            error(rng.random((min(at_once, n - start), len(table))) >= edges[:, None])
            for start in range(0, n, at_once)
        ]
    )
    return KernelTest(own, float((1.0 + np.count_nonzero(draws >= own - ROUNDING)) / (n + 1.0)))


def _error(table: FloatArray, weight: FloatArray, rng: np.random.Generator) -> Callable[[BoolArray], FloatArray]:
    """The squared errors as a function of the classes of several samples.

    These are given at [k, sample, case] as whether the class is after class k, so that a sum over the cases of a
    class is a difference of two products of matrices, for many samples at once.
    """
    features = weight[:, None] * _features(table, rng)
    norms, squares = (features**2).sum(axis=1), (table**2).sum(axis=1)
    pairs = float(weight.sum() ** 2 - (weight**2).sum())
    predicted = table.T @ features
    own = norms[:, None] * table  # by class, what it takes from the squared length of a case's residual, halved

    def error(after: BoolArray) -> FloatArray:
        sums = [features.sum(axis=0)[None]]  # of the cases whose class is at or after each
        shares = np.full(after.shape[1], own[:, 0].sum())
        for k, later in enumerate(after.astype(np.float64)):
            sums.append(later @ features)
            shares += later @ (own[:, k + 1] - own[:, k])
        ends = [*sums[1:], np.zeros((1, features.shape[1]))]
        deviations = sum(
            ((start - end - mean) ** 2).sum(axis=1) for start, end, mean in zip(sums, ends, predicted, strict=True)
        )
        lengths = norms @ (1.0 + squares) - 2.0 * shares  # of the residuals, squared: a case is no pair
        return np.asarray((deviations - lengths) / pairs if pairs > 0 else np.full(len(shares), nan))

    return error


def _features(table: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Rows whose inner products are the kernel on the span of the landmarks."""
    distinct = np.unique(table, axis=0)
    chosen = distinct[rng.choice(len(distinct), min(LANDMARKS, len(distinct)), replace=False)]
    distances = _distances(table, chosen)
    width = float(np.median(distances)) or 1.0
    values, axes = np.linalg.eigh(np.exp(-_distances(chosen, chosen) / width))
    kept = values > 1e-10 * values.max()
    return np.asarray(np.exp(-distances / width) @ (axes[:, kept] / np.sqrt(values[kept])))


def _distances(first: FloatArray, second: FloatArray) -> FloatArray:
    squares = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1) - 2.0 * first @ second.T
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))
