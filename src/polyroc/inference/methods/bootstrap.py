"""The bootstrap: resamples as counts, which serve as weights of data that stay sorted."""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from polyroc.errors import InputError, UndefinedMeasureWarning
from polyroc.estimates.bootstrap_intervals import BootstrapKind, standard_error
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.kernels.placements import counts_below
from polyroc.kernels.resamples import pair_areas, tally
from polyroc.measures.measure import Measure
from polyroc.measures.pairwise import hand_till, mean_of_pairs, one_versus_all, ova
from polyroc.measures.ranking import auc, gini
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.scores import Scores

__all__ = ["Bootstrap", "over_resamples", "part_variances", "replicates"]

Weights: TypeAlias = npt.NDArray[Any]  # counts (whole numbers) or counts times weights: (replicates, cases)
Judge: TypeAlias = Callable[[Weights, FloatArray], FloatArray]

MOST_DRAWS, MOST_ROWS = 2**18, 128  # drawn with one child of the seed: fits the cache, is worth a task


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Standard errors and intervals from resampling: the cases are drawn anew, with replacement, n times.

    Every replicate gives each case the number of times it was drawn, times its weight if it has one; the measure
    is computed with these as weights. The standard error is the standard deviation of the replicates. All
    classifiers see the same resamples, so that they can be compared.

    With `groups`, whole groups are drawn, as many as there are, from all of them whatever their classes
    (`stratified` then plays no part). Where a class is not drawn at all (possible only with groups or without
    strata), or the measure is otherwise undefined, the replicate is nan; intervals and standard errors are made
    of the others. Cases of weight zero are never drawn.

    Attributes
    ----------
    n
        How many replicates; 1000 or more for an interval.
    stratified
        True: drawn within each class, so that class sizes stay. False: drawn over all cases, so that they vary.
        None (default): within each class, unless the cases are a cohort (`sampling`) and the measure depends on
        the shares of the classes.
    kind
        The interval, also that of a difference in `compare`. With q(p) the quantiles of the replicates, alpha =
        (1 - level) / 2, z = Phi^-1(1 - alpha): "percentile": q(alpha) to q(1 - alpha). "basic": 2 value -
        q(1 - alpha) to 2 value - q(alpha). "normal": value -+ z standard errors. "bca" (bias-corrected and
        accelerated): q(p) at p = Phi(z0 + (z0 -+ z) / (1 - a (z0 -+ z))), where Phi(z0) is the share of replicates
        below the value (ties one half) and a the skewness of the influence values / 6; second-order accurate.
    rng
        A seed, or a generator (which moves on), or None for a different answer each time.
    n_jobs
        How many threads; None or -1 for as many as there are cores. The answer does not depend on it.

    References
    ----------
    Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapters 12 to 14. DiCiccio & Efron, Statistical
    Science 11 (1996) 189-228.

    >>> Bootstrap(n=500, rng=1)
    Bootstrap(n=500, stratified=None, kind='bca', rng=1)
    """

    n: int = 2000
    stratified: bool | None = None
    kind: BootstrapKind = "bca"
    rng: int | np.random.Generator | None = None
    n_jobs: int | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not _is_whole(self.n) or self.n < 1:
            raise InputError(f"n must be a whole number of replicates, 1 or more, got {self.n!r}.")
        if self.kind not in get_args(BootstrapKind):
            raise InputError(f"kind must be one of {', '.join(get_args(BootstrapKind))}, got {self.kind!r}.")
        seed = 0 if self.rng is None or isinstance(self.rng, np.random.Generator) else self.rng
        if not _is_whole(seed) or seed < 0:
            raise InputError(f"rng must be a seed (0 or more), a numpy.random.Generator or None, got {seed!r}.")
        if self.n_jobs is not None and (not _is_whole(self.n_jobs) or self.n_jobs == 0):
            raise InputError(f"n_jobs must be a number of threads, -1 or None (all cores), got {self.n_jobs!r}.")

    def settled(self) -> "Bootstrap":
        """The same with a plain seed: the same resamples can then be drawn again, and the seed be told."""
        return replace(self, rng=_seed(self.rng))

    def drawn_for(self, measure: Measure, scores: Scores) -> "Bootstrap":
        """The same with `stratified` decided for a measure of these scores."""
        if self.stratified is not None:
            return self
        return replace(self, stratified=not (measure.estimates_prevalence and scores.sampling == "cohort"))

    def apart(self, number: int) -> "Bootstrap":
        """The same with a seed of its own, for the set of cases with this number: sets are drawn independently."""
        if number == 0:
            return self
        state = np.random.SeedSequence([_seed(self.rng), number]).generate_state(1, np.uint64)
        return replace(self, rng=int(state[0] >> np.uint64(11)))

    @property
    def workers(self) -> int:
        """How many threads that is; negative numbers count down from the number of cores, -1 being all."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        wanted = -1 if self.n_jobs is None else self.n_jobs
        return wanted if wanted > 0 else max(1, cores + 1 + wanted)


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _seed(rng: int | np.random.Generator | None) -> int:
    """The seed given, or one drawn (small enough for JSON) from the generator given or from the system."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**53))
    return int(rng)


def replicates(method: Bootstrap, measure: Measure, samples: Sequence[Sample]) -> FloatArray:
    """The measure on resampled cases, shape (classifiers, replicates); nan where a replicate leaves it undefined.

    Parameters
    ----------
    method
        How many, and how drawn.
    measure
        What is asked of each resample.
    samples
        One sample per classifier, all of the same scores: they are resampled together.
    """
    method = method.drawn_for(measure, samples[0].scores)
    judges = [_judge(measure, sample) for sample in samples]

    def chunk(weight: Weights) -> FloatArray:
        totals, whole = _totals(weight, samples[0])
        found = np.full((len(judges), len(weight)), np.nan)
        if whole.any():
            found[:, whole] = [judge(weight[whole], totals[whole]) for judge in judges]
        return found

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)  # the replicate is nan, and counted as such
        found = over_resamples(method, samples[0], chunk)
    return np.asarray(np.clip(found, *measure.range(samples[0].classes, **measure.settings)))


def part_variances(method: Bootstrap, measure: Measure, sample: Sample, parts: Sequence[str]) -> dict[str, float]:
    """The variance of each part of a measure over the same resamples; undefined ones are left out."""
    method = method.drawn_for(measure, sample.scores)
    judge = _part_judge(measure, sample)

    def chunk(weight: Weights) -> FloatArray:
        totals, whole = _totals(weight, sample)
        found = np.full((len(parts), len(weight)), np.nan)
        if whole.any():
            found[:, whole] = judge(weight[whole], totals[whole])
        return found

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        found = over_resamples(method, sample, chunk)
    return {key: standard_error(row) ** 2 for key, row in zip(parts, found, strict=True)}


def _totals(weight: Weights, sample: Sample) -> tuple[FloatArray, BoolArray]:
    """The weight of each class in each resample, and whether no class is without any."""
    totals = np.stack([weight[:, a:b].sum(axis=1) for a, b in pairwise(sample.starts)], axis=1)
    return totals, np.asarray((totals > 0).all(axis=1))


def over_resamples(method: Bootstrap, sample: Sample, chunk: Callable[[Weights], FloatArray]) -> FloatArray:
    """What a function makes of the weights of all resamples, in chunks and threads, joined along the last axis.

    The weights come one row per resample, cases grouped by class; a class may be without any.
    """
    urn = _Urn(sample, method.stratified is not False)
    most = max(1, min(MOST_ROWS, MOST_DRAWS // len(sample.values)))
    sizes = [min(most, method.n - done) for done in range(0, method.n, most)]
    seeds = np.random.SeedSequence(_seed(method.rng)).spawn(len(sizes))

    def drawn(seed: np.random.SeedSequence, size: int) -> FloatArray:
        return chunk(urn.draw(np.random.default_rng(seed), size))

    with ThreadPoolExecutor(method.workers) as pool:
        return np.concatenate(list(pool.map(drawn, seeds, sizes)), axis=-1)


class _Urn:
    """What is drawn from: the cases of each class, all cases, or all groups; none of weight zero."""

    def __init__(self, sample: Sample, stratified: bool) -> None:
        cases = _grouped(sample)
        self.weight = None if sample.weight is None else sample.weight[cases]
        counted = np.ones(len(cases), dtype=bool) if self.weight is None else self.weight > 0
        unit = np.cumsum(counted) - 1
        drawn = [int(counted[a:b].sum()) for a, b in pairwise(sample.starts)]
        if sample.scores.groups is not None:
            groups, unit[counted] = np.unique(sample.scores.groups[cases[counted]], return_inverse=True)
            drawn = [len(groups)]
        elif not stratified:
            drawn = [sum(drawn)]
        self.starts = np.concatenate([[0], np.cumsum(drawn)])
        unit[~counted] = self.starts[-1]  # one more unit, which is never drawn
        self.unit = None if counted.all() and sample.scores.groups is None else unit

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


def _judge(measure: Measure, sample: Sample) -> Judge:
    """What gives the measure of a sample for rows of weights; the quick way if the measure is made of areas."""
    if measure.compute not in FROM_AREAS:
        return _one_by_one(measure, sample)
    combine, sweep = FROM_AREAS[measure.compute], _Sweep(sample, two_classes=measure.needs == "score")
    return lambda weight, totals: combine(sweep.areas(weight), totals)


def _one_by_one(measure: Measure, sample: Sample) -> Judge:
    cases = _grouped(sample)

    def values(weight: Weights, _: FloatArray) -> FloatArray:
        rows = np.empty(weight.shape)
        rows[:, cases] = weight
        return np.array([measure(sample.reweighted(row)).value for row in rows])

    return values


def _part_judge(measure: Measure, sample: Sample) -> Judge:
    """The same for the parts, at [part, row]."""
    if measure.compute in PARTS_FROM_AREAS:
        combine, sweep = PARTS_FROM_AREAS[measure.compute], _Sweep(sample, two_classes=False)
        return lambda weight, totals: combine(sweep.areas(weight), totals)
    cases = _grouped(sample)

    def values(weight: Weights, _: FloatArray) -> FloatArray:
        rows = np.empty(weight.shape)
        rows[:, cases] = weight
        found = [measure(sample.reweighted(row)).parts for row in rows]
        return np.array([[part.value for part in parts().values()] for parts in found if parts is not None]).T

    return values


class _Sweep:
    """Which cases stand above which in the columns that matter, found once; weights then give every A(i|j)."""

    def __init__(self, sample: Sample, two_classes: bool) -> None:
        n, self.starts = len(sample.values), sample.starts
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

    def areas(self, weight: Weights) -> FloatArray:
        return pair_areas(weight, self.starts, self.own, self.falling, self.above, self.up_from)


def _only_pair(areas: FloatArray, _: FloatArray) -> FloatArray:
    """The one area of two classes: the other entry is nan, the positive class against itself."""
    only: FloatArray = np.nansum(areas[:, 0], axis=1)
    return only


# Measures made of areas: from every A(i|j), at [replicate, i, j], and the class totals, at [replicate, i].
FROM_AREAS: Mapping[Callable[..., Statistic], Callable[[FloatArray, FloatArray], FloatArray]] = {
    auc: _only_pair,
    gini: lambda areas, totals: 2.0 * _only_pair(areas, totals) - 1.0,
    hand_till: lambda areas, _: mean_of_pairs(areas),
    ova: lambda areas, totals: one_versus_all(areas, totals).mean(axis=-1),
}


def _areas_of_pairs(areas: FloatArray, _: FloatArray) -> FloatArray:
    """In the order of the parts of M: every A(i|j), then every A(i,j)."""
    i, j = np.nonzero(~np.eye(areas.shape[-1], dtype=bool))
    one_way = areas[:, i, j].T
    i, j = np.triu_indices(areas.shape[-1], 1)
    return np.concatenate([one_way, (areas[:, i, j] + areas[:, j, i]).T / 2.0])


PARTS_FROM_AREAS: Mapping[Callable[..., Statistic], Callable[[FloatArray, FloatArray], FloatArray]] = {
    hand_till: _areas_of_pairs,
    ova: lambda areas, totals: one_versus_all(areas, totals).T,
}
