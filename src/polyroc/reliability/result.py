"""The result of `calibration`: recalibration, tests, decomposition and reliability curve of each event."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any, NamedTuple

from polyroc._results.codec import STORED_IF_SET, Record
from polyroc._results.invariants import Invariants, ascending, at_least, shares
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import number_text, p_text
from polyroc.output.tables import Table
from polyroc.reliability.decomposition import Bands, Decomposition, Part
from polyroc.reliability.differences import PartDifference
from polyroc.reliability.kernel_test import KernelTest
from polyroc.reliability.recalibration import JointTest
from polyroc.reliability.smooth_curve import SmoothCurve
from polyroc.reliability.tables import all_tables, brier_table, sentences, tests_table
from polyroc.validation.arguments import checked_level
from polyroc.validation.signatures import validated

__all__ = ["BinBounds", "Calibration", "EventCalibration", "ReliabilityCurve", "TermDifferences", "ZTest"]


class ZTest(NamedTuple):
    """Spiegelhalter's test: z is above 0 if the Brier score is larger than the probabilities say.

    z is infinite and the p-value 0 if an outcome has the predicted probability 0; both are nan if the Brier score
    would be the same for all outcomes.
    """

    z: float
    pvalue: float


class TermDifferences(NamedTuple):
    """The differences of the terms of the Brier score between two classifiers, on the same cases."""

    miscalibration: PartDifference
    discrimination: PartDifference


class ReliabilityCurve(NamedTuple):
    """The share of events by predicted probability, as a rising function, without bins.

    Attributes
    ----------
    predicted, observed
        Points of the curve: distinct predictions, at most 200, and the recalibrated probabilities there.
    confidence
        Where the true curve is, if it rises: bands at the level of the result.
    consistency
        Where the curve would be if the probabilities were right: bands around the diagonal; None with groups.
    edges, counts
        The histogram of the predictions: edges of its bars and the weight of the cases in each.
    """

    predicted: FloatArray
    observed: FloatArray
    confidence: Bands | None
    consistency: Bands | None
    edges: FloatArray
    counts: FloatArray

    def _invariants(self) -> Invariants:
        n = len(self.predicted)
        yield shares(self.predicted) and ascending(self.predicted), "predicted must rise from 0 to 1"
        yield shares(self.observed) and ascending(self.observed), "observed must rise from 0 to 1"
        bands = [end for band in (self.confidence, self.consistency) if band is not None for end in band]
        yield all(len(row) == n and shares(row) for row in (self.observed, *bands)), "lengths must agree"
        yield len(self.edges) == len(self.counts) + 1, "a bar has two edges"


@dataclass(frozen=True, slots=True, eq=False)
class EventCalibration(Record):
    """Calibration of the probability of one event: a class, or that the predicted class is the true one.

    Attributes
    ----------
    predicted, observed
        The mean predicted probability and the share of cases with the event.
    in_the_large, slope
        Logistic recalibration: the intercept that the log odds need (above 0: probabilities too low), and the
        factor (below 1: too extreme). nan if undefined; see `undefined`.
    joint
        The score test that in-the-large is 0 and the slope 1.
    spiegelhalter
        Spiegelhalter's test that the probabilities are right.
    simulated_pvalue
        That of the test of miscalibration 0, by outcomes drawn from the probabilities; nan with groups.
    decomposition
        The terms of the Brier score: miscalibration - discrimination + uncertainty.
    curve
        The reliability curve.
    undefined
        Why in-the-large or the slope is undefined; None if both are defined.
    log_loss, spherical
        The terms of the logarithmic score, and of 1 minus the spherical score.
    calibration_error
        The root mean squared calibration error, without bias (`polyroc.reliability.calibration_error`); None with
        groups.
    smooth
        The smooth reliability curve; None unless it was asked for.
    """

    predicted: float
    observed: float
    in_the_large: Part
    slope: Part
    joint: JointTest
    spiegelhalter: ZTest
    simulated_pvalue: float
    decomposition: Decomposition
    curve: ReliabilityCurve
    undefined: str | None = None
    log_loss: Decomposition | None = field(default=None, metadata=STORED_IF_SET)
    spherical: Decomposition | None = field(default=None, metadata=STORED_IF_SET)
    calibration_error: Part | None = field(default=None, metadata=STORED_IF_SET)
    smooth: SmoothCurve | None = field(default=None, metadata=STORED_IF_SET)

    @property
    def brier(self) -> float:
        """The Brier score of the event."""
        terms = self.decomposition
        return terms.miscalibration.value - terms.discrimination.value + terms.uncertainty.value

    @property
    def pvalue(self) -> float:
        """The p-value of right probabilities: the joint test's, or Spiegelhalter's where that is undefined."""
        return self.spiegelhalter.pvalue if isnan(self.joint.pvalue) else self.joint.pvalue

    @validated
    def is_rejected(self, level: float = 0.95) -> bool:
        """True if the joint test, or Spiegelhalter's where that is undefined, rejects right probabilities."""
        return bool(self.pvalue < 1.0 - checked_level(level))


class BinBounds(NamedTuple):
    """What bins leave open of isotonic regression, where an engine counted the cases.

    `polyroc.reliability.binned` has the argument.

    Attributes
    ----------
    width
        The miscalibration and the discrimination of the cases are those stated, or more by at most this.
    low, high
        The reliability curve of the cases at `curve.predicted` is certainly between these.
    bins
        The number of bins with cases.
    passes, rows, bytes
        Scans of the data, their rows, and their size where they are stored (None if it is not known).
    """

    width: float
    low: FloatArray
    high: FloatArray
    bins: int
    passes: int
    rows: int
    bytes: int | None

    def _invariants(self) -> Invariants:
        yield at_least([self.width], 0), "width must be 0 or more"
        yield len(self.low) == len(self.high) and shares(self.low) and shares(self.high), "bounds must be shares"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Calibration(Result):
    """Whether the probabilities of one or more classifiers are right.

    Attributes
    ----------
    events
        By classifier and event: of two classes the positive one; of more each class, and "top label", the event
        that the class with the largest probability is the true one.
    overall
        By classifier, Spiegelhalter's test of all classes at once.
    level
        That of intervals and bands.
    provenance
        What is needed to reproduce it.
    differences
        Of several classifiers of two classes, by pair: the difference of the slopes; None otherwise.
    term_differences
        Of several classifiers, by pair and event: the differences of miscalibration and discrimination of the
        Brier score; None for one classifier.
    canonical
        Of three classes or more, by classifier: the kernel test that whole rows are right; None of two classes.
    fold_tests
        Of cross-validated predictions, by classifier and event: whether the models of all folds need the same
        calibration-in-the-large; None without folds, and with repeats.
    bounds
        Of rows that an engine counted in bins, by classifier and event: what these leave open of miscalibration,
        discrimination and curve; None for cases in memory.
    """

    events: Mapping[tuple[str, str], EventCalibration]
    overall: Mapping[str, ZTest]
    level: float
    provenance: Provenance
    differences: Mapping[tuple[str, str], PartDifference] | None = field(default=None, metadata=STORED_IF_SET)
    term_differences: Mapping[tuple[str, str, str], TermDifferences] | None = field(
        default=None, metadata=STORED_IF_SET
    )
    canonical: Mapping[str, KernelTest] | None = field(default=None, metadata=STORED_IF_SET)
    fold_tests: Mapping[tuple[str, str], JointTest] | None = field(default=None, metadata=STORED_IF_SET)
    bounds: Mapping[tuple[str, str], BinBounds] | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        yield 0 < self.level < 1, "level must be between 0 and 1"
        yield {name for name, _ in self.events} == set(self.overall), "every classifier must have an overall test"
        for event in self.events.values():
            errors = [event.in_the_large.standard_error, event.slope.standard_error]
            yield at_least(errors, 0), "standard errors must be 0 or more"
            tested = [event.joint.pvalue, event.spiegelhalter.pvalue, event.simulated_pvalue]
            tested += [test.pvalue for test in (self.canonical or {}).values()]
            yield shares([event.predicted, event.observed, *tested]), "shares and p-values must be from 0 to 1"

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers."""
        return tuple(self.overall)

    @validated
    def event(self, classifier: str | None = None, event: str | None = None) -> EventCalibration:
        """The calibration of an event of a classifier; either may be left out if there is one."""
        chosen = self.chosen(classifier, event)
        if len(chosen) > 1:
            known = "; ".join(f"{name!r}, {of!r}" for name, of in chosen)
            raise InputError(f"classifier and event must name one of {known}; got {classifier!r} and {event!r}.")
        (only,) = chosen.values()
        return only

    @validated
    def chosen(
        self, classifier: str | None = None, event: str | None = None
    ) -> dict[tuple[str, str], EventCalibration]:
        """The events of a classifier, or one event of all classifiers; None for all."""
        chosen = {
            key: own
            for key, own in self.events.items()
            if classifier in (None, key[0]) and event in (None, key[1])
        }
        if not chosen:
            known = "; ".join(f"{name!r}, {of!r}" for name, of in self.events)
            raise InputError(f"classifier and event must be among {known}; got {classifier!r} and {event!r}.")
        return chosen

    def separate(self) -> list["Calibration"]:
        """One result for each classifier and event, such as for panels of a picture."""
        return [self.only(*key) for key in self.events]

    @validated
    def only(self, classifier: str, event: str) -> "Calibration":
        """The result of one event of one classifier."""
        (key,) = self.chosen(classifier, event)
        return replace(
            self,
            events={key: self.events[key]},
            overall={classifier: self.overall[classifier]},
            differences=None,
            term_differences=None,
            canonical=None,
            fold_tests=None,
            bounds=None if self.bounds is None else {key: self.bounds[key]},
        )

    def __repr__(self) -> str:
        texts = []
        for (name, event), one in self.events.items():
            where = name if len(self.events) == len(self.overall) else f"{name}, {event}"
            slope = "no slope" if isnan(one.slope.value) else f"slope {number_text(one.slope.value)}"
            texts.append(f"{where}: {slope}, {p_text(one.pvalue)}")
        return f"Calibration({'; '.join(texts)})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - that of the result counts
        """One record per classifier and event; intervals are at the level of the result."""
        rows = []
        for (classifier, event), own in self.events.items():
            row: dict[str, Any] = {"classifier": classifier, "event": event}
            row |= {"predicted": own.predicted, "observed": own.observed}
            for name, part in (("in_the_large", own.in_the_large), ("slope", own.slope)):
                row |= _columns(name, part)
            row |= {"joint_statistic": own.joint.statistic, "joint_pvalue": own.joint.pvalue}
            row |= {"spiegelhalter_z": own.spiegelhalter.z, "spiegelhalter_pvalue": own.spiegelhalter.pvalue}
            row |= {"simulated_pvalue": own.simulated_pvalue, "brier": own.brier}
            for name, part in own.decomposition._asdict().items():
                row |= _columns(name, part)
            for score, terms in (("log_loss", own.log_loss), ("spherical", own.spherical)):
                for name, part in ({} if terms is None else terms._asdict()).items():
                    row |= _columns(f"{score}_{name}", part)
            if own.calibration_error is not None:
                row |= _columns("calibration_error", own.calibration_error)
            if self.canonical is not None:
                row |= {"kernel_pvalue": self.canonical[classifier].pvalue}
            rows.append({**row, "level": self.level})
        return rows

    def curve_rows(self) -> list[dict[str, Any]]:
        """One record per classifier, event and point of the reliability curve, with its bands."""
        rows = []
        for (classifier, event), own in self.events.items():
            curve = own.curve
            bands = {"confidence": curve.confidence, "consistency": curve.consistency}
            ends = {
                f"{name}_{end}": row
                for name, band in bands.items()
                if band is not None
                for end, row in band._asdict().items()
            }
            if own.smooth is not None and own.smooth.undefined is None:
                ends |= {
                    "smooth": own.smooth.observed,
                    "smooth_low": own.smooth.low,
                    "smooth_high": own.smooth.high,
                }
            for i, predicted in enumerate(curve.predicted.tolist()):
                row = {"classifier": classifier, "event": event, "predicted": predicted}
                row |= {
                    "observed": float(curve.observed[i]),
                    **{name: float(end[i]) for name, end in ends.items()},
                }
                rows.append({**row, "level": self.level})
        return rows

    def to_table(self, level: float = 0.95) -> Table:  # noqa: ARG002 - that of the result counts
        """Recalibration and tests; the conclusion is below."""
        return tests_table(self)

    def decomposition_table(self) -> Table:
        """The terms of the Brier score."""
        return brier_table(self)

    def tables(self) -> list[Table]:
        """All tables: tests, terms of the scores, calibration error, differences between classifiers."""
        return all_tables(self)

    def conclusion(self, level: float = 0.95) -> list[str]:  # noqa: ARG002 - that of the result counts
        """One sentence per classifier and event, and per difference or test beside these."""
        return sentences(self)


def _columns(name: str, part: Part) -> dict[str, float]:
    return {
        name: part.value,
        f"{name}_standard_error": part.standard_error,
        f"{name}_low": part.low,
        f"{name}_high": part.high,
    }
