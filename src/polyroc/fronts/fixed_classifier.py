"""The front of a fixed classifier: all thresholds of two classes, cost vectors drawn at random for more."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.cost_rules.search import CostProblem, best_costs
from polyroc.errors import InputError, NotApplicableError
from polyroc.fronts.archive import FrontBuilder, Objectives
from polyroc.fronts.cases import Cases, with_both_columns
from polyroc.fronts.cost_distribution import CostBounds, CostDistribution
from polyroc.fronts.cost_proposals import AdaptiveCosts, budget, first_costs, scaled
from polyroc.fronts.dominated_volume import volume_shares
from polyroc.fronts.result import INTERRUPTED, Front, Growth
from polyroc.interrupts import interrupt_flag
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr
from polyroc.progress import Progress, ProgressOption, progress_callback
from polyroc.scores import Scores
from polyroc.validation.costs import Ratio, as_alphas, as_ratios
from polyroc.validation.random import Draws

__all__ = ["fixed_fronts", "threshold_front"]

ROUNDING = (
    1e-9  # rows that miss a sum of 1 by less do so by rounding; the column is then used as it is, as in `curve`
)
GROWTH_STEPS = 20  # how often the growth of a front is recorded
BATCHES_PER_STEP = 5  # after each of which the proposals learn
QUICK_BATCHES = 2  # the same, for a report
MOST_NUMBERS = 2**22  # costs drawn at a time: 32 MB


def threshold_front(cases: Cases, ratios: list[Ratio]) -> tuple[IntArray, FloatArray, int]:
    """Two classes: counts and costs of the non-dominated thresholds; the number of thresholds within the bounds.

    The second class is assigned where its share s of the two probabilities is above t. This is the rule of least
    conditional risk if an error on the first class costs t and one on the second 1 - t.
    """
    sums = cases.P[0] + cases.P[1]
    share = cases.P[1] if np.abs(sums - 1.0).max() < ROUNDING else cases.P[1] / sums
    values, place = np.unique(share, return_inverse=True)
    first, second = slice(0, cases.starts[1]), slice(cases.starts[1], None)
    # cases of either class with a share of at least each distinct value
    false_alarms, hits = (
        np.bincount(place[part], cases.weight[part], len(values))[::-1].cumsum()[::-1] for part in (first, second)
    )
    t, begin = _thresholds(values, *_threshold_range(ratios))
    counts = np.zeros((len(t), 2, 2), dtype=np.int64)
    counts[:, 0, 1], counts[:, 1, 1] = np.append(false_alarms, 0)[begin], np.append(hits, 0)[begin]
    counts[:, 0, 0], counts[:, 1, 0] = (cases.totals[k] - counts[:, k, 1] for k in (0, 1))
    # with a rising threshold false alarms fall and misses rise: a point is dominated by the one before it if its
    # false alarms are the same, and by the one after it if the misses are
    fewer_alarms, more_misses = np.diff(counts[:, 0, 1]) != 0, np.diff(counts[:, 1, 0]) != 0
    non_dominated = np.append(more_misses, True) & np.append(True, fewer_alarms)
    costs = np.zeros((len(t), 2, 2))
    costs[:, 0, 1], costs[:, 1, 0] = t, 1.0 - t
    return counts[non_dominated], costs[non_dominated], len(t)


def _threshold_range(ratios: list[Ratio]) -> tuple[float, float]:
    """The least and largest t, from bounds on t / (1 - t) or on its inverse."""
    low, high = 0.0, 1.0
    for error, _, least, largest in ratios:
        ends = [1.0 if ratio == np.inf else ratio / (1.0 + ratio) for ratio in (least, largest)]
        if error == (1, 0):
            ends = [1.0 - end for end in reversed(ends)]
        low, high = max(low, ends[0]), min(high, ends[1])
    if low > high:
        raise InputError("The bounds contradict each other: no costs satisfy them all.")
    return low, high


def _thresholds(values: FloatArray, low: float, high: float) -> tuple[FloatArray, IntArray]:
    """One t for each set of cases that can be assigned to the second class, and where the set begins in `values`.

    The set begins at place i for t from values[i - 1] up to, but without, values[i]: t is the middle, or the lower
    end where the two are so near that the middle is rounded to values[i].
    """
    bottom, ceiling = np.maximum(np.append(0.0, values), low), np.append(values, np.inf)
    reached = (bottom < ceiling) & (bottom <= high)
    reached[0] |= low == 0.0  # all cases, even where a share is 0
    bottom, ceiling, begin = bottom[reached], ceiling[reached], np.flatnonzero(reached)
    middle = (bottom + np.minimum(ceiling, high)) / 2.0
    return np.where(middle < ceiling, middle, bottom), begin


def fixed_fronts(
    scores: Scores,
    n: int | None,
    draws: Draws,
    *,
    concentration: Any = None,
    bounds: CostBounds | None = None,
    progress: ProgressOption = None,
    quick: bool = False,
) -> dict[str, Front]:
    """Return the front of each classifier; see `polyroc.front`.

    The front of a report is `quick`: the rule with the fewest errors is not searched, and the proposals learn less
    often. On little data these take most of the time.
    """
    scores = with_both_columns(scores)
    draws = Draws(budget(scores.n_classes), draws.seed, draws.workers) if n is None else draws
    alphas = as_alphas(1.0 if concentration is None else concentration, scores.labels)
    distribution = CostDistribution(alphas, as_ratios(bounds, scores.labels))
    if scores.kind != "matrix":
        kind = "decisions" if scores.kind == "decisions" else "one score per case"
        raise NotApplicableError(
            f"A front needs one column of probabilities per class {short_repr(list(scores.names))}, got {kind}."
        )
    if scores.absent:
        raise NotApplicableError(f"A front needs cases of every class; there is none of {scores.absent[0]!r}.")
    with progress_callback(progress) as report, interrupt_flag() as stop:
        sweep = _Sweep(distribution, concentration is None, quick, draws, report, stop)
        return {name: _front(name, scores, sweep) for name in scores.classifiers}


@dataclass(frozen=True, slots=True)
class _Sweep:
    """Costs tried batch by batch: the non-dominated error counts are kept, and the costs that lead to them.

    Attributes
    ----------
    distribution
        The Dirichlet distribution of the costs, and their bounds.
    adaptive
        True to propose costs by what has paid (`AdaptiveCosts`), False to draw all from the distribution.
    quick
        True to learn from larger batches, and not to search the costs of the rule with the fewest errors.
    draws
        How many cost vectors, the seed and the number of threads.
    report, stop
        The progress, and whether an interrupt is requested.
    """

    distribution: CostDistribution
    adaptive: bool
    quick: bool
    draws: Draws
    report: Progress | None
    stop: Callable[[], bool]

    def run(self, cases: Cases, cheapest: Callable[[], FloatArray]) -> tuple[IntArray, FloatArray, Growth]:
        """Counts, costs and growth; `cheapest` searches the costs of the rule with the fewest errors.

        After an interrupt no more costs are tried, except for the first of all.
        """
        front = FrontBuilder(Objectives("rates", cases.totals), self.draws.seed)
        rng = np.random.default_rng(self.draws.seed)
        self._report(0, "drawing costs")
        with ThreadPoolExecutor(self.draws.workers) as pool:

            def tried(costs: FloatArray) -> IntArray:
                counts = cases.confusion_counts(costs, pool, self.draws.workers, self.stop)
                front.add(counts, costs[: len(counts)])
                return counts

            first = self._within(first_costs(cases.totals))[: self.draws.n]
            counts = tried(first) if len(first) else np.empty((0, *first.shape[1:]), dtype=np.int64)
            if self.adaptive and not self.quick and not self.stop() and len(counts) < self.draws.n:
                best = self._within(cheapest())[: self.draws.n - len(counts)]
                counts = np.concatenate([counts, tried(best)]) if len(best) else counts
            done = self._continue(front, len(counts), tried, self._proposals(front, counts, rng))
        front.record(done)
        members = front.members()
        return members["counts"], members["costs"], front.growth

    def _proposals(self, front: FrontBuilder, counts: IntArray, rng: np.random.Generator) -> "_Proposals":
        """Where costs come from after the first."""
        if not self.adaptive:
            return _Proposals(lambda n: self.distribution.sample(n, rng), lambda _: None)
        adaptive = AdaptiveCosts(front, self.distribution, rng)
        adaptive.add(counts)
        return _Proposals(adaptive.sample, adaptive.learn)

    def _continue(
        self,
        front: FrontBuilder,
        done: int,
        tried: Callable[[FloatArray], IntArray],
        proposals: "_Proposals",
    ) -> int:
        """Try costs until there are enough or an interrupt is requested; returns how many there were."""
        n, c = self.draws.n, front.objectives.totals.size
        step = -(-n // GROWTH_STEPS)
        batches = (QUICK_BATCHES if self.quick else BATCHES_PER_STEP) if self.adaptive else 1
        size = max(1, min(step // batches, MOST_NUMBERS // c**2))
        while done < n and not (done and self.stop()):
            mark = min((done // step + 1) * step, n)  # the growth is recorded at multiples of a step
            counts = tried(proposals.sample(min(size, mark - done)))
            proposals.learn(counts)
            done += len(counts)
            if done == mark:
                front.record(done)
                self._report(done, f"{len(front)} points, G {front.gini:.3f}")
        return done

    def _within(self, costs: FloatArray) -> FloatArray:
        return costs[self.distribution.within_bounds(costs)]

    def _report(self, done: int, message: str) -> None:
        if self.report is not None:
            self.report(done, self.draws.n, message)


class _Proposals(NamedTuple):
    """Functions that give the next costs, and that learn from their counts."""

    sample: Callable[[int], FloatArray]
    learn: Callable[[IntArray], None]


def _cheapest(scores: Scores, classifier: str, seed: int, stop: Callable[[], bool]) -> FloatArray:
    """The costs of the rule that `operate` chooses on these cases by default, so that no front misses it.

    Twice: divided by their sum as all costs of a front, and as they are, in case a decision depends on rounding.
    """
    shares = np.bincount(scores.codes, scores.sample_weight, scores.n_classes)
    losses = (1.0 - np.eye(scores.n_classes)) * (shares / shares.sum())[:, None]
    bayes = 1.0 - np.eye(scores.n_classes)
    problem = CostProblem.of(scores, scores.values[classifier], losses / losses.max(), {})
    L, _, _ = best_costs(problem, {}, bayes, np.random.default_rng(seed), stop)
    return np.concatenate([scaled(L[None]), L[None]])


def _front(classifier: str, scores: Scores, sweep: _Sweep) -> Front:
    cases = Cases.of(scores, classifier)
    seed: int | None = None
    method = "every threshold"
    if scores.n_classes == 2:
        counts, costs, thresholds = threshold_front(cases, sweep.distribution.ratios)
        gini = volume_shares([counts / cases.totals[:, None]], None, 0)[0][0].value
        growth = Growth((thresholds,), (len(counts),), (gini,))
    else:
        cheapest = partial(_cheapest, scores, classifier, sweep.draws.seed, sweep.stop)
        counts, costs, growth = sweep.run(cases, cheapest)
        source = "proposed by what they gained" if sweep.adaptive else "from a Dirichlet distribution"
        seed, method = sweep.draws.seed, f"{growth.draws[-1]} cost vectors {source}"
        if sweep.adaptive and sweep.quick:
            method += ", without a search for the rule with the fewest errors"
        if growth.draws[-1] < sweep.draws.n:
            method += f", {INTERRUPTED} before {sweep.draws.n}"
    order = np.lexsort(counts[:, ~np.eye(scores.n_classes, dtype=bool)].T[::-1])
    return Front(
        classifier=classifier,
        classes=scores.names,
        counts=counts[order],
        costs=costs[order],
        growth=growth,
        exact=scores.n_classes == 2,
        provenance=Provenance(
            cases=scores.cases,
            method=method,
            weighted=scores.sample_weight is not None,
            weight_kind=None if scores.sample_weight is None else "frequency",
            sampling=scores.sampling,
            dropped=scores.dropped,
            seed=seed,
            notes=scores.notes or None,
        ),
        labels=scores.labels,
        scores=None
        if sweep.distribution.ratios
        else scores._replace(values={classifier: scores.values[classifier]}),
    )
