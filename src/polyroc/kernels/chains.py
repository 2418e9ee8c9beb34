"""Chains of cases, one per class, whose scores do not fall: one dynamic programme counts them all.

A chain through classes 1 .. c is worth 1 if its scores rise, and 1/m! for every block of m equal scores; shares of
the classes (counts / class size) stand for counts, so that the worth of all chains is a probability.
"""

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.compiling import kernel

__all__ = ["chain_components", "chain_states", "levels", "shares_by_level"]


@kernel
def levels(values: FloatArray, starts: IntArray) -> IntArray:
    """The rank of each value among the distinct values of all classes, from 0; sorted within each class."""
    rank = np.empty(len(values), dtype=np.int64)
    place = starts[:-1].copy()
    level = 0
    while True:
        lowest = np.inf
        for k in range(len(place)):
            if place[k] < starts[k + 1] and values[place[k]] < lowest:
                lowest = values[place[k]]
        if lowest == np.inf:
            return rank
        for k in range(len(place)):
            while place[k] < starts[k + 1] and values[place[k]] == lowest:
                rank[place[k]] = level
                place[k] += 1
        level += 1


@kernel
def shares_by_level(rank: IntArray, starts: IntArray, share: FloatArray) -> FloatArray:
    """At [level, k], the share of class k that has this value."""
    table = np.zeros((rank.max() + 1, len(starts) - 1))
    for k in range(len(starts) - 1):
        for i in range(starts[k], starts[k + 1]):
            table[rank[i], k] += share[i]
    return table


@kernel
def chain_states(table: FloatArray) -> FloatArray:
    """At [level, k], the worth of chains through the first k classes on lower levels; the last row is of all."""
    depth, c = table.shape
    states = np.zeros((depth + 1, c + 1))
    states[:, 0] = 1.0
    for d in range(depth):
        for k in range(1, c + 1):
            total, block = states[d, k], 1.0
            for m in range(1, k + 1):  # the last m classes of the chain tie on this level
                block *= table[d, k - m] / m
                total += states[d, k - m] * block
            states[d + 1, k] = total
    return states


@kernel
def chain_components(table: FloatArray, states: FloatArray) -> FloatArray:
    """At [level, k], the worth of the chains that contain a given case of class k with this value."""
    depth, c = table.shape
    found = np.zeros((depth, c))
    above = np.zeros(c + 1)  # at [k], the worth of chains through the classes after the k-th, on higher levels
    above[c] = 1.0
    for d in range(depth - 1, -1, -1):
        for k in range(c):
            before, factorial = 1.0, 1.0
            for lower in range(k + 1):  # so many classes before k tie with the case, and so many after it
                if lower > 0:
                    before *= table[d, k - lower]
                    factorial *= lower + 1
                after, size = 1.0, factorial
                for upper in range(c - k):
                    if upper > 0:
                        after *= table[d, k + upper]
                        size *= lower + upper + 1
                    found[d, k] += states[d, k - lower] * before * above[k + 1 + upper] * after / size
        for k in range(c):
            block = 1.0
            for m in range(1, c - k + 1):
                block *= table[d, k + m - 1] / m
                above[k] += above[k + m] * block
    return found
