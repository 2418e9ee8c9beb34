"""One small call, `scorer`, and many columns: milliseconds, the shortest of many single calls."""

import time

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer

import polyroc as pr
from timing import many_classes, two_classes

CASES = 200


def shortest(function, calls=2000):
    """Milliseconds of the shortest of many calls: other programs lengthen some, not all."""
    function()
    lengths = []
    for _ in range(calls):
        start = time.perf_counter_ns()
        function()
        lengths.append(time.perf_counter_ns() - start)
    return min(lengths) / 1e6


def with_interval(y, s, measure):
    estimate = pr.evaluate(y, s, measure=measure)
    return estimate.standard_error, estimate.confidence_interval()


def small_calls():
    y, s = two_classes(CASES)
    y3, P = many_classes(3, CASES)
    calls = {
        "AUC, value": (lambda: pr.evaluate(y, s, measure="auc", method=None), 0.06),
        "AUC, error and interval": (lambda: with_interval(y, s, "auc"), 0.09),
        "M, 3 classes, value": (lambda: pr.evaluate(y3, P, measure="hand_till", method=None), 0.08),
        "M, 3 classes, error": (lambda: pr.evaluate(y3, P, measure="hand_till"), 0.15),
    }
    for name, (call, goal) in calls.items():
        yield f"{name}, n = {CASES}", "milliseconds", shortest(call), "<=", goal
    everything = shortest(lambda: pr.evaluate(y3, P), 200)
    yield f"every measure, 3 classes, n = {CASES}", "milliseconds", everything, "<=", 1.5


def scorers():
    y, P = many_classes(3, CASES)
    model = LogisticRegression().fit(np.log(P), y)
    ours, theirs = pr.scorer("hand_till"), get_scorer("roc_auc_ovo")
    ratio = shortest(lambda: ours(model, np.log(P), y), 300) / shortest(lambda: theirs(model, np.log(P), y), 300)
    yield f"scorer of M, n = {CASES}", "polyroc / scikit-learn's roc_auc_ovo", ratio, "<=", 1


def screening():
    n, m = 500, 1000
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    columns = {f"feature {j}": rng.normal(size=n) + y * rng.random() for j in range(m)}

    def adjusted():
        return pr.evaluate(y, columns, measure="auc", null="chance").adjusted_pvalues("benjamini-hochberg")

    work = f"AUC, error, p and adjusted p of {m:,} columns, n = {n}"
    yield work, "milliseconds a column", shortest(adjusted, 10) / m, "<=", 0.02


def everything_of_three_classes():
    y, P = many_classes(3, 10**5)
    ours = shortest(lambda: [estimate.standard_error for estimate in pr.evaluate(y, P)], 3)
    sort = shortest(lambda: np.sort(P, axis=0), 5)
    yield "every measure, 3 classes, n = 1e+05", "polyroc / numpy.sort of the matrix", ours / sort, "<=", 12


def bootstrap_of_few():
    y, s = two_classes(500)
    method = pr.methods.Bootstrap(replicates=10**5, rng=0)
    seconds = shortest(lambda: pr.evaluate(y, s, measure="auc", method=method), 3) / 1000
    yield "bootstrap of the AUC, n = 500, 1e+05 replicates", "seconds (fbroc: 1)", seconds, "<=", 0.33
