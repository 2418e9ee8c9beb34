"""What an engine is to estimate from rows, and what it returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from polyroc.engines.counts import BinnedData
from polyroc.engines.options import Covariance
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.progress import Progress
from polyroc.scores import Schema

__all__ = ["EngineResult", "EvaluationRequest"]


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """Which measures to estimate from rows, and how.

    Attributes
    ----------
    measures
        The measures.
    classifiers
        By name, the numbers of the columns of scores.
    schema
        The classes, the kind of the scores, and whether class sizes are random.
    tolerance, exact
        The largest distance of the bounds; None for one that is small against the standard error. `exact` for no
        distance at all.
    errors
        Whether to estimate standard errors.
    covariance
        "joined": rows are scanned again for the covariance of columns and classifiers; "bound": an upper bound.
    paired
        Whether to estimate the covariance between classifiers.
    room
        Bytes that the records may take.
    dropped
        Number of rows left out because a value is missing.
    negated, notes
        The classifiers whose scores were multiplied by -1; what is doubtful about the rows.
    progress, expected
        Called during a scan; the number of rows, if it is known.
    """

    measures: Sequence[Measure]
    classifiers: Mapping[str, tuple[int, ...]]
    schema: Schema
    tolerance: float | None = None
    exact: bool = False
    errors: bool = True
    covariance: Covariance = "joined"
    paired: bool = False
    room: int = 2**29
    dropped: int = 0
    negated: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    progress: Progress | None = field(default=None)
    expected: int | None = None


@dataclass(frozen=True, slots=True)
class EngineResult:
    """The estimates of an engine.

    Attributes
    ----------
    estimates
        By (classifier, measure).
    covariance
        Of the estimates, in their order.
    binned
        By classifier, the bins; empty if a class has no case.
    rows
        Number of rows.
    weight_exponent
        The power of two by which the weights have been divided.
    """

    estimates: dict[tuple[str, str], Estimate]
    covariance: FloatArray
    binned: Mapping[str, BinnedData]
    rows: int
    weight_exponent: int = 0
