"""The bootstrap: standard errors and intervals from resampled cases."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from polyroc.errors import UndefinedMeasureWarning, warn
from polyroc.estimates.bootstrap_intervals import BootstrapKind, Resampled, acceleration, standard_error
from polyroc.inference.covariance import by_unit, influence, sampled_strata
from polyroc.inference.methods.method import Method, Uncertainty
from polyroc.inference.methods.resamples import (
    Evaluator,
    Weights,
    class_totals,
    map_resamples,
    part_evaluator,
    value_evaluator,
)
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.scores import Scores
from polyroc.validation.random import Draws, NJobs, Rng, count_workers, seed_of
from polyroc.validation.signatures import Count, validate_fields

__all__ = ["Bootstrap"]


@dataclass(frozen=True, slots=True)
class Bootstrap(Method):
    """Standard errors and intervals from resampling: the cases are drawn anew with replacement.

    Every replicate gives each case the number of times it was drawn, times its weight if it has one; the measure
    is computed with these as weights. The standard error is the standard deviation of the replicates. All
    classifiers see the same resamples, so that they can be compared.

    With `groups`, whole groups are drawn, as many as there are, from all of them whatever their classes
    (`stratified` is then ignored). Where a class is not drawn at all (possible only with groups or without
    strata), or the measure is otherwise undefined, the replicate is nan; intervals and standard errors are made
    of the others. Cases of weight zero are never drawn.

    Attributes
    ----------
    replicates
        How many replicates; 1000 or more for an interval.
    stratified
        True: drawn within each class, so that class sizes stay. False: drawn over all cases, so that they vary.
        None (default): within each class, unless the cases are a cohort (`sampling`) and the measure depends on
        the shares of the classes.
    kind
        The interval, also that of a difference in `compare`. "guarded" (default): that of the other methods, with
        the standard error of the replicates; every kind is this one where the replicates do not vary. The others
        are made of the replicates alone, which know nothing of cases that were not seen: with 10 to 50 cases a
        class, or near a limit, they are too short (docs/guide/error_bars.md). With q(p) the quantiles of the
        replicates, alpha = (1 - level) / 2, z = Phi^-1(1 - alpha): "percentile": q(alpha) to q(1 - alpha).
        "basic": 2 value - q(1 - alpha) to 2 value - q(alpha). "normal": value -+ z standard errors. "bca"
        (bias-corrected and accelerated): q(p) at p = Phi(z0 + (z0 -+ z) / (1 - a (z0 -+ z))), where Phi(z0) is
        the share of replicates below the value (ties one half) and a the skewness of the influence values / 6;
        second-order accurate.
    rng
        A seed (0 by default, so that the same call gives the same answer), a generator (which advances), or None
        for a different answer each time.
    n_jobs
        How many threads; None or -1 for as many as there are cores. The answer does not depend on it.

    References
    ----------
    Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapters 12 to 14. DiCiccio & Efron, Statistical
    Science 11 (1996) 189-228.

    >>> Bootstrap(replicates=500, rng=1)
    Bootstrap(replicates=500, stratified=None, kind='guarded', rng=1)
    """

    name: ClassVar[str] = "bootstrap"
    test: ClassVar[str] = "bootstrap test"
    resamples: ClassVar[bool] = True

    replicates: Count = 2000
    stratified: bool | None = None
    kind: BootstrapKind = "guarded"
    rng: Rng = 0
    n_jobs: NJobs = field(default=None, repr=False)

    def __post_init__(self) -> None:
        validate_fields(self)

    @property
    def seed(self) -> int | None:
        """The seed, if it is fixed."""
        return self.rng if isinstance(self.rng, int) else None

    def seeded(self) -> "Bootstrap":
        """The same with a fixed seed: the same resamples can then be drawn again."""
        return replace(self, rng=seed_of(self.rng))

    def for_measure(self, measure: Measure, scores: Scores) -> "Bootstrap":
        """The same with `stratified` decided for a measure of these scores."""
        return self.for_shares(measure.estimates_prevalence, scores)

    def for_shares(self, depends: bool, scores: Scores) -> "Bootstrap":
        """The same with `stratified` decided for a value that depends on the class shares, or not."""
        if self.stratified is not None:
            return self
        return replace(self, stratified=not (depends and scores.sampling == "cohort"))

    def for_block(self, number: int) -> "Bootstrap":
        """The same with a seed of its own, for the set of cases with this number: sets are drawn independently."""
        if number == 0:
            return self
        state = np.random.SeedSequence([seed_of(self.rng), number]).generate_state(1, np.uint64)
        return replace(self, rng=int(state[0] >> np.uint64(11)))

    def covariance(
        self, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic] | None = None
    ) -> Uncertainty:
        """The covariance of the replicates; those that leave the measure undefined are left out."""
        method, scores = self.for_measure(measure, samples[0].scores), samples[0].scores
        replicates = method.resample(measure, samples)
        defined = ~np.isnan(replicates).any(axis=0)
        if not defined.all():
            warn(
                f"{(~defined).sum()} of {self.replicates} resamples leave {measure} undefined (a class was not "
                "drawn, or no case was called); they are left out. Resample by class, or add cases.",
                UndefinedMeasureWarning,
            )
        matrix = np.full((len(samples), len(samples)), np.nan)
        if defined.sum() > 1:
            matrix = np.atleast_2d(np.cov(replicates[:, defined]))
        strata = [
            sampled_strata(statistic, scores, random_sizes=not method.stratified)
            for statistic in statistics or [measure(sample) for sample in samples]
        ]
        values = np.array(
            [by_unit(influence(of_classifier, scores, corrected=False), scores) for of_classifier in strata]
        )
        resampled = [
            Resampled(self.kind, tuple(row[defined].tolist()), acceleration(of_units))
            for row, of_units in zip(replicates, values, strict=True)
        ]
        return Uncertainty(matrix, resampled, values)

    def part_variances(
        self, measure: Measure, sample: Sample, parts: Mapping[str, Statistic]
    ) -> Callable[[str], float]:
        """The variance of each part over the same resamples; all are computed at the first call."""
        method = self.for_measure(measure, sample.scores)

        @cache
        def variances() -> dict[str, float]:
            rows = method._evaluated(sample, [part_evaluator(measure, sample)], len(parts))
            return {key: standard_error(row) ** 2 for key, row in zip(parts, rows, strict=True)}

        return lambda key: variances()[key]

    def resample(self, measure: Measure, samples: Sequence[Sample]) -> FloatArray:
        """The measure on resampled cases, at [classifier, replicate]; nan where a replicate leaves it undefined.

        All classifiers see the same resamples.
        """
        method = self.for_measure(measure, samples[0].scores)
        evaluators = [value_evaluator(measure, sample) for sample in samples]
        values = method._evaluated(samples[0], evaluators, len(samples))
        return np.asarray(np.clip(values, *measure.range(samples[0].classes, **measure.settings)))

    def over_resamples(self, sample: Sample, values: Callable[[npt.NDArray[Any]], FloatArray]) -> FloatArray:
        """What a function of the weights of the cases gives on all resamples, along the last axis.

        The weights come one row per resample, cases grouped by class; a class may have none.
        """
        draws = Draws(self.replicates, seed_of(self.rng), count_workers(self.n_jobs))
        return map_resamples(draws, sample, self.stratified is not False, values)

    def _evaluated(self, sample: Sample, evaluators: Sequence[Evaluator], rows: int) -> FloatArray:
        """What the evaluators give, so many rows together; nan where a class was not drawn."""

        def chunk(weight: Weights) -> FloatArray:
            totals, whole = class_totals(weight, sample)
            values = np.full((rows, len(weight)), np.nan)
            if whole.any():
                values[:, whole] = np.vstack([evaluate(weight[whole], totals[whole]) for evaluate in evaluators])
            return values

        with warnings.catch_warnings():
            # the replicate is nan, and the caller counts those
            warnings.simplefilter("ignore", UndefinedMeasureWarning)
            return self.over_resamples(sample, chunk)
