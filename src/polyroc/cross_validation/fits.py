"""Fits of scikit-learn estimators: clone, seed, train, predict, in one process or several."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence, Set, Sized
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import numpy as np

from polyroc.errors import InputError, MissingPackageError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr
from polyroc.progress import Progress
from polyroc.validation.arrays import as_array
from polyroc.validation.data_frames import check_alignment

__all__ = [
    "Fit",
    "Response",
    "Training",
    "count_cases",
    "in_label_order",
    "last_step",
    "named_estimators",
    "require_scikit_learn",
    "response_of",
    "results_as_completed",
    "run_fits",
    "select_rows",
    "set_random_state",
    "train_and_predict",
]

Response = Literal["predict_proba", "decision_function"]
ROUND = 4  # calls per worker in a round, with backends that return nothing before all calls are done


def require_scikit_learn(verb: str) -> None:
    """Raise an error if scikit-learn, which is no dependency of polyroc, is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise MissingPackageError(
            f"{verb} needs scikit-learn, which is not installed; pip install scikit-learn."
        ) from error


def count_cases(X: Any, y: Any) -> int:
    """Return the number of cases, which must be the same in X and y."""
    truth = as_array(y, "y")
    if truth.ndim != 1:
        raise InputError(f"y must hold one class per case, got shape {truth.shape}.")
    shape = getattr(X, "shape", None)
    sized = isinstance(X, Sized) and not isinstance(X, str | bytes | Mapping | Set)
    rows = shape[0] if shape else len(X) if sized and shape is None else None
    if rows != len(truth):
        raise InputError(
            f"X must hold the features of each of the {len(truth)} cases of y, got "
            f"{short_repr(X) if rows is None else f'{rows} rows'}."
        )
    check_alignment(X=X, y=y)
    return len(truth)


def named_estimators(estimators: Any) -> dict[str, Any]:
    """Estimators by name: a mapping, a list (named by their classes), or one of them.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> list(named_estimators([GaussianNB(), GaussianNB(priors=[0.5, 0.5])]))
    ['GaussianNB', 'GaussianNB 2']
    """
    if isinstance(estimators, Mapping):
        named = {str(name): estimator for name, estimator in estimators.items()}
    else:
        # A pipeline has a length, too, but is an estimator.
        several = isinstance(estimators, list | tuple)
        named = {}
        for estimator in estimators if several else [estimators]:
            name = type(last_step(estimator)).__name__
            taken = sum(1 for other in named if other == name or other.startswith(f"{name} "))
            named[f"{name} {taken + 1}" if taken else name] = estimator
    if not named:
        raise InputError("estimators must be one scikit-learn classifier or several, got none.")
    for name, estimator in named.items():
        if isinstance(estimator, type) or not hasattr(estimator, "fit"):
            raise InputError(
                f"estimators must be scikit-learn classifiers or pipelines (objects with fit), got "
                f"{short_repr(estimator)} ({name})."
            )
    return named


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline; any other estimator itself."""
    return estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator


def response_of(name: str, estimator: Any) -> Response:
    """Return the method an estimator predicts with: predict_proba if it has it, else decision_function."""
    if hasattr(estimator, "predict_proba"):
        return "predict_proba"
    if hasattr(estimator, "decision_function"):
        return "decision_function"
    raise InputError(
        f"{name} has neither predict_proba nor decision_function; calibrate it with "
        "sklearn.calibration.CalibratedClassifierCV."
    )


def set_random_state(estimator: Any, seed: int) -> None:
    """Give the seed to every parameter random_state that is not set, those of parts included."""
    if not hasattr(estimator, "get_params"):
        return
    unset = [
        name
        for name, value in estimator.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    if unset:
        estimator.set_params(**dict.fromkeys(unset, seed))


def in_label_order(
    table: FloatArray, learned: Sequence[Any], labels: Sequence[Any], absent: float = 0.0
) -> FloatArray:
    """Return the columns of predictions in the order of the labels.

    Parameters
    ----------
    table
        Cases x learned classes.
    learned
        The classes of the columns, all of them among the labels.
    labels
        All classes.
    absent
        The prediction of a class without a training case: probability 0, or a low decision value.
    """
    known = [label.item() if isinstance(label, np.generic) else label for label in learned]
    if known == list(labels):
        return table
    whole = np.full((len(table), len(labels)), absent)
    whole[:, [list(labels).index(label) for label in known]] = table
    return whole


def select_rows(X: Any, rows: IntArray) -> Any:
    """Return some rows of the features, or of anything else with an entry per case."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return [X[row] for row in rows] if isinstance(X, list | tuple) else X[rows]


def train_and_predict(
    model: Any, response: str, X: Any, y: Any, train: IntArray, test: IntArray, **parameters: Any
) -> FloatArray:
    """Train a model on some cases and return its predictions of others, as they are."""
    model.fit(select_rows(X, train), y[train], **parameters)
    return np.asarray(getattr(model, response)(select_rows(X, test)), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Training:
    """What all fits have in common: features, labels, the classes, and parameters of `fit`."""

    X: Any
    y: Any
    labels: tuple[Any, ...]
    parameters: Mapping[str, Any]

    def parameters_of(self, train: IntArray) -> dict[str, Any]:
        """Return the parameters of `fit`; one with an entry per case is restricted to the training cases."""
        n = len(self.y)
        per_case = {
            name: not isinstance(value, str) and hasattr(value, "__len__") and len(value) == n
            for name, value in self.parameters.items()
        }
        return {
            name: select_rows(value, train) if per_case[name] else value for name, value in self.parameters.items()
        }


@dataclass(frozen=True, slots=True)
class Fit:
    """One fit: an estimator trained on some cases, and its predictions of others.

    Attributes
    ----------
    name, place
        The estimator and the fold, for messages.
    estimator, response, seed
        The unfitted estimator, what it predicts with, and the seed of everything random in it.
    train, test
        Positions of the cases.
    """

    name: str
    place: str
    estimator: Any
    response: Response
    seed: int
    train: IntArray
    test: IntArray

    def predict(self, training: Training) -> FloatArray:
        """Predictions of the test cases: probabilities by class, or the decision function as it is."""
        from sklearn.base import clone

        model = clone(self.estimator)
        set_random_state(model, self.seed)
        parameters = training.parameters_of(self.train)
        try:
            table = train_and_predict(
                model, self.response, training.X, training.y, self.train, self.test, **parameters
            )
        except Exception as error:
            raise InputError(
                f"{self.name} failed in {self.place} ({len(self.train)} training cases): {type(error).__name__}: "
                f"{error}"
            ) from error
        decides = self.response == "decision_function"
        if decides and table.ndim == 1:
            if len(training.labels) == 2:
                return table
            table = np.column_stack([-table, table])  # the training set had two of the classes
        learned = getattr(model, "classes_", training.labels)
        if table.shape != (len(self.test), len(learned)):
            raise InputError(
                f"Expected {self.response} of {self.name} with one column per class ({len(learned)}), got shape "
                f"{table.shape} for {len(self.test)} cases; for a support vector machine, use "
                "decision_function_shape='ovr'."
            )
        return in_label_order(table, learned, training.labels, float(table.min()) - 1.0 if decides else 0.0)


def run_fits(
    fits: Sequence[Fit],
    training: Training,
    n_jobs: int | None,
    progress: Progress | None,
    reduce: Callable[[Fit, FloatArray], Any] | None = None,
) -> list[Any]:
    """Return the predictions of each fit, in their order, whatever the number of processes.

    Parameters
    ----------
    fits, training
        What to do.
    n_jobs
        Number of processes, as in scikit-learn.
    progress
        Called after each fit.
    reduce
        What to keep of the predictions of a fit; by default all.
    """
    from joblib import delayed, effective_n_jobs

    results: list[Any] = [None] * len(fits)
    workers = min(effective_n_jobs(n_jobs), max(len(fits), 1))  # joblib starts as many as it may
    if progress is not None:
        progress(0, len(fits), f"{len(fits)} fits")
    calls = (delayed(_predict)(number, fit, training) for number, fit in enumerate(fits))
    for done, (number, values) in enumerate(results_as_completed(workers, calls), 1):
        results[number] = values if reduce is None else reduce(fits[number], values)
        if progress is not None:
            progress(done, len(fits), f"{fits[number].name}, {fits[number].place}")
    return results


def _predict(number: int, fit: Fit, training: Training) -> tuple[int, FloatArray]:
    return number, fit.predict(training)


def results_as_completed(n_jobs: int, calls: Iterable[Any], **options: Any) -> Generator[Any]:
    """Return the results of delayed calls, in the order in which they finish.

    Some backends of joblib, such as that of Ray, return results only together. They get the calls in rounds, so
    that what is done can be stored meanwhile. The options are those of `joblib.Parallel`.

    Examples
    --------
    >>> from joblib import delayed
    >>> sorted(results_as_completed(1, (delayed(abs)(number) for number in (-2, 1))))
    [1, 2]
    """
    from joblib import Parallel
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend(prefer=options.get("prefer", "processes"))
    if getattr(backend, "supports_return_generator", False):
        with closing(Parallel(n_jobs, return_as="generator_unordered", **options)(calls)) as results:
            yield from results
        return
    waiting = iter(calls)
    with Parallel(n_jobs, **options) as parallel:  # one pool of workers for all rounds
        while some := list(islice(waiting, ROUND * max(n_jobs, 1))):
            yield from parallel(some)
