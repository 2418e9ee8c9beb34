"""Standard errors from structural components, and DeLong's test of areas."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from polyroc.inference.methods.method import Method, Uncertainty, component_covariance
from polyroc.measures.applicability import require_formula
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic

__all__ = ["DeLong", "Influence"]


@dataclass(frozen=True, slots=True)
class Influence(Method):
    """Standard errors from influence values, for every measure: the infinitesimal jackknife, DeLong's for areas.

    variance = sum over classes of var(components within the class) / class size. In a cohort, where class sizes
    are random, a measure that depends on the shares of the classes has one more term: the variance over all cases
    of the derivative of the value with respect to the share of their class, / number of cases.

    With `groups`, the influence values are added up inside each group first (Obuchowski 1997). With
    `sample_weight` of the kind "importance", components count by their weight and the variance is the robust
    (linearised) one: weights say how much a case counts, not how many cases there are, so scaling all of them
    changes nothing. Weights of the kind "frequency" are numbers of cases, and repeat the rows.

    With `folds`, influence values are those within folds, divided by the number of folds. Components are centred
    within folds, with one degree of freedom less per fold and class; where a class has fewer than two cases per
    fold on average, they are centred at the mean of all folds, which counts differences between the models, too.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988) 837-845. Obuchowski, Biometrics 53 (1997) 567-578.
    """

    name: ClassVar[str] = "influence"
    always_applies: ClassVar[bool] = True
    works_on_bins: ClassVar[bool] = True
    averages_folds: ClassVar[bool] = True

    def covariance(
        self, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic] | None = None
    ) -> Uncertainty:
        """The sums of products of the influence values; see `polyroc.inference.covariance`."""
        return component_covariance(samples[0].scores, statistics or [measure(sample) for sample in samples])


@dataclass(frozen=True, slots=True)
class DeLong(Influence):
    """Compare areas by DeLong's test, as in pROC: z = difference / standard error, with Wald's interval.

    Standard errors are those of `Influence()`. The default test of a difference has at least 0.95 times its power
    and keeps its level near the limits and with a rare class, where DeLong's interval is too short
    (docs/intervals.md).
    """

    name: ClassVar[str] = "delong"
    always_applies: ClassVar[bool] = False
    test: ClassVar[str] = "DeLong's test"

    def covariance(
        self, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic] | None = None
    ) -> Uncertainty:
        """Return the covariance of areas."""
        require_formula(self, measure, lambda candidate: candidate.area_line is not None)
        return component_covariance(samples[0].scores, statistics or [measure(sample) for sample in samples])
