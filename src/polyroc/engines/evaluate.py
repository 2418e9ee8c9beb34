"""Files judged by the engine, as a whole or group by group."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from polyroc.engines.bounds import engine_measures
from polyroc.engines.dataset import Opened, OpenedFiles, Question, opened
from polyroc.engines.groups import Group, groups, named
from polyroc.engines.options import Settings
from polyroc.engines.refine import Asked, Solution, solve
from polyroc.engines.rows import MemoryRows
from polyroc.engines.source import is_frame
from polyroc.errors import InputError, MeasureError, NotApplicableError
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.progress import Progress
from polyroc.scores import Schema
from polyroc.validation.arrays import Missing

__all__ = ["by_group", "open_rows", "solved"]

Wanted = str | Measure | Sequence[str | Measure] | None


def solved(
    asked: Settings,
    measures: Wanted,
    *,
    labels: Sequence[Hashable] | None,
    pos_label: Hashable,
    missing: Missing,
    errors: bool = True,
    paired: bool = False,
    progress: Progress | None = None,
    check: Callable[[Schema], None] | None = None,
) -> tuple[Solution, dict[str, str], Schema]:
    """Judge files as a whole: the solution, why measures were left out, and the schema of the data.

    `check` may reject the schema before any row is read.
    """
    with open_rows(asked, labels, pos_label, missing) as data:
        if check is not None:
            check(data.schema)
        chosen, skipped = _choose(measures, data.schema)
        found = solve(data.rows, _asked(asked, data, chosen, errors, paired, progress))
        return found, skipped, data.schema


def by_group(
    asked: Settings,
    measures: Wanted,
    make: Callable[[Solution, dict[str, str]], Any],
    *,
    labels: Sequence[Hashable] | None,
    pos_label: Hashable,
    missing: Missing,
    errors: bool = True,
    paired: bool = False,
    progress: Progress | None = None,
    check: Callable[[Schema], None] | None = None,
) -> dict[Group, Any]:
    """Judge each group of rows; DuckDB brings groups together, and those that fit in memory are judged exactly."""
    with open_rows(asked, labels, pos_label, missing) as data:
        if check is not None:
            check(data.schema)
        chosen, skipped = _choose(measures, data.schema)
        wanted = replace(_asked(asked, data, chosen, errors, paired, progress), progress=None)
        found: dict[Group, Any] = {}
        seen = 0
        for group, solution in _group_by_group(data, asked, wanted):
            found[group] = make(solution, skipped)
            seen += solution.rows
            if progress is not None:
                progress(seen, max(wanted.expected or 0, seen), f"group {', '.join(map(str, group))}")
        order = sorted(found, key=lambda group: [(value is None, value) for value in group])
        return {group: found[group] for group in order}


def _group_by_group(data: Any, asked: Settings, wanted: Asked) -> Iterator[tuple[Group, Solution]]:
    if isinstance(data, OpenedFiles):
        for group, rows in groups(data, asked.by, asked.memory // 4):
            exact = isinstance(rows, MemoryRows)
            with named(group):
                solution = solve(rows, replace(wanted, exact=exact or wanted.exact))
            yield group, solution
    else:
        from polyroc.engines.spark_frames import solved_groups

        yield from solved_groups(data, wanted, asked.memory // 4)


def open_rows(asked: Settings, labels: Any, pos_label: Any, missing: Missing) -> Any:
    """Files or a data frame, opened for as long as the context lasts."""
    question = Question(
        asked.truth, asked.scores, asked.weight, asked.by, labels, pos_label, missing, asked.sampling
    )
    if is_frame(asked.files):
        from polyroc.engines.spark_frames import opened_frame

        if asked.disk is not None:
            raise InputError("disk limits DuckDB; Spark has spark.local.dir and limits of its own.")
        return opened_frame(asked.files, question, asked.memory)
    return opened(asked.files, question, asked.memory, asked.disk)


def _asked(
    asked: Settings,
    data: Opened,
    measures: Sequence[Measure],
    errors: bool,
    paired: bool,
    progress: Progress | None,
) -> Asked:
    return Asked(
        measures,
        data.classifiers,
        data.schema,
        asked.tolerance,
        asked.exact,
        errors,
        asked.covariance,
        paired,
        asked.memory // 4,
        data.dropped,
        progress,
        None if progress is None else data.expected(),
    )


def _choose(asked: Wanted, schema: Schema) -> tuple[list[Measure], dict[str, str]]:
    """The measures to compute, and why others are not; one asked for by name must fit."""
    if asked is None:
        chosen, skipped = [], {}
        for measure in engine_measures():
            reason = inapplicable_reason(measure, schema, by_name=False)
            if reason is None and not (measure.needs == "ordered" and schema.kind == "matrix"):
                chosen.append(measure)
            else:
                skipped[measure.key] = reason or "needs one score per case, here one column per class"
        return chosen, skipped
    given = [asked] if isinstance(asked, str | Measure) else [*asked]
    if not given:
        raise MeasureError("No measure was asked for; leave measure out for all that apply.")
    found = [find(each) for each in given]
    for each in found:
        reason = inapplicable_reason(each, schema, by_name=True)
        if reason is not None:
            raise NotApplicableError(f"{each} ", reason, ".")
    return found, {}
