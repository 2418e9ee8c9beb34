"""Estimates of He & Frey's volume from random tuples of cases, for samples with too many tuples to look at all.

Of three classes the volume is computed exactly within random blocks of cases (`BlockDraw`); of more classes tuple
by tuple (`TupleDraw`). Each case comes up in proportion to its weight.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import cycle, islice
from math import sqrt

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray, inner_product
from polyroc.kernels.assignments import tally_worths
from polyroc.kernels.threads import call_both, run_concurrently
from polyroc.kernels.triple_blocks import LARGEST_BLOCK, Blocks, block_volumes, divide
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic, Stratum

__all__ = ["BlockDraw", "TupleDraw"]

LEAST_EACH = 10  # random tuples with each case, at least, so that its component can be estimated
ROUND = 2**17  # random tuples drawn at a time: their picks fit the cache
FEWEST_ROUNDS = 4  # in which every block meets two others: fewer leave no residual for the Monte Carlo error
SMALLEST_BLOCK = 8  # cases of a class: with fewer the calls take longer than the counting
TASKS = 8  # of the blocks of a round, for threads: not by their number, although no sum depends on it
FITS = 30  # passes of backfitting


class _Draw:
    """What both kinds of draws know, and the components with it.

    Attributes
    ----------
    classes
        By class, its cases.
    share
        By case, its share in the weight of its class.
    times, case_means
        By case, how often it came up, and the mean worth of the tuples in which it did.
    squares
        By class, the sum over all that came up of the squares of what `case_means` are means of.
    """

    def __init__(self, sample: Sample) -> None:
        self.classes = [sample.cases(k) for k in range(sample.classes)]
        weight = np.ones(len(sample.values)) if sample.weight is None else sample.weight
        self.share = weight / sample.totals[sample.scores.codes]
        self.largest = max(int(np.count_nonzero(self.share[cases])) for cases in self.classes)
        self.times: FloatArray = np.zeros(len(weight))
        self.case_means: FloatArray = np.zeros(len(weight))
        self.squares = [0.0] * sample.classes

    def noise(self, k: int) -> float:
        """The mean square within the cases of a class."""
        times, means = self.times[self.classes[k]], self.case_means[self.classes[k]]
        within = self.squares[k] - inner_product(times, means**2)
        return max(0.0, within) / max(1.0, float(times.sum()) - np.count_nonzero(times))

    def strata(self, known: Sequence[FloatArray] | None = None) -> tuple[Stratum, ...]:
        """The components; `known` ones, by class, are added to those of the draw."""
        return tuple(self._stratum(k, None if known is None else known[k]) for k in range(len(self.classes)))

    def _stratum(self, k: int, known: FloatArray | None) -> Stratum:
        cases = self.classes[k]
        share, times, means = self.share[cases], self.times[cases], self.case_means[cases]
        if known is not None:
            means = means + known
        mean = inner_product(share, means)
        deviation = means - mean
        noise = self.noise(k) * inner_product((share**2)[times > 0], 1.0 / times[times > 0])
        variance = inner_product(share**2, deviation**2)
        # shrunk towards the class mean, so that the variance of the components is without the noise of the draw
        shrinkage = sqrt(max(0.0, 1.0 - noise / variance)) if variance > 0 else 0.0
        return Stratum(mean + shrinkage * deviation, lambda: cases)


class TupleDraw(_Draw):
    """Random tuples: estimates of the value and of the component of each case.

    The worth of a tuple is the mean worth, plus an effect of each of its cases, plus a rest. Each case comes up in
    proportion to its weight, as nearly as whole numbers allow; the small differences are made good by means of the
    cases' own mean worths. So the effects do not add to the error of the value, which is that of the mean rest. By
    the analysis of variance,

        variance of a case's mean given the case = v / (how often it came up),  v = mean square within the cases
        variance of the effects of a class       = (sum of squares between its cases - (cases - 1) v) / tuples
        variance of the rest                     = that of the worths - the sum of these
    """

    def __init__(self, sample: Sample, scores: FloatArray, tolerance: float, most: int, seed: int) -> None:
        super().__init__(sample)
        wanted = max(most, LEAST_EACH * self.largest)
        rounds = max(1, wanted // max(ROUND, self.largest))
        sums, total, squares = np.zeros(len(scores)), 0.0, 0.0
        draws = self._rounds(np.random.default_rng(seed), rounds, -(-wanted // rounds))
        coming = [next(draws)]
        while coming:
            picks = coming.pop()
            # One round is counted while the next one is drawn, if there is a thread for it.
            outcome = call_both(
                lambda: coming.extend(islice(draws, 1)),
                partial(tally_worths, scores, picks, tolerance, sums),
                picks.size,
            )
            total, squares = total + outcome[0], squares + outcome[1]
        self.tuples = float(self.times.sum()) / sample.classes
        self.mean = total / self.tuples
        self.squares = [squares] * sample.classes  # each tuple has a case of each class
        self.case_means = np.where(self.times > 0, sums / np.maximum(self.times, 1.0), self.mean)

    def _rounds(self, rng: np.random.Generator, rounds: int, size: int) -> Iterator[CodeArray]:
        """Tuples of cases, as rows; in each round a case comes up share x size times, rounded up or down.

        What was yielded last may still be read while the next round is drawn, so that there are two arrays.
        """
        orders = [rng.permutation(cases) for cases in self.classes]
        ends = [np.cumsum(self.share[order]) for order in orders]
        for picks in islice(cycle(np.empty((2, size, len(orders)), dtype=np.int32)), rounds):
            for k, (order, end) in enumerate(zip(orders, ends, strict=True)):
                marks = np.floor(end / end[-1] * size + rng.integers(2**20) / 2**20)
                times = np.diff(marks, prepend=0.0)
                self.times[order] += times
                # of eight bytes each, which numpy shuffles faster than others, in the same order
                column = np.repeat(order, times.astype(np.int64))
                rng.shuffle(column)
                picks[:, k] = column
            yield picks

    def statistic(self) -> Statistic:
        """The value, its Monte Carlo error and the components."""
        effects = sum(self._effect(k) for k in range(len(self.classes)))
        # at least that of one tuple
        rest = max(1.0 / self.tuples, self.squares[0] / self.tuples - self.mean**2 - effects)
        value = self.mean + inner_product(self.share - self.times / self.tuples, self.case_means)
        return Statistic(value, self.strata, monte_carlo_error=sqrt(rest / self.tuples))

    def _effect(self, k: int) -> float:
        times, means = self.times[self.classes[k]], self.case_means[self.classes[k]]
        between = inner_product(times, (means - self.mean) ** 2)
        return max(0.0, between - (np.count_nonzero(times) - 1) * self.noise(k)) / self.tuples


class BlockDraw(_Draw):
    """Three classes, each divided at random into blocks of m cases: the exact volumes of triples of blocks.

    In each round block g of the first class meets block g + u of the second and g + v of the third (modulo their
    number), with other random u and v. A round costs n m steps and looks at n m^2 triples. Every case is in one
    block, so the effects of single cases (Hoeffding's decomposition, as in `TupleDraw`) add nothing to the error
    of the value. Effects of two cases add their variance / (pairs looked at), those of three cases m times less.
    So the error is smaller than that of as many random triples as there are pairs.

    The mean of each triple of blocks is fitted by a constant and an effect of each block. That gives the value,
    where blocks have not the same weight, and the residual variance, of which the Monte Carlo error follows.

    A case whose weight is that of several is in as many blocks. One whose weight is small is in one block all the
    same, and counts by its weight there.
    """

    def __init__(self, sample: Sample, scores: FloatArray, tolerance: float, most: int, seed: int) -> None:
        super().__init__(sample)
        rng = np.random.default_rng(seed)
        copies = [self._copies(k) for k in range(3)]
        least, next_least, most_copies = sorted(map(len, copies))
        # As many pairs of any two classes as were asked for: blocks as large as four rounds need, within limits,
        # and more rounds if that is not enough.
        blocks = min(FEWEST_ROUNDS * least * next_least // most, least // SMALLEST_BLOCK)
        blocks = max(blocks, -(-most_copies // LARGEST_BLOCK))
        rounds = min(max(FEWEST_ROUNDS, -(-most * blocks // (least * next_least))), blocks)
        drawn = [self._places(rng.permutation(cases), blocks) for cases in copies]
        places_of = np.bincount(np.concatenate(copies), minlength=len(scores))
        self.times = np.asarray(places_of * rounds, dtype=np.float64)
        weight = self.share / np.maximum(places_of, 1)
        self.block_share = [np.where(places >= 0, weight[places], 0.0).sum(axis=1) for places in drawn]
        divided, cases = divide(scores, drawn, weight)
        self.means = np.empty((rounds, blocks))
        sums = [np.zeros(places.shape) for places in cases]
        # A block meets no other one twice, except of the second and the third class now and then.
        self.shifts = np.stack(
            [np.zeros(rounds, dtype=np.int64), *(rng.permutation(blocks)[:rounds] for _ in range(2))]
        )
        for number in range(rounds):
            self._round(divided, number, tolerance, sums)
        for places, components in zip(cases, sums, strict=True):
            self.case_means += np.bincount(places[places >= 0], components[places >= 0], len(scores))
        self.case_means /= np.maximum(self.times, 1.0)
        self.pairs = rounds * blocks * min(places.shape[1] for places in cases) ** 2

    def _copies(self, k: int) -> IntArray:
        """The cases of class k, each as often as it has places: about as many in all as in the largest class."""
        share = self.share[self.classes[k]]
        times = np.where(share > 0, np.maximum(np.rint(share * self.largest), 1), 0)
        return np.repeat(self.classes[k], times.astype(np.int64))

    @staticmethod
    def _places(cases: IntArray, blocks: int) -> IntArray:
        """The cases at [block, place], one block after the other getting the next; -1 where a place is left."""
        places = np.full(-(-len(cases) // blocks) * blocks, -1)
        places[: len(cases)] = cases
        return places.reshape(-1, blocks).T.copy()

    def _round(self, divided: Blocks, number: int, tolerance: float, sums: Sequence[FloatArray]) -> None:
        """One round: the mean of each triple of blocks, and the components, which are added to the sums."""
        blocks = self.means.shape[1]
        squares = np.empty((blocks, 3))
        edges = [blocks * task // TASKS for task in range(TASKS + 1)]

        _, shift2, shift3 = self.shifts[:, number].tolist()

        def task(part: int) -> None:
            ends = edges[part], edges[part + 1]
            block_volumes(*divided, shift2, shift3, *ends, tolerance, sums, self.means[number], squares)

        run_concurrently(task, TASKS, 2 * divided.first.shape[2] ** 2 * blocks)
        self.squares = [before + more for before, more in zip(self.squares, squares.sum(axis=0), strict=True)]

    def statistic(self, known: Sequence[FloatArray] | None = None) -> Statistic:
        """The value, its Monte Carlo error and the components; see `_Draw.strata`."""
        value, error = self._fit()
        if known is not None:
            value += inner_product(self.share[self.classes[0]], known[0])
        return Statistic(value, lambda: self.strata(known), monte_carlo_error=error)

    def _fit(self) -> tuple[float, float]:
        """The value and its Monte Carlo error, by the additive model of blocks.

        Least squares by backfitting. Few passes are enough: they leave combinations of effects that hardly any
        triple of blocks shows, of which least squares would make the most.
        """
        rounds, blocks = self.means.shape
        # At [class, round, block of the first class], which block of the class it meets.
        met = (np.arange(blocks) + self.shifts[:, :, None]) % blocks
        mean = float(self.means.mean())
        rest, effects = self.means - mean, np.zeros((3, blocks))
        for _ in range(FITS):
            for k in range(3):
                step = np.bincount(met[k].ravel(), rest.ravel(), blocks) / rounds
                effects[k] += step
                rest -= step[met[k]]
        value = mean + sum(map(inner_product, effects, self.block_share))
        free = rest.size - 3 * (blocks - 1) - 1  # degrees of freedom
        variance = float((rest**2).sum()) / max(free, 1) / rest.size
        return value, sqrt(max(variance, 1.0 / self.pairs**2))  # at least that of one pair
