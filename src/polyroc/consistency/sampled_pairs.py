"""Any measures of any model: pairs of outputs drawn at random."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np

from polyroc.consistency.bulk import goodness, require_fitness, signs, undefined_is_nan
from polyroc.consistency.enumeration import joint_of
from polyroc.consistency.models import SimulationModel
from polyroc.consistency.result import Counts, MeasureComparison
from polyroc.errors import InputError, UndefinedMeasureWarning, warn
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.measures.measure import Measure
from polyroc.measures.outputs import Outputs
from polyroc.progress import Progress
from polyroc.results.provenance import Provenance
from polyroc.validation.random import Draws

__all__ = ["example_of", "sample_pairs"]

MOST_NUMBERS, MOST_PAIRS = 2**18, 1024  # drawn with one child of the seed: fits the cache, is worth a task


def example_of(model: Any) -> Outputs:
    """One output of a model; a complaint if it is none."""
    if not isinstance(model, SimulationModel):
        raise InputError(
            "model must be RankedLists, GaussianModel, DirichletModel, ResampledModel, or have sizes and "
            f"draw(rng, pairs), got {type(model).__name__}."
        )
    drawn = model.draw(np.random.default_rng(0), 1)
    if not (isinstance(drawn, tuple) and [type(each) for each in drawn] == [Outputs, Outputs]):
        raise InputError(f"model.draw(rng, pairs) must give two Outputs, got {type(drawn).__name__}.")
    return drawn[0]


def sample_pairs(
    measures: Sequence[Measure], model: SimulationModel, draws: Draws, progress: Progress | None = None
) -> list[MeasureComparison]:
    """Every two of the measures, over independent pairs of outputs of the model.

    The pairs are drawn in chunks, each with a child of the seed, so the answer does not depend on the workers.
    """
    example = example_of(model)
    require_fitness(measures, example)
    values = _values(measures, model, draws, progress, int(example.values[0].size))
    return [
        _comparison((measures[i], measures[j]), values[[i, j]], model, example, draws)
        for i, j in combinations(range(len(measures)), 2)
    ]


def _values(
    measures: Sequence[Measure], model: SimulationModel, draws: Draws, progress: Progress | None, numbers: int
) -> FloatArray:
    """Each measure of both outputs of each pair, at [measure, output, pair]."""
    most = max(1, min(MOST_PAIRS, MOST_NUMBERS // numbers))
    sizes = [min(most, draws.n - done) for done in range(0, draws.n, most)]
    seeds = np.random.SeedSequence(draws.seed).spawn(len(sizes))

    def judged(seed: np.random.SeedSequence, size: int) -> FloatArray:
        outputs = model.draw(np.random.default_rng(seed), size)
        return np.array([[goodness(measure, each) for each in outputs] for measure in measures])

    found, done = [], 0
    with undefined_is_nan(), ThreadPoolExecutor(draws.workers) as pool:
        for chunk in pool.map(judged, seeds, sizes):
            found.append(chunk)
            done += chunk.shape[2]
            if progress is not None:
                progress(done, draws.n, f"{draws.n} pairs")
    return np.concatenate(found, axis=2)


def _comparison(
    pair: tuple[Measure, Measure], values: FloatArray, model: SimulationModel, example: Outputs, draws: Draws
) -> MeasureComparison:
    defined = np.asarray(~np.isnan(values).any(axis=(0, 1)))
    if not defined.all():
        warn(
            f"{pair[0]} or {pair[1]} is undefined in {np.count_nonzero(~defined)} of {len(defined)} pairs, "
            "which are left out; draw more cases, or take another measure.",
            UndefinedMeasureWarning,
        )
    f, g = (signs(*each) for each in values[:, :, defined])
    level = (f == 0) & (g == 0)
    turn = [1.0 if each.larger_is_better else -1.0 for each in pair]
    one, two = (sign * each[:, defined].ravel() for sign, each in zip(turn, values, strict=True))
    return MeasureComparison(
        first=str(pair[0]),
        second=str(pair[1]),
        counts=_counts(f, g),
        undecided=int(np.count_nonzero(level)),
        exact=False,
        model=repr(model),
        provenance=Provenance(example.scores(0).cases, f"{draws.n} pairs drawn at random", seed=draws.seed),
        _joint=cache(partial(joint_of, one, two)),
        _undecided_pairs=cache(partial(_numbers, defined, level)),
    )


def _counts(f: IntArray, g: IntArray) -> Counts:
    both, alone = f * g, (f != 0) != (g != 0)
    return Counts(
        *(int(np.count_nonzero(each)) for each in (both > 0, both < 0, alone & (g == 0), alone & (f == 0)))
    )


def _numbers(defined: BoolArray, level: BoolArray) -> IntArray:
    """Which of all pairs are equal for both, told which are defined and which of those are equal."""
    return np.asarray(np.flatnonzero(defined)[level])
