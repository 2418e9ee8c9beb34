"""The verb `reader_study`: modalities compared by several readers on the same cases."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import inf, nan, sqrt
from typing import Annotated, Any, Literal, NamedTuple, Unpack

import numpy as np

from polyroc.engines.options import TableOptions, is_file_input
from polyroc.errors import DegenerateComparisonWarning, InputError, NotApplicableError, warn
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.multiplicity import Adjustment, adjust
from polyroc.inference.covariance import influence, sampled_strata
from polyroc.inference.estimation import estimate_measure
from polyroc.inference.evaluate import select_measures
from polyroc.inference.file_input import read_into_memory
from polyroc.inference.methods import DEFAULT, DeLong, Method, as_estimating_method
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.messages import Call, Option, short_repr
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
from polyroc.readers.readings import (
    Cell,
    Columns,
    Readings,
    cell_names,
    check_design,
    check_ratings,
    from_rows,
    from_table,
    is_long,
)
from polyroc.readers.result import EqualModalities, ReaderStudy
from polyroc.results.provenance import Provenance
from polyroc.scores import Coded, Sampling, Scores, WeightKind
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.arrays import Missing
from polyroc.validation.scores import as_scores, one_sample
from polyroc.validation.signatures import own_check, validated

__all__ = ["reader_study"]

ONE_MODALITY = "all"  # the name of the modality if there is no column of it


@validated
def reader_study(
    y_true: Any,
    y_score: Any = None,
    *,
    measure: str | Measure,
    reader: Any = None,
    modality: Any = None,
    case: Any = None,
    standalone: str | None = None,
    fixed: Fixed | None = None,
    nested: Nested | None = None,
    method: Method | str | None = DEFAULT,
    adjustment: Literal["holm", "bonferroni", "benjamini-hochberg"] | None = "holm",
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "raise",
    negate: Annotated[bool | None, own_check] = None,
    **reading: Unpack[TableOptions],
) -> ReaderStudy:
    """Compare modalities that several readers used on the same cases (multi-reader multi-case, MRMC).

    The analysis of variance of Obuchowski & Rockette with Hillis' degrees of freedom, for any measure. The error
    covariances between cells (a reader with a modality) are those that `compare` computes.

    Parameters
    ----------
    y_true, y_score
        Wide: the true classes of the cases, and a mapping by modality of mappings by reader of ratings (or of one
        probability per class). Long: one row per case, reader and modality, with `reader`, `modality` and `case`.
        Or a file or a data frame with `truth` and `scores`, in either layout (wide: `scores` is the mapping, with
        columns in place of ratings).
    measure
        A key such as "auc" or "hand_till".
    reader, modality, case
        Long layout: the values of each row, or, of files, data frames and `Scores` with `by`, the names of the
        columns. Without `modality` there is one.
    standalone
        The modality that is an algorithm without readers, with one reading per case. It is compared with the mean
        of the readers of every other modality.
    fixed
        None: readers and cases are random samples, and the conclusion is for both populations. "readers": it is for
        these readers and the population of cases; "cases": for these cases and the population of readers.
    nested
        None: every reader reads every case with every modality. "readers": each reader reads with one modality (all
        cases). "cases": each reader reads cases of their own (with all modalities); long layout only, and cases of
        the same name are the same case.
    method
        The error covariances: `DeLong()`, `Jackknife()` (`Jackknife(stratified=False)` as in MRMCaov and RJafroc),
        `Bootstrap()`, `Unbiased()`, or one of these by name.
    adjustment
        Of the p-values of three modalities or more, for the number of pairs; None for none.
    labels, pos_label, sample_weight, weight_kind, groups, sampling, missing
        As in `evaluate`. `groups`: cases of a group (lesions of a patient) are dependent. With `missing="drop"` and
        long data, cases that not all cells have read are dropped.
    negate
        True: ratings are multiplied by -1, because small ones indicate the positive class.
    **reading
        For files and data frames: `truth`, `scores`, `weight`, `table`, `connection`, `decimal`, `encoding`, as in
        `read`.

    Returns
    -------
    ReaderStudy
        With `averages`, `differences`, `by_reader`, `equal`, `sentence()`; `pr.plot` draws it.

    Notes
    -----
    With readers and cases random, F = MS(T) / (MS(T:R) + r max(Cov2 - Cov3, 0)) has t - 1 and
    (t - 1) (r - 1) [1 + r max(Cov2 - Cov3, 0) / MS(T:R)]^2 degrees of freedom. A stand-alone algorithm is tested by
    its differences from the readers, as the one modality of a study (Hillis 2007; Chakraborty 2017, chapter 22).

    References
    ----------
    Obuchowski & Rockette, Communications in Statistics B 24 (1995) 285-308. Hillis, Statistics in Medicine 26 (2007)
    596-619 and 33 (2014) 330-360.

    Examples
    --------
    >>> import polyroc as pr
    >>> y, ratings = pr.datasets.RoeMetz(1.0, gain=0.8).sample(4, 40, rng=1)  # 4 readers, 40 cases per class
    >>> study = pr.reader_study(y, ratings, measure="auc")
    >>> study
    ReaderStudy(auc of 4 readers: ...; all equal: p = ...)
    """
    parsed = as_estimating_method(method)
    if parsed is None:
        raise InputError("A reader study needs the covariances of the errors; use ", Option("method", Call("DeLong")), ".")
    options = {"labels": labels, "pos_label": pos_label, "weight_kind": weight_kind, "sampling": sampling}
    options |= {"groups": groups, "missing": missing}
    columns = Columns(reader, modality, case)
    if is_file_input(y_true, None, reading):
        readings = _from_file(y_true, y_score, columns, nested, standalone, negate, reading, options)
    else:
        options["sample_weight"] = sample_weight
        readings = _from_arrays(y_true, y_score, columns, nested, standalone, negate, options)
    check_design(readings, nested, standalone)
    check_ratings(readings)
    (chosen,), _ = select_measures([measure], readings.scores)
    cells = _evaluate(readings, chosen, parsed, nested)
    return _analyse(readings, cells, chosen, parsed, _Question(fixed, nested, standalone, adjustment))


class _Question(NamedTuple):
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


# The readings ------------------------------------------------------------------------------------------------


def _from_arrays(
    y_true: Any,
    y_score: Any,
    columns: Columns,
    nested: Nested | None,
    standalone: str | None,
    negate: bool | None,
    options: Mapping[str, Any],
) -> Readings:
    if not is_long(columns):
        if isinstance(y_true, Scores):
            raise InputError(
                "Of Scores with one row per reading, name the columns of their `by` with ",
                Option("reader", ...),
                ", ",
                Option("modality", ...),
                " and ",
                Option("case", ...),
                ".",
            )
        table = from_table(y_score, standalone)
        _check_nesting(nested)
        names = cell_names([*table])
        scores = as_scores(y_true, {name: table[cell] for cell, name in names.items()}, negate=negate, **options)
        return _wide(scores, names, standalone)
    named = {name: column for name, column in columns._asdict().items() if column is not None}
    if isinstance(y_true, Scores):
        rows = as_scores(y_true, y_score, by=_names(named), negate=negate, **options)
        rows = _renamed(rows, named)
    else:
        arguments = ArgumentNames(by="column")
        rows = as_scores(y_true, y_score, by=named, negate=negate, arguments=arguments, **options)
        rows = _renamed(rows, {name: name for name in named})
    return from_rows(one_sample(rows, "reader_study"), nested, standalone, options["missing"])


def _from_file(
    source: Any,
    y_score: Any,
    columns: Columns,
    nested: Nested | None,
    standalone: str | None,
    negate: bool | None,
    reading: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Readings:
    if is_long(columns):
        named = {name: column for name, column in columns._asdict().items() if column is not None}
        asked = {**reading, "by": _names(named), "negate": negate}
        rows = read_into_memory(source, asked, y_score=y_score, **options)
        return from_rows(_renamed(rows, named), nested, standalone, options["missing"])
    _check_nesting(nested)
    table = from_table(reading.get("scores"), standalone)
    names = cell_names([*table])
    patterns = {name: table[cell] for cell, name in names.items()}
    asked = {**reading, "scores": patterns, "negate": negate}
    return _wide(read_into_memory(source, asked, y_score=y_score, **options), names, standalone)


def _check_nesting(nested: Nested | None) -> None:
    if nested == "cases":
        raise InputError(
            Option("nested", "cases"),
            " needs one row per reading, because not every reader read every case: name ",
            Option("reader", ...),
            ", ",
            Option("modality", ...),
            " and ",
            Option("case", ...),
            ".",
        )


def _names(named: Mapping[str, Any]) -> list[str]:
    """The names of the columns."""
    for role, name in named.items():
        if not isinstance(name, str):
            raise InputError(Option(role), f" must be the name of a column, got {short_repr(name)}.")
    return [*named.values()]


def _renamed(rows: Scores, named: Mapping[str, str]) -> Scores:
    """Rows whose columns of `by` are named by their role; one modality if there is no column of it."""
    if len(rows.values) != 1:
        raise InputError(
            f"One row is one reading, but {Option('scores')} names {len(rows.values)} classifiers; name one column, "
            "or one per class."
        )
    by = {role: rows.by[name] for role, name in named.items()}
    by.setdefault("modality", Coded(np.zeros(len(rows), dtype=np.int32), (ONE_MODALITY,)))
    return replace(rows, by=by)


def _wide(scores: Scores, names: Mapping[Cell, str], standalone: str | None) -> Readings:
    """The readings of columns per cell; readers are in one order in all modalities."""
    one_sample(scores, "reader_study")
    modalities = [*dict.fromkeys(cell.modality for cell in names)]
    readers = [*dict.fromkeys(cell.reader for cell in names if cell.modality != standalone)]
    place = {cell: (modalities.index(cell.modality), cell.modality == standalone or readers.index(cell.reader)) for cell in names}
    ordered = {cell: names[cell] for cell in sorted(names, key=place.__getitem__)}
    read = np.ones((len(names), len(scores)), dtype=bool)
    return Readings(scores, ordered, tuple(modalities), tuple(readers), read)


# The analysis ------------------------------------------------------------------------------------------------


def _evaluate(readings: Readings, measure: Measure, method: Method, nested: Nested | None) -> _Evaluated:
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
                f"{measure} of reader {cell.reader!r} with modality {cell.modality!r} is {estimate.value:.4g} with a "
                f"standard error of {estimate.standard_error:.4g}; every cell needs both. Add cases of the rare "
                "classes, use another measure, or leave the reader out."
            )
    return evaluated


def _evaluate_subsets(readings: Readings, measure: Measure, method: Method) -> _Evaluated:
    """The same if cells have different cases: the influence values of cases that two cells share are multiplied."""
    if not isinstance(method, DeLong):
        raise NotApplicableError(
            Option("nested", "cases"), f" is not available with {method!r}; use ", Option("method", Call("DeLong")), "."
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


def _analyse(
    readings: Readings, cells: _Evaluated, measure: Measure, method: Method, question: _Question
) -> ReaderStudy:
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
    human: Sequence[str], values: FloatArray, covariance: FloatArray, like: Estimate, question: _Question
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
    human: Sequence[str], readings: Readings, cells: _Evaluated, like: Estimate, question: _Question
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
        effects[modality] = _pair(
            question.standalone, modality, float(values.mean()), error, float(term.df), like
        )
    return effects
