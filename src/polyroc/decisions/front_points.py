"""The verb `operate` on a front: the cheapest rule on its cases, the cheapest within limits, or a given point."""

from collections.abc import Mapping
from functools import partial
from math import nan
from typing import Any, NamedTuple

import numpy as np

from polyroc.decisions.criteria import Objective, limits_text, search_rule
from polyroc.decisions.evaluation import evaluation_cases, operating_point, rates_on
from polyroc.decisions.operating_point import OperatingPoint, Optimality
from polyroc.decisions.rate_matrix import Rates
from polyroc.errors import InputError
from polyroc.fronts.cases import with_both_columns
from polyroc.fronts.result import Front
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.cut_points import EQUAL
from polyroc.messages import Option, short_repr
from polyroc.rules import Rule
from polyroc.scores import Scores
from polyroc.validation.arrays import Missing
from polyroc.validation.costs import as_costs, as_limits, as_priors
from polyroc.validation.random import Rng

__all__ = ["operate_on_front"]


def operate_on_front(
    front: Front,
    point: int | None,
    cost_options: Mapping[str, Any],
    evaluate_on: Any,
    classifier: str | None,
    missing: Missing,
    unused: Mapping[str, Any],
    rng: Rng,
) -> OperatingPoint:
    """The best rule on the cases of a front, or a given point, evaluated on other cases if there are any."""
    _require_unused(unused)
    objective = _objective(front, point, **cost_options)
    if point is None:
        chosen = _best_choice(front, objective, np.random.default_rng(rng))
    else:
        place = _checked_point(front, point)
        chosen = _Choice(front.rule(place), front.counts[place], place, None)
    if evaluate_on is not None and chosen.point is not None and front.search is not None:
        evaluate_on = _posteriors(front, chosen.point, evaluate_on)
    others = evaluation_cases(evaluate_on, front.labels, None, {"missing": missing})
    evaluated = None
    if others is not None:
        assert isinstance(others, Scores)
        others = with_both_columns(others)
        if classifier is None and front.classifier in others.classifiers:
            classifier = front.classifier
        evaluated = rates_on(others, chosen.rule, classifier)
    apparent = _rates(front, chosen.counts)
    return operating_point(
        objective, chosen.rule, apparent, evaluated, chosen.optimality, chosen.point, of_front=True
    )


class _Choice(NamedTuple):
    """A rule with its counts on the cases of the front, and its position in the front; None if it is no point."""

    rule: Rule
    counts: IntArray
    point: int | None
    optimality: Optimality | None


def _require_unused(options: Mapping[str, Any]) -> None:
    used = [name for name, value in options.items() if value is not None]
    if used:
        raise InputError(
            Option(used[0]),
            " cannot be used with a front, whose cases have been counted; use ",
            Option("costs"),
            ", ",
            Option("priors"),
            " and ",
            Option("at_most"),
            ", or ",
            Option("point"),
            ", and ",
            Option("evaluate_on"),
            " for other cases.",
        )


def _posteriors(front: Front, point: int, evaluate_on: Any) -> tuple[Any, Any]:
    """The true classes, and the posteriors that the classifier of a point of a searched front predicts."""
    if not isinstance(evaluate_on, tuple) or len(evaluate_on) != 2:
        raise InputError(
            Option("evaluate_on"),
            f" must be (X, y) for a front that was searched, got {short_repr(evaluate_on)}.",
        )
    X, y = evaluate_on
    return y, front.deploy(point).posteriors(X)


def _objective(front: Front, point: Any, *, costs: Any, priors: Any, at_most: Any, at_least: Any) -> Objective:
    """The objective for a point of the front; priors are by default the class shares of its cases."""
    limit = "at_least" if at_most is None else "at_most"
    if point is not None and not (at_most is None and at_least is None):
        raise InputError(
            Option("point"), " selects the operating point, so ", Option(limit), " has no effect; omit one."
        )
    totals = front.counts[0].sum(axis=1)
    shares = totals / totals.sum()
    limits = as_limits(at_most, front.labels, at_least)
    words = "least expected cost on the front" if point is None else f"point {point} of the front"
    objective = Objective(
        words=words + limits_text(front.classes, limits),
        costs=as_costs(costs, front.labels),
        priors=shares if priors is None else as_priors(priors, front.labels),
        limits=limits,
        training_priors=shares,
        criterion=None,
        priors_given=priors is not None,
        calibrated=False,
    )
    if not objective.losses.any():
        raise InputError("With these priors no error has a cost, so all points are equally good.")
    return objective


def _best_choice(front: Front, objective: Objective, rng: np.random.Generator) -> _Choice:
    """The best point; or a cheaper rule that a search on the cases of the front finds, if it holds them.

    The search is that of `operate` on these cases, so that the rule is never worse, and line searches that start
    at the best point.
    """
    excess = _excess(front.rates, objective.limits)
    place = _best_point(front, objective, excess)
    point = _Choice(front.rule(place), front.counts[place], place, "proven" if front.exact else "best point")
    if not front.exact and front.scores is not None:
        values = front.scores.values[front.classifier]
        rule, optimality, satisfied = search_rule(front.scores, values, objective, rng, front.costs[place])
        counts = front.counts_of(rule)
        assert counts is not None
        gain = _cost(point.counts, objective) - _cost(counts, objective)
        if satisfied and (excess.all() or gain > EQUAL):
            return _Choice(rule, counts, None, optimality)
        # no proof is about a point that is better than the rule proven to be the best up to rounding
        point = point._replace(optimality=optimality if abs(gain) <= EQUAL else "best found")
    if excess.all():
        raise InputError(_infeasible(front, front.rates, objective.limits, excess))
    return point


def _cost(counts: IntArray, objective: Objective) -> Any:
    """The expected cost of points, in the largest loss, so that tolerances do not depend on the unit of costs."""
    rates = counts / counts.sum(axis=-1, keepdims=True)
    return (objective.losses / objective.losses.max() * rates).sum(axis=(-1, -2))


def _best_point(front: Front, objective: Objective, excess: FloatArray) -> int:
    """The position of the point of least excess over the limits and, of those, of least expected cost.

    Of points whose costs are equal up to rounding, the one with the smallest sum of error rates; of those, the
    first in the front.
    """
    cost = np.where(excess > excess.min(), np.inf, _cost(front.counts, objective))
    errors = 1.0 - np.eye(len(front.classes))
    cheapest = np.flatnonzero(cost <= cost.min() + EQUAL)
    fewest = (errors * front.rates[cheapest]).sum(axis=(1, 2))
    return int(cheapest[np.argmax(fewest <= fewest.min() + EQUAL)])


def _checked_point(front: Front, point: Any) -> int:
    is_integer = isinstance(point, int | np.integer) and not isinstance(point, bool)
    if not is_integer or not 0 <= point < len(front):
        raise InputError(
            Option("point"),
            f" must be a position in the front, from 0 to {len(front) - 1}, got {short_repr(point)}.",
        )
    return int(point)


def _excess(rates: FloatArray, limits: Mapping[tuple[int, int], float]) -> FloatArray:
    """The sum of the excesses of each point over the limits, apart from rounding."""
    excess = np.zeros(len(rates))
    for (k, m), limit in limits.items():
        beyond = limit - rates[:, k, m] if k == m else rates[:, k, m] - limit
        excess += np.maximum(beyond - EQUAL, 0.0)
    return excess


def _infeasible(
    front: Front, rates: FloatArray, limits: Mapping[tuple[int, int], float], excess: FloatArray
) -> str:
    """The message if no point is within the limits: the rates of the nearest one."""
    nearest, names = rates[int(np.argmin(excess))], front.classes
    rates_text = ", ".join(
        f"{nearest[k, m]:.4g} of {names[k]!r} classified as {names[m]!r} "
        f"(at {'least' if k == m else 'most'} {limit:g})"
        for (k, m), limit in limits.items()
    )
    draw = "" if front.exact else "draw more costs for the front, "
    return (
        f"No point of this front satisfies the limits; the nearest has {rates_text}. Relax them, {draw}or use a "
        "better classifier."
    )


def _rates(front: Front, tallies: IntArray) -> Rates:
    """The confusion rates of a rule on the cases of the front, with their standard errors.

    A case of weight w counts as w cases, as in the front itself.
    """
    counts = tallies.astype(np.float64)
    totals = counts.sum(axis=1)
    rates = counts / totals[:, None]
    degrees_of_freedom = np.where(totals > 1, totals - 1.0, nan)
    return Rates(
        classifier=front.classifier,
        classes=front.classes,
        rates=rates,
        standard_errors=np.sqrt(rates * (1.0 - rates) / degrees_of_freedom[:, None]),
        counts=counts,
        fewest=totals,
        provenance=front.provenance,
        _variance=partial(_multinomial_variance, rates, totals, front.provenance.sampling == "cohort"),
    )


def _multinomial_variance(
    rates: FloatArray, totals: FloatArray, cohort: bool, gradient: FloatArray, slopes: FloatArray | None = None
) -> float:
    """The variance of the sum of rates times `gradient`, and of the shares of the classes times `slopes` if any.

    Each class is a multinomial sample, and so are all cases together.
    """
    degrees_of_freedom = np.where(totals > 1, totals - 1.0, nan)
    mean = (rates * gradient).sum(axis=1)
    by_class = (rates * (gradient - mean[:, None]) ** 2).sum(axis=1) / degrees_of_freedom
    within_classes = float(by_class[gradient.any(axis=1)].sum())
    if slopes is None or not cohort:
        return within_classes
    priors = totals / totals.sum()
    return within_classes + float(priors @ (slopes - priors @ slopes) ** 2 / (totals.sum() - 1.0))
