"""The scans of `calibration` over files: events counted in bins, and sums over rows.

1. One scan counts each event in bins; of several classifiers of more than two classes one scan for each, because
   their top labels differ. Bins are divided until the bounds of miscalibration are near enough.
2. Scans sum the rows. The likelihood of logistic recalibration is maximised by Newton's method, which starts at
   the coefficients of the bins: two or three scans suffice, each of which also sums what the tests need.
"""

from collections.abc import Mapping
from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from polyroc.engines.binned_sample import two_sides
from polyroc.engines.bins import BinnedColumn, Layout, bin_bytes
from polyroc.engines.counts import default_bits
from polyroc.engines.dataset import Dataset
from polyroc.engines.options import EngineOptions
from polyroc.engines.scan import Scan, ScanPlan
from polyroc.errors import InputError, OutOfSpaceError, ToleranceWarning, warn
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import Message, Option
from polyroc.progress import Progress
from polyroc.reliability.binned import BinnedEvent
from polyroc.reliability.events import TOP_LABEL
from polyroc.reliability.file_sums import CountedEvents, EventColumns, EventSums
from polyroc.reliability.recalibration import certainty_text
from polyroc.scores import Schema

__all__ = ["FileEvents", "Undefined"]

MOST_SCANS = 24  # in which bins are divided
MOST_BINS = 2**25  # of one event, however much memory there is
SMALL_WIDTH = 5e-3  # of bounds, in units of 1 / sqrt(cases): small against the standard error
CONVERGED, MOST_STEPS = 1e-8, 10  # Newton's method squares its error: the value is exact except for rounding


class Undefined(NamedTuple):
    """Why there is no slope, and whether there are calibration-in-the-large and the joint test.

    `without_logits` says that some probabilities have no log odds, `without_outcomes` that all outcomes are equal.
    """

    reason: str
    without_logits: bool = False
    without_outcomes: bool = False

    @property
    def without_large(self) -> bool:
        """Whether calibration-in-the-large is undefined, too."""
        return self.without_logits or self.without_outcomes


class FileEvents:
    """The scans over some rows, and what is known after each of them.

    Attributes
    ----------
    names
        By event, the classifier and the name of the event.
    columns
        By event, the bins with the cases without and with it; `layouts` are all bins.
    sums
        The sums of the last scan.
    theta
        At [event, coefficient], logistic recalibration.
    """

    def __init__(self, data: Dataset, settings: EngineOptions, progress: Progress | None) -> None:
        self.data, self.settings, self.progress, self.schema = data, settings, progress, data.schema
        c, positive = self.schema.n_classes, self.schema.positive
        self.classifiers = tuple(
            EventColumns(name, numbers, c, positive) for name, numbers in data.classifiers.items()
        )
        events = (
            [self.schema.names[positive]] if c == 2 and positive is not None else [*self.schema.names, TOP_LABEL]
        )
        self.names = [(own.name, event) for own in self.classifiers for event in events]
        self.columns: list[BinnedColumn] = []
        self.layouts: list[Layout] = []
        self.passes, self.rows = 0, 0
        self.cases: IntArray = np.zeros(c, dtype=np.int64)
        self.expected = (None if progress is None else data.expected()) or 0

    # bins

    def count(self) -> None:
        """Count the events in bins, and divide these until the bounds are near enough."""
        together = self.schema.n_classes == 2
        groups = [self.classifiers] if together else [(own,) for own in self.classifiers]
        for group in groups:
            self._count_group(CountedEvents(group))

    def _count_group(self, counted: CountedEvents) -> None:
        width, weighted = len(counted.sources), self.data.rows.weighted
        room = self.settings.memory // 4
        bits = default_bits(counted.n_classes, width, weighted, room)
        layouts = dict.fromkeys(range(width), Layout.of(bits))
        counts = self._scan_bins(counted, layouts)
        self._check_cases(counts[0])
        steps = width // len(counted.classifiers) if self.schema.n_classes == 2 else 1
        events = [*range(0, width, steps)]
        most = min(room // (bin_bytes(counted.n_classes, weighted) * width), MOST_BINS)
        for _ in range(MOST_SCANS):
            finer = {
                place: layout
                for place in events
                if (layout := self._finer(self._sides(counted, counts, place, steps), layouts[place], most))
                is not None
            }
            if not finer:
                break
            layouts |= finer
            counts |= self._scan_bins(counted, finer)
        for place in events:
            self.columns.append(self._sides(counted, counts, place, steps))
            self.layouts.append(layouts[place])

    @staticmethod
    def _sides(counted: CountedEvents, counts: Mapping[int, BinnedColumn], place: int, steps: int) -> BinnedColumn:
        positives = counted.positives(place // steps if counted.n_classes > 2 else 0)
        negatives = [k for k in range(counted.n_classes) if k not in positives]
        return two_sides(counts[place], positives, negatives)

    def _scan_bins(self, counted: CountedEvents, layouts: Mapping[int, Layout]) -> dict[int, BinnedColumn]:
        schema = Schema(tuple(range(counted.n_classes)))
        columns = tuple(range(len(counted.sources)))
        plan = ScanPlan({"": columns}, schema, self.data.rows.weighted, {"": layouts}, (), None, True, counted)
        scan = self._scan(plan)
        number = scan.non_finite_column()
        if number is not None:
            raise self.data.rows.non_finite_error(counted.sources[number])
        return dict(scan.counts[""].binned().columns)

    def _scan(self, plan: ScanPlan) -> Scan:
        scan = Scan(plan)
        self.passes += 1

        def report(rows: int) -> None:
            if self.progress is not None:
                self.progress(rows, max(self.rows or self.expected, rows), f"pass {self.passes}")

        self.data.rows.scan(scan, report)
        if self.rows and scan.rows != self.rows:
            raise InputError(
                f"There were {self.rows} rows in the previous scan and {scan.rows} in this one; make sure that "
                "they stay the same (persist() a Spark data frame)."
            )
        self.rows = scan.rows
        return scan

    def _check_cases(self, column: BinnedColumn) -> None:
        c = self.schema.n_classes
        if c == 2:
            assert self.schema.positive is not None
            self.cases = column.units[::-1] if self.schema.positive == 0 else column.units
        else:
            self.cases = column.units[:c] + column.units[c:]
        for name, count in zip(self.schema.names, self.cases.tolist(), strict=True):
            if not count:
                raise InputError(f"No case of class {name!r}; calibration needs cases of every class.")

    def _finer(self, column: BinnedColumn, layout: Layout, most: int) -> Layout | None:
        """Bins of which those that leave something open are divided; None if the bounds are near enough."""
        event = _binned(column, np.zeros(len(column.cases)))
        is_open, exact = event.open, self.settings.exact
        low, high = event.losses()
        tolerance = self.settings.tolerance or SMALL_WIDTH / sqrt(float(self.cases.sum()))
        if not is_open.any() or (not exact and high - low <= tolerance):
            return None
        assert column.index is not None
        occupied = layout.locate(column.index.edges()).astype(np.int64)[column.weight.sum(axis=1) > 0]
        possible, room = layout.shift[occupied], most - layout.size
        times = int(np.log2(max(room / is_open.sum(), 1.0)))
        if not exact:  # the width of the bounds is in proportion to that of the bins
            times = min(times, int(np.ceil(np.log2((high - low) / tolerance))) + 1)
        by_bin = np.where(is_open, np.minimum(times, possible), 0)
        if by_bin.any():
            halvings = np.zeros(layout.size, dtype=np.int64)
            halvings[occupied] = by_bin
            return layout.refined(halvings)
        if exact:
            raise OutOfSpaceError(
                "There is no memory for bins that separate all probabilities; raise ",
                Option("memory"),
                ", or use ",
                Option("tolerance"),
                ".",
            )
        if self.settings.tolerance is not None:
            _warn_of_tolerance(high - low, tolerance)
        return None

    # sums

    def fit_logistic(self) -> None:
        """Scan until Newton's method has converged."""
        starts = [_start(column, layout) for column, layout in zip(self.columns, self.layouts, strict=True)]
        self.theta = np.array(starts)
        for _ in range(MOST_STEPS):
            lookups = EventSums(self.classifiers, self.theta, self.layouts)
            weighted = self.data.rows.weighted
            self._scan(ScanPlan(self.data.classifiers, self.schema, weighted, {}, (), lookups, False))
            self.sums = lookups.parts()
            steps = np.array([self._steps(event) for event in range(len(self.names))])
            self.theta = self.theta + steps
            if np.abs(steps).max() <= CONVERGED * (1.0 + np.abs(self.theta).max()):
                break

    def _steps(self, event: int) -> FloatArray:
        """Newton's steps of the coefficients that are defined; 0 for the others."""
        large, line = _step(self.sums["gradient"][event], self.sums["hessian"][event])
        reason = self.undefined(event)
        if reason is not None:
            line = np.zeros(2)
            large = 0.0 if reason.without_large else large
        return np.asarray(np.nan_to_num([large, *line]))

    def undefined(self, event: int) -> Undefined | None:
        """Why logistic recalibration of an event has no finite slope; None if it has one."""
        certain, wrong = (int(self.sums["sums"][event, place]) for place in (2, 11))
        if certain:
            return Undefined(certainty_text(certain, wrong), without_logits=True)
        column = self.columns[event]
        bins = [np.flatnonzero(column.cases[:, outcome]) for outcome in (0, 1)]
        if not len(bins[0]) or not len(bins[1]):
            return Undefined("the event happened in all cases, or in none", without_outcomes=True)
        if self.is_constant(event):
            return Undefined("all probabilities are equal")
        separate = "the probabilities separate cases with and without the event"
        for below, above in (bins, bins[::-1]):
            if below[-1] < above[0] or (below[-1] == above[0] and not column.mixed[above[0]]):
                return Undefined(f"{separate}, so the slope is infinite")
            if below[-1] == above[0]:
                return Undefined(f"{separate} except within one bin, so the slope is infinite or very large")
        return None

    def is_constant(self, event: int) -> bool:
        """Whether all cases have the same probability."""
        column = self.columns[event]
        occupied = np.flatnonzero(column.cases.sum(axis=1))
        return len(occupied) == 1 and not column.mixed[occupied[0]]

    def binned(self, event: int) -> BinnedEvent:
        """The bins of an event with their mean predictions."""
        start = sum(layout.size for layout in self.layouts[:event])
        column, layout = self.columns[event], self.layouts[event]
        assert column.index is not None
        totals = self.sums["predicted"][start : start + layout.size][layout.locate(column.index.edges())]
        return _binned(column, totals)


def _binned(column: BinnedColumn, totals: FloatArray) -> BinnedEvent:
    """The occupied bins of an event, with the sum of w p in each."""
    weight = column.weight.sum(axis=1)
    kept = weight > 0
    unweighted = column.squares is column.weight
    weights = column.weight[kept]
    # means of equal numbers can fall by rounding
    p = np.maximum.accumulate(np.clip(totals[kept] / weight[kept], 0.0, 1.0))
    return BinnedEvent(
        p, column.cases[kept], weights, weights if unweighted else column.squares[kept], column.mixed[kept]
    )


def _warn_of_tolerance(width: float, tolerance: float) -> None:
    warn(
        Message(
            f"The bounds of miscalibration are {width:.2g} apart, further than the tolerance {tolerance:g}, and "
            "there is no memory for finer bins; raise ",
            Option("memory"),
            ".",
        ),
        ToleranceWarning,
    )


def _start(column: BinnedColumn, layout: Layout) -> FloatArray:
    """Coefficients from the bins, whose cases are taken to have the prediction in the middle of the bin."""
    assert column.index is not None
    edges = np.append(layout.edges(), np.inf)
    place = layout.locate(column.index.edges())
    p = np.clip((edges[place] + np.minimum(edges[place + 1], 1.0)) / 2.0, 1e-15, 1.0 - 1e-15)
    x, happened, weight = np.log(p) - np.log1p(-p), column.weight[:, 1], column.weight.sum(axis=1)
    large, line = 0.0, np.array([0.0, 1.0])
    for _ in range(MOST_STEPS):
        means = [(1.0 + np.tanh(eta / 2.0)) / 2.0 for eta in (large + x, line[0] + line[1] * x)]
        first, second = (happened - weight * mean for mean in means)
        alone, both = (weight * mean * (1.0 - mean) for mean in means)
        step, steps = _step(
            np.array([first.sum(), second.sum(), second @ x]),
            np.array([alone.sum(), both.sum(), both @ x, both @ x**2]),
        )
        large, line = large + float(np.clip(np.nan_to_num(step), -2.0, 2.0)), line + np.clip(steps, -2.0, 2.0)
        if not np.isfinite(line).all():
            line = np.array([0.0, 1.0])
    return np.array([large, *line])


def _step(gradient: FloatArray, hessian: FloatArray) -> tuple[float, FloatArray]:
    """Newton's step of the intercept alone, and of intercept and slope; nan where there is none."""
    alone, both, cross, square = hessian.tolist()
    determinant = both * square - cross**2
    first, a, b = gradient.tolist()
    line = np.array([square * a - cross * b, both * b - cross * a])
    return first / alone if alone > 0 else nan, line / determinant if determinant > 0 else np.full(2, nan)
