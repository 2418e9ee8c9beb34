"""Volume under the ROC surface: a dynamic programme over chains, tuples of one case per class in ascending order.

A chain through all classes counts 1 if its scores ascend strictly, and 1/m! for every block of m equal scores (the
probability that a random order of ties is the right one). Shares of the classes (counts / class size) stand for
counts, so that the weight of all chains is a probability: the volume. Only the order of the scores matters, as a
list of runs: maximal blocks of cases of one class with no score of another class between them.

With state[k] the weight of the chains through the first k classes so far, a run of the class at position k adds
state[k] x share to state[k + 1]: O(n c) after sorting, and c^2 more for each tied score, instead of one step per
tuple. Run backwards, the same recursion gives the chains above each case, and the product with those below it the
structural components. Compare Waegeman, De Baets & Boullart, Computational Statistics & Data Analysis 52 (2008)
3371-3388.
"""

from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.kernels.jit import all_sizes, kernel

__all__ = ["Runs", "chain_components", "chain_states", "expand_runs", "merge", "run_shares"]


class Runs(NamedTuple):
    """All cases in ascending order of their scores, as runs of one class each.

    Attributes
    ----------
    code
        The class of each run.
    size
        The number of cases of each run.
    tied
        True if a run has the same score as the run before it.
    """

    code: CodeArray
    size: CodeArray
    tied: BoolArray


@kernel(steps=lambda values, starts, *_: len(values) * len(starts))
def _merge(values: FloatArray, starts: IntArray, code: CodeArray, size: CodeArray, tied: BoolArray) -> int:
    """A merge of c sorted lists that writes whole runs; returns their number."""
    c, runs = len(starts) - 1, 0
    head = starts[:-1].copy()  # by class, the next case; `front` is its score, infinite at the end
    front = np.empty(c)
    for k in range(c):
        front[k] = values[starts[k]] if starts[k] < starts[k + 1] else np.inf
    while True:
        # The lowest front and the second lowest (which may equal it), by selections instead of branches.
        first, lowest, second = 0, np.inf, np.inf
        for k in range(c):
            v = front[k]
            less = v < lowest
            second = lowest if less else (v if v < second else second)
            first = k if less else first
            lowest = v if less else lowest
        if lowest == np.inf:
            return runs
        # Alone, the run extends up to the next score of another class; in a tie, each class has a run of that
        # score.
        alone = lowest < second
        limit = second if alone else np.nextafter(lowest, np.inf)
        for k in range(first, first + 1 if alone else c):
            i = head[k]
            while i < starts[k + 1] and values[i] < limit:
                i += 1
            if i > head[k]:
                code[runs], size[runs], tied[runs] = k, i - head[k], k > first
                head[k], front[k] = i, values[i] if i < starts[k + 1] else np.inf
                runs += 1


def merge(values: FloatArray, starts: IntArray) -> Runs:
    """The runs of finite values, grouped by class (class k at starts[k] .. starts[k + 1]) and ascending in it.

    >>> runs = merge(np.array([1.0, 2.0, 5.0, 2.0, 3.0]), np.array([0, 3, 5]))
    >>> runs.code.tolist(), runs.size.tolist(), runs.tied.tolist()
    ([0, 0, 1, 1, 0], [1, 1, 1, 1, 1], [False, False, True, False, False])
    """
    most = len(values)
    every = Runs(np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.bool_))
    runs = _merge(values, starts, *every)
    return Runs(every.code[:runs], every.size[:runs], every.tied[:runs])


@kernel(steps=all_sizes)
def _run_shares(
    code: CodeArray, size: CodeArray, starts: IntArray, weight: FloatArray, total: FloatArray, share: FloatArray
) -> None:
    head = starts[:-1].copy()
    for run in range(len(share)):
        k = code[run]
        amount = float(size[run])
        if len(weight) > 0:
            amount = 0.0
            for i in range(head[k], head[k] + size[run]):
                amount += weight[i]
            head[k] += size[run]
        share[run] = amount / total[k]


def run_shares(runs: Runs, starts: IntArray, weight: FloatArray | None, total: FloatArray) -> FloatArray:
    """The share of each run in its class; weights, if there are any, are in the order of the merged values."""
    share = np.empty(len(runs.code))
    _run_shares(runs.code, runs.size, starts, np.empty(0) if weight is None else weight, total, share)
    return share


@kernel(steps=all_sizes)
def _expand_runs(by_run: FloatArray, code: CodeArray, size: CodeArray, starts: IntArray, out: FloatArray) -> None:
    head = starts[:-1].copy()
    for run in range(len(by_run)):
        k = code[run]
        for i in range(head[k], head[k] + size[run]):
            out[i] = by_run[run]
        head[k] += size[run]


def expand_runs(by_run: FloatArray, runs: Runs, starts: IntArray) -> FloatArray:
    """The number of its run for every case, in the order of the merged values."""
    out = np.empty(starts[-1])
    _expand_runs(by_run, runs.code, runs.size, starts, out)
    return out


@kernel(steps=lambda code, _tied, _share, position, *_: len(code) * len(position) ** 2)
def chain_states(
    code: CodeArray, tied: BoolArray, share: FloatArray, position: IntArray, below: FloatArray, shared: FloatArray
) -> float:
    """The weight of all chains, which is the volume; on the way, that of the chains below each run.

    Parameters
    ----------
    code, tied, share
        The runs, and each one's share of its class.
    position
        The place of each class in the chain, from 0.
    below
        Written to: for each run, the weight of the chains of the classes before its own with lower scores.
    shared
        Written to: for each score that several classes share, the weight of the chains with lower scores through
        the first k classes, at [k].
    """
    c = len(position)
    state, at = np.zeros(c + 1), np.empty(c)  # at [k], chains through the first k classes; shares of tied classes
    state[0] = 1.0  # the empty chain
    run, sharing, many = 0, 0, len(code)
    while run < many:
        if run + 1 == many or not tied[run + 1]:  # no other class has these scores
            k = position[code[run]]
            below[run] = state[k]
            state[k + 1] += state[k] * share[run]
            run += 1
            continue
        for k in range(c):  # loops instead of `[:] =`, which takes longer to compile
            shared[sharing, k], at[k] = state[k], 0.0
        shared[sharing, c] = state[c]
        sharing += 1
        first = run
        while run < many and (run == first or tied[run]):
            at[position[code[run]]] = share[run]
            run += 1
        # Downwards, so that state[k - m] is still that of lower scores: a chain uses this score once per class.
        for k in range(c, 0, -1):
            block = 1.0  # the product of the shares of m classes, over m!
            for m in range(1, k + 1):  # the last m classes of the chain tie here
                block *= at[k - m] / m
                state[k] += state[k - m] * block
    return float(state[c])


@kernel
def _through(k: int, at: FloatArray, below: FloatArray, above: FloatArray) -> float:
    """The weight of the chains through a case at position k; `at` are the shares of the classes tied with it."""
    total, before, factorial = 0.0, 1.0, 1.0
    # The block of ties contains `lower` classes before k and `upper` after it, hence 1 / (lower + upper + 1)!.
    for lower in range(k + 1):
        if lower > 0:
            before *= at[k - lower]
            factorial *= lower + 1
        after, size = 1.0, factorial
        for upper in range(len(at) - k):
            if upper > 0:
                after *= at[k + upper]
                size *= lower + upper + 1
            total += below[k - lower] * before * above[k + 1 + upper] * after / size
    return total


@kernel(steps=lambda code, _tied, _share, position, *_: len(code) * len(position) ** 2)
def chain_components(
    code: CodeArray, tied: BoolArray, share: FloatArray, position: IntArray, below: FloatArray, shared: FloatArray
) -> None:
    """For each run, the weight of the chains that contain a given case of it (its component); replaces `below`."""
    c = len(position)
    # At [k], the chains with higher scores through all but the first k classes; the shares of tied classes.
    above, at = np.zeros(c + 1), np.empty(c)
    above[c] = 1.0  # the empty chain
    last, sharing = len(code) - 1, len(shared)
    while last >= 0:
        if not tied[last]:  # backwards, a tie shows at its last run
            k = position[code[last]]
            below[last] *= above[k + 1]
            above[k] += above[k + 1] * share[last]
            last -= 1
            continue
        sharing -= 1
        first = last
        while tied[first]:
            first -= 1
        for k in range(c):
            at[k] = 0.0
        for run in range(first, last + 1):
            at[position[code[run]]] = share[run]
        for run in range(first, last + 1):
            below[run] = _through(position[code[run]], at, shared[sharing], above)
        for k in range(c):  # upwards, so that above[k + m] is still that of higher scores
            block = 1.0
            for m in range(1, c - k + 1):  # the first m of the classes that are left tie here
                block *= at[k + m - 1] / m
                above[k] += above[k + m] * block
        last = first - 1
