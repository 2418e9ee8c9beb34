"""Measures of decisions: patterns are counted exactly, so the bounds differ by rounding errors only."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from polyroc.engines.binned_sample import pattern_sample
from polyroc.engines.bins import BinnedColumn
from polyroc.engines.bounds.statistic import BoundedStatistic, binned_statistic, widen
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.statistic import Statistic
from polyroc.scores import Schema

__all__ = ["bound_decisions"]


def bound_decisions(measure: Measure, column: BinnedColumn, rows: FloatArray, schema: Schema) -> BoundedStatistic:
    """The measure of patterns of decisions; `rows` has a row of scores for each pattern."""
    sample, patterns = pattern_sample(column, rows, schema.labels, schema.positive)
    statistic = measure(sample)
    limits = measure.range(schema.n_classes, **measure.settings)

    def bounded(statistic: Statistic) -> BoundedStatistic:
        binned = binned_statistic(statistic, patterns, sample.starts, column, -1)
        bounds = widen(statistic.value, statistic.value, [column], limits)
        return BoundedStatistic(binned, *bounds, lambda: {-1: np.zeros(column.cases.shape)})

    def parts() -> Mapping[str, BoundedStatistic]:
        statistics = statistic.parts() if statistic.parts is not None else {}
        return {key: bounded(part) for key, part in statistics.items()}

    return replace(bounded(statistic), parts=parts)
