"""Measures of the probabilities of three classes: Mossman's three-way volume and Sahiner's normalised volume."""

from collections.abc import Hashable
from functools import partial
from math import nan, sqrt

import numpy as np

from polyroc._results.codec import Once
from polyroc.errors import NotApplicableError
from polyroc.kernels.arrays import FloatArray, IntArray, inner_product
from polyroc.kernels.concordance import rising_pairs
from polyroc.kernels.lines import falling_lines
from polyroc.kernels.radix import argsort
from polyroc.kernels.threads import call_both
from polyroc.measures.measure import Measure, always
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Scale, Statistic, Strata, Stratum

__all__ = ["THREEWAY", "mossman", "sahiner"]

SAME = 1e-12  # differences of probabilities that differ by no more are equal: 0.3 - 0.1 is 0.5 - 0.3
VANISHED = -1e4  # stands for log 0: far below the logarithm of any number, so that it acts as a limit


class _Sweep:
    """The cases in ascending order of y3, and where they stand along d = y2 - y1, whatever their weights.

    Attributes
    ----------
    cases, code
        The cases in this order, and their classes.
    block, edges
        Which block of equal y3 each belongs to, and where the blocks begin and end.
    place, below, up_to
        As `rising_pairs` needs them.
    """

    def __init__(self, sample: Sample) -> None:
        y3, along_d = sample.values[:, 2], Once(lambda: self._along_d(sample))
        self.cases = call_both(along_d, partial(argsort, y3), sample.values.size)
        y3 = y3[self.cases]
        rises = y3[1:] != y3[:-1]
        if rises.all():  # mostly: every case is a block of its own
            self.edges = np.arange(len(y3) + 1)
            self.block = self.edges[:-1]
        else:
            self.edges = np.concatenate([[0], np.flatnonzero(rises) + 1, [len(y3)]])
            self.block = np.repeat(np.arange(len(self.edges) - 1), np.diff(self.edges))
        self.code = sample.scores.codes[self.cases]
        # contiguous rows, as in `higher_partners`: one compilation of `rising_pairs` is enough
        self.place, self.below, self.up_to = along_d().take(self.cases, axis=1)
        self._last = np.empty(0), np.empty((2, 0))

    @staticmethod
    def _along_d(sample: Sample) -> IntArray:
        d = sample.values[:, 1] - sample.values[:, 0]
        places = np.zeros((3, len(d)), dtype=np.int64)
        first, second = (sample.cases(k)[argsort(d[sample.cases(k)])] for k in (0, 1))
        rising, others = d[first], d[second]
        places[0, first], places[0, second] = np.arange(len(first)), np.arange(len(second))
        places[1, first] = below = others.searchsorted(rising - SAME)
        places[2, first] = up_to = others.searchsorted(rising + SAME, "right")
        # From the places of the first class, not from d: rounding must not make a tie that only one side sees.
        places[1, second] = up_to.searchsorted(places[0, second], "right")
        places[2, second] = below.searchsorted(places[0, second], "right")
        return places

    def partners(self, weight: FloatArray) -> FloatArray:
        """The weight of the partners of each case with lower y3, and with the same."""
        # The weights of the third class do not matter, and a surface changes these only.
        own = weight[self.code < 2]
        last, weights = self._last  # one assignment: other threads may set it meanwhile
        if not np.array_equal(last, own):
            weights = np.zeros((2, len(weight)))
            rising_pairs(self.edges, self.code, self.place, self.below, self.up_to, weight, weights)
            self._last = own, weights
        return weights

    def higher_partners(self, weight: FloatArray) -> FloatArray:
        """The weight of the partners of each case with higher y3: the same sweep from the other end."""
        weights = np.zeros((2, len(weight)))
        rising_pairs(
            len(weight) - self.edges[::-1],
            self.code[::-1].copy(),
            self.place[::-1].copy(),
            self.below[::-1].copy(),
            self.up_to[::-1].copy(),
            weight[::-1].copy(),
            weights,
        )
        return weights[0, ::-1]


def mossman(sample: Sample) -> Statistic:
    """Mossman's three-way volume: the chance that two questions distinguish one case per class.

    The rule decides for class 3 first (y3 >= alpha), then between class 1 and class 2 (y2 - y1 <= beta or not).
    The volume under the surface of its three rates of right decisions is

        VUS = P(y3(x3) > y3(x1), y3(x3) > y3(x2) and d(x1) < d(x2)),  d = y2 - y1,

    with one random case x1, x2, x3 of each class. The classes play their roles in the order of `labels`: the third
    is decided first. A tie in d counts 1/2; y3(x3) tied with one of the others counts 1/2, with both 1/3; so a
    constant score gets 1/6. Differences d within 1e-12 of each other are ties: equal ones need not be equal as
    floating-point numbers, and vote shares or nearest neighbours give many of them.

    The slice of the volume at a given rate of class 3 is the area under the ROC curve of d for the cases that the
    first question leaves, which is why no surface has to be built. Value and components in O(n log n). Mossman
    (1999); Dreiseitl, Ohno-Machado & Binder (2000) on the variance.

    >>> from polyroc import evaluate
    >>> P = [[0.6, 0.3, 0.1], [0.2, 0.4, 0.4], [0.3, 0.5, 0.2], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6], [0.3, 0.4, 0.3]]
    >>> evaluate([1, 1, 2, 2, 3, 3], P, measure="mossman", method=None).value  # 0.4 - 0.2 ties with 0.5 - 0.3
    0.6875
    """
    sweep = sample.fixed(_Sweep)
    sizes = (sample.starts[1:] - sample.starts[:-1]).astype(np.float64)
    triples = float(sizes.prod())
    weight = np.ones(len(sweep.cases))
    if sample.weight is not None:  # a mean of one in each class
        weight = sample.weight[sweep.cases] * (sizes / sample.totals)[sweep.code]

    def add_up(values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(sweep.block, values, len(sweep.edges) - 1), np.float64)

    thirds = add_up(np.where(sweep.code == 2, weight, 0.0))
    above = thirds[::-1].cumsum()[::-1] - thirds
    after_one, after_two = above + thirds / 2.0, above + thirds / 3.0  # for pairs of different, of equal y3
    find_higher = Once(lambda: sweep.higher_partners(weight * after_one[sweep.block]))
    both = find_higher if sample.components_wanted else tuple  # the sweep from the other end at the same time
    lower, level = call_both(both, lambda: sweep.partners(weight), sample.values.size)
    apart = add_up(np.where(sweep.code < 2, weight * lower, 0.0))  # pairs by block of the higher y3
    equal = add_up(np.where(sweep.code == 0, weight * level, 0.0))

    def strata() -> Strata:
        at, pairs, higher = sweep.block, apart + equal, find_higher()
        among_thirds = pairs.cumsum() - pairs + apart / 2.0 + equal / 3.0
        among_others = after_one[at] * lower + after_two[at] * level + higher
        components = np.empty(len(weight))
        components[sweep.cases] = np.where(sweep.code == 2, among_thirds[at], among_others)
        return tuple(
            Stratum(of_class / (triples / len(of_class)), partial(sample.cases, k))
            for k, of_class in enumerate(sample.by_class(sample.grouped(components)))
        )

    return Statistic((inner_product(apart, after_one) + inner_product(equal, after_two)) / triples, strata)


class _Surface:
    """Sahiner's surface: which cases some rule calls malignant, as a function of its false positive shares.

    Attributes
    ----------
    volume, area
        Under the surface, and of its domain.
    resampled
        True if the weights are not those given, but those of a resample.
    """

    def __init__(self, sample: Sample, malignant: int) -> None:
        self.sample, self.cases = sample, [sample.cases(k) for k in range(3)]
        self.resampled = sample.weight is not sample.scores.sample_weight
        if sample.weight is not None and self.resampled:  # what was not drawn costs time and changes nothing
            self.cases = [cases[sample.weight[cases] > 0] for cases in self.cases]
        others = [k for k in range(3) if k != malignant]
        self.roles = [malignant, *sorted(others, key=lambda k: len(self.cases[k]))]
        logs = np.full(sample.values.shape, VANISHED)
        np.log(sample.values, out=logs, where=sample.values > 0)
        M, B, N = self.roles
        ratios = logs[:, [B, N]] - logs[:, [M]]
        m, b, n = (np.column_stack([ratios[self.cases[k]], self._shares(k)]) for k in self.roles)
        self.by_m, self.by_b, self.by_n = np.zeros(len(m)), np.zeros((2, len(b))), np.zeros((2, len(n)))
        falling_lines(b, n, m, self.by_b, self.by_n, self.by_m)
        self.volume, self.area = inner_product(self.by_m, m[:, 2]), inner_product(self.by_b[1], b[:, 2])

    def _shares(self, k: int) -> FloatArray:
        cases, weight = self.cases[k], self.sample.weight
        return np.asarray((np.ones(len(cases)) if weight is None else weight[cases]) / self.sample.totals[k])

    def _stratum(self, k: int, components: FloatArray) -> Stratum:
        return Stratum(components, lambda: self.cases[k])

    def of_volume(self) -> Strata:
        """The components of the volume."""
        M, B, N = self.roles
        return self._stratum(M, self.by_m), self._stratum(B, self.by_b[0]), self._stratum(N, self.by_n[0])

    def of_area(self) -> Strata:
        """The components of the area, in which the malignant cases play no part."""
        _, B, N = self.roles
        return self._stratum(B, self.by_b[1]), self._stratum(N, self.by_n[1])

    def of_height(self) -> Strata:
        """The components of volume / area, linearised."""
        M, B, N = self.roles
        height, area = self.volume / self.area, self.area
        return (
            self._stratum(M, self.by_m / area),
            self._stratum(B, height + (self.by_b[0] - height * self.by_b[1]) / area),
            self._stratum(N, height + (self.by_n[0] - height * self.by_n[1]) / area),
        )

    def area_error(self) -> float:
        """The standard error of the area, by groups where there are any; nan if a class has one of them only."""
        units, influence = self.sample.scores.units, np.zeros(len(self.sample.scores))
        for k, (_, components) in zip(self.roles[1:], (self.by_b, self.by_n), strict=True):
            cases, share = self.cases[k], self._shares(k)
            counted = cases[share > 0]
            n = len(counted) if units is None else len(np.unique(units[counted]))
            correction = sqrt(n / (n - 1)) if n > 1 else nan
            influence[cases] = correction * share * (components - inner_product(share, components))
        of_units = influence if units is None else np.asarray(np.bincount(units, influence), np.float64)
        return sqrt(inner_product(of_units, of_units))


def sahiner(sample: Sample, malignant: Hashable) -> Statistic:
    """Sahiner's normalised volume: the mean height of the surface of one class, the malignant, against two.

    With r = p_B / p_M and s = p_N / p_M the ideal observer calls a case M where alpha r + beta s <= 1, alpha and
    beta being what false alarms cost. Its surface is the share of M called M, over the pairs (share of B called M,
    share of N called M); these fill only a part of the unit square, the domain, and

        NVUS = volume over the domain / area of the domain.

    On a sample, with one line alpha r + beta s = 1 through each pair (b, n) of cases of B and N, and the sign
    (sign(r_b - r_n) + sign(s_n - s_b)) / 2, which is 0 unless alpha and beta can be positive,

        area = mean of the signs = P(s_b < s_n) + P(r_b > r_n) - 1
        volume = mean of the signs times the share of M under the line, on the line one half.

    It is 1 if no case of M is ever missed and 1/2 if M is a mixture of B and N, whatever the domain. Probabilities
    may be replaced by densities: the priors do not matter. A probability of 0 is one that vanishes, at the same
    rate for all classes and cases; ratios within a share of 1e-9 tie. The signs are all positive for likelihoods;
    where a poor classifier makes the volume leave 0 .. area, the value is cut to 0 .. 1.

    Where the area is not above twice its standard error (the criterion by which a ratio has a bounded 95 %
    interval, after Fieller), the value is undefined: an error, or nan in a resample. Parts: "area", "volume". Cost
    O(n_B (n_M + n_N) log n_N). Sahiner, Chan & Hadjiiski (2006, 2008).

    Parameters
    ----------
    sample
        Three classes.
    malignant
        The label of M; the roles of the other two are alike.

    Examples
    --------
    >>> from polyroc import evaluate
    >>> P = [[0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.6, 0.3, 0.1], [0.4, 0.4, 0.2], [0.2, 0.2, 0.6], [0.1, 0.4, 0.5]]
    >>> nvus = evaluate(["M", "M", "B", "B", "N", "N"], P, measure="sahiner(malignant='M')")
    >>> round(nvus.value, 4), float(nvus.parts["volume"]), float(nvus.parts["area"])
    (0.7143, 0.625, 0.875)
    """
    surface = _Surface(sample, sample.scores.labels.index(malignant))
    if not surface.resampled and surface.area <= max(0.0, 2.0 * surface.area_error()):
        raise NotApplicableError(_no_domain(surface))
    if surface.area <= 0:
        return Statistic(nan, lambda: ())
    parts = {
        "area": Statistic(surface.area, surface.of_area, scale=Scale((-1.0, 1.0), None)),
        "volume": Statistic(surface.volume, surface.of_volume, scale=Scale((-1.0, 1.0), None)),
    }
    return Statistic(surface.volume / surface.area, surface.of_height, lambda: parts)


def _no_domain(surface: _Surface) -> str:
    M, B, N = (repr(surface.sample.names[k]) for k in surface.roles)
    return (
        f"Sahiner's volume is a mean over a domain, the shares of {B} and of {N} called {M} that can be had "
        f"together; here the domain is empty, or nearly so: its area is {surface.area:.3g}, standard error "
        f"{surface.area_error():.2g}. That is so with {M} at one end of an ordered scale, or with a single "
        "feature: one share then fixes the other. Use ova or hand_till, which need no domain."
    )


THREEWAY = (
    Measure(
        key="mossman",
        name="Mossman's three-way ROC volume",
        symbol="VUS",
        needs="probabilities",
        classes=(3, 3),
        range=always((0.0, 1.0)),
        chance=always(1.0 / 6.0),
        paper="Mossman (1999)",
        compute=mossman,
        degree=always(3),
        symmetric=False,
        rank_based=False,
        linear=True,
        headline=("surface",),
        surface=True,
    ),
    Measure(
        key="sahiner",
        name="normalised volume, one class against two",
        symbol="NVUS",
        needs="probabilities",
        classes=(3, 3),
        range=always((0.0, 1.0)),
        chance=always(0.5),
        paper="Sahiner, Chan & Hadjiiski (2008)",
        compute=sahiner,
        degree=always(3),
        options={"malignant": None},
        roles=("malignant",),
        symmetric=False,
        rank_based=False,
    ),
)
