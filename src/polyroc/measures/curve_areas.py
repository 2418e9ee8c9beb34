"""Areas of curves other than the ROC curve: average precision, and the area under the cost curve."""

from functools import cache

import numpy as np

from polyroc.estimates.boundary import Boundary
from polyroc.estimates.intervals import PSEUDO_OBSERVATIONS
from polyroc.kernels.arrays import FloatArray, inner_product
from polyroc.kernels.curves import upper_hull
from polyroc.measures.measure import Measure, always
from polyroc.measures.ranking import positive_highest
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Errors, Shares, Statistic, Strata
from polyroc.measures.sweep import Sweep

__all__ = ["CURVE_AREAS", "average_precision", "cost_area"]

TINY = np.finfo(np.float64).tiny  # a share of a class that is 0 beside a heavy one
SELECTED_EDGES = 1.5  # bias for edges selected on the sample, relative to edges fixed in advance; see `_optimism`


def average_precision(sample: Sample) -> Statistic:
    """Average precision: the sum over thresholds of (increase of recall) x (precision there), not interpolated.

    With T and F the true and the false positive rate and pi the prevalence, precision is
    P = pi T / (pi T + (1 - pi) F). A positive at threshold k contributes P_k and changes the precision at all
    lower thresholds; a negative does only the latter. The components are these derivatives of the value, so the
    standard error is the linearised one.

    One negative above m positives leaves them the precisions k / (k + 1), k = 1 to m, and lowers the value by the
    mean of 1 / (k + 1), about log(1 + m) / m: several times its effect on the area under the ROC curve. `reach`
    passes this to the interval, which then assumes fewer cases than there are.
    """
    sweep = Sweep(sample)
    pi, t, f = sweep.prevalence, sweep.tpr[1:], sweep.fpr[1:]
    rise = np.diff(sweep.tpr)
    called = pi * t + (1.0 - pi) * f
    safe = np.where(called > 0, called, 1.0)
    precision = np.where(called > 0, pi * t / safe, 1.0)
    value = inner_product(rise, precision)

    def sum_from(change: FloatArray) -> FloatArray:
        """The sum over this and all lower thresholds."""
        return np.cumsum((rise * change)[::-1])[::-1]

    slope = pi * (1.0 - pi) / safe**2  # dP/dT = slope F, dP/dF = -slope T
    positive, negative = precision + sum_from(slope * f), sum_from(-slope * t)

    def shares() -> Shares:
        """Derivatives with respect to the shares of positives and negatives, which act through the precision."""
        both = inner_product(rise, t * f / safe**2)
        by_positives, by_negatives = (1.0 - pi) * both, -pi * both
        influence = (
            (positive - inner_product(rise, positive)) / max(pi, TINY) + by_positives,
            (negative - inner_product(np.diff(sweep.fpr), negative)) / max(1.0 - pi, TINY) + by_negatives,
        )
        slopes = np.empty(2)
        slopes[list(sweep.classes)] = by_positives, by_negatives
        return Shares(slopes, float(np.ptp(np.concatenate(influence))))

    def strata() -> Strata:
        odds = (1.0 - pi) / pi if pi > 0 else 1.0
        # m x (mean loss of precision by one negative above all m positives), for negatives of weight `odds`
        loss = odds * float(np.log1p(sweep.called[1][-1] / odds)) if odds > 0 else 0.0
        return sweep.strata(positive, negative, reach=(None, max(1.0, loss)))

    return Statistic(value, strata, shares=shares)


def cost_area(sample: Sample) -> Statistic:
    """The area under the lower envelope of the cost lines: the mean over probability-costs of the least cost.

    With p the probability-cost of the positive class, a positive is misclassified while p is below p_i, where the
    envelope passes to the hull vertex that includes it, and contributes p_i^2 / 2; a negative is misclassified
    from there on and contributes (1 - p_i)^2 / 2. The choice of the vertex is a minimum, so it has no effect to
    first order, and these are the components. The trivial classifiers have the area 1/4.

    To second order the choice matters: the minimum over a sample is too small, most of all with few cases. The
    interval accounts for it (`_optimism`).
    """
    sweep = Sweep(sample)
    vertices = upper_hull(sweep.fpr, sweep.tpr)
    right, up = np.diff(sweep.fpr[vertices]), np.diff(sweep.tpr[vertices])
    from_p = np.repeat(right / (right + up), np.diff(vertices))
    missed, called = from_p**2 / 2.0, (1.0 - from_p) ** 2 / 2.0
    value = inner_product(np.diff(sweep.tpr), missed) + inner_product(np.diff(sweep.fpr), called)
    strata = cache(lambda: sweep.strata(missed, called))

    def boundary(errors: Errors) -> Boundary:
        m, n = (errors.units(stratum) for stratum in strata())
        return Boundary(value, _optimism(right, up, n, m), _unseen_variance(right, up, n, m))

    return Statistic(value, strata, boundary=boundary)


def _optimism(right: FloatArray, up: FloatArray, n: float, m: float) -> float:
    """The bias of the area: by how much it is expected to be too small, for n negatives and m positives.

    An edge of the hull along which the false positive rate rises by x and the true positive rate by y contributes
    x y / (2 (x + y)). For edges fixed in advance the bias is half the trace of the second derivatives times the
    covariance of (x, y), shares of n and m cases; an edge without a case of one class counts half a case. The
    edges are selected where the sample curve is high, which adds half as much again: the maximum M of Brownian
    motion with a parabolic drift, which a concave majorant is locally (Groeneboom, Probability Theory and Related
    Fields 81 (1989) 79-109), grows with the power 4/3 of the noise, and is 3/2 of the value for fixed edges.
    """
    x, y = np.maximum(right, PSEUDO_OBSERVATIONS / n), np.maximum(up, PSEUDO_OBSERVATIONS / m)
    trace = up**2 * x * (1.0 - right) / max(n - 1.0, 1.0) + right**2 * y * (1.0 - up) / max(m - 1.0, 1.0)
    return SELECTED_EDGES * float((trace / (2.0 * (right + up) ** 3)).sum())


def _unseen_variance(right: FloatArray, up: FloatArray, n: float, m: float) -> float:
    """The variance that half a case of either class adds along each edge where none was observed."""
    from_p = right / (right + up)
    total = 0.0
    for share, cost, cases in ((right, (1.0 - from_p) ** 2 / 2.0, n), (up, from_p**2 / 2.0, m)):
        centred = cost - inner_product(share, cost)
        total += PSEUDO_OBSERVATIONS * float((centred[share == 0] ** 2).sum()) / cases**2
    return total


CURVE_AREAS = (
    Measure(
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
        curve_area="pr",
    ),
    Measure(
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
        best_ranks=positive_highest,
        curve_area="cost",
    ),
)
