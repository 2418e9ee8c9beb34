"""Findings: the results behind a report."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.curves.result import Curve, Curves
from polyroc.curves.surface import Surface
from polyroc.decisions.decision_curve import DecisionCurve
from polyroc.decisions.operating_point import OperatingPoint
from polyroc.decisions.rate_matrix import Rates
from polyroc.errors import InputError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.estimates.grouped import Grouped, estimates_of
from polyroc.fronts.result import Front
from polyroc.measures.measure import Parts
from polyroc.measures.registry import record_of
from polyroc.messages import short_repr
from polyroc.readers.result import ReaderStudy
from polyroc.reliability.result import Calibration

if TYPE_CHECKING:
    from polyroc.reports.study_findings import StudyFindings

__all__ = ["MOST_CLASSES", "MOST_COBWEB_CLASSES", "Findings", "findings_from", "with_parts"]

MOST_CLASSES = 120  # beyond, a matrix of classes cannot be read
MOST_COBWEB_CLASSES = 6  # beyond, a cobweb cannot be read


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The results behind a report; an empty field has no section in it.

    Attributes
    ----------
    evaluation, comparison
        Every measure of every classifier; the classifiers compared by one of them.
    subgroups
        By subgroup: the measure of the comparison, or the comparison of several classifiers by it.
    curves, pairs
        ROC curves of two classes, or of each class against the rest; of every ordered pair of classes.
    fold_curves
        With folds, the curves averaged over them; `curves` are then of all folds pooled.
    surfaces, rates, points, fronts
        By classifier.
    calibration, decision_curve
        Of probabilities: whether they are right; of two classes, the net benefit of decisions by them.
    readers
        A reader study.
    sample
        Of files that an engine read: what was computed from a sample of the cases, and from how many.
    study
        The findings of a study; all other fields are then empty.
    notes
        Warnings, and what was left out and why.
    """

    evaluation: Evaluation | None = None
    comparison: Comparison | None = None
    curves: Curves | None = None
    pairs: Curves | None = None
    surfaces: Mapping[str, Surface] = field(default_factory=dict)
    rates: Mapping[str, Rates] = field(default_factory=dict)
    points: Mapping[str, OperatingPoint] = field(default_factory=dict)
    fronts: Mapping[str, Front] = field(default_factory=dict)
    study: "StudyFindings | None" = None
    notes: tuple[str, ...] = ()
    fold_curves: Curves | None = None
    subgroups: Grouped | None = None
    calibration: Calibration | None = None
    decision_curve: DecisionCurve | None = None
    readers: ReaderStudy | None = None
    sample: str = ""

    @property
    def classifiers(self) -> tuple[str, ...]:
        """All classifiers or learners, in order."""
        named: list[str] = list(self.study.study.learners) if self.study else []
        named += self.evaluation.classifiers if self.evaluation else ()
        named += self.comparison.estimates if self.comparison else ()
        named += self.subgroups.classifiers if self.subgroups else ()
        for curves in (self.curves, self.pairs):
            named += [curve.classifier for curve in curves.values()] if curves else []
        named += self.calibration.classifiers if self.calibration else ()
        named += self.decision_curve.curves if self.decision_curve else ()
        for by_classifier in (self.surfaces, self.rates, self.points, self.fronts):
            named += by_classifier
        return tuple(dict.fromkeys(named))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in order."""
        results: list[Rates | Front] = [*self.rates.values(), *(point.confusion for point in self.points.values())]
        results += self.fronts.values()
        if results:
            return results[0].classes
        return tuple(self.provenance.cases) if self.provenance else ()

    @property
    def provenance(self) -> Provenance | None:
        """The provenance of the first result that has one."""
        results: list[Any] = list(self.evaluation.estimates.values()) if self.evaluation else []
        results += list(self.comparison.estimates.values()) if self.comparison else []
        overall = None if self.subgroups is None else self.subgroups.overall
        results += [] if overall is None else list(estimates_of(overall).values())
        results += [*self.rates.values(), *self.surfaces.values(), *self.fronts.values()]
        results += [*self.curves.values()] if self.curves else []
        results += [point.confusion for point in self.points.values()]
        results += [one for one in (self.calibration, self.decision_curve, self.readers) if one is not None]
        return results[0].provenance if results else None

    @property
    def stated_notes(self) -> tuple[str, ...]:
        """What is doubtful about the input, then the notes; dropped rows are among the cautions."""
        provenance = self.provenance
        return tuple(dict.fromkeys([*((provenance and provenance.notes) or ()), *self.notes]))

    def results(self) -> dict[str, Any]:
        """By field, the results that are stored; pairs are not, as their areas are parts of a measure."""
        names = [field.name for field in fields(self) if field.name not in ("pairs", "notes", "sample")]
        return {name: getattr(self, name) for name in names if getattr(self, name)}


def with_parts(evaluation: Evaluation | None, parts: Parts) -> dict[str, Estimate]:
    """By classifier, the first estimate of a measure that has these parts."""
    estimates: dict[str, Estimate] = {}
    for (classifier, key), estimate in evaluation.estimates.items() if evaluation else ():
        record = record_of(key)
        if record is not None and record.parts == parts:
            estimates.setdefault(classifier, estimate)
    return estimates


def findings_from(results: Iterable[Result]) -> Findings:
    """Findings of results that were computed already."""
    findings = Findings()
    for result in results:
        add = next((add for kind, add in ADD_RESULT.items() if isinstance(result, kind)), None)
        if add is None:
            names = ", ".join(kind.__name__ for kind in ADD_RESULT)
            raise InputError(
                f"A report is made of scores, or of results ({names}), or of one study, got {short_repr(result)}."
            )
        findings = add(findings, result)
    return findings


def _with_estimate(findings: Findings, estimate: Estimate) -> Findings:
    return _with_evaluation(findings, Evaluation({(estimate.classifier, estimate.measure): estimate}, {}))


def _with_evaluation(findings: Findings, evaluation: Evaluation) -> Findings:
    before = findings.evaluation or Evaluation({}, {})
    estimates = {**before.estimates, **evaluation.estimates}
    return replace(findings, evaluation=Evaluation(estimates, {**before.skipped, **evaluation.skipped}))


def _with_curve(findings: Findings, curve: Curve) -> Findings:
    return _with_curves(findings, Curves("classifier", {curve.classifier: curve}, {}))


def _with_curves(findings: Findings, curves: Curves) -> Findings:
    if curves.kind != "roc":
        raise InputError(f"A report draws ROC curves, got kind {curves.kind!r}; use kind='roc'.")
    name = "pairs" if curves.by == "pair" else "curves"
    before = getattr(findings, name)
    if before is not None:
        curves = Curves(before.by, {**before.curves, **curves.curves}, {**before.whole, **curves.whole})
    changed: dict[str, Any] = {name: curves}
    return replace(findings, **changed)


def _by_classifier(field: str) -> Any:
    def add(findings: Findings, result: Any) -> Findings:
        name = result.confusion.classifier if isinstance(result, OperatingPoint) else result.classifier
        changed: dict[str, Any] = {field: {**getattr(findings, field), name: result}}
        return replace(findings, **changed)

    return add


# How each kind of result is added. A further kind gets a line here and a section on the page.
ADD_RESULT: Mapping[type, Any] = {
    Evaluation: _with_evaluation,
    Estimate: _with_estimate,
    Comparison: lambda findings, result: replace(findings, comparison=result),
    Grouped: lambda findings, result: replace(findings, subgroups=result),
    Calibration: lambda findings, result: replace(findings, calibration=result),
    DecisionCurve: lambda findings, result: replace(findings, decision_curve=result),
    ReaderStudy: lambda findings, result: replace(findings, readers=result),
    Curve: _with_curve,
    Curves: _with_curves,
    Surface: _by_classifier("surfaces"),
    Rates: _by_classifier("rates"),
    OperatingPoint: _by_classifier("points"),
    Front: _by_classifier("fronts"),
}
