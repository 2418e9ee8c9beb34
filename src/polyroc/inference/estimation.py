"""Estimates of a measure on samples: value, standard error, structural components, parts."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, isinf, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from polyroc._results.codec import Known, Once
from polyroc._results.provenance import Provenance
from polyroc.errors import ComponentsError, NegativeVarianceWarning, warn
from polyroc.estimates.bootstrap_intervals import Resampled
from polyroc.estimates.boundary import Boundary
from polyroc.estimates.cross_validation import CrossValidation
from polyroc.estimates.estimate import Estimate, Parts
from polyroc.inference.covariance import case_contributions, covariance, effective_units, sampled_strata
from polyroc.inference.covariance import variance as variance_of
from polyroc.inference.folds import fold_covariance, shift_pvalue, warn_of_pooling
from polyroc.inference.methods.method import Method, component_variances
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Errors, Scale, Statistic
from polyroc.messages import Call, Message, Option

__all__ = ["Estimates", "check_components", "estimate_measure"]

# By which the mean of the components and the value may differ through rounding, relative to the range.
UNEXPLAINED = 1e-8
NONE: Known[Boundary | None] = Known(None)


class Estimates(NamedTuple):
    """A measure of classifiers on the same cases.

    Attributes
    ----------
    estimates
        By classifier.
    covariance
        Of their values; nan if there is none.
    influence
        At [classifier, unit] the influence values, if the method resamples; without columns otherwise.
    """

    estimates: dict[str, Estimate]
    covariance: FloatArray
    influence: FloatArray


def estimate_measure(measure: Measure, method: Method | None, samples: Mapping[str, Sample]) -> Estimates:
    """Estimate a measure of classifiers on the same cases, with the covariance by the method."""
    cases = list(samples.values())
    scores, n = cases[0].scores, len(cases)
    method = None if method is None else method.for_measure(measure, scores)
    assemblers = [_Assembler(sample, name, measure, method) for name, sample in samples.items()]
    if scores.absent:
        statistics = [Statistic(nan, lambda: ())] * n
    else:
        for sample in () if scores.folds is None else cases:
            warn_of_pooling(measure, sample)
        for sample in cases:
            sample.components_wanted = method is not None
            sample.cases_wanted = method is not None and n > 1
            sample.share_groups(cases[0])
        statistics = [measure(sample) for sample in cases]
    defined = [] if method is None else [i for i in range(n) if isfinite(statistics[i].value)]
    if len(defined) == n:
        return _estimate_defined(assemblers, cases, statistics)
    # An undefined value, or an infinite one, of one classifier leaves the errors of the others as they are.
    pairs = zip(assemblers, statistics, strict=True)
    estimates = {assembler.classifier: assembler.estimate(statistic, nan) for assembler, statistic in pairs}
    covariance_of_all, influence = _undefined(n)
    if defined:
        known = _estimate_defined(
            [assemblers[i] for i in defined], [cases[i] for i in defined], [statistics[i] for i in defined]
        )
        covariance_of_all[np.ix_(defined, defined)] = known.covariance
        influence = np.full((n, known.influence.shape[1]), nan)
        influence[defined] = known.influence
        estimates |= known.estimates
    return Estimates(estimates, covariance_of_all, influence)


def _estimate_defined(
    assemblers: Sequence["_Assembler"], cases: list[Sample], statistics: list[Statistic]
) -> Estimates:
    """The estimates of classifiers whose values are finite numbers."""
    measure, method, scores, n = assemblers[0].measure, assemblers[0].method, cases[0].scores, len(cases)
    assert method is not None
    for sample, statistic in zip(cases, statistics, strict=True):
        check_components(measure, sample, statistic)
    if scores.within_folds and not method.averages_folds:
        uncertainty = fold_covariance(method, measure, cases, statistics)
    else:
        uncertainty = method.covariance(measure, cases, statistics)
    resampled: Sequence[Resampled | None] = uncertainty.resampled or [None] * n
    parts = zip(assemblers, statistics, uncertainty.covariance.diagonal().tolist(), resampled, strict=True)
    estimates = {
        assembler.classifier: assembler.estimate(statistic, variance, replicates, uncertainty.df)
        for assembler, statistic, variance, replicates in parts
    }
    if uncertainty.influence is None:
        return Estimates(estimates, uncertainty.covariance, np.empty((n, 0)))
    if any(estimate.resampled is None for estimate in estimates.values()):  # a class of one case
        return Estimates(estimates, *_undefined(n))
    return Estimates(estimates, uncertainty.covariance, uncertainty.influence)


def _undefined(n: int) -> tuple[FloatArray, FloatArray]:
    """The covariance and the influence values of n classifiers that have none."""
    return np.full((n, n), nan), np.empty((n, 0))


def check_components(measure: Measure, sample: Sample, statistic: Statistic) -> None:
    """Raise an error if the components do not add up to the value: their variance would be that of another."""
    if measure.degree is None or statistic.monte_carlo_error > 0:
        return
    weight, total = sample.scores.sample_weight, 0.0
    for stratum in statistic.strata():
        if weight is None:
            total += stratum.mean()
        else:
            total += float(np.average(stratum.components, weights=weight[stratum.cases()]))
    low, high = _scale(measure, sample.classes).limits
    expected = measure.degree(sample.classes) * statistic.value
    scale = high - low if isfinite(high - low) else abs(expected)
    if not abs(total - expected) <= UNEXPLAINED * max(1.0, scale):
        raise ComponentsError(
            f"The components of {measure} add up to {total:.9g}, not to {expected:.9g}, so its standard error "
            "would be wrong. This is a fault of polyroc: please report it; method=None gives the value alone."
        )


@lru_cache(maxsize=256)
def _scale(measure: Measure, classes: int) -> Scale:
    """The range and the chance value of a measure, which depend on nothing else."""
    settings = measure.settings
    chance = None if measure.chance is None else measure.chance(classes, **settings)
    return Scale(measure.range(classes, **settings), chance)


def _pooled(sample: Sample) -> Sample:
    """The same cases with all folds as one sample."""
    pooled = copy(sample)
    pooled.scores = sample.scores.pool_folds()
    pooled._made = {}  # not shared: what is made here would refer to itself
    return pooled


def _provenance(sample: Sample, method: Method | None) -> Provenance:
    """The provenance of all measures by this method."""
    if method is None:
        return Provenance.of(sample.scores, None)
    return Provenance.of(sample.scores, repr(method), method.seed)


@dataclass(frozen=True, slots=True)
class _Assembler:
    """Assembles the estimates of one measure, and its parts, of one classifier by one method."""

    sample: Sample
    classifier: str
    measure: Measure
    method: Method | None

    def estimate(
        self,
        statistic: Statistic,
        variance: float,
        resampled: Resampled | None = None,
        df: float | None = None,
        part: str | None = None,
    ) -> Estimate:
        """The estimate of the measure, or of a part of it, with this statistic and variance."""
        folds = None if not statistic.by_fold else Once(lambda: self._cross_validation(statistic, part))
        limits, chance = statistic.scale or _scale(self.measure, self.sample.classes)
        fewest, effective = self._cases(statistic, limits)
        if self.method is not None and self.method.resamples and fewest <= 1:  # all resamples are the same
            variance, resampled = nan, None
        by_error = resampled is None or resampled.kind == "guarded"
        if isinf(limits[1] - limits[0]) and df is None and by_error and fewest > 1:
            df = fewest - 1.0  # a range without limits: Student's t in place of the pseudo-observations
        return Estimate(
            measure=str(self.measure),
            name=self.measure.full_name,
            classifier=self.classifier,
            value=min(max(float(statistic.value), limits[0]), limits[1]),  # nan stays
            standard_error=self._root(variance),
            limits=limits,
            chance=chance,
            fewest=fewest,
            effective=effective,
            provenance=self.sample.once(_provenance, self.method),
            resampled=resampled,
            converted=self.sample.scores.converted,
            monte_carlo_error=statistic.monte_carlo_error,
            _boundary=NONE if isnan(fewest) else self._boundary(statistic),
            df=df,
            larger_is_better=None if self.measure.larger_is_better else False,
            of_decisions=self.measure.needs == "decisions" or None,
            part=part,
            _components=Once(lambda: self._components(statistic)),
            _cross_validation=folds,
            _parts=Once(lambda: self._parts(statistic, df)),
        )

    def _root(self, variance: float) -> float:
        if variance >= 0 or isnan(variance):
            return sqrt(variance)
        warn(
            Message(
                f"The unbiased variance of {self.measure} is negative ({variance:.2g}), as it can be for tiny "
                "classes; the standard error is nan and the interval Wilson's. Use ",
                Option("method", Call("Influence")),
                ", or more cases.",
            ),
            NegativeVarianceWarning,
        )
        return nan

    def _cases(self, statistic: Statistic, limits: tuple[float, float]) -> tuple[float, float]:
        """Return the units of the smallest stratum, and the effective number of units behind the value.

        The latter is larger where they reach less of the range, and smaller where a class may have heavier cases
        than were seen (`share_of_units_behind`). Both are nan without a standard error.
        """
        if self.method is None or not isfinite(statistic.value):
            return nan, nan
        scores, span, fewest, effective = self.sample.scores, limits[1] - limits[0], inf, inf
        shared = isfinite(span)  # a range without limits has no shares of it
        behind = None if scores.sample_weight is None else self.sample.shares_behind
        for stratum in sampled_strata(statistic, scores):
            units = effective_units(stratum, scores)
            reach = span / stratum.reach if stratum.reach and shared else 1.0
            fewest = min(fewest, units)
            if behind is not None:
                units *= behind[np.unique(scores.codes[stratum.cases()])].min()
            effective = min(effective, units * reach)
        return fewest, effective

    def _boundary(self, statistic: Statistic) -> Callable[[], Boundary | None]:
        """Computes what the interval needs if the chance value is a limit of the range."""
        make = statistic.boundary
        return NONE if make is None else Once(lambda: self._made_boundary(make))

    def _made_boundary(self, make: Callable[[Errors], Boundary]) -> Boundary | None:
        """None if a class has one unit."""
        scores = self.sample.scores
        boundary = make(
            Errors(
                lambda strata, shares=None: variance_of(
                    sampled_strata(Statistic(nan, lambda: strata, shares=shares), scores), scores
                ),
                lambda several: covariance(several, scores),
                lambda stratum: effective_units(stratum, scores),
            )
        )
        return None if isnan(boundary.bias) or isnan(boundary.variance or 0.0) else boundary

    def _components(self, statistic: Statistic) -> FloatArray | None:
        if not isfinite(statistic.value):
            return None
        scores = self.sample.scores
        strata = sampled_strata(statistic, scores)
        if scores.sampling == "cohort" and len(strata) > len(statistic.strata()):  # one sample of all cases
            return case_contributions(statistic.value, strata, scores)
        components = np.full(len(scores), nan)
        for stratum in statistic.strata():
            components[stratum.cases()] = stratum.components
        return components

    def _parts(self, statistic: Statistic, df: float | None) -> Parts:
        parts = statistic.parts() if statistic.parts is not None else {}
        if self.method is None or not parts:
            return Parts(tuple(parts), lambda key: self.estimate(parts[key], nan, part=key))
        if self.sample.scores.within_folds:
            # from the components, whatever the method: parts of folds have no other errors
            variance = component_variances(self.sample.scores, parts)
        else:
            variance = self.method.part_variances(self.measure, self.sample, parts)
        return Parts(tuple(parts), lambda key: self.estimate(parts[key], variance(key), df=df, part=key))

    def _cross_validation(self, statistic: Statistic, part: str | None) -> CrossValidation:
        """The values by fold, beside that of all folds as one sample."""
        scores, folds = self.sample.scores, self.sample.scores.folds
        assert folds is not None
        whole = self.sample.once(_pooled)
        pooled = self.measure(whole)
        if part is not None and pooled.parts is not None:
            pooled = pooled.parts()[part]
        error = nan
        if self.method is not None and isfinite(pooled.value):
            error = sqrt(max(variance_of(sampled_strata(pooled, scores), scores), 0.0))
        return CrossValidation(
            folds=folds.names,
            cases=tuple(np.bincount(folds.codes).tolist()),
            values=tuple(statistic.by_fold),
            repeats=folds.repeats,
            pooled=pooled.value,
            pooled_standard_error=error,
            shift_pvalue=None if self.measure.needs == "decisions" else self.sample.once(shift_pvalue),
        )
