"""The uncertainty of a chosen threshold: the choice is repeated in resamples, and rates are corrected for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from polyroc._results.codec import STORED_IF_SET, Record
from polyroc._results.invariants import Invariants, at_least
from polyroc.decisions.cut_points import CutProblem, Rechosen, ScoreOrder
from polyroc.decisions.rate_matrix import Rates
from polyroc.decisions.required_rates import RequiredRate, determining_class, threshold_ranges
from polyroc.errors import UndefinedMeasureWarning, warn
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.inference.methods.method import Method
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.measures.sample import Sample
from polyroc.scores import Scores
from polyroc.validation.arguments import checked_level
from polyroc.validation.signatures import validated

__all__ = ["ThresholdUncertainty", "corrected_rates", "rechoose", "warn_of_left_out"]

CUBE_ROOT = 2.0 ** (1.0 / 3.0)  # the optimism of a threshold of least loss, over that of its resamples
# The squared coefficient of variation of that optimism, as it is estimated from the resamples of one sample.
OPTIMISM_VARIATION = 0.45


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdUncertainty(Record):
    """The thresholds chosen in resamples of the cases, and how optimistic the rates at a chosen threshold are.

    Attributes
    ----------
    low, high
        At [threshold, resample]: the range of thresholds that are best in the resample, or worse by no more than
        one case; those above `low`, up to `high`. The best one is among them. If a required rate determines the
        threshold, the range in which it lies at as many equally likely counts of cases below it
        (`polyroc.decisions.required_rates`). Empty for a rule without thresholds.
    optimism
        At [class, decision]: the expected amount by which the rate of the chosen rule is larger on the cases it
        was chosen on than on new cases.
    left_out
        Number of resamples in which there was nothing to choose: a class was not drawn, or no threshold is within
        the limits.
    method
        How the cases were resampled.
    choices
        Of a rule without thresholds, the number of resamples in which one was chosen; None for thresholds.
    """

    low: FloatArray
    high: FloatArray
    optimism: FloatArray
    left_out: int
    method: str
    choices: int | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        dimensions = 2 if self.choices is None else 1
        same = self.low.shape == self.high.shape and self.low.ndim == dimensions
        yield (
            same and (self.choices is None or not self.low.size),
            "low and high must have a row per threshold and a number per resample",
        )
        yield not (self.low > self.high).any(), "low must not be above high"
        yield self.optimism.ndim == 2, "optimism must be a matrix"
        yield at_least([self.left_out, self.choices or 0], 0), "left_out and choices must be 0 or more"

    @property
    def resamples(self) -> int:
        """Number of resamples in which a rule was chosen."""
        return int(self.low.shape[1]) if self.choices is None else self.choices

    @validated
    def confidence_intervals(self, level: float = 0.95) -> tuple[ConfidenceInterval, ...]:
        """The interval of each threshold: percentiles of `low` for its lower end, of `high` for its upper end."""
        share = (1.0 - checked_level(level)) / 2.0
        if self.resamples < 2 or self.choices is not None:
            return (ConfidenceInterval(np.nan, np.nan),) * len(self.low)
        ends = zip(_quantile(self.low, share), _quantile(self.high, 1.0 - share), strict=True)
        return tuple(ConfidenceInterval(float(low), float(high)) for low, high in ends)

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {"confidence_intervals": [list(ends) for ends in self.confidence_intervals(level)]}


def _quantile(values: FloatArray, share: float) -> FloatArray:
    """By row, an observed value: an infinite threshold has no mean with another."""
    return np.asarray(np.quantile(values, share, axis=1, method="inverted_cdf"))


def rechoose(
    scores: Scores, classifier: str, order: ScoreOrder, problem: CutProblem, method: Method, apparent: Rates
) -> tuple[ThresholdUncertainty, Rates]:
    """Repeat the choice in resamples: the uncertainty of the thresholds, and rates corrected for optimism.

    The optimism of a resample is the rate there minus the rate of the same rule on all cases: it varies as the
    rate on the cases at hand does around the rate of the chosen rule on new cases. Its mean is subtracted from the
    rates, its variance is theirs.

    If a required rate determines the threshold of two classes, it is a quantile: its interval and that of the rate
    are by order statistics (`polyroc.decisions.required_rates`).

    A threshold that minimises a loss has an error of the order n^(-1/3) (Kim & Pollard 1990): it is where a random
    walk Z, minus a parabola, is highest, and the optimism is E Z there. In resamples the walk is Z + Z*, which is
    2^(1/2) times as large, so its highest value is 2^(2/3) times as large, and half of it is due to Z*: the mean
    optimism of resamples is 2^(2/3) / 2 = 2^(-1/3) of what it estimates. It is multiplied by 2^(1/3), unless
    limits determine the threshold, which is then a quantile and has no such bias.

    The estimated optimism has an error of its own: it depends on the steps of Z near the threshold. All of Z
    scales together, so the error is proportional to the optimism, whatever the distributions. The factor is from
    simulations with normal, exponential and Laplace distributions: without it, standard errors were those of the
    uncorrected rates.

    Parameters
    ----------
    scores, classifier
        The cases, and the classifier to use.
    order, problem
        The cases by rising score, and the objective.
    method
        One that resamples.
    apparent
        The rates on the cases on which the rule was chosen.

    References
    ----------
    Kim & Pollard, Annals of Statistics 18 (1990) 191-219.
    """
    method = method.for_shares(problem.shares_as_priors, scores)
    replicates = _replicates(scores, classifier, order, problem, method)
    left_out = warn_of_left_out(replicates.chosen, "threshold")
    low, high, optimism = (values[replicates.chosen] for values in replicates[:3])
    mean = optimism.mean(axis=0) if len(optimism) else np.zeros_like(apparent.rates)
    sources = [optimism]
    if not np.isfinite(problem.limits).any():
        mean = CUBE_ROOT * mean
        # two replicates, whose variance is OPTIMISM_VARIATION times the square
        sources.append(np.sqrt(OPTIMISM_VARIATION / 2.0) * np.stack([mean, -mean]))
    low, high, corrected = low.T, high.T, corrected_rates(apparent, apparent.rates - mean, sources, method)
    if (apparent.rates[:, order.classes[0]] == 1.0).all():
        # An infinite threshold: the decision does not depend on the score, so its rates are known.
        mean, corrected = np.zeros_like(mean), replace(apparent, provenance=corrected.provenance)
    k = determining_class(order, problem)
    if k is not None:
        required = _required_rate(apparent, order.classes[k], float(order.sizes[k]))
        corrected = replace(corrected, required=required)
        low, high = (ends[None, :] for ends in threshold_ranges(order, problem, k, required.cases, low.shape[1]))
    return ThresholdUncertainty(low, high, mean, left_out, repr(method)), corrected


def _required_rate(apparent: Rates, k: int, size: float) -> RequiredRate:
    """The rate that determined the threshold, of as many independent cases as have its variance, up to `size`."""
    observed, error = float(apparent.rates[k, k]), float(apparent.standard_errors[k, k])
    cases = observed * (1.0 - observed) / error**2 + 1.0 if error > 0 else float(apparent.fewest[k])
    return RequiredRate(apparent.classes[k], observed, max(1.0, min(cases, size)))


def warn_of_left_out(chosen: BoolArray, what: str) -> int:
    """The number of resamples in which nothing could be chosen, with a warning if there are any."""
    left_out = int((~chosen).sum())
    if left_out:
        warn(
            f"{left_out} of {len(chosen)} resamples have no {what} (a class was not drawn, or none is within the "
            "limits); they are left out. More cases avoid it.",
            UndefinedMeasureWarning,
        )
    return left_out


def _replicates(
    scores: Scores, classifier: str, order: ScoreOrder, problem: CutProblem, method: Method
) -> Rechosen:
    sample = Sample(scores, classifier)
    cases = np.concatenate([sample.cases(k) for k in range(sample.classes)])  # as the weights come
    places = np.empty(len(cases), dtype=np.int64)
    places[cases] = np.arange(len(cases))
    grouped = replace(order, order=places[order.order])
    c, cuts = len(order.classes), len(order.classes) - 1
    random_shares = problem.shares_as_priors and scores.sampling == "cohort"

    def chunk(weight: FloatArray) -> FloatArray:
        chosen = grouped.rechosen(problem, np.ascontiguousarray(weight, dtype=np.float64), random_shares)
        flat = (chosen.low, chosen.high, chosen.optimism.reshape(-1, c * c), chosen.chosen[:, None])
        return np.concatenate(flat, axis=1, dtype=np.float64).T

    rows = method.over_resamples(sample, chunk).T
    optimism = rows[:, 2 * cuts : -1].reshape(-1, c, c)
    return Rechosen(rows[:, :cuts], rows[:, cuts : 2 * cuts], optimism, rows[:, -1] > 0)


def corrected_rates(apparent: Rates, rates: FloatArray, replicates: Sequence[FloatArray], method: Method) -> Rates:
    """Rates other than the apparent ones, their variance the sum of those of the replicates.

    Parameters
    ----------
    apparent
        The rates on the cases on which the rule was chosen.
    rates
        The corrected ones.
    replicates
        Independent sources of error, each at [resample, class, decision].
    method
        How the cases were resampled.
    """
    rates = np.clip(rates, 0.0, 1.0)
    variance = partial(_replicate_variance, apparent, tuple(replicates))
    gradients = np.eye(rates.size).reshape(*rates.shape, *rates.shape)
    errors = np.sqrt([[variance(gradient) for gradient in row] for row in gradients])
    # Nearer to a limit than half a standard error (two standard errors on the logit scale), where a logit interval
    # would reach over most of the range, a rate is taken for the limit, whose interval is Wald's; nearer than a
    # whole one, too, if it was there before: a logit interval would exclude the limit, which nothing contradicts.
    # Its error is at least that of Wilson's interval for so many cases without one on the other side.
    spread = rates * (1.0 - rates)
    at_limit = (2.0 * spread < errors) | ((apparent.rates == np.round(rates)) & (spread < errors))
    rates = np.where(at_limit, np.round(rates), rates)
    errors = np.where(at_limit, np.fmax(errors, 2.0 / (apparent.fewest[:, None] + 4.0)), errors)
    return replace(
        apparent,
        rates=rates / rates.sum(axis=1, keepdims=True),
        standard_errors=errors,
        provenance=replace(apparent.provenance, method=repr(method), seed=method.seed),
        _variance=variance,
    )


def _replicate_variance(
    apparent: Rates, replicates: Sequence[FloatArray], gradient: FloatArray, slopes: FloatArray | None = None
) -> float:
    """The variance of the sum of rates times `gradient`, and of class shares times `slopes` if any.

    Class shares and rates within classes are independent. Not less than the variance for a rule that was given:
    in resamples of one sample, the choice favours the same cases again and again, so that rates vary too little.
    """
    variance = 0.0
    for source in replicates:
        totals = (source * gradient).sum(axis=(1, 2))
        variance += float(totals.var(ddof=1)) if len(totals) > 1 else np.nan
    variance = np.fmax(variance, apparent._variance(gradient, None)) if np.isfinite(variance) else variance
    return variance if slopes is None else variance + apparent._variance(np.zeros_like(gradient), slopes)
