"""The polytomous discrimination index: one random case per class, each class by its own column."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import pairwise

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.polytomous import Column, highest
from polyroc.kernels.ranked_lists import places_among
from polyroc.kernels.threads import run_concurrently
from polyroc.measures.measure import Measure, always, one_in_classes
from polyroc.measures.outputs import ClassifierOutputs
from polyroc.measures.sample import MANY, Sample
from polyroc.measures.statistic import Statistic, Strata, Stratum

__all__ = ["POLYTOMOUS", "pdi"]


def _column(sample: Sample, i: int) -> Column:
    """Column i of a sample."""
    if sample.weight is None:
        return Column(sample.ascending(i), sample.starts, i, sample.fixed(_masses))
    masses = [sample.mass(k, i) for k in range(sample.classes)]
    shares = [mass / mass[-1] for mass in masses if mass is not None]
    return Column(sample.ascending(i), sample.starts, i, np.concatenate(shares))


def _mean(values: FloatArray, weights: FloatArray | None) -> float:
    """`np.average`, which without weights takes longer than a hundred cases."""
    if weights is None:
        return float(np.add.reduce(values) / len(values))
    return float(np.average(values, weights=weights))


def _masses(sample: Sample) -> FloatArray:
    """For each class its share up to each of its sorted cases, from 0 to 1, without weights."""
    return np.concatenate([np.arange(size + 1) / size for size in np.diff(sample.starts).tolist()])


def pdi(sample: Sample) -> Statistic:
    """Polytomous discrimination index: the chance that a class's own case is recognised among one case per class.

    PDI_i is the probability that, of one random case of each class, the one of class i has the largest p_i; where
    m others tie with it, it counts 1/(1 + m). PDI is the mean of the PDI_i; a constant score gets 1/c. For two
    classes PDI_i is the AUC of column i, and PDI is Hand & Till's M (Van Calster et al. 2012).

    Parts: PDI_i by the name of class i.
    """
    c = sample.classes
    column: Callable[[int], Column] = partial(_column, sample)
    if sample.components_wanted:
        column = cache(column)
        if sample.values.size >= MANY:  # argsorted first, they need no sort
            _ = sample.all_orders
    values = [_mean(column(i).highest, sample.weights(i, i)) for i in range(c)]

    def components(i: int, totals: FloatArray) -> None:
        column(i).add_components(sample.all_orders[i], totals)

    def strata() -> Strata:
        totals, _ = np.zeros((c, len(sample.values))), sample.all_orders
        run_concurrently(lambda i: components(i, totals[i]), c, sample.values.size)
        return _strata(sample, totals.sum(axis=0) / c)

    def of_class(i: int) -> Strata:
        totals = np.zeros(len(sample.values))
        components(i, totals)
        return _strata(sample, totals)

    def parts() -> Mapping[str, Statistic]:
        return {name: Statistic(values[i], partial(of_class, i)) for i, name in enumerate(sample.names)}

    return Statistic(_mean(np.array(values), None), strata, parts)


def _strata(sample: Sample, components: FloatArray) -> Strata:
    blocks = enumerate(pairwise(sample.starts.tolist()))
    return tuple(Stratum(components[start:stop], partial(sample.cases, k)) for k, (start, stop) in blocks)


def _bulk(outputs: ClassifierOutputs) -> FloatArray:
    """PDI of many outputs at once."""
    c, total = outputs.classes, np.zeros(len(outputs))
    for i in range(c):
        x = outputs.of(i, i)
        places = [places_among(x, outputs.of(j, i)) for j in range(c) if j != i]
        sizes = np.array([size for j, size in enumerate(outputs.sizes) if j != i])
        below = np.stack([lower for lower, _ in places], axis=-1).reshape(-1, c - 1) / sizes
        tied = np.stack([upper - lower for lower, upper in places], axis=-1).reshape(-1, c - 1) / sizes
        total += highest(below, tied).reshape(x.shape).mean(axis=1)
    return total / c


POLYTOMOUS = (
    Measure(
        key="pdi",
        name="polytomous discrimination index",
        symbol="PDI",
        needs="columns",
        classes=(2, None),
        range=always((0.0, 1.0)),
        chance=one_in_classes,
        paper="Van Calster, Van Belle, Vergouwe, Timmerman, Van Huffel & Steyerberg (2012)",
        compute=pdi,
        degree=int,
        linear=True,
        bulk=_bulk,
    ),
)
