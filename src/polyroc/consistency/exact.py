r"""Exact counts for an area and an accuracy over all ranked lists, in polynomial time.

A ranked list orders n0 positives and n1 negatives, n = n0 + n1. The top R = `cut` of the list are called positive,
the other L = n - R negative. Two numbers decide both measures: k, the positives among the top R, and U = n0 n1
AUC, the pairs of a positive and a negative in the right order. Accuracy = (2k + n1 - R) / n rises with k, the AUC
with U.

The lists with the same k are a *layer*. In a layer the number of lists with a given U is the coefficient of q^U in

    q^{k(L - m)} (L choose m)_q (R choose k)_q,      m = n0 - k,

because each of the k positives at the top stands above each of the L - m negatives at the bottom, and the Gaussian
binomial (N choose j)_q counts the arrangements of j positives among N places by their pairs in the right order.

From one layer to the next, k - 1 to k, the polynomial is multiplied by two factors 1 - q^a (shift and subtract)
and divided by two others (cumulative sums in strides): additions of big integers only. Pairs of lists are counted
by prefix sums over U. This takes O(n^3) additions; comparing all pairs of lists takes (n choose n0)^2 steps, which
Ling, Huang & Zhang (2003) did up to n = 16.
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
    """The lists with k positives among the top R: `lists[i]` of them have U = lowest + i."""

    k: int
    lowest: int
    lists: BigArray


def layers(positives: int, negatives: int, cut: int) -> Iterator[Layer]:
    """The layers of all ranked lists, from the smallest k.

    >>> [(k, lowest, lists.tolist()) for k, lowest, lists in layers(2, 2, cut=2)]
    [(0, 0, [1]), (1, 1, [1, 2, 1]), (2, 4, [1])]
    """
    R, L = cut, positives + negatives - cut
    k = max(0, positives - L)  # positives that do not fit among the bottom L
    m = positives - k
    # in the first layer one of the two factors is 1: either k = 0, or the bottom holds positives only (m = L)
    polynomial = _gaussian_binomial(R, k) if k else _gaussian_binomial(L, m)
    while True:
        yield Layer(k, k * (L - m), polynomial)
        if k == min(positives, R):
            return
        k, m = k + 1, m - 1
        # (R choose k) = (R choose k-1) (1 - q^(R-k+1)) / (1 - q^k), and
        # (L choose m) = (L choose m+1) (1 - q^(m+1)) / (1 - q^(L-m)); both quotients are polynomials, and the
        # product has this degree + 1 coefficients. Higher powers are dropped on the way: they cannot come back
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
    """The first `size` coefficients of the polynomial times 1 - q^a: shift and subtract."""
    product = np.zeros(size, dtype=object)
    kept = polynomial[:size]
    product[: len(kept)] = kept
    shifted = kept[: max(0, size - a)]
    product[a : a + len(shifted)] -= shifted
    return product


def _divided(polynomial: BigArray, b: int) -> BigArray:
    """The polynomial divided by 1 - q^b as a power series.

    1 / (1 - q^b) = 1 + q^b + q^2b + ..., so coefficient i of the quotient is the sum of coefficients i, i - b,
    i - 2b, ...: cumulative sums down the columns of a table with b columns.
    """
    size = len(polynomial)
    if b >= size:
        return polynomial
    padded = np.zeros(-(-size // b) * b, dtype=object)
    padded[:size] = polynomial
    quotient: BigArray = np.add.accumulate(padded.reshape(-1, b), axis=0).reshape(-1)[:size]
    return quotient


def count_pairs(positives: int, negatives: int, cut: int) -> tuple[Counts, int]:
    """Pairs of lists by what the two measures say of them, and the pairs that are equal for both.

    >>> count_pairs(8, 8, cut=8)
    (Counts(agree=55370122, disagree=3868959, only_first=21161143, only_second=1121120), 1290671)
    """
    earlier = np.zeros(positives * negatives + 1, dtype=object)  # lists of smaller k, by U
    agree = only_first = only_second = undecided = below = start = 0
    for _, lowest, lists in layers(positives, negatives, cut):
        here = slice(lowest, lowest + len(lists))
        # earlier lists with U < lowest: the lowest U rises from layer to layer, so the sum is extended, not redone
        below += int(earlier[start:lowest].sum())
        start = lowest
        # pairs with a list of smaller k: the measures agree if its U is smaller too; if U is the same, only the
        # second measure (k) differs; the rest disagree
        up_to = below + np.add.accumulate(earlier[here])
        same_U = int(lists @ earlier[here])
        agree += int(lists @ up_to) - same_U
        only_second += same_U
        # pairs within the layer: same k, so only the first measure (U) can differ
        squares, total = int(lists @ lists), int(lists.sum())
        only_first += (total * total - squares) // 2
        undecided += (squares - total) // 2
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
    r"""The limits of C and D as both classes grow; None if the accuracy is the same for all lists.

    U and k are sums over the positives, a random sample of the ranks, and nearly bivariate normal. Their
    correlation is that of a rank with being among the top R, r = sqrt(3 R L / (n^2 - 1)), whatever the balance of
    the classes, so

        C -> 1/2 + arcsin(sqrt(3 rho (1 - rho))) / pi,      D ~ sd(U) / sd(k) ~ n / sqrt(12 rho (1 - rho))

    with rho = R / n: 5/6 and n / sqrt(3) for a cut in the middle. To the next order, p = 1 / (2 sqrt(pi) sd(k))
    being the probability that two lists have the same k, C = limit + p (limit - 1/2) and
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
    correction = 1.0 - p / sqrt(max(1.0 - r2, 1e-9))
    D = sd_U / sd_k / (correction if correction > 0.0 else 1.0)  # with very few cases, the leading term alone
    return Asymptotics(min(1.0, limit + p * (limit - 0.5)), D, limit, growth)
