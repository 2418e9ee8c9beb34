"""The expected cost of `operate` on a front over that of `operate` on its cases, for random costs and priors.

    python docs/front_study/operate.py      operate.csv

A front of a fixed classifier is used without its cases ("best point") and with them. The cases of a family of
logistic regressions are features: `operate` has the predictions of the fit, and "with cases" those of the best
point.
"""

import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from costs import settings
from page import write

import polyroc as pr

RESULTS = Path(__file__).parent / "operate.csv"
VECTORS, GENERATIONS, QUESTIONS = 3000, 500, 10
FAMILIES = ("synthetic", "wine, three features")


def questions(classes: int) -> Iterator[dict[str, Any]]:
    """Random costs and priors."""
    rng = np.random.default_rng(classes)
    for _ in range(QUESTIONS):
        costs = rng.exponential(size=(classes, classes)) ** 2 * (1 - np.eye(classes))
        yield {"costs": costs, "priors": rng.dirichlet(np.full(classes, 3.0))}


def fixed() -> Iterator[tuple[str, int, list[list[float]]]]:
    """Name, number of classes, and costs: of the best point, with cases, of `operate`."""
    for name, P, y in settings():
        front = pr.front(y, P, draws=VECTORS)
        assert isinstance(front, pr.results.Front)
        ways = (lambda q, f=front: pr.operate(replace(f, scores=None), **q), lambda q, f=front: pr.operate(f, **q))
        direct = [pr.operate(y, P, **q).expected_cost for q in questions(P.shape[1])]
        yield name, P.shape[1], [*([way(q).expected_cost for q in questions(P.shape[1])] for way in ways), direct]


def families() -> Iterator[tuple[str, int, list[list[float]]]]:
    """The same of fronts of logistic regressions."""
    sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
    from searches import data_sets

    for name in FAMILIES:
        X, y = data_sets()[name]
        front = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=GENERATIONS)
        fit = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=0)
        assert isinstance(front, pr.results.Front)
        assert isinstance(fit, pr.results.Front)
        costs: list[list[float]] = [[], [], []]
        for q in questions(3):
            best = pr.operate(front, **q)
            assert best.point is not None
            onward = pr.operate(y, front.deploy(best.point).posteriors(X), **q)
            direct = pr.operate(y, fit.deploy(0).posteriors(X), **q)
            for column, one in zip(costs, (best, onward, direct), strict=True):
                column.append(one.expected_cost)
        yield f"{name}, logistic family", 3, costs


def rows() -> Iterator[dict[str, Any]]:
    """One record per setting."""
    for make in (families, fixed):
        for name, classes, (point, cases, direct) in make():
            row: dict[str, Any] = {"setting": name, "classes": classes}
            for column, costs in (("best point", point), ("with cases", cases)):
                ratio = np.divide(costs, direct)
                row |= {
                    column: f"{np.mean(ratio):.3f}",
                    f"{column}, range": f"{ratio.min():.2f} to {ratio.max():.2f}",
                }
            yield row


def main() -> None:
    """Write the results."""
    warnings.simplefilter("ignore", pr.errors.OptimismWarning)
    write(rows(), RESULTS)


if __name__ == "__main__":
    main()
