"""Thresholds and cut-points that are chosen on a sample: what they are chosen for, and what is true of them."""

import math
from functools import cache
from typing import Any

import numpy as np
from models import Data, Floats, Law, Model, distance, probabilities
from quantities import Setting, options

import polyroc as pr

RESAMPLES, SEARCHES = 200, 50
NEW_CASES = 5000  # of each class, on which a searched rule is evaluated
STEP = 10  # every so many of the equally likely scores of a class are tried as true thresholds
TUNED = ("normal", "exponential", "Laplace")  # models from which decisions.uncertainty.OPTIMISM_VARIATION is
NEGLIGIBLE = 1e-15  # a probability
CHOICES: dict[str, dict[str, Any]] = {
    "youden": {"criterion": "youden"},
    "closest": {"criterion": "closest"},
    "costs": {"costs": [[0, 1], [5, 0]], "priors": [0.8, 0.2]},
    "sensitivity": {"sensitivity": 0.9},
    "specificity": {"specificity": 0.9},
    "limit": {"at_most": {(1, 0): 0.1}, "priors": [0.5, 0.5]},
    "ordered costs": {"costs": [[0, 1, 2], [2, 0, 1], [4, 2, 0]], "priors": [1 / 3] * 3},
}
REQUIRED = ("sensitivity", "specificity")  # determined by a quantile, so that nothing was chosen on any model


def quantities(name: str, classes: int) -> tuple[list[str], list[str]]:
    """What the thresholds and the rates of a choice are called in the results."""
    numbers = [""] if classes == 2 else [f" {j}" for j in range(1, classes)]
    return [f"{name} threshold{number}" for number in numbers], [
        f"{name} rate of class {k}" for k in range(classes)
    ]


def choose(name: str, data: Data, setting: Setting, seed: int) -> pr.results.OperatingPoint:
    """The operating point of a sample, its choice repeated in resamples."""
    order = list(range(int(data.y.max()) + 1))
    method = pr.methods.Bootstrap(replicates=RESAMPLES, rng=seed, n_jobs=1)
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


def costs_of(classes: int) -> Floats:
    """Costs that rise with the distance of the classes, twice as high for decisions that are too low."""
    distance_of = np.arange(classes)[:, None] - np.arange(classes)
    return np.asarray(np.where(distance_of > 0, 2.0, -1.0) * distance_of)


def search(data: Data, setting: Setting, seed: int) -> pr.results.OperatingPoint:
    """The cost rule of a sample, the search repeated in resamples; all classes count alike."""
    classes = int(data.y.max()) + 1
    return pr.operate(
        data.y,
        probabilities(data.scores[0]),
        costs=costs_of(classes),
        priors=[1.0 / classes] * classes,
        method=pr.methods.Bootstrap(replicates=SEARCHES, rng=seed, n_jobs=1),
        **options(pr.operate, data, setting),
    )


def searched_quantities(point: pr.results.OperatingPoint, new: Data) -> tuple[list[float], list[Any]]:
    """Cost and rates of right decisions of a rule: on new cases, and as they are estimated."""
    rates = pr.rates(new.y, probabilities(new.scores[0]), rule=point.rule).rates
    true = [float((costs_of(len(rates)) * rates).sum()) / len(rates), *np.diag(rates).tolist()]
    return true, [point.cost, *(point.confusion[k, k] for k in range(len(rates)))]


def searched_names(classes: int) -> list[str]:
    """What the cost and the rates of a searched rule are called in the results."""
    return ["searched cost", *(f"searched rate of class {k}" for k in range(classes))]
