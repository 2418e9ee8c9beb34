"""He & Frey's volume: how often the best assignment of one case per class to the classes is the right one.

Three ways to the same number. Three classes are counted pair by pair, exactly. More are counted tuple by tuple
while there are few different tuples. Of too many cases for that, random blocks or tuples are drawn, and the Monte
Carlo error is estimated (`polyroc.measures.random_tuples`).
"""

from collections.abc import Sequence
from functools import cached_property, partial
from math import factorial, prod
from typing import Any

import numpy as np

from polyroc.errors import MeasureError
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray, inner_product
from polyroc.kernels.assignments import worths
from polyroc.kernels.radix import argsort
from polyroc.kernels.ranked_lists import mean_worths
from polyroc.kernels.triples import right_triples, sweeps
from polyroc.measures.measure import Measure, always
from polyroc.measures.outputs import ClassifierOutputs
from polyroc.measures.random_tuples import BlockDraw, TupleDraw
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic, Stratum
from polyroc.validation.random import is_whole

__all__ = ["ASSIGNMENT", "he"]

ROUNDINGS = 8.0  # sums of scores are equal within this many times c^2 ulps of the largest: see `he`
SMALLEST = 1e-290  # of the largest score, so that the tolerance is not 0 where all scores are
MOST_PAIRS = 10**9  # of cases, up to which three classes are counted exactly: some seconds
MOST_CHECKS = 5 * 10**7  # of sums, c^2 for each tuple of four or more classes: some tenths of a second
BULK_TUPLES = 50_000  # of one output, up to which looking at all tuples of many outputs is faster


def _log(P: FloatArray) -> tuple[FloatArray, float]:
    # The size is that of the largest |log p|, 1 or more: a share of p is that much of log p.
    if P.min() > 0:
        s = np.log(P)
        return s, max(1.0, -float(s.min()), float(s.max()))
    with np.errstate(divide="ignore"):
        s = np.log(np.maximum(P, 0.0))  # a rounding error below zero is zero
    return s, float(np.abs(s[np.isfinite(s)]).max(initial=1.0))


def _linear(P: FloatArray) -> tuple[FloatArray, float]:
    return P, float(np.abs(P).max())


def _distance(P: FloatArray) -> tuple[FloatArray, float]:
    s = np.empty(P.shape)
    for i, corner in enumerate(np.eye(P.shape[1])):
        s[:, i] = -np.linalg.norm(P - corner, axis=1)
    return s, float(np.abs(s).max())


SCORINGS = {"log": _log, "linear": _linear, "distance": _distance}


def he(sample: Sample, scoring: str = "log", tuples: int | None = None, rng: int = 0) -> Statistic:
    """He & Frey's volume under the ideal observer's ROC surface: how often one case per class is assigned right.

    One random case x_k of each class k is to be assigned to its class, each class being there once. With scores
    s_i(x) of case x for class i, the best assignment has the largest sum, and the volume is

        VUS = P(sum over k of s_k(x_k) is the largest of all c! sums),

    1/m where m assignments share the largest sum, so that a constant score gets 1/c!. The surface is that of the
    rates of right decisions (TPR_1, ..., TPR_c) of the rule argmax_i (s_i(x) + gamma_i) as gamma varies: the ideal
    observer's, if all wrong decisions are equally bad. Under "log", priors and a factor common to all classes of a
    case change nothing. He, Metz, Tsui, Links & Frey (2006); He & Frey (2008) on its meaning, a task of correct
    assignment; "He's method" in Sampat et al. (2009).

    Sums are equal if they differ by no more than 8 c^2 eps times the largest |score| (at least 1, under "log"),
    eps being 2.2e-16. Equal products such as 3/13 x 4/13 and 2/13 x 6/13 have logarithms whose sums differ in
    the last digits: each of the 2c terms by an ulp or two, their sums by some more. Scores that truly differ
    practically never come so close (1e-14 for three classes and moderate scores). Each sum is compared with that
    of the right assignment only, so it does no harm that being close is not transitive.

    Three classes: exact, value and components in O(n^2) time and O(n) memory for n distinct rows in each class,
    up to 10^9 pairs (18,000 rows a class), or `tuples` if that is more. Beyond, each class is divided at random
    into blocks of 8 to 31 cases, and the volume is computed exactly within triples of blocks, so many that they
    contain `tuples` pairs of cases of any two classes, and many times as many triples. Four or more classes: exact
    if there are no more than `tuples` tuples of distinct rows; otherwise so many tuples are drawn. Each case comes
    up in proportion to its weight.

    Then `monte_carlo_error` estimates how far the value is from that of all tuples; the standard error is the
    sampling error alone, as if all tuples were used, and intervals contain both. (Components are drawn towards the
    mean of their class by as much as takes the noise of the draw out of their variance.) Classifiers evaluated on
    the same cases get the same tuples, so that most of this noise cancels out of their difference. `Bootstrap`
    draws anew for each replicate: give it fewer `tuples`.

    Parameters
    ----------
    sample
        The cases.
    scoring
        "log": s_i = log p_i, so that products of probabilities are compared (He); products that are zero tie.
        "linear": s_i = p_i. "distance": s_i = -||p - e_i||, the distance from the corner of the simplex where
        p_i = 1 (Dreiseitl et al. 2000, R's mcca). They are different measures, and packages differ.
    tuples
        The number of tuples (of three classes, pairs of any two), at most; if they are drawn, 10 for each case at
        least. By default 5 x 10^7 / c^2: some tenths of a second.
    rng
        The seed of the draw.

    Examples
    --------
    >>> import polyroc as pr
    >>> y = ["a", "a", "b", "b", "c", "c"]
    >>> P = [[0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.3, 0.3, 0.4], [0.5, 0.4, 0.1], [0.2, 0.5, 0.3], [0.2, 0.4, 0.4]]
    >>> [float(pr.evaluate(y, P, measure=f"he(scoring={s!r})")) for s in ("log", "linear", "distance")]
    [0.5, 0.4375, 0.375]
    """
    _check(scoring, tuples, rng)
    rows = sample.fixed(ROWS[scoring])
    most = MOST_CHECKS // sample.classes**2 if tuples is None else int(tuples)
    if sample.classes == 3 and rows.work > max(most, MOST_PAIRS):
        return BlockDraw(sample, rows.scores, rows.tolerance, most, int(rng)).statistic(rows.zeros(sample))
    if sample.classes > 3 and rows.work > most:
        return TupleDraw(sample, rows.scores, rows.tolerance, most, int(rng)).statistic()
    weights = rows.weights(sample)
    components = rows.whole.components(weights)
    value = inner_product(weights[0], components[0]) / float(weights[0].sum())

    def stratum(k: int) -> Stratum:
        return Stratum(components[k][rows.row_of[k]], lambda: sample.cases(k))

    return Statistic(value, lambda: tuple(stratum(k) for k in range(sample.classes)))


def _check(scoring: Any, tuples: Any, rng: Any) -> None:
    if not isinstance(scoring, str) or scoring not in SCORINGS:
        raise MeasureError(f"scoring must be one of {', '.join(map(repr, SCORINGS))}, got {scoring!r}.")
    if tuples is not None and not is_whole(tuples, 1):
        raise MeasureError(f"tuples must be a whole number, 1 or more, or None, got {tuples!r}.")
    if not is_whole(rng, 0):
        raise MeasureError(f"rng must be a seed, a whole number from 0, got {rng!r}.")


class _Rows:
    """The scores, and the distinct rows of them in each class, whatever the weights of the cases.

    Attributes
    ----------
    scores, tolerance
        One row per case, one column per class; within what sums of them are equal.
    rows, row_of
        By class: the distinct rows, and which of them each case has.
    finite
        Whether all scores are: no logarithm of 0.
    """

    def __init__(self, sample: Sample, scoring: str) -> None:
        c = sample.classes
        scores, size = SCORINGS[scoring](sample.values)
        self.scores = np.array(scores, order="C")
        self.tolerance = ROUNDINGS * c**2 * np.finfo(np.float64).eps * max(size, SMALLEST)
        self.finite = bool(np.isfinite(self.scores).all())
        by_class = [_distinct(rows) for rows in sample.by_class(sample.grouped(self.scores))]
        self.rows, self.row_of = [rows for rows, _ in by_class], [row_of for _, row_of in by_class]

    @property
    def work(self) -> int:
        """How many pairs, of three classes, or tuples there are."""
        sizes = sorted(len(rows) for rows in self.rows)
        return sizes[0] * sizes[1] + (sizes[0] + sizes[1]) * sizes[2] if len(sizes) == 3 else prod(sizes)

    @cached_property
    def whole(self) -> "_Triples | _Table":
        """What gives the components, exactly: for each row, the mean worth of the tuples that contain it."""
        if len(self.rows) == 3:
            return _Triples(self.rows, self.tolerance, self.finite)
        return _Table(self.rows, self.tolerance)

    def zeros(self, sample: Sample) -> list[FloatArray] | None:
        """By case, the part of its component from triples whose right product is zero; None without zeros."""
        if self.finite or all(own.all() for own in _own_scores(self.rows)):
            return None
        components = _Zeros(self.rows).components(self.weights(sample))
        return [of_class[row_of] for of_class, row_of in zip(components, self.row_of, strict=True)]

    def weights(self, sample: Sample) -> list[FloatArray]:
        """The weight of each distinct row of each class."""
        if sample.weight is None:
            return [
                np.ones(len(rows)) if len(rows) == len(row_of) else np.bincount(row_of).astype(np.float64)
                for rows, row_of in zip(self.rows, self.row_of, strict=True)
            ]
        return [_added_up(row_of, sample.weight[sample.cases(k)]) for k, row_of in enumerate(self.row_of)]


ROWS = {scoring: partial(_Rows, scoring=scoring) for scoring in SCORINGS}


def _distinct(rows: FloatArray) -> tuple[FloatArray, IntArray]:
    """The distinct rows, and for each row which of them it is."""
    row_of = np.empty(len(rows), dtype=np.int64)
    order = argsort(rows[:, -1])
    last = rows[order, -1]
    if (last[1:] != last[:-1]).all():  # mostly no two scores are equal, so that one column tells
        row_of[order] = np.arange(len(rows))
        return rows.take(order, axis=0), row_of
    order = np.lexsort(rows.T)
    ascending = rows[order]
    new = (ascending[1:] != ascending[:-1]).any(axis=1)
    row_of[order] = np.concatenate([[0], np.cumsum(new)])
    return ascending[np.concatenate([[True], new])], row_of


def _added_up(row_of: IntArray, weight: FloatArray) -> FloatArray:
    return np.bincount(row_of, weight).astype(np.float64)


def _own_scores(rows: Sequence[FloatArray]) -> list[BoolArray]:
    """By class, whether each row gives its own class more than nothing."""
    return [of_class[:, k] > -np.inf for k, of_class in enumerate(rows)]


class _Table:
    """The worth of each tuple, by the row of the first class, then of the second, and so on."""

    def __init__(self, rows: Sequence[FloatArray], tolerance: float) -> None:
        self.worth = np.empty(prod(len(of_class) for of_class in rows))
        starts = np.concatenate([[0], np.cumsum([len(of_class) for of_class in rows])])
        worths(np.concatenate(rows), starts, tolerance, self.worth)

    def components(self, weights: Sequence[FloatArray]) -> list[FloatArray]:
        return [self._mean_over_others(weights, k) for k in range(len(weights))]

    def _mean_over_others(self, weights: Sequence[FloatArray], k: int) -> FloatArray:
        worth = self.worth
        for w in reversed(weights[k + 1 :]):
            worth = worth.reshape(-1, len(w)) @ w / w.sum()
        for w in weights[:k]:
            worth = w @ worth.reshape(len(w), -1) / w.sum()
        return worth


class _Triples:
    """Three classes, pair by pair; where a case gives its own class nothing, by what else is zero."""

    def __init__(self, rows: Sequence[FloatArray], tolerance: float, finite: bool) -> None:
        self.tolerance, self.zeros = tolerance, None
        self.own: Sequence[BoolArray | slice] = [slice(None)] * 3
        own_scores = [] if finite else _own_scores(rows)
        if not all(of_class.all() for of_class in own_scores):
            self.zeros, self.own = _Zeros(rows), own_scores
        self.pair = sweeps([of_class[own] for of_class, own in zip(rows, self.own, strict=True)], finite)

    def components(self, weights: Sequence[FloatArray]) -> list[FloatArray]:
        totals = [float(np.add.reduce(w)) for w in weights]
        right = right_triples(
            self.pair, [w[own] for w, own in zip(weights, self.own, strict=True)], self.tolerance
        )
        for k, of_class in enumerate(right):
            of_class /= prod(totals[:k] + totals[k + 1 :])
        if self.zeros is None:
            return right
        components = self.zeros.components(weights)
        for k, of_class in enumerate(components):
            of_class[self.own[k]] += right[k]
        return components


class _Zeros:
    """Triples in which the right product is zero: worth 1/6 if all six are, which follows from the zeros alone."""

    def __init__(self, rows: Sequence[FloatArray]) -> None:
        kinds = [_distinct(np.where(of_class > -np.inf, 0.0, -np.inf)) for of_class in rows]
        self.kind_of = [kind_of for _, kind_of in kinds]
        self.table = _Table([kind for kind, _ in kinds], SMALLEST)
        x1, x2, x3 = (kind[:, k] == 0.0 for k, (kind, _) in enumerate(kinds))
        self.table.worth[(x1[:, None, None] & x2[:, None] & x3).ravel()] = 0.0  # these are counted pair by pair

    def components(self, weights: Sequence[FloatArray]) -> list[FloatArray]:
        by_kind = [_added_up(kind_of, w) for kind_of, w in zip(self.kind_of, weights, strict=True)]
        components = self.table.components(by_kind)
        return [component[kind_of] for component, kind_of in zip(components, self.kind_of, strict=True)]


def _chance(classes: int, **_: Any) -> float:
    return 1 / factorial(classes)


def _bulk(outputs: ClassifierOutputs, scoring: str, tuples: int | None, **_: Any) -> FloatArray | None:
    """The volume of many outputs at once, by all tuples of each; None where these are many."""
    if tuples is not None or prod(outputs.sizes) > BULK_TUPLES:
        return None
    P, c = outputs.values, outputs.classes
    scores = SCORINGS[scoring](P.reshape(-1, c))[0].reshape(P.shape)
    size = np.abs(scores, where=np.isfinite(scores), out=np.ones_like(scores)).max(axis=(1, 2), initial=SMALLEST)
    return mean_worths(scores, outputs.starts, ROUNDINGS * c**2 * np.finfo(np.float64).eps * size)


ASSIGNMENT = (
    Measure(
        key="he",
        name="volume under the ideal observer's ROC surface",
        symbol="VUS",
        needs="probabilities",
        classes=(3, None),
        range=always((0.0, 1.0)),
        chance=_chance,
        paper="He et al. (2006); He & Frey (2008)",
        compute=he,
        degree=int,
        options={"scoring": "log", "tuples": None, "rng": 0},
        rank_based=False,
        linear=True,
        bulk=_bulk,
        surface=True,
    ),
)
