"""Simulation models of calibration: predicted probabilities and true ones as functions of a uniform number.

True values are means over 20,000 equally likely numbers.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, ndtri, xlogy
from scipy.stats import beta

from polyroc.reliability.recalibration import regress

Floats = npt.NDArray[np.float64]
NODES = (np.arange(20_000) + 0.5) / 20_000
FIVE = np.array([0.1, 0.3, 0.5, 0.7, 0.9])


class Model(NamedTuple):
    """A model: from uniform numbers to true and predicted probabilities, which rise with them.

    `chosen_on`: intervals were chosen on it, so that it is no evidence for them.
    """

    name: str
    probabilities: Callable[[Floats], tuple[Floats, Floats]]
    sizes: tuple[int, ...]
    chosen_on: bool = False

    @property
    def calibrated(self) -> bool:
        """True if the predicted probabilities are the true ones."""
        true, predicted = self.probabilities(NODES)
        return bool(np.allclose(true, predicted))

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Floats]:
        """Outcomes and predicted probabilities of n cases."""
        true, predicted = self.probabilities(rng.random(n))
        return rng.random(n) < true, predicted


def _logistic(slope: float, shift: float = 0.0, mean: float = 0.0, spread: float = 1.5) -> Any:
    """Normal log odds; predicted ones are (true - shift) / slope."""

    def probabilities(u: Floats) -> tuple[Floats, Floats]:
        odds = mean + spread * ndtri(u)
        return expit(odds), expit((odds - shift) / slope)

    return probabilities


def _by_beta(a: float, b: float, true: Callable[[Floats], Floats]) -> Any:
    """Predicted probabilities with a beta distribution, and the true ones as a function of these."""

    def probabilities(u: Floats) -> tuple[Floats, Floats]:
        predicted = np.clip(beta.ppf(u, a, b), 1e-4, 1 - 1e-4)
        return np.asarray(true(predicted)), predicted

    return probabilities


def _five_values(u: Floats) -> tuple[Floats, Floats]:
    predicted = FIVE[np.minimum((5 * u).astype(int), 4)]
    return predicted, predicted


SMALL, ALL, RARE = (40, 200), (40, 200, 1000), (420,)
MODELS = (
    Model("calibrated", _logistic(1.0), ALL, True),
    Model("overconfident", _logistic(0.6), SMALL, True),
    Model("underconfident", _logistic(1.6), SMALL, True),
    Model("too low", _logistic(1.0, 0.5), SMALL, True),
    Model("calibrated, rare", _logistic(1.0, 0.0, -3.8, 1.3), RARE, True),
    Model("overconfident, rare", _logistic(0.6, 0.0, -3.8, 1.3), RARE, True),
    Model("calibrated, beta(1, 4)", _by_beta(1, 4, lambda p: p), ALL),
    Model("calibrated, five values", _five_values, SMALL),
    Model("overconfident, beta(1/2, 1/2)", _by_beta(0.5, 0.5, lambda p: 0.15 + 0.7 * p), SMALL),
    Model("underconfident, beta(2, 2)", _by_beta(2, 2, lambda p: 3 * p**2 - 2 * p**3), SMALL),
    Model("underconfident, beta(1, 3)", _by_beta(1, 3, lambda p: expit(1.6 * logit(p) + 0.3)), (200, 1000)),
    Model("too high, bent, beta(2, 1)", _by_beta(2, 1, lambda p: 0.9 * p**1.5), SMALL),
    Model("calibrated, rare, beta(1, 20)", _by_beta(1, 20, lambda p: p), RARE),
    Model("overconfident, rare, beta(1/2, 10)", _by_beta(0.5, 10, lambda p: 0.02 + 0.6 * p), RARE),
)


def _entropy(p: Floats) -> Floats:
    return np.asarray(-xlogy(p, p) - xlogy(1 - p, 1 - p))


def _length(p: Floats) -> Floats:
    return np.hypot(p, 1 - p)


@cache
def truths(model: Model) -> dict[str, float]:
    """The true values."""
    q, p = model.probabilities(NODES)
    share, x, one = float(q.mean()), logit(p), np.ones(len(q))
    constant = np.full(len(q), share)
    line = regress(np.stack([one, x]), 0 * x, q, one)
    cross = -xlogy(q, p) - xlogy(1 - q, 1 - p)
    direction = (q * p + (1 - q) * (1 - p)) / _length(p)
    level = (q * constant + (1 - q) * (1 - constant)) / _length(constant)
    return {
        "in_the_large": float(regress(one[None], x, q, one)[0]),
        "slope": float(line[1]),
        "miscalibration": float(((p - q) ** 2).mean()),
        "discrimination": float(((q - share) ** 2).mean()),
        "uncertainty": share * (1 - share),
        "log_loss miscalibration": float((cross - _entropy(q)).mean()),
        "log_loss discrimination": float((_entropy(constant) - _entropy(q)).mean()),
        "spherical miscalibration": float((_length(q) - direction).mean()),
        "spherical discrimination": float((_length(q) - level).mean()),
        "calibration_error": float(np.sqrt(((p - q) ** 2).mean())),
    }


def curve_at(model: Model, p: Floats) -> Floats:
    """The true probability at predicted ones."""
    true, predicted = model.probabilities(NODES)
    values, places = np.unique(predicted, return_index=True)
    return np.asarray(np.interp(p, values, true[places]))
