"""Coverage of the mean over folds by `spread`'s corrected_error (Nadeau & Bengio) and by SD / sqrt(folds).

    python docs/cross_validation_study/spread.py      spread.csv

Two normal classes in five dimensions; a stable learner (the nearer of two class means) and an unstable one (the
nearest neighbour). What is to be covered is the expected accuracy of the learner for training sets of that size,
which is known from many other cases. Intervals have Student's quantile with (folds x repeats - 1) degrees
of freedom.
"""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import t

from polyroc.results import FoldTable
from polyroc.studies.summaries.spread import spread

RESULTS = Path(__file__).parent / "spread.csv"
RUNS, TRUTH_RUNS, FOLDS, FEATURES, DISTANCE = 1000, 100, 10, 5, 1.5
Array = npt.NDArray[Any]
Learner = Callable[[Array, Array, Array], Array]


def drawn(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Cases of two classes, half of each."""
    y = np.arange(n) % 2
    X = rng.normal(size=(n, FEATURES))
    X[:, 0] += DISTANCE * y
    return X, y


def nearest_mean(X: Array, y: Array, other: Array) -> Array:
    """Decisions of the nearer of two class means."""
    means = np.array([X[y == k].mean(axis=0) for k in (0, 1)])
    middle, direction = means.mean(axis=0), means[1] - means[0]
    return np.asarray((other - middle) @ direction > 0)


def nearest_neighbour(X: Array, y: Array, other: Array) -> Array:
    """Decisions of the nearest neighbour."""
    distance = (other**2).sum(axis=1)[:, None] - 2.0 * other @ X.T + (X**2).sum(axis=1)
    return np.asarray(y[distance.argmin(axis=1)])


def fold_values(learner: Learner, X: Array, y: Array, repeats: int, rng: np.random.Generator) -> Array:
    """The accuracy in each fold of each repeat; folds have as many cases of either class."""
    values = []
    for _ in range(repeats):
        fold = np.empty(len(y), dtype=np.int64)
        for k in (0, 1):
            fold[rng.permutation(np.flatnonzero(y == k))] = np.arange(np.count_nonzero(y == k)) % FOLDS
        for f in range(FOLDS):
            train = fold != f
            values.append(np.mean(learner(X[train], y[train], X[~train]) == y[~train]))
    return np.array(values)


def true_accuracy(learner: Learner, n: int, rng: np.random.Generator) -> float:
    """Expected accuracy for training sets of n cases."""
    others = [drawn(20_000 // (10 if learner is nearest_neighbour else 1), rng) for _ in range(TRUTH_RUNS)]
    return float(np.mean([np.mean(learner(*drawn(n, rng), X) == y) for X, y in others]))


def row(learner: Learner, n: int, repeats: int) -> dict[str, Any]:
    """One record: both intervals, and the mean error against the standard deviation of the mean."""
    rng = np.random.default_rng([n, repeats])
    train = n - n // FOLDS
    truth = true_accuracy(learner, train, rng)
    blocks = tuple((repeat, fold) for repeat in range(repeats) for fold in range(FOLDS))
    errors, plain, means = [], [], []
    for _ in range(RUNS):
        values = fold_values(learner, *drawn(n, rng), repeats, rng)
        table = FoldTable(values[:, None], ("one",), blocks, train, n // FOLDS, "a", "accuracy")
        one = spread(table)["a", "one"]
        assert one.corrected_error is not None
        means.append(one.mean)
        errors.append(one.corrected_error)
        plain.append(one.error_of_mean)
    quantile = t.ppf(0.975, len(blocks) - 1)
    miss = np.abs(np.array(means) - truth)
    return {
        "learner": learner.__name__.replace("_", " "),
        "cases": n,
        "repeats": repeats,
        "runs": RUNS,
        "covered": round(float(np.mean(miss <= quantile * np.array(errors))), 3),
        "covered by SD / sqrt(folds)": round(float(np.mean(miss <= quantile * np.array(plain))), 3),
        "corrected error / true": round(float(np.mean(errors) / np.std(means)), 2),
    }


def rows() -> Iterator[dict[str, Any]]:
    """All records."""
    for learner in (nearest_mean, nearest_neighbour):
        for n in (100, 400):
            for repeats in (1, 10) if n == 100 else (1,):
                yield row(learner, n, repeats)


def main() -> None:
    """Write the results."""
    table = list(rows())
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


if __name__ == "__main__":
    main()
