"""One solution per group of a Spark data frame: groups that fit into a task are judged there."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as sql

from polyroc import errors
from polyroc.engines.executing import judge
from polyroc.engines.frames import OpenedFrame
from polyroc.engines.groups import Group, named
from polyroc.engines.solving import Asked, Solution, solve
from polyroc.engines.spark import guarded, shared
from polyroc.errors import InputError, warn
from polyroc.results import Estimate

if TYPE_CHECKING:
    from pyspark.sql import Column

__all__ = ["solved_groups"]


def solved_groups(data: OpenedFrame, asked: Asked, room: int) -> Iterator[tuple[Group, Solution]]:
    """Each group's solution: found by the task that holds its rows if these fit into the room, else in passes."""
    names = [name for name in data.grouped.columns if name.startswith("g")]
    width = 4 + 8 * (len(data.rows.names) + data.rows.weighted)
    sizes = {tuple(row[:-1]): row[-1] for row in guarded(data.grouped.groupBy(*names).count().collect)}
    large = {group: _is(names, group) for group, n in sizes.items() if n * width > room}
    found = {}
    for group, condition in large.items():
        with named(group):
            found[group] = solve(_only(data, condition), asked)
    if len(large) < len(sizes):
        found |= _judged(data, names, asked, ~reduce(or_, large.values(), sql.lit(False)))
    yield from found.items()


def _is(names: list[str], group: Group) -> "Column":
    pairs = zip(names, group, strict=True)
    return reduce(and_, (sql.col(name).eqNullSafe(sql.lit(value)) for name, value in pairs))


def _only(data: OpenedFrame, condition: "Column") -> Any:
    return replace(data.rows, frame=data.grouped.where(condition).select(data.rows.frame.columns))


def _judged(data: OpenedFrame, names: list[str], asked: Asked, condition: "Column") -> dict[Group, Solution]:
    frame = data.grouped.where(condition)
    schema = frame.select(names).schema.add("found", "string")
    told = replace(asked, exact=True, progress=None), data.rows.weighted, data.rows.names
    with shared(frame, told) as load:
        found = frame.groupBy(*names).applyInArrow(lambda key, rows: judge(load, key, rows), schema)
        answers = guarded(found.collect)
    return {tuple(row[:-1]): _solution(row[:-1], json.loads(row[-1])) for row in answers}


def _solution(group: Group, found: dict[str, Any]) -> Solution:
    with named(group):
        for kind, text in found["warnings"]:
            warn(text, getattr(errors, kind))
        if found["trouble"] is not None:
            raise InputError(found["trouble"])
    estimates = {(one, key): Estimate.from_dict(each) for one, key, each in found["estimates"]}
    return Solution(estimates, np.array(found["covariance"]), {}, found["rows"])
