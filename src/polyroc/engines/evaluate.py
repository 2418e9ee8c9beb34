"""Estimates from files and data frames, as a whole or group by group.

DuckDB sorts the rows by group, so that every group that fits is in memory.
"""

import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from polyroc.engines.bounds import engine_measures
from polyroc.engines.dataset import FileDataset, open_files
from polyroc.engines.files import is_frame
from polyroc.engines.options import EngineOptions
from polyroc.engines.refine import evaluate_rows
from polyroc.engines.request import EngineResult, EvaluationRequest
from polyroc.engines.rows import Batch, MemoryRows, Rows, concatenated
from polyroc.engines.support import Mode, check_measure, mode_of
from polyroc.errors import MeasureError, NotApplicableError, PolyrocError, PolyrocWarning, warn
from polyroc.kernels.arrays import IntArray
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.messages import Message
from polyroc.progress import Progress
from polyroc.scores import Schema, Scores
from polyroc.validation.weights import scaled_weights

__all__ = [
    "Group",
    "RowSample",
    "estimate_dataset",
    "estimate_groups",
    "group_context",
    "group_rows",
    "open_dataset",
    "row_bytes",
    "sample_rows",
]

MeasureArgument = str | Measure | Sequence[str | Measure] | None
Group = tuple[Hashable, ...]


def estimate_dataset(
    options: EngineOptions,
    measures: MeasureArgument,
    *,
    errors: bool = True,
    paired: bool = False,
    progress: Progress | None = None,
    check: Callable[[Schema], None] | None = None,
) -> tuple[EngineResult, dict[str, str], Schema]:
    """Estimate from all rows; return the estimates, the reasons why measures were skipped, and the schema.

    `check` may reject the schema before any row is read.
    """
    with _requested(options, measures, check, errors, paired, progress) as (data, request, skipped):
        return evaluate_rows(data.rows, request), skipped, data.schema


def estimate_groups(
    options: EngineOptions,
    measures: MeasureArgument,
    make: Callable[[EngineResult, dict[str, str]], Any],
    *,
    errors: bool = True,
    paired: bool = False,
    progress: Progress | None = None,
    check: Callable[[Schema], None] | None = None,
) -> tuple[dict[Group, Any], Any]:
    """Return by group of rows what `make` makes of its estimates, and what it makes of all rows.

    Rows that fit in memory are estimated exactly.
    """
    with _requested(options, measures, check, errors, paired, progress) as (data, whole, skipped):
        request = replace(whole, progress=None)
        results: dict[Group, Any] = {}
        rows = 0
        for group, result in _group_results(data, options, request):
            results[group] = make(result, skipped)
            rows += result.rows
            if progress is not None:
                progress(rows, max(request.expected or 0, rows), f"group {', '.join(map(str, group))}")
        if progress is not None:
            progress(rows, max(request.expected or 0, rows), "all rows")
        fits = rows <= (options.memory // 4) // row_bytes(
            len(data.rows.names), data.rows.weighted, data.rows.clustered
        )
        overall = evaluate_rows(data.rows, replace(request, exact=request.exact or fits))
        return {group: results[group] for group in sorted(results)}, make(overall, skipped)


def _group_results(
    data: Any, options: EngineOptions, request: EvaluationRequest
) -> Iterator[tuple[Group, EngineResult]]:
    if isinstance(data, FileDataset):
        for group, rows in group_rows(data, options.by, options.memory // 4):
            exact = isinstance(rows, MemoryRows)
            with group_context(group):
                result = evaluate_rows(rows, replace(request, exact=exact or request.exact))
            yield group, result
    else:
        from polyroc.engines.spark import estimate_frame_groups

        yield from estimate_frame_groups(data, request, options.memory // 4)


def open_dataset(options: EngineOptions) -> Any:
    """Open files or a data frame for as long as the context lasts."""
    if is_frame(options.files):
        from polyroc.engines.spark import open_frame

        return open_frame(options.files, options)
    return open_files(options.files, options)


@contextmanager
def _requested(
    options: EngineOptions,
    measures: MeasureArgument,
    check: Callable[[Schema], None] | None,
    errors: bool,
    paired: bool,
    progress: Progress | None,
) -> Iterator[tuple[Any, EvaluationRequest, dict[str, str]]]:
    """Open the data with a request for what applies to them, and the reasons why other measures do not."""
    with open_dataset(options) as data:
        if check is not None:
            check(data.schema)
        chosen, skipped = _choose(measures, data.schema, mode_of(is_frame(options.files)))
        request = EvaluationRequest(
            measures=chosen,
            classifiers=data.classifiers,
            schema=data.schema,
            tolerance=options.tolerance,
            exact=options.exact,
            errors=errors,
            covariance=options.covariance,
            paired=paired,
            room=options.memory // 4,
            dropped=data.dropped,
            negated=data.negated,
            notes=data.notes,
            progress=progress,
            expected=None if progress is None else data.expected(),
        )
        yield data, request, skipped


def _choose(measures: MeasureArgument, schema: Schema, mode: Mode) -> tuple[list[Measure], dict[str, str]]:
    """Choose the measures to estimate, and say why others are skipped; a measure that was named must apply."""
    if measures is None:
        return _applicable(schema)
    names = [measures] if isinstance(measures, str | Measure) else [*measures]
    if not names:
        raise MeasureError("No measure was named; leave measure out for all that apply.")
    chosen = [find(name) for name in names]
    for measure in chosen:
        reason = inapplicable_reason(measure, schema, by_name=True)
        if reason is not None:
            raise NotApplicableError(f"{measure} ", reason, ".")
        check_measure(measure, mode)
    return chosen, {}


def _applicable(schema: Schema) -> tuple[list[Measure], dict[str, str]]:
    chosen, skipped = [], {}
    for measure in engine_measures():
        reason = inapplicable_reason(measure, schema, by_name=False)
        if reason is None and measure.needs == "ordered" and schema.kind == "matrix":
            reason = "needs one score per case, here one column per class"  # engines make no conversions
        if reason is None:
            chosen.append(measure)
        else:
            skipped[measure.key] = reason
    return chosen, skipped


def row_bytes(columns: int, weighted: bool, clustered: bool = False) -> int:
    """Return memory of a row: the class code, the scores, the weight and the number of the cluster."""
    return 4 + 8 * (columns + weighted + clustered)


def group_rows(data: FileDataset, by: Sequence[str], room: int) -> Iterator[tuple[Group, Rows]]:
    """Yield each group's rows: in memory if they take no more bytes than `room`, else as rows of the files."""
    rows, columns = data.rows, [data.column(name) for name in by]
    listed, source = ", ".join(columns), data.rows.source
    rows.session.run(
        f"CREATE OR REPLACE TEMP TABLE groups AS "
        f"SELECT *, (row_number() OVER (ORDER BY {listed}) - 1)::INTEGER AS g FROM "
        f"({source.select([*columns, 'count(*) AS n'])} WHERE {rows.condition} GROUP BY {listed})",
        [*source.parameters, *rows.condition_parameters],
        source.name,
    )
    most = room // row_bytes(len(rows.names), rows.weighted, rows.clustered)
    in_group = " AND ".join(f"{column} IS NOT DISTINCT FROM ?" for column in columns)
    small: dict[int, Group] = {}
    for *group, n, g in rows.session.rows("SELECT * FROM groups ORDER BY g", (), source.name):
        if n <= most:
            small[g] = tuple(group)
        else:
            yield tuple(group), data.where(in_group, group)
    for g, batch in _small_groups(data, columns, most):
        # A group's weights may all be small against those of the others.
        weight = scaled_weights(batch.weight, batch.codes, data.schema.names, f"the weights of {source.name}")
        yield small[g], MemoryRows(batch._replace(weight=weight), rows.names)


def _small_groups(data: FileDataset, columns: Sequence[str], most: int) -> Iterator[tuple[int, Batch]]:
    """Yield the groups of at most so many rows, one after the other, from one query sorted by group."""
    rows, source = data.rows, data.rows.source
    weight = [f"{rows.weight} AS w"] if rows.weight else []
    values = [f"{expression} AS v{i}" for i, expression in enumerate(rows.expressions)]
    cluster = ["p"] if rows.clustered else []
    table = source.select([f"{rows.code} AS k", *values, *weight, *cluster, *columns]) + rows.clusters_join
    same = " AND ".join(f"t.{column} IS NOT DISTINCT FROM groups.{column}" for column in columns)
    kept = ", ".join(["g", "k", *(f"v{i}" for i in range(len(values))), *(["w"] if weight else []), *cluster])
    tables = f"({table} WHERE {rows.condition}) AS t JOIN groups ON {same}"
    query = f"SELECT {kept} FROM {tables} WHERE n <= {most} ORDER BY g"
    current, batches = -1, list[Batch]()
    for g, codes, *scores in rows.session.stream(query, rows.parameters, source.name, ordered=True):
        clusters = scores.pop() if cluster else None
        batch = Batch(codes, scores, scores.pop() if weight else None, clusters)
        ends = np.append(np.flatnonzero(np.diff(g)) + 1, len(g)).tolist()
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            if g[start] != current and batches:
                yield current, concatenated(batches)
                batches = []
            current = int(g[start])
            batches.append(
                batch.take(np.arange(start, end))
            )  # a copy: the stream's memory is freed with its batch
    if batches:
        yield current, concatenated(batches)


@contextmanager
def group_context(group: Group) -> Iterator[None]:
    """Put the name of the group before the warnings and errors that concern it."""
    name = f"Group {', '.join(map(str, group))}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except PolyrocError as error:
            raise type(error)(f"{name}: ", error.message) from None
    for warning in caught:
        if isinstance(warning.message, PolyrocWarning):
            warn(Message(f"{name}: ", warning.message.message), type(warning.message))


class RowSample(NamedTuple):
    """Cases drawn without replacement, and the number of rows that they were drawn from."""

    scores: Scores
    rows: int


def sample_rows(options: EngineOptions, cases: int, seed: int) -> RowSample:
    """Draw rows of files at random; the same rows for the same seed, whatever the number of threads.

    Rows that an evaluation of all rows would reject (missing values, unknown classes) are left out of the sample.
    """
    with open_dataset(options) as data:
        assert isinstance(data, FileDataset)
        rows = data.rows
        ((total,),) = rows.select(["count(*)"])
        rng = np.random.default_rng(seed)
        drawn = np.sort(rng.choice(total, min(cases, total), replace=False, shuffle=False))
        return RowSample(_scores(data, options, _valid(_drawn(data, drawn))), int(total))


def _drawn(data: FileDataset, numbers: IntArray) -> Batch:
    """Return the rows with these ascending numbers, in the order of the files."""
    parts: list[Batch] = []
    start = 0
    for batch in data.rows.batches():
        first, last = np.searchsorted(numbers, [start, start + len(batch.codes)])
        chosen = numbers[first:last] - start
        start += len(batch.codes)
        parts.append(batch.take(chosen))
    return concatenated(parts)


def _valid(batch: Batch) -> Batch:
    numbers = [*batch.columns, *([] if batch.weight is None else [batch.weight])]
    kept = np.flatnonzero((batch.codes >= 0) & np.all([np.isfinite(column) for column in numbers], axis=0))
    return batch.take(kept)


def _scores(data: FileDataset, options: EngineOptions, batch: Batch) -> Scores:
    schema = data.schema
    values = {
        name: batch.columns[places[0]]
        if schema.kind == "score"
        else np.column_stack([batch.columns[place] for place in places])
        for name, places in data.classifiers.items()
    }
    weight = None if batch.weight is None else np.ldexp(batch.weight, data.rows.weight_exponent)
    return Scores._make(
        batch.codes,
        schema.labels,
        values,
        schema.kind,
        schema.positive,
        schema.ordered,
        weight,
        groups=batch.clusters,
        dropped=data.dropped,
        sampling=options.sampling,
        negated=data.negated,
        notes=data.notes,
    )
