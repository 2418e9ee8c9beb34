"""Comparison of measures: exact counts against a loop over all pairs of lists, and a sampled comparison."""

import time
from itertools import combinations

import numba
import numpy as np

import polyroc as pr
from timing import best


@numba.njit
def by_pairs(U, k):
    """The method of the paper: a loop over every pair of ranked lists."""
    agree = disagree = only_area = only_accuracy = 0
    for i in range(len(U)):
        for j in range(i):
            if U[i] != U[j]:
                if k[i] == k[j]:
                    only_area += 1
                elif (U[i] > U[j]) == (k[i] > k[j]):
                    agree += 1
                else:
                    disagree += 1
            elif k[i] != k[j]:
                only_accuracy += 1
    return agree, disagree, only_area, only_accuracy


def all_lists(n):
    """U and k of every list of n positives and n negatives, cut in the middle."""
    places = np.array(list(combinations(range(2 * n), n)))
    return places.sum(axis=1) - n * (n - 1) // 2, (places >= n).sum(axis=1)


def measure_comparisons():
    def exact(n):
        return pr.compare_measures("auc", "accuracy", positives=n, negatives=n)

    U, k = all_lists(8)
    assert exact(8).counts == by_pairs(U, k)
    ours, loop = best(lambda: exact(8)), best(lambda: by_pairs(U, k), repetitions=2)
    yield "AUC against accuracy, exactly, 2n = 16", "seconds", ours, "<=", 0.05
    yield "AUC against accuracy, exactly, 2n = 16", "compiled loop over pairs / polyroc", loop / ours, ">=", 100
    yield "AUC against accuracy, exactly, 2n = 200", "seconds", best(lambda: exact(100), 2), "<=", 2
    model = pr.consistency.GaussianModel((20, 20, 20))
    five = ["hand_till", "accuracy", "he", "ova", "pdi"]
    pr.compare_measures(five, model=model, pairs=100, rng=0)
    start = time.perf_counter()  # once is enough: about 20 s
    pr.compare_measures(five, model=model, pairs=10**5, rng=0)
    seconds = time.perf_counter() - start
    yield "5 measures, 3 classes, 60 cases, 1e+05 pairs drawn", "seconds", seconds, "<=", 60
