"""Random numbers from what they are for, so that they do not depend on the order in which things are done."""

import hashlib

import numpy as np

__all__ = ["generator", "seed_of"]


def seed_of(*what: str | int) -> int:
    """A seed below 2^31 from the seed of the plan and what it is for.

    >>> seed_of(0, "iris", "knn", 0, 3), seed_of(0, "iris", "knn", 0, 4)
    (571487897, 2076266834)
    """
    return int.from_bytes(_digest(what)[:4], "little") >> 1


def generator(*what: str | int) -> np.random.Generator:
    """A generator of random numbers from the same."""
    return np.random.default_rng(int.from_bytes(_digest(what), "little"))


def _digest(what: tuple[str | int, ...]) -> bytes:
    return hashlib.sha256(repr(what).encode()).digest()
