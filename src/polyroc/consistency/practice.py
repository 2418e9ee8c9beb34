"""Measures on the user's own data: how stable their order of classifiers is, and how many they separate."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import nan
from typing import Any

import numpy as np

from polyroc._results.invariants import Invariants, at_least, distinct
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result, plain
from polyroc.consistency.bulk import signs
from polyroc.consistency.result import share_interval
from polyroc.errors import InputError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.estimates.multiplicity import Adjustment
from polyroc.inference.compare import compare
from polyroc.inference.evaluate import select_measures
from polyroc.inference.methods import DEFAULT, Method, as_method
from polyroc.inference.methods.bootstrap import Bootstrap
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.messages import Option
from polyroc.output.numbers import number_text
from polyroc.progress import ProgressOption, progress_callback, track
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.validation.arguments import checked_alpha
from polyroc.validation.arrays import Missing
from polyroc.validation.scores import as_scores, one_sample
from polyroc.validation.signatures import validated

__all__ = ["Groups", "OrderStability", "PairStability", "Separation", "order_stability", "separation"]


@dataclass(frozen=True, slots=True)
class PairStability:
    """How one measure orders two classifiers on resampled test sets.

    Attributes
    ----------
    measure, better, worse
        The measure, and the classifiers as it orders them on all cases; if they are equal, in the order given.
    difference
        The absolute difference of the measure on all cases; 0 if they are equal.
    same, tied, reversed
        The number of resampled test sets on which the order is the same, the two are equal, and the order is
        reversed.
    """

    measure: str
    better: str
    worse: str
    difference: float
    same: int
    tied: int
    reversed: int

    def _invariants(self) -> Invariants:
        yield at_least([self.same, self.tied, self.reversed], 0), "counts must be 0 or more"

    @property
    def share(self) -> float:
        """The share of test sets with the order of all cases; nan if the classifiers are equal on all cases."""
        sets = self.same + self.tied + self.reversed
        return self.same / sets if self.difference and sets else nan

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Confidence interval for the share over all possible resamples (Clopper & Pearson)."""
        sets = self.same + self.tied + self.reversed
        return share_interval(self.same, sets if self.difference else 0, level)

    def _derived(self) -> dict[str, Any]:
        return {"share": self.share}

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {"confidence_interval": list(self.confidence_interval(level))}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OrderStability(Result):
    """How often each measure orders classifiers on resampled test sets as it does on all cases.

    Attributes
    ----------
    pairs
        By measure and pair of classifiers, in the order given.
    provenance
        Cases by class, method, seed, version.
    """

    pairs: Mapping[tuple[str, str, str], PairStability]
    provenance: Provenance

    def __getitem__(self, key: str | tuple[str, str, str]) -> PairStability:
        """By measure, if there are two classifiers; or by measure and pair."""
        matches = [
            pair
            for (measure, a, b), pair in self.pairs.items()
            if key in (measure, (measure, a, b), (measure, b, a))
        ]
        if len(matches) != 1:
            known = ", ".join(map(repr, self.pairs))
            raise InputError(f"{key!r} must match one entry, but matches {len(matches)}; give one of {known}.")
        return matches[0]

    def conclusion(self) -> list[str]:
        """State which measures contradict each other on all cases (Ling, Huang & Zhang 2003, definition 1)."""
        return [
            f"{f.measure} and {g.measure} contradict each other: {f.better} is better than {f.worse} by "
            f"{f.measure}, and worse by {g.measure}."
            for f, g in combinations(self.pairs.values(), 2)
            if f.difference and g.difference and (f.better, f.worse) == (g.worse, g.better)
        ]

    def __repr__(self) -> str:
        shown = [f"{k.measure} {k.better} > {k.worse} {number_text(k.share)}" for k in self.pairs.values()]
        return f"OrderStability({'; '.join(shown[:6])}{'; ...' if len(shown) > 6 else ''})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per measure and pair."""
        return [self._row(pair, level) for pair in self.pairs.values()]

    def _row(self, pair: PairStability, level: float) -> dict[str, Any]:
        low, high = pair.confidence_interval(level)
        return {**asdict(pair), "share": plain(pair.share), "share_low": plain(low), "share_high": plain(high)}


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups into which one measure separates classifiers.

    Attributes
    ----------
    measure
        The measure.
    order
        The classifiers from the best to the worst.
    groups
        The longest runs in this order within which no two classifiers differ; they may overlap.
    separated, pairs
        The number of pairs of classifiers that differ, and of all pairs.
    """

    measure: str
    order: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    separated: int
    pairs: int

    def _invariants(self) -> Invariants:
        n = len(self.order)
        yield distinct(self.order), "names must be distinct"
        yield {name for group in self.groups for name in group} == {*self.order}, "groups must have all names"
        yield 0 <= self.separated <= self.pairs == n * (n - 1) // 2, "separated must be among the pairs"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Separation(Result):
    """The groups into which each measure separates the same classifiers at the same level.

    Attributes
    ----------
    measures
        The groups by measure.
    alpha, adjustment
        The level of the tests, and how their p-values were adjusted.
    provenance
        Cases by class, method, version.
    """

    measures: Mapping[str, Groups]
    alpha: float
    adjustment: Adjustment | None
    provenance: Provenance

    def _invariants(self) -> Invariants:
        yield 0 < self.alpha < 1, "alpha must be between 0 and 1"

    def __getitem__(self, measure: str) -> Groups:
        if measure not in self.measures:
            known = ", ".join(map(repr, self.measures))
            raise InputError(f"There is no measure {measure!r} here; there is {known}.")
        return self.measures[measure]

    def __repr__(self) -> str:
        shown = ", ".join(f"{key} {len(separated.groups)}" for key, separated in self.measures.items())
        return f"Separation(groups at {100 * self.alpha:g} %: {shown})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """One record per measure."""
        return [
            {
                "measure": separated.measure,
                "groups": len(separated.groups),
                "separated": separated.separated,
                "pairs": separated.pairs,
                "members": " | ".join(", ".join(group) for group in separated.groups),
            }
            for separated in self.measures.values()
        ]


AnyMeasure = str | Measure


@validated
def order_stability(
    y_true: Any,
    y_score: Mapping[Any, Any] | None = None,
    *,
    measure: AnyMeasure | Sequence[AnyMeasure],
    method: Method | str | None = None,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "raise",
    progress: ProgressOption = None,
) -> OrderStability:
    """Estimate how often each measure orders two classifiers on a resampled test set as it does on all cases.

    A measure that discriminates well orders the classifiers alike on other cases from the same population. All
    measures and classifiers are computed on the same resamples.

    Parameters
    ----------
    y_true, y_score
        True classes and a dict of scores by classifier, or `Scores`; more than two classifiers are compared
        pair by pair.
    measure
        A measure, or several.
    method
        How test sets are drawn; `Bootstrap()` by default.
    labels, pos_label, sample_weight, weight_kind, groups, sampling, missing, progress
        As in `evaluate`.

    Examples
    --------
    >>> from polyroc import datasets, read
    >>> file = datasets.catalogue.path("iris_predictions")
    >>> scores = read(file, truth="species", scores="p_*", classifier="classifier", case="case")
    >>> method = Bootstrap(replicates=500, rng=0)
    >>> stability = order_stability(scores, measure=["hand_till", "accuracy"], method=method)
    >>> stability["hand_till", "lda", "knn"].share, stability["accuracy", "lda", "knn"].share
    (1.0, 0.918)
    """
    options: dict[str, Any] = {
        "labels": labels,
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "weight_kind": weight_kind,
        "groups": groups,
        "sampling": sampling,
    }
    scores = _checked_scores(one_sample(as_scores(y_true, y_score, missing=missing, **options), "order_stability"))
    resampling = _resampling_method(method)
    measures, _ = select_measures([measure] if isinstance(measure, str | Measure) else measure, scores)
    samples = {name: Sample(scores, name) for name in scores.classifiers}
    pairs: dict[tuple[str, str, str], PairStability] = {}
    with progress_callback(progress) as report:
        for one in track(measures, report):
            values = [one(sample).value for sample in samples.values()]
            replicates = resampling.resample(one, list(samples.values()))
            for (i, a), (j, b) in combinations(enumerate(samples), 2):
                pairs[str(one), a, b] = _stability(one, (a, b), (values[i], values[j]), replicates[[i, j]])
    provenance = Provenance.of(scores, repr(resampling), resampling.seed)
    return OrderStability(pairs, replace(provenance, groups=None))


def _checked_scores(scores: Scores) -> Scores:
    """The scores, if there are two classifiers or more and cases of every class."""
    if len(scores.classifiers) < 2:
        raise InputError(
            "At least two classifiers are needed; name each, as in ", Option("y_score", {"NAME": ...}), "."
        )
    if scores.absent:
        raise InputError(f"No case of class {', '.join(map(repr, scores.absent))}; leave the class out of labels.")
    return scores


def _resampling_method(method: Method | str | None) -> Method:
    resampling = as_method(Bootstrap() if method is None else method)
    if resampling is None or not resampling.resamples:
        raise InputError(f"method must be Bootstrap(...), which draws test sets, got {method!r}.")
    return resampling


def _stability(
    measure: Measure, names: tuple[str, str], values: tuple[float, float], replicates: FloatArray
) -> PairStability:
    """The order of two classifiers by their values on all cases, and by the replicates that are defined."""
    better = 1 if measure.larger_is_better else -1
    defined = not np.isnan(values).any()
    order = better * int(signs(*np.array(values)[:, None])[0]) if defined else 0
    orders = better * signs(*replicates[:, ~np.isnan(replicates).any(axis=0)])
    first, second = names if order >= 0 else names[::-1]
    return PairStability(
        str(measure),
        first,
        second,
        abs(values[0] - values[1]) if order else 0.0,
        same=int(np.count_nonzero(orders == order)) if order else 0,
        tied=int(np.count_nonzero(orders == 0)),
        # without an order on all cases, every ordered resample counts as reversed
        reversed=int(np.count_nonzero(orders == -order if order else orders)),
    )


@validated
def separation(
    y_true: Any,
    y_score: Mapping[Any, Any] | None = None,
    *,
    measure: Sequence[AnyMeasure] | AnyMeasure,
    alpha: float = 0.05,
    method: Method | str = DEFAULT,
    adjustment: Adjustment | None = "holm",
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "raise",
    progress: ProgressOption = None,
) -> Separation:
    """Separate classifiers into groups by each measure, with tests at the same level.

    Bradley (1997) found that the AUC separates nine classifiers into more groups than accuracy does in an analysis
    of variance over the folds of a cross-validation. Here each pair is tested on the same cases with `compare`; a
    group is a longest run of classifiers, sorted by the measure, of which no two differ at level `alpha`.

    Parameters
    ----------
    y_true, y_score
        True classes and a dict of scores by classifier, or `Scores`.
    measure
        A measure, or several.
    alpha
        The significance level of the tests.
    method, adjustment
        As in `compare`.
    labels, pos_label, sample_weight, weight_kind, groups, sampling, missing, progress
        As in `evaluate`.

    Examples
    --------
    >>> from polyroc import datasets, read
    >>> file = datasets.catalogue.path("iris_predictions")
    >>> scores = read(file, truth="species", scores="p_*", classifier="classifier", case="case")
    >>> groups = separation(scores, measure=["hand_till", "accuracy"])
    >>> groups
    Separation(groups at 5 %: hand_till 3, accuracy 2)
    >>> groups["accuracy"].groups
    (('lda', 'knn'), ('knn', 'tree'))
    """
    checked_alpha(alpha)
    options: dict[str, Any] = {
        "labels": labels,
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "weight_kind": weight_kind,
        "groups": groups,
        "sampling": sampling,
    }
    scores = _checked_scores(as_scores(y_true, y_score, missing=missing, **options))
    method = as_method(method) or DEFAULT
    measures, _ = select_measures([measure] if isinstance(measure, str | Measure) else measure, scores)
    separated: dict[str, Groups] = {}
    with progress_callback(progress) as report:
        for one in track(measures, report):
            comparison = compare(scores, measure=one, method=method, adjustment=adjustment)
            separated[str(one)] = _groups(one, comparison, alpha)
    return Separation(separated, alpha, adjustment, replace(Provenance.of(scores, repr(method)), groups=None))


def _groups(measure: Measure, comparison: Comparison, alpha: float) -> Groups:
    """The longest runs of classifiers, from the best to the worst, of which no two differ."""
    better = 1.0 if measure.larger_is_better else -1.0
    order = sorted(comparison.estimates, key=lambda name: -better * comparison.estimates[name].value)
    different = {
        frozenset(pair)
        for pair, difference in comparison.differences.items()
        if difference.adjusted_pvalue < alpha
    }
    runs: list[tuple[str, ...]] = []
    end = 0
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not any({name, order[stop]} in different for name in order[start:stop]):
            stop += 1
        if stop > end:  # not part of the run before
            runs.append(tuple(order[start:stop]))
            end = stop
    return Groups(str(measure), tuple(order), tuple(runs), len(different), len(comparison.differences))
