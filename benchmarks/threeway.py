"""Mossman's and Sahiner's volumes, against their definitions as compiled loops."""

import numba
import numpy as np

import polyroc as pr
from timing import best, many_classes, standard_error


@numba.njit
def mossman_by_definition(one, two, three):
    """One loop per class: for each case the sum of the outcomes of its triples."""
    sums = np.zeros((3, max(len(one), len(two), len(three))))
    for i in range(len(one)):
        for j in range(len(two)):
            d, e = one[i, 1] - one[i, 0], two[j, 1] - two[j, 0]
            rises = 1.0 if d < e else 0.5 if d == e else 0.0
            for k in range(len(three)):
                top, y1, y2 = three[k, 2], one[i, 2], two[j, 2]
                if top >= y1 and top >= y2:
                    outcome = rises / (1 + (top == y1) + (top == y2))
                    sums[0, i] += outcome
                    sums[1, j] += outcome
                    sums[2, k] += outcome
    return sums


@numba.njit
def sahiner_by_definition(m, b, n):
    """The same for the signed shares below lines, without ties."""
    sums = np.zeros((3, max(len(m), len(b), len(n))))
    for i in range(len(b)):
        for j in range(len(n)):
            left, up = b[i, 0] - n[j, 0], n[j, 1] - b[i, 1]
            sign = 0.5 * (np.sign(left) + np.sign(up))
            if sign != 0:
                for k in range(len(m)):
                    if (up * (m[k, 0] - b[i, 0]) + left * (m[k, 1] - b[i, 1])) * sign <= 0:
                        sums[0, k] += sign
                        sums[1, i] += sign
                        sums[2, j] += sign
    return sums


def mossman_rows():
    seconds = {}
    for n in (10**3, 10**4, 10**5, 10**6):
        y, P = many_classes(3, n)
        seconds[n] = best(lambda y=y, P=P: standard_error(y, P, "mossman"))
    exponent = np.polyfit(np.log(list(seconds)), np.log(list(seconds.values())), 1)[0]
    yield "Mossman's volume with error, n = 1e+05", "seconds", seconds[10**5], "<=", 1
    yield "Mossman's volume with error, n = 1e+03 .. 1e+06", "fitted exponent of n", exponent, "<=", 1.2
    y, P = many_classes(3, 1500)
    blocks = [P[y == k] for k in range(3)]
    ours = best(lambda: pr.evaluate(y, P, measure="mossman").standard_error)
    theirs = best(lambda: mossman_by_definition(*blocks), repetitions=2)
    yield "Mossman's volume with error, n = 1500", "compiled triple loop / polyroc", theirs / ours, ">=", 100


def sahiner_rows():
    y, P = many_classes(3, 3000)
    blocks = [P[y == k][:, 1:] / P[y == k][:, :1] for k in range(3)]
    ours = best(lambda: pr.evaluate(y, P, measure="sahiner(malignant=0)").standard_error)
    theirs = best(lambda: sahiner_by_definition(*blocks), repetitions=2)
    yield "Sahiner's volume with error, n = 3000", "seconds", ours, "<=", 2
    yield "Sahiner's volume with error, n = 3000", "compiled triple loop / polyroc", theirs / ours, "", None


def threeway():
    """Every row of this file."""
    yield from mossman_rows()
    yield from sahiner_rows()
