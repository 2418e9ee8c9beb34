"""One set of rows per group: DuckDB sorts by group, so that each that fits in memory can be judged there."""

import warnings
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from polyroc.engines.dataset import OpenedFiles
from polyroc.engines.rows import Batch, MemoryRows, Rows, joined
from polyroc.errors import PolyrocError, PolyrocWarning, warn
from polyroc.messages import Message

__all__ = ["Group", "groups", "named"]

Group = tuple[Hashable, ...]


def groups(data: OpenedFiles, by: Sequence[str], room: int) -> Iterator[tuple[Group, Rows]]:
    """Each group's rows: in memory if they fit into the room, else as rows of the files."""
    rows, columns = data.rows, [data.column(name) for name in by]
    listed, source = ", ".join(columns), data.rows.source
    rows.session.run(
        f"CREATE OR REPLACE TEMP TABLE groups AS "
        f"SELECT *, (row_number() OVER (ORDER BY {listed}) - 1)::INTEGER AS g FROM "
        f"({source.select([*columns, 'count(*) AS n'])} WHERE {rows.condition} GROUP BY {listed})",
        [*source.parameters, *rows.told[1]],
        source.name,
    )
    found = rows.session.rows("SELECT * FROM groups ORDER BY g", (), source.name)
    width = 4 + 8 * (len(rows.names) + rows.weighted)
    same = " AND ".join(f"{column} IS NOT DISTINCT FROM ?" for column in columns)
    small: dict[int, Group] = {}
    for *group, n, g in found:
        if n * width <= room:
            small[g] = tuple(group)
        else:
            yield tuple(group), data.where(same, group)
    for g, batch in _gathered(data, columns, room // width):
        yield small[g], MemoryRows(batch, rows.names)


def _gathered(data: OpenedFiles, columns: Sequence[str], most: int) -> Iterator[tuple[int, Batch]]:
    """The groups of so many rows at most, one after the other, from rows sorted by group."""
    rows, source = data.rows, data.rows.source
    weight = [f"{rows.weight} AS w"] if rows.weight else []
    values = [f"{each} AS v{i}" for i, each in enumerate(rows.expressions)]
    made = source.select([f"{rows.code} AS k", *values, *weight, *columns])
    same = " AND ".join(f"t.{column} IS NOT DISTINCT FROM groups.{column}" for column in columns)
    kept = ", ".join(["g", "k", *(f"v{i}" for i in range(len(values))), *(["w"] if weight else [])])
    tables = f"({made} WHERE {rows.condition}) AS t JOIN groups ON {same}"
    query = f"SELECT {kept} FROM {tables} WHERE n <= {most} ORDER BY g"
    held: list[Batch] = []
    last = -1
    for g, codes, *rest in rows.session.stream(query, rows.parameters, source.name):
        ends = np.append(np.flatnonzero(np.diff(g)) + 1, len(g)).tolist()
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            if g[start] != last and held:
                yield last, joined(held)
                held = []
            last = int(g[start])
            part = [each[start:end].copy() for each in rest]
            held.append(Batch(codes[start:end].copy(), part[: len(values)], part[-1] if weight else None))
    if held:
        yield last, joined(held)


@contextmanager
def named(group: Group) -> Iterator[None]:
    """What is said of a group, and what goes wrong there, with its name before it."""
    name = f"Group {', '.join(map(str, group))}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except PolyrocError as error:
            raise type(error)(f"{name}: ", error.message) from None
    for each in caught:
        if isinstance(each.message, PolyrocWarning):
            warn(Message(f"{name}: ", each.message.message), type(each.message))
