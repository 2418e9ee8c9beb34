"""Three classes or more: the cost rule that is cheapest on the data, by exact line searches.

A rule says argmin over j of sum over k of L[k, j] p_k. Along one L[a, b], all others held, each case leaves
decision b at one point: sorting these points gives the expected cost, and every limited rate, at every value of
L[a, b] at once. So each step is an exact minimum along its line, and steps go on as long as they help. The cost
is piecewise constant with many local minima, hence several starts: Bayes' rule for the costs, as if the
probabilities were calibrated, the same with Lagrange's multipliers on the limited errors, for each class the rule
that says it always, random costs, and random steps away from the best so far.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.rules import CostRule
from polyroc.scores import Scores

__all__ = ["EQUAL", "Task", "Worth", "better", "search_costs"]

EQUAL = 1e-12  # costs and rates nearer than this are the same number, rounded otherwise
APART = 1e-9  # points on a line nearer than this share of themselves cannot be told apart by a rule
GAIN = 1e-4  # a round that lowers the cost by a smaller share is the last
EFFORT = 5e5  # half of (starts + steps) x cases x classes^2, so that large data are searched from fewer places
STEPS = (1.0, 0.3, 0.1)  # sizes of random steps, as standard deviations of the logarithms of costs
WALKS = 4  # of random steps, from the best ends of the first line searches
FAR = 1e12  # costs of a rule differ by no larger factor
Worth = tuple[float, float]
"""By how much limits are exceeded, and the expected cost: the smaller pair is better."""


def search_costs(
    task: "Task", limits: Mapping[tuple[int, int], float], bayes: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, Worth]:
    """The costs of the best rule found, the largest of them 1, and what the rule is worth on the data."""
    c = len(bayes)
    effort = EFFORT / task.P.size / c
    few, steps = int(np.clip(effort / 4, 0, 8)), int(np.clip(1.5 * effort, 1, 96))
    promising = sorted([*_others(bayes, limits), *_drawn(c, 16 * max(few, 1), rng)], key=task.worth)
    starts = [bayes, *promising[: max(few, 1)], *_drawn(c, few, rng)]  # some at random, lest all lead to one place
    ends = sorted((_valued(task, _descended(task, L)) for L in starts), key=_rounded)
    walks = [_walk(task, end, steps // 8, rng) for end in ends[:WALKS]]
    L, _ = _walk(task, min(walks, key=_rounded), steps - WALKS * (steps // 8), rng)
    L = L / L.max()
    return L, task.worth(L)


def _valued(task: "Task", L: FloatArray) -> tuple[FloatArray, Worth]:
    return L, task.worth(L)


def _walk(
    task: "Task", start: tuple[FloatArray, Worth], steps: int, rng: np.random.Generator
) -> tuple[FloatArray, Worth]:
    """Random steps, large and small, each followed by line searches; one that makes the rule worse is undone."""
    here = start
    for step in range(steps):
        change = rng.normal(scale=STEPS[step % len(STEPS)], size=here[0].shape) * (rng.random(here[0].shape) < 0.5)
        there = _valued(task, _descended(task, here[0] * np.exp(change)))
        if not better(here[1], there[1]):  # an equal rule is taken too: it may lead further
            here = there
    return here


def _rounded(end: tuple[FloatArray, Worth]) -> Worth:
    return round(end[1][0], 12), round(end[1][1], 12)


@dataclass(frozen=True, slots=True)
class Task:
    """The cases that count: their probabilities, what each decision adds to the cost, and the limited rates.

    Attributes
    ----------
    P, pay
        A row per case, a column per class and per decision.
    limited
        For each limit: the share that each case has in the rate, the decision it counts, and the largest rate.
    """

    P: FloatArray
    pay: FloatArray
    limited: tuple[tuple[FloatArray, int, float], ...]

    @classmethod
    def of(
        cls, scores: Scores, values: FloatArray, costs: FloatArray, limits: Mapping[tuple[int, int], float]
    ) -> "Task":
        """From cases and what each error costs, priors included; the largest of these costs is 1."""
        weight = np.ones(len(values)) if scores.sample_weight is None else scores.sample_weight
        counted = weight > 0
        codes, w = scores.codes[counted], weight[counted]
        share = w / np.bincount(codes, w)[codes]
        limited = tuple((np.where(codes == k, share, 0.0), m, limit) for (k, m), limit in limits.items())
        return cls(values[counted], share[:, None] * costs[codes], limited)

    def worth(self, L: FloatArray) -> Worth:
        """What a rule with these costs is worth, decided as the stored rule will decide."""
        said = CostRule(tuple(range(len(L))), L.tolist()).codes(self.P)
        excess = sum(max(0.0, float(of[said == m].sum()) - limit) for of, m, limit in self.limited)
        return excess, float(np.take_along_axis(self.pay, said[:, None], axis=1).sum())


def _others(bayes: FloatArray, limits: Mapping[tuple[int, int], float]) -> Iterator[FloatArray]:
    """Where else to start: saying one class always, and Lagrange's multipliers on the limited errors."""
    wrong = 1.0 - np.eye(len(bayes))
    for k in range(len(bayes)):
        L = wrong.copy()
        L[:, k] *= 1e-6
        yield L
    pairs = tuple(np.array(list(limits)).T)
    for power in range(-2, 8) if limits else ():
        L = bayes.copy()
        L[pairs] += bayes.max() * 4.0**power
        yield L


def _drawn(c: int, times: int, rng: np.random.Generator) -> FloatArray:
    """Random costs, as in Everson & Fieldsend: exponential, so that their ratios are uniform on the simplex."""
    return np.asarray(rng.exponential(size=(times, c, c)) * (1.0 - np.eye(c)))


def _descended(task: Task, L: FloatArray) -> FloatArray:
    """Line after line, round after round, as long as a round brings something."""
    lines = [(a, b) for a in range(len(L)) for b in range(len(L)) if a != b]
    risk, now = task.P @ L, task.worth(L)
    before = (np.inf, np.inf)
    while now[0] < before[0] - EQUAL or now[1] < before[1] * (1 - GAIN):
        before = now
        for a, b in lines:
            value, promised = _best_on_line(task, L, risk, a, b)
            if better(promised, now):
                tried = L.copy()
                tried[a, b] = value
                worth = task.worth(tried)  # a case on the very edge may decide otherwise than promised
                if better(worth, now):
                    L, risk, now = tried, task.P @ tried, worth
    return L


def better(one: Worth, other: Worth) -> bool:
    """Whether one exceeds limits by less, or costs less, by more than rounding."""
    if abs(one[0] - other[0]) > EQUAL:
        return one[0] < other[0]
    return one[1] < other[1] - EQUAL * max(1.0, other[1])


def _best_on_line(task: Task, L: FloatArray, risk: FloatArray, a: int, b: int) -> tuple[float, Worth]:
    """The value of L[a, b] that is worth most, and its worth; the middle of the widest stretch, if several are."""
    p = task.P[:, a]
    rest = risk.copy()
    rest[:, b] = np.inf
    other = rest.argmin(axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        leaves = (rest[np.arange(len(p)), other] - (risk[:, b] - L[a, b] * p)) / p
    near, far = L.max() / FAR, L.max() * FAR
    moving = np.flatnonzero((leaves > near) & (leaves < far))
    moving = moving[np.argsort(leaves[moving])]
    points = leaves[moving]
    starts = np.flatnonzero(np.append(True, points[1:] > points[:-1] * (1 + APART))[: len(points)])  # of ties
    ends = np.append(starts[1:], len(points))[: len(starts)] - 1
    excess, cost = _along(task, leaves >= far, moving, ends, other, b)
    best = np.flatnonzero(excess <= excess.min() + EQUAL)
    best = best[cost[best] <= cost[best].min() + EQUAL * max(1.0, cost[best].min())]
    lows, highs = np.append(near, points[ends]), np.append(points[starts], far)
    widest = best[np.argmax(highs[best] / lows[best])]
    return float(np.sqrt(lows[widest] * highs[widest])), (float(excess[widest]), float(cost[widest]))


def _along(
    task: Task, stays: np.ndarray, moving: IntArray, ends: IntArray, other: IntArray, b: int
) -> tuple[FloatArray, FloatArray]:
    """What the rule is worth on each stretch of the line: before the first point, and after each."""
    said = np.where(stays, b, other)
    said[moving] = b
    rows = np.arange(len(said))

    def summed(first: FloatArray, gains: FloatArray) -> FloatArray:
        return float(first.sum()) + np.append(0.0, np.cumsum(gains)[ends])

    cost = summed(task.pay[rows, said], task.pay[moving, other[moving]] - task.pay[moving, b])
    excess = np.zeros(len(ends) + 1)
    for of, m, limit in task.limited:
        gains = of[moving] * ((other[moving] == m).astype(float) - float(m == b))
        excess += np.maximum(0.0, summed(np.where(said == m, of, 0.0), gains) - limit - EQUAL)
    return excess, cost
