"""Comparison of measures over pairs of outputs drawn from a simulation model."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from polyroc._results.codec import Once
from polyroc._results.provenance import Provenance
from polyroc.consistency.bulk import goodness, require_applicable, signs, undefined_is_nan
from polyroc.consistency.enumeration import joint_of
from polyroc.consistency.models import SimulationModel
from polyroc.consistency.result import Counts, MeasureComparison
from polyroc.errors import InputError, UndefinedMeasureWarning, warn
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.measures.measure import Measure
from polyroc.measures.outputs import ClassifierOutputs
from polyroc.progress import Progress
from polyroc.validation.random import Draws

__all__ = ["example_of", "sample_pairs"]

# of a chunk that is drawn with one child of the seed: its numbers fit into the cache, and it is worth a task
MOST_NUMBERS, MOST_PAIRS = 2**18, 1024


def example_of(model: Any) -> ClassifierOutputs:
    """Check a simulation model, and give one of its outputs."""
    if not isinstance(model, SimulationModel):
        raise InputError(
            "model must be RankedLists, GaussianModel, DirichletModel, ResampledModel, or have sizes and "
            f"draw(rng, pairs), got {type(model).__name__}."
        )
    drawn = model.draw(np.random.default_rng(0), 1)
    if not (isinstance(drawn, tuple) and [type(outputs) for outputs in drawn] == 2 * [ClassifierOutputs]):
        raise InputError(f"model.draw(rng, pairs) must give two ClassifierOutputs, got {type(drawn).__name__}.")
    return drawn[0]


def sample_pairs(
    measures: Sequence[Measure], model: SimulationModel, draws: Draws, progress: Progress | None = None
) -> list[MeasureComparison]:
    """Compare every two of the measures over independent pairs of outputs of the model.

    Pairs are drawn in chunks, each with its own child of the seed, so that the result does not depend on the
    number of workers.
    """
    example = example_of(model)
    require_applicable(measures, example)
    values = _values(measures, model, draws, progress, int(example.values[0].size))
    return [
        _comparison((measures[i], measures[j]), values[[i, j]], model, example, draws)
        for i, j in combinations(range(len(measures)), 2)
    ]


def _values(
    measures: Sequence[Measure], model: SimulationModel, draws: Draws, progress: Progress | None, numbers: int
) -> FloatArray:
    """The measures of both outputs of each pair, at [measure, output, pair]."""
    most = max(1, min(MOST_PAIRS, MOST_NUMBERS // numbers))
    sizes = [min(most, draws.n - done) for done in range(0, draws.n, most)]
    seeds = np.random.SeedSequence(draws.seed).spawn(len(sizes))

    def evaluate(seed: np.random.SeedSequence, size: int) -> FloatArray:
        outputs = model.draw(np.random.default_rng(seed), size)
        return np.array([[goodness(measure, batch) for batch in outputs] for measure in measures])

    chunks, done = [], 0
    with undefined_is_nan(), ThreadPoolExecutor(draws.workers) as pool:
        for chunk in pool.map(evaluate, seeds, sizes):
            chunks.append(chunk)
            done += chunk.shape[2]
            if progress is not None:
                progress(done, draws.n, f"{draws.n} pairs")
    return np.concatenate(chunks, axis=2)


def _comparison(
    pair: tuple[Measure, Measure],
    values: FloatArray,
    model: SimulationModel,
    example: ClassifierOutputs,
    draws: Draws,
) -> MeasureComparison:
    defined = np.asarray(~np.isnan(values).any(axis=(0, 1)))
    if not defined.all():
        warn(
            f"{pair[0]} or {pair[1]} is undefined in {np.count_nonzero(~defined)} of {len(defined)} pairs, "
            "which are left out; draw more cases, or take another measure.",
            UndefinedMeasureWarning,
        )
    f, g = (signs(*both) for both in values[:, :, defined])
    undecided = (f == 0) & (g == 0)
    # `goodness` has turned the sign of measures of which less is better; the joint distribution has their values
    turn = [1.0 if measure.larger_is_better else -1.0 for measure in pair]
    first, second = (sign * both[:, defined].ravel() for sign, both in zip(turn, values, strict=True))
    return MeasureComparison(
        first=str(pair[0]),
        second=str(pair[1]),
        counts=_counts(f, g),
        undecided=int(np.count_nonzero(undecided)),
        exact=False,
        model=repr(model),
        provenance=Provenance(example.scores(0).cases, f"{draws.n} pairs drawn at random", seed=draws.seed),
        _joint=Once(partial(joint_of, first, second)),
        _undecided_pairs=Once(partial(_pair_numbers, defined, undecided)),
    )


def _counts(f: IntArray, g: IntArray) -> Counts:
    """Pairs by the order of two measures: 1, -1 or 0 of each."""
    product = f * g
    groups = (product > 0, product < 0, (f != 0) & (g == 0), (f == 0) & (g != 0))
    return Counts(*(int(np.count_nonzero(group)) for group in groups))


def _pair_numbers(defined: BoolArray, undecided: BoolArray) -> IntArray:
    """The numbers of the undecided pairs among all pairs; `undecided` is known for the defined ones only."""
    return np.asarray(np.flatnonzero(defined)[undecided])
