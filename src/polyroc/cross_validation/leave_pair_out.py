"""The verb `leave_pair_out`: the AUC and Hand & Till's M where classes are too small for folds."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from math import nan
from typing import Any

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.cross_validation.fits import (
    Fit,
    Training,
    count_cases,
    named_estimators,
    require_scikit_learn,
    response_of,
    run_fits,
)
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.measures.measure import Measure
from polyroc.measures.pairwise import area_gradient
from polyroc.measures.registry import MEASURES
from polyroc.measures.registry import measure as find
from polyroc.messages import Call, Option
from polyroc.progress import ProgressOption, progress_callback
from polyroc.scores import Scores
from polyroc.validation.random import NJobs, Rng, check_n_jobs, seed_for, seed_of
from polyroc.validation.signatures import validated

__all__ = ["leave_pair_out", "pair_value"]

METHOD = "leave-one-pair-out; no standard error"
MOST_FITS = 20_000


@validated
def leave_pair_out(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    measure: str | Measure | None = None,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    fit_params: Mapping[str, Any] | None = None,
    most_fits: int = MOST_FITS,
    rng: Rng = 0,
    n_jobs: NJobs = None,
    progress: ProgressOption = None,
) -> Estimate | Evaluation:
    """Estimate the AUC, or Hand & Till's M, by leave-one-pair-out cross-validation (Airola et al. 2011).

    For each two cases of different classes, a model is trained on all other cases, and it is recorded whether it
    ranks the two correctly (one half for a tie). The AUC is the mean over all pairs of a positive and a negative
    case; M the mean over pairs of classes, where either class's probability ranks the two cases. Only predictions
    of the same model are compared, and training sets have all cases but two: nearly unbiased where a class has too
    few cases for folds, and instead of leave-one-out, whose pooled AUC is biased towards 0.

    The value estimates the average performance of these models on new cases. It has **no standard error and no
    interval** (nan): the errors of pairs whose models were trained on each other's cases are correlated, by an
    amount that one run does not show. Even with twice the variance of the structural components, which is
    their largest share to second order, intervals for features without signal contained the true value in 88
    to 97 % of samples (docs/cross_validation.md). Where folds are possible, use `out_of_fold` with repeats,
    which has valid intervals and tests.

    The number of fits is the number of pairs: 400 for 20 and 20 cases, 2,500 for 50 and 50.

    Parameters
    ----------
    estimators, X, y, fit_params, rng, n_jobs, progress
        As in `out_of_fold`.
    measure
        "auc" or "hand_till"; by default the one for the number of classes.
    labels, pos_label
        As in `evaluate`.
    most_fits
        Raise an error, before the first fit, if more are needed.

    Returns
    -------
    Estimate or Evaluation
        An `Estimate` for one estimator, an `Evaluation` for a list or dict of them.

    References
    ----------
    Airola, Pahikkala, Waegeman, De Baets & Salakoski, Computational Statistics & Data Analysis 55 (2011)
    1828-1844.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[50::7, ::3], y[50::7]  # 15 flowers of two species
    >>> leave_pair_out(LinearDiscriminantAnalysis(), X, y, pos_label=2)
    Estimate(auc = 0.9464, standard error nan, 95 % nan to nan)
    """
    require_scikit_learn("leave_pair_out")
    check_n_jobs(n_jobs)
    named = named_estimators(estimators)
    scores = Scores(
        y,
        dict.fromkeys(
            named, np.zeros((count_cases(X, y), len(set(np.asarray(y).tolist()) if labels is None else labels)))
        ),
        labels=labels,
        pos_label=pos_label,
    )
    chosen = _checked_measure(measure, scores)
    pairs = _pairs(scores, len(named), most_fits)
    seed = seed_of(rng)
    everyone = np.arange(len(scores))
    fits = [
        Fit(
            name,
            f"pair {number + 1} of {len(pairs)}",
            estimator,
            response_of(name, estimator),
            seed_for(seed, name, number),
            np.delete(everyone, pair),
            np.array(pair),
        )
        for name, estimator in named.items()
        for number, pair in enumerate(pairs)
    ]
    training = Training(X, np.asarray(y), scores.labels, fit_params or {})
    with progress_callback(progress) as report:
        outcomes = np.array(
            run_fits(fits, training, n_jobs, report, lambda fit, table: _outcome(fit, table, scores))
        )
    seeded = Provenance.of(scores, METHOD, seed)
    estimates = {
        (name, str(chosen)): _estimate(chosen, name, pair_value(own, np.array(pairs), scores.codes), seeded)
        for name, own in zip(named, outcomes.reshape(len(named), -1), strict=True)
    }
    if isinstance(estimators, list | tuple | Mapping):
        return Evaluation(estimates, {})
    return next(iter(estimates.values()))


def _estimate(measure: Measure, classifier: str, value: float, provenance: Provenance) -> Estimate:
    return Estimate(
        measure=str(measure),
        name=measure.full_name,
        classifier=classifier,
        value=value,
        standard_error=nan,
        limits=(0.0, 1.0),
        chance=0.5,
        fewest=nan,
        provenance=provenance,
    )


def _checked_measure(measure: str | Measure | None, scores: Scores) -> Measure:
    known = [candidate for candidate in MEASURES.values() if _is_mean_of_pairs(candidate)]
    fitting = next(candidate for candidate in known if candidate.classes[1] in (None, scores.n_classes))
    chosen = fitting if measure is None else find(measure)
    if not _is_mean_of_pairs(chosen):
        raise NotApplicableError(
            f"This is for measures of pairs of cases, {' and '.join(map(str, known))}, not for {chosen}; use ",
            Call("out_of_fold", ...),
            ".",
        )
    _, most = chosen.classes
    if most is not None and scores.n_classes > most:
        raise NotApplicableError(
            f"{chosen} is for {most} classes, here {scores.n_classes}; use ", Option("measure", fitting.key)
        )
    if scores.counts.min() < 2:
        name = scores.names[int(np.argmin(scores.counts))]
        raise InputError(
            f"Class {name!r} has {scores.counts.min()} case, so a model trained without it would not know the "
            "class; two or more are needed."
        )
    return chosen


def _is_mean_of_pairs(measure: Measure) -> bool:
    """Tell whether it is the area, or a mean of the areas of pairs of classes that weighs them all the same."""
    if measure.areas is None:
        return False
    if measure.needs == "score":
        return measure.area_line == (0.0, 1.0)
    gradient, intercept = area_gradient(measure.areas.value, np.array([1.0, 2.0, 3.0]))
    return intercept == 0.0 and np.allclose(gradient, (1.0 - np.eye(3)) / 6.0, rtol=1e-12, atol=0.0)


def _pairs(scores: Scores, estimators: int, most: int) -> list[tuple[int, int]]:
    """All pairs of cases of different classes."""
    by_class = [np.flatnonzero(scores.codes == k).tolist() for k in range(scores.n_classes)]
    pairs = [(i, j) for a, b in combinations(by_class, 2) for i in a for j in b]
    if len(pairs) * estimators > most:
        raise InputError(
            f"{len(pairs)} pairs of cases for {estimators} estimators need {len(pairs) * estimators} fits, more "
            f"than most_fits={most}; with so many cases folds are large enough: use ",
            Call("out_of_fold", ...),
            ".",
        )
    return pairs


def _outcome(fit: Fit, table: FloatArray, scores: Scores) -> float:
    """1 if the model ranks the two cases correctly, 0 if not, 1/2 if it ties them; the mean of both columns."""
    first, second = scores.codes[fit.test]
    if table.ndim == 1:  # a decision function of two classes, high for the second
        return float(np.heaviside(table[1] - table[0], 0.5))
    own, other = table[0, first] - table[1, first], table[1, second] - table[0, second]
    return float((np.heaviside(own, 0.5) + np.heaviside(other, 0.5)) / 2.0)


def pair_value(outcomes: FloatArray, pairs: IntArray, codes: CodeArray) -> float:
    """Return the mean outcome of the pairs of each two classes, averaged over the pairs of classes.

    Parameters
    ----------
    outcomes, pairs
        The outcome of each pair, and the positions of its two cases.
    codes
        The classes of the cases.
    """
    classes = np.sort(codes[pairs], axis=1)
    _, which = np.unique(classes, axis=0, return_inverse=True)
    which = which.ravel()
    return float(np.mean(np.bincount(which, outcomes) / np.bincount(which)))
