"""Many classifiers, such as the features of a screening: one score each of the same cases of two classes."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from polyroc.estimates.estimate import Estimate
from polyroc.estimates.many import ManyEstimates
from polyroc.inference.estimation import estimate_measure
from polyroc.inference.methods.method import Method
from polyroc.kernels.class_blocks import block_starts
from polyroc.kernels.score_columns import column_sums
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import placement_variance
from polyroc.scores import Scores

__all__ = ["MANY", "many_estimates"]

MANY = 50  # classifiers from which on estimates are computed together


def many_estimates(scores: Scores, measures: Sequence[Measure], method: Method | None) -> ManyEstimates | None:
    """The estimates of a measure that is a linear function of the area, computed together; None for others.

    They are those of `estimate_measure`, which makes each when it is first needed.
    """
    line = measures[0].area_line if len(measures) == 1 else None
    plain = scores.sample_weight is None and scores.units is None and scores.folds is None
    if line is None or method is None or not method.uses_components or not plain or scores.kind != "score":
        return None
    if min(scores.counts.tolist()) < 2 or scores.positive is None:
        return None
    (measure,), (intercept, slope) = measures, line
    starts = block_starts(scores.counts)
    n, m = (int(scores.counts[k]) for k in (scores.positive, 1 - scores.positive))
    value, error = np.empty((2, len(scores.values)))
    sums = column_sums([*scores.values.values()], scores.codes, starts, scores.positive)
    for place, row in enumerate(sums.tolist()):
        variance = placement_variance((row[0], row[1] + (row[2] << 62)), n, m) / n
        variance += placement_variance((row[3], row[4] + (row[5] << 62)), m, n) / m
        value[place] = intercept + slope * (row[0] / (2 * n * m))
        error[place] = abs(slope) * sqrt(variance)

    def make(key: tuple[str, str]) -> Estimate:
        return estimate_measure(measure, method, {key[0]: Sample(scores, key[0])}).estimates[key[0]]

    return ManyEstimates([(name, str(measure)) for name in scores.values], value, error, make)
