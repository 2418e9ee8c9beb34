"""Cut-points of one score along ordered classes: the best ones by dynamic programming, for one sample or for many.

The distinct scores of a sample are numbered upwards. A cut at i lies below score number i, and at their number it
lies above all of them. Decision j is made between cut j - 1 and cut j: its region. `rates[k, i]` is the share of
class k that scores below cut i, so class k is decided as j at the rate rates[k, end] - rates[k, start].

The loss is a sum over regions, so the best cuts up to a region that ends at b depend on b alone: dynamic
programming over regions is exact.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["EQUAL", "best_cuts", "rechosen_cuts"]

EQUAL = 1e-12  # rates and losses that differ by less are equal up to rounding


@kernel
def _loss(rates: FloatArray, losses: FloatArray, squared: bool, j: int, a: int, b: int) -> float:
    """The loss of deciding j between the cuts a and b."""
    if squared:
        error = 1.0 - (rates[j, b] - rates[j, a])
        return float(error * error)
    loss = 0.0
    for k in range(len(rates)):
        loss += losses[k, j] * (rates[k, b] - rates[k, a])
    return loss


@kernel
def _first_start(rates: FloatArray, limits: FloatArray, j: int, b: int, a: int) -> int:
    """The lowest start from a on of a region of decision j that ends at b and satisfies the limits."""
    for k in range(len(rates)):
        while rates[k, b] - rates[k, a] > limits[k, j] + EQUAL:
            a += 1
    return a


@kernel
def _extend_sums(
    rates: FloatArray,
    losses: FloatArray,
    limits: FloatArray,
    j: int,
    before: FloatArray,
    best: FloatArray,
    queue: IntArray,
) -> None:
    """`best` for regions up to j from `before` for regions up to j - 1, if losses are sums of rates.

    The loss of a region is then a difference of two sums, one for each end. The starts that the limits allow form
    a window that only moves upwards, whose minimum is at the head of a queue of ascending values.
    """
    first = head = tail = 0
    values = np.empty(len(best))
    for b in range(len(best)):
        # The total of a region from a to b is values[a] plus a term of b alone, so the best start has the least.
        values[b] = before[b] - _loss(rates, losses, False, j, 0, b)
        # An earlier start with a larger value can never be the best again; of equal ones the later one stays.
        while tail > head and values[queue[tail - 1]] >= values[b]:
            tail -= 1
        queue[tail] = b
        tail += 1
        first = _first_start(rates, limits, j, b, first)
        while queue[head] < first:
            head += 1
        a = queue[head]
        best[b] = before[a] + _loss(rates, losses, False, j, a, b)


@kernel
def _extend_squares(rates: FloatArray, j: int, before: FloatArray, best: FloatArray, stack: IntArray) -> None:
    """`best` for regions up to j from `before`, if the loss of a region is (1 - rate)^2; there are no limits.

    The loss is a convex function of a difference of ascending numbers, so it satisfies the quadrangle inequality,
    and the best start does not fall when the end rises: after the middle end, the two halves are searched on
    either side of its best start.
    """
    no_losses = rates  # not read
    # An entry of the stack: ends from low to high are to be done, with starts from first to last.
    stack[0], stack[1], stack[2], stack[3] = 0, len(best) - 1, 0, len(best) - 1
    depth = 1
    while depth > 0:
        depth -= 1
        low, high, first, last = stack[4 * depth], stack[4 * depth + 1], stack[4 * depth + 2], stack[4 * depth + 3]
        if low > high:
            continue
        middle = (low + high) // 2
        best[middle], at = np.inf, first
        for a in range(first, min(middle, last) + 1):
            value = before[a] + _loss(rates, no_losses, True, j, a, middle)
            if value <= best[middle]:
                best[middle], at = value, a
        stack[4 * depth], stack[4 * depth + 1] = low, middle - 1
        stack[4 * depth + 2], stack[4 * depth + 3] = first, at
        depth += 1
        stack[4 * depth], stack[4 * depth + 1] = middle + 1, high
        stack[4 * depth + 2], stack[4 * depth + 3] = at, last
        depth += 1


@kernel
def _trace(
    rates: FloatArray,
    losses: FloatArray,
    limits: FloatArray,
    squared: bool,
    best: FloatArray,
    least: float,
    cuts: IntArray,
) -> None:
    """The highest cuts of the least loss, from the last region back to the first."""
    b = rates.shape[1] - 1
    for j in range(len(rates) - 1, 0, -1):
        first = _first_start(rates, limits, j, b, 0)
        bound = least + EQUAL * max(1.0, abs(least))
        a = b
        while a > first and not best[j - 1, a] + _loss(rates, losses, squared, j, a, b) <= bound:
            a -= 1
        cuts[j - 1] = a
        least, b = best[j - 1, a], a


def _steps(rates: FloatArray, *arguments: Any) -> int:
    """Of `best_cuts`: each cut is an end or a start of a region a few times, or as often as regions are halved."""
    squared = arguments[2]
    return rates.size * len(rates) * (int(np.log2(rates.shape[1])) + 1 if squared else 4)


@kernel(steps=_steps)
def best_cuts(rates: FloatArray, losses: FloatArray, limits: FloatArray, squared: bool, cuts: IntArray) -> float:
    """The least loss of all ascending cuts within the limits, infinite if none is; of equal ones the highest cuts.

    O(classes^2 x scores); with `squared`, O(classes x scores x log(scores)).

    Parameters
    ----------
    rates
        At [class, cut], the share of the class below the cut, classes by rising score; 0 at the first, 1 at the
        last.
    losses
        At [class, decision], the loss if all cases of a class are decided so; their sum is minimised.
    limits
        At [class, decision], the largest rate allowed; infinite where there is none.
    squared
        True to minimise the sum over classes of (1 - rate of right decisions)^2 instead; limits are not used.
    cuts
        Receives the cuts, one fewer than the classes; not changed if none is within the limits.

    >>> below = np.array([[0.0, 0.5, 1.0, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.0, 0.0, 0.5, 1.0]])
    >>> cuts = np.zeros(2, dtype=np.int64)
    >>> best_cuts(below, 1.0 - np.eye(3), np.full((3, 3), np.inf), False, cuts), cuts.tolist()
    (1.0, [2, 2])
    """
    # best[j, b]: the least loss of regions 0 to j, the last of which ends at b. The last region of all ends above
    # all scores, so it needs no row.
    classes, ends = rates.shape
    best = np.full((classes - 1, ends), np.inf)
    for b in range(ends):
        if _first_start(rates, limits, 0, b, 0) > 0:
            break  # further ends exceed the limits as well
        best[0, b] = _loss(rates, losses, squared, 0, 0, b)
    work = np.empty(max(ends, 4 * 130), dtype=np.int64)  # 130: two entries for each halving of 2^64 ends
    for j in range(1, classes - 1):
        if squared:
            _extend_squares(rates, j, best[j - 1], best[j], work)
        else:
            _extend_sums(rates, losses, limits, j, best[j - 1], best[j], work)
    least = np.inf
    last = classes - 1
    for a in range(_first_start(rates, limits, last, ends - 1, 0), ends):
        least = min(least, best[last - 1, a] + _loss(rates, losses, squared, last, a, ends - 1))
    if least < np.inf:
        _trace(rates, losses, limits, squared, best, least, cuts)
    return least


@kernel
def _count_below(
    weight: npt.NDArray[Any], order: IntArray, codes: IntArray, numbers: IntArray, below: FloatArray
) -> bool:
    """Fill `below` with the shares of each class below each cut under weights; False if a class has no weight."""
    below[:] = 0.0
    for i in range(len(order)):
        below[codes[i], numbers[i] + 1] += weight[order[i]]
    complete = True
    for k in range(len(below)):
        for i in range(1, below.shape[1]):
            below[k, i] += below[k, i - 1]
        total = below[k, -1]
        if total > 0:
            below[k] /= total
        else:
            complete = False
    return complete


@kernel
def _class_shares(weight: npt.NDArray[Any], order: IntArray, codes: IntArray, shares: FloatArray) -> None:
    shares[:] = 0.0
    for i in range(len(order)):
        shares[codes[i]] += weight[order[i]]
    shares /= shares.sum()


@kernel
def rechosen_cuts(
    weight: npt.NDArray[Any],
    order: IntArray,
    codes: IntArray,
    numbers: IntArray,
    rates: FloatArray,
    costs: FloatArray,
    priors: FloatArray,
    random_shares: bool,
    limits: FloatArray,
    squared: bool,
    case_rates: FloatArray,
    cuts: IntArray,
    lows: IntArray,
    highs: IntArray,
    optimism: FloatArray,
    chosen: BoolArray,
) -> None:
    """The best cuts of many resamples, and how much better their rates are there than on all cases.

    Parameters
    ----------
    weight
        At [resample, case], how often the case was drawn, times its weight.
    order, codes, numbers
        The cases by rising score; at the same places their classes and the numbers of their scores.
    rates
        As in `best_cuts`, of all cases.
    costs, priors, random_shares
        Losses are costs[k, j] times priors[k]; with `random_shares` times the share of class k in the resample.
    limits, squared
        As in `best_cuts`.
    case_rates
        By class, the rate that one case makes.
    cuts, lows, highs
        Receive, at [resample, cut], the cut, and the range of cuts around it whose loss is larger by no more than
        that of one case: above the score with the number `lows` (-1: below all scores), up to that with the
        number `highs`.
    optimism
        Receives, at [resample, class, decision], the rate in the resample minus that of the same cuts among all
        cases.
    chosen
        Receives whether the resample has cases of every class, and cuts within the limits.
    """
    classes, ends = rates.shape
    below = np.empty((classes, ends))
    shares = priors.copy()
    for r in range(len(weight)):
        chosen[r] = _count_below(weight[r], order, codes, numbers, below)
        if not chosen[r]:
            continue
        if random_shares:
            _class_shares(weight[r], order, codes, shares)
        losses = costs * shares.reshape(-1, 1)
        chosen[r] = best_cuts(below, losses, limits, squared, cuts[r]) < np.inf
        if not chosen[r]:
            continue
        # Optimism: the rate of the same cuts in the resample less that among all cases (Efron & Tibshirani 1993).
        for j in range(classes):
            start = cuts[r, j - 1] if j > 0 else 0
            end = cuts[r, j] if j < classes - 1 else ends - 1
            for k in range(classes):
                optimism[r, k, j] = (below[k, end] - below[k, start]) - (rates[k, end] - rates[k, start])
        # Each cut on its own, the others staying where they are.
        slack = _case_loss(below, losses, squared, case_rates, cuts[r])
        for j in range(classes - 1):
            start = cuts[r, j - 1] if j > 0 else 0
            end = cuts[r, j + 1] if j < classes - 2 else ends - 1
            lows[r, j], highs[r, j] = _equal_range(
                below, losses, limits, squared, j, start, cuts[r, j], end, slack
            )


@kernel
def _case_loss(
    rates: FloatArray, losses: FloatArray, squared: bool, case_rates: FloatArray, cuts: IntArray
) -> float:
    """The largest loss that one case of a class can add."""
    most = 0.0
    for k in range(len(rates)):
        start = cuts[k - 1] if k > 0 else 0
        end = cuts[k] if k < len(cuts) else rates.shape[1] - 1
        if squared:
            error = 1.0 - (rates[k, end] - rates[k, start])
            most = max(most, (2.0 * error + case_rates[k]) * case_rates[k])  # (e + r)^2 - e^2
        else:
            most = max(most, case_rates[k] * losses[k].max())
    return most


@kernel
def _equal_range(
    rates: FloatArray,
    losses: FloatArray,
    limits: FloatArray,
    squared: bool,
    j: int,
    start: int,
    cut: int,
    end: int,
    slack: float,
) -> tuple[int, int]:
    """The lowest and the highest position of cut j around its own where the loss is larger by `slack` at most.

    Regions j and j + 1 reach from `start` to `end`; the lowest position is excluded, the highest included.
    """
    least = _loss(rates, losses, squared, j, start, cut) + _loss(rates, losses, squared, j + 1, cut, end) + slack
    low = high = cut
    for step in (-1, 1):
        position = cut + step
        while start <= position <= end:
            # both regions must satisfy their limits with the cut here
            if _first_start(rates, limits, j, position, start) > start:
                break
            if _first_start(rates, limits, j + 1, end, position) > position:
                break
            loss = _loss(rates, losses, squared, j, start, position)
            loss += _loss(rates, losses, squared, j + 1, position, end)
            if loss > least + EQUAL:
                break
            low, high = min(low, position), max(high, position)
            position += step
    return low - 1, high
