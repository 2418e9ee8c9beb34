"""The jackknife: leave out one case, or one group, at a time."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from polyroc.errors import UndefinedMeasureWarning
from polyroc.inference.covariance import case_contributions, sampled_strata, weights_vary
from polyroc.inference.methods.method import Method, Uncertainty
from polyroc.kernels.arrays import FloatArray, IntArray, row_products, sums_of_others
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.validation.signatures import validate_fields

__all__ = ["Jackknife", "jackknife_covariance"]


@dataclass(frozen=True, slots=True, repr=False)
class Jackknife(Method):
    """The variance of any measure, from its values without one case at a time, class by class.

    With t(-x) the value without case x of class k, and n_k cases in class k,

        variance = sum over classes of (n_k - 1) / n_k  sum over x in k of (t(-x) - mean of these in k)^2

    and a covariance is the same with the products of two classifiers' differences. Class sizes are fixed: the
    rest of the class gets the weight of the case left out, each in proportion to its own. For a measure linear in
    the distribution of each class (`Measure.linear`) the values without a case follow from the components, in one
    pass, and where all cases (or groups) of a class weigh the same, the variance is that of `Influence()`. Any
    other measure is computed anew without each case: n times the work, so for some thousand cases at most.

    In a cohort (`sampling`) class sizes are random, and a measure that depends on the shares of the classes is
    computed without each case of all n, whose class then has one less: the sum has one term, of all cases.

    With `groups`, a group's cases in one class are left out together, and n_k counts the groups that have a case
    in class k; the influence of a group through each of its classes is added up before squaring, as in
    `Influence()` (Obuchowski 1997). With `sample_weight`, weights stay; a case of weight 0 is no case.

    With `stratified=False` the factor is (n - 1) / n with all n cases (or groups), as if these were one sample:
    the jackknife of programs for reader studies (MRMCaov, RJafroc), whose variances are larger by 1 / n_k or so.

    A class of one case (or group) that the measure looks at: nan. So is the variance if the measure is undefined
    without some case. Consistent for measures that change smoothly with each case; not for a median or a
    quantile, such as a threshold.

    Attributes
    ----------
    stratified
        Whether each class is a sample of its own, as it is for other methods.

    References
    ----------
    Tukey, Annals of Mathematical Statistics 29 (1958) 614. Arvesen, Annals of Mathematical Statistics 40 (1969)
    2076-2100, on several samples. DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988) 837-845.
    """

    name: ClassVar[str] = "jackknife"
    always_applies: ClassVar[bool] = True

    stratified: bool = True

    def __post_init__(self) -> None:
        validate_fields(self)

    def __repr__(self) -> str:
        return "Jackknife()" if self.stratified else "Jackknife(stratified=False)"

    def covariance(
        self, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic] | None = None
    ) -> Uncertainty:
        """The sums of products of the differences between values without one case and their mean."""
        del statistics
        return Uncertainty(jackknife_covariance(measure, samples, stratified=self.stratified))

    def part_variances(
        self, measure: Measure, sample: Sample, parts: Mapping[str, Statistic]
    ) -> Callable[[str], float]:
        """From the key of a part to its jackknife variance."""
        del parts
        return lambda key: float(jackknife_covariance(measure, [sample], key, stratified=self.stratified)[0, 0])


def jackknife_covariance(
    measure: Measure, samples: Sequence[Sample], part: str | None = None, *, stratified: bool = True
) -> FloatArray:
    """The jackknife covariance of a measure, or of one of its parts, of classifiers on the same cases.

    Parameters
    ----------
    measure
        Any measure.
    samples
        One sample per classifier, all of the same `Scores`.
    part
        The key of a part of the measure; None for the measure itself.
    stratified
        Whether the factor (m - 1) / m is that of each class or of all cases.
    """
    scores = samples[0].scores
    undefined = np.full((len(samples), len(samples)), np.nan)
    if scores.absent:
        return undefined
    units = np.arange(len(scores)) if scores.units is None else scores.units
    targets = [_Target(measure, part, sample) for sample in samples]
    influence = np.zeros((len(samples), int(units.max()) + 1))
    by_class = [_LeftOut(samples[0], k, units) for k in range(scores.n_classes)]
    if targets[0].whole and any(len(left_out.units) == 1 for left_out in by_class):
        return undefined
    total = len(np.unique(np.concatenate([left_out.units for left_out in by_class])))
    for left_out in [_LeftOut(samples[0], None, units)] if targets[0].whole else by_class:
        m = len(left_out.units) if stratified else total
        values = np.array([target.without(left_out) for target in targets])
        influence[:, left_out.units] += np.sqrt((m - 1) / m) * (values - values.mean(axis=1, keepdims=True))
    return row_products(influence)


class _LeftOut:
    """The units (cases, or groups) of one class, or of all, to be left out one at a time.

    Attributes
    ----------
    k
        The class; None for all cases together.
    cases, weight
        Its cases that count, and their weights.
    units, unit
        Which units there are, and for each case the position of its own among them.
    rest
        The weight of the class without each unit.
    """

    def __init__(self, sample: Sample, k: int | None, units: IntArray) -> None:
        cases, self.k = np.arange(len(sample.scores)) if k is None else sample.cases(k), k
        weight = np.ones(len(cases)) if sample.weight is None else sample.weight[cases]
        self.cases, self.weight = cases[weight > 0], weight[weight > 0]
        self.units, self.unit = np.unique(units[self.cases], return_inverse=True)
        self.rest = sums_of_others(_by_unit(self.unit, self.weight))

    def weights(self, whole: FloatArray, random: bool) -> Iterator[FloatArray]:
        """All weights, each time one unit of this class is left out and the rest of the class stands in for it.

        The rest has the weight of the class; if that is `random`, it stands in for the number of cases left out.
        """
        numbers = np.ones(len(self.unit)) if random else self.weight
        factors = numbers.sum() / sums_of_others(_by_unit(self.unit, numbers))
        for left, factor in enumerate(factors.tolist()):
            weight = whole.copy()
            weight[self.cases] = np.where(self.unit == left, 0.0, self.weight * factor)
            yield weight


def _by_unit(unit: IntArray, values: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(unit, values), dtype=np.float64)


class _Target:
    """A measure of one classifier, or a part of it, to be computed without some cases.

    Attributes
    ----------
    whole
        True if class sizes are random and matter, so that the cases are one sample.
    random_weights
        True if class sizes are fixed, but the weights of the classes, which matter, are not.
    """

    def __init__(self, measure: Measure, part: str | None, sample: Sample) -> None:
        self.measure, self.part, self.sample = measure, part, sample
        statistic = self._of(sample)
        codes, strata = sample.scores.codes, statistic.strata()
        self.whole = statistic.shares is not None and sample.scores.sampling == "cohort"
        self.random_weights = statistic.shares is not None and not self.whole and weights_vary(sample.scores)
        involved = [np.unique(codes[stratum.cases()]) for stratum in strata]
        self.classes = set(np.concatenate(involved).tolist())
        self.components: FloatArray | None = None
        if self.whole:
            if measure.mean_over_cases:
                strata = sampled_strata(statistic, sample.scores)
                self.components = case_contributions(statistic.value, strata, sample.scores)
        elif measure.linear and not self.random_weights and all(len(classes) == 1 for classes in involved):
            self.components = np.zeros(len(codes))
            for stratum in strata:
                self.components[stratum.cases()] += stratum.components

    def without(self, left_out: _LeftOut) -> FloatArray:
        """For each unit, the value without it, up to a constant; nan if that empties a class looked at."""
        if len(left_out.units) == 1:
            return np.full(1, np.nan if left_out.k in self.classes else 0.0)
        if self.components is not None:
            outcomes = _by_unit(left_out.unit, left_out.weight * self.components[left_out.cases])
            return np.asarray(sums_of_others(outcomes) / left_out.rest)
        whole = np.ones(len(self.sample.values)) if self.sample.weight is None else self.sample.weight
        weights = left_out.weights(whole, self.random_weights)
        return np.array([self._of(self.sample.reweighted(weight)).value for weight in weights])

    def _of(self, sample: Sample) -> Statistic:
        with warnings.catch_warnings():  # undefined without some case: then the variance is nan
            warnings.simplefilter("ignore", UndefinedMeasureWarning)
            statistic = self.measure(sample)
        if self.part is None or statistic.parts is None:
            return statistic
        return statistic.parts()[self.part]
