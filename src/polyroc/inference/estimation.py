"""From a measure of some samples to estimates: value, standard error, components, parts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from math import isnan, nan, sqrt

import numpy as np

from polyroc.errors import ComponentsError, NegativeVarianceWarning, warn
from polyroc.estimates.bootstrap_intervals import Resampled
from polyroc.estimates.boundary import Boundary
from polyroc.estimates.estimate import Estimate, Parts
from polyroc.inference.covariance import case_contributions, covariance, effective_units, sampled_strata
from polyroc.inference.covariance import variance as variance_of
from polyroc.inference.methods import Method
from polyroc.inference.methods.bootstrap import Bootstrap, part_variances
from polyroc.inference.uncertainty import part_variance, uncertainty
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Errors, Scale, Statistic
from polyroc.messages import Call, Message, Option
from polyroc.results.provenance import Provenance

__all__ = ["check_components", "judge"]

UNEXPLAINED = 1e-8  # by which rounding may set apart the components' mean and the value


def judge(
    measure: Measure, method: Method | None, samples: Mapping[str, Sample]
) -> tuple[dict[str, Estimate], FloatArray]:
    """Estimates by classifier, and their covariance, for classifiers on the same cases."""
    found = list(samples.values())
    if isinstance(method, Bootstrap):
        method = method.drawn_for(measure, found[0].scores)
    judgements = [_Judgement(sample, name, measure, method) for name, sample in samples.items()]
    nothing = np.full((len(found), len(found)), nan)
    if found[0].scores.absent:
        return {each.classifier: each.estimate(Statistic(nan, lambda: ()), nan) for each in judgements}, nothing
    statistics = [measure(sample) for sample in found]
    if method is None or any(isnan(statistic.value) for statistic in statistics):
        judged = zip(judgements, statistics, strict=True)
        return {each.classifier: each.estimate(statistic, nan) for each, statistic in judged}, nothing
    for sample, statistic in zip(found, statistics, strict=True):
        check_components(measure, sample, statistic)
    spread, resampled = uncertainty(method, measure, found, statistics)
    parts = zip(judgements, statistics, np.diag(spread), resampled, strict=True)
    return {each.classifier: each.estimate(*rest) for each, *rest in parts}, spread


def check_components(measure: Measure, sample: Sample, statistic: Statistic) -> None:
    """Raise an error if the components do not add up to the value: their variance would be that of another."""
    if measure.degree is None or statistic.monte_carlo_error > 0:
        return
    weight, total = sample.scores.sample_weight, 0.0
    for stratum in statistic.strata():
        weights = None if weight is None else weight[stratum.cases()]
        total += float(np.average(stratum.components, weights=weights))
    low, high = measure.range(sample.classes, **measure.settings)
    expected = measure.degree(sample.classes) * statistic.value
    if not abs(total - expected) <= UNEXPLAINED * max(1.0, high - low):
        raise ComponentsError(
            f"The components of {measure} add up to {total:.9g}, not to {expected:.9g}, so its standard error "
            "would be wrong. This is a fault of polyroc: please report it; method=None gives the value alone."
        )


@dataclass(frozen=True, slots=True)
class _Judgement:
    """One measure of one classifier by one method: turns statistics into estimates."""

    sample: Sample
    classifier: str
    measure: Measure
    method: Method | None

    def estimate(self, statistic: Statistic, variance: float, resampled: Resampled | None = None) -> Estimate:
        """A statistic with its error bar."""
        limits, chance = statistic.scale or self._scale()
        fewest, effective = self._cases(statistic, limits)
        if isinstance(self.method, Bootstrap) and fewest <= 1:  # resamples of one case are all the same
            variance, resampled = nan, None
        return Estimate(
            measure=str(self.measure),
            name=self.measure.name,
            classifier=self.classifier,
            value=float(np.clip(statistic.value, *limits)),
            standard_error=self._root(variance),
            limits=limits,
            chance=chance,
            fewest=fewest,
            effective=effective,
            provenance=self._provenance(),
            resampled=resampled,
            converted=self.sample.scores.converted,
            monte_carlo_error=statistic.monte_carlo_error,
            boundary=None if isnan(fewest) else self._boundary(statistic),
            _components=cache(lambda: self._components(statistic)),
            _parts=cache(lambda: self._parts(statistic)),
        )

    def _root(self, variance: float) -> float:
        if variance >= 0 or isnan(variance):
            return sqrt(variance)
        warn(
            Message(
                f"The unbiased variance of {self.measure} is negative ({variance:.2g}), as it can be for tiny "
                "classes; the standard error is nan and the interval Wilson's. Use ",
                Option("method", Call("DeLong")),
                ", or more cases.",
            ),
            NegativeVarianceWarning,
        )
        return nan

    def _cases(self, statistic: Statistic, limits: tuple[float, float]) -> tuple[float, float]:
        """The units of the smallest stratum behind the value, and as many as would say as much with full reach.

        Both nan without an error bar.
        """
        if self.method is None or isnan(statistic.value):
            return nan, nan
        strata, span = sampled_strata(statistic, self.sample.scores), limits[1] - limits[0]
        units = [effective_units(each, self.sample.scores) for each in strata]
        reaches = [span / each.reach if each.reach else 1.0 for each in strata]
        return min(units), min(n * factor for n, factor in zip(units, reaches, strict=True))

    def _boundary(self, statistic: Statistic) -> Boundary | None:
        """What the interval needs if the chance value is a limit of the range; None if a class has one unit."""
        if statistic.boundary is None:
            return None
        scores = self.sample.scores
        found = statistic.boundary(
            Errors(
                lambda strata, shares=None: variance_of(
                    sampled_strata(Statistic(nan, lambda: strata, shares=shares), scores), scores
                ),
                lambda several: covariance(several, scores),
                lambda stratum: effective_units(stratum, scores),
            )
        )
        return None if isnan(found.bias) or isnan(found.variance or 0.0) else found

    def _scale(self) -> Scale:
        c, measure = self.sample.classes, self.measure
        chance = None if measure.chance is None else measure.chance(c, **measure.settings)
        return Scale(measure.range(c, **measure.settings), chance)

    def _components(self, statistic: Statistic) -> FloatArray | None:
        if isnan(statistic.value):
            return None
        scores = self.sample.scores
        strata = sampled_strata(statistic, scores)
        if len(strata) > len(statistic.strata()):  # a cohort is one sample of all cases
            return case_contributions(statistic.value, strata, scores)
        components = np.full(len(scores), nan)
        for stratum in strata:
            components[stratum.cases()] = stratum.components
        return components

    def _parts(self, statistic: Statistic) -> Parts:
        found = statistic.parts() if statistic.parts is not None else {}
        if isinstance(self.method, Bootstrap) and found:
            drawn = cache(partial(part_variances, self.method, self.measure, self.sample, tuple(found)))
            return Parts(tuple(found), lambda key: self.estimate(found[key], drawn()[key]))
        return Parts(tuple(found), lambda key: self._part(key, found[key]))

    def _part(self, key: str, statistic: Statistic) -> Estimate:
        if self.method is None:
            return self.estimate(statistic, nan)
        return self.estimate(statistic, part_variance(self.method, self.measure, self.sample, key, statistic))

    def _provenance(self) -> Provenance:
        seed = self.method.rng if isinstance(self.method, Bootstrap) and isinstance(self.method.rng, int) else None
        return Provenance.of(self.sample.scores, None if self.method is None else repr(self.method), seed)
