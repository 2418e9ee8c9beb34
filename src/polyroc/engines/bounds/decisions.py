"""Measures of decisions: patterns are counted exactly, so the bounds are as far apart as rounding."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from polyroc.engines.binned_sample import pattern_sample
from polyroc.engines.bins import Column
from polyroc.engines.bounds.reading import Bounded, reading_of, widened
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.statistic import Statistic
from polyroc.scores import Schema

__all__ = ["decided"]


def decided(measure: Measure, column: Column, rows: FloatArray, schema: Schema) -> Bounded:
    """The measure of patterns, each of which stands for a row of scores."""
    sample, held = pattern_sample(column, rows, schema.labels, schema.positive)
    statistic = measure(sample)
    limits = measure.range(schema.n_classes, **measure.settings)

    def made(each: Statistic) -> Bounded:
        reading = reading_of(each, held, sample.starts, column, -1)
        ends = widened(each.value, each.value, [column], limits)
        return Bounded(reading, *ends, lambda: {-1: np.zeros(column.cases.shape)})

    def parts() -> Mapping[str, Bounded]:
        found = statistic.parts() if statistic.parts is not None else {}
        return {key: made(each) for key, each in found.items()}

    return replace(made(statistic), parts=parts)
