"""Curves: against scikit-learn's roc_curve, and seconds for a band, a thinned curve and a hull."""

from typing import Any

import numpy as np
from sklearn.metrics import roc_curve

import polyroc as pr
from timing import best, two_classes


def shuffled(n):
    y, s = two_classes(n)
    order = np.random.default_rng(1).permutation(n)
    return y[order], s[order]


def area_error(y, s):
    curve: Any = pr.curve(y, s)
    return curve.area.standard_error


def curves():
    y, s = shuffled(10**6)
    peer = best(lambda: roc_curve(y, s), repetitions=3)
    ours = best(lambda: pr.curve(y, s))
    yield "ROC curve, n = 1e+06", "scikit-learn / polyroc", peer / ours, ">=", 5
    with_area = best(lambda: area_error(y, s))
    yield (
        "ROC curve, area and error, n = 1e+06",
        "scikit-learn (points) / polyroc",
        peer / with_area,
        "",
        None,
    )
    curve = pr.curve(y, s)
    sort = best(lambda: np.sort(s))
    yield "convex hull of 1e+06 points", "polyroc / numpy.sort", best(curve.hull) / sort, "<=", 3
    yield "1e+06 points thinned to 2000", "polyroc / numpy.sort", best(curve.thinned) / sort, "", None


def bands():
    y, s = shuffled(10**4)
    method = pr.methods.Bootstrap(replicates=2000, rng=0)
    seconds = best(lambda: pr.curve(y, s, band="simultaneous", method=method), repetitions=3)
    yield "simultaneous band, n = 1e+04, 2000 replicates", "seconds", seconds, "<=", 3
