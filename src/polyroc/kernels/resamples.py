"""Bootstrap resamples as counts: weights of data that stay sorted, so that no replicate is sorted again.

Counts, weights and areas are computed for many replicates at once, one row each. Cases are grouped by class: class
k at starts[k] .. starts[k + 1].
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["pair_areas", "tally"]


@kernel
def tally(draws: CodeArray, start: int, counts: CodeArray) -> None:
    """Count in each row of `counts`, from the column `start` on, how often each number was drawn in that row.

    >>> counts = np.zeros((1, 4), dtype=np.int32)
    >>> tally(np.array([[2, 0, 2]], dtype=np.int32), 1, counts)
    >>> counts
    array([[0, 1, 0, 2]], dtype=int32)
    """
    for r in range(len(draws)):
        for i in range(draws.shape[1]):
            counts[r, start + draws[r, i]] += 1


@kernel
def _pair_areas(
    weight: npt.NDArray[Any],
    starts: IntArray,
    own: IntArray,
    falling: CodeArray,
    above: CodeArray,
    up_from: CodeArray,
    mass: npt.NDArray[Any],
    areas: FloatArray,
) -> None:
    for a in range(len(own)):  # a column: its class against every other
        first, last = starts[own[a]], starts[own[a] + 1]
        for r in range(len(weight)):
            # Cumulative weight of class i by falling score: mass[m] is that of its m highest cases.
            for i in range(last - first):
                mass[i + 1] = mass[i] + weight[r, falling[first + i]]
            for j in range(len(starts) - 1):
                if j == own[a]:
                    areas[r, a, j] = np.nan
                    continue
                twice = total = mass[0]  # zero, of the right type
                for z in range(starts[j], starts[j + 1]):
                    twice += weight[r, z] * (mass[above[a, z]] + mass[up_from[a, z]])
                    total += weight[r, z]
                areas[r, a, j] = twice / (2.0 * mass[last - first] * total)


def pair_areas(
    weight: npt.NDArray[Any],
    starts: IntArray,
    own: IntArray,
    falling: CodeArray,
    above: CodeArray,
    up_from: CodeArray,
) -> FloatArray:
    """Every A(i|j) of every replicate: one pass over the cases per column, without sorting or comparing.

    With integer weights the sums are of integers, exact up to the last division.

    Parameters
    ----------
    weight
        Counts, or counts times weights, of shape (replicates, cases); no class without any.
    starts
        Where each class begins.
    own
        The classes i that have a column.
    falling
        At starts[i] .. starts[i + 1] the cases of class i, by falling score in its own column.
    above, up_from
        At [a, z], how many cases of class own[a] score higher than case z in that column, and as high or higher.

    Returns
    -------
    At [r, a, j] the share of pairs (x of class own[a], z of class j) of replicate r with x higher, ties one half;
    nan for a class against itself.
    """
    whole = np.issubdtype(weight.dtype, np.integer)
    mass = np.zeros(weight.shape[1] + 1, dtype=np.int64 if whole else np.float64)
    areas = np.empty((len(weight), len(own), len(starts) - 1))
    _pair_areas(weight, starts, own, falling, above, up_from, mass, areas)
    return areas
