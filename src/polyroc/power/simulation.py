"""Power by simulation: samples drawn from a model, each judged as the study will be."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, isnan, nan
from typing import Any, NamedTuple, Protocol

import numpy as np

from polyroc.errors import InputError, PolyrocWarning
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.inference.compare import compare
from polyroc.inference.evaluate import evaluate
from polyroc.power.aims import Question
from polyroc.power.allocation import Allocation, Sizes, is_whole
from polyroc.power.pilot import Pilot, PilotVariances
from polyroc.power.variances import MOST, power_at, smallest, width_at
from polyroc.progress import Progress
from polyroc.scores import Scores
from polyroc.validation.random import Rng, check_rng, seed_of
from polyroc.validation.scores import as_scores

__all__ = ["PilotModel", "Share", "Simulation", "SimulationModel", "Trials", "drawn", "search"]

MOST_DRAWN = 10**5  # cases in one simulated sample; where more are needed a formula does as well


class SimulationModel(Protocol):
    """Where samples come from; see `polyroc.datasets.synthetic`."""

    def sample(self, sizes: Any, rng: Any) -> Any:
        """The true classes and the scores of so many cases of each class."""
        ...


@dataclass(frozen=True, slots=True)
class Simulation:
    """Power from simulated samples: the share of them in which the study succeeds.

    Attributes
    ----------
    n
        How many samples are drawn for each number of cases that is tried. The standard error of a power of 0.8 is
        0.013 with 1000 of them.
    rng
        A seed (0 by default, so that the same call gives the same answer), a generator (which advances), or None
        for a different answer each time.

    >>> Simulation(n=500, rng=1)
    Simulation(n=500, rng=1)
    """

    n: int = 1000
    rng: Rng = 0

    def __post_init__(self) -> None:
        if not is_whole(self.n) or self.n < 2:
            raise InputError(f"n must be a whole number of simulated samples, 2 or more, got {self.n!r}.")
        check_rng(self.rng)

    def seeded(self) -> "Simulation":
        """The same with a fixed seed, so that the simulation can be repeated."""
        return replace(self, rng=seed_of(self.rng))

    @property
    def seed(self) -> int | None:
        """The seed, if it is settled."""
        return self.rng if isinstance(self.rng, int) else None


@dataclass(frozen=True, slots=True)
class PilotModel:
    """Pilot data as a model: cases are drawn from each class with replacement."""

    scores: Scores

    def sample(self, sizes: Sizes, rng: np.random.Generator) -> Scores:
        """So many cases of each class."""
        classes = [np.flatnonzero(self.scores.codes == k) for k in range(self.scores.n_classes)]
        drawn = np.concatenate([rng.choice(cases, size) for cases, size in zip(classes, sizes, strict=True)])
        values = {name: column[drawn] for name, column in self.scores.values.items()}
        return replace(self.scores, codes=self.scores.codes[drawn], values=values)


class Share(NamedTuple):
    """How often a study of some size succeeds, and how wide its interval is on average."""

    value: float
    width: float


@dataclass(frozen=True, slots=True)
class Trials:
    """Simulated studies: one model, or two by name whose cases are different.

    The i-th sample of every size is drawn with the i-th child of the seed: sizes are compared on common ground.
    """

    question: Question
    models: Mapping[str, SimulationModel]
    labels: Sequence[Any] | None
    simulation: Simulation
    progress: Progress | None = None
    known: dict[Sizes, Share] = field(default_factory=dict)

    def share(self, sizes: Sizes) -> Share:
        """The share of samples in which the study succeeds; each size is simulated once."""
        if sizes not in self.known:
            seeds = np.random.SeedSequence(self.simulation.seed).spawn(self.simulation.n)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PolyrocWarning)  # a sample without a p-value is no success
                found = [self._study(sizes, seed, i) for i, seed in enumerate(seeds)]
            widths = [width for _, width in found if not isnan(width)]
            self.known[sizes] = Share(
                float(np.mean([succeeded for succeeded, _ in found])), float(np.mean(widths)) if widths else nan
            )
        return self.known[sizes]

    def _study(self, sizes: Sizes, seed: np.random.SeedSequence, i: int) -> tuple[bool, float]:
        """Whether one study succeeds, and the width of its interval."""
        if self.progress is not None:
            self.progress(i, self.simulation.n, f"{len(self.models) * sum(sizes)} cases")
        judged = self._interval(self.draw(sizes, np.random.default_rng(seed)))
        low, high = judged(self.question.level)
        if self.question.aim.width is not None:
            return high - low <= self.question.aim.width, high - low
        rejected = self.question.hypothesis
        return (rejected < low if self.question.upward else rejected > high), high - low

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> dict[str, Scores]:
        """One sample of each model."""
        return {name: drawn(model, sizes, rng, self.labels) for name, model in self.models.items()}

    def _interval(self, sets: Mapping[str, Scores]) -> Callable[[float], ConfidenceInterval]:
        """What `evaluate` or `compare` says of a sample: from a level to an interval."""
        scores = next(iter(sets.values()))
        if len(sets) == 1 and len(scores.classifiers) == 1:
            estimate = evaluate(scores, measure=self.question.measure)
            assert isinstance(estimate, Estimate)
            return estimate.confidence_interval
        found = compare(scores if len(sets) == 1 else sets, measure=self.question.measure)
        return next(iter(found.differences.values())).confidence_interval


def drawn(model: SimulationModel, sizes: Sizes, rng: np.random.Generator, labels: Sequence[Any] | None) -> Scores:
    """One sample of a model as `Scores`."""
    sample = model.sample(sizes, rng)
    return sample if isinstance(sample, Scores) else as_scores(*sample, labels=labels)


def search(trials: Trials, allocation: Allocation, power: float) -> Sizes:
    """About the smallest class sizes at which the simulated power reaches what is wanted.

    From where a formula would have it, up or down by a quarter until the power is passed, then bisection until the
    last step is below one in a hundred: finer than the Monte Carlo error can tell.
    """
    most = MOST_DRAWN // allocation.sets
    cases = _first_guess(trials, allocation, power, most)

    def reached(cases: int) -> bool:
        return trials.share(allocation.sizes(cases)).value >= power

    if reached(cases):
        above, below = cases, allocation.fewest - 1
        while above > allocation.fewest and reached(lower := max(allocation.fewest, int(0.8 * above))):
            above = lower
        below = below if above == allocation.fewest else lower
    else:
        below, above = cases, ceil(1.25 * cases)
        while not reached(above := min(above, most)):
            if above == most:
                raise _too_many(trials, allocation, above)
            below, above = above, ceil(1.25 * above)
    while above - below > max(1, above // 100):
        middle = (above + below) // 2
        below, above = (below, middle) if reached(middle) else (middle, above)
    return allocation.sizes(above)


def _too_many(trials: Trials, allocation: Allocation, cases: int) -> InputError:
    best = trials.share(allocation.sizes(cases))
    return InputError(
        f"Samples of {allocation.sets * cases} cases, the most that are simulated, have a simulated power of "
        f"{best.value:.3f} only (mean width {best.width:.4f}); expect a larger difference, or ask for less."
    )


def _first_guess(trials: Trials, allocation: Allocation, power: float, most: int) -> int:
    """The number of cases by formula, one large sample taken as pilot data; 50 a class if it says nothing."""
    question, classes = trials.question, len(allocation.names)
    sizes = allocation.sizes(max(500 * classes, allocation.fewest))
    sets = trials.draw(sizes, np.random.default_rng(trials.simulation.seed))
    try:
        pilot = Pilot(question.measure, list(sets.values()))
        model = PilotVariances(question, pilot)
    except InputError:  # nothing varies in it
        return max(50 * classes, allocation.fewest)

    def reached(sizes: Sizes) -> bool:
        if question.aim.width is not None:
            return width_at(question, model, sizes) <= question.aim.width
        return power_at(question, model, sizes) >= power

    cases = sum(smallest(reached, allocation.by_formula()) or (MOST,))
    if cases <= most:
        return cases
    best, sizes = "power", allocation.sizes(max(most, allocation.fewest))
    found = power_at(question, model, sizes)
    if question.aim.width is not None:
        best, found = "width", width_at(question, model, sizes)
    raise InputError(
        f"Some {allocation.sets * cases} cases are needed, and samples of {allocation.sets * most} at most are "
        f"simulated, which have a {best} of {found:.3f}; for so many a formula does as well: plan from a large "
        "sample as pilot data, or ask for less."
    )
