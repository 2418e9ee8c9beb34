"""Measures that compare classes two by two, each by its own column of probabilities: M and one-versus-all."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise

import numpy as np

from polyroc.kernels.arrays import BoolArray, FloatArray, sums_of_others
from polyroc.kernels.class_pairs import column_areas, column_shares
from polyroc.kernels.placements import area, placements
from polyroc.measures.measure import AreaForm, AreaPart, Measure, always
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Shares, Statistic, Strata, Stratum
from polyroc.measures.tuple_outcomes import Outcomes, PairOutcomes

__all__ = [
    "PAIRWISE",
    "Pairs",
    "area_gradient",
    "hand_till",
    "mean_of_pairs",
    "one_versus_all",
    "ova",
    "share_slopes",
]


class Pairs:
    """Every A(i|j) of a sample: how well column i separates class i from class j.

    Attributes
    ----------
    areas
        A(i|j) at [i, j]: the probability that a random member of class j has a lower p_i than a random
        member of class i, ties one half; nan on the diagonal.
    """

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        c = sample.classes
        if sample.weight is None:
            if sample.components_wanted:  # by the same merges as the shares
                self.areas = self._merged[2]
            else:
                self.areas = column_areas(sample.all_sorted, sample.starts)
            return
        self.areas = np.full((c, c), np.nan)
        for i in range(c):
            x, weight = sample.sorted(i, i), sample.weights(i, i)
            for j in range(c):
                if j != i:
                    self.areas[i, j] = area(x, sample.sorted(j, i), weight, sample.mass(j, i))

    @cached_property
    def won(self) -> list[FloatArray]:
        """By class k, shape (classes, cases of k): at [l], the share of class l below the case in column k."""
        return self.by_class(self.all_shares[0])

    @cached_property
    def beaten(self) -> list[FloatArray]:
        """By class k, shape (classes, cases of k): at [i], the share of class i above the case in column i."""
        return self.by_class(self.all_shares[1])

    @cached_property
    def all_shares(self) -> tuple[FloatArray, FloatArray]:
        """`won` and `beaten` of all classes, at [class, case] with cases grouped by class."""
        sample = self.sample
        if sample.weight is None:
            return self._merged[:2]
        own = [self._own_column(k) for k in range(sample.classes)]
        return np.concatenate(own, axis=1), np.concatenate(
            [self._other_columns(k) for k in range(sample.classes)], axis=1
        )

    @cached_property
    def _merged(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        sample = self.sample
        order = sample.all_orders  # argsorted first, they need no sort
        return column_shares(sample.all_sorted, order, sample.starts)

    def by_class(self, shares: FloatArray) -> list[FloatArray]:
        """What stands at [..., case], cases grouped by class, class by class."""
        return [shares[..., start:stop] for start, stop in pairwise(self.sample.starts.tolist())]

    def _own_column(self, k: int) -> FloatArray:
        sample = self.sample
        order, x = sample.order(k, k), sample.sorted(k, k)
        shares = np.zeros((sample.classes, len(x)))
        for other in range(sample.classes):
            if other != k:
                shares[other, order] = placements(x, sample.sorted(other, k), sample.mass(other, k))
        return shares

    def _other_columns(self, k: int) -> FloatArray:
        sample = self.sample
        shares = np.zeros((sample.classes, len(sample.cases(k))))
        for i in range(sample.classes):
            if i != k:
                below = placements(sample.sorted(k, i), sample.sorted(i, i), sample.mass(i, i))
                shares[i, sample.order(k, i)] = 1.0 - below
        return shares

    def stratum(self, k: int, components: FloatArray, reach: float = 1.0) -> Stratum:
        """Components of the cases of class k, in the order given."""
        return Stratum(components, lambda: self.sample.cases(k), reach)

    def of_part(self, k: int, components: FloatArray, value: float) -> Stratum:
        """The same of an area between two classes, which is the mean of the components of either class."""
        stratum = self.stratum(k, components)
        return stratum if self.sample.weight is not None else stratum.with_mean(value)


def hand_till(sample: Sample) -> Statistic:
    """Hand & Till's M: the mean over all ordered pairs of classes of A(i|j).

    M = 1/(c(c-1)) sum over i != j of A(i|j). The component of a case of class k is 1/(c(c-1)) times the sum,
    over the other classes l, of the share of l below it in column k and the share of l above it in column l;
    that gives the analytic variance which the paper leaves to the bootstrap.

    Parts: A(i|j) for every ordered pair, A(i,j) = (A(i|j) + A(j|i)) / 2 for every pair.
    """
    pairs = sample.once(Pairs)
    c = sample.classes

    def strata() -> Strata:
        won, beaten = pairs.all_shares
        components = (np.add.reduce(won) + np.add.reduce(beaten)) / (c * (c - 1))
        return tuple(pairs.stratum(k, of_class, 2.0 / c) for k, of_class in enumerate(pairs.by_class(components)))

    return Statistic(float(mean_of_pairs(pairs.areas)), strata, lambda: _pair_parts(pairs))


def mean_of_pairs(areas: FloatArray) -> FloatArray:
    """M from every A(i|j), given at [..., i, j]."""
    c = areas.shape[-1]
    mean: FloatArray = areas[..., _off_diagonal(c)].sum(axis=-1) / (c * (c - 1))
    return mean


@cache
def _off_diagonal(c: int) -> BoolArray:
    return ~np.eye(c, dtype=bool)


def _pair_parts(pairs: Pairs) -> Mapping[str, Statistic]:
    c, names = pairs.sample.classes, pairs.sample.names
    parts = {f"A({names[i]}|{names[j]})": _one_way(pairs, i, j) for i in range(c) for j in range(c) if i != j}
    parts |= {f"A({names[i]},{names[j]})": _both_ways(pairs, i, j) for i in range(c) for j in range(i + 1, c)}
    return parts


def _one_way(pairs: Pairs, i: int, j: int) -> Statistic:
    value = float(pairs.areas[i, j])
    return Statistic(
        value,
        lambda: (
            pairs.of_part(i, pairs.won[i][j], value),
            pairs.of_part(j, pairs.beaten[j][i], value),
        ),
    )


def _both_ways(pairs: Pairs, i: int, j: int) -> Statistic:
    def seen_from(k: int, other: int) -> Stratum:
        components = pairs.won[k][other] + pairs.beaten[k][other]
        components *= 0.5
        return pairs.of_part(k, components, value)

    value = float(pairs.areas[i, j] + pairs.areas[j, i]) / 2.0
    return Statistic(value, lambda: (seen_from(i, j), seen_from(j, i)))


def ova(sample: Sample) -> Statistic:
    """Mean one-versus-all AUC: column i as the score of class i against all others together.

    OVA_i = sum over j != i of n_j A(i|j) / (n - n_i), so with classes of equal size the mean is Hand & Till's M.
    Parts: OVA_i for every class, each with the standard error that DeLong's method gives for the two-class problem
    "this class or not".
    """
    pairs = sample.once(Pairs)
    c = sample.classes
    share = _shares_of_rest(sample.totals)
    values = _weighted_areas(share, pairs.areas)

    def strata() -> Strata:
        reaches = ((np.add.reduce(share, axis=1) + np.add.reduce(share)) / c).tolist()
        return tuple(
            pairs.stratum(k, (share[k] @ pairs.won[k] + share[:, k] @ pairs.beaten[k]) / c, reaches[k])
            for k in range(c)
        )

    def parts() -> Mapping[str, Statistic]:
        return {sample.names[i]: _class_against_rest(pairs, share, i, float(values[i])) for i in range(c)}

    def shares() -> Shares:
        slopes = share_slopes(pairs.areas, values, sample.totals)
        return Shares(slopes, float(slopes.max() - slopes.min()))

    return Statistic(float(values.mean()), strata, parts, shares=shares)


def share_slopes(areas: FloatArray, values: FloatArray, totals: FloatArray) -> FloatArray:
    """The derivatives of the mean of all OVA_i with respect to the share of each class.

    A larger share of class k pulls every OVA_i, i other than k, from its value towards A(i|k).
    """
    rest = sums_of_others(totals / totals.sum())
    pulled = np.where(_off_diagonal(len(totals)), (areas - values[:, None]) / rest[:, None], 0.0)
    return np.asarray(pulled.sum(axis=0) / len(totals))


def one_versus_all(areas: FloatArray, totals: FloatArray) -> FloatArray:
    """OVA_i at [..., i], from every A(i|j) at [..., i, j] and the weight of class i at [..., i]."""
    return _weighted_areas(_shares_of_rest(totals), areas)


def _weighted_areas(shares: FloatArray, areas: FloatArray) -> FloatArray:
    """The sum of areas times shares over the other classes, as by numpy's `nansum`, which takes longer."""
    products = shares * areas
    products[np.isnan(products)] = 0.0
    return np.asarray(products.sum(axis=-1))


def _shares_of_rest(totals: FloatArray) -> FloatArray:
    """At [..., i, j], the share of class j among all cases that are not of class i; 0 on the diagonal."""
    shares: FloatArray = totals[..., None, :] / sums_of_others(totals)[..., :, None]
    return np.where(_off_diagonal(totals.shape[-1]), shares, 0.0)


def _class_against_rest(pairs: Pairs, share: FloatArray, i: int, value: float) -> Statistic:
    def strata() -> Strata:
        rest = [k for k in range(pairs.sample.classes) if k != i]
        above = np.concatenate([pairs.beaten[k][i] for k in rest])
        others = Stratum(above, lambda: np.concatenate([pairs.sample.cases(k) for k in rest]))
        return pairs.stratum(i, share[i] @ pairs.won[i]), others

    return Statistic(value, strata)


def _ordered_pairs(c: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(c) for j in range(c) if i != j]


def _areas_of_pairs(areas: FloatArray, _: FloatArray) -> FloatArray:
    """The parts of M, in their order: every A(i|j), then every A(i,j)."""
    c = areas.shape[-1]
    i, j = np.array(_ordered_pairs(c)).T
    one_way = areas[:, i, j].T
    i, j = np.triu_indices(c, 1)
    return np.concatenate([one_way, (areas[:, i, j] + areas[:, j, i]).T / 2.0])


def _bin_pairs(names: Sequence[str], totals: FloatArray) -> Mapping[str, AreaPart]:
    """The parts of M as linear functions of the areas."""
    c = len(totals)

    def part(i: int, j: int, back: float) -> AreaPart:
        gradient = np.zeros((c, c))
        gradient[i, j], gradient[j, i] = 1.0 - back, back
        return AreaPart(gradient, [((i,), 1.0), ((j,), 1.0)])

    pairs = _ordered_pairs(c)
    parts = {f"A({names[i]}|{names[j]})": part(i, j, 0.0) for i, j in pairs}
    return parts | {f"A({names[i]},{names[j]})": part(i, j, 0.5) for i, j in pairs if i < j}


def _pair_outcomes(sample: Sample) -> Outcomes:
    """M as the sum of the outcomes of all pairs of classes, and its parts; see `PairOutcomes`."""
    c, names = sample.classes, sample.names
    slope = 0.5 / (c * (c - 1))
    outcomes: dict[str | None, list[PairOutcomes]] = {
        None: [PairOutcomes(k, m, {k: slope, m: -slope}) for k in range(c) for m in range(k + 1, c)]
    }
    for i, j in _ordered_pairs(c):
        outcomes[f"A({names[i]}|{names[j]})"] = [PairOutcomes(i, j, {i: 0.5})]
        if i < j:
            outcomes[f"A({names[i]},{names[j]})"] = [PairOutcomes(i, j, {i: 0.25, j: -0.25})]
    return outcomes


def _bin_classes(names: Sequence[str], totals: FloatArray) -> Mapping[str, AreaPart]:
    """The parts of the mean one-versus-all area, OVA_i, as linear functions of the areas."""
    c = len(totals)
    gradient, _ = area_gradient(_mean_one_versus_all, totals)
    rest = [tuple(k for k in range(c) if k != i) for i in range(c)]
    only = np.eye(c)[:, :, None]
    return {
        name: AreaPart(only[i] * gradient * c, [((i,), None), (rest[i], None)], pooled=True)
        for i, name in enumerate(names)
    }


def _mean_one_versus_all(areas: FloatArray, totals: FloatArray) -> FloatArray:
    return np.asarray(one_versus_all(areas, totals).mean(axis=-1))


def area_gradient(
    value: Callable[[FloatArray, FloatArray], FloatArray], totals: FloatArray
) -> tuple[FloatArray, float]:
    """The derivatives by A(i|j), at [i, j], of a measure that is linear in the areas, and its intercept."""
    c = len(totals)
    units = np.eye(c * c).reshape(c * c, c, c)  # at [i c + j], the area A(i|j) is 1 and all others 0
    intercept = float(value(np.zeros((c, c)), totals))
    gradient = np.asarray(value(units, np.broadcast_to(totals, (c * c, c)))).reshape(c, c) - intercept
    return np.where(np.eye(c, dtype=bool), 0.0, gradient), intercept


PAIRWISE = (
    Measure(
        key="hand_till",
        name="Hand & Till's M",
        symbol="M",
        needs="columns",
        classes=(2, None),
        range=always((0.0, 1.0)),
        chance=always(0.5),
        paper="Hand & Till (2001)",
        compute=hand_till,
        degree=always(2),
        linear=True,
        areas=AreaForm(
            value=lambda areas, _: mean_of_pairs(areas),
            parts=_areas_of_pairs,
            bin_parts=_bin_pairs,
        ),
        bins="pairs",
        headline=("columns",),
        parts="pair_areas",
        outcomes=_pair_outcomes,
    ),
    Measure(
        key="ova",
        name="mean one-versus-all AUC",
        symbol="OVA",
        needs="columns",
        classes=(2, None),
        range=always((0.0, 1.0)),
        chance=always(0.5),
        paper="Sampat et al. (2009)",
        compute=ova,
        degree=always(2),
        prevalence=True,
        linear=True,
        areas=AreaForm(
            value=_mean_one_versus_all,
            parts=lambda areas, totals: one_versus_all(areas, totals).T,
            bin_parts=_bin_classes,
            share_slopes=lambda areas, totals: share_slopes(areas, one_versus_all(areas, totals), totals),
            # the distance from A(i|k) to OVA_i can be off by what both can be
            share_slopes_off=lambda off, totals: share_slopes(off, -one_versus_all(off, totals), totals),
        ),
        bins="pairs",
        parts="class_areas",
    ),
)
