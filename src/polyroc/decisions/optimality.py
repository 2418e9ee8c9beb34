"""Three classes or more: the least cost that any cost rule can have on the data, and a rule that has it.

That a case is decided as j means risk_j <= risk_m for every other m: linear inequalities in the costs L of the
rule. So the best rule gives up the cheapest set of these inequalities such that the rest has a solution L >= 0. Of
a system without a solution, a combination of a few inequalities (an irreducible infeasible subsystem) says 0 < 0:
of the cases in it, at least one is decided otherwise. Each such set is a cut of an integer program, whose optimum
is a lower bound of the cost; cuts are added until the bound meets the cost of a known rule (Parker & Ryan, Annals
of Mathematics and Artificial Intelligence 17 (1996) 107-126). The sets are vertices of a small linear program
(Gleeson & Ryan, ORSA Journal on Computing 2 (1990) 61-63); each is verified, whatever the precision of the solver
that proposed it, and the cost of a rule is always that of its decisions on the data.

Effort is limited by numbers of cases, cuts and nodes, never by time, so the answer is the same on a slow machine.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array

from polyroc.decisions.cost_search import EQUAL, Task, Worth, better
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray

__all__ = ["cheapest_and_proof"]

MOST_CASES = 100  # different rows of probabilities, beyond which there are too many subsystems
MOST_CUTS = 150  # after which the integer programs take longer than the answer is worth
MOST_NODES = 100  # of all integer programs
ROUNDING = 1e-11  # relative to its terms, a sum nearer to 0 is 0; ten times the ties of `CostRule`
PRECISION = 1e-6  # relative precision of the bound: that of the integer program
UNITS = 1e3  # the cost of the known rule in the integer program, whose absolute tolerance is 1e-6
DUST = (1e-9, 1e-7, 1e-12)  # below which a weight of the linear program may be rounding; tried in turn
TIGHTEST = 1e-10  # tolerance of the linear programs, the smallest that the solver accepts
BALANCING = 5  # rounds of scaling


def cheapest_and_proof(task: Task, L: FloatArray, worth: Worth) -> tuple[FloatArray, Worth, bool]:
    """A rule no worse than the given one, its worth, and whether no rule has a lower cost on these cases."""
    if worth[0] <= EQUAL and worth[1] == 0.0:
        return L, worth, True
    options = _options_of(task)
    if options is None:
        return L, worth, False
    proof = _Proof(task, options, L, worth)
    proven = proof.run()
    return proof.L, proof.worth, proven


@dataclass(frozen=True, slots=True)
class _Options:
    """What may be done with each distinct row of probabilities.

    Attributes
    ----------
    unit, cost, use
        By option: the row of probabilities, what its cases then cost, and how much of each limit they use.
    owner, rows, strict
        By inequality rows @ (L / scale) >= 0: the option that requires it, its coefficients, and whether equality
        fails (a tie goes to the first class).
    scale
        Of the costs L of a rule.
    limits
        The largest use.
    """

    unit: IntArray
    cost: FloatArray
    use: FloatArray
    owner: IntArray
    rows: FloatArray
    strict: BoolArray
    scale: FloatArray
    limits: FloatArray


def _options_of(task: Task) -> _Options | None:
    """All options; None if there are too many different rows."""
    if len(np.unique(task.P[:, 0])) > MOST_CASES:  # quick, for large data
        return None
    P, unit = np.unique(task.P, axis=0, return_inverse=True)
    if len(P) > MOST_CASES:
        return None
    pay, use = np.zeros_like(P), np.zeros((*P.shape, len(task.limited)))
    np.add.at(pay, unit.ravel(), task.pay)
    for place, (share, decision, _) in enumerate(task.limited):
        np.add.at(use[:, decision, place], unit.ravel(), share)
    worst = (pay == pay.max(axis=1, keepdims=True)) & (use == use.max(axis=1, keepdims=True)).all(axis=2)
    free = np.flatnonzero(worst.any(axis=1))  # leaving these undecided is no better than any decision
    u, j = np.nonzero(~worst)
    at = worst[free].argmax(axis=1)
    rows, strict, owner = _inequalities(P, u, j)
    rows, scale = _balanced(rows)
    return _Options(
        unit=np.append(u, free),
        cost=np.append(pay[u, j], pay[free, at]),
        use=np.concatenate([use[u, j], use[free, at]]),
        owner=owner,
        rows=rows,
        strict=strict,
        scale=scale,
        limits=np.array([limit for *_, limit in task.limited]),
    )


def _inequalities(P: FloatArray, u: IntArray, j: IntArray) -> tuple[FloatArray, BoolArray, IntArray]:
    """Of options (row u decided as j): risk_m - risk_j in the off-diagonal costs, for each other class m."""
    c = P.shape[1]
    option, m = np.nonzero(j[:, None] != np.arange(c))
    rows = np.zeros((len(m), c, c))
    every = np.arange(len(m))
    rows[every, :, m] += P[u[option]]
    rows[every, :, j[option]] -= P[u[option]]
    return rows[:, ~np.eye(c, dtype=bool)], m < j[option], option


def _balanced(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Inequalities and costs scaled so that coefficients are near 1, and the scales of the costs.

    Probabilities such as 1e-10 would otherwise be zero to the solver.
    """
    filled = rows != 0
    size = np.log(np.abs(rows), where=filled, out=np.zeros_like(rows))
    by_row, by_cost = np.zeros((len(rows), 1)), np.zeros(rows.shape[1])
    for _ in range(BALANCING):
        by_row = ((size + by_cost) * filled).sum(axis=1, keepdims=True) / np.maximum(
            filled.sum(axis=1, keepdims=True), 1
        )
        by_cost = -((size - by_row) * filled).sum(axis=0) / np.maximum(filled.sum(axis=0), 1)
    return rows * np.exp(by_cost - by_row), np.exp(by_cost)


def _common_unit(costs: FloatArray) -> float:
    """The largest number of which all costs are multiples, if it is a simple part of the least; else 0."""
    least = costs[costs > 0].min()
    for part in range(1, 21):
        ratio = costs / least * part
        if (np.abs(ratio - np.round(ratio)) < 1e-9 * np.maximum(ratio, 1.0)).all():
            return float(least / part)
    return 0.0


class _Proof:
    """Cuts, the program they make, and the best rule so far."""

    def __init__(self, task: Task, options: _Options, L: FloatArray, worth: Worth) -> None:
        self.task = task
        self.options = options
        self.L, self.worth = L, worth
        self.cuts: list[IntArray] = []
        self.nodes = 0
        self.unit = _common_unit(options.cost)
        self.rng = np.random.default_rng(0)  # varies the subsystems; the optimum does not depend on it

    def run(self) -> bool:
        """Raise the bound until it meets the best rule (True), or the effort is spent (False)."""
        while len(self.cuts) < MOST_CUTS:  # of the linear relaxation: cheap, and most of the bound
            chosen, bound = self._relaxed(whole=False)
            if chosen is None or self._reached(bound):
                return self._reached(bound)
            if not self._add_cuts(chosen):
                break
        while len(self.cuts) < MOST_CUTS and self.nodes < MOST_NODES:
            chosen, bound = self._relaxed(whole=True)
            if chosen is None or self._reached(bound):
                return self._reached(bound)
            if not self._add_cuts_and_try(np.round(chosen)):
                return self._reached(bound)
        return False

    def _reached(self, bound: float) -> bool:
        return self.worth[0] <= EQUAL and self.worth[1] <= bound * (1 + PRECISION)

    def _relaxed(self, whole: bool) -> tuple[FloatArray | None, float]:
        """The options of least cost that respect the cuts and limits; and that cost, a lower bound."""
        o, n = self.options, len(self.options.cost)
        limits = [LinearConstraint(o.use.T, -np.inf, o.limits + EQUAL)] if len(o.limits) else []
        units = csr_array((np.ones(n), (o.unit, np.arange(n))))
        scale = 1.0 / self.unit if self.unit else UNITS / max(self.worth[1], o.cost.max())
        answer = milp(
            o.cost * scale,
            constraints=[LinearConstraint(units, 1, 1), *limits, *self._cut_constraints()],
            bounds=Bounds(0, 1),
            integrality=np.full(n, int(whole)),
            options={"node_limit": MOST_NODES, "mip_rel_gap": 0.0},
        )
        self.nodes += max(1, answer.mip_node_count or 0) if whole else 0
        if answer.status != 0:  # effort spent, or no decisions keep the limits
            bound = answer.mip_dual_bound if whole else None
            return None, -np.inf if bound is None else self._raised(bound) / scale
        return np.asarray(answer.x), self._raised(answer.fun) / scale

    def _cut_constraints(self) -> list[LinearConstraint]:
        if not self.cuts:
            return []
        sizes = np.array([len(cut) for cut in self.cuts])
        places = (np.repeat(np.arange(len(sizes)), sizes), np.concatenate(self.cuts))
        shape = (len(sizes), len(self.options.cost))
        return [LinearConstraint(csr_array((np.ones(sizes.sum()), places), shape=shape), -np.inf, sizes - 1.0)]

    def _raised(self, bound: float) -> float:
        """A bound of a sum of whole numbers is a whole number."""
        return float(np.ceil(bound - 1e-4)) if self.unit else bound

    def _add_cuts(self, chosen: FloatArray) -> bool:
        """Disjoint subsystems that a solution of the linear relaxation violates; False if none is seen."""
        active = np.flatnonzero(chosen[self.options.owner] > PRECISION)
        before = len(self.cuts)
        while len(active):
            cut, proven = self._subsystem(active, 1.0 - chosen + PRECISION)
            if not len(cut) or chosen[cut].sum() <= len(cut) - 1 + PRECISION:
                break
            self.cuts += [cut] if proven else []
            active = active[~np.isin(self.options.owner[active], cut)]
        return len(self.cuts) > before

    def _add_cuts_and_try(self, chosen: FloatArray) -> bool:
        """Subsystems among the options chosen; of each one option is given up, and the rest makes a rule."""
        owner = self.options.owner
        active = np.flatnonzero(chosen[owner] > 0)
        before = len(self.cuts)
        while len(active):
            cut, proven = self._subsystem(active, 1.0 + 0.1 * self.rng.random(len(chosen)))
            if not len(cut):
                break
            self.cuts += [cut] if proven else []
            active = active[owner[active] != self.rng.choice(cut)]
        self._try(active)
        return len(self.cuts) > before

    def _subsystem(self, active: IntArray, price: FloatArray) -> tuple[IntArray, bool]:
        """Options whose inequalities contradict each other, at a low price, and whether that is proven; or none.

        It is a vertex of {y >= 0: y @ rows <= 0, sum of y over the strict rows = 1}.
        """
        o = self.options
        rows, strict = o.rows[active], o.strict[active]
        answer = linprog(
            price[o.owner[active]],
            A_ub=rows.T,
            b_ub=np.zeros(rows.shape[1]),
            A_eq=strict[None].astype(float),
            b_eq=[1.0],
            method="highs-ds",
            options={"primal_feasibility_tolerance": TIGHTEST},
        )
        if answer.x is None:
            return np.array([], dtype=np.int64), False
        supports = [np.flatnonzero(answer.x > dust) for dust in DUST]
        for support in supports:
            if _contradict(rows[support], strict[support], answer.x[support]):
                return np.unique(o.owner[active[support]]), True
        return np.unique(o.owner[active[supports[0]]]), False

    def _try(self, active: IntArray) -> None:
        """Keep the rule that satisfies these inequalities by the widest margin, if it is better on the data."""
        strict = self.options.strict[active]
        for wide in (np.ones(len(active)), strict.astype(float)):  # the second where ties are needed
            L = self._widest(self.options.rows[active], wide)
            if L is not None and better(worth := self.task.worth(L), self.worth):
                self.L, self.worth = L, worth

    def _widest(self, rows: FloatArray, wide: FloatArray) -> FloatArray | None:
        """Costs that satisfy inequalities, by a margin that is largest in units of `wide`."""
        c, d = self.task.P.shape[1], rows.shape[1]
        answer = linprog(
            np.append(np.zeros(d), -1.0),
            A_ub=np.column_stack([-rows, wide]),
            b_ub=np.zeros(len(rows)),
            bounds=(0.0, 1.0),
            method="highs-ds",
        )
        if answer.x is None or not (answer.x[:d] > 0).any():
            return None
        L = np.zeros((c, c))
        L[~np.eye(c, dtype=bool)] = np.maximum(answer.x[:d], 0.0) * self.options.scale
        return np.asarray(L / L.max())


def _contradict(rows: FloatArray, strict: BoolArray, y: FloatArray) -> bool:
    """Whether inequalities rows @ L >= 0, of which some are strict, have no solution L >= 0.

    They have none if a combination of them with weights y >= 0 has no positive coefficient. The weights of the
    solver are precise to 1e-7 only, hence solved for again; the size of the terms says what counts as zero, so
    that tiny probabilities are treated as any other.
    """
    if not strict.any():
        return False
    terms = y @ np.abs(rows)
    tight = (np.abs(y @ rows) <= 1e-6 * terms) & (terms > 0)
    if tight.any():
        shares = rows[:, tight] * y[:, None] / terms[tight]
        change, *_ = np.linalg.lstsq(shares.T, -shares.sum(axis=0))  # the least that makes them zero
        y = y * (1.0 + change)
    return bool((y >= 0).all() and (y @ rows <= ROUNDING * (y @ np.abs(rows))).all())
