"""A family of classifiers and data that the tests of fronts share."""

import numpy as np


def three_blobs(sizes=(20, 16, 24), seed=0, spread=0.6):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    angle = 2 * np.pi * y / len(sizes)
    return np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(size=(len(y), 2)) * spread, y


class Tilt:
    """Two or three classes, one parameter for each; remembers every proposal. Few distinct posteriors, so ties."""

    name = "tilt"

    def __init__(self, decimals=1):
        self.decimals, self.predicted_for = decimals, []

    def start(self, X, y, rng):  # noqa: ARG002
        self.classes = int(y.max()) + 1
        return np.zeros(self.classes)

    def perturb(self, parameters, rng):
        return parameters + rng.laplace(0, 0.5, len(parameters)).round(1)

    def posteriors(self, parameters, X):
        self.predicted_for.append(parameters.copy())
        z = np.round(np.column_stack([X, -X.sum(axis=1)])[:, : self.classes] + parameters, self.decimals)
        P = np.exp(z - z.max(axis=1, keepdims=True))
        return P / P.sum(axis=1, keepdims=True)


def errors_of(tables):
    tables = np.asarray(tables)
    return tables[:, ~np.eye(tables.shape[1], dtype=bool)]
