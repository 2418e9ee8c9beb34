"""Data and learners of the recorded study: quick, and without scikit-learn."""

import numpy as np


def blobs(n=40, classes=2):
    """Normal classes one standard deviation apart, in two features."""
    y = np.arange(n) % classes
    return np.random.default_rng(7).normal(size=(n, 2)) + y[:, None], y


class NearestMean:
    """Probabilities from the distances to the class means."""

    def __init__(self, scale=1.0):
        self.scale = scale

    def get_params(self, deep=True):  # noqa: ARG002 - scikit-learn's signature
        return {"scale": self.scale}

    def set_params(self, **parameters):
        vars(self).update(parameters)
        return self

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict_proba(self, X):
        distances = ((X[:, None, :] - self.means) ** 2).sum(axis=2)
        weights = 1.0 / (self.scale + distances)
        return weights / weights.sum(axis=1, keepdims=True)


class FirstFeature(NearestMean):
    """The same with the first feature alone."""

    def fit(self, X, y):
        return super().fit(X[:, :1], y)

    def predict_proba(self, X):
        return super().predict_proba(X[:, :1])
