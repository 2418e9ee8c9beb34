"""The CORP decomposition of proper scores and the reliability curve (Dimitriadis, Gneiting & Jordan 2021).

Isotonic regression of what happened on the predicted probability, by pooling adjacent violators, gives
recalibrated probabilities without bins or other choices. A mean score is then

    miscalibration - discrimination + uncertainty

the first being what recalibration gains, the second what recalibrated probabilities gain over the share of events
(`polyroc.reliability.score_terms`).
"""

from dataclasses import dataclass
from math import isfinite, nan
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from polyroc.estimates.intervals import interval, student_z
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.isotonic import isotonic, isotonic_rows
from polyroc.reliability.events import Event
from polyroc.reliability.score_terms import BRIER, RULES, Outcomes, Rule, terms

__all__ = [
    "Bands",
    "Decomposition",
    "Fit",
    "Part",
    "Simulation",
    "effective_cases",
    "fit_isotonic",
    "simulate",
    "term_influence",
]

MOST_GROUPS = 1024  # of neighbouring predictions in simulations of unweighted cases
GRID = 200  # points at which bands are stated
CELLS_AT_ONCE = 2**22  # of simulated tables
STEP = 1e-6  # of a derivative
PSEUDO_CASES = 4.0  # by which every block of the fit is drawn to the share of events, for simulations


@dataclass(frozen=True, eq=False)
class Fit:
    """Isotonic regression on the distinct predictions, ascending.

    Attributes
    ----------
    p, weight, happened
        The distinct predictions, the weight of their cases, and that of the cases with the event.
    cases
        How many cases of weight above 0 have each.
    fitted
        The recalibrated probabilities.
    """

    p: FloatArray
    weight: FloatArray
    happened: FloatArray
    cases: FloatArray
    fitted: FloatArray

    @property
    def total(self) -> float:
        """The weight of all cases."""
        return float(self.weight.sum())

    def coarse(self, most: int) -> "Fit":
        """Neighbouring predictions joined to about so many groups of equal size, with their mean predictions."""
        if len(self.p) <= most:
            return self
        places = np.cumsum(self.cases) - self.cases / 2.0
        group = np.unique((places / self.cases.sum() * most).astype(np.int64), return_inverse=True)[1]
        weight, happened, cases = (_sums(group, row) for row in (self.weight, self.happened, self.cases))
        p = _sums(group, self.weight * self.p) / weight
        return Fit(p, weight, happened, cases, isotonic(happened, weight))


class Part(NamedTuple):
    """A term of the decomposition: its value, standard error and interval."""

    value: float
    standard_error: float
    low: float
    high: float


class Decomposition(NamedTuple):
    """The terms of a proper score."""

    miscalibration: Part
    discrimination: Part
    uncertainty: Part


class Bands(NamedTuple):
    """The two ends of a pointwise band, and of one that holds everywhere at once."""

    low: FloatArray
    high: FloatArray
    simultaneous_low: FloatArray
    simultaneous_high: FloatArray


class Simulation(NamedTuple):
    """What simulated outcomes tell: a test, decompositions with errors, and consistency bands.

    Attributes
    ----------
    pvalue
        Of the test that miscalibration is 0; nan with groups.
    decomposition, log_loss, spherical
        The terms of the Brier score, of the logarithmic and of the spherical score.
    consistency
        The consistency bands; None with groups.
    bias
        By how much miscalibration and discrimination of the Brier score are too large; 0 if unknown.
    n
        Number of simulated samples; 0 with groups.
    """

    pvalue: float
    decomposition: Decomposition
    consistency: Bands | None
    log_loss: Decomposition | None = None
    spherical: Decomposition | None = None
    bias: tuple[float, float] = (0.0, 0.0)
    n: int = 0


def fit_isotonic(event: Event) -> Fit:
    """Isotonic regression of an event on its probability."""
    counted = event.weight > 0
    p, place = np.unique(event.p[counted], return_inverse=True)
    w, y = event.weight[counted], event.y[counted]
    weight, happened = _sums(place, w), _sums(place, w * y)
    return Fit(p, weight, happened, np.bincount(place).astype(np.float64), isotonic(happened, weight))


def _sums(group: IntArray, values: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(group, values), dtype=np.float64)


def simulate(
    event: Event,
    fit: Fit,
    grid: FloatArray,
    n: int,
    level: float,
    rng: np.random.Generator,
    units: tuple[float, float] | None = None,
) -> Simulation:
    """The decompositions with errors, the test of miscalibration 0 and the consistency bands, by simulation.

    Under the hypothesis that the probabilities are right, outcomes are drawn from these: miscalibration is then
    above 0 by chance alone, and the share of draws in which it is as large is the p-value. For the errors, cases
    are drawn with replacement and outcomes from recalibrated probabilities, for which the true terms are known:
    the mean and the standard deviation of simulated minus true terms are bias and standard error (`_part`). Cases
    in groups are dependent, which no draw imitates: standard errors are then those of influence values, and there
    are neither intervals nor bands nor a test. `units` are the effective numbers of cases without and with the
    event, where an engine counted them and `event` holds none.
    """
    if not event.independent:
        brier, log_loss, spherical = (_linear(event, fit, rule) for rule in RULES.values())
        return Simulation(nan, brier, None, log_loss, spherical)
    whole = fit if event.scores.sample_weight is not None else fit.coarse(MOST_GROUPS)
    gains, curves = _under_calibration(whole, grid, n, rng)
    observed = terms(BRIER, whole.p, whole.fitted[None], whole.happened[None], whole.weight[None])[0, 0]
    pvalue = (1.0 + np.count_nonzero(gains["brier"] >= observed - 1e-13)) / (n + 1.0)
    deviations = _resampled(whole, n, rng)
    df = min(event.units if units is None else units) - 1.0
    share = _share(fit, level)
    parts = {
        name: _decomposition(rule, fit, deviations[name], gains[name], share, df, level)
        for name, rule in RULES.items()
    }
    miscalibration, discrimination = deviations["brier"][:2].mean(axis=1).tolist()
    return Simulation(
        pvalue=float(pvalue),
        decomposition=parts["brier"],
        consistency=_envelope(curves, level),
        log_loss=parts["log_loss"],
        spherical=parts["spherical"],
        bias=(miscalibration, discrimination),
        n=n,
    )


def effective_cases(fit: Fit) -> float:
    """The effective number of cases (Kish), as if those of a prediction had the same weight."""
    return float(fit.total**2 / (fit.weight**2 / fit.cases).sum())


def _decomposition(
    rule: Rule, fit: Fit, deviations: FloatArray, gains: FloatArray, share: Part, df: float, level: float
) -> Decomposition:
    """The terms of a score with their intervals, from simulated minus true terms, and from gains by chance."""
    values = terms(rule, fit.p, fit.fitted[None], fit.happened[None], fit.weight[None])[:2, 0]
    chance = gains, deviations[1]
    miscalibration, discrimination = (
        _part(float(value), deviation, by_chance, df, level, largest)
        for value, deviation, by_chance, largest in zip(values, deviations[:2], chance, rule.largest, strict=True)
    )
    return Decomposition(miscalibration, discrimination, _uncertainty(rule, share, deviations[2]))


def _part(
    value: float, deviation: FloatArray, by_chance: FloatArray, df: float, level: float, largest: float
) -> Part:
    """A term with its interval by Student's t around the value without its bias.

    How large the bias is depends on the true curve: an isotonic fit of one that rises steadily gains more by
    chance than that of one that is flat in pieces, and cases do not tell which it is. The fit itself, from which
    outcomes are drawn, is flat in pieces. The lower end therefore subtracts the simulated bias, or if that is
    larger, what is gained by chance where the predictions are right, which rise steadily; the upper end subtracts
    half of the simulated bias.
    """
    if not isfinite(value) or not np.isfinite(deviation).all():
        return Part(value, nan, nan, nan)
    bias, error = float(deviation.mean()), float(deviation.std(ddof=1))
    if df <= 0:
        return Part(value, error, 0.0, largest)
    reach = student_z(float(-ndtri((1.0 - level) / 2.0)), df) * error
    most = max(bias, bias / 2.0, float(by_chance.mean()) if np.isfinite(by_chance).all() else bias)
    low, high = value - most - reach, value - min(bias, bias / 2.0) + reach
    return Part(value, error, min(max(low, 0.0), largest), min(max(high, 0.0), largest))


def _share(fit: Fit, level: float) -> Part:
    """The share of events with Wilson's interval."""
    value = float(fit.happened.sum() / fit.total)
    return Part(value, nan, *interval(value, nan, (0.0, 1.0), effective_cases(fit), level))


def _uncertainty(rule: Rule, share: Part, deviation: FloatArray) -> Part:
    """The mean score of predicting the share of events, from the interval of the share; largest at 1/2."""
    draws = np.clip(share.value + deviation, 0.0, 1.0)
    value, low, high, largest = rule.uncertainty(np.array([share.value, share.low, share.high, 0.5])).tolist()
    highest = largest if share.low <= 0.5 <= share.high else max(low, high)
    return Part(value, float(rule.uncertainty(draws).std(ddof=1)), min(low, high), highest)


def _under_calibration(
    fit: Fit, grid: FloatArray, n: int, rng: np.random.Generator
) -> tuple[dict[str, FloatArray], FloatArray]:
    """Miscalibration by score of outcomes drawn from the predictions, and the curves at the grid."""
    gains: dict[str, list[FloatArray]] = {name: [] for name in RULES}
    curves = []
    place = np.clip(np.searchsorted(fit.p, grid), 0, len(fit.p) - 1)
    unit = fit.weight / fit.cases
    for rows in _rows(n, len(fit.p)):
        counts = rng.binomial(fit.cases.astype(np.int64), np.clip(fit.p, 0.0, 1.0), (rows, len(fit.p)))
        totals = np.minimum(unit * counts, fit.weight)  # by rounding it could be more, and a share above 1
        fitted = isotonic_rows(totals, fit.weight[None])
        weights = np.broadcast_to(fit.weight, totals.shape)
        for name, rule in RULES.items():
            gains[name].append(terms(rule, fit.p, fitted, totals, weights)[0])
        curves.append(fitted[:, place])
    return {name: np.concatenate(parts) for name, parts in gains.items()}, np.concatenate(curves)


def _resampled(fit: Fit, n: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    """By score, at [term, draw], simulated minus true terms (see `terms`), for recalibrated probabilities."""
    unit, probability = fit.weight / fit.cases, _drawn_together(fit)
    expected = (fit.weight * probability)[None]
    true = {
        name: terms(rule, fit.p, probability[None], expected, fit.weight[None]) for name, rule in RULES.items()
    }
    chances = fit.cases / fit.cases.sum()
    deviations: dict[str, list[FloatArray]] = {name: [] for name in RULES}
    for rows in _rows(n, len(fit.p)):
        counts = rng.multinomial(int(fit.cases.sum()), chances, rows)
        totals, weights = unit * rng.binomial(counts, probability), unit * counts
        outcomes = Outcomes.of(fit.p, isotonic_rows(totals, weights), totals, weights)
        with np.errstate(invalid="ignore"):  # infinite minus infinite
            for name, rule in RULES.items():
                deviations[name].append(outcomes.terms(rule) - true[name])
    return {name: np.concatenate(parts, axis=1) for name, parts in deviations.items()}


def _drawn_together(fit: Fit) -> FloatArray:
    """The recalibrated probabilities, every block of equal ones drawn to the share of events.

    A fit is more extreme than the truth, most at its ends, where blocks are small. Outcomes that are drawn from it
    vary too little, and the terms have too little bias, unless it is drawn together.
    """
    block = np.append(0, np.cumsum(np.diff(fit.fitted) > 0))
    cases = np.bincount(block, fit.cases)[block]
    share = float(fit.happened.sum() / fit.total)
    return np.asarray(np.clip((cases * fit.fitted + PSEUDO_CASES * share) / (cases + PSEUDO_CASES), 0.0, 1.0))


def _rows(n: int, columns: int) -> list[int]:
    """The numbers of draws that are made together."""
    at_once = max(1, CELLS_AT_ONCE // columns)
    return [min(at_once, n - start) for start in range(0, n, at_once)]


def _linear(event: Event, fit: Fit, rule: Rule) -> Decomposition:
    """The terms with standard errors to first order."""
    values = terms(rule, fit.p, fit.fitted[None], fit.happened[None], fit.weight[None])[:, 0]
    influence = term_influence(event, fit, rule)
    share = float(values[2])
    around = np.clip([share - STEP, share, share + STEP], 0.0, 1.0)
    below, values[2], above = rule.uncertainty(around)
    slope = (above - below) / float(np.ptp(around))
    rows = np.vstack([influence, slope * (event.y - share)])
    with np.errstate(invalid="ignore"):  # an infinite log loss has no error
        errors = np.sqrt(np.diag(event.covariance(rows))).tolist()
    return Decomposition(*(Part(float(v), float(e), nan, nan) for v, e in zip(values, errors, strict=True)))


def term_influence(event: Event, fit: Fit, rule: Rule = BRIER) -> FloatArray:
    """At [term, case], the influence on miscalibration and discrimination, in which the fit has no share.

    The fit minimises the loss, so that its own variation is of second order.
    """
    fitted = fit.fitted[np.clip(np.searchsorted(fit.p, event.p), 0, len(fit.p) - 1)]
    share = float(np.average(event.y, weights=event.weight))

    def loss(forecast: FloatArray) -> FloatArray:
        return np.where(event.y, rule.happened(forecast), rule.otherwise(forecast))

    after = np.where(event.weight > 0, loss(fitted), 0.0)  # of weight 0, an outcome that the fit excludes
    with np.errstate(invalid="ignore"):
        influence = np.stack([loss(event.p) - after, loss(np.full(len(event.p), share)) - after])
        return np.asarray(influence - np.average(influence, axis=1, weights=event.weight)[:, None])


def _envelope(curves: FloatArray, level: float) -> Bands:
    """The quantiles of simulated curves at each point, and a multiple of them that contains whole curves.

    The simultaneous band reaches c times as far from the median as the quantiles do, with c the quantile of the
    largest ratio of a curve's deviation to that of the quantiles (ranks would need far more curves). Where curves
    hardly vary, such as at the ends, the deviation of the quantiles is at least its median over the points.
    """
    low, middle, high = np.quantile(curves, [(1.0 - level) / 2.0, 0.5, (1.0 + level) / 2.0], axis=0)
    below, above = (np.maximum(reach, np.median(reach)) + 1e-9 for reach in (middle - low, high - middle))
    away = curves - middle
    c = max(1.0, float(np.quantile(np.maximum(away / above, -away / below).max(axis=1), level)))
    wide = np.clip(middle - c * below, 0.0, 1.0), np.clip(middle + c * above, 0.0, 1.0)
    return Bands(low, high, *wide)
