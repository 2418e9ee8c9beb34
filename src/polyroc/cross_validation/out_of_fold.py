"""The verb `out_of_fold`: predictions of scikit-learn estimators in a cross-validation, with their folds."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from polyroc.cross_validation.fits import (
    Fit,
    Response,
    Training,
    count_cases,
    named_estimators,
    require_scikit_learn,
    response_of,
    run_fits,
)
from polyroc.cross_validation.splits import Split, make_splits
from polyroc.errors import InputError, OptimismWarning, UnseenClassWarning, warn
from polyroc.kernels.arrays import FloatArray
from polyroc.progress import ProgressOption, progress_callback
from polyroc.scores import Scores
from polyroc.validation.random import NJobs, Rng, seed_for, seed_of
from polyroc.validation.signatures import validated

__all__ = ["out_of_fold"]

REPEATS = 5


@validated
def out_of_fold(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    repeats: int | None = None,
    groups: Any = None,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    rng: Rng = 0,
    n_jobs: NJobs = None,
    progress: ProgressOption = None,
) -> Scores:
    """Predict every case by models that were not trained on it, and remember which model it was.

    Returns `Scores` with folds and repeats, on which every verb computes measures within folds:

        pr.compare(pr.out_of_fold({"logistic": a, "forest": b}, X, y), measure="auc")

    It is not called cross_validate because scikit-learn's function of that name returns numbers by fold, without
    the predictions; scikit-learn's `cross_val_predict` returns the predictions without the folds (see
    `folds_of`), and only of one repeat.

    Parameters
    ----------
    estimators
        A scikit-learn classifier or pipeline, a list of them, or a dict by name. They are cloned, not modified.
        All get the same folds, so comparisons are paired. They predict with `predict_proba`, or with
        `decision_function` if they do not have it: decision values are passed on as they are, which is enough for
        measures of ranks and of decisions; those that need probabilities raise an error. Of two classes there is
        then one score per case for all of them.
    X, y
        Features (arrays, data frames, sparse matrices: whatever the estimators take) and classes.
    cv
        A number of stratified folds in random order (with groups, folds of whole groups); a splitter of
        scikit-learn such as `RepeatedStratifiedKFold`; or pairs of training and test positions. The test sets of
        a repeat must be a partition of the cases.
    repeats
        How often to draw folds anew, if `cv` is a number; 5 by default. Only from several repeats can the
        standard error account for the training cases that folds share; with `repeats=1`, five times faster, it is
        too small for models that hardly predict (docs/cross_validation.md).
    groups
        Cases that belong together (one patient): they stay in one fold, and standard errors count groups.
    labels, pos_label, sample_weight
        As in `evaluate`. Weights are for the evaluation; for training, use `fit_params`.
    fit_params
        Passed to `fit` of every estimator. An entry with one value per case is restricted to the training cases.
    rng
        Seed of the folds and of every `random_state` that an estimator does not set.
    n_jobs
        Number of processes, as in scikit-learn: -1 for all cores. The answer does not depend on it.
    progress
        True for a progress bar on the standard error, or a function called with (done, total, message).

    Raises
    ------
    polyroc.errors.InputError
        If the test sets are no partition, a class has fewer cases than there are folds or is the only one in a
        training set, or an estimator fails.

    Warns
    -----
    polyroc.errors.UnseenClassWarning
        If a class has no case in a training set: the model then gives it probability 0, or a decision value
        below all others.
    polyroc.errors.OptimismWarning
        If a splitter puts cases of one group into a training set and its test set.

    Examples
    --------
    >>> import polyroc as pr
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> scores = out_of_fold({"lda": LinearDiscriminantAnalysis(), "bayes": GaussianNB()}, X[:, :2], y)
    >>> scores
    Scores(150 cases (0: 50, 1: 50, 2: 50) in 5 repeats of 5 folds; matrix of lda, bayes)
    """
    require_scikit_learn("out_of_fold")
    named, n = named_estimators(estimators), count_cases(X, y)
    responses = {name: response_of(name, estimator) for name, estimator in named.items()}
    options: dict[str, Any] = {"labels": labels, "pos_label": pos_label}
    blank = _blank(y, n, responses, {**options, "sample_weight": sample_weight, "groups": groups})
    seed = seed_of(rng)
    repeats = REPEATS if repeats is None and isinstance(cv, int | np.integer) else repeats
    splits = make_splits(cv, repeats, X, y, blank.codes, groups, blank.names, seed)
    _check_training_sets(splits, blank)
    fits = [
        Fit(name, _place(split, splits), estimator, responses[name], seed_for(seed, name, *split[:2]), *split[2:])
        for name, estimator in named.items()
        for split in splits
    ]
    training = Training(X, np.asarray(y), blank.labels, fit_params or {})
    with progress_callback(progress) as report:
        tables = iter(run_fits(fits, training, n_jobs, report))
    values = {name: _assembled([next(tables) for _ in splits], splits, blank) for name in named}
    by_case = {"sample_weight": sample_weight, "groups": groups}
    return _scores(values, splits, blank, {**options, **_tiled(by_case, splits)})


def _blank(y: Any, n: int, responses: Mapping[str, Response], options: Mapping[str, Any]) -> Scores:
    """Scores without information, so that every error about labels, weights and groups comes before the fits."""
    n_labels = len(set(np.asarray(y).tolist())) if options["labels"] is None else len(options["labels"])
    one_score = n_labels == 2 and "decision_function" in responses.values()
    values = np.zeros(n) if one_score else np.zeros((n, n_labels))
    return Scores(y, dict.fromkeys(responses, values), **options)


def _place(split: Split, splits: Sequence[Split]) -> str:
    return f"fold {split.fold + 1}" + (f" of repeat {split.repeat + 1}" if splits[-1].repeat else "")


def _check_training_sets(splits: Sequence[Split], scores: Scores) -> None:
    """Raise an error for a training set of one class; warn of classes that are missing in one, and of groups."""
    unseen: dict[str, list[str]] = {}
    for split in splits:
        counts = np.bincount(scores.codes[split.train], minlength=scores.n_classes)
        if np.count_nonzero(counts) < 2:
            absent = ", ".join(repr(name) for name, count in zip(scores.names, counts, strict=True) if not count)
            raise InputError(
                f"The training set of {_place(split, splits)} has no case of class {absent}, so there is nothing "
                "to learn; stratify the folds."
            )
        for name, count in zip(scores.names, counts.tolist(), strict=True):
            if count == 0 and scores.cases[name]:
                unseen.setdefault(name, []).append(_place(split, splits))
    for name, places in unseen.items():
        warn(
            f"Class {name!r} has no training case in {_some(places)}: its predicted probability is 0 there (a "
            "decision value is the lowest). "
            "Stratify the folds, or use more of them.",
            UnseenClassWarning,
        )
    _warn_of_separated_groups(splits, scores)


def _some(places: Sequence[str]) -> str:
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return ", ".join(places[:3]) + more


def _warn_of_separated_groups(splits: Sequence[Split], scores: Scores) -> None:
    if scores.groups is None:
        return
    places = [
        _place(split, splits)
        for split in splits
        if np.isin(scores.groups[split.test], scores.groups[split.train]).any()
    ]
    if places:
        warn(
            f"Cases of one group are in the training set and in the test set of {_some(places)}: the values may "
            "be too high. Use a splitter that keeps groups together (StratifiedGroupKFold), or a number of folds.",
            OptimismWarning,
        )


def _assembled(tables: Sequence[FloatArray], splits: Sequence[Split], scores: Scores) -> FloatArray:
    """Return the predictions of one estimator: all cases of the first repeat, then of the second, and so on."""
    n, rows = len(scores), len(scores) * (splits[-1].repeat + 1)
    values = np.empty((rows, *tables[0].shape[1:]))
    for table, split in zip(tables, splits, strict=True):
        values[split.repeat * n + split.test] = table
    if scores.kind != "score":
        return values
    # Decision values indicate the last class; of probabilities the column of the positive class is taken.
    assert scores.positive is not None
    if values.ndim == 2:
        return np.ascontiguousarray(values[:, scores.positive])
    return values if scores.positive == 1 else -values


def _tiled(by_case: Mapping[str, Any], splits: Sequence[Split]) -> dict[str, Any]:
    """Repeat the columns with an entry per case for every repeat."""
    times = splits[-1].repeat + 1
    return {
        name: None if column is None else np.tile(np.asarray(column), times) for name, column in by_case.items()
    }


def _scores(
    values: Mapping[str, FloatArray],
    splits: Sequence[Split],
    blank: Scores,
    options: Mapping[str, Any],
) -> Scores:
    """Return the scores of all repeats with their folds."""
    times, n = splits[-1].repeat + 1, len(blank)
    folds = np.empty(n * times, dtype=np.int64)
    for split in splits:
        folds[split.repeat * n + split.test] = split.fold + 1
    repeats = np.repeat(np.arange(1, times + 1), n) if times > 1 else None
    y = np.tile(_labels_of(blank), times)
    return Scores(y, dict(values), folds=folds, repeats=repeats, **options)


def _labels_of(scores: Scores) -> Any:
    """Return the labels of the cases as an array that keeps their types."""
    labels = np.empty(scores.n_classes, dtype=object)
    labels[:] = scores.labels
    return labels[scores.codes]
