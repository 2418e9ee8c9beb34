"""Fronts: volumes against a numpy broadcast, the archive against plain numpy, a sweep over many costs."""

import resource
import time

import numpy as np

import polyroc as pr
from polyroc.fronts.archive import Archive
from polyroc.results.volume import volume_shares
from timing import best, many_classes

CASES = 100  # of each of three classes


def candidates(times, seed):
    """Batches of a hundred vectors of six error counts near a simplex: few of them dominate each other."""
    rng = np.random.default_rng(seed)
    for _ in range(times):
        spread = rng.dirichlet(np.full(6, 3.0), size=100) * rng.uniform(21, 21.5, size=(100, 1))
        yield spread.round().astype(np.int64)


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


def front_archive():
    batches = list(candidates(200, 0))
    peer = best(lambda: archived_plainly(batches), repetitions=1)
    ours = best(lambda: archived(batches), repetitions=3)
    yield "archive, 2e+04 candidates in batches of 100", "plain numpy / polyroc", peer / ours, "", None


def front_sweep():
    y, P = many_classes(4, 10**5)
    pr.front(y[:100], P[:100], n=20)
    n = 5000
    wall, cpu = time.perf_counter(), time.process_time()
    pr.front(y, P, n=n)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    work = f"front of 1e+05 cases, 4 classes, {n} cost vectors"
    yield work, "seconds", wall, "", None
    yield work, "cores busy", cpu / wall, "", None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield work, "peak memory of this process so far, GB", peak, "<=", 2
