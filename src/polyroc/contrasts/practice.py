"""Discrimination in practice: what measures make of the user's own classifiers."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from polyroc._normalise import Missing, as_scores
from polyroc.contrasts.judging import signs
from polyroc.errors import InputError
from polyroc.inference.bootstrap import Bootstrap, replicates
from polyroc.inference.comparing import compare
from polyroc.inference.evaluating import Progress, choose
from polyroc.inference.methods import DEFAULT, Method, checked
from polyroc.kernels.arrays import FloatArray
from polyroc.measures import Measure, Sample
from polyroc.results import Comparison, Provenance
from polyroc.results.practice import Groups, Kept, OrderKept, Separation
from polyroc.results.simultaneous import Adjustment
from polyroc.scores import Sampling, Scores, WeightKind

__all__ = ["order_kept", "separation"]

Asked = str | Measure


def order_kept(
    y_true: Any,
    y_score: Mapping[Any, Any] | None = None,
    *,
    measure: Asked | Sequence[Asked],
    method: Bootstrap | None = None,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "refuse",
    progress: Progress | None = None,
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
    how = _checked_bootstrap(method).settled()
    measures, _ = choose([measure] if isinstance(measure, str | Measure) else measure, scores)
    samples = {name: Sample(scores, name) for name in scores.classifiers}
    kept: dict[tuple[str, str, str], Kept] = {}
    for done, each in enumerate(measures):
        if progress is not None:
            progress(done, len(measures), str(each))
        whole = [each(sample).value for sample in samples.values()]
        drawn = replicates(how, each, list(samples.values()))
        for (i, a), (j, b) in combinations(enumerate(samples), 2):
            kept[str(each), a, b] = _kept(each, (a, b), (whole[i], whole[j]), drawn[[i, j]])
    seed = how.rng if isinstance(how.rng, int) else None
    return OrderKept(kept, replace(Provenance.of(scores, repr(how), seed), groups=None))


def _several(scores: Scores) -> Scores:
    if len(scores.classifiers) < 2:
        raise InputError("Two or more classifiers are needed; give y_score as a dict by classifier.")
    if scores.absent:
        raise InputError(f"No case of class {', '.join(map(repr, scores.absent))}; leave the class out of labels.")
    return scores


def _checked_bootstrap(method: Any) -> Bootstrap:
    if method is None:
        return Bootstrap()
    if not isinstance(method, Bootstrap):
        raise InputError(f"method must be Bootstrap(...), which draws test sets, got {method!r}.")
    return method


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
    method: Method = DEFAULT,
    adjustment: Adjustment | None = "holm",
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "refuse",
    progress: Progress | None = None,
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
    if not 0 < alpha < 1:
        raise InputError(f"alpha must be between 0 and 1 (0.05 for 5 %), got {alpha!r}.")
    options: dict[str, Any] = {
        "labels": labels,
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "weight_kind": weight_kind,
        "groups": groups,
        "sampling": sampling,
    }
    scores = _several(as_scores(y_true, y_score, missing=missing, **options))
    method = checked(method) or DEFAULT
    measures, _ = choose([measure] if isinstance(measure, str | Measure) else measure, scores)
    found: dict[str, Groups] = {}
    for done, each in enumerate(measures):
        if progress is not None:
            progress(done, len(measures), str(each))
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
