"""Measures of one score for classes that have an order: volumes under the ROC surface."""

from functools import cache
from math import factorial

import numpy as np

from polyroc.kernels.chains import chain_components, chain_states, levels, shares_by_level
from polyroc.measures.measure import Measure, always
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic, Stratum

__all__ = ["ORDERED", "vus"]


def vus(sample: Sample) -> Statistic:
    """Volume under the ordered ROC surface: the chance that one case per class is put in the right order.

    VUS = P(X_1 < X_2 < ... < X_c) with one random case of each class, in the order of `labels`; a block of m equal
    scores counts 1/m!. For two classes it is the AUC; a constant score gets 1/c! (Nakas & Yiannoutsos 2004). Value
    and components come from one dynamic programme over the distinct scores (Waegeman et al. 2008, with ties).
    """
    classes = range(sample.classes)
    sizes = [len(sample.sorted(k)) for k in classes]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    weights = [np.ones(sizes[k]) if (w := sample.weights(k)) is None else w for k in classes]
    rank = levels(np.concatenate([sample.sorted(k) for k in classes]), starts)
    table = shares_by_level(rank, starts, np.concatenate([w / w.sum() for w in weights]))
    states = chain_states(table)

    def stratum(k: int) -> Stratum:
        return Stratum(found()[rank[starts[k] : starts[k + 1]], k], lambda: sample.sorted_cases(k))

    found = cache(lambda: chain_components(table, states))
    return Statistic(float(states[-1, -1]), lambda: tuple(stratum(k) for k in classes))


def _chance(classes: int) -> float:
    return 1.0 / factorial(classes)


ORDERED = (
    Measure(
        key="vus",
        name="volume under the ordered ROC surface",
        symbol="VUS",
        needs="ordered",
        classes=(2, None),
        range=always((0.0, 1.0)),
        chance=_chance,
        paper="Nakas & Yiannoutsos (2004); Scurfield (1996)",
        compute=vus,
        symmetric=False,
    ),
)
