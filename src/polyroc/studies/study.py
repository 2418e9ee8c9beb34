"""The verb `study`: run or resume a study, and its progress."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any
from uuid import uuid4

from polyroc._version import __version__
from polyroc.errors import (
    InputError,
    MeasureError,
    MissingPackageError,
    OptimismWarning,
    PolyrocWarning,
    warn,
)
from polyroc.messages import install_command
from polyroc.progress import Progress, ProgressOption, progress_callback
from polyroc.studies.backends import fit_results, workers_for
from polyroc.studies.data import Data, load
from polyroc.studies.fit import FitKey, FitTask
from polyroc.studies.learners import check_learners, learner_codes
from polyroc.studies.plan import Plan
from polyroc.studies.prediction_files import file_results
from polyroc.studies.result import Study
from polyroc.studies.resume import Changed, check_data, check_same_plan, update_learners
from polyroc.studies.splits import Block, split_data
from polyroc.studies.store import Store, create_store
from polyroc.validation.random import NJobs, check_n_jobs, seed_for
from polyroc.validation.signatures import validated

__all__ = ["store_exists", "store_versions", "study"]

MOST_DUPLICATES = 0.05  # share of test cases that equal training cases of their class, from which on to warn


@validated
def study(
    plan: "Plan | Mapping[str, Any] | str | PathLike[str]",
    *,
    out: "str | PathLike[str] | None" = None,
    n_jobs: NJobs = None,
    dask: Any = None,
    retry_failed: bool = False,
    changed: Changed = "raise",
    progress: ProgressOption = None,
) -> Study:
    """Compare learners on data sets by cross-validation, as Bradley (1997) did; every prediction is stored.

    The same call again resumes the study: stored fits are not repeated. A learner whose parameters or packages
    have changed in the meantime raises an error. A learner that raises an exception, exceeds its time
    limit or predicts something other than probabilities is recorded as failed, and the study continues.

    Parameters
    ----------
    plan
        A `Plan`, a mapping, the path of a TOML file, or the name of a preset ("bradley", "hand-till"). `Plan.of`
        makes one of estimators, pipelines, data frames and files.
    out
        The DuckDB file of the study; by default NAME.duckdb, with the name of the plan.
    n_jobs
        Number of fits at a time, each in a process of its own; -1 for one per core. By default 1, or that of the
        joblib backend that the caller has set. The predictions do not depend on it.
    dask
        The address of a Dask scheduler ("tcp://host:8786") or a `distributed.Client`, to fit on a cluster.
    retry_failed
        Repeat the fits that failed before.
    changed
        What to do if a learner has changed since its stored fits were made: "raise" an error, "refit" it, or
        "keep" the stored fits, with a warning.
    progress
        As in `evaluate`: True for a progress bar, or a function called with (fits done, fits in all, message).

    Returns
    -------
    Study
        Values of the measures by fold, predictions, failures, and methods for tests.

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
    ...     result = study(plan, out=f"{folder}/study.duckdb")
    ...     result.values("accuracy").values.mean(axis=0).round(2).tolist()
    [0.96, 0.91]
    """
    _require_packages()
    plan = as_plan(plan)
    path = Path(f"{plan.name}.duckdb") if out is None else Path(out)
    check_n_jobs(n_jobs)
    limited = any(plan.limit_of(learner) is not None for learner in plan.learners)
    data = [load(plan, number) for number in range(len(plan.data))]
    blocks = [split_data(data_set, plan.splitting, plan.seed) for data_set in data]
    new = not store_exists(path)
    if new:
        check_plan(plan, data)
    codes = learner_codes(plan)
    create = partial(create_store, plan=plan, data=data, blocks=blocks)
    with progress_callback(progress) as report, Store.open(path, write=True, create=create) as store:
        stored = store.plan
        check_same_plan(store, stored, plan, changed)
        check_data(store, data)
        if stored != plan:
            check_plan(plan, data)
        if retry_failed:
            store.remove_failures()
        update_learners(store, stored, plan, codes, changed)
        if stored != plan:
            store.replace_plan(plan)
        store_versions(store)
        if new:
            _warn_of_duplicates(store)
        with workers_for(n_jobs, dask, limited, data) as workers:
            _run_fits(store, plan, data, blocks, workers, report)
        return Study.from_store(store)


def _warn_of_duplicates(store: Store) -> None:
    for duplicates in filter(None, (data_set.duplicates for data_set in store.data_sets())):
        copies = duplicates.cases - duplicates.other_class  # cases of several classes do not tell their class
        if copies >= MOST_DUPLICATES * duplicates.total:
            warn(duplicates.text, OptimismWarning)


def store_exists(path: Path) -> bool:
    """Whether there is a file of this name."""
    try:
        return path.exists()
    except OSError as error:  # a name that is too long, a folder without permission
        raise InputError(f"out: '{path}' cannot be written ({error.strerror}).") from None


def _require_packages() -> None:
    if find_spec("joblib") is None or find_spec("threadpoolctl") is None:
        raise MissingPackageError(f"A study needs scikit-learn; {install_command('study')}.")


def as_plan(plan: "Plan | Mapping[str, Any] | str | PathLike[str]") -> Plan:
    """Make a plan of any input that `study` accepts."""
    if isinstance(plan, Plan):
        return plan
    return Plan.from_dict(plan) if isinstance(plan, Mapping) else Plan.read(plan)


def check_plan(plan: Plan, data: Sequence[Data]) -> None:
    """Raise an error for learners or measures that are not valid, before anything is fitted."""
    from polyroc.studies.fold_values import check_measure

    check_learners(plan)
    for number, key in enumerate(plan.measures):
        try:
            check_measure(key, data, plan.kind)
        except (InputError, MeasureError) as error:
            raise InputError(f"{plan.location('measures', number)}: ", error.message) from None


def store_versions(store: Store) -> None:
    """Store the versions of this run; warn if the study was started with others."""
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
            f"'{store.path}' was started with other versions ({'; '.join(changed)}), so its fits may differ.",
            PolyrocWarning,
        )
    if now != before:
        store.add_versions(now)


def _run_fits(
    store: Store,
    plan: Plan,
    data: Sequence[Data],
    blocks: Sequence[Sequence[Block]],
    workers: int,
    report: Progress | None,
) -> None:
    """Do the fits that are not in the store yet, and store them."""
    done, total = store.done(), sum(map(len, blocks)) * len(plan.learners)
    if report is not None:
        report(len(done), total, "starting")
    tasks = [task for task in _tasks(plan, blocks, uuid4().hex) if task.key not in done]
    read = [result for result in file_results(plan, data, blocks) if result.key not in done]
    try:
        with closing(fit_results(tasks, data, workers)) as results:
            for finished, result in enumerate(chain(read, results), len(done) + 1):
                store.add(result)
                if report is not None:
                    names = data[result.key.data_set].name, plan.learners[result.key.learner].name
                    report(finished, total, ", ".join(names))
    finally:  # also after Ctrl-C: what is done is stored
        store.flush()


def _tasks(plan: Plan, blocks: Sequence[Sequence[Block]], run: str) -> Iterator[FitTask]:
    """Every fit of the plan. Its seed depends on names and fold alone, so the order of fits does not matter."""
    for i, data_set in enumerate(plan.data):
        for j, learner in enumerate(plan.learners):
            if learner.predictions is not None:
                continue
            for k, block in enumerate(blocks[i]):
                yield FitTask(
                    key=FitKey(i, j, k),
                    test=block.test,
                    seed=seed_for(plan.seed, data_set.name, learner.name, block.repeat, block.fold),
                    learner=learner,
                    steps=plan.steps_of(learner),
                    limit=plan.limit_of(learner),
                    folder=plan.folder,
                    run=run,
                )
