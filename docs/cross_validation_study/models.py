"""Simulation models: classes, features, and two sets of features that are equally good."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from learners import Array
from scipy.special import ndtr


@dataclass(frozen=True)
class Model:
    """Normal features whose class means differ, or transforms of them.

    Two classifiers are compared: the same learner, on two independent sets of features with the same distribution.

    Attributes
    ----------
    informative, noise
        Number of features per set whose means differ between classes, and number of others.
    shift
        Two classes: difference of the means of each informative feature. More classes: the mean of class k is this
        in the informative feature k (modulo their number), 0 in the others.
    shape
        "normal"; "heavy" (Student's t with 3 degrees of freedom); "skewed" (exponential).
    correlation
        Of any two features of a set.
    report
        True if no choice of a method was made on it.
    """

    informative: int
    noise: int
    shift: float
    shape: str = "normal"
    correlation: float = 0.0
    report: bool = False

    @property
    def features(self) -> int:
        """Number of features per set."""
        return self.informative + self.noise

    def means(self, classes: int) -> Array:
        """Means of the features of one set, classes x features."""
        means = np.zeros((classes, self.features))
        if classes == 2:
            means[1, : self.informative] = self.shift
        elif self.informative:
            means[np.arange(classes), np.arange(classes) % self.informative] = self.shift
        return means

    def sample(self, y: Array, classes: int, rng: np.random.Generator) -> Array:
        """Both sets of features side by side, for cases of the classes y."""
        n, d = len(y), self.features
        if self.shape == "heavy":
            X = rng.standard_t(3, size=(n, 2 * d))
        elif self.shape == "skewed":
            X = rng.exponential(size=(n, 2 * d)) - 1.0
        else:
            X = rng.normal(size=(n, 2 * d))
        if self.correlation:
            shared = np.repeat(rng.normal(size=(n, 2)), d, axis=1)
            X = sqrt(1.0 - self.correlation) * X + sqrt(self.correlation) * shared
        return X + np.tile(self.means(classes), 2)[y]

    def linear_auc(self, direction: Array) -> float:
        """The true AUC of a linear score of two classes, if features are normal."""
        mean = direction @ self.means(2)[1]
        variance = (1.0 - self.correlation) * (direction**2).sum() + self.correlation * direction.sum() ** 2
        return float(ndtr(mean / sqrt(2.0 * variance))) if variance > 0 else 0.5


MODELS = {
    "no signal": Model(0, 5, 0.0),
    "weak": Model(5, 0, 0.35),
    "strong": Model(2, 0, 1.0),
    "noise features": Model(2, 13, 0.8),
    "no signal, 2 features": Model(0, 2, 0.0, report=True),
    "no signal, skewed": Model(0, 8, 0.0, shape="skewed", report=True),
    "correlated": Model(4, 0, 0.6, correlation=0.4, report=True),
    "heavy tails": Model(3, 2, 0.8, shape="heavy", report=True),
    "skewed": Model(3, 0, 0.6, shape="skewed", report=True),
    "many noise features": Model(2, 28, 0.9, report=True),
}
