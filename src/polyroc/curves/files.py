"""The verb `curve` over files: the points at the edges of bins, which are points of the exact curve."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from polyroc.curves.binary_problems import BinaryProblem, ClassSplit, MultiClass, class_splits
from polyroc.curves.points import is_auc
from polyroc.engines.binned_sample import edge_scores, two_sides
from polyroc.engines.bins import BinnedColumn
from polyroc.engines.bounds import bounded_statistic
from polyroc.engines.counts import BinnedData
from polyroc.engines.estimates import Estimator, ScanSummary
from polyroc.engines.evaluate import estimate_dataset
from polyroc.engines.options import EngineOptions
from polyroc.errors import InputError
from polyroc.estimates.estimate import Estimate
from polyroc.measures.measure import Measure, Parts
from polyroc.measures.registry import measure_of_parts
from polyroc.scores import Schema, Scores

__all__ = ["AREAS", "BinnedProblem", "binned_problems"]

AREAS: Mapping[MultiClass, Parts] = {"ova": "class_areas", "ovo": "pair_areas"}


class BinnedProblem(NamedTuple):
    """A two-class problem from binned counts.

    Attributes
    ----------
    problem
        The bins of either class as weighted cases at their edges.
    area
        The estimate of the area, with its bounds.
    units
        The effective numbers of positives and of negatives in the bins.
    """

    problem: BinaryProblem
    area: Estimate
    units: tuple[float, float]


def binned_problems(
    options: EngineOptions, multi_class: MultiClass | None, area: Measure, errors: bool, **arguments: Any
) -> tuple[list[BinnedProblem], dict[str, Estimate]]:
    """The problems, and for ROC curves of many classes the measure whose parts are the areas, by classifier.

    Between two points the exact curve may bend; how far is bounded by the bounds of the area.
    """
    with_whole = multi_class is not None and is_auc(area)
    measure = area if multi_class is None else measure_of_parts(AREAS[multi_class])
    needs_errors = errors and (with_whole or multi_class is None)
    result, _, schema = estimate_dataset(options, measure, errors=needs_errors, **arguments)
    if not result.binned:
        cases = next(iter(result.estimates.values())).provenance.cases
        absent = next(name for name, count in cases.items() if count == 0)
        raise InputError(f"No case of class {absent!r}: a curve needs cases of every class.")
    estimates = {classifier: estimate for (classifier, _), estimate in result.estimates.items()}
    several = len(result.binned) > 1
    problems = []
    for classifier, binned in result.binned.items():
        counts = _ClassifierCounts(classifier, binned, area, estimates[classifier], errors)
        for split in _splits(schema, multi_class):
            key = classifier if multi_class is None else f"{classifier}: {split.key}" if several else split.key
            problems.append(counts.problem(key, split))
    return problems, estimates if with_whole else {}


def _splits(schema: Schema, multi_class: MultiClass | None) -> Iterator[ClassSplit]:
    if multi_class is not None:
        return class_splits(schema.names, multi_class)
    assert schema.positive is not None
    i, j = schema.positive, 1 - schema.positive
    column = i if schema.kind == "matrix" else 0
    return iter([ClassSplit("", (schema.names[j], schema.names[i]), column, [j], [i])])


@dataclass(frozen=True, slots=True)
class _ClassifierCounts:
    """The binned counts of one classifier, from which the area of any split of the classes is estimated.

    `scan` is the estimate of the measure of the scan: its certificate and provenance describe the passes over the
    data.
    """

    classifier: str
    binned: BinnedData
    area: Measure
    scan: Estimate
    errors: bool

    def problem(self, key: str, split: ClassSplit) -> BinnedProblem:
        """The two-class problem of a split with its area."""
        column = two_sides(self.binned.columns[split.column], split.positive, split.negative)
        scores = edge_scores(column, Schema(split.names, positive=1), self.classifier)
        # Kish's effective sample size of each side: (sum of weights)^2 / sum of squared weights
        negatives, positives = (column.totals**2 / column.squares.sum(axis=0)).tolist()
        problem = BinaryProblem(key, self.classifier, scores)
        return BinnedProblem(problem, self._estimated_area(column, scores), (positives, negatives))

    def _estimated_area(self, column: BinnedColumn, scores: Scores) -> Estimate:
        certificate, provenance = self.scan.certificate, self.scan.provenance
        assert certificate is not None
        provenance = replace(
            provenance,
            cases=dict(zip(scores.names, column.units.tolist(), strict=True)),
            method="Influence()" if self.errors else None,
        )
        summary = ScanSummary(certificate.passes, certificate.rows, certificate.bytes, provenance)
        estimator = Estimator(self.area, self.classifier, scores.schema, {0: column}, summary)
        return estimator.estimate(bounded_statistic(self.area, {0: column}, scores.schema))
