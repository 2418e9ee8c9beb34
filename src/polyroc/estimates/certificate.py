"""The certified bounds of an estimate that an engine or a tally computed from binned scores."""

from dataclasses import dataclass, field
from typing import Any

from polyroc._results.codec import STORED_IF_SET, Record
from polyroc._results.invariants import Invariants, at_least, ordered

__all__ = ["Certificate"]


@dataclass(frozen=True, slots=True)
class Certificate(Record):
    """Bounds of the exact value of an estimate that was computed from binned scores.

    The bounds hold for every possible order of the scores inside a bin. The standard error is estimated from
    structural components that are exact up to this order.

    Attributes
    ----------
    low, high
        The bounds, including rounding errors.
    passes, rows, bytes
        Number of scans of the data, number of rows, and size of the files in bytes (None if unknown).
    error_within
        The largest change of the standard error by the order inside bins; nan if unknown.
    error_is_bound
        True if the standard error is an upper bound, from the standard errors of the columns (Cauchy & Schwarz),
        because the rows were not scanned again for the covariance of the columns, up to `error_within`; or because
        the bins do not separate the scores (`in_interval`).
    in_interval
        True if the bounds are not small against the standard error: confidence intervals and tests then allow for
        every value between them, and the standard error is the largest that the order inside bins allows. None
        otherwise.
    """

    low: float
    high: float
    passes: int
    rows: int
    bytes: int | None = None
    error_within: float = float("nan")
    error_is_bound: bool = False
    in_interval: bool | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        yield ordered(self.low, self.high), "low must not be above high"
        yield at_least([self.passes, self.rows, self.bytes or 0], 0), "passes, rows and bytes must be 0 or more"
        yield at_least(self.error_within, 0), "error_within must be 0 or more"

    @property
    def width(self) -> float:
        """The distance between the bounds."""
        return self.high - self.low

    def row(self) -> dict[str, Any]:
        """The entries of a row of a table."""
        return {
            "bound_low": self.low,
            "bound_high": self.high,
            "passes": self.passes,
            "error_is_bound": self.error_is_bound,
        }
