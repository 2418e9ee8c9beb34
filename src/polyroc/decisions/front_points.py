"""From a front to one of its points: the cheapest, the cheapest within limits, or the one that is named."""

from collections.abc import Mapping
from functools import partial
from math import nan
from typing import Any

import numpy as np

from polyroc.decisions.criteria import EQUAL, Aim, within
from polyroc.decisions.rate_matrix import Rates
from polyroc.errors import InputError
from polyroc.fronts.result import Front
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import short_repr
from polyroc.validation.costs import as_costs, as_limits, as_priors

__all__ = ["front_aim", "pick", "rates_at"]


def front_aim(front: Front, *, costs: Any, priors: Any, at_most: Any, point: Any) -> Aim:
    """Settle what a point of the front is to be best at; classes are as frequent as in its cases by default."""
    if point is not None and at_most is not None:
        raise InputError("point names the operating point, so at_most has nothing to choose; leave out one.")
    totals = front.counts[0].sum(axis=1)
    shares = totals / totals.sum()
    limits = as_limits(at_most, front.labels)
    words = "least expected cost on the front" if point is None else f"point {point} of the front"
    aim = Aim(
        words=words + within(front.classes, limits),
        costs=as_costs(costs, front.labels),
        priors=shares if priors is None else as_priors(priors, front.labels),
        limits=limits,
        training_priors=shares,
        criterion=None,
        priors_given=priors is not None,
        calibrated=False,
    )
    if not aim.losses.any():
        raise InputError("With these priors no error costs anything, so every point is as good as any other.")
    return aim


def pick(front: Front, aim: Aim, point: Any = None) -> int:
    """The place of the point in the front.

    The least expected cost among the points that keep the limits; of those that cost the same but for rounding,
    the one with the smallest sum of error rates; of those, the first in the front.
    """
    if point is not None:
        return _named(front, point)
    rates = front.rates
    excess = _excess(rates, aim.limits)
    if excess.all():
        raise InputError(_unreached(front, rates, aim.limits, excess))
    losses = aim.losses / aim.losses.max()  # what is small is then small whatever the currency
    cost = np.where(excess > 0.0, np.inf, (losses * rates).sum(axis=(1, 2)))
    errors = 1.0 - np.eye(len(front.classes))
    cheapest = np.flatnonzero(cost <= cost.min() + EQUAL)
    fewest = (errors * rates[cheapest]).sum(axis=(1, 2))
    return int(cheapest[np.argmax(fewest <= fewest.min() + EQUAL)])


def _named(front: Front, point: Any) -> int:
    whole = isinstance(point, int | np.integer) and not isinstance(point, bool)
    if not whole or not 0 <= point < len(front):
        raise InputError(
            f"point must be the place of a point in the front, from 0 to {len(front) - 1}, got "
            f"{short_repr(point)}."
        )
    return int(point)


def _excess(rates: FloatArray, limits: Mapping[tuple[int, int], float]) -> FloatArray:
    """By how much each point is above the limits, but for rounding, added up."""
    excess = np.zeros(len(rates))
    for (k, m), limit in limits.items():
        excess += np.maximum(rates[:, k, m] - limit - EQUAL, 0.0)
    return excess


def _unreached(
    front: Front, rates: FloatArray, limits: Mapping[tuple[int, int], float], excess: FloatArray
) -> str:
    """What the point nearest to the limits has."""
    nearest, names = rates[int(np.argmin(excess))], front.classes
    told = ", ".join(
        f"{nearest[k, m]:.4g} of {names[k]!r} called {names[m]!r} (at most {limit:g})"
        for (k, m), limit in limits.items()
    )
    draw = "" if front.exact else "draw more costs for the front, "
    return (
        f"No point of this front keeps at_most; the nearest has {told}. Allow more, {draw}or find a better "
        "classifier."
    )


def rates_at(front: Front, point: int) -> Rates:
    """The confusion rates of a point on the cases of the front, with their error bars.

    A case of weight w counts as w cases, as in the front itself.
    """
    counts = front.counts[point].astype(np.float64)
    totals = counts.sum(axis=1)
    rates = counts / totals[:, None]
    free = np.where(totals > 1, totals - 1.0, nan)
    return Rates(
        classifier=front.classifier,
        classes=front.classes,
        rates=rates,
        standard_errors=np.sqrt(rates * (1.0 - rates) / free[:, None]),
        counts=counts,
        fewest=totals,
        provenance=front.provenance,
        _variance=partial(_multinomial_variance, rates, totals),
    )


def _multinomial_variance(
    rates: FloatArray, totals: FloatArray, gradient: FloatArray, slopes: FloatArray | None = None
) -> float:
    """The variance of the sum of rates times `gradient`, and of the shares of the classes times `slopes` if any.

    Each class is a multinomial sample, and so are all cases together.
    """
    free = np.where(totals > 1, totals - 1.0, nan)
    mean = (rates * gradient).sum(axis=1)
    by_class = (rates * (gradient - mean[:, None]) ** 2).sum(axis=1) / free
    within = float(by_class[gradient.any(axis=1)].sum())
    if slopes is None:
        return within
    priors = totals / totals.sum()
    return within + float(priors @ (slopes - priors @ slopes) ** 2 / (totals.sum() - 1.0))
