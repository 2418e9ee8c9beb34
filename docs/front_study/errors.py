"""Coverage of the interval of G over cases, and size of the paired test, simulated.

    python docs/front_study/errors.py      errors.csv

Two classifiers of three classes, equally good, with noise of their own. Their fronts are found on cases of the
same kind, or on the very cases that they are evaluated on ("same cases"). The true G of the fixed rules is that on
30,000 other cases.
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import polyroc as pr
from polyroc.fronts import case_errors
from polyroc.fronts.dominated_volume import shares_on
from polyroc.kernels.volumes import points_below_chance

RESULTS = Path(__file__).parent / "errors.csv"
RUNS, REPLICATES, VECTORS, POINTS = 100, 60, 100, 2000


def cases(n: int, rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """Classes, and the probabilities of two classifiers that share half of their noise."""
    y = np.arange(n) % 3
    shared = rng.normal(size=(n, 3))
    tables = {}
    for name in ("a", "b"):
        z = np.exp(0.7 * shared + 0.7 * rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[y])
        tables[name] = z / z.sum(axis=1, keepdims=True)
    return y, tables


def run(n: int, same: bool, rng: np.random.Generator, points: Any) -> dict[str, bool | float]:
    """One simulated analysis: whether G was covered, whether the test rejected."""
    y, P = cases(n, rng)
    y_search, P_search = (y, P) if same else cases(n, rng)
    options: dict[str, Any] = {"n": VECTORS, "alpha": 1.0, "n_jobs": 1, "rng": int(rng.integers(2**31))}
    fronts = {name: pr.front(y_search, P_search[name], **options) for name in P}
    volumes = pr.fronts.front_volumes(fronts, n_points=POINTS, cases=(y, P), replicates=REPLICATES)
    y_true, P_true = cases(30_000, rng)
    counts = {name: fronts[name].decided(y_true, P_true[name]).counts for name in P}
    truth = {
        name: float(shares_on([table / table.sum(axis=2, keepdims=True)], points)[0, 0])
        for name, table in counts.items()
    }
    low, high = volumes.confidence_interval("a")
    error, value = volumes.standard_error("a"), volumes.gini("a").value
    test = volumes.difference("a", "b")
    difference = truth["a"] - truth["b"]
    return {
        "covered": low <= truth["a"] <= high,
        "covered without correction": abs(value - truth["a"]) <= 1.96 * error,
        "bias": value - truth["a"],
        "rejected": test.pvalue < 0.05,
        "difference covered": abs(test.value - difference) <= 1.96 * test.standard_error,
    }


def rows() -> Iterator[dict[str, Any]]:
    """One record per scenario."""
    points = np.concatenate(list(points_below_chance(3, 20_000, np.random.default_rng(5))))
    for same in (False, True):
        for n in (90, 300):
            rng = np.random.default_rng([n, int(same)])
            runs = [run(n, same, rng, points) for _ in range(RUNS)]
            share = {name: float(np.mean([one[name] for one in runs])) for name in runs[0]}
            yield {"cases": n, "searched on": "same cases" if same else "other cases", "runs": RUNS} | {
                name: round(value, 3) for name, value in share.items()
            }


def main() -> None:
    """Write the results."""
    case_errors.ERROR_POINTS = POINTS  # as many as the volumes have, so that a run takes half a second
    table = list(rows())
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


if __name__ == "__main__":
    main()
