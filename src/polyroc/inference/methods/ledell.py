"""LeDell, Petersen & van der Laan's variance of the cross-validated area under the ROC curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from polyroc.errors import NotApplicableError
from polyroc.inference.methods.method import Method, Uncertainty, require_independent_folds
from polyroc.kernels.arrays import FloatArray, IntArray, row_products
from polyroc.kernels.placements import counts_below
from polyroc.measures.applicability import require_formula
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.messages import Call, Option

__all__ = ["LeDell"]


@dataclass(frozen=True, slots=True)
class LeDell(Method):
    """The variance of `auc` and `gini` of cross-validated predictions as in the R package cvAUC.

    With n cases in V folds, n_k cases of class k in all, and A_v the area in fold v, the influence of a case is

        (n / n_k) (share of the other class in its fold that it is ranked rightly against - A_v)

    and the variance (1 / n) x mean over folds of the mean square of these in the fold. With `groups` (cvAUC's ids,
    each in one fold), the influences of a group are added up and divided by the mean size of a group, and n is the
    number of groups.

    It differs from `Influence()`, the default, in three ways: sums of squares are divided by n, not by the degrees
    of freedom within folds, so that it is too small where folds are small (by a quarter of the variance with four
    cases of a class per fold); class sizes are those of all folds; and a tie counts as wrong in the influences,
    but half in the area. It is here to reproduce published results, with `confidence_interval(kind="wald")`.

    References
    ----------
    LeDell, Petersen & van der Laan, Electronic Journal of Statistics 9 (2015) 1583-1607.

    >>> import polyroc as pr
    >>> y, folds = [0, 1, 0, 1, 0, 1, 0, 1], [1, 1, 1, 1, 2, 2, 2, 2]
    >>> pr.evaluate(y, [1, 3, 2, 4, 1, 2, 3, 4], folds=folds, measure="auc", method=LeDell())
    Estimate(auc = 0.8750, standard error 0.1250, 95 % 0.3958 to 0.9868, averaged over 2 folds)
    """

    name: ClassVar[str] = "ledell"
    averages_folds: ClassVar[bool] = True

    def covariance(
        self, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic] | None = None
    ) -> Uncertainty:
        """The mean over folds of the mean products of influences, divided by the number of units."""
        del statistics
        scores = samples[0].scores
        require_formula(self, measure, lambda candidate: candidate.area_line is not None)
        if not scores.within_folds:
            raise NotApplicableError(
                f"{self!r} is for cross-validated predictions; give the fold of each case with ",
                Option("folds"),
                ", or use ",
                Option("method", Call("Influence")),
                ".",
            )
        if scores.sample_weight is not None:
            raise NotApplicableError(
                f"{self!r} is for unweighted cases; use ", Option("method", Call("Influence")), "."
            )
        require_independent_folds(self, scores)
        assert measure.area_line is not None
        units = np.arange(len(scores)) if scores.units is None else scores.units
        n = len(np.unique(units))
        shares = scores.counts / len(scores)
        by_fold = [
            _mean_products([sample.folds[v] for sample in samples], units[rows], shares, n / len(scores))
            for v, rows in enumerate(samples[0].fold_rows)
        ]
        return Uncertainty(measure.area_line[1] ** 2 * np.mean(by_fold, axis=0) / n)


def _mean_products(folds: Sequence[Sample], units: IntArray, shares: FloatArray, scale: float) -> FloatArray:
    """The mean over the units of a fold of the products of their influences, by pair of classifiers."""
    _, unit = np.unique(units, return_inverse=True)
    values = np.array([np.bincount(unit, scale * _influence(fold, shares)) for fold in folds])
    return np.asarray(row_products(values) / values.shape[1])


def _influence(fold: Sample, shares: FloatArray) -> FloatArray:
    """The influence of each case of a fold, in the order given."""
    assert fold.positive is not None
    positive, negative = fold.positive, 1 - fold.positive
    column = positive if fold.values.ndim == 2 else 0
    x, z = fold.sorted(positive, column), fold.sorted(negative, column)
    below, up_to = counts_below(x, z)
    area = float((below + up_to).mean()) / (2 * len(z))
    influence = np.empty(len(fold.values))
    influence[fold.sorted_cases(positive, column)] = (below / len(z) - area) / shares[positive]
    above = 1 - counts_below(z, x)[1] / len(x)
    influence[fold.sorted_cases(negative, column)] = (above - area) / shares[negative]
    return influence
