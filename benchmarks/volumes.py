"""Volumes of one score: against numpy.sort, and against the definition as a compiled loop."""

import numba
import numpy as np

import polyroc as pr
from timing import best


@numba.njit
def by_definition(x, y, z):
    """The ordered volume of three classes, tuple by tuple."""
    total = 0.0
    for a in x:
        for b in y:
            for c in z:
                if a <= b <= c:
                    total += 1.0 if a < b < c else 1 / 6 if a == c else 0.5
    return total / (len(x) * len(y) * len(z))


def three_classes(n):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, size=n)
    return y, rng.normal(size=n) + y


def vus():
    y, s = three_classes(10**6)
    ours = best(lambda: pr.evaluate(y, s, measure="vus", labels=[0, 1, 2]).standard_error)
    yield (
        "VUS with error, 3 classes, n = 1e+06",
        "polyroc / numpy.sort",
        ours / best(lambda: np.sort(s)),
        "<=",
        1.6,
    )
    y, s = three_classes(3000)
    ours = best(lambda: pr.evaluate(y, s, measure="vus", labels=[0, 1, 2]).standard_error)
    loop = best(lambda: by_definition(*(s[y == k] for k in range(3))), repetitions=2)
    yield "VUS with error, 3 classes, n = 3e+03", "compiled loop (value only) / polyroc", loop / ours, "", None


def scurfield():
    y, s = three_classes(10**5)

    def everything():
        estimate = pr.evaluate(y, s, measure="scurfield", labels=[0, 1, 2])
        return estimate.standard_error, [part.standard_error for part in estimate.parts.values()]

    sort = best(lambda: np.sort(s), repetitions=20)
    yield "six Scurfield volumes with errors, n = 1e+05", "polyroc / numpy.sort", best(everything) / sort, "<=", 30
