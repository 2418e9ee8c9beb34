"""Fronts: volumes against a numpy broadcast, archive and search against plain numpy, and many cost vectors."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import polyroc as pr
from polyroc.fronts.archive import Archive
from polyroc.fronts.dominated_volume import volume_shares
from timing import PEAK_KILOBYTES, best

CASES = 100  # of each of three classes


def candidates(times, seed):
    """Batches of a hundred vectors of six error counts near a simplex, so that few dominate each other."""
    rng = np.random.default_rng(seed)
    for _ in range(times):
        counts = rng.dirichlet(np.full(6, 3.0), size=100) * rng.uniform(21, 21.5, size=(100, 1))
        yield counts.round().astype(np.int64)


def archived(batches):
    archive = Archive(CASES, 6)
    for batch in batches:
        archive.insert(batch)
    return archive.counts


def archived_plainly(batches):
    """Algorithm 1 as it is written, with numpy: one candidate at a time against the whole archive."""
    members = np.empty((0, 6), dtype=np.int64)
    for batch in batches:
        for vector in batch:
            if not (members <= vector).all(axis=1).any():
                members = np.concatenate([members[~(members >= vector).all(axis=1)], vector[None]])
    return members


def front_of(size, seed):
    errors = archived(candidates(3000, seed))[:size] / CASES
    assert len(errors) == size
    rates = np.zeros((size, 3, 3))
    rates[:, ~np.eye(3, dtype=bool)] = errors
    return rates


def broadcast(members, points, block=100):
    parts = [points[i : i + block, None] for i in range(0, len(points), block)]
    return np.concatenate([(members <= part).all(axis=2).any(axis=1) for part in parts])


def front_volumes():
    a, b = front_of(9000, 0), front_of(9000, 1)
    n, part = 10**6, 1000
    points = np.random.default_rng(0).dirichlet(np.ones(7), size=part)[:, :6] * 2
    off = ~np.eye(3, dtype=bool)
    peer = best(lambda: [broadcast(front[:, off], points) for front in (a, b)], repetitions=1) * n / part
    ours = best(lambda: volume_shares([a, b], n, 0), repetitions=3)
    work = "G and delta of two fronts of 9000, 1e+06 points"
    yield work, "numpy broadcast (1000 points, scaled) / polyroc", peer / ours, ">=", 20
    yield work, "seconds", ours, "", None
    yield from exact_volume(a[:1000])


def exact_volume(rates):
    from moocore import hypervolume

    errors = np.ascontiguousarray(rates[:, ~np.eye(3, dtype=bool)])
    peer = best(lambda: hypervolume(errors, ref=np.ones(6)), repetitions=1)
    ours = best(lambda: volume_shares([rates], None, 0), repetitions=3)
    work = f"exact G of a front of {len(rates)}, 3 classes"
    yield work, "moocore's hypervolume of the cube / polyroc", peer / ours, "", None
    yield work, "seconds", ours, "", None


def front_archive():
    batches = list(candidates(200, 0))
    peer = best(lambda: archived_plainly(batches), repetitions=1)
    ours = best(lambda: archived(batches), repetitions=3)
    yield "archive, 2e+04 candidates in batches of 100", "plain numpy / polyroc", peer / ours, "", None


class Plainly:
    """Algorithm 1 as it is written, with numpy: one candidate at a time against the whole archive."""

    def __init__(self, X, y, front):
        self.X = np.column_stack([np.ones(len(X)), X])
        self.y, self.sizes, self.off = y, np.bincount(y), ~np.eye(3, dtype=bool)
        self.rates, self.costs, self.parameters = front.rates[:, self.off], front.costs, front.parameters
        self.rng = np.random.default_rng(0)

    def generation(self):  # noqa: D102
        w = self.parameters[self.rng.integers(len(self.rates))] + self.rng.laplace(size=9)
        P = np.exp(self.X @ w.reshape(3, 3).T)
        P /= P.sum(axis=1, keepdims=True)
        for _ in range(100):
            costs = np.zeros((3, 3))
            costs[self.off] = self.rng.dirichlet(np.ones(6))
            predicted = np.argmin(P @ costs, axis=1)
            table = np.bincount(3 * self.y + predicted, minlength=9).reshape(3, 3) / self.sizes[:, None]
            vector = table[self.off]
            if not (self.rates <= vector).all(axis=1).any():
                stay = ~(self.rates >= vector).all(axis=1)
                self.rates = np.vstack([self.rates[stay], vector])
                self.costs = np.concatenate([self.costs[stay], costs[None]])
                self.parameters = np.vstack([self.parameters[stay], w])


def front_search():
    """The paper's run against plain numpy, timed on 200 generations of it.

    20 at each of ten checkpoints, a tenth of the run apart, starting from the archive of the search there; each
    checkpoint counts for a tenth of the run.
    """
    X, y = synthetic()
    T, checkpoints = 5000, 10
    printed: dict[str, Any] = {
        "start": "random",
        "selection": "uniform",
        "algorithm": "printed",
    }  # plain numpy selects uniformly: it is spared PQRS
    family = pr.fronts.LogisticFamily(scale=1.0, standardise=False)
    pr.search_front(family, X, y, generations=5, **printed)
    wall, cpu = time.perf_counter(), time.process_time()
    whole = pr.search_front(family, X, y, generations=T, **printed)
    wall, ours = time.perf_counter() - wall, time.process_time() - cpu
    peer, front = 0.0, None
    for checkpoint in range(checkpoints):
        front = pr.search_front(
            family, X, y, generations=T * (2 * checkpoint + 1) // (2 * checkpoints), resume=front, **printed
        )
        plain = Plainly(X, y, front)
        cpu = time.process_time()
        for _ in range(20):
            plain.generation()
        peer += (time.process_time() - cpu) / 20 * T / checkpoints
    work = f"search: 300 cases, 3 classes, {T} generations x 100 costs, logistic; {len(whole)} points"
    yield work, "CPU: plain numpy (200 generations at its archives, scaled) / polyroc", peer / ours, ">=", 20
    yield work, "seconds", wall, "<=", 15
    began = time.perf_counter()
    pqrs = pr.search_front(family, X, y, generations=T, start="random", algorithm="printed")
    seconds = time.perf_counter() - began
    yield f"the same with PQRS; {len(pqrs)} points", "seconds", seconds, "<=", 15


def synthetic(n=300, seed=3):
    """The paper's three classes of two normal components each (variance 0.03)."""
    rng = np.random.default_rng(seed)
    centres = np.array([[0.7, 0.3], [0.3, 0.3], [-0.7, 0.7], [0.4, 0.7], [1.0, 1.0], [0.0, 1.0]])
    component = rng.integers(6, size=n)
    return centres[component] + rng.normal(size=(n, 2)) * np.sqrt(0.03), component // 2


SWEEP = f"""
import sys, time
import polyroc as pr
from timing import many_classes

y, P = many_classes(4, 10**5)
pr.front(y[:100], P[:100], draws=20)
reports = []
wall, cpu = time.perf_counter(), time.process_time()
pr.front(y, P, draws=int(sys.argv[1]), progress=lambda *step: reports.append(step))
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
assert len(reports) >= 20  # progress is reported
print(wall, cpu, {PEAK_KILOBYTES} / 2**20)
"""


def front_sweep(n=10**5):
    """In a process of its own, whose memory is measured."""
    command, folder = [sys.executable, "-c", SWEEP, str(n)], Path(__file__).parent
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    wall, cpu, peak = map(float, done.stdout.split())
    work = f"front of 1e+05 cases, 4 classes, {n:.0e} cost vectors"
    yield work, "seconds", wall, "", None
    yield work, f"cores busy, of {os.cpu_count()}", cpu / wall, "", None
    yield work, "peak memory, GB", peak, "<=", 2
