"""Power by simulation: samples are drawn from a model, and each is analysed as the study will be."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, isnan, nan
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np

from polyroc.errors import InputError, PolyrocWarning
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.inference.compare import compare
from polyroc.inference.evaluate import evaluate
from polyroc.power.allocation import Allocation, Sizes
from polyroc.power.analytic import MOST_CASES, power_at, smallest_sizes, width_at
from polyroc.power.goals import PlanningQuestion
from polyroc.power.pilot import Pilot, PilotVariances
from polyroc.progress import Progress
from polyroc.scores import Scores
from polyroc.validation.random import Rng, seed_of
from polyroc.validation.scores import as_scores
from polyroc.validation.signatures import MOST_DRAWS, validate_fields, within

__all__ = ["PilotModel", "SimulatedPower", "Simulation", "SimulationModel", "Trials", "drawn", "search"]

MOST_SIMULATED = 10**5  # cases in one sample; for larger samples a formula is as precise


class SimulationModel(Protocol):
    """A model to draw samples from; see `polyroc.datasets.synthetic`."""

    def sample(self, sizes: Any, rng: Any) -> Any:
        """The true classes and the scores of a sample with these class sizes."""
        ...


@dataclass(frozen=True, slots=True)
class Simulation:
    """Power from simulated samples: the share of them in which the study succeeds.

    Attributes
    ----------
    replicates
        The number of samples for each number of cases that is tried. With 1000 samples the standard error of a
        power of 0.8 is 0.013.
    rng
        A seed (0 by default, so that the same call gives the same result), a generator (which advances), or None
        for a different result each time.

    >>> Simulation(replicates=500, rng=1)
    Simulation(replicates=500, rng=1)
    """

    replicates: Annotated[int, within(2, MOST_DRAWS)] = 1000
    rng: Rng = 0

    def __post_init__(self) -> None:
        validate_fields(self)

    def seeded(self) -> "Simulation":
        """The same with a fixed seed, so that the simulation is reproducible."""
        return replace(self, rng=seed_of(self.rng))

    @property
    def seed(self) -> int | None:
        """The seed, if it is fixed."""
        return self.rng if isinstance(self.rng, int) else None


@dataclass(frozen=True, slots=True)
class PilotModel:
    """Pilot data as a model: cases are drawn from each class with replacement."""

    scores: Scores

    def sample(self, sizes: Sizes, rng: np.random.Generator) -> Scores:
        """A sample with these class sizes."""
        classes = [np.flatnonzero(self.scores.codes == k) for k in range(self.scores.n_classes)]
        drawn = np.concatenate([rng.choice(cases, size) for cases, size in zip(classes, sizes, strict=True)])
        values = {name: column[drawn] for name, column in self.scores.values.items()}
        return self.scores._replace(codes=self.scores.codes[drawn], values=values)


class SimulatedPower(NamedTuple):
    """The share of simulated studies that succeed, and the mean width of their intervals."""

    value: float
    width: float


@dataclass(frozen=True, slots=True)
class Trials:
    """Simulated studies of one model, or of two by name with different cases.

    The i-th sample of every size is drawn with the i-th child of the seed, so that sizes are compared with common
    random numbers.
    """

    question: PlanningQuestion
    models: Mapping[str, SimulationModel]
    labels: Sequence[Any] | None
    simulation: Simulation
    progress: Progress | None = None
    cache: dict[Sizes, SimulatedPower] = field(default_factory=dict)

    def power(self, sizes: Sizes) -> SimulatedPower:
        """The simulated power at these class sizes; each size is simulated once."""
        if sizes not in self.cache:
            seeds = np.random.SeedSequence(self.simulation.seed).spawn(self.simulation.replicates)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PolyrocWarning)  # a sample without a p-value counts as no success
                studies = [self._study(sizes, seed, i) for i, seed in enumerate(seeds)]
            widths = [width for _, width in studies if not isnan(width)]
            share = float(np.mean([succeeded for succeeded, _ in studies]))
            self.cache[sizes] = SimulatedPower(share, float(np.mean(widths)) if widths else nan)
        return self.cache[sizes]

    def _study(self, sizes: Sizes, seed: np.random.SeedSequence, i: int) -> tuple[bool, float]:
        """True if one study succeeds, and the width of its interval."""
        if self.progress is not None:
            self.progress(i, self.simulation.replicates, f"{len(self.models) * sum(sizes)} cases")
        interval = self._interval(self.draw(sizes, np.random.default_rng(seed)))
        low, high = interval(self.question.level)
        if self.question.goal.width is not None:
            return high - low <= self.question.goal.width, high - low
        hypothesis = self.question.hypothesis
        return (hypothesis < low if self.question.upward else hypothesis > high), high - low

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> dict[str, Scores]:
        """One sample of each model."""
        return {name: drawn(model, sizes, rng, self.labels) for name, model in self.models.items()}

    def _interval(self, sets: Mapping[str, Scores]) -> Callable[[float], ConfidenceInterval]:
        """The interval by `evaluate` or `compare`, as a function of the level."""
        scores = next(iter(sets.values()))
        if len(sets) == 1 and len(scores.classifiers) == 1:
            estimate = evaluate(scores, measure=self.question.measure)
            assert isinstance(estimate, Estimate)
            return estimate.confidence_interval
        comparison = compare(scores if len(sets) == 1 else sets, measure=self.question.measure)
        return next(iter(comparison.differences.values())).confidence_interval


def drawn(model: SimulationModel, sizes: Sizes, rng: np.random.Generator, labels: Sequence[Any] | None) -> Scores:
    """One sample of a model as `Scores`."""
    sample = model.sample(sizes, rng)
    return sample if isinstance(sample, Scores) else as_scores(*sample, labels=labels)


def search(trials: Trials, allocation: Allocation, power: float) -> Sizes:
    """The approximately smallest class sizes at which the simulated power reaches a value.

    From the number of cases by formula, up or down by a quarter until the power is bracketed, then bisection until
    the last step is below 1 %: smaller steps are within the Monte Carlo error.
    """
    most = MOST_SIMULATED // allocation.sets
    cases = _first_guess(trials, allocation, power, most)

    def suffices(cases: int) -> bool:
        return trials.power(allocation.sizes(cases)).value >= power

    if suffices(cases):
        above, below = cases, allocation.fewest - 1
        while above > allocation.fewest and suffices(lower := max(allocation.fewest, int(0.8 * above))):
            above = lower
        below = below if above == allocation.fewest else lower
    else:
        below, above = cases, ceil(1.25 * cases)
        while not suffices(above := min(above, most)):
            if above == most:
                raise _too_many(trials, allocation, above)
            below, above = above, ceil(1.25 * above)
    while above - below > max(1, above // 100):
        middle = (above + below) // 2
        below, above = (below, middle) if suffices(middle) else (middle, above)
    return allocation.sizes(above)


def _too_many(trials: Trials, allocation: Allocation, cases: int) -> InputError:
    best = trials.power(allocation.sizes(cases))
    return InputError(
        f"Samples of {allocation.sets * cases} cases, the largest that are simulated, have a simulated power of "
        f"only {best.value:.3f} (mean width {best.width:.4f}); use a larger expected difference, or a weaker goal."
    )


def _first_guess(trials: Trials, allocation: Allocation, power: float, most: int) -> int:
    """The number of cases by formula, with one large sample as pilot data; 50 per class if it does not vary."""
    question, classes = trials.question, len(allocation.names)
    sizes = allocation.sizes(max(500 * classes, allocation.fewest))
    sets = trials.draw(sizes, np.random.default_rng(trials.simulation.seed))
    try:
        pilot = Pilot(question.measure, list(sets.values()))
        model = PilotVariances(question, pilot)
    except InputError:  # its components do not vary
        return max(50 * classes, allocation.fewest)

    def suffices(sizes: Sizes) -> bool:
        return power_at(question, model, sizes) >= power

    cases = sum(smallest_sizes(suffices, allocation.by_formula()) or (MOST_CASES,))
    if cases <= most:
        return cases
    sizes = allocation.sizes(max(most, allocation.fewest))
    if question.goal.width is None:
        best = f"power of {power_at(question, model, sizes):.3f}"
    else:
        best = f"width of {width_at(question, model, sizes):.3f}"
    raise InputError(
        f"About {allocation.sets * cases} cases are needed, but samples of at most {allocation.sets * most} are "
        f"simulated, which have a {best}. For such sizes a formula is as precise: plan from a large sample as "
        "pilot data, or use a weaker goal."
    )
