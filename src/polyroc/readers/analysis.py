"""The analysis of readings: the measure of every cell, and what follows from the analysis of variance."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import inf, nan, sqrt
from typing import NamedTuple

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.errors import DegenerateComparisonWarning, NotApplicableError, warn
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.hypothesis_tests import ROUNDING_VARIANCE
from polyroc.estimates.multiplicity import Adjustment, adjust
from polyroc.inference.covariance import influence, sampled_strata
from polyroc.inference.estimation import estimate_measure
from polyroc.inference.methods import Influence, Method
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
    if not isinstance(method, Influence):
        raise NotApplicableError(
            Option("nested", "cases"),
            f" is not available with {method!r}; use ",
            Option("method", Call("Influence")),
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
    better = first.larger_is_better is not False
    squares, errors = mean_squares(values, question.nested), error_covariances(covariance, question.nested)
    averages = {
        name: _average(
            [cells.estimates[Cell(name, reader)] for reader in readings.readers_of(name)], own, question
        )
        for name, own in zip(human, np.einsum("ijik->ijk", covariance), strict=True)
    }
    differences, equal = _differences(averages, values, covariance, question, better)
    return ReaderStudy(
        measure=first.measure,
        name=first.name,
        modalities=human,
        readers=readings.readers,
        estimates={_key(cell, question.standalone): estimate for cell, estimate in cells.estimates.items()},
        averages=averages,
        differences=differences,
        by_reader=_by_reader(human, readings, cells.estimates, covariance, question.nested, better),
        equal=equal,
        mean_squares=MeanSquares(*map(float, squares)),
        errors=ErrorCovariances(*map(float, errors)),
        covariance=cells.covariance,
        fixed=question.fixed,
        nested=question.nested,
        adjustment=question.adjustment,
        provenance=Provenance.of(readings.scores, repr(method), method.seed),
        standalone=question.standalone,
        algorithm=_algorithm(averages, readings, cells, question, better),
        readings=readings,
    )


def _key(cell: Cell, standalone: str | None) -> tuple[str, str]:
    return (cell.modality, cell.modality if cell.modality == standalone else cell.reader)


def _average(readers: Sequence[Estimate], covariance: FloatArray, question: Question) -> ReaderAverage:
    """Return the mean over readers, with the effective number of cases behind it.

    Independent errors of r readers make the variance of a mean r times as small as that of one reader, as r times
    as many cases would.
    """
    values = np.array([one.value for one in readers])
    term = average_term(values, covariance, question.fixed)
    own, common = float(covariance.trace()) / len(values), float(covariance.mean())
    gain = own / common if common > ROUNDING_VARIANCE * own else 1.0
    cases = min(one.cases_behind for one in readers) * min(max(gain, 1.0), len(values))
    return ReaderAverage(
        float(values.mean()),
        sqrt(_beyond_rounding(float(term.variance), own) / len(values)),
        float(term.df),
        readers[0].limits,
        None if question.fixed == "cases" else cases,
    )


def _beyond_rounding(variance: float, scale: float) -> float:
    """Return a variance; 0 if it is only rounding, relative to that of a cell."""
    return variance if variance > ROUNDING_VARIANCE * scale else 0.0


def _as_average(one: Estimate) -> ReaderAverage:
    """Return an estimate as the mean of one reader."""
    return ReaderAverage(one.value, one.standard_error, inf, one.limits, one.cases_behind)


def _pair(
    names: tuple[str, str],
    value: float,
    variance: float,
    df: float,
    means: tuple[ReaderAverage, ReaderAverage],
    better: bool,
) -> ReaderDifference:
    """Return a difference; it keeps the means where Student's interval is not valid, and cases are random."""
    span = means[0].limits[1] - means[0].limits[0]
    kept = None
    if all(one.cases is not None for one in means) and (variance == 0 or any(one.is_near_limit for one in means)):
        kept = means
    return ReaderDifference(*names, value, sqrt(variance), df, (-span, span), larger_is_better=better, means=kept)


def _differences(
    averages: Mapping[str, ReaderAverage],
    values: FloatArray,
    covariance: FloatArray,
    question: Question,
    better: bool,
) -> tuple[dict[tuple[str, str], ReaderDifference], EqualModalities | None]:
    """The differences of the means with adjusted p-values, and the test that all are equal."""
    if len(averages) == 1:
        return {}, None
    t, r = values.shape
    term = error_term(values, covariance, question.fixed, question.nested)
    variance = _beyond_rounding(float(term.variance), float(np.einsum("ijij->", covariance)) / (t * r))
    df = float(term.df)
    pairs = [
        _pair((a, b), one.value - other.value, 2.0 * variance / r, df, (one, other), better)
        for (a, one), (b, other) in combinations(averages.items(), 2)
    ]
    adjusted = adjust(np.array([pair.pvalue for pair in pairs]), question.adjustment)
    made = {
        (pair.first, pair.second): replace(pair, adjusted_pvalue=float(p))
        for pair, p in zip(pairs, adjusted, strict=True)
    }
    if variance == 0.0 and pairs[0].means is None:
        warn(
            "The differences between modalities vary neither between readers nor between cases, so they have no "
            "interval and no p-value (nan).",
            DegenerateComparisonWarning,
        )
    equal = _equal(float(mean_squares(values, question.nested).modality), variance, t - 1.0, df)
    return made, equal if t > 2 or pairs[0].means is None else equal._replace(pvalue=pairs[0].pvalue)


def _equal(modality: float, variance: float, df1: float, df2: float) -> EqualModalities:
    from scipy.special import chdtrc, fdtrc

    if variance == 0.0:
        return EqualModalities(nan, df1, df2, nan)
    f = modality / variance
    if df2 == inf:  # readers fixed: df1 F is chi-square
        return EqualModalities(df1 * f, df1, df2, float(chdtrc(df1, df1 * f)))
    return EqualModalities(f, df1, df2, float(fdtrc(df1, df2, f)))


def _by_reader(
    human: Sequence[str],
    readings: Readings,
    estimates: Mapping[Cell, Estimate],
    covariance: FloatArray,
    nested: Nested | None,
    better: bool,
) -> dict[tuple[str, str, str], ReaderDifference]:
    """The differences of each reader, from the error covariances of the cases."""
    if nested == "readers":
        return {}
    effects = {}
    for j, reader in enumerate(readings.readers_of(human[0])):
        for i, k in combinations(range(len(human)), 2):
            cells = covariance[i, j, i, j] + covariance[k, j, k, j]
            own = _beyond_rounding(float(cells - 2.0 * covariance[i, j, k, j]), float(cells))
            one, other = (_as_average(estimates[Cell(human[m], reader)]) for m in (i, k))
            names, value = (human[i], human[k]), one.value - other.value
            effects[reader, human[i], human[k]] = _pair(names, value, own, inf, (one, other), better)
    return effects


def _algorithm(
    averages: Mapping[str, ReaderAverage],
    readings: Readings,
    cells: _Evaluated,
    question: Question,
    better: bool,
) -> dict[str, ReaderDifference] | None:
    """The stand-alone algorithm minus the mean over readers, by modality: the one modality of a study."""
    if question.standalone is None:
        return None
    (own,) = readings.readers_of(question.standalone)
    place = readings.cells.index(Cell(question.standalone, own))
    estimates = [*cells.estimates.values()]
    effects = {}
    for modality, average in averages.items():
        places = [readings.cells.index(Cell(modality, reader)) for reader in readings.readers_of(modality)]
        values = np.array([estimates[place].value - estimates[k].value for k in places])
        contrast = np.zeros((len(places), len(cells.covariance)))
        contrast[:, place] = 1.0
        contrast[range(len(places)), places] = -1.0
        term = average_term(values, contrast @ cells.covariance @ contrast.T, question.fixed)
        variance = _beyond_rounding(float(term.variance), float(cells.covariance[place, place])) / len(places)
        alone = _as_average(estimates[place])
        names = (question.standalone, modality)
        effects[modality] = _pair(names, float(values.mean()), variance, float(term.df), (alone, average), better)
    return effects
