"""One score, two classes or more along it: the best threshold or cut-points, exactly, and those of resamples."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.cut_points import best_cuts, rechosen_cuts
from polyroc.rules import CutPointRule, Rule, ThresholdRule
from polyroc.scores import Scores

__all__ = ["CutProblem", "Rechosen", "ScoreOrder", "rule_at_cuts"]

PRECISION = 1e-4  # of the excess over limits that cannot be satisfied, in a message


@dataclass(frozen=True, slots=True)
class CutProblem:
    """What cut-points are chosen for; classes and decisions by rising score.

    Attributes
    ----------
    costs, priors
        At [class, decision], and by class; their product is the loss of a rate of 1.
    limits
        At [class, decision], the largest rate allowed; infinite where there is none.
    squared
        True if the sum over classes of the squared error rates is minimised instead.
    shares_as_priors
        True if the priors are the shares of the classes among the cases.
    """

    costs: FloatArray
    priors: FloatArray
    limits: FloatArray
    squared: bool
    shares_as_priors: bool

    def with_limits(self, excess: float) -> "CutProblem":
        """The same problem, its limits increased."""
        return CutProblem(self.costs, self.priors, self.limits + excess, self.squared, self.shares_as_priors)


class Rechosen(NamedTuple):
    """What was chosen anew in resamples.

    Attributes
    ----------
    low, high
        At [resample, cut-point]: the thresholds above `low`, up to `high`, are best there, or worse by no more
        than one case.
    optimism
        At [resample, class, decision], in the order of the labels: the rate in the resample minus that of the same
        rule on all cases.
    chosen
        Whether the resample has cases of all classes, and a rule within the limits; the others hold no numbers.
    """

    low: FloatArray
    high: FloatArray
    optimism: FloatArray
    chosen: BoolArray


@dataclass(frozen=True, slots=True)
class ScoreOrder:
    """The cases of positive weight by rising score.

    Attributes
    ----------
    classes
        The classes by rising score, as positions in the labels: of two, the positive one is the last.
    values
        The distinct scores, rising, then infinity: the thresholds.
    order, codes, numbers
        The cases by rising score; at the same places their classes, as positions in `classes`, and the position of
        their scores in `values`.
    rates
        At [class, threshold], the share of the class that is below the threshold.
    sizes
        The number of cases of each class of `classes` (effective number, if weighted).
    """

    classes: tuple[int, ...]
    values: FloatArray
    order: IntArray
    codes: IntArray
    numbers: IntArray
    rates: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, scores: Scores, values: FloatArray) -> "ScoreOrder":
        """From a score, or from two columns, of which that of the positive class (or the second) is the score."""
        classes = tuple(range(scores.n_classes))
        if scores.n_classes == 2:
            positive = 1 if scores.positive is None else scores.positive
            classes = (1 - positive, positive)
        score = (values if values.ndim == 1 else values[:, classes[-1]]) + 0.0  # + 0.0 turns -0.0 into 0.0
        weight = scores.sample_weight
        cases = np.arange(len(score)) if weight is None else np.flatnonzero(weight > 0)
        order = cases[np.argsort(score[cases], kind="stable")]
        ranked = score[order]
        new = np.append(True, ranked[1:] != ranked[:-1])
        numbers = np.cumsum(new) - 1
        codes = np.argsort(classes)[scores.codes[order]]
        ones = np.ones(len(order)) if weight is None else weight[order]
        below = np.zeros((len(classes), numbers[-1] + 2))
        for k in range(len(classes)):
            below[k, 1:] = np.cumsum(np.bincount(numbers, np.where(codes == k, ones, 0.0)))
        sizes = below[:, -1] ** 2 / np.bincount(codes, ones**2, len(classes))
        thresholds = np.append(ranked[new], np.inf)
        return cls(classes, thresholds, order, codes, numbers, below / below[:, -1:], sizes)

    def best(self, problem: CutProblem) -> FloatArray | None:
        """The best thresholds, rising; of equally good ones the highest. None if none is within the limits."""
        cuts = np.zeros(len(self.classes) - 1, dtype=np.int64)
        losses = problem.costs * problem.priors[:, None]
        least = best_cuts(self.rates, losses, problem.limits, problem.squared, cuts)
        return self.values[cuts] if np.isfinite(least) else None

    def nearest(self, problem: CutProblem) -> FloatArray:
        """The best thresholds after all limits have been increased by the smallest amount that allows any."""
        low, high = 0.0, 1.0
        while high - low > PRECISION:
            middle = (low + high) / 2.0
            low, high = (middle, high) if self.best(problem.with_limits(middle)) is None else (low, middle)
        thresholds = self.best(problem.with_limits(high))
        assert thresholds is not None  # no rate exceeds 1
        return thresholds

    def rechosen(self, problem: CutProblem, weight: FloatArray, random_shares: bool) -> Rechosen:
        """The best thresholds of resamples, given by rows of weights of the cases.

        Parameters
        ----------
        problem
            The objective.
        weight
            At [resample, case].
        random_shares
            True if the priors are the shares of the classes in the resample.
        """
        c, n = len(self.classes), len(weight)
        cuts, lows, highs = np.zeros((3, n, c - 1), dtype=np.int64)
        optimism, chosen = np.full((n, c, c), np.nan), np.zeros(n, dtype=bool)
        rechosen_cuts(
            weight,
            self.order,
            self.codes,
            self.numbers,
            self.rates,
            problem.costs,
            problem.priors,
            random_shares,
            problem.limits,
            problem.squared,
            1.0 / self.sizes,
            cuts,
            lows,
            highs,
            optimism,
            chosen,
        )
        back = np.argsort(self.classes)  # in the order of the labels
        below = np.append(self.values[:-1], -np.inf)  # -1 is the last place: below all scores
        return Rechosen(below[lows], self.values[highs], optimism[:, back][:, :, back], chosen)


def rule_at_cuts(scores: Scores, order: ScoreOrder, thresholds: FloatArray) -> Rule:
    """The rule with these thresholds: of two classes a `ThresholdRule`, of more a `CutPointRule`."""
    if len(order.classes) > 2:
        return CutPointRule(scores.labels, thresholds.tolist())
    return ThresholdRule(scores.labels, scores.labels[order.classes[-1]], float(thresholds[0]))


def limit_matrix(limits: Mapping[tuple[int, int], float], classes: tuple[int, ...]) -> FloatArray:
    """Limits by (true class, decision) as a matrix in the order of the classes by rising score."""
    matrix = np.full((len(classes), len(classes)), np.inf)
    for (k, m), limit in limits.items():
        matrix[classes.index(k), classes.index(m)] = limit
    return matrix
