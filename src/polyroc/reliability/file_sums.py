"""Events with predicted probabilities, counted in bins and summed over rows.

Of two classes the event is the positive one; of more, each class, and that the class with the largest probability
is the true one ("top label"). Bins give isotonic regression with bounds, sums what is a function of single rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyroc.engines.bins import Layout
from polyroc.engines.rows import Batch
from polyroc.engines.scan import Contributions, InfluenceLookups
from polyroc.errors import NotApplicableError
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray
from polyroc.measures.applicability import ROUNDING, SUM_TOLERANCE

__all__ = ["BARS", "CountedEvents", "EventColumns", "EventSums"]

BARS = 20  # of the histogram of predictions
ROWS_AT_ONCE = 2**16
SUMS = 12  # by event: see `EventSums.totals`
OVERALL = 3  # by classifier: Spiegelhalter's sums of all classes, and the rows of probability 0
HESSIAN = 4  # by event: of the intercept alone, and of intercept and slope


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events of some rows: at [event, row] the probability and whether it happened."""

    p: FloatArray
    happened: BoolArray


@dataclass(frozen=True, slots=True)
class EventColumns:
    """How the events of one classifier are made from its columns.

    Attributes
    ----------
    name, numbers
        The classifier, and the numbers of its columns.
    classes, positive
        The number of classes, and the positive one of two.
    """

    name: str
    numbers: tuple[int, ...]
    classes: int
    positive: int | None

    @property
    def size(self) -> int:
        """The number of events."""
        return 1 if self.classes == 2 else self.classes + 1

    @property
    def sources(self) -> list[int]:
        """By counted column (`CountedEvents`), the number of a data column that it is made from."""
        if self.classes > 2:
            return [*self.numbers, self.numbers[0]]  # a missing value is found in its own column before the last
        if len(self.numbers) == 1:
            return [*self.numbers]
        assert self.positive is not None
        return [self.numbers[self.positive], self.numbers[1 - self.positive]]

    def events(self, columns: Sequence[FloatArray], codes: CodeArray) -> EventBatch:
        """The events of some rows; a probability that is not finite is nan."""
        table = np.array([columns[number] for number in self.numbers])
        finite = np.isfinite(table)
        self._check(table, finite.all(axis=0))
        table = np.where(finite, np.clip(table, 0.0, 1.0), np.nan)
        if self.classes == 2:
            assert self.positive is not None
            p = table[self.positive if len(table) > 1 else 0]
            return EventBatch(p[None], (codes == self.positive)[None])
        happened = np.arange(self.classes)[:, None] == codes
        top = table.argmax(axis=0) == codes
        return EventBatch(np.vstack([table, table.max(axis=0)]), np.vstack([happened, top]))

    def _check(self, table: FloatArray, complete: BoolArray) -> None:
        rows = table[:, complete]
        wrong = ((rows < -ROUNDING) | (rows > 1.0 + ROUNDING)).any(axis=0)
        if len(rows) > 1:
            wrong |= np.abs(rows.sum(axis=0) - 1.0) > SUM_TOLERANCE
        if wrong.any():
            values = ", ".join(f"{value:g}" for value in rows[:, np.argmax(wrong)])
            total = " that sum to 1 for each case" if len(rows) > 1 else ""
            raise NotApplicableError(
                f"calibration needs probabilities in [0, 1]{total}, but {self.name!r} has a row with {values}; "
                "correct such rows, or turn the scores into probabilities."
            )


@dataclass(frozen=True, slots=True)
class CountedEvents:
    """A batch as it is counted: one column per event, and classes that tell which events happened.

    Of two classes, class 1 is the event. Of c > 2 classes and one classifier, class k + c says that a case of
    class k has its top label right. Of two columns per case, the other one is counted too, which checks it.
    """

    classifiers: tuple[EventColumns, ...]

    @property
    def n_classes(self) -> int:
        """The number of classes of the counted batch."""
        (first, *_) = self.classifiers
        return 2 if first.classes == 2 else 2 * first.classes

    @property
    def sources(self) -> list[int]:
        """By counted column, the number of a data column that it is made from."""
        return [number for own in self.classifiers for number in own.sources]

    def positives(self, event: int) -> list[int]:
        """The classes of the counted batch in which an event happened."""
        c = self.classifiers[0].classes
        if c == 2:
            return [1]
        return [*range(c, 2 * c)] if event == c else [event, event + c]

    def __call__(self, batch: Batch) -> Batch:
        """The batch that is counted."""
        columns: list[FloatArray] = []
        for own in self.classifiers:
            events = own.events(batch.columns, batch.codes)
            others = own.sources[len(events.p) :]
            columns += [*events.p, *(batch.columns[number] for number in others)]
        c = self.classifiers[0].classes
        last = events.happened[-1].astype(np.int32)
        codes = last if c == 2 else (batch.codes + c * last).astype(np.int32)
        return batch._replace(codes=codes, columns=columns)


class EventSums(InfluenceLookups):
    """Sums over rows of what calibration needs of each, filled by a scan as lookups are.

    Attributes
    ----------
    products
        All sums one after the other, so that those of two partitions are added; `parts` has views by name.

    Parameters
    ----------
    columns
        The columns of each classifier.
    theta
        At [event, coefficient], coefficients of logistic recalibration: the intercept with slope 1; intercept and
        slope.
    layouts
        By event, its bins.
    """

    def __init__(self, columns: Sequence[EventColumns], theta: FloatArray, layouts: Sequence[Layout]) -> None:
        self.columns, self.theta, self.layouts = columns, theta, layouts
        events, joint = len(layouts), columns[0].classes == 2
        self._shapes: Mapping[str, tuple[int, ...]] = {
            "sums": (events, SUMS),
            "bars": (events, BARS),
            "overall": (len(columns), OVERALL),
            "gradient": (events, 3),
            "hessian": (events, HESSIAN),
            "meat": (3 * events, 3 * events) if joint else (events, 3, 3),
            "predicted": (sum(layout.size for layout in layouts),),
        }
        super().__init__([], 1)
        self.products = np.zeros(sum(int(np.prod(shape)) for shape in self._shapes.values()))

    def parts(self) -> dict[str, FloatArray]:
        """Views of the products.

        By event `sums` has, with r = y - p, v = p (1 - p) and x the log odds: w p, w r^2, rows of probability 0 or
        1, w r, w r x, w x, w^2 v, w^2 v x, w^2 v x^2, w r (1 - 2 p), w^2 v (1 - 2 p)^2, rows whose outcome has the
        probability 0. `gradient`, `hessian` and `meat` are those of the logistic models; `predicted` is the sum of
        w p in each bin of each event.
        """
        ends = np.cumsum([int(np.prod(shape)) for shape in self._shapes.values()])
        blocks = np.split(self.products, ends[:-1])
        return {
            name: block.reshape(shape) for block, (name, shape) in zip(blocks, self._shapes.items(), strict=True)
        }

    def add(self, batch: Batch, contributions: Sequence[Contributions]) -> None:  # noqa: ARG002 - there are none
        """Add the sums of some rows."""
        parts = self.parts()
        for start in range(0, len(batch.codes), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            codes, columns = batch.codes[rows], [column[rows] for column in batch.columns]
            weight = np.ones(len(codes)) if batch.weight is None else batch.weight[rows]
            by_classifier = [own.events(columns, codes) for own in self.columns]
            for place, events in enumerate(by_classifier):
                parts["overall"][place] += _overall(events, codes, weight, self.columns[place])
            p = np.vstack([events.p for events in by_classifier])
            y = np.vstack([events.happened for events in by_classifier])
            self._add_events(parts, p, y, weight)

    def _add_events(self, parts: Mapping[str, FloatArray], p: FloatArray, y: BoolArray, w: FloatArray) -> None:
        certain = (p <= 0.0) | (p >= 1.0)
        inside = np.where(certain, 0.5, p)
        x = np.log(inside) - np.log1p(-inside)
        r, v = y - p, w**2 * p * (1.0 - p)
        numbers = [w * p, w * r**2, certain & (w > 0), w * r, w * r * x, w * x, v, v * x, v * x**2]
        numbers += [w * r * (1.0 - 2.0 * p), v * (1.0 - 2.0 * p) ** 2, certain & (w > 0) & (p != y)]
        parts["sums"][...] += np.stack([number.sum(axis=1) for number in numbers], axis=1)
        start = 0
        for event, (own, layout) in enumerate(zip(p, self.layouts, strict=True)):
            parts["bars"][event] += np.histogram(own, BARS, (0.0, 1.0), weights=w)[0]
            bins = layout.locate(own)
            parts["predicted"][start : start + layout.size] += np.bincount(bins, w * own, layout.size)
            start += layout.size
        self._add_logistic(parts, x, y, w)

    def _add_logistic(self, parts: Mapping[str, FloatArray], x: FloatArray, y: BoolArray, w: FloatArray) -> None:
        """Derivatives of the likelihoods, and the products of the scores of rows, weighted twice."""
        large, intercept, slope = self.theta.T[:, :, None]
        means = [(1.0 + np.tanh((large + x) / 2.0)) / 2.0, (1.0 + np.tanh((intercept + slope * x) / 2.0)) / 2.0]
        first, second = (w * (y - mean) for mean in means)
        scores = np.stack([first, second, second * x], axis=1)  # at [event, coefficient, row]
        parts["gradient"][...] += scores.sum(axis=2)
        alone, both = (w * mean * (1.0 - mean) for mean in means)
        hessian = [alone, both, both * x, both * x**2]
        parts["hessian"][...] += np.stack([number.sum(axis=1) for number in hessian], axis=1)
        if parts["meat"].ndim == 2:
            flat = scores.reshape(-1, scores.shape[2])
            parts["meat"][...] += flat @ flat.T
        else:
            parts["meat"][...] += scores @ scores.transpose(0, 2, 1)


def _overall(events: EventBatch, codes: CodeArray, weight: FloatArray, columns: EventColumns) -> FloatArray:
    """Sums for Spiegelhalter's test (`polyroc.reliability`), and the number of outcomes of probability 0.

    They are w times the Brier score minus its expectation, and w^2 times its variance.
    """
    if columns.classes == 2:
        (p,), (y,) = events.p, events.happened
        table, own = np.stack([1.0 - p, p]), np.where(y, p, 1.0 - p)
    else:
        table = events.p[:-1] / events.p[:-1].sum(axis=0)
        own = table[codes, np.arange(len(codes))]
    squares, cubes = (table**2).sum(axis=0), (table**3).sum(axis=0)
    impossible = np.count_nonzero((own <= 0.0) & (weight > 0))
    return np.array([weight @ (2.0 * (squares - own)), weight**2 @ (4.0 * (cubes - squares**2)), impossible])
