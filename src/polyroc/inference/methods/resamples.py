"""Resamples as counts, which serve as weights of cases that stay sorted."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.kernels.placements import counts_below
from polyroc.kernels.resamples import pair_areas, tally
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.validation.random import Draws

__all__ = ["Evaluator", "Weights", "class_totals", "map_resamples", "part_evaluator", "value_evaluator"]

Weights: TypeAlias = npt.NDArray[Any]  # counts (whole numbers) or counts times weights, at [replicate, case]
Evaluator: TypeAlias = Callable[[Weights, FloatArray], FloatArray]  # from weights and class totals to values

# Drawn with one child of the seed, at most: a chunk of counts fits the cache, and is large enough for a task.
CHUNK_COUNTS, CHUNK_REPLICATES = 2**18, 128


def map_resamples(
    draws: Draws, sample: Sample, stratified: bool, values: Callable[[Weights], FloatArray]
) -> FloatArray:
    """What a function of the weights of the cases gives on all resamples, in chunks and threads.

    The weights come one row per resample, cases grouped by class; a class may have none. The values are joined
    along their last axis. Each chunk has a child of the seed, so the answer does not depend on the threads.
    """
    urn = _Urn(sample, stratified)
    most = max(1, min(CHUNK_REPLICATES, CHUNK_COUNTS // len(sample.values)))
    sizes = [min(most, draws.n - done) for done in range(0, draws.n, most)]
    seeds = np.random.SeedSequence(draws.seed).spawn(len(sizes))

    def chunk(seed: np.random.SeedSequence, size: int) -> FloatArray:
        return values(urn.draw(np.random.default_rng(seed), size))

    with ThreadPoolExecutor(draws.workers) as pool:
        return np.concatenate(list(pool.map(chunk, seeds, sizes)), axis=-1)


class _Urn:
    """The units that are drawn: the cases of each class, all cases, or all groups; none of weight zero."""

    def __init__(self, sample: Sample, stratified: bool) -> None:
        cases = _grouped(sample)
        self.weight = None if sample.weight is None else sample.weight[cases]
        counted = np.ones(len(cases), dtype=bool) if self.weight is None else self.weight > 0
        unit = np.cumsum(counted) - 1
        drawn = [int(counted[a:b].sum()) for a, b in pairwise(sample.starts)]
        if sample.scores.units is not None:
            groups, unit[counted] = np.unique(sample.scores.units[cases[counted]], return_inverse=True)
            drawn = [len(groups)]
        elif not stratified:
            drawn = [sum(drawn)]
        self.starts = np.concatenate([[0], np.cumsum(drawn)])
        unit[~counted] = self.starts[-1]  # one more unit, which is never drawn
        self.unit = None if counted.all() and sample.scores.units is None else unit

    def draw(self, rng: np.random.Generator, size: int) -> Weights:
        """The weight of every case, grouped by class, in each of `size` replicates."""
        counts = np.zeros((size, self.starts[-1] + (self.unit is not None)), dtype=np.int32)
        for first, last in pairwise(self.starts):
            if last > first:
                draws = rng.integers(last - first, size=(size, last - first), dtype=np.int32)
                tally(draws, first, counts)
        if self.unit is not None:
            counts = counts[:, self.unit]
        return counts if self.weight is None else counts * self.weight


def _grouped(sample: Sample) -> npt.NDArray[np.int64]:
    """All cases, grouped by class."""
    return np.concatenate([sample.cases(k) for k in range(sample.classes)])


def class_totals(weight: Weights, sample: Sample) -> tuple[FloatArray, BoolArray]:
    """The weight of each class in each resample, at [replicate, class], and whether every class has some."""
    totals = np.stack([weight[:, a:b].sum(axis=1) for a, b in pairwise(sample.starts)], axis=1)
    return totals, np.asarray((totals > 0).all(axis=1))


def value_evaluator(measure: Measure, sample: Sample) -> Evaluator:
    """The measure of a sample under rows of weights: from pairwise areas if it is a function of them."""
    form = measure.areas
    if form is not None:
        areas = _PairSweep(sample, two_classes=measure.needs == "score")
        return lambda weight, totals: form.value(areas(weight), totals)

    def values(weight: Weights, _: FloatArray) -> FloatArray:
        return np.array([measure(sample.reweighted(row)).value for row in _in_given_order(weight, sample)])

    return values


def part_evaluator(measure: Measure, sample: Sample) -> Evaluator:
    """The parts of a measure of a sample under rows of weights, at [part, row]."""
    of_areas = None if measure.areas is None else measure.areas.parts
    if of_areas is not None:
        areas = _PairSweep(sample, two_classes=False)
        return lambda weight, totals: of_areas(areas(weight), totals)

    def values(weight: Weights, _: FloatArray) -> FloatArray:
        makers = [measure(sample.reweighted(row)).parts for row in _in_given_order(weight, sample)]
        return np.array([[part.value for part in parts().values()] for parts in makers if parts is not None]).T

    return values


def _in_given_order(weight: Weights, sample: Sample) -> FloatArray:
    """Rows of weights of cases grouped by class, as rows of weights of the cases in the order given."""
    rows = np.empty(weight.shape)
    rows[:, _grouped(sample)] = weight
    return rows


class _PairSweep:
    """The order of the cases in the columns that matter, found once; weights then give every A(i|j).

    Called with rows of weights it gives the areas at [row, i, j], or of two classes the area of the positive
    class, at [row].
    """

    def __init__(self, sample: Sample, two_classes: bool) -> None:
        n, self.starts, self.two_classes = len(sample.values), sample.starts, two_classes
        self.own = np.array([sample.positive] if two_classes else range(sample.classes), dtype=np.int64)
        self.falling = np.zeros(n, dtype=np.int32)
        self.above, self.up_from = np.zeros((2, len(self.own), n), dtype=np.int32)
        for a, i in enumerate(self.own):
            self._rank(sample, a, int(i), int(i) if sample.values.ndim == 2 else 0)

    def _rank(self, sample: Sample, a: int, i: int, column: int) -> None:
        x = sample.sorted(i, column)
        self.falling[self.starts[i] : self.starts[i + 1]] = self.starts[i] + sample.order(i, column)[::-1]
        for j in range(sample.classes):
            below, up_to = counts_below(sample.sorted(j, column), x)
            places = self.starts[j] + sample.order(j, column)
            self.above[a, places], self.up_from[a, places] = len(x) - up_to, len(x) - below

    def __call__(self, weight: Weights) -> FloatArray:
        areas = pair_areas(weight, self.starts, self.own, self.falling, self.above, self.up_from)
        if not self.two_classes:
            return areas
        # the other entry is nan: the positive class against itself
        return np.asarray(np.nansum(areas[:, 0], axis=1))
