"""Findings: all results that a report tells of, whichever there are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from polyroc.curves.result import Curve, Curves
from polyroc.curves.surface import Surface
from polyroc.decisions.operating_point import OperatingPoint
from polyroc.decisions.rate_matrix import Rates
from polyroc.errors import InputError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.fronts.result import Front
from polyroc.messages import short_repr
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result

if TYPE_CHECKING:
    from polyroc.reports.study_findings import StudyFindings

__all__ = ["COBWEB", "MOST_CLASSES", "Findings", "collected"]

MOST_CLASSES = 120  # beyond, no matrix of classes is made: it could not be read
COBWEB = 6  # classes beyond which a cobweb cannot be read


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The results behind a report; whatever is empty has no section in it.

    Attributes
    ----------
    evaluation, comparison
        Every measure of every classifier; the classifiers compared by one of them.
    curves, pairs
        ROC curves of two classes, or of each class against the rest; of every ordered pair of classes.
    surfaces, rates, points, fronts
        By classifier.
    study
        What a study says; a report of one has nothing else in it.
    notes
        What should be known of how they were made: warnings, and what was left out and why.
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

    @property
    def classifiers(self) -> tuple[str, ...]:
        """Everyone who is told of, in the order given."""
        named: list[str] = list(self.study.study.learners) if self.study else []
        named += self.evaluation.classifiers if self.evaluation else ()
        named += self.comparison.estimates if self.comparison else ()
        for curves in (self.curves, self.pairs):
            named += [each.classifier for each in curves.values()] if curves else []
        for by_classifier in (self.surfaces, self.rates, self.points, self.fronts):
            named += by_classifier
        return tuple(dict.fromkeys(named))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in order."""
        found: list[Rates | Front] = [*self.rates.values(), *(point.confusion for point in self.points.values())]
        found += self.fronts.values()
        if found:
            return found[0].classes
        return tuple(self.provenance.cases) if self.provenance else ()

    @property
    def provenance(self) -> Provenance | None:
        """Of the first result that has any."""
        found: list[Any] = list(self.evaluation.estimates.values()) if self.evaluation else []
        found += list(self.comparison.estimates.values()) if self.comparison else []
        found += [*self.rates.values(), *self.surfaces.values(), *self.fronts.values()]
        found += [*self.curves.values()] if self.curves else []
        found += [point.confusion for point in self.points.values()]
        return found[0].provenance if found else None

    def results(self) -> dict[str, Any]:
        """By field, the results that can be stored: pairs are left out, their areas being parts of hand_till."""
        names = [each.name for each in fields(self) if each.name not in ("pairs", "notes")]
        return {name: getattr(self, name) for name in names if getattr(self, name)}


def collected(results: Iterable[Result]) -> Findings:
    """Results that were computed already, each put where a report looks for it."""
    found = Findings()
    for result in results:
        known = next((add for kind, add in PLACES.items() if isinstance(result, kind)), None)
        if known is None:
            names = ", ".join(kind.__name__ for kind in PLACES)
            raise InputError(
                f"A report is made of scores, or of results ({names}), or of one study, got {short_repr(result)}."
            )
        found = known(found, result)
    return found


def _with_estimate(found: Findings, result: Estimate) -> Findings:
    return _with_evaluation(found, Evaluation({(result.classifier, result.measure): result}, {}))


def _with_evaluation(found: Findings, result: Evaluation) -> Findings:
    before = found.evaluation or Evaluation({}, {})
    both = Evaluation({**before.estimates, **result.estimates}, {**before.skipped, **result.skipped})
    return replace(found, evaluation=both)


def _with_curve(found: Findings, result: Curve) -> Findings:
    return _with_curves(found, Curves("classifier", {result.classifier: result}, {}))


def _with_curves(found: Findings, result: Curves) -> Findings:
    if result.kind != "roc":
        raise InputError(f"A report draws ROC curves, got kind {result.kind!r}; make them with kind='roc'.")
    where = "pairs" if result.by == "pair" else "curves"
    before = getattr(found, where)
    if before is not None:
        result = Curves(before.by, {**before.curves, **result.curves}, {**before.whole, **result.whole})
    changed: dict[str, Any] = {where: result}
    return replace(found, **changed)


def _by_classifier(where: str) -> Any:
    def add(found: Findings, result: Any) -> Findings:
        name = result.confusion.classifier if isinstance(result, OperatingPoint) else result.classifier
        changed: dict[str, Any] = {where: {**getattr(found, where), name: result}}
        return replace(found, **changed)

    return add


# A further kind of result gets a line here and a section on the page.
PLACES: Mapping[type, Any] = {
    Evaluation: _with_evaluation,
    Estimate: _with_estimate,
    Comparison: lambda found, result: replace(found, comparison=result),
    Curve: _with_curve,
    Curves: _with_curves,
    Surface: _by_classifier("surfaces"),
    Rates: _by_classifier("rates"),
    OperatingPoint: _by_classifier("points"),
    Front: _by_classifier("fronts"),
}
