"""The polytomous discrimination index: against its definition as a compiled loop, and in seconds."""

import numba
import numpy as np

import polyroc as pr
from timing import best, many_classes, standard_error


@numba.njit
def _recognised(a, b, c):
    """1 if the first of three values is the largest, a share of 1 if it is tied, else 0."""
    return 0.0 if a < b or a < c else 1.0 / (1 + (a == b) + (a == c))


@numba.njit
def by_definition(P, Q, R):
    """PDI of three classes, tuple by tuple; one array of probabilities per class."""
    total = 0.0
    for i in range(len(P)):
        for j in range(len(Q)):
            for k in range(len(R)):
                total += _recognised(P[i, 0], Q[j, 0], R[k, 0])
                total += _recognised(Q[j, 1], P[i, 1], R[k, 1])
                total += _recognised(R[k, 2], P[i, 2], Q[j, 2])
    return total / (3 * len(P) * len(Q) * len(R))


def pdi():
    y, P = many_classes(3, 3000)
    blocks = [P[y == k] for k in range(3)]
    value = pr.evaluate(y, P, measure="pdi", method=None).value
    assert np.isclose(value, by_definition(*blocks), rtol=1e-9)  # 1e9 terms added one by one
    loop = best(lambda: by_definition(*blocks), repetitions=1)
    ours = best(lambda: pr.evaluate(y, P, measure="pdi").standard_error)
    yield "PDI with error, 3 classes, n = 3e+03", "compiled loop (value only) / polyroc", loop / ours, ">=", 100
    for c, target in ((10, 2), (50, None)):
        y, P = many_classes(c, 10**5)
        for what, table in (("", P), (", two decimals", P.round(2))):
            ours = best(lambda y=y, P=table: standard_error(y, P, "pdi"), repetitions=3)
            yield f"PDI with error, c = {c}, n = 1e+05{what}", "seconds", ours, "<=", target
