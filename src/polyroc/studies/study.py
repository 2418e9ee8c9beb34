"""The verb `study`: what is stored already stays, the rest is fitted, everything is put into the store."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any
from uuid import uuid4

from polyroc._version import __version__
from polyroc.errors import InputError, MeasureError, MissingPackageError, PolyrocWarning, warn
from polyroc.progress import ProgressOption, progress_callback
from polyroc.studies.backends import Backend, choose
from polyroc.studies.data import Data, load
from polyroc.studies.fit import Job, Order
from polyroc.studies.learners import check_learners
from polyroc.studies.plan import Plan
from polyroc.studies.progress import Tally
from polyroc.studies.result import Study
from polyroc.studies.splits import Block, blocks, seed_of
from polyroc.studies.store import Store
from polyroc.studies.store_schema import make

__all__ = ["run_study", "study"]

Observer = Callable[[Tally], None]


def study(
    plan: "Plan | Mapping[str, Any] | str | PathLike[str]",
    *,
    out: "str | PathLike[str] | None" = None,
    n_jobs: int | None = None,
    dask: Any = None,
    retry_failed: bool = False,
    progress: ProgressOption = None,
) -> Study:
    """Compare learners on data sets by cross-validation, as Bradley (1997) did; every prediction is kept.

    The same call again goes on where it was: what is stored is not fitted again. A learner that raises, takes
    longer than its time limit or says something that is no table of probabilities is recorded as failed, and the
    rest goes on.

    Parameters
    ----------
    plan
        A `Plan`, a mapping, the path of a TOML file, or the name of a preset ("bradley", "hand-till").
    out
        The DuckDB file to keep everything in; by default NAME.duckdb, by the name of the plan.
    n_jobs
        How many fits at a time, each in a process of its own; -1 for one per core. By default 1, or what the
        joblib backend has that the caller has set. The predictions do not depend on it.
    dask
        The address of a Dask scheduler ("tcp://host:8786") or a `distributed.Client`, to fit on a cluster.
    retry_failed
        Try again what has failed before.
    progress
        As in `evaluate`: True for a progress bar, or a function called with (fits done, fits in all, message).

    Returns
    -------
    Study
        What was found: values of the measures by fold, predictions, failures, tests.

    References
    ----------
    Bradley, A. P. (1997). The use of the area under the ROC curve in the evaluation of machine learning
    algorithms. Pattern Recognition 30, 1145-1159.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> plan = {
    ...     "data": ["iris"],
    ...     "learners": ["sklearn.naive_bayes:GaussianNB", "sklearn.tree:DecisionTreeClassifier"],
    ...     "splitting": {"folds": 5},
    ... }
    >>> with TemporaryDirectory() as folder:
    ...     found = study(plan, out=f"{folder}/study.duckdb")
    ...     found.values("accuracy").values.mean(axis=0).round(2).tolist()
    [0.96, 0.91]
    """
    with progress_callback(progress) as report:
        observer = None if report is None else lambda tally: report(*tally.summary())
        return run_study(plan, out=out, n_jobs=n_jobs, dask=dask, retry_failed=retry_failed, observer=observer)


def run_study(
    plan: "Plan | Mapping[str, Any] | str | PathLike[str]",
    *,
    out: "str | PathLike[str] | None",
    n_jobs: int | None,
    dask: Any,
    retry_failed: bool,
    observer: Observer | None,
) -> Study:
    """Run or resume a study; the observer is called with a `Tally` at the start and after each fit."""
    _require_packages()
    plan = as_plan(plan)
    path = Path(f"{plan.name}.duckdb") if out is None else Path(out)
    backend = choose(n_jobs, dask, limited=any(plan.limit_of(each) is not None for each in plan.learners))
    data = [load(plan, number) for number in range(len(plan.data))]
    folds = [blocks(each, plan.splitting, plan.seed) for each in data]
    if not path.exists():
        check(plan, data)
    with Store.opened(path, write=True, make=partial(make, plan=plan, data=data, blocks=folds)) as store:
        _check_same(store, plan, data)
        if retry_failed:
            store.forget_failures()
        _note_versions(store)
        _fit_all(store, plan, data, folds, backend, observer)
        return Study.within(store)


def _require_packages() -> None:
    if find_spec("joblib") is None or find_spec("threadpoolctl") is None:
        raise MissingPackageError("A study needs scikit-learn; pip install 'polyroc[study]'.")


def as_plan(plan: "Plan | Mapping[str, Any] | str | PathLike[str]") -> Plan:
    """A plan, whatever it came as."""
    if isinstance(plan, Plan):
        return plan
    return Plan.from_dict(plan) if isinstance(plan, Mapping) else Plan.read(plan)


def check(plan: Plan, data: Sequence[Data]) -> None:
    """Complain of what is wrong with a plan before anything is fitted."""
    from polyroc.studies.fold_values import check_measure

    check_learners(plan)
    for number, key in enumerate(plan.measures):
        try:
            check_measure(key, data)
        except (InputError, MeasureError) as error:
            raise InputError(f"{plan.place('measures', number)}: ", error.message) from None


def _check_same(store: Store, plan: Plan, data: Sequence[Data]) -> None:
    """A store takes only fits of its own plan and data; names, notes and measures of the plan may change."""
    stored = store.plan
    if stored.digest != plan.digest:
        told = "; ".join(_differences(stored.fixed(), plan.fixed()))
        raise InputError(
            f"'{store.path}' holds another study: {told}. Nothing was changed; give another file to write to."
        )
    for facts, each in zip(store.facts(), data, strict=True):
        if facts.digest != each.digest:
            raise InputError(
                f"The cases of data set {each.name!r} are not those that '{store.path}' was made with. Nothing "
                "was changed; bring the old data back, or give another file to write to."
            )
    if stored != plan:
        check(plan, data)
        store.put_plan(plan)


def _differences(stored: Any, asked: Any, path: str = "") -> Iterator[str]:
    """Where two plans differ, key by key."""
    if isinstance(stored, dict) and isinstance(asked, dict):
        for key in dict.fromkeys([*stored, *asked]):
            yield from _differences(stored.get(key), asked.get(key), f"{path}.{key}".lstrip("."))
    elif isinstance(stored, list) and isinstance(asked, list) and len(stored) == len(asked):
        for number, pair in enumerate(zip(stored, asked, strict=True)):
            yield from _differences(*pair, f"{path}[{number}]")
    elif stored != asked:
        yield f"{path} is {_shown(stored)} there and {_shown(asked)} here"


def _shown(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return ", ".join(str(each.get("name", each.get("class"))) for each in value)
    return "not given" if value is None else repr(value)


def _note_versions(store: Store) -> None:
    now, before = {"polyroc": __version__, "python": sys.version.split()[0]}, store.versions()
    for package in ("numpy", "scikit-learn"):
        try:
            now[package] = version(package)
        except PackageNotFoundError:
            continue
    changed = [
        f"{name} {old} before, {now[name]} now" for name, old in before.items() if now.get(name, old) != old
    ]
    if changed:
        warn(
            f"'{store.path}' was begun with other versions ({'; '.join(changed)}), so fits may not be alike.",
            PolyrocWarning,
        )
    if now != before:
        store.put_versions(now)


def _fit_all(
    store: Store,
    plan: Plan,
    data: Sequence[Data],
    folds: Sequence[Sequence[Block]],
    backend: Backend,
    observer: Observer | None,
) -> None:
    done = store.done()
    tally = Tally(plan, [len(each) for each in folds], done, store.seconds(), backend.workers)
    observe = observer or (lambda _: None)
    observe(tally)
    orders = [order for order in _orders(plan, folds, uuid4().hex) if order.job not in done]
    try:
        with closing(backend.outcomes(orders, data)) as found:
            for outcome in found:
                store.add(outcome)
                tally.note(outcome)
                observe(tally)
    finally:
        store.flush()


def _orders(plan: Plan, folds: Sequence[Sequence[Block]], run: str) -> Iterator[Order]:
    """Every fit of the plan; its seed says what it is for, so that it does not matter when it is done."""
    for i, asked in enumerate(plan.data):
        for j, learner in enumerate(plan.learners):
            for k, block in enumerate(folds[i]):
                yield Order(
                    job=Job(i, j, k),
                    test=block.test,
                    seed=seed_of(plan.seed, asked.name, learner.name, block.repeat, block.fold),
                    learner=learner,
                    steps=plan.steps_of(learner),
                    limit=plan.limit_of(learner),
                    folder=plan.folder,
                    run=run,
                )
