"""One fit of a study: train a learner on some cases, predict the others, check the predictions."""

import random
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from polyroc.cross_validation.fits import in_label_order, train_and_predict
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.studies.data import Data
from polyroc.studies.import_paths import importable_from
from polyroc.studies.learners import make_model
from polyroc.studies.plan_entries import Learner, Output, Step
from polyroc.studies.splits import training_cases

__all__ = [
    "FitKey",
    "FitResult",
    "FitTask",
    "UnusableError",
    "check_predictions",
    "failed_fit",
    "fit",
    "prepare_model",
    "preserved_random_state",
]

TOLERANCE = 1e-5  # of probabilities and their sums: learners that compute in single precision are off by some 1e-6
LONGEST_FAILURE, LONGEST_WARNING = 500, 300  # characters stored of a message


class FitKey(NamedTuple):
    """Which fit of a study: positions of its data set, learner and block."""

    data_set: int
    learner: int
    block: int


@dataclass(frozen=True, slots=True)
class FitTask:
    """A fit to be done: everything that a worker needs except the data.

    Attributes
    ----------
    key, test, seed
        Which fit, the positions of its test cases, and the seed of everything random in it.
    learner, steps
        The learner and its preprocessing.
    limit
        Seconds that the fit may take (None: no limit).
    folder, run
        Where modules of the user are imported from, and a name that all fits of one call of `study` share.
    """

    key: FitKey
    test: IntArray
    seed: int
    learner: Learner
    steps: tuple[Step, ...]
    limit: float | None = None
    folder: Path | None = None
    run: str = ""


@dataclass(frozen=True, slots=True)
class FitResult:
    """The outcome of a fit: predictions (test cases x classes), or why there are none.

    Attributes
    ----------
    key
        Which fit.
    probabilities, failure
        The predictions, or the message of a failed fit; the other one is None.
    seconds
        Time to train and predict.
    warnings
        Warnings of the learner, one per line.
    """

    key: FitKey
    probabilities: FloatArray | None
    failure: str | None
    seconds: float
    warnings: str = ""


class UnusableError(Exception):
    """The predictions of a learner are not a table of probabilities, or of decision values."""


def failed_fit(task: FitTask, error: str | Exception, seconds: float, warned: str = "") -> FitResult:
    """Return the result of a fit that failed; its message is shortened to one line."""
    own = isinstance(error, str | UnusableError)
    message = str(error) if own else f"{type(error).__name__}: {error}"
    line = " ".join(message.split())
    if len(line) > LONGEST_FAILURE:
        line = f"{line[: LONGEST_FAILURE - 3]}..."
    return FitResult(task.key, None, line, seconds, warned)


def prepare_model(task: FitTask, data: Data) -> Any:
    """Make the unfitted model of a task; everything that it needs is imported afterwards."""
    with importable_from(task.folder):
        model = make_model(task.learner, task.steps, data, task.seed)
    _thread_pools(task.learner.path or task.learner.description or "")
    return model


def fit(task: FitTask, data: Data, model: Any = None) -> FitResult:
    """Do a fit in this process. An exception of the learner makes it a failed fit."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught, importable_from(task.folder):
        warnings.simplefilter("default")
        _seed_global_generators(task.seed)
        try:
            model = prepare_model(task, data) if model is None else model
            with _thread_pools(task.learner.path or task.learner.description or "").limit(limits=1):
                probabilities = _predict(task, data, model)
        except Exception as error:
            return failed_fit(task, error, time.perf_counter() - start, _warning_lines(caught))
    return FitResult(task.key, probabilities, None, time.perf_counter() - start, _warning_lines(caught))


def _predict(task: FitTask, data: Data, model: Any) -> FloatArray:
    train, response = training_cases(len(data), task.test), task.learner.output
    values = train_and_predict(model, response, data.X, data.y, train, task.test)
    return check_predictions(response, values, data.labels, len(task.test), getattr(model, "classes_", None))


def check_predictions(
    output: Output, values: FloatArray, labels: tuple[Any, ...], cases: int, classes: Any = None
) -> FloatArray:
    """Return predictions with one column for each class of the data, or raise an error.

    Of two classes, decision values d become (-d, d). A class without a training case gets probability 0, or the
    lowest decision value. `classes` are those of the columns, if not all.
    """
    columns = labels if classes is None else classes
    learned = [label.item() if isinstance(label, np.generic) else label for label in columns]
    kind = "probabilities" if output == "predict_proba" else "decision values"
    table = values.ravel() if output == "score" else values
    if table.ndim == 1 and kind == "decision values":
        table = np.column_stack([-table, table])
    if table.shape != (cases, len(learned)):
        raise UnusableError(f"Expected {kind} of shape {(cases, len(learned))}, got {table.shape}.")
    if not np.isfinite(table).all():
        count = int((~np.isfinite(table)).any(axis=1).sum())
        raise UnusableError(f"Expected {kind}, got nan or infinity for {count} of {cases} cases.")
    if kind == "probabilities":
        _check_probabilities(table)
    unknown = [label for label in learned if label not in labels]
    if unknown:
        raise UnusableError(f"The learner predicts a class {unknown[0]!r} that the data do not have.")
    return in_label_order(table, learned, labels, 0.0 if kind == "probabilities" else float(table.min()) - 1.0)


def _check_probabilities(table: FloatArray) -> None:
    if table.min() < -TOLERANCE or table.max() > 1 + TOLERANCE:
        worst = table.flat[int(np.argmax(np.abs(table - 0.5)))]
        raise UnusableError(f"Expected probabilities in [0, 1], got {worst:g}.")
    sums = table.sum(axis=1)
    if np.abs(sums - 1.0).max() > TOLERANCE:
        worst = sums[int(np.argmax(np.abs(sums - 1.0)))]
        raise UnusableError(f"Expected probabilities that add up to 1 for each case, got {worst:g}.")


# Called after the learner is imported and cached by its path: a controller knows the libraries that are loaded
# when it is made, and to make one takes milliseconds. One thread, because sums depend on the number of threads.
@cache
def _thread_pools(_: str) -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _seed_global_generators(seed: int) -> None:
    """Seed the global generators of numpy and Python, which some learners use."""
    np.random.seed(seed)  # noqa: NPY002 - learners use it
    random.seed(seed)


@contextmanager
def preserved_random_state() -> Iterator[None]:
    """Restore the global generators of numpy and Python at the end, since fits seed them.

    It takes 0.2 ms, so it is done once around many fits.
    """
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002 - the state of the caller
    try:
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002 - the state of the caller
        random.setstate(python_state)


def _warning_lines(caught: list[warnings.WarningMessage]) -> str:
    """Distinct warnings in the order in which they came, one per line."""
    lines = (f"{warning.category.__name__}: {' '.join(str(warning.message).split())}" for warning in caught)
    return "\n".join(dict.fromkeys(line[:LONGEST_WARNING] for line in lines))
