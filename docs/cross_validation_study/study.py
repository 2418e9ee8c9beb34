"""Run the cells: cross-validate two equally good classifiers on simulated data, compare intervals with truths."""

import csv
import sys
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from grid import Cell, cells
from learners import LINEAR, Array, probabilities
from nested import nested_interval
from scipy.stats import t

import polyroc as pr
from polyroc.estimates.intervals import interval
from polyroc.measures.registry import measure as find_measure
from polyroc.measures.sample import Sample

Rows: TypeAlias = list[dict[str, str]]
Ends: TypeAlias = tuple[float, float]

RESULTS = Path(__file__).parent / "results.csv"
COLUMNS = (
    *("learner", "model", "set", "sizes", "classes", "scheme", "measure", "method", "target", "quantity"),
    *("replicates", "truth", "bias", "rate", "below", "above", "width"),
)
MOST_TEST_CASES, TEST_RATIO = 6000, 8  # of all classes together, for true values by Monte Carlo
FEWEST_TEST_CASES = 1500
NAMES = ("a", "b")


class Interval(NamedTuple):
    """An interval of a value or of a difference, and the value estimated."""

    value: float
    low: float
    high: float


class Outcome(NamedTuple):
    """The result of one method on one replicate: intervals of both values and of their difference, and truths.

    Attributes
    ----------
    singles, difference
        The intervals; the difference is None if the method has none.
    truths
        The average true performance of the models behind the two values.
    """

    singles: tuple[Interval, ...]
    difference: Interval | None
    truths: tuple[float, ...]


def values_of(measure: str, P: Array, y: Array, classes: int) -> float:
    """The value of a measure; the AUC and Hand & Till's M are computed here, for speed."""
    if measure == "auc":
        return _auc(P[:, 1], y == 1)
    if measure != "hand_till":
        return float(find_measure(measure)(Sample(_matrix({"": P}, y, classes), "")).value)
    pairs = []
    for a, b in combinations(range(classes), 2):
        chosen = (y == a) | (y == b)
        pairs += [_auc(P[chosen, a], y[chosen] == a), _auc(P[chosen, b], y[chosen] == b)]
    return float(np.mean(pairs))


def _matrix(tables: dict[str, Array], y: Array, classes: int) -> pr.Scores:
    """Probabilities without any check; the last of two classes is the positive one."""
    return pr.Scores._make(
        y.astype(np.int32), tuple(range(classes)), tables, "matrix", 1 if classes == 2 else None
    )


def _auc(score: Array, positive: Array) -> float:
    others, own = np.sort(score[~positive]), score[positive]
    below = np.searchsorted(others, own, "left").sum() + np.searchsorted(others, own, "right").sum()
    return float(below / (2 * len(own) * len(others)))


class Trained(NamedTuple):
    """The predictions of one model for its test cases, and its true performance."""

    P: Array
    truth: float


class Simulation:
    """One replicate of a cell: data, and models trained on parts of them."""

    def __init__(self, cell: Cell, replicate: int) -> None:
        self.cell, self.rng = cell, cell.rng(replicate)
        self.y = np.repeat(np.arange(cell.classes), cell.sizes)
        self.X = cell.model.sample(self.y, cell.classes, self.rng)
        n = int(np.clip(TEST_RATIO * len(self.y), FEWEST_TEST_CASES, MOST_TEST_CASES))
        # Classes have the same shares as in the data, on which some of the measures depend.
        shares = np.array(cell.sizes) / len(self.y)
        self.test_y = np.repeat(np.arange(cell.classes), np.floor(n * shares + 1e-9).astype(np.int64))
        self.test_X = cell.model.sample(self.test_y, cell.classes, self.rng)

    def features(self, X: Array, which: int) -> Array:
        """The features of the first or of the second classifier."""
        d = self.cell.model.features
        return X[:, which * d : (which + 1) * d]

    def partition(self, folds: int) -> Array:
        """The fold of each case: stratified, at random."""
        fold = np.empty(len(self.y), dtype=np.int64)
        shuffled = self.rng.permutation(len(self.y))
        order = shuffled[np.argsort(self.y[shuffled], kind="stable")]
        fold[order] = np.arange(len(self.y)) % folds
        return fold

    def train(self, which: int, left_out: Array, wanted: bool = True) -> Trained:
        """A model trained without some cases: its predictions of these, and its true value if wanted."""
        cell, keep = self.cell, np.ones(len(self.y), dtype=bool)
        keep[left_out] = False
        X, y = self.features(self.X, which)[keep], self.y[keep]
        left = self.features(self.X, which)[left_out]
        if not wanted:
            return Trained(probabilities(cell.learner, X, y, cell.classes, left)[0], np.nan)
        exact = cell.measure == "auc" and cell.learner in LINEAR and cell.model.shape == "normal"
        test = left if exact else np.concatenate([left, self.features(self.test_X, which)])
        P, direction = probabilities(cell.learner, X, y, cell.classes, test)
        if exact:
            assert direction is not None
            return Trained(P, cell.model.linear_auc(direction))
        return Trained(P[: len(left)], values_of(cell.measure, P[len(left) :], self.test_y, cell.classes))

    def scores(self, P: Sequence[Array], folds: Array, repeats: Array | None, times: int) -> pr.Scores:
        """The predictions of both classifiers."""
        return pr.Scores(
            np.tile(self.y, times),
            dict(zip(NAMES, P, strict=True)),
            labels=list(range(self.cell.classes)),
            pos_label=1 if self.cell.classes == 2 else None,
            folds=folds,
            repeats=repeats,
            sampling="case-control",
        )


def _of_comparison(scores: pr.Scores, measure: str, truths: tuple[float, ...]) -> Outcome:
    comparison = pr.compare(scores, measure=measure)
    singles = tuple(Interval(e.value, *e.confidence_interval()) for e in comparison.estimates.values())
    (difference,) = comparison.differences.values()
    return Outcome(singles, Interval(difference.value, *difference.confidence_interval()), truths)


def _corrected_t(values: Array, truths: tuple[float, ...], folds: int) -> Outcome:
    """Nadeau & Bengio's interval and test from the values of folds (two rows)."""

    def student(row: Array) -> Interval:
        n = len(row)
        error = np.sqrt(row.var(ddof=1) * (1 / n + 1 / (folds - 1)))
        reach = t.ppf(0.975, n - 1) * error
        return Interval(float(row.mean()), float(row.mean() - reach), float(row.mean() + reach))

    return Outcome(tuple(map(student, values)), student(values[0] - values[1]), truths)


class Predictions(NamedTuple):
    """The out-of-fold predictions of both classifiers, all cases of the first repeat first.

    Attributes
    ----------
    P, folds
        At [classifier, row, class] the probabilities; the fold of each row.
    truth, value
        At [classifier, repeat, fold] the true value of the model, and that on the cases of the fold.
    """

    P: Array
    folds: Array
    truth: Array
    value: Array


def predictions(simulation: Simulation) -> Predictions:
    """Cross-validate both classifiers."""
    cell = simulation.cell
    n, K, R = len(simulation.y), cell.folds, cell.repeats
    P = np.empty((2, R * n, cell.classes))
    folds, truth, value = np.empty(R * n, dtype=np.int64), np.empty((2, R, K)), np.empty((2, R, K))
    for r in range(R):
        fold = simulation.partition(K)
        folds[r * n : (r + 1) * n] = fold
        for k in range(K):
            left = np.flatnonzero(fold == k)
            for which in (0, 1):
                model = simulation.train(which, left)
                P[which, r * n + left], truth[which, r, k] = model
                value[which, r, k] = values_of(cell.measure, model.P, simulation.y[left], cell.classes)
    return Predictions(P, folds, truth, value)


def cross_validated(cell: Cell, replicate: int) -> dict[str, Outcome]:
    """All methods on one replicate with folds."""
    simulation = Simulation(cell, replicate)
    made = predictions(simulation)
    outcomes = of_predictions(simulation, made)
    outcomes["nested"] = Outcome(*nested(simulation, made), tuple(made.truth.mean(axis=(1, 2))))
    return outcomes


def of_predictions(simulation: Simulation, made: Predictions) -> dict[str, Outcome]:
    """The methods that need no more than the predictions."""
    cell, n = simulation.cell, len(simulation.y)
    truth, value, R = made.truth, made.value, cell.repeats
    first, all_runs = tuple(truth[:, 0].mean(axis=1)), tuple(truth.mean(axis=(1, 2)))
    one = simulation.scores(made.P[:, :n], made.folds[:n], None, 1)
    several = simulation.scores(made.P, made.folds, np.repeat(np.arange(R), n), R)
    return {
        "pooled": _of_comparison(one.pool_folds(), cell.measure, first),
        "one run": _of_comparison(one, cell.measure, first),
        "repeated": _of_comparison(several, cell.measure, all_runs),
        "corrected t, one run": _corrected_t(value[:, 0], first, cell.folds),
        "corrected t, repeated": _corrected_t(value.reshape(2, -1), all_runs, cell.folds),
    }


def nested(simulation: Simulation, made: Predictions) -> tuple[tuple[Interval, ...], Interval]:
    """Bates, Hastie & Tibshirani's intervals of both values and of their difference."""
    cell, y = simulation.cell, simulation.y
    R, K = cell.repeats, cell.folds
    folds, P, value = made.folds.reshape(R, -1), made.P.reshape(2, R, len(y), -1), made.value
    inner, within = np.full((2, R, K, K), np.nan), np.empty((3, R, K))
    for r in range(R):
        for k in range(K):
            own = folds[r] == k
            within[:, r, k] = fold_variances(cell.measure, P[:, r, own], y[own], cell.classes)
        for k, j in combinations(range(K), 2):
            left = np.flatnonzero((folds[r] == k) | (folds[r] == j))
            for which in (0, 1):
                without = simulation.train(which, left, wanted=False).P
                for a, b in ((k, j), (j, k)):  # the model without folds a and b, on the cases of b
                    cases = folds[r][left] == b
                    inner[which, r, a, b] = values_of(cell.measure, without[cases], y[left][cases], cell.classes)
    singles = tuple(Interval(*nested_interval(value[i], inner[i], within[i])) for i in (0, 1))
    difference = Interval(*nested_interval(value[0] - value[1], inner[0] - inner[1], within[2]))
    return singles, difference


def fold_variances(measure: str, tables: Array, y: Array, classes: int) -> Array:
    """The variances of both values in a fold, from structural components, and of their difference."""
    scores = _matrix(dict(zip(NAMES, tables, strict=True)), y, classes)
    matrix = (
        pr.methods.Influence()
        .covariance(find_measure(measure), [Sample(scores, name) for name in NAMES])
        .covariance
    )
    return np.array([matrix[0, 0], matrix[1, 1], matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1]])


def left_out(cell: Cell, replicate: int) -> dict[str, Outcome]:
    """Leave-one-out, pooled, and leave-one-pair-out."""
    simulation = Simulation(cell, replicate)
    n = len(simulation.y)
    one = [[simulation.train(which, np.array([i])) for i in range(n)] for which in (0, 1)]
    P = [np.concatenate([model.P for model in models]) for models in one]
    truths = tuple(float(np.mean([model.truth for model in models])) for models in one)
    pooled = simulation.scores(P, np.arange(n), None, 1).pool_folds()
    outcomes = {"leave-one-out, pooled": _of_comparison(pooled, cell.measure, truths)}
    pairs = np.array([(i, j) for i in range(n) for j in range(i + 1, n) if simulation.y[i] != simulation.y[j]])
    singles, truths = [], ()
    for which in (0, 1):
        models = [simulation.train(which, pair) for pair in pairs]
        a, b = simulation.y[pairs[:, 0]], simulation.y[pairs[:, 1]]
        table = np.array([model.P for model in models])
        rows = np.arange(len(pairs))
        ranked = np.heaviside(table[rows, 0, a] - table[rows, 1, a], 0.5)
        ranked += np.heaviside(table[rows, 1, b] - table[rows, 0, b], 0.5)
        singles.append(pair_interval(ranked / 2, pairs, simulation.y))
        truths = (*truths, float(np.mean([model.truth for model in models])))
    outcomes["leave-one-pair-out"] = Outcome(tuple(singles), None, truths)
    return outcomes


def pair_interval(outcomes: Array, pairs: Array, y: Array) -> Interval:
    """The interval of leave-one-pair-out with twice the variance of the structural components."""
    counts = np.bincount(y)
    number = len(counts) * (len(counts) - 1) / 2
    value, components = 0.0, np.zeros(len(y))
    first, second = y[pairs[:, 0]], y[pairs[:, 1]]
    for a, b in combinations(range(len(counts)), 2):
        chosen = (first == a) & (second == b)
        value += float(outcomes[chosen].mean()) / number
        for side, others in ((0, counts[b]), (1, counts[a])):
            components += np.bincount(pairs[chosen, side], outcomes[chosen], len(y)) / others / number
    variance = sum(components[y == k].var(ddof=1) / counts[k] for k in range(len(counts)))
    error, fewest = float(np.sqrt(2 * variance)), counts.min() * len(counts) / 2
    return Interval(value, *interval(value, error, (0.0, 1.0), float(fewest)))


def simulate(cell: Cell, share: float = 1.0) -> Rows:
    """The rows of one cell, from a share of the replicates."""
    run = cross_validated if cell.folds else left_out
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = [run(cell, replicate) for replicate in range(max(10, round(share * cell.replicates)))]
    return summarised(cell, outcomes)


def summarised(cell: Cell, outcomes: Sequence[dict[str, Outcome]]) -> Rows:
    """The rows of one cell: by method, target, and value or difference."""
    rows = []
    for method in outcomes[0]:
        own = [by_method[method] for by_method in outcomes]
        learner = float(np.mean([truth for outcome in own for truth in outcome.truths]))
        for target in ("models", "learner"):
            singles = [
                (one, learner if target == "learner" else truth)
                for outcome in own
                for one, truth in zip(outcome.singles, outcome.truths, strict=True)
            ]
            rows.append(_row(cell, method, target, "value", len(own), singles))
            differences = [
                (outcome.difference, 0.0 if target == "learner" else outcome.truths[0] - outcome.truths[1])
                for outcome in own
                if outcome.difference is not None
            ]
            if differences:
                rows.append(_row(cell, method, target, "difference", len(own), differences))
    return rows


def _row(
    cell: Cell, method: str, target: str, quantity: str, replicates: int, pairs: Sequence[tuple[Interval, float]]
) -> dict[str, str]:
    """A line of the results, with four digits."""
    value, low, high, truth = (np.array(x) for x in zip(*((*one, true) for one, true in pairs), strict=True))
    slack = 1e-9
    facts: dict[str, Any] = {
        "learner": cell.learner,
        "model": cell.model_name,
        "set": "report" if cell.model.report else "choice",
        "sizes": cell.shown_sizes,
        "classes": cell.classes,
        "scheme": cell.shown_scheme,
        "measure": cell.measure,
        "method": method,
        "target": target,
        "quantity": quantity,
        "replicates": replicates,
    }
    numbers = {
        "truth": np.mean(truth),
        "bias": np.mean(value - truth),
        "rate": np.mean((low <= truth + slack) & (truth - slack <= high)),
        "below": np.mean(high < truth - slack),
        "above": np.mean(low > truth + slack),
        "width": np.median(high - low),
    }
    return {name: str(fact) for name, fact in facts.items()} | {name: f"{x:.4f}" for name, x in numbers.items()}


def run(chosen: Sequence[Cell], share: float, out: Path | None) -> Rows:
    """Simulate cells, as many at a time as there are cores; with a file, those that it has already are skipped."""
    rows = read(out) if out is not None and out.exists() else []
    known = {(row["learner"], row["model"], row["sizes"], row["scheme"], row["measure"]) for row in rows}
    start = time.monotonic()
    with ProcessPoolExecutor() as pool:
        jobs = {pool.submit(simulate, cell, share): cell for cell in chosen if cell.key not in known}
        for number, job in enumerate(as_completed(jobs), 1):
            rows += job.result()
            if out is not None:
                write(rows, out)
            minutes = (time.monotonic() - start) / 60
            sys.stderr.write(f"{number} of {len(jobs)} after {minutes:.0f} min: {jobs[job].name}\n")
    return rows


def read(path: Path = RESULTS) -> Rows:
    """The rows of a file, in the order of the grid."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(rows: Rows, path: Path = RESULTS) -> None:
    """Write rows in the order of the grid."""
    order = {cell.key: number for number, cell in enumerate(cells())}
    names = ("learner", "model", "sizes", "scheme", "measure")
    ordered = sorted(rows, key=lambda row: order.get(tuple(row[name] for name in names), len(order)))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(ordered)
