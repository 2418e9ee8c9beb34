"""The rows of each group: DuckDB sorts by group, so that every group that fits is held in memory."""

import warnings
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from polyroc.engines.dataset import FileDataset
from polyroc.engines.precision import scaled_weights
from polyroc.engines.rows import Batch, MemoryRows, Rows, concatenated
from polyroc.errors import PolyrocError, PolyrocWarning, warn
from polyroc.messages import Message

__all__ = ["Group", "group_context", "group_rows", "row_bytes"]

Group = tuple[Hashable, ...]


def row_bytes(columns: int, weighted: bool, clustered: bool = False) -> int:
    """Memory of a row: the class code, the scores, the weight and the number of the cluster."""
    return 4 + 8 * (columns + weighted + clustered)


def group_rows(data: FileDataset, by: Sequence[str], room: int) -> Iterator[tuple[Group, Rows]]:
    """Each group's rows: in memory if they take no more bytes than `room`, else as rows of the files."""
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
    in_group = " AND ".join(f"{column} IS NOT DISTINCT FROM ?" for column in columns)  # NULL is a group, too
    small: dict[int, Group] = {}
    for *group, n, g in rows.session.rows("SELECT * FROM groups ORDER BY g", (), source.name):
        if n <= most:
            small[g] = tuple(group)
        else:
            yield tuple(group), data.where(in_group, group)
    for g, batch in _small_groups(data, columns, most):
        # A group's weights may all be small against those of the others.
        yield small[g], MemoryRows(batch._replace(weight=scaled_weights(batch.weight)), rows.names)


def _small_groups(data: FileDataset, columns: Sequence[str], most: int) -> Iterator[tuple[int, Batch]]:
    """The groups of at most so many rows, one after the other, from one query sorted by group."""
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
    for g, codes, *scores in rows.session.stream(query, rows.parameters, source.name):
        ends = np.append(np.flatnonzero(np.diff(g)) + 1, len(g)).tolist()
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            if g[start] != current and batches:
                yield current, concatenated(batches)
                batches = []
            current = int(g[start])
            part = [column[start:end].copy() for column in scores]  # the stream's memory is freed with its batch
            clusters = part.pop() if cluster else None
            batches.append(
                Batch(codes[start:end].copy(), part[: len(values)], part[-1] if weight else None, clusters)
            )
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
