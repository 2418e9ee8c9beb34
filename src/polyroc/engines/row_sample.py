"""A simple random sample of the rows of files, for what needs cases in memory."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from polyroc.engines.dataset import FileDataset
from polyroc.engines.evaluate import open_dataset
from polyroc.engines.options import EngineOptions
from polyroc.engines.rows import Batch, concatenated
from polyroc.kernels.arrays import IntArray
from polyroc.scores import Scores
from polyroc.validation.arrays import Missing

__all__ = ["RowSample", "sample_rows"]


class RowSample(NamedTuple):
    """Cases drawn without replacement, and the number of rows that they were drawn from."""

    scores: Scores
    rows: int


def sample_rows(
    options: EngineOptions,
    cases: int,
    seed: int,
    *,
    labels: Sequence[Hashable] | None,
    pos_label: Hashable,
    missing: Missing,
) -> RowSample:
    """Draw rows of files at random; the same rows for the same seed, whatever the number of threads.

    Rows that an evaluation of all rows would reject (missing values, unknown classes) are left out of the sample.
    """
    with open_dataset(options, labels, pos_label, missing) as data:
        assert isinstance(data, FileDataset)
        rows = data.rows
        count = f"{rows.source.select(['count(*)'])} WHERE {rows.condition}"
        parameters = [*rows.source.parameters, *rows.condition_parameters]
        ((total,),) = rows.session.rows(count, parameters, rows.source.name)
        rng = np.random.default_rng(seed)
        drawn = np.sort(rng.choice(total, min(cases, total), replace=False, shuffle=False))
        return RowSample(_scores(data, options, _valid(_drawn(data, drawn))), int(total))


def _drawn(data: FileDataset, numbers: IntArray) -> Batch:
    """The rows with these ascending numbers, in the order of the files."""
    parts: list[Batch] = []
    start = 0
    for batch in data.rows.batches():
        first, last = np.searchsorted(numbers, [start, start + len(batch.codes)])
        chosen = numbers[first:last] - start
        start += len(batch.codes)
        parts.append(Batch(*(_rows_of(part, chosen) for part in batch)))
    return concatenated(parts)


def _rows_of(part: Any, chosen: IntArray) -> Any:
    """Some entries of an array, or of each of several; the memory of the stream is freed with its batch."""
    if part is None:
        return None
    return part[chosen].copy() if isinstance(part, np.ndarray) else [column[chosen].copy() for column in part]


def _valid(batch: Batch) -> Batch:
    numbers = [*batch.columns, *([] if batch.weight is None else [batch.weight])]
    kept = np.flatnonzero((batch.codes >= 0) & np.all([np.isfinite(column) for column in numbers], axis=0))
    return Batch(*(_rows_of(part, kept) for part in batch))


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
