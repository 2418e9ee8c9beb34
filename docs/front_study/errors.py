"""Coverage of the intervals of G and of a difference over cases, and size and power of the paired test, simulated.

    python docs/front_study/errors.py      errors.csv

Two classifiers of three classes, equally good or not, that share half of their noise. The rules of their fronts
are found on other cases of the same kind, 20 times, and kept for all runs of a part; or on the very cases that
they are evaluated on, anew in each run. The true G of the rules is that on 30,000 cases, the same in all runs of a
row, by the same random points as the estimate, so that the Monte Carlo error does not count.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from page import write

import polyroc as pr
from polyroc.fronts import case_errors
from polyroc.fronts.dominated_volume import volume_shares

RESULTS = Path(__file__).parent / "errors.csv"
REPLICATES, VECTORS, POINTS = 60, 100, 1000
RUNS = {"other cases": 300, "same cases": 200}
SETS_OF_RULES = 20  # over which the runs on other cases are divided
STRENGTHS = {"equally good": (1.5, 1.5), "one better": (1.5, 1.2)}


def cases(n: int, strengths: tuple[float, float], rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """Classes, and the probabilities of two classifiers that share half of their noise."""
    y = np.arange(n) % 3
    shared = rng.normal(size=(n, 3))
    tables = {}
    for name, strength in zip("ab", strengths, strict=True):
        z = np.exp(0.7 * shared + 0.7 * rng.normal(size=(n, 3)) + strength * np.eye(3)[y])
        tables[name] = z / z.sum(axis=1, keepdims=True)
    return y, tables


def rules(y: Any, P: dict[str, Any], seed: int) -> dict[str, pr.fronts.Front]:
    """The front of each classifier."""
    fronts = pr.front(y, P, n=VECTORS, alpha=1.0, n_jobs=1, rng=seed)
    assert isinstance(fronts, dict)
    return fronts


def true_volumes(fronts: dict[str, pr.fronts.Front], y: Any, P: dict[str, Any]) -> list[float]:
    """G of the rules of both on many cases."""
    counts = [fronts[name].decided(y, P[name]).counts for name in P]
    table = volume_shares([one / one.sum(axis=2, keepdims=True) for one in counts], POINTS, 0)
    return [table[i][i].value for i in (0, 1)]


def analysis(fronts: dict[str, pr.fronts.Front], sample: Any, truth: list[float]) -> dict[str, bool | float]:
    """One simulated analysis: whether G and the difference were covered, whether the test rejected."""
    volumes = pr.fronts.front_volumes(fronts, n_points=POINTS, cases=sample, replicates=REPLICATES)
    low, high = volumes.confidence_interval("a")
    error, value = volumes.standard_error("a"), volumes.gini("a").value
    test = volumes.difference("a", "b")
    least, largest = test.confidence_interval()
    return {
        "covered": low <= truth[0] <= high,
        "covered without correction": abs(value - truth[0]) <= 1.96 * error,
        "bias": value - truth[0],
        "rejected": test.pvalue < 0.05,
        "difference covered": least <= truth[0] - truth[1] <= largest,
    }


def runs(n: int, kind: str, searched: str) -> Iterator[dict[str, bool | float]]:
    """All runs of a scenario."""
    rng = np.random.default_rng([n, len(kind), len(searched)])
    many = cases(30_000, STRENGTHS[kind], rng)
    number, same = RUNS[searched], searched == "same cases"
    for run in range(number):
        sample = cases(n, STRENGTHS[kind], rng)
        if same or run % (number // SETS_OF_RULES) == 0:
            fronts = rules(*(sample if same else cases(n, STRENGTHS[kind], rng)), seed=run)
            truth = true_volumes(fronts, *many)
        yield analysis(fronts, sample, truth)


def rows() -> Iterator[dict[str, Any]]:
    """One record per scenario."""
    scenarios = (("equally good", "other cases"), ("one better", "other cases"), ("equally good", "same cases"))
    for (kind, searched), n in product(scenarios, (90, 300)):
        outcomes = list(runs(n, kind, searched))
        means = {name: float(np.mean([one[name] for one in outcomes])) for name in outcomes[0]}
        row = {"cases": n, "classifiers": kind, "searched on": searched, "runs": RUNS[searched]}
        yield row | {name: round(value, 3) for name, value in means.items()}


def main() -> None:
    """Write the results."""
    case_errors.ERROR_POINTS = POINTS  # as many as the volumes have, so that a run takes a fraction of a second
    write(rows(), RESULTS)


if __name__ == "__main__":
    main()
