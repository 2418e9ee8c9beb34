"""Three classes or more: search for the cost rule of least expected cost on the data, by exact line searches.

A rule decides argmin over j of sum over k of L[k, j] p_k. Along one L[a, b], all others fixed, each case leaves
decision b at one point: sorting these points gives the expected cost, and every limited rate, at every value of
L[a, b] at once. So each step is an exact minimum along its line, and steps are repeated as long as they help. The
cost is piecewise constant with many local minima, hence several starts: Bayes' rule for the costs, as if the
probabilities were calibrated, the same with Lagrange multipliers for the limited errors, for each class the rule
that always decides for it, random costs, and random steps away from the best rule so far.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.kernels.cut_points import EQUAL
from polyroc.rules import CostRule
from polyroc.scores import Scores

__all__ = ["CostProblem", "Loss", "best_costs", "descend", "is_better", "search_again", "search_costs"]

DISTINCT = 1e-9  # points on a line that differ by a smaller share are ties: rounding hides them from a rule
LEAST_GAIN = 1e-4  # the search stops after a round that lowers the cost by a smaller share
EFFORT = 5e5  # half of (starts + steps) x cases x classes^2, so that large data have fewer starts
STEP_SIZES = (1.0, 0.3, 0.1)  # of random steps, as standard deviations of the logarithms of costs
WALKS = 4  # of random steps, from the best results of the first line searches
LARGEST_RATIO = 1e12  # of two costs of a rule
Loss = tuple[float, float]
"""The excess over the limits, and the expected cost: the smaller pair is better."""
UNKNOWN: Loss = (np.inf, np.inf)  # of costs that are not tried after an interrupt
Rated = tuple[FloatArray, Loss]
"""The costs of a rule with its loss."""
Stop = Callable[[], bool]
"""Whether an interrupt is requested: the search then ends with the best rule so far."""


def _never() -> bool:
    return False


def best_costs(
    problem: "CostProblem",
    limits: Mapping[tuple[int, int], float],
    bayes: FloatArray,
    rng: np.random.Generator,
    stop: Stop = _never,
) -> tuple[FloatArray, Loss, bool]:
    """The costs of the best rule, its loss, and whether it is proven that no rule has a lower one."""
    from polyroc.cost_rules.optimality import improve_and_prove  # not above: it imports this module

    L, loss = search_costs(problem, limits, bayes, rng, stop)
    return (L, loss, False) if stop() else improve_and_prove(problem, L, loss)


def search_costs(
    problem: "CostProblem",
    limits: Mapping[tuple[int, int], float],
    bayes: FloatArray,
    rng: np.random.Generator,
    stop: Stop = _never,
) -> Rated:
    """The costs of the best rule found, the largest of them 1, and its loss on the data."""
    c = len(bayes)
    few, steps = _effort(problem)
    candidates = [*_special_costs(bayes, limits), *_random_costs(c, 16 * max(few, 1), rng)]
    promising = sorted(candidates, key=lambda L: UNKNOWN if stop() else problem.loss(L))
    starts = [bayes, *promising[: max(few, 1)], *_random_costs(c, few, rng)]  # random ones for variety
    ends = sorted((_descended(problem, L, stop) for L in starts), key=_rounded_loss)
    walks = [_walk(problem, end, steps // 8, rng, stop) for end in ends[:WALKS]]
    L, _ = _walk(problem, min(walks, key=_rounded_loss), steps - WALKS * (steps // 8), rng, stop)
    L = L / L.max()
    return L, problem.loss(L)


def descend(problem: "CostProblem", start: FloatArray) -> Rated:
    """The costs that line searches from one start lead to, the largest of them 1, and their loss on the data."""
    L, _ = _descended(problem, start)
    L = L / L.max()
    return L, problem.loss(L)


def search_again(
    problem: "CostProblem", limits: Mapping[tuple[int, int], float], bayes: FloatArray, start: FloatArray
) -> Rated:
    """A short search in a resample, from the rule that was chosen on all cases and a few others.

    The same starts and steps in every resample, so that the answer does not depend on their order.
    """
    rng = np.random.default_rng(0)
    few, steps = (number // 2 for number in _effort(problem))
    others = sorted([*_special_costs(bayes, limits), *_random_costs(len(bayes), 16, rng)], key=problem.loss)
    ends = [_descended(problem, L) for L in [start, bayes, *others[:few]]]
    return _walk(problem, min(ends, key=_rounded_loss), steps // 8, rng)


def _effort(problem: "CostProblem") -> tuple[int, int]:
    """How many starts and how many random steps a search has: fewer on large data."""
    effort = EFFORT / problem.P.size / problem.P.shape[1]
    return int(np.clip(effort / 4, 0, 8)), int(np.clip(1.5 * effort, 1, 96))


def _walk(
    problem: "CostProblem", start: Rated, steps: int, rng: np.random.Generator, stop: Stop = _never
) -> Rated:
    """Random steps, large and small, each followed by line searches; a step to a worse rule is undone."""
    best = start
    for step in range(steps):
        if stop():
            break
        L, loss = best
        change = rng.normal(scale=STEP_SIZES[step % len(STEP_SIZES)], size=L.shape) * (rng.random(L.shape) < 0.5)
        trial = _descended(problem, L * np.exp(change), stop)
        if not is_better(loss, trial[1]):  # an equally good rule is accepted: better ones may be near it
            best = trial
    return best


def _rounded_loss(rated: Rated) -> Loss:
    """The loss without the last digits, so that the order of equally good rules does not depend on rounding."""
    excess, cost = rated[1]
    return round(excess, 12), round(cost, 12)


@dataclass(frozen=True, slots=True)
class CostProblem:
    """What the search minimises: probabilities and decision costs of the cases, and the limited rates.

    Attributes
    ----------
    P, cost
        A row per case; a column per class, and per decision: its contribution to the expected cost.
    limited
        For each limit: the share that each case has in the rate, the decision it counts, and the largest rate;
        the least rate of right decisions as the largest of its negative.
    """

    P: FloatArray
    cost: FloatArray
    limited: tuple[tuple[FloatArray, int, float], ...]

    @classmethod
    def of(
        cls, scores: Scores, values: FloatArray, costs: FloatArray, limits: Mapping[tuple[int, int], float]
    ) -> "CostProblem":
        """From cases and the cost of each error times the prior of its class, the largest of which is 1."""
        weight = np.ones(len(values)) if scores.sample_weight is None else scores.sample_weight
        return cls.weighted(scores.codes, weight, values, costs, limits)

    @classmethod
    def weighted(
        cls,
        codes: IntArray | CodeArray,
        weight: FloatArray,
        values: FloatArray,
        costs: FloatArray,
        limits: Mapping[tuple[int, int], float],
    ) -> "CostProblem":
        """As `of`, from the class and the weight of each case."""
        included = weight > 0
        codes, w = codes[included], weight[included]
        share = w / np.bincount(codes, w)[codes]
        limited = tuple(
            (np.where(codes == k, share * sign, 0.0), m, limit * sign)
            for (k, m), limit in limits.items()
            for sign in [-1.0 if k == m else 1.0]
        )
        return cls(values[included], share[:, None] * costs[codes], limited)

    def loss(self, L: FloatArray) -> Loss:
        """The loss of the rule with these costs, by the decisions that the stored rule makes."""
        decisions = CostRule(tuple(range(len(L))), L.tolist()).codes(self.P)
        excess = sum(max(0.0, float(share[decisions == m].sum()) - limit) for share, m, limit in self.limited)
        return excess, float(np.take_along_axis(self.cost, decisions[:, None], axis=1).sum())


def _special_costs(bayes: FloatArray, limits: Mapping[tuple[int, int], float]) -> Iterator[FloatArray]:
    """Further starts: always the same class, and Lagrange multipliers for the limited errors."""
    zero_one = 1.0 - np.eye(len(bayes))
    for k in range(len(bayes)):
        L = zero_one.copy()
        L[:, k] *= 1e-6
        yield L
    limited = np.zeros_like(bayes)
    for k, m in limits:
        limited[k, slice(None) if k == m else m] = 1.0
    for power in range(-2, 8) if limits else ():
        yield bayes + limited * zero_one * bayes.max() * 4.0**power


def _random_costs(c: int, times: int, rng: np.random.Generator) -> FloatArray:
    """Random costs, as in Everson & Fieldsend: exponential, so that their shares are uniform on the simplex."""
    return np.asarray(rng.exponential(size=(times, c, c)) * (1.0 - np.eye(c)))


def _descended(problem: CostProblem, L: FloatArray, stop: Stop = _never) -> Rated:
    """Rounds of line searches along every cost, until a round gains too little."""
    if stop():
        return L, UNKNOWN
    lines = [(a, b) for a in range(len(L)) for b in range(len(L)) if a != b]
    risk, loss = problem.P @ L, problem.loss(L)
    before = (np.inf, np.inf)
    while loss[0] < before[0] - EQUAL or loss[1] < before[1] * (1 - LEAST_GAIN):
        before = loss
        for a, b in lines:
            if stop():
                break
            value, expected = _best_on_line(problem, L, risk, a, b)
            if is_better(expected, loss):
                trial = L.copy()
                trial[a, b] = value
                actual = problem.loss(trial)  # rounding may change the decision of a case on the boundary
                if is_better(actual, loss):
                    L, risk, loss = trial, problem.P @ trial, actual
    return L, loss


def is_better(one: Loss, other: Loss) -> bool:
    """True if one exceeds the limits by less, or has a lower cost, by more than rounding."""
    if abs(one[0] - other[0]) > EQUAL:
        return one[0] < other[0]
    return one[1] < other[1] - EQUAL * max(1.0, other[1])


def _best_on_line(problem: CostProblem, L: FloatArray, risk: FloatArray, a: int, b: int) -> tuple[float, Loss]:
    """The value of L[a, b] of least loss, and the loss; of several, the middle of the widest interval."""
    p = problem.P[:, a]
    other, least = _best_of_others(risk, b)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        leaves = (least - (risk[:, b] - L[a, b] * p)) / p
    # Case i is decided as b while L[a, b] < leaves[i]; only those that leave within the range change on the line.
    lowest, highest = L.max() / LARGEST_RATIO, L.max() * LARGEST_RATIO
    leaving = np.flatnonzero((leaves > lowest) & (leaves < highest))
    leaving = leaving[np.argsort(leaves[leaving])]
    points = leaves[leaving]
    starts = np.flatnonzero(np.append(True, points[1:] > points[:-1] * (1 + DISTINCT))[: len(points)])  # of ties
    ends = np.append(starts[1:], len(points))[: len(starts)] - 1
    excess, cost = _losses_on_line(problem, leaves >= highest, leaving, ends, other, b)
    best = np.flatnonzero(excess <= excess.min() + EQUAL)
    best = best[cost[best] <= cost[best].min() + EQUAL * max(1.0, cost[best].min())]
    lows, highs = np.append(lowest, points[ends]), np.append(points[starts], highest)
    widest = best[np.argmax(highs[best] / lows[best])]
    middle = float(np.sqrt(lows[widest] * highs[widest]))  # costs matter by their ratios, hence the geometric mean
    return middle, (float(excess[widest]), float(cost[widest]))


def _best_of_others(risk: FloatArray, b: int) -> tuple[IntArray, FloatArray]:
    """The decision of least risk other than b, the first of several, and that risk; by columns, which is fast."""
    others = [j for j in range(risk.shape[1]) if j != b]
    other, least = np.full(len(risk), others[0]), risk[:, others[0]].copy()
    for j in others[1:]:
        smaller = risk[:, j] < least
        other[smaller] = j
        np.minimum(least, risk[:, j], out=least)
    return other, least


def _losses_on_line(
    problem: CostProblem, stays: BoolArray, leaving: IntArray, ends: IntArray, other: IntArray, b: int
) -> tuple[FloatArray, FloatArray]:
    """Excess and cost on each interval of the line: before the first point, and after each."""
    decisions = np.where(stays, b, other)
    decisions[leaving] = b
    rows = np.arange(len(decisions))

    def running(start: FloatArray, changes: FloatArray) -> FloatArray:
        return float(start.sum()) + np.append(0.0, np.cumsum(changes)[ends])

    changes = problem.cost[leaving, other[leaving]] - problem.cost[leaving, b]
    cost = running(problem.cost[rows, decisions], changes)
    excess = np.zeros(len(ends) + 1)
    for share, m, limit in problem.limited:
        changes = share[leaving] * ((other[leaving] == m).astype(float) - float(m == b))
        excess += np.maximum(0.0, running(np.where(decisions == m, share, 0.0), changes) - limit - EQUAL)
    return excess, cost
