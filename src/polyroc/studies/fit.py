"""One fit: learn from some cases, say something of the others, check what was said."""

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

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.studies.data import Data
from polyroc.studies.import_paths import on_path
from polyroc.studies.learners import built
from polyroc.studies.plan import Learner, Step
from polyroc.studies.splits import others

__all__ = ["Job", "Order", "Outcome", "UnusableError", "failure", "fit", "prepared", "randomness_kept"]

ROUNDING = 1e-5  # learners that reckon in single precision miss a sum of 1 by some 1e-6


class Job(NamedTuple):
    """Which fit: positions in the plan's data sets and learners, and of the block."""

    data_set: int
    learner: int
    block: int


@dataclass(frozen=True, slots=True)
class Order:
    """All that a worker must know of a fit but the data.

    Attributes
    ----------
    job, test, seed
        Which fit, the cases tested on, and the seed of everything random in it.
    learner, steps
        What is fitted.
    limit, apart
        Seconds it may take (None: any), and whether it needs a process of its own, which can be killed.
    folder, run
        Where to look for modules of the user's, and the name of the run.
    """

    job: Job
    test: IntArray
    seed: int
    learner: Learner
    steps: tuple[Step, ...]
    limit: float | None = None
    apart: bool = False
    folder: Path | None = None
    run: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a fit: probabilities (cases tested on x classes), or why there are none."""

    job: Job
    probabilities: FloatArray | None
    failure: str | None
    seconds: float
    warnings: str = ""


class UnusableError(Exception):
    """A learner gave something that is not a table of probabilities."""


def failure(order: Order, message: str, seconds: float, told: str = "") -> Outcome:
    """A fit that failed; the message is one line."""
    line = " ".join(message.split())
    return Outcome(order.job, None, line if len(line) <= 500 else f"{line[:497]}...", seconds, told)


def prepared(order: Order, data: Data) -> Any:
    """The model, not yet fitted: everything is imported."""
    with on_path(order.folder):
        model = built(order.learner, order.steps, data, order.seed)
    _threads(order.learner.path)
    return model


def fit(order: Order, data: Data, model: Any = None) -> Outcome:
    """Carry out an order in this process. What a learner raises is its failure, not ours."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught, on_path(order.folder):
        warnings.simplefilter("default")
        _seed(order.seed)
        try:
            model = prepared(order, data) if model is None else model
            with _threads(order.learner.path).limit(limits=1):
                table = _said(order, data, model)
        except Exception as error:
            reason = str(error) if isinstance(error, UnusableError) else f"{type(error).__name__}: {error}"
            return failure(order, reason, time.perf_counter() - start, _lines(caught))
    return Outcome(order.job, table, None, time.perf_counter() - start, _lines(caught))


def _said(order: Order, data: Data, model: Any) -> FloatArray:
    y, train = data.y, others(len(data), order.test)
    model.fit(data.X[train], y[train])
    said = getattr(model, order.learner.output)(data.X[order.test])
    held = getattr(model, "classes_", np.array(data.labels))
    table = np.asarray(said, dtype=np.float64)
    if order.learner.output == "decision_function":
        table = _squeezed(table)
    return _checked(table, held, data.labels, len(order.test))


def _squeezed(scores: FloatArray) -> FloatArray:
    """Scores of any size in [0, 1]; of two classes in the same order, without ever rounding to 1."""
    if scores.ndim == 1:
        positive = (1.0 + scores / (1.0 + np.abs(scores))) / 2.0
        return np.column_stack([1.0 - positive, positive])
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _checked(table: FloatArray, held: Any, labels: tuple[Any, ...], cases: int) -> FloatArray:
    """Probabilities with a column for each class of the data, or a complaint."""
    if table.shape != (cases, len(held)):
        raise UnusableError(f"Expected probabilities of shape {(cases, len(held))}, got {table.shape}.")
    if not np.isfinite(table).all():
        many = int((~np.isfinite(table)).any(axis=1).sum())
        raise UnusableError(f"Expected probabilities, got nan or infinity for {many} of {cases} cases.")
    if table.min() < -ROUNDING or table.max() > 1 + ROUNDING:
        worst = table.flat[int(np.argmax(np.abs(table - 0.5)))]
        raise UnusableError(f"Expected probabilities in [0, 1], got {worst:g}.")
    sums = table.sum(axis=1)
    if np.abs(sums - 1.0).max() > ROUNDING:
        worst = sums[int(np.argmax(np.abs(sums - 1.0)))]
        raise UnusableError(f"Expected probabilities that add up to 1 for each case, got {worst:g}.")
    classes = [label.item() if isinstance(label, np.generic) else label for label in held]
    if classes == list(labels):
        return table
    strange = [label for label in classes if label not in labels]
    if strange:
        raise UnusableError(f"The learner knows a class {strange[0]!r} that the data do not have.")
    whole = np.zeros((cases, len(labels)))
    whole[:, [labels.index(label) for label in classes]] = table
    return whole


@cache
def _threads(_: str) -> Any:
    """What keeps the libraries loaded by now at one thread, so that sums do not depend on the machine."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _seed(seed: int) -> None:
    """Seed the generators that belong to everybody."""
    np.random.seed(seed)  # noqa: NPY002 - learners use it
    random.seed(seed)


@contextmanager
def randomness_kept() -> Iterator[None]:
    """Give the generators that belong to everybody back as they were, after any number of fits.

    That takes 0.2 ms, too long to do it for every fit.
    """
    ours, theirs = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(ours)  # noqa: NPY002
        random.setstate(theirs)


def _lines(caught: list[warnings.WarningMessage]) -> str:
    told = {f"{each.category.__name__}: {' '.join(str(each.message).split())}"[:300]: None for each in caught}
    return "\n".join(told)
