"""The polytomous discrimination index: one random case per class, each class by its own column."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.placements import counts_below
from polyroc.kernels.polytomous import highest, highest_without
from polyroc.kernels.ranked_lists import places_among
from polyroc.measures.measure import Measure, always, one_in_classes
from polyroc.measures.outputs import ClassifierOutputs
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic, Strata, Stratum

__all__ = ["POLYTOMOUS", "pdi"]


class _Column:
    """Column i of a sample: how often the case of class i has the largest p_i among one random case per class.

    Attributes
    ----------
    below, tied
        For each case of class i, by ascending p_i: the share of each other class below it, and at its value.
    """

    def __init__(self, sample: Sample, i: int) -> None:
        self.sample, self.i = sample, i
        self.others = [j for j in range(sample.classes) if j != i]
        self.x = sample.sorted(i, i)
        self.below, self.tied = np.empty((2, len(self.x), len(self.others)))
        for place, j in enumerate(self.others):
            below, up_to = counts_below(self.x, sample.sorted(j, i))
            mass = _mass(sample, j, i)
            self.below[:, place] = mass[below]
            self.tied[:, place] = mass[up_to] - mass[below]

    def value(self) -> float:
        """PDI_i."""
        return float(np.average(highest(self.below, self.tied), weights=self.sample.weights(self.i, self.i)))

    def components(self) -> list[FloatArray]:
        """By class, one number per case in the order given: PDI_i if the case of the class is this one."""
        sample, i = self.sample, self.i
        components = [np.empty(len(sample.cases(k))) for k in range(sample.classes)]
        components[i][sample.order(i, i)] = highest(self.below, self.tied)
        share = np.diff(_mass(sample, i, i))[:, None]
        beats, ties = (_added_up(share * table) for table in highest_without(self.below, self.tied))
        for place, j in enumerate(self.others):
            lower, upper = counts_below(sample.sorted(j, i), self.x)
            above = beats[-1, place] - beats[upper, place]
            components[j][sample.order(j, i)] = above + ties[upper, place] - ties[lower, place]
        return components


def _mass(sample: Sample, k: int, column: int) -> FloatArray:
    """The share of class k up to each of its sorted cases, from 0 to 1."""
    mass = sample.mass(k, column)
    if mass is None:
        size = len(sample.sorted(k, column))
        return np.arange(size + 1) / size
    return np.asarray(mass / mass[-1])


def _added_up(table: FloatArray) -> FloatArray:
    """Sums of the first rows: none of them, one, and so on to all."""
    return np.concatenate([np.zeros((1, table.shape[1])), np.cumsum(table, axis=0)])


def pdi(sample: Sample) -> Statistic:
    """Polytomous discrimination index: the chance that a class's own case is recognised among one case per class.

    PDI_i is the probability that, of one random case of each class, the one of class i has the largest p_i; where
    m others tie with it, it counts 1/(1 + m). PDI is the mean of the PDI_i; a constant score gets 1/c. For two
    classes PDI_i is the AUC of column i, and PDI is Hand & Till's M (Van Calster et al. 2012).

    Parts: PDI_i by the name of class i.
    """
    classes = range(sample.classes)
    values = [_Column(sample, i).value() for i in classes]

    def strata() -> Strata:
        total = _Column(sample, 0).components()
        for i in classes[1:]:
            for sums, more in zip(total, _Column(sample, i).components(), strict=True):
                sums += more
        return _strata(sample, [sums / sample.classes for sums in total])

    def of_class(i: int) -> Statistic:
        return Statistic(values[i], lambda: _strata(sample, _Column(sample, i).components()))

    def parts() -> Mapping[str, Statistic]:
        return {name: of_class(i) for i, name in enumerate(sample.names)}

    return Statistic(float(np.mean(values)), strata, parts)


def _strata(sample: Sample, components: list[FloatArray]) -> Strata:
    return tuple(Stratum(of_class, partial(sample.cases, k)) for k, of_class in enumerate(components))


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
