"""Venkatraman's permutation tests that two ROC curves are the same everywhere, not only in their areas."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.multiplicity import Adjustment, adjust
from polyroc.inference.compare import name_in_block, paired_blocks
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.curve_distance import paired_distance, unpaired_distance
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.registry import MEASURES
from polyroc.messages import Option
from polyroc.output.numbers import p_text
from polyroc.progress import Progress, ProgressOption, progress_callback
from polyroc.results.invariants import Invariants, at_least, ordered, shares
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result
from polyroc.scores import Scores
from polyroc.validation.arrays import Missing
from polyroc.validation.random import Rng, seed_of
from polyroc.validation.scores import one_sample
from polyroc.validation.signatures import Count, validated

__all__ = ["CurveDistance", "CurveTest", "venkatraman"]

ROUNDING = 1e-9  # relative: distances that differ by rounding alone count as equal
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
    n
        How many rearrangements.
    adjustment
        Of the p-values of the pairs: "holm", "bonferroni", "benjamini-hochberg" or None.
    provenance
        What is needed to reproduce it.
    """

    pairs: Mapping[tuple[str, str], CurveDistance]
    n: int
    adjustment: Adjustment | None
    provenance: Provenance

    def _invariants(self) -> Invariants:
        yield len(self.pairs) > 0 and self.n > 0, "there must be pairs and rearrangements"
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
        raise InputError(f"There is no pair {first!r} and {second!r}; there are {known}.")

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per pair."""
        del level
        return [
            {"first": first, "second": second, **test._asdict(), "adjustment": self.adjustment, "n": self.n}
            for (first, second), test in self.pairs.items()
        ]


@validated
def venkatraman(
    y_true: Any,
    y_score: Any = None,
    *,
    n: Count = 2000,
    rng: Rng = 0,
    adjustment: Adjustment | None = "holm",
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    groups: Any = None,
    missing: Missing = "raise",
    progress: ProgressOption = None,
) -> CurveTest:
    """Test whether ROC curves are the same everywhere, by permutation (Venkatraman's test).

    Curves may cross and have the same area: `compare(measure="auc")` then finds no difference, this test does. It
    has no estimate of the difference; where the curves differ in area, the test of areas is more powerful.

    Paired (the same cases): if the k lowest cases of either score are called negative, the scores differ in
    errors; E is the sum of the absolute differences over all k. Under the hypothesis the two ranks of a case are
    exchangeable: in each rearrangement every case (every group) exchanges its ranks with probability 1/2.

    Unpaired (different cases): with kappa the share of positives in both sets together, and F and G the
    distributions of positives and negatives, the errors kappa F + (1 - kappa) (1 - G) of both curves are compared
    at equal kappa F + (1 - kappa) G; the statistic is the area between the two. In each rearrangement the
    positives of both sets, and the negatives, are dealt anew, each with its place kappa F + (1 - kappa) G in its
    own set.

    Ties count as straight lines, as in the ROC curve, so that nothing depends on how they are broken.

    Parameters
    ----------
    y_true, y_score
        As in `compare`: a dict of scores by classifier, or `Scores` of several, paired; a dict of `Scores`,
        unpaired.
    n, rng
        How many rearrangements, and the seed; the smallest p-value is 1 / (1 + n).
    adjustment
        Of the p-values of all pairs: "holm", "bonferroni", "benjamini-hochberg" or None.
    labels, pos_label, groups, missing
        As in `evaluate`. Weights have no permutation test.
    progress
        True for a progress bar, or a function called with (done, total, message).

    References
    ----------
    Venkatraman & Begg, Biometrika 83 (1996) 835-848. Venkatraman, Biometrics 56 (2000) 1134-1138.

    Examples
    --------
    >>> sick, random = np.arange(300) % 2, np.random.default_rng(0)
    >>> steady, erratic = random.normal(sick, 1), random.normal(1.6 * sick, 1 + 1.5 * sick)
    >>> venkatraman(sick, {"steady": steady, "erratic": erratic}, n=500)
    CurveTest(equal ROC curves: steady, erratic: p = 0.002)
    """
    if adjustment == "max-t":
        raise InputError("adjustment must be 'holm', 'bonferroni', 'benjamini-hochberg' or None, got 'max-t'.")
    options: dict[str, Any] = {"labels": labels, "pos_label": pos_label, "groups": groups, "missing": missing}
    blocks = paired_blocks(y_true, y_score, **options)
    curves = [*_curves(blocks)]
    if len(curves) < 2:
        raise InputError("A test of curves needs two classifiers or more; name each, as in y_score={'NAME': ...}.")
    seed = seed_of(rng)
    with progress_callback(progress) as report:
        tests = {
            (one.name, two.name): _test(one, two, n, np.random.default_rng([seed, number]), report)
            for number, (one, two) in enumerate(combinations(curves, 2))
        }
    adjusted = adjust(np.array([pvalue for _, pvalue in tests.values()]), adjustment)
    paired = {(one.name, two.name): one.scores is two.scores for one, two in combinations(curves, 2)}
    return CurveTest(
        {
            pair: CurveDistance(statistic, pvalue, float(q), paired[pair])
            for (pair, (statistic, pvalue)), q in zip(tests.items(), adjusted, strict=True)
        },
        n,
        adjustment,
        Provenance.of(curves[0].scores, f"Venkatraman, n={n}", seed),
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
    reason = inapplicable_reason(MEASURES["auc"], scores, by_name=True)
    if reason is not None:
        raise NotApplicableError("A ROC curve ", reason, ".")
    if scores.absent:
        raise InputError(f"No case of class {scores.absent[0]!r}; a test of curves needs both classes.")
    if scores.sample_weight is not None:
        raise NotApplicableError(
            "Venkatraman's test exchanges cases, so it has no weights; leave out ",
            Option("sample_weight"),
            ", or compare areas, with which weights are valid.",
        )


Distance = Callable[[], float]  # of a random rearrangement


def _test(
    one: _Curve, two: _Curve, n: int, rng: np.random.Generator, progress: Progress | None
) -> tuple[float, float]:
    """The statistic and the share of rearrangements that are as large, the observed one included."""
    if one.scores is two.scores:
        observed, rearranged = _paired(one, two, rng)
    else:
        observed, rearranged = _unpaired(one, two, rng)
    enough, at_least_as_large = observed * (1.0 - ROUNDING), 1
    for done in range(n):
        if progress is not None and done % max(n // REPORTS, 1) == 0:
            progress(done, n, f"{one.name} and {two.name}")
        at_least_as_large += rearranged() >= enough
    return observed, at_least_as_large / (1 + n)


def _paired(one: _Curve, two: _Curve, rng: np.random.Generator) -> tuple[float, Distance]:
    ranks, signs = [_doubled_ranks(curve.values) for curve in (one, two)], np.where(one.positive, 1.0, -1.0)
    units = np.arange(len(signs)) if one.scores.units is None else one.scores.units
    count = int(units.max()) + 1

    def rearranged() -> float:
        exchanged = rng.random(count)[units] < 0.5
        first = np.where(exchanged, ranks[1], ranks[0])
        return paired_distance(first, np.where(exchanged, ranks[0], ranks[1]), signs)

    return paired_distance(*ranks, signs), rearranged


def _doubled_ranks(values: FloatArray) -> IntArray:
    """Twice the mid-ranks, which are whole numbers."""
    from scipy.stats import rankdata

    return np.asarray(2.0 * rankdata(values)).astype(np.int64)


def _unpaired(one: _Curve, two: _Curve, rng: np.random.Generator) -> tuple[float, Distance]:
    for curve in (one, two):
        if curve.scores.units is not None:
            raise NotApplicableError(
                "Venkatraman's test of different cases deals cases anew, which groups do not allow; compare areas "
                "instead, with which groups are valid."
            )
    kappa = float(np.concatenate([one.positive, two.positive]).mean())
    places = [_places(curve.values, curve.positive, kappa) for curve in (one, two)]
    pools = [
        np.concatenate([own[curve.positive == side] for own, curve in zip(places, (one, two), strict=True)])
        for side in (True, False)
    ]
    cut = [int((one.positive == side).sum()) for side in (True, False)]

    def rearranged() -> float:
        dealt = [rng.permutation(pool) for pool in pools]
        functions = [
            _errors(*(pool[part] for pool, part in zip(dealt, parts, strict=True)), kappa) for parts in sides
        ]
        return unpaired_distance(*functions[0], *functions[1])

    sides = [[slice(None, at) for at in cut], [slice(at, None) for at in cut]]
    functions = [
        _errors(own[curve.positive], own[~curve.positive], kappa)
        for own, curve in zip(places, (one, two), strict=True)
    ]
    return unpaired_distance(*functions[0], *functions[1]), rearranged


def _places(values: FloatArray, positive: BoolArray, kappa: float) -> FloatArray:
    """The place kappa F + (1 - kappa) G of each case, in the middle of its own step; rounded, so that ties tie."""
    weight = np.where(positive, kappa / positive.sum(), (1.0 - kappa) / (~positive).sum())
    _, block = np.unique(values, return_inverse=True)
    steps = np.bincount(block, weight)
    return np.asarray(np.round(np.cumsum(steps) - steps / 2.0, 12)[block])


def _errors(positives: FloatArray, negatives: FloatArray, kappa: float) -> tuple[FloatArray, FloatArray]:
    """The errors kappa F + (1 - kappa) (1 - G) of a curve, at the places kappa F + (1 - kappa) G from 0 to 1."""
    values = np.concatenate([positives, negatives])
    order = np.argsort(values)
    right = np.concatenate([np.full(len(positives), kappa / len(positives)), np.zeros(len(negatives))])[order]
    left = np.concatenate([np.zeros(len(positives)), np.full(len(negatives), (1.0 - kappa) / len(negatives))])[
        order
    ]
    ends = np.flatnonzero(np.append(np.diff(values[order]) > 0, True))
    f, g = (np.concatenate([[0.0], np.cumsum(own)[ends]]) for own in (right, left))
    return f + g, f + (1.0 - kappa) - g
