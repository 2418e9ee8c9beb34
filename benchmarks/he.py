"""He & Frey's volume: against its definition as a compiled loop, and in seconds, with and without many ties."""

import subprocess
import sys
from pathlib import Path

import numba
import numpy as np

import polyroc as pr
from timing import PEAK_KILOBYTES, best


def cases(n, c=3):
    """Continuous probabilities of n cases per class."""
    y = np.repeat(np.arange(c), n)
    P = np.random.default_rng(0).dirichlet(np.ones(c), size=len(y)) + 0.5 * np.eye(c)[y]
    return y, P / P.sum(axis=1, keepdims=True)


def neighbours(n, k):
    """Shares of the classes among k neighbours, for n cases per class: many ties."""
    y, P = cases(n)
    return y, np.random.default_rng(1).multinomial(k, P) / k


@numba.njit
def by_definition(P, Q, R):
    """The volume of three classes, triple by triple; one array of log probabilities per class."""
    total = 0.0
    for i in range(len(P)):
        for j in range(len(Q)):
            for k in range(len(R)):
                right, best_ones = P[i, 0] + Q[j, 1] + R[k, 2], 1
                for other in (
                    P[i, 0] + Q[j, 2] + R[k, 1],
                    P[i, 1] + Q[j, 0] + R[k, 2],
                    P[i, 2] + Q[j, 1] + R[k, 0],
                    P[i, 1] + Q[j, 2] + R[k, 0],
                    P[i, 2] + Q[j, 0] + R[k, 1],
                ):
                    if other > right:
                        best_ones = 0
                        break
                    best_ones += other == right
                if best_ones > 0:
                    total += 1.0 / best_ones
    return total / (len(P) * len(Q) * len(R))


def seconds(y, P, repetitions=3):
    return best(lambda: pr.evaluate(y, P, measure="he").standard_error, repetitions)


LARGE = f"""
import he
print(he.seconds(*he.cases(5000), repetitions=2), {PEAK_KILOBYTES} / 2**20)
"""


def he():
    y, P = cases(1000)
    blocks = [np.log(P[y == k]) for k in range(3)]
    value = pr.evaluate(y, P, measure="he", method=None).value
    assert np.isclose(value, by_definition(*blocks), rtol=1e-9)  # 1e9 terms added one by one
    loop = best(lambda: by_definition(*blocks), repetitions=1)
    yield "he with error, 1,000 a class", "compiled loop (value only) / polyroc", loop / seconds(y, P, 5), ">=", 60
    command = [sys.executable, "-c", LARGE]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent)
    for what, measured, most in zip(
        ("seconds", "peak memory, GB"), map(float, done.stdout.split()), (5, 2), strict=True
    ):
        yield "he with error, 5,000 a class", what, measured, "<=", most
    yield "he with error, 13 neighbours, 2,000 a class", "seconds", seconds(*neighbours(2000, 13)), "<=", 2
    yield "he with error, 100 neighbours, 5,000 a class", "seconds", seconds(*neighbours(5000, 100)), "", None
    yield "he with error, 4 classes of 1,000, random tuples", "seconds", seconds(*cases(1000, 4)), "", None


if __name__ == "__main__":
    for row in he():
        print(*row, sep=" | ")
