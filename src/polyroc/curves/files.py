"""The verb `curve` over files: the points at the edges of cells, which are points of the exact curve."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from polyroc.curves.families import MultiClass, Problem
from polyroc.engines.binned_sample import edge_scores, two_sides
from polyroc.engines.bins import Column
from polyroc.engines.bounds import bounded
from polyroc.engines.counts import Read
from polyroc.engines.estimates import Facts, Judge
from polyroc.engines.evaluate import solved
from polyroc.engines.options import Settings
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.estimate import Estimate
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.messages import Option
from polyroc.scores import Schema, Scores

__all__ = ["Tallied", "tallied_problems"]

WHOLE: Mapping[MultiClass, str] = {"ova": "ova", "ovo": "hand_till"}


class Tallied(NamedTuple):
    """A two-class problem whose cases are cells.

    Attributes
    ----------
    problem
        The cells of either class as cases at their edges.
    area
        Its area, judged with bounds.
    units
        The effective numbers of positives and of negatives that the cells hold.
    """

    problem: Problem
    area: Estimate
    units: tuple[float, float]


class _Sides(NamedTuple):
    """Two sets of classes that one column tells apart."""

    key: str
    names: tuple[str, str]
    column: int
    negative: list[int]
    positive: list[int]


def tallied_problems(
    asked: Settings, multi_class: MultiClass | None, area: Measure, errors: bool, **given: Any
) -> tuple[list[Tallied], dict[str, Estimate]]:
    """The problems, and for ROC curves of many classes the measure whose parts their areas are, by classifier.

    Between two points the exact curve may bend; how far is bounded by the bounds of the area.
    """
    if asked.by:
        raise NotApplicableError(Option("by"), " is not available for curves; draw a curve of each group's files.")
    whole = multi_class is not None and area.key == "auc"
    measure = area if multi_class is None else find(WHOLE[multi_class])
    found, _, schema = solved(asked, measure, errors=errors and (whole or multi_class is None), **given)
    if not found.read:
        cases = next(iter(found.estimates.values())).provenance.cases
        absent = next(name for name, count in cases.items() if count == 0)
        raise InputError(f"No case of class {absent!r}: a curve needs cases of every class.")
    estimates = {classifier: estimate for (classifier, _), estimate in found.estimates.items()}
    several = len(found.read) > 1
    problems = []
    for classifier, read in found.read.items():
        drawn = _Drawn(classifier, read, area, estimates[classifier], errors)
        for sides in _sides(schema, multi_class):
            key = classifier if multi_class is None else f"{classifier}: {sides.key}" if several else sides.key
            problems.append(drawn.tallied(key, sides))
    return problems, estimates if whole else {}


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What one classifier's cells tell of two sets of classes."""

    classifier: str
    read: Read
    area: Measure
    whole: Estimate
    errors: bool

    def tallied(self, key: str, sides: _Sides) -> Tallied:
        """The problem with its area."""
        column = two_sides(self.read.columns[sides.column], sides.positive, sides.negative)
        scores = edge_scores(column, sides.names, 1, self.classifier)
        negatives, positives = (column.totals**2 / column.squares.sum(axis=0)).tolist()
        return Tallied(Problem(key, self.classifier, scores), self._judged(column, scores), (positives, negatives))

    def _judged(self, column: Column, scores: Scores) -> Estimate:
        certificate, provenance = self.whole.certificate, self.whole.provenance
        assert certificate is not None
        provenance = replace(
            provenance,
            cases=dict(zip(scores.names, column.units.tolist(), strict=True)),
            method="DeLong()" if self.errors else None,
        )
        facts = Facts(certificate.passes, certificate.rows, certificate.bytes, provenance)
        judge = Judge(self.area, self.classifier, scores.schema, {0: column}, facts)
        return judge.estimate(bounded(self.area, {0: column}, scores.schema))


def _sides(schema: Schema, multi_class: MultiClass | None) -> Iterator[_Sides]:
    names, c = schema.names, schema.n_classes
    if multi_class is None:
        assert schema.positive is not None
        i, j = schema.positive, 1 - schema.positive
        yield _Sides("", (names[j], names[i]), i if schema.kind == "matrix" else 0, [j], [i])
    elif multi_class == "ova":
        for i in range(c):
            yield _Sides(names[i], (f"not {names[i]}", names[i]), i, [k for k in range(c) if k != i], [i])
    else:
        for i, j in ((i, j) for i in range(c) for j in range(c) if i != j):
            yield _Sides(f"A({names[i]}|{names[j]})", (names[j], names[i]), i, [j], [i])
