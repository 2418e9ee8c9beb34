"""Estimates from files and data frames, as a whole or group by group."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from polyroc.engines.bounds import engine_measures
from polyroc.engines.dataset import ColumnRequest, Dataset, FileDataset, open_files
from polyroc.engines.files import is_frame
from polyroc.engines.groups import Group, group_context, group_rows
from polyroc.engines.options import EngineOptions
from polyroc.engines.refine import EngineResult, EvaluationRequest, evaluate_rows
from polyroc.engines.rows import MemoryRows
from polyroc.engines.support import Mode, check_measure, mode_of
from polyroc.errors import InputError, MeasureError, NotApplicableError
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.messages import Option
from polyroc.progress import Progress
from polyroc.scores import Schema
from polyroc.validation.arrays import Missing

__all__ = ["estimate_dataset", "estimate_groups", "open_dataset"]

MeasureArgument = str | Measure | Sequence[str | Measure] | None


def estimate_dataset(
    options: EngineOptions,
    measures: MeasureArgument,
    *,
    labels: Sequence[Hashable] | None,
    pos_label: Hashable,
    missing: Missing,
    errors: bool = True,
    paired: bool = False,
    progress: Progress | None = None,
    check: Callable[[Schema], None] | None = None,
) -> tuple[EngineResult, dict[str, str], Schema]:
    """The estimates from all rows, the reasons why measures were skipped, and the schema of the data.

    `check` may reject the schema before any row is read.
    """
    with open_dataset(options, labels, pos_label, missing) as data:
        if check is not None:
            check(data.schema)
        chosen, skipped = _choose(measures, data.schema, mode_of(is_frame(options.files)))
        request = _request(options, data, chosen, errors, paired, progress)
        return evaluate_rows(data.rows, request), skipped, data.schema


def estimate_groups(
    options: EngineOptions,
    measures: MeasureArgument,
    make: Callable[[EngineResult, dict[str, str]], Any],
    *,
    labels: Sequence[Hashable] | None,
    pos_label: Hashable,
    missing: Missing,
    errors: bool = True,
    paired: bool = False,
    progress: Progress | None = None,
    check: Callable[[Schema], None] | None = None,
) -> dict[Group, Any]:
    """By group of rows, what `make` makes of its estimates; groups that fit in memory are estimated exactly."""
    with open_dataset(options, labels, pos_label, missing) as data:
        if check is not None:
            check(data.schema)
        chosen, skipped = _choose(measures, data.schema, mode_of(is_frame(options.files)))
        request = replace(_request(options, data, chosen, errors, paired, progress), progress=None)
        results: dict[Group, Any] = {}
        rows = 0
        for group, result in _group_results(data, options, request):
            results[group] = make(result, skipped)
            rows += result.rows
            if progress is not None:
                progress(rows, max(request.expected or 0, rows), f"group {', '.join(map(str, group))}")
        order = sorted(results, key=lambda group: [(value is None, value) for value in group])
        return {group: results[group] for group in order}


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
        from polyroc.engines.spark_frames import estimate_frame_groups

        yield from estimate_frame_groups(data, request, options.memory // 4)


def open_dataset(options: EngineOptions, labels: Any, pos_label: Any, missing: Missing) -> Any:
    """Files or a data frame, open for as long as the context lasts."""
    request = ColumnRequest(
        options.truth,
        options.scores,
        options.weight,
        options.by,
        labels,
        pos_label,
        missing,
        options.sampling,
        options.groups,
        options.negate,
    )
    if is_frame(options.files):
        from polyroc.engines.spark_frames import open_frame

        if options.table is not None:
            raise InputError("A Spark data frame has no tables; leave out ", Option("table", options.table), ".")
        return open_frame(options.files, request, options.memory)
    return open_files(options.files, request, options.memory, options.disk, options.table)


def _request(
    options: EngineOptions,
    data: Dataset,
    measures: Sequence[Measure],
    errors: bool,
    paired: bool,
    progress: Progress | None,
) -> EvaluationRequest:
    return EvaluationRequest(
        measures=measures,
        classifiers=data.classifiers,
        schema=data.schema,
        tolerance=options.tolerance,
        exact=options.exact,
        errors=errors,
        covariance=options.covariance,
        paired=paired,
        room=options.memory // 4,
        dropped=data.dropped,
        progress=progress,
        expected=None if progress is None else data.expected(),
    )


def _choose(measures: MeasureArgument, schema: Schema, mode: Mode) -> tuple[list[Measure], dict[str, str]]:
    """The measures to estimate, and why others are skipped; a measure that was named must apply."""
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
