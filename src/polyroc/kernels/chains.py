"""Chains of cases, one per class, whose scores do not fall: one dynamic programme weighs them all.

A chain through all classes is worth 1 if its scores rise, and 1/m! for every block of m equal scores. Shares of
the classes (counts / class size) stand for counts, so that the worth of all chains is a probability. What matters
of the scores is a list of runs in ascending order: cases of one class with no score of another class between them.
"""

from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["Runs", "chain_components", "chain_states", "merge", "run_shares", "spread"]


class Runs(NamedTuple):
    """All cases in ascending order of their scores, as runs of one class each.

    Attributes
    ----------
    who
        The class of each run.
    size
        How many cases each run has.
    tied
        True if a run has the same score as the run before it.
    """

    who: CodeArray
    size: CodeArray
    tied: BoolArray


@kernel
def _merge(values: FloatArray, starts: IntArray, who: CodeArray, size: CodeArray, tied: BoolArray) -> int:
    c, runs = len(starts) - 1, 0
    head = starts[:-1].copy()
    front = np.array([values[starts[k]] if starts[k] < starts[k + 1] else np.inf for k in range(c)])
    while True:
        first, lowest, second = 0, np.inf, np.inf
        for k in range(c):
            v = front[k]
            less = v < lowest
            second = lowest if less else (v if v < second else second)
            first = k if less else first
            lowest = v if less else lowest
        if lowest == np.inf:
            return runs
        alone = lowest < second
        limit = second if alone else np.nextafter(lowest, np.inf)
        for k in range(first, first + 1 if alone else c):
            i = head[k]
            while i < starts[k + 1] and values[i] < limit:
                i += 1
            if i > head[k]:
                who[runs], size[runs], tied[runs] = k, i - head[k], k > first
                head[k], front[k] = i, values[i] if i < starts[k + 1] else np.inf
                runs += 1


def merge(values: FloatArray, starts: IntArray) -> Runs:
    """The runs of finite values, grouped by class (class k at starts[k] .. starts[k + 1]) and ascending in it.

    >>> runs = merge(np.array([1.0, 2.0, 5.0, 2.0, 3.0]), np.array([0, 3, 5]))
    >>> runs.who.tolist(), runs.size.tolist(), runs.tied.tolist()
    ([0, 0, 1, 1, 0], [1, 1, 1, 1, 1], [False, False, True, False, False])
    """
    most = len(values)
    every = Runs(np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.bool_))
    runs = _merge(values, starts, *every)
    return Runs(every.who[:runs], every.size[:runs], every.tied[:runs])


@kernel
def _run_shares(
    who: CodeArray, size: CodeArray, starts: IntArray, weight: FloatArray, total: FloatArray, share: FloatArray
) -> None:
    head = starts[:-1].copy()
    for run in range(len(share)):
        k = who[run]
        held = float(size[run])
        if len(weight) > 0:
            held = 0.0
            for i in range(head[k], head[k] + size[run]):
                held += weight[i]
            head[k] += size[run]
        share[run] = held / total[k]


def run_shares(runs: Runs, starts: IntArray, weight: FloatArray | None, total: FloatArray) -> FloatArray:
    """The share of each run in its class; weights, if there are any, are in the order of the merged values."""
    share = np.empty(len(runs.who))
    _run_shares(runs.who, runs.size, starts, np.empty(0) if weight is None else weight, total, share)
    return share


@kernel
def _spread(by_run: FloatArray, who: CodeArray, size: CodeArray, starts: IntArray, out: FloatArray) -> None:
    head = starts[:-1].copy()
    for run in range(len(by_run)):
        k = who[run]
        for i in range(head[k], head[k] + size[run]):
            out[i] = by_run[run]
        head[k] += size[run]


def spread(by_run: FloatArray, runs: Runs, starts: IntArray) -> FloatArray:
    """To every case, in the order of the merged values, the number of its run."""
    out = np.empty(starts[-1])
    _spread(by_run, runs.who, runs.size, starts, out)
    return out


@kernel
def chain_states(
    who: CodeArray, tied: BoolArray, share: FloatArray, position: IntArray, below: FloatArray, shared: FloatArray
) -> float:
    """The worth of all chains; on the way, that of the chains that lead up to each run.

    Parameters
    ----------
    who, tied, share
        The runs, and each one's share of its class.
    position
        The place of each class in the chain, from 0.
    below
        Is given, for each run, the worth of the chains of the classes before its own with lower scores.
    shared
        Is given, for each score that several classes share, the worth of the chains with lower scores through the
        first k classes, at [k].
    """
    c = len(position)
    state, at = np.zeros(c + 1), np.empty(c)
    state[0] = 1.0
    run, sharing, many = 0, 0, len(who)
    while run < many:
        if run + 1 == many or not tied[run + 1]:
            k = position[who[run]]
            below[run] = state[k]
            state[k + 1] += state[k] * share[run]
            run += 1
            continue
        shared[sharing] = state
        sharing += 1
        at[:] = 0.0
        first = run
        while run < many and (run == first or tied[run]):
            at[position[who[run]]] = share[run]
            run += 1
        for k in range(c, 0, -1):
            block = 1.0
            for m in range(1, k + 1):  # the last m classes of the chain tie here
                block *= at[k - m] / m
                state[k] += state[k - m] * block
    return float(state[c])


@kernel
def _through(k: int, at: FloatArray, below: FloatArray, above: FloatArray) -> float:
    """The worth of the chains through a case of class k, with `at` the shares of the classes that tie with it."""
    found, before, factorial = 0.0, 1.0, 1.0
    for lower in range(k + 1):  # so many classes before k tie with the case, and so many after it
        if lower > 0:
            before *= at[k - lower]
            factorial *= lower + 1
        after, size = 1.0, factorial
        for upper in range(len(at) - k):
            if upper > 0:
                after *= at[k + upper]
                size *= lower + upper + 1
            found += below[k - lower] * before * above[k + 1 + upper] * after / size
    return found


@kernel
def chain_components(
    who: CodeArray, tied: BoolArray, share: FloatArray, position: IntArray, below: FloatArray, shared: FloatArray
) -> None:
    """For each run, the worth of the chains that contain a given case of it; put where `below` was."""
    c = len(position)
    above, at = np.zeros(c + 1), np.empty(c)  # at [k], the worth of chains of all but the first k, higher scores
    above[c] = 1.0
    last, sharing = len(who) - 1, len(shared)
    while last >= 0:
        if not tied[last]:
            k = position[who[last]]
            below[last] *= above[k + 1]
            above[k] += above[k + 1] * share[last]
            last -= 1
            continue
        sharing -= 1
        first = last
        while tied[first]:
            first -= 1
        at[:] = 0.0
        for run in range(first, last + 1):
            at[position[who[run]]] = share[run]
        for run in range(first, last + 1):
            below[run] = _through(position[who[run]], at, shared[sharing], above)
        for k in range(c):
            block = 1.0
            for m in range(1, c - k + 1):  # the first m of the classes that are left tie here
                block *= at[k + m - 1] / m
                above[k] += above[k + m] * block
        last = first - 1
