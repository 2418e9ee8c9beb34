"""The area of each kind of curve, as a measure: its value, and the components its error bar is made of."""

from collections.abc import Mapping
from functools import cache

import numpy as np

from polyroc.curves.sweep import Sweep
from polyroc.estimates.boundary import Boundary
from polyroc.estimates.intervals import UNSEEN
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.curves import upper_hull
from polyroc.measures.measure import Measure, always
from polyroc.measures.registry import MEASURES
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Errors, Shares, Statistic, Strata

__all__ = ["AREAS", "average_precision", "cost_area"]


def average_precision(sample: Sample) -> Statistic:
    """Average precision: the sum over thresholds of (rise of recall) x (precision there); no interpolation.

    With T and F the two rates and pi the share of positives, precision is P = pi T / (pi T + (1 - pi) F). A
    positive called at step k moves the sum by P_k and by the precision of all later steps, a negative by the
    latter only: the components are the derivatives of the value, so the standard error is the linearised one.

    One negative above m positives leaves them the precisions k / (k + 1), k = 1 to m, and lowers the value by the
    mean of 1 / (k + 1), about log(1 + m) / m: several times what it costs an area under the ROC curve. So the
    interval counts fewer cases than there are.
    """
    found = Sweep(sample)
    pi, t, f = found.prevalence, found.tpr[1:], found.fpr[1:]
    rise = np.diff(found.tpr)
    called = pi * t + (1.0 - pi) * f
    safe = np.where(called > 0, called, 1.0)
    precision = np.where(called > 0, pi * t / safe, 1.0)
    value = float(rise @ precision)

    def later(change: FloatArray) -> FloatArray:
        return np.cumsum((rise * change)[::-1])[::-1]

    slope = pi * (1.0 - pi) / safe**2
    positive, negative = precision + later(slope * f), later(-slope * t)

    def shares() -> Shares:
        """Derivatives with respect to the shares of positives and negatives, each through the precision alone."""
        both = rise @ (t * f / safe**2)
        up, down = (1.0 - pi) * both, -pi * both
        positives, negatives = sample.effective_shares[list(found.classes)]
        whole = (
            (positive - rise @ positive) / positives + up,
            (negative - np.diff(found.fpr) @ negative) / negatives + down,
        )
        slopes = np.empty(2)
        slopes[list(found.classes)] = up, down
        return Shares(slopes, float(np.ptp(np.concatenate(whole))))

    def strata() -> Strata:
        odds = (1.0 - pi) / pi if pi > 0 else 1.0
        top = odds * float(np.log1p(found.called[1][-1] / odds)) if odds > 0 else 0.0
        return found.strata(positive, negative, reach=max(1.0, top))

    return Statistic(value, strata, shares=shares)


def cost_area(sample: Sample) -> Statistic:
    """The area under the lower envelope of the cost lines: the least expected cost, all probability-costs p alike.

    On the envelope a positive is missed until p reaches the corner of the hull that calls it, at p_i, and costs
    p_i^2 / 2; a negative is called from there on and costs (1 - p_i)^2 / 2. The choice of the corner does not
    matter to first order (it is a minimum), so these are the components. Calling all or nothing costs 1/4.

    To second order it matters: the envelope is the least of what was seen, so the area is too small, most of all
    with few cases. The interval allows for it (`_optimism`).
    """
    found = Sweep(sample)
    corners = upper_hull(found.fpr, found.tpr)
    right, up = np.diff(found.fpr[corners]), np.diff(found.tpr[corners])
    from_p = np.repeat(right / (right + up), np.diff(corners))
    missed, called = from_p**2 / 2.0, (1.0 - from_p) ** 2 / 2.0
    value = float(np.diff(found.tpr) @ missed + np.diff(found.fpr) @ called)
    strata = cache(lambda: found.strata(missed, called))

    def boundary(errors: Errors) -> Boundary:
        m, n = (errors.units(stratum) for stratum in strata())
        return Boundary(value, _optimism(right, up, n, m), _unseen_steps(right, up, n, m))

    return Statistic(value, strata, boundary=boundary)


def _optimism(right: FloatArray, up: FloatArray, n: float, m: float) -> float:
    """By how much the area is expected to be too small, for n negatives and m positives.

    A face of the hull, by which the false positive rate rises by x and the true positive rate by y, costs
    x y / (2 (x + y)). For faces fixed beforehand the bias is half the trace of its second derivatives times the
    covariance of (x, y), the shares of n and m cases; a face without a case of one class counts half a case. The
    faces are chosen where the curve happens to be high, which adds half as much again: the maximum M of Brownian
    motion with a parabolic drift, which a concave majorant is locally (Groeneboom, Probability Theory and Related
    Fields 81 (1989) 79-109), grows with the power 4/3 of the noise, and is 3/2 of what fixed faces tell.
    """
    x, y = np.maximum(right, UNSEEN / n), np.maximum(up, UNSEEN / m)
    spread = up**2 * x * (1.0 - right) / max(n - 1.0, 1.0) + right**2 * y * (1.0 - up) / max(m - 1.0, 1.0)
    return 1.5 * float((spread / (2.0 * (right + up) ** 3)).sum())


def _unseen_steps(right: FloatArray, up: FloatArray, n: float, m: float) -> float:
    """The variance that half a case of either class adds in each face where none was seen."""
    from_p = right / (right + up)
    total = 0.0
    for share, cost, cases in ((right, (1.0 - from_p) ** 2 / 2.0, n), (up, from_p**2 / 2.0, m)):
        away = cost - share @ cost
        total += UNSEEN * float((away[share == 0] ** 2).sum()) / cases**2
    return total


AVERAGE_PRECISION = Measure(
    key="average_precision",
    name="average precision",
    symbol="AP",
    needs="score",
    classes=(2, 2),
    range=always((0.0, 1.0)),
    chance=None,
    paper="Davis & Goadrich (2006)",
    compute=average_precision,
    symmetric=False,
    prevalence=True,
    bins="score",
    bound_rule="precision",
)
COST_AREA = Measure(
    key="cost_area",
    name="area under the cost curve",
    symbol="AUCC",
    needs="score",
    classes=(2, 2),
    range=always((0.0, 0.25)),
    chance=always(0.25),
    paper="Drummond & Holte (2006)",
    compute=cost_area,
    degree=always(1),
    larger_is_better=False,
    symmetric=False,
    bins="score",
    bound_rule="envelope",
    best_ranks=MEASURES["auc"].best_ranks,
)
AREAS: Mapping[str, Measure] = {
    "roc": MEASURES["auc"],
    "det": MEASURES["auc"],
    "pr": AVERAGE_PRECISION,
    "cost": COST_AREA,
}
