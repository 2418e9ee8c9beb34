"""Three classes or more: a proof that no cost rule has a lower cost on the data, by integer programming.

A case is decided as j if risk_j <= risk_m for every other m: linear inequalities in the costs L of the rule. So
the best rule drops the cheapest set of these inequalities such that the rest has a solution L >= 0. In a system
without a solution, a combination of a few inequalities (an irreducible infeasible subsystem) yields 0 < 0: at
least one of the cases in it is decided otherwise. Each such set is a cut of an integer program, whose optimum is a
lower bound of the cost; cuts are added until the bound meets the cost of a known rule (Parker & Ryan, Annals of
Mathematics and Artificial Intelligence 17 (1996) 107-126). The sets are vertices of a small linear program
(Gleeson & Ryan, ORSA Journal on Computing 2 (1990) 61-63); each is verified, whatever the precision of the solver
that proposed it, and the cost of a rule is always that of its decisions on the data.

Effort is limited by numbers of cases, cuts and nodes, never by time, so the result does not depend on the machine.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyroc.cost_rules.search import CostProblem, Loss, is_better
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.cut_points import EQUAL

if TYPE_CHECKING:  # imported where it is needed: it takes long, and most problems are too large for a proof
    from scipy.optimize import LinearConstraint

__all__ = ["improve_and_prove"]

MOST_ROWS = 100  # different rows of probabilities; with more there are too many infeasible subsystems
MOST_CUTS = 150  # with more the integer programs take too long
MOST_NODES = 100  # of all integer programs
ROUNDING = 1e-11  # a sum nearer to 0, relative to its terms, is 0; ten times the ties of `CostRule`
PRECISION = 1e-6  # relative precision of the bound: that of the integer program
SCALED_COST = 1e3  # the cost of the known rule in the integer program, whose absolute tolerance is 1e-6
NEGLIGIBLE = (1e-9, 1e-7, 1e-12)  # a weight of the linear program below this may be rounding; tried in turn
TIGHTEST = 1e-10  # tolerance of the linear programs, the smallest that the solver accepts
SCALING_ROUNDS = 5  # after which the scales hardly change
LARGEST_EXPONENT = 350.0  # of a scale


def improve_and_prove(problem: CostProblem, L: FloatArray, loss: Loss) -> tuple[FloatArray, Loss, bool]:
    """A rule at least as good as the given one, its loss, and True if no rule has a lower cost on these cases."""
    if loss[0] <= EQUAL and loss[1] == 0.0:
        return L, loss, True
    choices = _choices_of(problem)
    if choices is None:
        return L, loss, False
    proof = _Proof(problem, choices, L, loss)
    proven = proof.run()
    return proof.L, proof.loss, proven


@dataclass(frozen=True, slots=True)
class _Choices:
    """The possible decisions for each distinct row of probabilities.

    Attributes
    ----------
    unit, cost, use
        By choice: the row of probabilities, the cost of its cases, and their contribution to each limited rate.
    owner, rows, strict
        By inequality rows @ (L / scale) >= 0: the choice that requires it, its coefficients, and whether it is
        strict (a tie goes to the first class).
    scale
        The scale of each cost in L.
    limits
        The largest rates allowed.
    """

    unit: IntArray
    cost: FloatArray
    use: FloatArray
    owner: IntArray
    rows: FloatArray
    strict: BoolArray
    scale: FloatArray
    limits: FloatArray


def _choices_of(problem: CostProblem) -> _Choices | None:
    """All choices; None if there are too many different rows."""
    if len(np.unique(problem.P[:, 0])) > MOST_ROWS:  # a fast check for large data
        return None
    P, unit = np.unique(problem.P, axis=0, return_inverse=True)
    if len(P) > MOST_ROWS:
        return None
    cost, use = np.zeros_like(P), np.zeros((*P.shape, len(problem.limited)))
    np.add.at(cost, unit.ravel(), problem.cost)
    for i, (share, decision, _) in enumerate(problem.limited):
        np.add.at(use[:, decision, i], unit.ravel(), share)
    # A decision that is worst in cost and in every limited rate needs no inequalities: whatever is decided
    # instead is at least as good, so the bound stays valid and the program is smaller.
    worst = (cost == cost.max(axis=1, keepdims=True)) & (use == use.max(axis=1, keepdims=True)).all(axis=2)
    free = np.flatnonzero(worst.any(axis=1))
    u, j = np.nonzero(~worst)
    at = worst[free].argmax(axis=1)
    rows, strict, owner = _inequalities(P, u, j)
    rows, scale = _balanced(rows)
    return _Choices(
        unit=np.append(u, free),
        cost=np.append(cost[u, j], cost[free, at]),
        use=np.concatenate([use[u, j], use[free, at]]),
        owner=owner,
        rows=rows,
        strict=strict,
        scale=scale,
        limits=np.array([limit for *_, limit in problem.limited]),
    )


def _inequalities(P: FloatArray, u: IntArray, j: IntArray) -> tuple[FloatArray, BoolArray, IntArray]:
    """Inequalities risk_m - risk_j >= 0 of the choices (row u decided as j), for each other class m.

    The coefficients are those of the off-diagonal costs.
    """
    c = P.shape[1]
    choice, m = np.nonzero(j[:, None] != np.arange(c))
    rows = np.zeros((len(m), c, c))
    index = np.arange(len(m))
    rows[index, :, m] += P[u[choice]]
    rows[index, :, j[choice]] -= P[u[choice]]
    return rows[:, ~np.eye(c, dtype=bool)], m < j[choice], choice


def _balanced(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Inequalities and costs scaled so that coefficients are near 1, and the scales of the costs.

    Probabilities such as 1e-10 would otherwise be zero to the solver.
    """
    nonzero = rows != 0
    size = np.log(np.abs(rows), where=nonzero, out=np.zeros_like(rows))
    per_row = np.maximum(nonzero.sum(axis=1, keepdims=True), 1)
    per_cost = np.maximum(nonzero.sum(axis=0), 1)
    by_row, by_cost = np.zeros((len(rows), 1)), np.zeros(rows.shape[1])
    for _ in range(SCALING_ROUNDS):  # geometric means of rows and columns in turn
        by_row = ((size + by_cost) * nonzero).sum(axis=1, keepdims=True) / per_row
        by_cost = -((size - by_row) * nonzero).sum(axis=0) / per_cost
    # their sum is within the range of floats, which logarithms of subnormal probabilities exceed
    by_row, by_cost = (np.clip(scale, -LARGEST_EXPONENT, LARGEST_EXPONENT) for scale in (by_row, by_cost))
    return rows * np.exp(by_cost - by_row), np.exp(by_cost)


def _common_unit(costs: FloatArray) -> float:
    """The largest number of which all costs are multiples, if it is a simple fraction of the least; else 0.

    With such a unit the cost is an integer, and a bound can be rounded up.
    """
    least = costs[costs > 0].min()
    for part in range(1, 21):
        ratio = costs / least * part
        if (np.abs(ratio - np.round(ratio)) < 1e-9 * np.maximum(ratio, 1.0)).all():
            return float(least / part)
    return 0.0


class _Proof:
    """The cuts so far, the integer program that they define, and the best rule so far."""

    def __init__(self, problem: CostProblem, choices: _Choices, L: FloatArray, loss: Loss) -> None:
        self.problem = problem
        self.choices = choices
        self.L, self.loss = L, loss
        self.cuts: list[IntArray] = []
        self.nodes = 0
        self.unit = _common_unit(choices.cost)
        self.rng = np.random.default_rng(0)  # varies the subsystems; the optimum does not depend on the seed

    def run(self) -> bool:
        """Raise the bound until it meets the best rule (True), or the limits of effort are reached (False)."""
        while len(self.cuts) < MOST_CUTS:  # the linear relaxation first: it is fast, and gives most of the bound
            chosen, bound = self._solve(integer=False)
            if chosen is None or self._reached(bound):
                return self._reached(bound)
            if not self._add_cuts(chosen):
                break
        while len(self.cuts) < MOST_CUTS and self.nodes < MOST_NODES:
            chosen, bound = self._solve(integer=True)
            if chosen is None or self._reached(bound):
                return self._reached(bound)
            if not self._add_cuts_and_try(np.round(chosen)):
                return self._reached(bound)
        return False

    def _reached(self, bound: float) -> bool:
        return self.loss[0] <= EQUAL and self.loss[1] <= bound * (1 + PRECISION)

    def _solve(self, integer: bool) -> tuple[FloatArray | None, float]:
        """The choices of least cost within the cuts and limits, and that cost, a lower bound."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        choices, n = self.choices, len(self.choices.cost)
        limits = [LinearConstraint(choices.use.T, -np.inf, choices.limits + EQUAL)] if len(choices.limits) else []
        units = csr_array((np.ones(n), (choices.unit, np.arange(n))))
        scale = 1.0 / self.unit if self.unit else SCALED_COST / max(self.loss[1], choices.cost.max())
        answer = milp(
            choices.cost * scale,
            constraints=[LinearConstraint(units, 1, 1), *limits, *self._cut_constraints()],
            bounds=Bounds(0, 1),
            integrality=np.full(n, int(integer)),
            options={"node_limit": MOST_NODES, "mip_rel_gap": 0.0},
        )
        self.nodes += max(1, answer.mip_node_count or 0) if integer else 0
        if answer.status != 0:  # the node limit is reached, or no decisions are within the limits
            bound = answer.mip_dual_bound if integer else None
            return None, -np.inf if bound is None else self._rounded_up(bound) / scale
        return np.asarray(answer.x), self._rounded_up(answer.fun) / scale

    def _cut_constraints(self) -> "list[LinearConstraint]":
        from scipy.optimize import LinearConstraint
        from scipy.sparse import csr_array

        if not self.cuts:
            return []
        sizes = np.array([len(cut) for cut in self.cuts])
        positions = (np.repeat(np.arange(len(sizes)), sizes), np.concatenate(self.cuts))
        shape = (len(sizes), len(self.choices.cost))
        members = csr_array((np.ones(sizes.sum()), positions), shape=shape)
        return [LinearConstraint(members, -np.inf, sizes - 1.0)]

    def _rounded_up(self, bound: float) -> float:
        """The bound of a sum of integers, rounded up; the margin is the tolerance of the solver."""
        return float(np.ceil(bound - 1e-4)) if self.unit else bound

    def _add_cuts(self, chosen: FloatArray) -> bool:
        """Add disjoint cuts that a solution of the linear relaxation violates; False if there are none."""
        active = np.flatnonzero(chosen[self.choices.owner] > PRECISION)
        before = len(self.cuts)
        while len(active):
            cut, proven = self._subsystem(active, 1.0 - chosen + PRECISION)
            if not len(cut) or chosen[cut].sum() <= len(cut) - 1 + PRECISION:
                break
            self.cuts += [cut] if proven else []
            active = active[~np.isin(self.choices.owner[active], cut)]
        return len(self.cuts) > before

    def _add_cuts_and_try(self, chosen: FloatArray) -> bool:
        """Add cuts among the choices; one choice of each is dropped at random, and the rest defines a rule."""
        owner = self.choices.owner
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
        """Choices whose inequalities contradict each other, at a low price, and whether that is verified; or none.

        They are a vertex of {y >= 0: y @ rows <= 0, sum of y over the strict rows = 1}.
        """
        from scipy.optimize import linprog

        owner, rows, strict = self.choices.owner, self.choices.rows[active], self.choices.strict[active]
        answer = linprog(
            price[owner[active]],
            A_ub=rows.T,
            b_ub=np.zeros(rows.shape[1]),
            A_eq=strict[None].astype(float),
            b_eq=[1.0],
            method="highs-ds",
            options={"primal_feasibility_tolerance": TIGHTEST},
        )
        if answer.x is None:
            return np.array([], dtype=np.int64), False
        supports = [np.flatnonzero(answer.x > negligible) for negligible in NEGLIGIBLE]
        for support in supports:
            if _contradict(rows[support], strict[support], answer.x[support]):
                return np.unique(owner[active[support]]), True
        return np.unique(owner[active[supports[0]]]), False

    def _try(self, active: IntArray) -> None:
        """Keep the rule that satisfies these inequalities by the widest margin, if its loss is lower."""
        strict = self.choices.strict[active]
        for units in (np.ones(len(active)), strict.astype(float)):  # the second if the rule needs ties
            L = self._widest_margin(self.choices.rows[active], units)
            if L is not None and is_better(loss := self.problem.loss(L), self.loss):
                self.L, self.loss = L, loss

    def _widest_margin(self, rows: FloatArray, units: FloatArray) -> FloatArray | None:
        """Costs that satisfy the inequalities by the largest margin, measured in these units."""
        from scipy.optimize import linprog

        c, d = self.problem.P.shape[1], rows.shape[1]
        answer = linprog(
            np.append(np.zeros(d), -1.0),
            A_ub=np.column_stack([-rows, units]),
            b_ub=np.zeros(len(rows)),
            bounds=(0.0, 1.0),
            method="highs-ds",
        )
        if answer.x is None or not (answer.x[:d] > 0).any():
            return None
        L = np.zeros((c, c))
        L[~np.eye(c, dtype=bool)] = np.maximum(answer.x[:d], 0.0) * self.choices.scale
        return np.asarray(L / L.max())


def _contradict(rows: FloatArray, strict: BoolArray, y: FloatArray) -> bool:
    """True if the inequalities rows @ L >= 0, of which some are strict, have no solution L >= 0.

    They have none if a combination of them with weights y >= 0 has no positive coefficient (Farkas' lemma). The
    solver's weights are precise to 1e-7 only, so they are refined here; zero is relative to the size of the terms,
    so that tiny probabilities are treated like any other.
    """
    if not strict.any():
        return False
    terms = y @ np.abs(rows)
    tight = (np.abs(y @ rows) <= 1e-6 * terms) & (terms > 0)
    if tight.any():
        shares = rows[:, tight] * y[:, None] / terms[tight]
        change, *_ = np.linalg.lstsq(shares.T, -shares.sum(axis=0))  # the smallest change that makes them zero
        y = y * (1.0 + change)
    return bool((y >= 0).all() and (y @ rows <= ROUNDING * (y @ np.abs(rows))).all())
