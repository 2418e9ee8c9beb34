"""Measures of one column of scores: cases of a cell tie; in the best and the worst order they give the bounds."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import permutations
from math import e, log2

import numpy as np

from polyroc.engines.binned import BinnedSample
from polyroc.engines.column import Column
from polyroc.engines.reading import Bounded, Classes, Reading, Tables, reading_of, widened
from polyroc.errors import NotApplicableError
from polyroc.measures import Measure
from polyroc.measures.ordered import Chains

__all__ = ["discriminability", "ranked", "read"]


def ranked(measure: Measure, column: Column, classes: Classes, place: int) -> Bounded:
    """An area or a volume, read off the cells as they are, and in the two orders that bound it."""
    best = _best_ranks(measure, classes)
    middle, low, high = (
        read(measure, column, classes, place, ranks) for ranks in (None, [-rank for rank in best], best)
    )
    limits = measure.range(len(classes.labels), **measure.settings)
    ends = widened(low.value, high.value, [column], limits)
    if measure.key == "cost_area":  # least at the corners of a hull, which the order inside cells moves
        return Bounded(middle, *ends)
    return Bounded(middle, *ends, cache(lambda: _half_apart(low.tables(), high.tables())))


def _half_apart(low: Tables, high: Tables) -> Tables:
    return {i: np.abs(high[i] - low[i]) / 2.0 for i in high}


def _best_ranks(measure: Measure, classes: Classes) -> list[float]:
    """Where each class must stand among cases of one cell to make the most of them."""
    c = len(classes.labels)
    if measure.key == "vus":
        return [float(k) for k in range(c)]
    if measure.key == "umbrella":
        return [0.0, 1.0, 0.0]
    return [float(k == classes.positive) for k in range(c)]


def read(
    measure: Measure, column: Column, classes: Classes, place: int, ranks: Sequence[float] | None = None
) -> Reading:
    """The measure of the cells, with the cases of a class at these ranks in a cell that mixes scores."""
    sample = BinnedSample(column, classes.labels, classes.positive, ranks)
    return reading_of(measure(sample), sample.held, sample.starts, column, place)


def discriminability(measure: Measure, column: Column, classes: Classes) -> Bounded:
    """D by the arithmetic of intervals: each volume between its bounds, share log2(share) between its own."""
    if measure.settings["corrected"]:
        raise NotApplicableError("scurfield(corrected=True) has no certified bounds; ask for scurfield.")
    c = len(classes.labels)
    sample = BinnedSample(column, classes.labels, classes.positive)
    statistic = measure(sample)
    assert statistic.parts is not None
    volumes = statistic.parts()
    ends: dict[str, tuple[float, float]] = {}
    for order in permutations(range(c)):
        key = "<".join(classes.names[k] for k in order)
        ranks = [float(order.index(k)) for k in range(c)]
        found = [_volume(column, classes, [sign * rank for rank in ranks], order) for sign in (-1.0, 1.0)]
        ends[key] = widened(found[0], found[1], [column], (0.0, 1.0))
    terms = np.array([_surprise_between(*pair) for pair in ends.values()])
    low, high = log2(len(ends)) + terms.sum(axis=0)
    limits = measure.range(c, **measure.settings)

    def parts() -> Mapping[str, Bounded]:
        return {
            key: Bounded(reading_of(volumes[key], sample.held, sample.starts, column, 0), *ends[key])
            for key in ends
        }

    reading = reading_of(statistic, sample.held, sample.starts, column, 0)
    return Bounded(reading, *widened(low, high, [column], limits), None, parts)


def _volume(column: Column, classes: Classes, ranks: list[float], order: tuple[int, ...]) -> float:
    return Chains(BinnedSample(column, classes.labels, None, ranks)).volume(order)[0]


def _surprise_between(low: float, high: float) -> tuple[float, float]:
    """The least and the most of v log2(v) for v between low and high; it falls until 1/e, then rises."""

    def at(v: float) -> float:
        return v * log2(v) if v > 0 else 0.0

    least = -log2(e) / e if low <= 1 / e <= high else min(at(low), at(high))
    return float(least), max(at(low), at(high))
