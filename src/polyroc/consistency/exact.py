r"""An area against an accuracy, over all ranked lists: exact counts in polynomial time.

A ranked list orders n0 positives and n1 negatives, n of both; the top R = `cut` of it are called positive, the
other L = n - R negative. With k of the positives among the top R and U = n0 n1 AUC pairs in the right order, there
are

    [q^U]  q^{k(L - n0 + k)} (L choose n0 - k)_q (R choose k)_q

lists: k positives at the top stand above the L - n0 + k negatives at the foot, and the Gaussian binomials count
the lists of each section by the pairs in the right order. AUC rises with U, accuracy (2k + n1 - R) / n with k.
From k - 1 to k the polynomial is multiplied by two factors 1 - q^a (shift and subtract) and divided by two more
(add up in strides): big integers, but only additions of them. Pairs of lists are then counted by prefix sums over
U, in O(n^3) additions, where going through all pairs of lists takes (n choose n0)^2 steps; Ling, Huang & Zhang
(2003), who did, stopped at n = 16.
"""

from collections.abc import Iterator
from math import asin, comb, pi, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from polyroc.consistency.result import Asymptotics, Counts, Joint
from polyroc.measures.measure import Measure

__all__ = ["Layer", "asymptotics", "count_pairs", "joint_table", "layers"]

BigArray: TypeAlias = npt.NDArray[Any]  # of Python integers


class Layer(NamedTuple):
    """The lists with k positives among those called positive: `lists[i]` of them have U = lowest + i."""

    k: int
    lowest: int
    lists: BigArray


def layers(positives: int, negatives: int, cut: int) -> Iterator[Layer]:
    """All ranked lists, by k from the smallest and then by U.

    >>> [(k, lowest, lists.tolist()) for k, lowest, lists in layers(2, 2, cut=2)]
    [(0, 0, [1]), (1, 1, [1, 2, 1]), (2, 4, [1])]
    """
    R, L = cut, positives + negatives - cut
    k = max(0, positives - L)
    m = positives - k
    polynomial = _gaussian_binomial(R, k) if k else _gaussian_binomial(L, m)
    while True:
        yield Layer(k, k * (L - m), polynomial)
        if k == min(positives, R):
            return
        k, m = k + 1, m - 1
        size = m * (L - m) + k * (R - k) + 1
        polynomial = _times(_times(polynomial, R - k + 1, size), m + 1, size)
        polynomial = _divided(_divided(polynomial, k), L - m)


def _gaussian_binomial(n: int, k: int) -> BigArray:
    """The coefficients of (n choose k)_q, the product over i = 1 .. k of (1 - q^(n-k+i)) / (1 - q^i)."""
    size = k * (n - k) + 1
    polynomial = np.array([1], dtype=object)
    for i in range(1, k + 1):
        polynomial = _divided(_times(polynomial, n - k + i, size), i)
    return polynomial


def _times(polynomial: BigArray, a: int, size: int) -> BigArray:
    """Times 1 - q^a, the first `size` coefficients."""
    product = np.zeros(size, dtype=object)
    kept = polynomial[:size]
    product[: len(kept)] = kept
    shifted = kept[: max(0, size - a)]
    product[a : a + len(shifted)] -= shifted
    return product


def _divided(polynomial: BigArray, b: int) -> BigArray:
    """Divided by 1 - q^b as a power series: sums in strides of b."""
    size = len(polynomial)
    if b >= size:
        return polynomial
    padded = np.zeros(-(-size // b) * b, dtype=object)
    padded[:size] = polynomial
    quotient: BigArray = np.add.accumulate(padded.reshape(-1, b), axis=0).reshape(-1)[:size]
    return quotient


def count_pairs(positives: int, negatives: int, cut: int) -> tuple[Counts, int]:
    """Pairs of lists: those told apart by both measures, by one, and how many by neither.

    >>> count_pairs(8, 8, cut=8)
    (Counts(agree=55370122, disagree=3868959, only_first=21161143, only_second=1121120), 1290671)
    """
    earlier = np.zeros(positives * negatives + 1, dtype=object)  # lists of smaller k, by U
    agree = only_first = only_second = undecided = below = start = 0
    for _, lowest, lists in layers(positives, negatives, cut):
        here = slice(lowest, lowest + len(lists))
        below += int(earlier[start:lowest].sum())  # no later layer reaches below the lowest U of this one
        start = lowest
        up_to = below + np.add.accumulate(earlier[here])
        level = int(lists @ earlier[here])
        agree += int(lists @ up_to) - level
        only_second += level
        squares, whole = int(lists @ lists), int(lists.sum())
        only_first += (whole * whole - squares) // 2
        undecided += (squares - whole) // 2
        earlier[here] += lists
    pairs = comb(comb(positives + negatives, positives), 2)
    disagree = pairs - agree - only_first - only_second - undecided
    return Counts(agree, disagree, only_first, only_second), undecided


def joint_table(area: Measure, decided: Measure, positives: int, negatives: int, cut: int) -> Joint:
    """How many lists have each value of an area (first) and of a measure of the decisions (second).

    >>> from polyroc import measure
    >>> joint = joint_table(measure("auc"), measure("accuracy"), 2, 2, cut=2)
    >>> joint.first.tolist(), joint.second.tolist(), joint.counts
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 0.5, 1.0], (1, 1, 2, 1, 1))
    """
    assert area.areas is not None
    assert decided.rates is not None
    by_k = list(layers(positives, negatives, cut))
    k = np.concatenate([np.full(len(layer.lists), layer.k) for layer in by_k])
    U = np.concatenate([layer.lowest + np.arange(len(layer.lists)) for layer in by_k])
    counts = np.concatenate([layer.lists for layer in by_k])
    occurring = np.flatnonzero(counts)
    totals = np.array([negatives, positives], dtype=np.float64)
    values = area.areas.value(U[occurring] / (positives * negatives), totals)
    right, negatives_right = k[occurring] / positives, (negatives - cut + k[occurring]) / negatives
    rates = np.array([[negatives_right, 1.0 - negatives_right], [1.0 - right, right]]).transpose(2, 0, 1)
    second = decided.rates.value(rates, totals, 1)
    assert second is not None
    return Joint(values, second, tuple(counts[occurring].tolist()))


def asymptotics(positives: int, negatives: int, cut: int) -> Asymptotics | None:
    r"""What C and D tend to as both classes grow; None where the accuracy is the same for all lists.

    U and k are sums over the positives, a random sample of the ranks, and nearly bivariate normal. Their
    correlation is that of a rank with being among the top R, r = sqrt(3 R L / (n^2 - 1)), whatever the balance of
    the classes, so

        C -> 1/2 + arcsin(sqrt(3 rho (1 - rho))) / pi,      D ~ sd(U) / sd(k) ~ n / sqrt(12 rho (1 - rho))

    with rho = R / n: 5/6 and n / sqrt(3) for a cut in the middle. To the next order, p = 1 / (2 sqrt(pi) sd(k))
    being the chance that two lists have the same k, C = limit + p (limit - 1/2) and
    D = sd(U) / sd(k) / (1 - p / sqrt(1 - r^2)).

    >>> tends = asymptotics(100, 100, cut=100)
    >>> round(tends.limit, 6), round(tends.consistency, 4), round(tends.discriminancy, 2)
    (0.833333, 0.8599, 137.33)
    """
    n, R, L = positives + negatives, cut, positives + negatives - cut
    if R == 0 or L == 0:
        return None
    rho, r2 = R / n, 3.0 * R * L / (n**2 - 1.0)
    limit, growth = 0.5 + asin(sqrt(3.0 * rho * (1.0 - rho))) / pi, 1.0 / sqrt(12.0 * rho * (1.0 - rho))
    sd_k = sqrt(positives * negatives * R * L / (n**2 * (n - 1.0)))
    sd_U = sqrt(positives * negatives * (n + 1.0) / 12.0)
    p = 1.0 / (2.0 * sqrt(pi) * sd_k)
    apart = 1.0 - p / sqrt(max(1.0 - r2, 1e-9))
    D = sd_U / sd_k / (apart if apart > 0.0 else 1.0)  # with a handful of cases, the leading term alone
    return Asymptotics(min(1.0, limit + p * (limit - 0.5)), D, limit, growth)
