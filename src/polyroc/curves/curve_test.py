"""Venkatraman's permutation tests that two ROC curves are the same everywhere, not only in their areas."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np

from polyroc._results.invariants import Invariants, at_least, ordered, shares
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.curves.points import AUC
from polyroc.data_options import DataOptions
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.multiplicity import Adjustment, adjust
from polyroc.inference.compare import case_blocks, name_in_block
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.curve_distance import paired_distance, unpaired_distance
from polyroc.measures.applicability import inapplicable_reason
from polyroc.messages import Call, Option
from polyroc.output.numbers import p_text
from polyroc.progress import Progress, ProgressOption, progress_callback
from polyroc.scores import Scores
from polyroc.validation.random import Rng, seed_of
from polyroc.validation.scores import one_sample
from polyroc.validation.signatures import Count, validated

__all__ = ["CurveDistance", "CurveTest", "venkatraman"]

ROUNDING = 1e-9  # relative: distances that differ by rounding alone count as equal
NEGLIGIBLE = 1e-12  # share of the total weight below which a case makes no step
REPORTS = 20  # how often the progress of a test is reported


class CurveDistance(NamedTuple):
    """The distance of two ROC curves, and the test that they are the same.

    Attributes
    ----------
    statistic
        Paired: the sum over all numbers of cases called negative of the difference in errors (Venkatraman & Begg's
        E). Unpaired: the area between the curves of errors.
    pvalue, adjusted_pvalue
        The share of rearrangements with such a distance, the observed one included; adjusted for all pairs.
    paired
        True if both curves are of the same cases.
    """

    statistic: float
    pvalue: float
    adjusted_pvalue: float
    paired: bool

    def _invariants(self) -> Invariants:
        yield at_least(self.statistic, 0), "statistic must be 0 or more"
        yield shares([self.pvalue, self.adjusted_pvalue]), "p-values must be from 0 to 1"
        yield ordered(self.pvalue, self.adjusted_pvalue), "an adjusted p-value is not below the p-value"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveTest(Result):
    """Tests that the ROC curves of pairs of classifiers are the same.

    Attributes
    ----------
    pairs
        By pair of classifiers.
    replicates
        How many rearrangements.
    adjustment
        Of the p-values of the pairs: "holm", "bonferroni", "benjamini-hochberg" or None.
    provenance
        What is needed to reproduce it.
    """

    pairs: Mapping[tuple[str, str], CurveDistance]
    replicates: int
    adjustment: Adjustment | None
    provenance: Provenance

    def _invariants(self) -> Invariants:
        yield len(self.pairs) > 0 and self.replicates > 0, "there must be pairs and rearrangements"
        yield all(first != second for first, second in self.pairs), "the classifiers of a pair must differ"

    def __repr__(self) -> str:
        shown = "; ".join(f"{a}, {b}: {p_text(test.adjusted_pvalue)}" for (a, b), test in self.pairs.items())
        return f"CurveTest(equal ROC curves: {shown})"

    @validated
    def pair(self, first: str, second: str) -> CurveDistance:
        """The test of two classifiers, in either order."""
        for names in ((first, second), (second, first)):
            if names in self.pairs:
                return self.pairs[names]
        known = ", ".join(f"{a!r} and {b!r}" for a, b in self.pairs)
        raise InputError(f"first and second must be one of the pairs {known}, got {first!r} and {second!r}.")

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per pair."""
        del level
        return [
            {
                "first": first,
                "second": second,
                **test._asdict(),
                "adjustment": self.adjustment,
                "replicates": self.replicates,
            }
            for (first, second), test in self.pairs.items()
        ]


@validated
def venkatraman(
    data: Any,
    y_score: Any = None,
    *,
    replicates: Count = 2000,
    rng: Rng = 0,
    adjustment: Adjustment | None = "holm",
    progress: ProgressOption = None,
    **data_options: Unpack[DataOptions],
) -> CurveTest:
    """Test whether ROC curves are the same everywhere, by permutation (Venkatraman's test).

    Curves may cross and have the same area: `compare(measure="auc")` then finds no difference, this test does. It
    has no estimate of the difference. Where curves that do not cross differ in area, both tests have about the
    same power, with ratings of few values that of areas more (docs/coverage.md).

    Paired (the same cases): if the k lowest cases of either score are called negative, the scores differ in
    errors; E is the sum of the absolute differences over all k. Under the hypothesis the two ranks of a case are
    exchangeable: in each rearrangement every case (every group) exchanges its ranks with probability 1/2.
    With weights, the lowest cases are counted by weight: E is the area between the two curves of errors, in units
    of the mean weight, and a case exchanges its places and keeps its weight. E is the same if all weights are.

    Unpaired (different cases): with kappa the share of positives in both sets together, and F and G the
    distributions of positives and negatives, the errors kappa F + (1 - kappa) (1 - G) of both curves are compared
    at equal kappa F + (1 - kappa) G; the statistic is the area between the two. In each rearrangement the
    positives of both sets, and the negatives, are dealt anew, each with its place kappa F + (1 - kappa) G in its
    own set.

    Ties are broken at random in each rearrangement, and as often in the observed one, with which it is compared,
    as Venkatraman & Begg do; in the statistic they are straight lines, as in the ROC curve. With ratings of few
    values the test is conservative (docs/coverage.md): its p-value is a mean over orders of tied cases.

    Parameters
    ----------
    data, y_score
        As in `compare`: a dict of scores by classifier, or `Scores` of several, paired; a dict of `Scores`,
        unpaired.
    replicates, rng
        How many rearrangements, and the seed; the smallest p-value is 1 / (1 + replicates).
    adjustment
        Of the p-values of all pairs: "holm", "bonferroni", "benjamini-hochberg" or None.
    progress
        True for a progress bar, or a function called with (done, total, message).
    data_options
        As in `evaluate`. Of different cases (unpaired) there are no groups, and weights only if they are
        frequencies: cases that are dealt anew must be independent and count the same.

    References
    ----------
    Venkatraman & Begg, Biometrika 83 (1996) 835-848. Venkatraman, Biometrics 56 (2000) 1134-1138.

    Examples
    --------
    >>> sick, random = np.arange(300) % 2, np.random.default_rng(0)
    >>> steady, erratic = random.normal(sick, 1), random.normal(1.6 * sick, 1 + 1.5 * sick)
    >>> venkatraman(sick, {"steady": steady, "erratic": erratic}, replicates=500)
    CurveTest(equal ROC curves: steady, erratic: p = 0.016)
    """
    if adjustment == "max-t":
        raise InputError("adjustment must be 'holm', 'bonferroni', 'benjamini-hochberg' or None, got 'max-t'.")
    blocks = case_blocks("venkatraman", data, y_score, data_options)
    curves = [*_curves(blocks)]
    if len(curves) < 2:
        raise InputError("A test of curves needs two classifiers or more; name each, as in y_score={'NAME': ...}.")
    seed = seed_of(rng)
    with progress_callback(progress) as report:
        tests = {
            (one.name, two.name): _test(one, two, replicates, np.random.default_rng([seed, number]), report)
            for number, (one, two) in enumerate(combinations(curves, 2))
        }
    adjusted = adjust(np.array([pvalue for _, pvalue in tests.values()]), adjustment)
    paired = {(one.name, two.name): one.scores is two.scores for one, two in combinations(curves, 2)}
    return CurveTest(
        {
            pair: CurveDistance(statistic, pvalue, float(q), paired[pair])
            for (pair, (statistic, pvalue)), q in zip(tests.items(), adjusted, strict=True)
        },
        replicates,
        adjustment,
        Provenance.of(curves[0].scores, f"Venkatraman, replicates={replicates}", seed),
    )


class _Curve(NamedTuple):
    """The scores of one classifier for the positive class."""

    name: str
    scores: Scores
    values: FloatArray

    @property
    def positive(self) -> BoolArray:
        """Which cases are positive."""
        return np.asarray(self.scores.codes == self.scores.positive)


def _curves(blocks: Mapping[str, Scores]) -> Iterator[_Curve]:
    for prefix, scores in blocks.items():
        _check(one_sample(scores, "venkatraman"))
        for classifier, values in scores.values.items():
            column = values if values.ndim == 1 else np.ascontiguousarray(values[:, scores.positive])
            yield _Curve(name_in_block(prefix, classifier, scores), scores, column)


def _check(scores: Scores) -> None:
    reason = inapplicable_reason(AUC, scores, by_name=True)
    if reason is not None:
        raise NotApplicableError("A ROC curve ", reason, ".")
    if scores.absent:
        raise InputError(f"No case of class {scores.absent[0]!r}; a test of curves needs both classes.")


class _Arrangements(NamedTuple):
    """The distance of two curves as they were observed, and in random rearrangements.

    Attributes
    ----------
    statistic
        The observed distance, ties being straight lines.
    observed, rearranged
        The observed distance with ties broken at random; that of a random rearrangement.
    """

    statistic: float
    observed: Callable[[], float]
    rearranged: Callable[[], float]


def _test(
    one: _Curve, two: _Curve, n: int, rng: np.random.Generator, progress: Progress | None
) -> tuple[float, float]:
    """The statistic and the share of rearrangements that are as large, the observed one included."""
    arrangements = (_paired if one.scores is two.scores else _unpaired)(one, two, rng)
    has_ties = any(len(np.unique(curve.values)) < len(curve.values) for curve in (one, two))
    as_large, distance = 1, arrangements.observed()
    for done in range(n):
        if progress is not None and done % max(n // REPORTS, 1) == 0:
            progress(done, n, f"{one.name} and {two.name}")
        distance = arrangements.observed() if has_ties else distance
        as_large += arrangements.rearranged() >= distance * (1.0 - ROUNDING)
    return arrangements.statistic, as_large / (1 + n)


def _paired(one: _Curve, two: _Curve, rng: np.random.Generator) -> _Arrangements:
    weight = one.scores.sample_weight
    if weight is not None and np.ptp(weight) > 0:
        return _paired_by_weight(one, two, weight, rng)
    first, second = (_doubled_ranks(curve.values) for curve in (one, two))
    signs = np.where(one.positive, 1.0, -1.0)
    exchange = _exchange(one.scores, np.arange(len(signs)), rng)

    def order() -> IntArray:
        return np.concatenate([rng.permutation(len(signs)), rng.permutation(len(signs))])

    nowhere = np.empty(0, dtype=np.int64)
    return _Arrangements(
        paired_distance(first, second, signs, nowhere),
        lambda: paired_distance(first, second, signs, order()),
        lambda: paired_distance(*exchange(first, second), signs, order()),
    )


def _exchange(scores: Scores, cases: IntArray, rng: np.random.Generator) -> Callable[[Any, Any], tuple[Any, Any]]:
    """Exchange two columns of some cases, each group (each case without groups) with probability 1/2."""
    units = np.arange(len(scores)) if scores.units is None else scores.units
    count, units = int(units.max()) + 1, units[cases]

    def exchange(first: Any, second: Any) -> tuple[Any, Any]:
        exchanged = rng.random(count)[units] < 0.5
        return np.where(exchanged, second, first), np.where(exchanged, first, second)

    return exchange


def _paired_by_weight(one: _Curve, two: _Curve, weight: FloatArray, rng: np.random.Generator) -> _Arrangements:
    """As `_paired`, with the share of the weight below a case in the place of its rank."""
    cases = np.flatnonzero(weight > NEGLIGIBLE * weight.sum())
    weight, positive = weight[cases] / weight[cases].mean(), one.positive[cases]
    first, second = (_places(curve.values[cases], weight / weight.sum()) for curve in (one, two))
    classes = np.where(positive, weight, 0.0), np.where(positive, 0.0, weight)
    exchange = _exchange(one.scores, cases, rng)

    def distance(pair: Sequence[FloatArray], rng: np.random.Generator | None) -> float:
        curves = [_cumulated(places, classes, rng) for places in pair]
        (x1, e1), (x2, e2) = ((f + g, f - g) for f, g in curves)
        return unpaired_distance(x1, e1, x2, e2)

    pair = first, second
    return _Arrangements(distance(pair, None), lambda: distance(pair, rng), lambda: distance(exchange(*pair), rng))


def _doubled_ranks(values: FloatArray) -> IntArray:
    """Twice the mid-ranks, which are whole numbers."""
    from scipy.stats import rankdata

    return np.asarray(2.0 * rankdata(values)).astype(np.int64)


def _unpaired(one: _Curve, two: _Curve, rng: np.random.Generator) -> _Arrangements:
    for curve in (one, two):
        _check_independent(curve.scores)
    kappa = float(np.concatenate([one.positive, two.positive]).mean())
    by_curve = [_places(curve.values, _class_shares(curve.positive, kappa)) for curve in (one, two)]
    sets = [(own[curve.positive], own[~curve.positive]) for own, curve in zip(by_curve, (one, two), strict=True)]
    positives, negatives = (np.concatenate(side) for side in zip(*sets, strict=True))
    cuts = [len(side) for side in sets[0]]

    def distance(sets: Sequence[tuple[FloatArray, FloatArray]], rng: np.random.Generator | None) -> float:
        first, second = (_errors(*own, kappa, rng) for own in sets)
        return unpaired_distance(*first, *second)

    def rearranged() -> float:
        dealt = [
            np.split(rng.permutation(pool), [cut]) for pool, cut in zip((positives, negatives), cuts, strict=True)
        ]
        return distance([(dealt[0][i], dealt[1][i]) for i in range(2)], rng)

    return _Arrangements(distance(sets, None), lambda: distance(sets, rng), rearranged)


def _check_independent(scores: Scores) -> None:
    """Raise an error if the cases of a set cannot be dealt anew: they must be independent and count the same."""
    areas = ("; compare areas instead, with ", Call("compare", ...))
    if scores.units is not None:
        raise NotApplicableError(
            "Venkatraman's test of different cases deals them anew, which is not valid for groups, whose cases "
            "stay together",
            *areas,
            ", which allows groups.",
        )
    if scores.sample_weight is not None:
        raise NotApplicableError(
            "Venkatraman's test of different cases deals them anew, which is not valid for importance weights: "
            "those of the two sets may differ",
            *areas,
            ", which allows weights. Weights that are numbers of cases are valid with ",
            Option("weight_kind", "frequency"),
            ".",
        )


def _class_shares(positive: BoolArray, kappa: float) -> FloatArray:
    """The step of each case in kappa F + (1 - kappa) G."""
    return np.asarray(np.where(positive, kappa / positive.sum(), (1.0 - kappa) / (~positive).sum()))


def _places(values: FloatArray, weight: FloatArray) -> FloatArray:
    """The share of the weight below each case, in the middle of its own step; rounded, so that ties tie."""
    _, block = np.unique(values, return_inverse=True)
    steps = np.bincount(block, weight)
    return np.asarray(np.round(np.cumsum(steps) - steps / 2.0, 12)[block])


def _errors(
    positives: FloatArray, negatives: FloatArray, kappa: float, rng: np.random.Generator | None
) -> tuple[FloatArray, FloatArray]:
    """The errors kappa F + (1 - kappa) (1 - G) of a curve, at the places kappa F + (1 - kappa) G from 0 to 1."""
    right = np.repeat([kappa / len(positives), 0.0], [len(positives), len(negatives)])
    left = np.repeat([0.0, (1.0 - kappa) / len(negatives)], [len(positives), len(negatives)])
    f, g = _cumulated(np.concatenate([positives, negatives]), (right, left), rng)
    return f + g, f + (1.0 - kappa) - g


def _cumulated(
    values: FloatArray, steps: tuple[FloatArray, FloatArray], rng: np.random.Generator | None
) -> tuple[FloatArray, FloatArray]:
    """The sums of two columns of steps along rising values, from 0 on.

    Ties are broken at random, or are straight lines if there is no generator.
    """
    order = np.argsort(values) if rng is None else np.lexsort((rng.random(len(values)), values))
    last = np.diff(values[order]) > 0 if rng is None else np.ones(len(values) - 1, dtype=np.bool_)
    ends = np.flatnonzero(np.append(last, True))
    first, second = (np.concatenate([[0.0], np.cumsum(own[order])[ends]]) for own in steps)
    return first, second
