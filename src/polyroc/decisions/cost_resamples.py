"""Three classes or more: the search for a cost rule, repeated in resamples, and its rates on cases left out.

A searched rule fits c(c - 1) - 1 numbers, and its rates on the cases are far too good: in simulations with three
classes the optimism was about two standard errors. What resamples show of it on all cases (Efron & Tibshirani
1993), as for a threshold, left a fifth to a quarter of it. The rates of the rules of resamples on the cases that
are not in them have almost no bias. There are no intervals for the costs of the rule: very different costs make
the same decisions on all cases.
"""

from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from polyroc.cost_rules.search import CostProblem, search_again
from polyroc.decisions.criteria import Objective
from polyroc.decisions.rate_matrix import Rates
from polyroc.decisions.uncertainty import ThresholdUncertainty, corrected_rates, warn_of_left_out
from polyroc.inference.methods.method import Method
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.cut_points import EQUAL
from polyroc.measures.sample import Sample
from polyroc.progress import Progress
from polyroc.rules import CostRule
from polyroc.scores import Scores

__all__ = ["rechoose_costs"]


def rechoose_costs(
    scores: Scores,
    classifier: str,
    objective: Objective,
    rule: CostRule,
    method: Method,
    apparent: Rates,
    progress: Progress | None = None,
) -> tuple[ThresholdUncertainty, Rates]:
    """Repeat the search in resamples: rates on the cases left out, with errors that account for the choice.

    The rates are those of the leave-one-out bootstrap: the decisions of all rules of resamples on the cases that
    are not in them. Their error as estimates of the rates of the chosen rule on new cases has two sources: the
    sample, whose variance is that of the rates in the resamples around those of the same rules on all cases, and
    the rule, whose variance is that of the rates on all cases of the rules of resamples.

    Parameters
    ----------
    scores, classifier
        The cases, and the classifier to use.
    objective, rule
        The objective, and the rule that was chosen for it.
    method
        One that resamples.
    apparent
        The rates on the cases on which the rule was chosen.
    progress
        Called with (done, total, message).

    References
    ----------
    Efron & Tibshirani, Journal of the American Statistical Association 92 (1997) 548-560.
    """
    shares_as_priors = not objective.priors_given and objective.criterion is None
    method = method.for_shares(shares_as_priors, scores)
    search = _Search.of(scores, classifier, objective, rule, shares_as_priors and scores.sampling == "cohort")
    c, total = len(apparent.classes), getattr(method, "replicates", 0)
    done, lock = 0, Lock()

    def chunk(weights: FloatArray) -> FloatArray:
        nonlocal done
        columns = np.stack([search.column(np.asarray(row, dtype=np.float64)) for row in weights], axis=1)
        with lock:
            done += len(weights)
            if progress is not None:
                progress(done, total, "resamples")
        return columns

    rows = method.over_resamples(Sample(scores, classifier), chunk).T
    chosen = rows[:, -1] > 0
    left_out = warn_of_left_out(chosen, "rule")
    within, whole, counts = (part.reshape(-1, c, c) for part in np.split(rows[chosen, :-1], 3, axis=1))
    totals = counts.sum(axis=(0, 2))[:, None]
    with np.errstate(invalid="ignore"):
        rates = np.where(
            totals > 0, counts.sum(axis=0) / totals, apparent.rates
        )  # a class that is in all resamples
    none = np.empty(0)
    uncertainty = ThresholdUncertainty(
        none, none, apparent.rates - rates, left_out, repr(method), int(chosen.sum())
    )
    return uncertainty, corrected_rates(apparent, rates, [within - whole, whole], method)


@dataclass(frozen=True, slots=True)
class _Search:
    """What is the same in all resamples; cases grouped by class, as their weights come.

    Attributes
    ----------
    codes, weight, values
        Of the cases: the class, the weight, the probabilities.
    objective, start
        The objective, and the costs of the rule that was chosen on all cases.
    labels
        Of the classes.
    random_shares
        True if the priors are the shares of the classes in the resample.
    """

    codes: IntArray
    weight: FloatArray
    values: FloatArray
    objective: Objective
    start: FloatArray
    random_shares: bool

    @classmethod
    def of(
        cls, scores: Scores, classifier: str, objective: Objective, rule: CostRule, random_shares: bool
    ) -> "_Search":
        sample = Sample(scores, classifier)
        cases = np.concatenate([sample.cases(k) for k in range(sample.classes)])
        weight = np.ones(len(cases)) if scores.sample_weight is None else scores.sample_weight[cases]
        codes = np.asarray(scores.codes[cases], dtype=np.int64)
        return cls(codes, weight, scores.values[classifier][cases], objective, np.array(rule.costs), random_shares)

    def column(self, weight: FloatArray) -> FloatArray:
        """Of one resample: its rates, those on all cases, the cases left out by decision, and whether a rule."""
        c = len(self.start)
        totals = np.bincount(self.codes, weight, c)
        nothing = np.full(3 * c * c + 1, 0.0)
        if not (totals > 0).all():
            return nothing
        objective = self.objective
        if self.random_shares:
            objective = replace(objective, priors=totals / totals.sum())
        problem = CostProblem.weighted(self.codes, weight, self.values, objective.search_losses, objective.limits)
        L, loss = search_again(problem, objective.limits, objective.bayes_costs, self.start)
        if loss[0] > EQUAL:
            return nothing
        decisions = CostRule(tuple(range(c)), L.tolist()).codes(self.values)
        within, whole = self._counts(decisions, weight), self._counts(decisions, self.weight)
        left_out = self._counts(decisions, np.where(weight > 0, 0.0, self.weight))
        rates = [table / table.sum(axis=1, keepdims=True) for table in (within, whole)]
        return np.concatenate([*(table.ravel() for table in (*rates, left_out)), [1.0]])

    def _counts(self, decisions: IntArray, weight: FloatArray) -> FloatArray:
        """At [class, decision], the weight of the cases."""
        c = len(self.start)
        flat = np.bincount(self.codes * c + decisions, weight, c * c)
        return np.asarray(flat, dtype=np.float64).reshape(c, c)
