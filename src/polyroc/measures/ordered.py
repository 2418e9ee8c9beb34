"""Measures of one score for ordered classes: volumes under ROC surfaces, and their entropy."""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import permutations
from math import factorial, log, log2
from typing import TypeAlias

import numpy as np

from polyroc.errors import MeasureError
from polyroc.estimates.boundary import Boundary
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.chains import Runs, chain_components, chain_states, expand_runs, merge, run_shares
from polyroc.measures.measure import Measure, always
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Errors, Scale, Statistic, Strata, Stratum
from polyroc.measures.tuple_outcomes import Outcomes, PairOutcomes, TripleOutcomes

__all__ = ["ORDERED", "Chains", "scurfield", "umbrella", "vus"]


Volume: TypeAlias = tuple[float, Callable[[], FloatArray]]
MOST_KEPT = 2**24  # components of runs over all orders of the classes: 128 MB; beyond, they are computed again
MOST_COMPARED = 2**21  # components of cases, over all orders, of which the covariance is computed


class Chains:
    """One case of each class, in any order of the classes: how often the score rises along it."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.runs = sample.fixed(_runs)
        self.share = run_shares(self.runs, sample.starts, self._weights(), sample.totals)
        tied = self.runs.tied
        self.sharing = np.count_nonzero(tied[1:] & ~tied[:-1])  # how many scores are shared by several classes
        self._kept: dict[tuple[int, ...], Volume] = {}

    def _weights(self) -> FloatArray | None:
        weight = self.sample.weight
        if weight is None:
            return None
        return weight[self.sample.fixed(_sorted_cases)]

    @property
    def classes(self) -> range:
        """The classes in the order given."""
        return range(self.sample.classes)

    def volume(self, order: tuple[int, ...]) -> Volume:
        """The chance that the scores of one case per class rise in this order; what makes the runs' components."""
        if order in self._kept:
            return self._kept[order]
        volume = self._volume(order)
        if factorial(len(order)) * len(self.share) <= MOST_KEPT:
            self._kept[order] = volume
        return volume

    def _volume(self, order: tuple[int, ...]) -> Volume:
        position = np.argsort(order)
        below = np.empty(len(self.runs.code))
        shared = np.empty((self.sharing, len(order) + 1))
        value = chain_states(self.runs.code, self.runs.tied, self.share, position, below, shared)

        def components() -> FloatArray:
            chain_components(self.runs.code, self.runs.tied, self.share, position, below, shared)
            return below

        return float(value), cache(components)

    def strata(self, by_run: FloatArray) -> Strata:
        """The components of the cases, from those of the runs."""
        blocks = np.split(expand_runs(by_run, self.runs, self.sample.starts), self.sample.starts[1:-1])
        return tuple(self._stratum(k, block) for k, block in enumerate(blocks))

    def _stratum(self, k: int, components: FloatArray) -> Stratum:
        return Stratum(components, lambda: self.sample.sorted_cases(k))


def _runs(sample: Sample) -> Runs:
    return merge(sample.ascending(), sample.starts)


def _sorted_cases(sample: Sample) -> IntArray:
    return np.concatenate([sample.sorted_cases(k) for k in range(sample.classes)])


def vus(sample: Sample) -> Statistic:
    """Volume under the ordered ROC surface: the chance that one case per class is put in the right order.

    VUS = P(X_1 < X_2 < ... < X_c) with one random case of each class, in the order of `labels`; a block of m equal
    scores counts 1/m!. For two classes it is the AUC; a constant score gets 1/c! (Nakas & Yiannoutsos 2004). Value
    and components come from one dynamic programme over the sorted scores (Waegeman et al. 2008, with ties).
    """
    chains = sample.once(Chains)
    value, components = chains.volume(tuple(chains.classes))
    return Statistic(value, lambda: chains.strata(components()))


def umbrella(sample: Sample) -> Statistic:
    """Umbrella volume: the chance that the middle one of three classes has the largest score.

    UV = P(X_1 < X_2 and X_3 < X_2) with one random case of each class: for a marker that rises and falls again
    along the classes. A tie of X_2 with one of the others counts 1/2, with both 1/3; a constant score gets 1/3
    (Nakas & Alonzo 2007). It is the sum of Scurfield's volumes 1<3<2 and 3<1<2.
    """
    chains = sample.once(Chains)
    (one, components), (two, more) = chains.volume((0, 2, 1)), chains.volume((2, 0, 1))
    return Statistic(one + two, lambda: chains.strata(components() + more()))


def scurfield(sample: Sample, corrected: bool) -> Statistic:
    """Scurfield's discriminability D, in bits: how much the order of one case per class reveals.

    vol_s = P(X_s1 < X_s2 < ... < X_sc) for each of the c! orders s of the classes, a block of m equal scores
    counting 1/m!, so that the volumes add up to one; D = log2(c!) + sum of vol_s log2(vol_s), from 0 (a constant
    score) to log2(c!) (classes apart, in whatever order). Parts: the volumes, keyed like "a<b<c", each with its
    standard error. The component of a case is the sum of log2(vol_s) times its component of vol_s over the volumes
    that are not zero (delta method). Scurfield (1996, 1998); Sampat et al. (2009) regret that it has no variance.

    Like every plug-in entropy D is too large in small samples. `corrected=True` takes off the jackknife's estimate
    of that bias, sum over classes of (n_k - 1) (mean of D without a case of k - D); the standard error stays, and
    so does the interval, which allows for the bias in either case: near chance D is quadratic in the volumes
    (`polyroc.estimates.boundary`).
    """
    if not isinstance(corrected, bool | np.bool_):
        raise MeasureError(f"corrected must be True or False, got {corrected!r}.")
    chains = sample.once(Chains)
    volumes = {order: chains.volume(order)[0] for order in permutations(chains.classes)}
    value = log2(len(volumes)) + float(sum(_surprise(np.array([*volumes.values()]))))

    def strata() -> Strata:
        by_run = np.zeros(len(chains.share))
        for order, volume in volumes.items():
            if volume > 0:
                by_run += log2(volume) * chains.volume(order)[1]()
        return chains.strata(by_run)

    parts = cache(lambda: _volumes(chains, volumes))
    return Statistic(
        value - (_bias(chains, volumes) if corrected else 0.0),
        strata,
        parts,
        boundary=lambda errors: Boundary(value, *_curvature(chains, parts(), errors)),
    )


def _curvature(chains: Chains, volumes: Mapping[str, Statistic], errors: Errors) -> tuple[float, float, float]:
    """The bias of D to second order, no unseen variance, and Box's scale of the quadratic form.

    To second order D changes by half a quadratic form of the volumes' deviations, whose eigenvalues are those of
    their covariance divided by sqrt(volume x volume) ln 2. The bias is half its trace. Where the covariance would
    take much longer than D, the scale is 0: not known.
    """
    seen = [volume for volume in volumes.values() if volume.value > 0]
    values = np.array([volume.value for volume in seen]) * log(2.0)
    if len(seen) * chains.sample.starts[-1] > MOST_COMPARED:
        bias = (
            sum(errors.variance(volume.strata()) / value for volume, value in zip(seen, values, strict=True)) / 2
        )
        return bias, 0.0, 0.0
    scaled = errors.covariance([volume.strata() for volume in seen]) / np.sqrt(np.outer(values, values))
    trace = float(np.trace(scaled))
    return trace / 2.0, 0.0, float((scaled**2).sum()) / (2.0 * trace) if trace > 0 else 0.0


def _surprise(share: FloatArray) -> FloatArray:
    """Share x log2(share), 0 for 0; what rounding left below 0 counts as 0."""
    positive = np.maximum(share, 0.0)
    from scipy.special import xlogy

    return np.asarray(xlogy(positive, positive) / np.log(2.0))


def _bias(chains: Chains, volumes: Mapping[tuple[int, ...], float]) -> float:
    """The jackknife's estimate: each volume without a case of class k is (n_k volume - component) / (n_k - 1)."""
    n = chains.sample.totals[chains.runs.code]
    more = np.zeros(len(n))
    rest = np.where(n > 1.0, n - 1.0, np.inf)  # a class of one case cannot do without it
    for order, volume in volumes.items():
        without = np.where(n > 1.0, (n * volume - chains.volume(order)[1]()) / rest, volume)
        more += _surprise(without) - _surprise(np.array([volume]))
    return float(np.where(n > 1.0, n - 1.0, 0.0) * chains.share @ more)


def _volumes(chains: Chains, volumes: Mapping[tuple[int, ...], float]) -> Mapping[str, Statistic]:
    def part(order: tuple[int, ...], value: float) -> Statistic:
        return Statistic(
            value, lambda: chains.strata(chains.volume(order)[1]()), scale=Scale((0.0, 1.0), 1.0 / len(volumes))
        )

    names = chains.sample.names
    return {"<".join(names[k] for k in order): part(order, value) for order, value in volumes.items()}


def _chance(classes: int) -> float:
    return 1 / factorial(classes)  # of integers: does not overflow


def _bits(classes: int, **_: object) -> tuple[float, float]:
    return 0.0, log2(factorial(classes))


def _rising(classes: int, _: int | None) -> list[float]:
    """Ranks within a bin that make the volume largest: the order of the classes."""
    return [float(k) for k in range(classes)]


def _chain_outcomes(sample: Sample) -> Outcomes | None:
    if sample.classes > 3:
        return None
    return {None: [PairOutcomes(1, 0, {0: 0.5})] if sample.classes == 2 else [TripleOutcomes(vus)]}


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
        degree=int,
        symmetric=False,
        linear=True,
        bins="score",
        best_ranks=_rising,
        headline=("ordered", "surface"),
        surface=True,
        normal_model="trinormal",
        outcomes=_chain_outcomes,
    ),
    Measure(
        key="scurfield",
        name="Scurfield's discriminability in bits",
        symbol="D",
        needs="ordered",
        classes=(3, 6),
        range=_bits,
        chance=always(0.0),
        paper="Scurfield (1996, 1998)",
        compute=scurfield,
        options={"corrected": False},
        bins="score",
        bound_rule="volumes",
        parts="order_volumes",
    ),
    Measure(
        key="umbrella",
        name="umbrella volume",
        symbol="UV",
        needs="ordered",
        classes=(3, 3),
        range=always((0.0, 1.0)),
        chance=always(1.0 / 3.0),
        paper="Nakas & Alonzo (2007)",
        compute=umbrella,
        degree=always(3),
        symmetric=False,
        bins="score",
        best_ranks=always((0.0, 1.0, 0.0)),
    ),
)
