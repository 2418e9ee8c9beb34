"""Shared checks of everything that draws random numbers: how many draws, from which seed, by how many workers.

The convention of the package: `rng=0` by default, so that the same call gives the same answer; a generator, which
advances; or None for fresh entropy. `n_jobs` never changes an answer.
"""

import hashlib
import os
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np

from polyroc.errors import InputError
from polyroc.messages import short_repr
from polyroc.validation.signatures import Check

__all__ = [
    "Draws",
    "NJobs",
    "Rng",
    "check_n_jobs",
    "check_rng",
    "count_workers",
    "is_whole",
    "rng_for",
    "seed_for",
    "seed_of",
]


def is_whole(value: object, least: int | None = None) -> bool:
    """True for an integer (of Python or numpy, not a bool), at least `least` if that is given."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        return False
    return least is None or bool(value >= least)


def _is_rng(value: object) -> bool:
    return value is None or isinstance(value, np.random.Generator) or is_whole(value, 0)


def _is_n_jobs(value: object) -> bool:
    return value is None or (is_whole(value, -MOST_WORKERS) and value != 0 and bool(value <= MOST_WORKERS))  # type: ignore[operator]


MOST_WORKERS = 10_000
_RNG = Check(_is_rng, "a seed (0 or more), a numpy.random.Generator or None")
_N_JOBS = Check(_is_n_jobs, "a number of threads, -1 or None (all cores)")
Rng: TypeAlias = Annotated[int | np.random.Generator | None, lambda _: _RNG]
NJobs: TypeAlias = Annotated[int | None, lambda _: _N_JOBS]


def check_rng(rng: object) -> None:
    """Raise an error unless `rng` is a seed, a generator or None."""
    if not _RNG.accepts(rng):
        raise _RNG.error("rng", rng)


def check_n_jobs(n_jobs: object) -> None:
    """Raise an error unless `n_jobs` is a number of threads or None."""
    if not _N_JOBS.accepts(n_jobs):
        raise _N_JOBS.error("n_jobs", n_jobs)


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
    def of(cls, n: int, rng: Rng, n_jobs: int | None, argument: str = "n") -> "Draws":
        """From the arguments of a public function; `argument` names the number in a message."""
        if not is_whole(n, 1):
            raise InputError(f"{argument} must be a whole number, 1 or more, got {short_repr(n)}.")
        check_rng(rng)
        check_n_jobs(n_jobs)
        return cls(int(n), seed_of(rng), count_workers(n_jobs))


# Seeds are hashes of what they are for (data set, learner, repeat, fold) and never drawn one after the other: a
# fit gets the same random numbers whichever fits were done before it, so a study may be resumed, and
# fits may run in parallel.


def seed_for(*purpose: str | int) -> int:
    """A seed below 2^31 for a purpose, whose first entry is the seed of everything.

    >>> seed_for(0, "iris", "knn", 0, 3), seed_for(0, "iris", "knn", 0, 4)
    (571487897, 2076266834)
    """
    return int.from_bytes(_digest(purpose)[:4], "little") >> 1


def rng_for(*purpose: str | int) -> np.random.Generator:
    """A random generator for a purpose, whose first entry is the seed of everything."""
    return np.random.default_rng(int.from_bytes(_digest(purpose), "little"))


def _digest(purpose: tuple[str | int, ...]) -> bytes:
    return hashlib.sha256(repr(purpose).encode()).digest()
