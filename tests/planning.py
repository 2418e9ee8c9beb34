"""Simulation models, pilot data and plans that the tests of `sample_size` share."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from scipy import stats

import polyroc as pr
from polyroc import datasets

NORMAL = NormalDist()
NAMES = ("negative", "positive")


def binormal(auc):
    """The model of two normal scores with this area."""
    return datasets.Binormal(sqrt(2) * NORMAL.inv_cdf(auc))


def area_of(y, s):
    return float(pr.evaluate(y, s, measure="auc", method=None, labels=[0, 1]))


def bounds(share, times):
    """Counts that chance alone leaves once in a thousand."""
    return stats.binom.interval(0.999, times, share)


@dataclass(frozen=True)
class Pair:
    """Two classifiers, normal scores with a correlation within each class."""

    first: float
    second: float
    correlation: float

    @property
    def auc(self):
        return {"one": self.first, "two": self.second}

    def sample(self, sizes, rng):
        sizes = np.broadcast_to(sizes, 2)
        y = np.repeat([0, 1], sizes)
        noise = np.random.default_rng(rng).multivariate_normal(
            [0, 0], [[1, self.correlation], [self.correlation, 1]], len(y)
        )
        shift = sqrt(2) * np.array([NORMAL.inv_cdf(self.first), NORMAL.inv_cdf(self.second)])
        score = noise + y[:, None] * shift
        return y, {"one": score[:, 0], "two": score[:, 1]}


RNG = np.random.default_rng(8)
Y = np.repeat(["a", "b", "c"], [20, 25, 30])
TRUTH = np.array(["a", "b", "c"])[None, :] == Y[:, None]


def noisy(strength):
    P = RNG.dirichlet(np.ones(3), size=len(Y)) + strength * TRUTH
    return P / P.sum(axis=1, keepdims=True)


GOOD, FAIR = noisy(0.8), noisy(0.4)


PLANS = {
    "one": (
        {"value": 0.85, "null": 0.75, "power": 0.9, "ratio": (1, 2)},
        "239 cases (80 negative, 159 positive) give a power of 0.90 to show that auc is above 0.75 if it is 0.85 "
        "(two-sided test at 5 %).",
    ),
    "paired": (
        {"value": 0.85, "versus": 0.8, "correlation": 0.5},
        "519 cases (260 negative, 259 positive) give a power of 0.80 to show that one of two classifiers has auc "
        "above the other's if they have 0.85 and 0.8 on the same cases (two-sided test at 5 %).",
    ),
    "apart": (
        {"value": 0.8, "versus": 0.9, "null": -0.02, "n": 400, "sides": 1},
        "400 cases (100 negative, 100 positive for each of two classifiers) give a power of 0.69 to show that one "
        "of two classifiers has auc below the other's minus 0.02 if they have 0.8 and 0.9 on different cases "
        "(one-sided test at 5 %).",
    ),
    "margin": (
        {"value": 0.85, "null": 0.85, "margin": 0.05, "n": 200},
        "200 cases (100 negative, 100 positive) give a power of 0.33 to show that auc is not below 0.85 by 0.05 "
        "or more if it is 0.85 (one-sided test at 2.5 %).",
    ),
    "width": (
        {"value": 0.85, "width": 0.1},
        "266 cases (133 negative, 133 positive) give a 95 % interval of auc no wider than 0.1 in 0.81 of all "
        "samples if it is 0.85.",
    ),
}
