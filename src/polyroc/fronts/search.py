"""The search for the front of a family of classifiers: run, checkpoint and resume."""

import os
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.errors import InputError
from polyroc.fronts.archive import FrontBuilder, Objective, Objectives
from polyroc.fronts.cases import TrainingData
from polyroc.fronts.cost_distribution import CostBounds, CostDistribution
from polyroc.fronts.cost_proposals import Targets
from polyroc.fronts.evolution import GROWTH_INTERVAL, Algorithm, Evolution, Selection, Start, checked
from polyroc.fronts.families.family import REQUIRED_METHODS, CheckedFamily, Family
from polyroc.fronts.front_file import Search
from polyroc.fronts.result import Front
from polyroc.interrupts import interrupt_flag
from polyroc.messages import short_repr
from polyroc.progress import Progress, ProgressOption, progress_callback
from polyroc.scores import readable
from polyroc.validation.costs import as_alphas, as_ratios
from polyroc.validation.random import Draws, NJobs, Rng, is_whole
from polyroc.validation.signatures import own_check, validated

__all__ = ["search_front"]

PRINTED_CLASSES = 3  # up to as many, Algorithm 1 is as printed where parameters and costs do not evolve together
SAVING_SHARE = 0.1  # of the time that may go into checkpoints
EARLIER: Mapping[str, Mapping[str, Any]] = {"family": {}, "options": {"algorithm": "printed"}}
"""Options that fronts of earlier versions do not name."""


@validated
@validated
def search_front(
    family: Annotated[Family, own_check],
    X: Any,
    y: Any,
    *,
    generations: int = 2000,
    costs: int = 100,
    start: Start | Any = "fitted",
    selection: Selection = "pqrs",
    algorithm: Algorithm | None = None,
    objectives: Objective = "rates",
    concentration: Any = None,
    bounds: CostBounds | None = None,
    rng: Rng = 0,
    n_jobs: NJobs = None,
    labels: Sequence[Hashable] | None = None,
    sample_weight: Any = None,
    resume: Front | str | os.PathLike[str] | None = None,
    save: str | os.PathLike[str] | None = None,
    save_every: float = 30.0,
    progress: ProgressOption = None,
) -> Front:
    """Search for the Pareto front of the error rates of a family of classifiers.

    The parameters of the classifier evolve, and the costs as in `front`. Where they may be added, as those of
    logistic regression, each generation has 100 children with parameters and costs of their own: those of a point
    of the front, changed towards a random target that the front does not dominate yet. Otherwise, and with
    `algorithm="printed"`, it is Algorithm 1 of the paper: the fitted classifier is tried under 10,000 cost
    vectors; in each generation a point of the front is selected, its parameters are perturbed, and the new
    classifier is evaluated under 100 cost vectors. Points that nothing dominates are kept. For two classes every
    threshold of each classifier is tried instead. Rates are those of the cases searched on; `Front.on(X, y)`
    evaluates the front on others.

    Parameters
    ----------
    family
        A `LogisticFamily`, a `NearestNeighbours`, an `EstimatorFamily`, or an object with the methods of `Family`.
    X, y
        The features of the cases, and their classes.
    generations, costs
        The total number of generations (including those of a resumed search), and how many cost vectors
        are drawn in each.
    start
        "fitted", the parameters that the family's `start` gives; "random", a hundred random parameter
        vectors with one cost vector each, as in the paper; or parameters, one vector or several.
    selection
        How a parent is selected, where it is not by targets; "pqrs" (partitioned quasi-random selection:
        an interval of the range of an objective, then a point in it) or "uniform".
    algorithm
        "printed", Algorithm 1 as it is in the paper; "adaptive", with children by targets for families
        with `continuous = True`, and for others with proposed costs, as a fixed classifier has. By default that of
        the front to resume; otherwise "printed" for two classes and where `concentration` is given, for three
        classes also for families that are not continuous and for other objectives; "adaptive" for all others.
    objectives
        What is minimised; "rates", all Q(Q - 1) error rates, or "false_positives", for each class the sum
        of the shares of the other classes that are assigned to it (equation 7 of the paper).
    concentration
        None (default): proposed costs, see above. Otherwise the parameters of the Dirichlet distribution (equation
        5) from which all but the first costs are drawn: 1 for a uniform distribution, one number, a matrix
        (row = true class, column = decision, diagonal ignored), or {(true, decision): value}, where errors not
        named have 1. For costs that are partly known: the mean cost of an error is its value over the sum of
        all, and the larger the sum, the smaller the variance.
    bounds
        {((true, decision), (true, decision)): (low, high)}: the cost of the first error over that of the second
        lies between. Draws outside are rejected.
    rng
        A seed or a generator; the same seed gives the same front.
    n_jobs
        The number of threads, None or -1 for one per core; the result does not depend on it.
    labels
        The classes in order.
    sample_weight
        Whole numbers: how many cases a row stands for where errors are counted. The family is fitted to the rows
        as they are, without those of weight 0.
    resume
        A front, or a file of one, whose search is resumed; family, options and cases must be the same
        (`start` and `rng` are ignored). A search of 1000 generations that is resumed and runs to 3000 gives the
        front of a search of 3000.
    save, save_every
        A file in which the front is saved at the end and every so many seconds before, so that a process
        that is killed loses no more. An existing file is overwritten only if `resume` names it.
    progress
        As in `evaluate`: True for a progress bar, or a function called with (done, total, message); the message
        holds the size of the archive and its G so far.

    Returns
    -------
    Front
        Ctrl-C ends the search early and returns the front so far, which is marked `search.interrupted` and can be
        resumed.

    Examples
    --------
    >>> from polyroc.fronts import LogisticFamily
    >>> x, y = [[0.1], [0.6], [0.5], [0.4], [0.9], [0.7]], [0, 0, 1, 2, 2, 1]
    >>> result = search_front(LogisticFamily(), x, y, generations=50)
    >>> result.parameters.shape == (len(result), 6)
    True
    >>> result.deploy(0).decide([[0.3]]).shape
    (1,)

    References
    ----------
    Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927.
    """
    lacking = [name for name in REQUIRED_METHODS if not callable(getattr(family, name, None))]
    if lacking or isinstance(family, type):
        raise InputError(
            f"family must have the methods {', '.join(REQUIRED_METHODS)}; {_problem(family, lacking)}."
        )
    draws = Draws.of(_whole(generations, "generations", 0) + 1, rng, n_jobs)
    training = TrainingData.of(X, y, labels, sample_weight)
    checked_family = CheckedFamily(family, len(training.labels))
    distribution = CostDistribution(
        as_alphas(1.0 if concentration is None else concentration, training.labels),
        as_ratios(bounds, training.labels),
    )
    previous = None if resume is None else _loaded(resume)
    if algorithm is None:
        algorithm = _default_algorithm(checked_family, len(training.labels), objectives, concentration, previous)
    options = {
        "costs": _whole(costs, "costs", 1),
        "selection": checked("selection", selection, Selection),
        "objectives": objectives,
    }
    if checked("algorithm", algorithm, Algorithm) != "printed":  # which fronts of earlier versions do not name
        options["algorithm"] = algorithm
    settings = _settings(checked_family, options, distribution, training)
    if previous is not None:
        _check_resume(previous, settings)
    _check_save(save, resume, save_every)
    seed = draws.seed if previous is None else previous.provenance.seed
    assert seed is not None
    with (
        ThreadPoolExecutor(draws.workers) as pool,
        progress_callback(progress) as report,
        interrupt_flag() as stop,
    ):
        evolution = Evolution(
            family=checked_family,
            training=training,
            costs=distribution,
            per_generation=costs,
            selection=selection,
            algorithm=algorithm,
            front=FrontBuilder(Objectives(objectives, training.totals), seed),
            rng=np.random.default_rng(seed),
            pool=pool,
            workers=draws.workers,
            # [seed, 2]: a stream of its own, from which a resumed search makes the same targets again
            targets=Targets(training.totals, np.random.default_rng([seed, 2])),
        )
        if previous is None:
            evolution.initialise(start)
        else:
            evolution.restore(previous)
        return _run(evolution, generations, settings, seed, Checkpoint(save, save_every), stop, report)


def _settings(
    family: CheckedFamily, options: Mapping[str, Any], costs: CostDistribution, training: TrainingData
) -> dict[str, Any]:
    """What a search that is resumed must have in common with this one, as JSON has it."""
    # None for no upper limit of a ratio: JSON has no infinity
    bounds = [[*a, *b, low, high if high < np.inf else None] for a, b, low, high in costs.ratios]
    return {
        "family": family.describe(),
        "options": {**options, "concentration": costs.alphas.tolist(), "bounds": bounds},
        "data": training.digest,
    }


def _run(
    evolution: Evolution,
    generations: int,
    settings: Mapping[str, Any],
    seed: int,
    checkpoint: "Checkpoint",
    stop: Callable[[], bool],
    report: Progress | None,
) -> Front:
    """The front after all generations, or when an interrupt is requested; saved on the way and at the end."""
    for _ in _generations(evolution, generations, stop, report):
        if checkpoint.is_due():
            checkpoint.save(_front(evolution, settings, seed, interrupted=True))
    front = _front(evolution, settings, seed, interrupted=evolution.generation < generations)
    checkpoint.save(front)
    return front


def _generations(
    evolution: Evolution, generations: int, stop: Callable[[], bool], report: Progress | None
) -> Iterator[None]:
    """Run generation after generation, until there are enough or an interrupt is requested."""
    while evolution.generation < generations and not stop():
        try:
            evolution.step()
            done, front = evolution.generation, evolution.front
            if report is not None and (done % GROWTH_INTERVAL == 0 or done == generations):
                report(done, generations, f"{len(front)} points, G {front.gini:.3f}")
        except KeyboardInterrupt:  # the second ctrl-C, or one raised by the caller's family or function
            return
        yield


def _whole(value: Any, name: str, least: int) -> int:
    if not is_whole(value, least):
        raise InputError(f"{name} must be a whole number, {least} or more, got {value!r}.")
    return int(value)


def _front(evolution: Evolution, settings: Mapping[str, Any], seed: int, interrupted: bool) -> Front:
    """The front of the present archive, with all that a resumed search needs."""
    members = evolution.front.members()
    used, place = np.unique(members["model"], return_inverse=True)
    names = readable(evolution.training.labels)
    return Front(
        classifier=evolution.family.name,
        classes=names,
        counts=members["counts"],
        costs=members["costs"],
        growth=evolution.front.growth_at(evolution.draws, evolution.generation),
        exact=False,
        provenance=Provenance(
            cases=dict(zip(names, np.diff(evolution.training.starts).tolist(), strict=True)),
            method=f"evolution over {evolution.generation} generations of {evolution.per_generation} cost vectors",
            weighted=evolution.training.weighted,
            weight_kind="frequency" if evolution.training.weighted else None,
            sampling="cohort",
            seed=seed,
        ),
        labels=evolution.training.labels,
        search=Search(
            **settings,
            generations=evolution.generation,
            models=np.array([evolution.models[i] for i in used]),
            place=place.astype(np.int64),
            generation=members["generation"],
            state=evolution.state,
            interrupted=interrupted,
            model=evolution.family.model,
        ),
    )


def _default_algorithm(
    family: CheckedFamily, classes: int, objectives: Objective, concentration: Any, previous: Front | None
) -> Algorithm:
    """The algorithm if none is stated: that of a front to resume, or what measured better (docs/fronts.md)."""
    if previous is not None and previous.search is not None:
        return "adaptive" if previous.search.options.get("algorithm") == "adaptive" else "printed"
    if concentration is not None:
        return "printed"  # which draws all costs from this distribution
    together = family.is_continuous and classes > 2 and objectives == "rates"
    return "adaptive" if together or classes > PRINTED_CLASSES else "printed"


def _loaded(resume: Any) -> Front:
    """The front to resume."""
    front = resume if isinstance(resume, Front) else Front.load(resume)
    if front.search is None:
        raise InputError("resume must be the front of a family; this one is of a fixed classifier.")
    return front


def _check_resume(previous: Front, settings: Mapping[str, Any]) -> None:
    """Raise an error if the front to resume was searched with another family, other options or other cases."""
    assert previous.search is not None
    if previous.search.data != settings["data"]:
        raise InputError(
            "The front to resume was searched on other cases (or other labels); give the X, y and labels it was "
            "found with, or search anew without resume."
        )
    for part in ("family", "options"):
        then, now = ({**EARLIER[part], **stated} for stated in (getattr(previous.search, part), settings[part]))
        name = next((name for name in now if then.get(name) != now[name]), None)
        if name is not None:
            raise InputError(
                f"The front to resume was searched with another {part} ({name}: {short_repr(then.get(name))}, now "
                f"{short_repr(now[name])}); give the same, or search anew without resume."
            )


def _check_save(save: Any, resume: Any, save_every: float) -> None:
    """Raise an error before the search rather than after it if the front cannot be saved."""
    if not isinstance(save_every, int | float) or isinstance(save_every, bool) or not save_every >= 0:
        raise InputError(f"save_every must be a number of seconds, 0 or more, got {save_every!r}.")
    if save is None:
        return
    path = Path(save)
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to save the front in; make it first.")
    resumed = not isinstance(resume, Front) and resume is not None and Path(resume) == path
    if path.exists() and not resumed:
        raise InputError(
            f"{path} exists and would be overwritten; give resume={str(path)!r} to resume it, or another name."
        )


class Checkpoint:
    """Saves a front at intervals of time, so that a process that is killed loses little.

    The interval grows with the time that saving takes: a front of many points would otherwise be saved all the
    time.
    """

    def __init__(self, path: str | os.PathLike[str] | None, every: float) -> None:
        self._path, self._wait, self._every = path, every, every
        self._last = time.monotonic()

    def is_due(self) -> bool:
        """Whether it is time to save."""
        return self._path is not None and time.monotonic() - self._last >= self._wait

    def save(self, front: Front) -> None:
        """Save the front, if there is a path."""
        if self._path is not None:
            began = time.monotonic()
            front.save(self._path)
            self._last = time.monotonic()
            self._wait = max(self._every, (1.0 / SAVING_SHARE - 1.0) * (self._last - began))


def _problem(candidate: Any, lacking: list[str]) -> str:
    """Say why something is not a family."""
    if isinstance(candidate, type):
        return f"{candidate.__name__} is a class: give an object, {candidate.__name__}(...)"
    if hasattr(candidate, "predict_proba"):
        return f"a scikit-learn classifier is given as EstimatorFamily({type(candidate).__name__}(...), ranges)"
    return f"{type(candidate).__name__} lacks {', '.join(lacking)}"
