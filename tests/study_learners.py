"""Learners and data for the tests of studies: quick, without scikit-learn, and some of them bad."""

import os
import time
from pathlib import Path

import numpy as np


def blobs(n=60, classes=2, shift=1.0):
    """Normal classes whose means are `shift` apart; every row is distinct."""
    rng = np.random.default_rng(7)
    y = np.arange(n) % classes
    return rng.normal(size=(n, 3)) + shift * y[:, None], y


class Prior:
    """Says the shares of the classes, with some noise from its seed."""

    def __init__(self, random_state=None, wait=0.0, log=None):
        self.random_state, self.wait, self.log = random_state, wait, log

    def get_params(self, deep=True):  # noqa: ARG002
        return {"random_state": self.random_state, "wait": self.wait, "log": self.log}

    def set_params(self, **parameters):
        vars(self).update(parameters)
        return self

    def fit(self, X, y):  # noqa: ARG002
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares = counts / counts.sum()
        if self.log is not None:
            with Path(self.log).open("a") as log:
                log.write(f"{self.random_state}\n")
        time.sleep(self.wait)
        return self

    def predict_proba(self, X):
        noise = np.random.default_rng(self.random_state).random((len(X), len(self.classes_)))
        table = self.shares + noise
        return table / table.sum(axis=1, keepdims=True)


class Worldly(Prior):
    """Uses the random numbers that belong to everybody."""

    def predict_proba(self, X):
        table = np.random.rand(len(X), len(self.classes_))  # noqa: NPY002 - the point of it
        return table / table.sum(axis=1, keepdims=True)


class Raises(Prior):
    def fit(self, *_):
        raise RuntimeError("no such\nluck")


class Hangs(Prior):
    def fit(self, *_):
        if self.log is not None:
            Path(self.log).write_text(str(os.getpid()))
        while True:
            pass


class Dies(Prior):
    def fit(self, *_):
        os._exit(3)


class SaysNan(Prior):
    def predict_proba(self, X):
        return super().predict_proba(X) * np.nan


class SaysTooLittle(Prior):
    def predict_proba(self, X):
        return super().predict_proba(X)[:, :1]


class DoesNotAddUp(Prior):
    def predict_proba(self, X):
        return super().predict_proba(X) * 0.9


class Remembers(Prior):
    """Fails if it predicts a row that it was fitted on: that would be leakage."""

    def fit(self, X, y):
        self.seen = {row.tobytes() for row in np.asarray(X)}
        return super().fit(X, y)

    def predict_proba(self, X):
        if any(row.tobytes() in self.seen for row in np.asarray(X)):
            raise AssertionError("predicts a row that it was fitted on")
        return super().predict_proba(X)


class Decides(Prior):
    """Has scores, no probabilities."""

    def __getattribute__(self, name):
        if name == "predict_proba":
            raise AttributeError(name)
        return super().__getattribute__(name)

    def decision_function(self, X):
        return 1000.0 * np.asarray(X)[:, 0]
