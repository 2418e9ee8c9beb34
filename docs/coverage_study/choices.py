"""Thresholds and cut-points that are chosen on a sample: what they are chosen for, and what is true of them."""

import math
from functools import cache
from typing import Any

import numpy as np
from models import Data, Floats, Law, Model, distance
from quantities import Setting, options

import polyroc as pr

RESAMPLES = 200
STEP = 10  # every so many of the equally likely scores of a class are tried as true thresholds
NEGLIGIBLE = 1e-15  # a probability
CHOICES: dict[str, dict[str, Any]] = {
    "youden": {"criterion": "youden"},
    "closest": {"criterion": "closest"},
    "costs": {"costs": [[0, 1], [5, 0]], "priors": [0.8, 0.2]},
    "sensitivity": {"sensitivity": 0.9},
}


def quantities(name: str, classes: int) -> tuple[list[str], list[str]]:
    """What the thresholds and the rates of a choice are called in the results."""
    numbers = [""] if classes == 2 else [f" {j}" for j in range(1, classes)]
    return [f"{name} threshold{number}" for number in numbers], [
        f"{name} rate of class {k}" for k in range(classes)
    ]


def choose(name: str, data: Data, setting: Setting, seed: int) -> pr.OperatingPoint:
    """The operating point of a sample, its choice repeated in resamples."""
    order = list(range(int(data.y.max()) + 1))
    method = pr.Bootstrap(n=RESAMPLES, rng=seed, n_jobs=1)
    design = options(pr.operate, data, setting)
    return pr.operate(data.y, data.scores[0], labels=order, method=method, **CHOICES[name], **design)


@cache
def true_thresholds(name: str, model: Model, value: float, classes: int) -> tuple[float, ...]:
    """The best thresholds of the population: of scores on a fine grid, weighted by their probabilities."""
    laws = model.laws(distance(model, value, classes), classes)
    grid = np.unique(np.concatenate([points[::STEP] for law in laws for _, points in law.nodes()]))
    weights = [np.diff(np.append(law.cdf(grid, left=True), 1.0)) for law in laws]
    for weight, law in zip(weights, laws, strict=True):
        weight[0] += float(law.cdf(grid[0], left=True))
    weight = np.concatenate(weights)
    y, s = np.repeat(np.arange(classes), len(grid)), np.tile(grid, classes)
    point = pr.operate(
        y,
        s,
        labels=list(range(classes)),
        sample_weight=np.where(weight > NEGLIGIBLE, weight, 0.0),
        **CHOICES[name],
    )
    return point.thresholds


def true_rates(laws: list[Law], thresholds: tuple[float, ...]) -> Floats:
    """By class, the probability that a new case of it is decided rightly."""
    ends = (-math.inf, *thresholds, math.inf)
    return np.array([_below(law, ends[k + 1]) - _below(law, ends[k]) for k, law in enumerate(laws)])


def _below(law: Law, end: float) -> float:
    return float(law.cdf(end, left=True)) if math.isfinite(end) else float(end > 0)
