"""Whether exact line searches from points of the front raise G by more than proposed costs do.

    python docs/front_study/lines.py      lines.csv

A walk begins at the point that exceeds a random target least. Each of its steps raises the cost of the error that
exceeds the target most, exactly so far that the sum of excesses is least: the cases leave the decision one by one,
in an order that sorting gives. One pass over the cases counts as one evaluation; its table enters the front. After
half of the evaluations, 30 % are spent on walks in one arm and none in the other.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from costs import POINTS, VECTORS, settings, share
from numba import njit
from page import write

from polyroc.fronts.archive import FrontBuilder, Objectives
from polyroc.fronts.cost_distribution import CostDistribution
from polyroc.fronts.cost_proposals import AdaptiveCosts, first_costs
from polyroc.kernels.cost_decisions import tally_decisions
from polyroc.kernels.targets import least_excess
from polyroc.kernels.volumes import points_below_chance

RESULTS = Path(__file__).parent / "lines.csv"
SETTINGS = ("wine", "vehicle", "digits, random", "normal scores, 8")
SEEDS, STEPS, SHARE, BATCHES, PARENTS = 2, 6, 0.3, 100, 1000


@njit
def decide(P: Any, codes: Any, L: Any, table: Any, first: Any, second: Any, gap: Any) -> None:
    """The best and the second decision of each case, the difference of their risks, and the confusion counts."""
    c, n = P.shape
    risk = np.empty(c)
    table[:] = 0
    for i in range(n):
        best, next_best = 0, -1
        for j in range(c):
            risk[j] = 0.0
            for k in range(c):
                risk[j] += L[k, j] * P[k, i]
        for j in range(1, c):
            if risk[j] < risk[best]:
                best, next_best = j, best
            elif next_best < 0 or risk[j] < risk[next_best]:
                next_best = j
        first[i], second[i], gap[i] = best, next_best, risk[next_best] - risk[best]
        table[codes[i], best] += 1


@njit
def best_rise(points: Any, cases: Any, codes: Any, b: int, second: Any, excess: Any, totals: Any) -> float:
    """The rise of a cost of decision b with the least sum of excesses over the target; 0 if none is less."""
    total = best = np.maximum(excess, 0.0).sum()
    rise = 0.0
    for place in range(len(points)):
        i = cases[place]
        for j, sign in ((b, -1.0), (second[i], 1.0)):
            if j != codes[i]:
                before = max(excess[codes[i], j], 0.0)
                excess[codes[i], j] += sign / totals[codes[i]]
                total += max(excess[codes[i], j], 0.0) - before
        if total < best - 1e-12:
            best = total
            after = points[place + 1] if place + 1 < len(points) else 1.5 * points[place] + 1e-6
            rise = (points[place] + after) / 2
    return rise


class Walks:
    """The cases of a classifier, and walks from points of its front."""

    def __init__(self, P: Any, y: Any) -> None:
        order, c = np.argsort(y, kind="stable"), P.shape[1]
        self.codes = y[order].astype(np.int64)
        self.P, self.totals = np.ascontiguousarray(P[order].T), np.bincount(self.codes)
        self.starts = np.searchsorted(self.codes, np.arange(c + 1)).astype(np.int64)
        self.errors = ~np.eye(c, dtype=bool)

    def tables(self, costs: Any) -> Any:
        """Confusion counts."""
        counts = np.empty(costs.shape, dtype=np.int64)
        tally_decisions(self.P, self.starts, np.ones(len(self.codes), np.int64), costs, counts)
        return counts

    def step(self, L: Any, target: Any) -> tuple[Any, Any]:
        """The table of costs, and the costs after one line search; None if it gains nothing."""
        n, c = len(self.codes), len(L)
        table = np.empty((c, c), dtype=np.int64)
        first, second, gap = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
        decide(self.P, self.codes, L, table, first, second, gap)
        excess = np.where(self.errors, table / self.totals[:, None] - target, -1.0)
        a, b = np.unravel_index(excess.argmax(), excess.shape)
        cases = np.flatnonzero((first == b) & (self.P[a] > 0))
        points = gap[cases] / self.P[a, cases]
        order = np.argsort(points)
        rise = best_rise(points[order], cases[order], self.codes, int(b), second, excess, self.totals)
        if rise == 0.0:
            return table, None
        moved = L.copy()
        moved[a, b] += rise
        return table, moved / moved.sum()

    def walk(self, L: Any, point: Any) -> Iterator[tuple[Any, Any]]:
        """The costs and the table of each step; the first table is that of the point itself."""
        target, costs = np.zeros(L.shape), L
        target[self.errors] = point
        for _ in range(STEPS):
            table, following = self.step(costs, target)
            yield costs, table
            if following is None:
                return
            costs = following


def search(walks: Walks, seed: int, spent: float) -> tuple[Any, dict[str, list[int]]]:
    """Counts of the front; by source, evaluations of the second half and the targets that they dominated."""
    c, rng = len(walks.totals), np.random.default_rng(seed)
    front = FrontBuilder(Objectives("rates", walks.totals), seed)
    proposals = AdaptiveCosts(front, CostDistribution(1.0 - np.eye(c), []), rng)
    done, size, gains = 0, VECTORS // BATCHES, {"proposed": [0, 0], "walks": [0, 0]}
    costs = first_costs(walks.totals)
    while done < VECTORS:
        before = len(proposals._targets.points)
        counts = walks.tables(costs)
        front.add(counts, costs)
        proposals.learn(counts) if done else proposals.add(counts)
        done += len(costs)
        if late := done > VECTORS / 2:
            gains["proposed"] = _added(gains["proposed"], len(costs), before - len(proposals._targets.points))
        if late and spent and (gains["walks"][0] < spent * sum(one[0] for one in gains.values())):
            used, gained = _walks(walks, front, proposals, np.random.default_rng([seed, done]), size)
            gains["walks"] = _added(gains["walks"], used, gained)
            done += used
        costs = proposals.sample(min(size, max(VECTORS - done, 1)))
    return front.members()["counts"], gains


def _walks(walks: Walks, front: FrontBuilder, proposals: Any, rng: Any, most: int) -> tuple[int, int]:
    """Walks to random targets: evaluations used, and targets that were dominated."""
    counts, costs = front.at(front.some(PARENTS, rng))
    rates = np.ascontiguousarray((counts / walks.totals[:, None])[:, walks.errors])
    before, used = len(proposals._targets.points), 0
    while used < most and len(proposals._targets.points):
        point = proposals._targets.points[rng.integers(len(proposals._targets.points))]
        nearest = np.empty(1, dtype=np.int64)
        least_excess(rates, point[None], nearest)
        tried, tables = zip(*walks.walk(costs[nearest[0]], point), strict=True)
        front.add(np.array(tables), np.array(tried))
        proposals.add(np.array(tables))
        used += len(tables)
    return used, before - len(proposals._targets.points)


def _added(so_far: list[int], evaluations: int, gained: int) -> list[int]:
    return [so_far[0] + evaluations, so_far[1] + gained]


def rows() -> Iterator[dict[str, Any]]:
    """One record per setting, over all seeds."""
    for name, P, y in settings(SETTINGS):
        walks, points = Walks(P, y), points_below_chance(P.shape[1], POINTS, np.random.default_rng(123))
        every = np.concatenate(list(points))
        plain, mixed = ([search(walks, seed, spent) for seed in range(SEEDS)] for spent in (0.0, SHARE))
        gain = {
            source: sum(gains[source][1] for _, gains in mixed) / sum(gains[source][0] for _, gains in mixed)
            for source in ("proposed", "walks")
        }
        yield {
            "setting": name,
            "classes": P.shape[1],
            "G, proposed": f"{np.mean([share(counts, every) for counts, _ in plain]):.4f}",
            "G, with line searches": f"{np.mean([share(counts, every) for counts, _ in mixed]):.4f}",
            "gain of 1,000 proposed": f"{1000 * gain['proposed']:.1f}",
            "gain of 1,000 in line searches": f"{1000 * gain['walks']:.1f}",
        }


if __name__ == "__main__":
    write(rows(), RESULTS)
