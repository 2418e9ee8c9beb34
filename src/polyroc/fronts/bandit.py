"""Shares of draws among several ways to make them, by what each has gained per draw so far."""

from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray, IntArray

__all__ = ["Bandit"]

FLOOR = 0.15  # share of the draws that is spread evenly, whatever has paid


class Bandit:
    """A multi-armed bandit: an arm has a share in proportion to the square of its gain per draw, above a floor.

    Parameters
    ----------
    arms
        How many ways there are.
    decay
        Weight of what was learned before, in each batch.

    >>> bandit = Bandit(2, 0.5)
    >>> bandit.shares().tolist()
    [0.5, 0.5]
    >>> bandit.learn(np.array([0, 0, 1, 1]), np.array([0, 0, 1]))
    >>> bandit.shares().round(2).tolist()
    [0.7, 0.3]
    """

    def __init__(self, arms: int, decay: float) -> None:
        # Nearly no draws with one gain: an arm that was not tried looks best, so that each is tried at once.
        self.gained, self.tried = np.ones(arms), np.full(arms, 1e-9)
        self._decay = decay

    @property
    def state(self) -> dict[str, list[float]]:
        """What was learned, as plain data."""
        return {"gained": self.gained.tolist(), "tried": self.tried.tolist()}

    def restore(self, state: Any) -> None:
        """Take the `state` of another bandit of as many arms."""
        try:
            gained, tried = (np.array(state[name], dtype=np.float64) for name in ("gained", "tried"))
        except (TypeError, ValueError, KeyError):
            gained = tried = np.empty(0)
        valid = gained.shape == tried.shape == self.tried.shape and np.isfinite(gained + tried).all()
        if not valid or (gained < 0).any() or (tried <= 0).any():
            raise InputError(
                "The front's search: what its operators gained is damaged; search anew without resume."
            )
        self.gained, self.tried = gained, tried

    def shares(self) -> FloatArray:
        """The probability of each arm."""
        merit = (self.gained / self.tried) ** 2
        if not merit.any():
            merit = np.ones(len(merit))
        return np.asarray((1.0 - FLOOR) * merit / merit.sum() + FLOOR / len(merit))

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """The arms of n draws, in order."""
        return np.sort(rng.choice(len(self.tried), size=n, p=self.shares()))

    def learn(self, arms: IntArray, gained: IntArray) -> None:
        """Count the arms of a batch of draws, and the arms of its gains: one entry for each gain."""
        size = len(self.tried)
        self.gained = self._decay * self.gained + np.bincount(gained, minlength=size)
        self.tried = self._decay * self.tried + np.bincount(arms, minlength=size)
