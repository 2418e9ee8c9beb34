"""Shared checks of everything that draws random numbers: how many draws, from which seed, by how many workers.

The convention of the package: `rng=0` by default, so that the same call gives the same answer; a generator, which
advances; or None for fresh entropy. `n_jobs` never changes an answer.
"""

import os
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from polyroc.errors import InputError

__all__ = ["Draws", "Rng", "check_n_jobs", "check_rng", "count_workers", "is_whole", "seed_of"]

Rng: TypeAlias = int | np.random.Generator | None


def is_whole(value: object, least: int | None = None) -> bool:
    """True for an integer (of Python or numpy, not a bool), at least `least` if that is given."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        return False
    return least is None or bool(value >= least)


def check_rng(rng: object) -> None:
    """Raise an error unless `rng` is a seed, a generator or None."""
    if not (rng is None or isinstance(rng, np.random.Generator) or is_whole(rng, 0)):
        raise InputError(f"rng must be a seed (0 or more), a numpy.random.Generator or None, got {rng!r}.")


def check_n_jobs(n_jobs: object) -> None:
    """Raise an error unless `n_jobs` is a number of threads or None."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise InputError(f"n_jobs must be a number of threads, -1 or None (all cores), got {n_jobs!r}.")


def seed_of(rng: Rng) -> int:
    """The seed itself, or one drawn from the generator or from the system (below 2^53, so that JSON holds it)."""
    check_rng(rng)
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**53))
    return int(rng)


def count_workers(n_jobs: int | None) -> int:
    """The number of threads; negative values count down from the number of cores, -1 and None being all."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = -1 if n_jobs is None else n_jobs
    return wanted if wanted > 0 else max(1, cores + 1 + wanted)


@dataclass(frozen=True, slots=True)
class Draws:
    """How many draws, from which seed, by how many threads."""

    n: int
    seed: int
    workers: int

    @classmethod
    def of(cls, n: int, rng: Rng, n_jobs: int | None, what: str = "n") -> "Draws":
        """From the arguments of a public function; `what` names the number in a message."""
        if not is_whole(n, 1):
            raise InputError(f"{what} must be a whole number, 1 or more, got {n!r}.")
        check_rng(rng)
        check_n_jobs(n_jobs)
        return cls(int(n), seed_of(rng), count_workers(n_jobs))
