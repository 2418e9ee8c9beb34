"""Average precision read off cells: each cell adds its part, between bounds of its own."""

import numpy as np

from polyroc.engines.column import Column
from polyroc.engines.ranked import read
from polyroc.engines.reading import Bounded, Classes, widened
from polyroc.kernels.arrays import FloatArray
from polyroc.measures import Measure

__all__ = ["precise"]


def precise(measure: Measure, column: Column, classes: Classes, place: int) -> Bounded:
    """The sum over thresholds of (rise of recall) x (precision there), of two classes.

    Let a positives and b negatives be called above a cell that holds p and n. Inside the cell the precision is at
    most (a + p) / (a + p + b): all positives tie above all negatives. It is least with all negatives above the
    positives and no two positives tied; the sum over these is then at least the integral of u / (u + b + n) for u
    from a to a + p. Where all scores of the cell are equal, it is (a + p) / (a + p + b + n).
    """
    assert classes.positive is not None
    p, n = (np.ascontiguousarray(column.weight[::-1, k]) for k in (classes.positive, 1 - classes.positive))
    a, b = (np.cumsum(each) - each for each in (p, n))
    mixed = column.mixed[::-1]
    tied = p * _ratio(a + p, b + n)
    low = np.where(mixed, _integral(a, p, b + n), tied)
    high = np.where(mixed, p * _ratio(a + p, b), tied)
    total = float(p.sum())
    ends = widened(float(low.sum()) / total, float(high.sum()) / total, [column], (0.0, 1.0))
    widths = (high - low)[::-1] / total
    return Bounded(read(measure, column, classes, place), *ends, widths=lambda: {place: widths})


def _ratio(true: FloatArray, false: FloatArray) -> FloatArray:
    called = true + false
    return np.divide(true, called, out=np.ones(len(called)), where=called > 0)


def _integral(a: FloatArray, p: FloatArray, b: FloatArray) -> FloatArray:
    """Of u / (u + b) from a to a + p."""
    grown = np.divide(p, a + b, out=np.zeros(len(p)), where=b > 0)
    return np.asarray(p - b * np.log1p(grown))
