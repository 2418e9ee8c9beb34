"""The analysis of readings: the measure of every cell, and what follows from the analysis of variance."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import inf, nan, sqrt
from typing import NamedTuple

import numpy as np

from polyroc.errors import DegenerateComparisonWarning, NotApplicableError, warn
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.multiplicity import Adjustment, adjust
from polyroc.inference.covariance import influence, sampled_strata
from polyroc.inference.estimation import estimate_measure
from polyroc.inference.methods import DeLong, Method
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.messages import Call, Option
from polyroc.readers.anova import (
    ErrorCovariances,
    Fixed,
    MeanSquares,
    Nested,
    average_term,
    error_covariances,
    error_term,
    mean_squares,
)
from polyroc.readers.effects import ReaderAverage, ReaderDifference
from polyroc.readers.readings import Cell, Readings
from polyroc.readers.result import EqualModalities, ReaderStudy
from polyroc.results.provenance import Provenance

__all__ = ["Question", "analyse", "evaluate_cells"]


class Question(NamedTuple):
    """What is fixed and nested, which modality is an algorithm, and how p-values are adjusted."""

    fixed: Fixed | None
    nested: Nested | None
    standalone: str | None
    adjustment: Adjustment | None


class _Evaluated(NamedTuple):
    """The cells' estimates and the covariance of their errors, in the order of the cells."""

    estimates: dict[Cell, Estimate]
    covariance: FloatArray

    def block(self, modalities: Sequence[str], readings: Readings) -> tuple[FloatArray, FloatArray]:
        """Values at [modality, reader], and the covariance at [modality, reader, modality, reader]."""
        cells = [Cell(name, reader) for name in modalities for reader in readings.readers_of(name)]
        places = [readings.cells.index(cell) for cell in cells]
        shape = len(modalities), len(cells) // len(modalities)
        values = np.array([self.estimates[cell].value for cell in cells]).reshape(shape)
        return values, self.covariance[np.ix_(places, places)].reshape(*shape, *shape)


def evaluate_cells(readings: Readings, measure: Measure, method: Method, nested: Nested | None) -> _Evaluated:
    """The measure of every cell, and the covariance of the errors."""
    if nested != "cases":
        samples = {name: Sample(readings.scores, name) for name in readings.names.values()}
        block = estimate_measure(measure, method, samples)
        evaluated = _Evaluated(dict(zip(readings.cells, block.estimates.values(), strict=True)), block.covariance)
    else:
        evaluated = _evaluate_subsets(readings, measure, method)
    for cell, estimate in evaluated.estimates.items():
        if not np.isfinite(estimate.value) or not np.isfinite(estimate.standard_error):
            raise NotApplicableError(
                f"{measure} of reader {cell.reader!r} with modality {cell.modality!r} is {estimate.value:.4g} "
                f"with a standard error of {estimate.standard_error:.4g}; every cell needs both. Add cases of the "
                "rare classes, use another measure, or leave the reader out."
            )
    return evaluated


def _evaluate_subsets(readings: Readings, measure: Measure, method: Method) -> _Evaluated:
    """The same if cells have different cases: products of the influence values of the cases that they share."""
    if not isinstance(method, DeLong):
        raise NotApplicableError(
            Option("nested", "cases"),
            f" is not available with {method!r}; use ",
            Option("method", Call("DeLong")),
            ".",
        )
    units = np.arange(len(readings.scores)) if readings.scores.groups is None else readings.scores.groups
    values, estimates = np.zeros((len(readings.cells), int(units.max()) + 1)), {}
    for k, (cell, name) in enumerate(readings.names.items()):
        scores, cases = readings.scores_of(cell)
        sample = Sample(scores, name)
        estimates[cell] = estimate_measure(measure, method, {name: sample}).estimates[name]
        if np.isfinite(estimates[cell].value):
            own = influence(sampled_strata(measure(sample), scores), scores)
            np.add.at(values[k], units[cases], own)
    return _Evaluated(estimates, np.asarray(values @ values.T))


def analyse(readings: Readings, cells: _Evaluated, method: Method, question: Question) -> ReaderStudy:
    """The result: means, differences, tests, and the comparison with an algorithm."""
    human = tuple(name for name in readings.modalities if name != question.standalone)
    values, covariance = cells.block(human, readings)
    first = next(iter(cells.estimates.values()))
    squares, errors = mean_squares(values, question.nested), error_covariances(covariance, question.nested)
    differences, equal = _differences(human, values, covariance, first, question)
    return ReaderStudy(
        measure=first.measure,
        name=first.name,
        modalities=human,
        readers=readings.readers,
        estimates={_key(cell, question.standalone): estimate for cell, estimate in cells.estimates.items()},
        averages={
            name: _average(values[i], covariance[i, :, i, :], first, question.fixed)
            for i, name in enumerate(human)
        },
        differences=differences,
        by_reader=_by_reader(human, readings, values, covariance, first, question.nested),
        equal=equal,
        mean_squares=MeanSquares(*map(float, squares)),
        errors=ErrorCovariances(*map(float, errors)),
        covariance=cells.covariance,
        fixed=question.fixed,
        nested=question.nested,
        adjustment=question.adjustment,
        provenance=Provenance.of(readings.scores, repr(method), method.seed),
        standalone=question.standalone,
        algorithm=_algorithm(human, readings, cells, first, question),
        readings=readings,
    )


def _key(cell: Cell, standalone: str | None) -> tuple[str, str]:
    return (cell.modality, cell.modality if cell.modality == standalone else cell.reader)


def _average(values: FloatArray, covariance: FloatArray, first: Estimate, fixed: Fixed | None) -> ReaderAverage:
    term = average_term(values, covariance, fixed)
    error = sqrt(max(float(term.variance), 0.0) / len(values))
    return ReaderAverage(float(values.mean()), error, float(term.df), first.limits)


def _pair(first: str, second: str, value: float, error: float, df: float, like: Estimate) -> ReaderDifference:
    span = like.limits[1] - like.limits[0]
    better = like.larger_is_better is not False
    return ReaderDifference(first, second, value, error, df, (-span, span), larger_is_better=better)


def _differences(
    human: Sequence[str], values: FloatArray, covariance: FloatArray, like: Estimate, question: Question
) -> tuple[dict[tuple[str, str], ReaderDifference], EqualModalities | None]:
    """The differences of the means with adjusted p-values, and the test that all are equal."""
    if len(human) == 1:
        return {}, None
    t, r = values.shape
    term = error_term(values, covariance, question.fixed, question.nested)
    variance, df = max(float(term.variance), 0.0), float(term.df)
    means = values.mean(axis=1)
    pairs = [
        _pair(human[i], human[j], float(means[i] - means[j]), sqrt(2.0 * variance / r), df, like)
        for i, j in combinations(range(t), 2)
    ]
    adjusted = adjust(np.array([pair.pvalue for pair in pairs]), question.adjustment)
    made = {
        (pair.first, pair.second): replace(pair, adjusted_pvalue=float(p))
        for pair, p in zip(pairs, adjusted, strict=True)
    }
    if variance == 0.0:
        warn(
            "The differences between modalities vary neither between readers nor between cases, so they have no "
            "interval and no p-value (nan).",
            DegenerateComparisonWarning,
        )
    return made, _equal(float(mean_squares(values, question.nested).modality), variance, t - 1.0, df)


def _equal(modality: float, variance: float, df1: float, df2: float) -> EqualModalities:
    from polyroc._scipy import chdtrc, fdtrc

    if variance == 0.0:
        return EqualModalities(nan, df1, df2, nan)
    f = modality / variance
    if df2 == inf:  # readers fixed: df1 F is chi-square
        return EqualModalities(df1 * f, df1, df2, float(chdtrc(df1, df1 * f)))
    return EqualModalities(f, df1, df2, float(fdtrc(df1, df2, f)))


def _by_reader(
    human: Sequence[str],
    readings: Readings,
    values: FloatArray,
    covariance: FloatArray,
    like: Estimate,
    nested: Nested | None,
) -> dict[tuple[str, str, str], ReaderDifference]:
    """The differences of each reader, from the error covariances of the cases."""
    if nested == "readers":
        return {}
    effects = {}
    for j, reader in enumerate(readings.readers_of(human[0])):
        for i, k in combinations(range(len(human)), 2):
            own = covariance[i, j, i, j] + covariance[k, j, k, j] - 2.0 * covariance[i, j, k, j]
            error = sqrt(max(float(own), 0.0))
            value = float(values[i, j] - values[k, j])
            effects[reader, human[i], human[k]] = _pair(human[i], human[k], value, error, inf, like)
    return effects


def _algorithm(
    human: Sequence[str], readings: Readings, cells: _Evaluated, like: Estimate, question: Question
) -> dict[str, ReaderDifference] | None:
    """The stand-alone algorithm minus the mean over readers, by modality: the one modality of a study."""
    if question.standalone is None:
        return None
    (own,) = readings.readers_of(question.standalone)
    place = readings.cells.index(Cell(question.standalone, own))
    effects = {}
    for modality in human:
        places = [readings.cells.index(Cell(modality, reader)) for reader in readings.readers_of(modality)]
        estimates = [*cells.estimates.values()]
        values = np.array([estimates[place].value - estimates[k].value for k in places])
        contrast = np.zeros((len(places), len(cells.covariance)))
        contrast[:, place] = 1.0
        contrast[range(len(places)), places] = -1.0
        term = average_term(values, contrast @ cells.covariance @ contrast.T, question.fixed)
        error = sqrt(max(float(term.variance), 0.0) / len(places))
        effects[modality] = _pair(question.standalone, modality, float(values.mean()), error, float(term.df), like)
    return effects
