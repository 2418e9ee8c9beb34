"""What measures do on the user's own data: whether their order holds, and how many classifiers they separate."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import nan
from typing import Any

import numpy as np

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
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result, plain
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.validation.arguments import checked_alpha
from polyroc.validation.arrays import Missing
from polyroc.validation.scores import as_scores

__all__ = ["Groups", "Kept", "OrderKept", "Separation", "order_kept", "separation"]


@dataclass(frozen=True, slots=True)
class Kept:
    """How one measure orders two classifiers on resampled test sets.

    Attributes
    ----------
    measure, better, worse
        The measure, and the classifiers as it orders them on all cases; if it does not, as they were given.
    difference
        By how much on all cases, in the measure's own units; 0 if it does not tell them apart.
    same, tied, turned
        On how many resampled test sets the order is the same, undecided, and the other way round.
    """

    measure: str
    better: str
    worse: str
    difference: float
    same: int
    tied: int
    turned: int

    @property
    def share(self) -> float:
        """The share of test sets that are ordered as all cases are; nan if these are not ordered."""
        sets = self.same + self.tied + self.turned
        return self.same / sets if self.difference and sets else nan

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Where the share would be with endlessly many resamples (Clopper & Pearson)."""
        sets = self.same + self.tied + self.turned
        return share_interval(self.same, sets if self.difference else 0, level)

    def _derived(self) -> dict[str, Any]:
        return {"share": self.share}

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {"confidence_interval": list(self.confidence_interval(level))}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OrderKept(Result):
    """How often each measure orders classifiers on a resampled test set as it does on all cases.

    Attributes
    ----------
    kept
        By measure and pair of classifiers, as given.
    provenance
        Cases by class, method, seed, version.
    """

    kept: Mapping[tuple[str, str, str], Kept]
    provenance: Provenance

    def __getitem__(self, key: str | tuple[str, str, str]) -> Kept:
        """By measure, if there are two classifiers; or by measure and pair."""
        found = [
            each
            for (measure, a, b), each in self.kept.items()
            if key in (measure, (measure, a, b), (measure, b, a))
        ]
        if len(found) != 1:
            known = ", ".join(map(repr, self.kept))
            raise InputError(f"{key!r} names {len(found)} of what was found; give one of {known}.")
        return found[0]

    def __repr__(self) -> str:
        shown = [f"{k.measure} {k.better} > {k.worse} {number_text(k.share)}" for k in self.kept.values()]
        return f"OrderKept({'; '.join(shown[:6])}{'; ...' if len(shown) > 6 else ''})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per measure and pair."""
        return [self._row(each, level) for each in self.kept.values()]

    def _row(self, each: Kept, level: float) -> dict[str, Any]:
        low, high = each.confidence_interval(level)
        return {**asdict(each), "share": plain(each.share), "share_low": plain(low), "share_high": plain(high)}


@dataclass(frozen=True, slots=True)
class Groups:
    """Into which groups one measure separates classifiers.

    Attributes
    ----------
    measure
        The measure.
    order
        The classifiers, the best first.
    groups
        The longest runs in this order within which no two classifiers differ; they may overlap.
    separated
        How many pairs of classifiers differ, of how many.
    pairs
        All pairs.
    """

    measure: str
    order: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    separated: int
    pairs: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Separation(Result):
    """Into how many groups each measure separates the same classifiers at the same level.

    Attributes
    ----------
    measures
        By measure.
    alpha, adjustment
        The level of the tests, and how their p-values were adjusted.
    provenance
        Cases by class, method, version.
    """

    measures: Mapping[str, Groups]
    alpha: float
    adjustment: Adjustment | None
    provenance: Provenance

    def __getitem__(self, measure: str) -> Groups:
        if measure not in self.measures:
            known = ", ".join(map(repr, self.measures))
            raise InputError(f"There is no measure {measure!r} here; there is {known}.")
        return self.measures[measure]

    def __repr__(self) -> str:
        shown = ", ".join(f"{key} {len(each.groups)}" for key, each in self.measures.items())
        return f"Separation(groups at {100 * self.alpha:g} %: {shown})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """One record per measure."""
        return [
            {
                "measure": each.measure,
                "groups": len(each.groups),
                "separated": each.separated,
                "pairs": each.pairs,
                "members": " | ".join(", ".join(group) for group in each.groups),
            }
            for each in self.measures.values()
        ]


Asked = str | Measure


def order_kept(
    y_true: Any,
    y_score: Mapping[Any, Any] | None = None,
    *,
    measure: Asked | Sequence[Asked],
    method: Method | str | None = None,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "raise",
    progress: ProgressOption = None,
) -> OrderKept:
    """How often each measure orders two classifiers on a resampled test set as it does on all cases.

    A measure that discriminates well keeps its verdict when other cases of the same kind are drawn. All measures
    and classifiers see the same resamples.

    Parameters
    ----------
    y_true, y_score
        True classes and a dict of scores by classifier, or `Scores`; more than two classifiers pair by pair.
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
    >>> found = order_kept(scores, measure=["hand_till", "accuracy"], method=Bootstrap(n=500, rng=0))
    >>> found["hand_till", "lda", "knn"].share, found["accuracy", "lda", "knn"].share
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
    scores = _several(as_scores(y_true, y_score, missing=missing, **options))
    how = _resampling_method(method)
    measures, _ = select_measures([measure] if isinstance(measure, str | Measure) else measure, scores)
    samples = {name: Sample(scores, name) for name in scores.classifiers}
    kept: dict[tuple[str, str, str], Kept] = {}
    with progress_callback(progress) as report:
        for each in track(measures, report):
            whole = [each(sample).value for sample in samples.values()]
            drawn = how.replicates(each, list(samples.values()))
            for (i, a), (j, b) in combinations(enumerate(samples), 2):
                kept[str(each), a, b] = _kept(each, (a, b), (whole[i], whole[j]), drawn[[i, j]])
    return OrderKept(kept, replace(Provenance.of(scores, repr(how), how.seed), groups=None))


def _several(scores: Scores) -> Scores:
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


def _kept(measure: Measure, names: tuple[str, str], whole: tuple[float, float], drawn: FloatArray) -> Kept:
    better = 1 if measure.larger_is_better else -1
    known = not np.isnan(whole).any()
    verdict = better * int(signs(*np.array(whole)[:, None])[0]) if known else 0
    found = better * signs(*drawn[:, ~np.isnan(drawn).any(axis=0)])
    first, second = names if verdict >= 0 else names[::-1]
    return Kept(
        str(measure),
        first,
        second,
        abs(whole[0] - whole[1]) if verdict else 0.0,
        same=int(np.count_nonzero(found == verdict)) if verdict else 0,
        tied=int(np.count_nonzero(found == 0)),
        turned=int(np.count_nonzero(found == -verdict)) if verdict else int(np.count_nonzero(found)),
    )


def separation(
    y_true: Any,
    y_score: Mapping[Any, Any] | None = None,
    *,
    measure: Sequence[Asked] | Asked,
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
    """Into how many groups each measure separates the same classifiers, at the same level.

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
        The level of the tests.
    method, adjustment
        As in `compare`.
    labels, pos_label, sample_weight, weight_kind, groups, sampling, missing, progress
        As in `evaluate`.

    Examples
    --------
    >>> from polyroc import datasets, read
    >>> file = datasets.catalogue.path("iris_predictions")
    >>> scores = read(file, truth="species", scores="p_*", classifier="classifier", case="case")
    >>> found = separation(scores, measure=["hand_till", "accuracy"])
    >>> found
    Separation(groups at 5 %: hand_till 3, accuracy 2)
    >>> found["accuracy"].groups
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
    scores = _several(as_scores(y_true, y_score, missing=missing, **options))
    method = as_method(method) or DEFAULT
    measures, _ = select_measures([measure] if isinstance(measure, str | Measure) else measure, scores)
    found: dict[str, Groups] = {}
    with progress_callback(progress) as report:
        for each in track(measures, report):
            compared = compare(scores, measure=each, method=method, adjustment=adjustment)
            found[str(each)] = _groups(each, compared, alpha)
    return Separation(found, alpha, adjustment, replace(Provenance.of(scores, repr(method)), groups=None))


def _groups(measure: Measure, found: Comparison, alpha: float) -> Groups:
    better = 1.0 if measure.larger_is_better else -1.0
    order = sorted(found.estimates, key=lambda name: -better * found.estimates[name].value)
    apart = {frozenset(pair) for pair, each in found.differences.items() if each.adjusted_pvalue < alpha}
    runs: list[tuple[str, ...]] = []
    end = 0
    for start in range(len(order)):
        last = start + 1
        while last < len(order) and not any({name, order[last]} in apart for name in order[start:last]):
            last += 1
        if last > end:  # not inside the run before
            runs.append(tuple(order[start:last]))
            end = last
    return Groups(str(measure), tuple(order), tuple(runs), len(apart), len(found.differences))
