"""The search for a front over a family of classifiers: run, checkpoint and resume."""

import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.archive import GrowingFront
from polyroc.fronts.cases import Training
from polyroc.fronts.checkpoint import Saver, check_save, checked_resume, found_by
from polyroc.fronts.cost_sampling import Costs
from polyroc.fronts.evolution import EVERY, Evolution, Selection, Start, checked_selection
from polyroc.fronts.families.family import Family, WatchedFamily
from polyroc.fronts.objectives import Objective, Objectives
from polyroc.fronts.result import Front
from polyroc.inference.methods.bootstrap import Bootstrap
from polyroc.progress import Progress, ProgressOption, interrupt_flag, progress_callback
from polyroc.validation.costs import as_alphas, as_ratios

__all__ = ["search"]


def search(
    family: Family,
    X: Any,
    y: Any,
    *,
    generations: int = 2000,
    costs: int = 100,
    start: Start | Any = "fitted",
    selection: Selection = "pqrs",
    objectives: Objective = "rates",
    alpha: Any = 1.0,
    bounds: Mapping[Any, tuple[float, float]] | None = None,
    rng: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
    labels: Sequence[Hashable] | None = None,
    sample_weight: Any = None,
    resume: Front | str | os.PathLike[str] | None = None,
    save: str | os.PathLike[str] | None = None,
    save_every: float = 30.0,
    progress: ProgressOption = None,
) -> Front:
    """Find the front of a whole family of classifiers; see `polyroc.front`."""
    how = Bootstrap(n=_whole(generations, "generations", 0) + 1, rng=rng, n_jobs=n_jobs).settled()
    training = Training.of(X, y, labels, sample_weight)
    watched = WatchedFamily(family, len(training.labels))
    drawn = Costs(as_alphas(alpha, training.labels), as_ratios(bounds, training.labels))
    options = {
        "costs": _whole(costs, "costs", 1),
        "selection": checked_selection(selection),
        "objectives": objectives,
        "alpha": drawn.alphas.tolist(),
        "bounds": [[*one, *two, low, high if high < np.inf else None] for one, two, low, high in drawn.ratios],
    }
    told = {"family": watched.describe(), "options": options, "data": training.digest}
    before = None if resume is None else checked_resume(resume, told)
    check_save(save, resume, save_every)
    seed = how.rng if before is None else before.provenance.seed
    assert isinstance(seed, int)
    with (
        ThreadPoolExecutor(how.workers) as pool,
        progress_callback(progress) as report,
        interrupt_flag() as stop,
    ):
        evolution = Evolution(
            family=watched,
            training=training,
            costs=drawn,
            per_generation=costs,
            selection=selection,
            front=GrowingFront(Objectives(objectives, training.totals), seed),
            rng=np.random.default_rng(seed),
            pool=pool,
            workers=how.workers,
        )
        if before is None:
            evolution.begin(start)
        else:
            evolution.restore(before)
        saver = Saver(save, save_every)
        for _ in _generations(evolution, generations, stop, report):
            if saver.is_due():
                saver.store(found_by(evolution, told, seed, interrupted=True))
        found = found_by(evolution, told, seed, interrupted=evolution.generation < generations)
        saver.store(found)
    return found


def _generations(
    evolution: Evolution, generations: int, stop: Callable[[], bool], report: Progress | None
) -> Iterator[None]:
    """One by one, until there are enough or somebody interrupts."""
    while evolution.generation < generations and not stop():
        try:
            evolution.step()
            done, front = evolution.generation, evolution.front
            if report is not None and (done % EVERY == 0 or done == generations):
                report(done, generations, f"{len(front)} points, G {front.gini:.3f}")
        except KeyboardInterrupt:
            return
        yield


def _whole(given: Any, what: str, least: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
        raise InputError(f"{what} must be a whole number, {least} or more, got {given!r}.")
    return int(given)
