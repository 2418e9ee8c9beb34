"""Pilot data: what the components of some cases say of the variance that other numbers of cases will have."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.intervals import ROUNDING_ERROR
from polyroc.inference.evaluate import select_measures
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.power.aims import Question
from polyroc.power.allocation import Allocation, Sizes, allocation
from polyroc.power.variances import Variances
from polyroc.scores import Scores
from polyroc.validation.scores import as_scores

__all__ = ["Pilot", "PilotVariances", "pilot_scores"]


def pilot_scores(y_true: Any, y_score: Any, **reading: Any) -> list[Scores]:
    """One set of cases with one classifier or two (paired), or two sets with one classifier each (unpaired)."""
    if not isinstance(y_true, Mapping):
        sets = [as_scores(y_true, y_score, **reading)]
    elif all(isinstance(each, Scores) for each in y_true.values()):
        sets = [as_scores(each, y_score, **reading) for each in y_true.values()]
    else:
        raise InputError(
            "Pilot data on different cases must be a dict of Scores by classifier (polyroc.read makes them), got "
            f"{', '.join(type(each).__name__ for each in y_true.values())}."
        )
    named = [name for scores in sets for name in scores.classifiers]
    if len(named) not in (1, 2):
        raise InputError(
            f"A study is planned for one classifier or for two, the pilot data have {len(named)} "
            f"({', '.join(named)}); give one or two of them."
        )
    for scores in sets:
        _require_plain(scores, sets[0].names)
    return sets


def _require_plain(scores: Scores, names: tuple[str, ...]) -> None:
    if scores.names != names:
        raise InputError(
            f"The pilot data must have the same classes, got {', '.join(names)} and {', '.join(scores.names)}; "
            "give the same labels to both."
        )
    if scores.sample_weight is not None or scores.groups is not None:
        named = "sample_weight" if scores.groups is None else "groups"
        raise NotApplicableError(
            f"A sample size counts independent cases that weigh the same, here {named} came; leave out {named}."
        )
    if scores.counts.min() < 2:
        few = scores.names[int(scores.counts.argmin())]
        raise InputError(
            f"The pilot data must have two cases or more of each class, got {scores.counts.min()} of {few!r}; "
            "add cases, or leave the class out."
        )


@dataclass(frozen=True, slots=False)
class Pilot:
    """A measure on pilot data, as it would be if the classes stood in the planned ratio.

    Attributes
    ----------
    measure, sets
        What is measured, on which cases.
    ratio
        The planned ratio of the classes; None for that of the pilot.
    """

    measure: Measure
    sets: list[Scores]
    ratio: Any = None

    def __post_init__(self) -> None:
        for scores in self.sets:
            select_measures([self.measure], scores)

    @cached_property
    def allocation(self) -> Allocation:
        """The planned ratio; by default the cases of the pilot."""
        counts = sum(scores.counts for scores in self.sets)
        return allocation(self.ratio, self.sets[0].names, np.asarray(counts).tolist(), len(self.sets))

    @cached_property
    def values(self) -> list[float]:
        """The measure for each classifier."""
        return [each.value for each in self._found]

    @cached_property
    def own_variances(self) -> list[FloatArray]:
        """For each classifier the variance of its components, by class."""
        judged = zip(self._found, self._sets_of_classifiers, strict=True)
        return [_by_class(each.components, scores) for each, scores in judged]

    @cached_property
    def variances(self) -> FloatArray:
        """The variance of the components by class, or of their difference between paired classifiers."""
        if len(self.sets) == 2:
            return self.own_variances[0] + self.own_variances[1]
        components = [each.components for each in self._found]
        whole = components[0] - components[1] if len(components) == 2 else components[0]
        return _by_class(whole, self.sets[0])

    @property
    def _sets_of_classifiers(self) -> list[Scores]:
        return [scores for scores in self.sets for _ in scores.classifiers]

    @property
    def reaches(self) -> list[FloatArray]:
        """For each classifier how far apart two components can be, by class; 0 if a class plays no part."""
        return [each.reach for each in self._found]

    @cached_property
    def _found(self) -> list["_Found"]:
        """What each classifier has."""
        found = [
            _Found(
                self.measure(Sample(replace(scores, sample_weight=self._weights(scores)), classifier)),
                scores,
                self._span,
            )
            for scores in self.sets
            for classifier in scores.classifiers
        ]
        if not np.isfinite([each.value for each in found]).all():
            raise InputError(f"{self.measure} is undefined on the pilot data; give more cases, or other options.")
        return found

    @property
    def _span(self) -> float:
        low, high = self.measure.range(self.sets[0].n_classes, **self.measure.settings)
        return high - low

    def _weights(self, scores: Scores) -> FloatArray | None:
        """What gives the classes their planned shares: some measures (accuracy, ova) depend on these."""
        if self.ratio is None and len(self.sets) == 1:
            return None
        weights: FloatArray = (np.array(self.allocation.ratio) / scores.counts)[scores.codes]
        return weights


class _Found:
    """The value of a classifier, its components case by case, and their reach by class.

    The reach is the whole span of the measure where the measure does not say, and 0 if a class plays no part.
    """

    def __init__(self, statistic: Statistic, scores: Scores, span: float) -> None:
        self.value = float(statistic.value)
        self.components, self.reach = np.zeros(len(scores)), np.zeros(scores.n_classes)
        for stratum in statistic.strata():
            cases = stratum.cases()
            self.components[cases] = stratum.components
            self.reach[scores.codes[cases]] = stratum.reach or span


def _by_class(components: FloatArray, scores: Scores) -> FloatArray:
    return np.array([components[scores.codes == k].var(ddof=1) for k in range(scores.n_classes)])


@dataclass(frozen=True, slots=True)
class PilotVariances:
    """Variances at any class sizes from pilot data: the sum over the classes of (components' variance) / size."""

    question: Question
    pilot: Pilot

    def __post_init__(self) -> None:
        if self.pilot.variances.sum() <= ROUNDING_ERROR * self._room(sum(self.question.limits) / 2.0):
            raise InputError(
                "On the pilot data nothing varies (a perfect or a constant classifier, or two that are alike), so "
                "they say nothing of the variance; give more cases, or (for auc) the expected values without data."
            )
        if self.question.versus is None and self._room(self.question.value) <= 0:
            low, high = self.question.limits
            raise InputError(
                f"value must be between {low:g} and {high:g}, both excluded, got {self.question.value:g}; "
                "expect a classifier that errs now and then."
            )

    def variances(self, sizes: Sizes) -> Variances:
        """At the expected values: as in the pilot data."""
        own = (_at_sizes(each, sizes) for each in self.pilot.own_variances)
        return Variances(tuple(own), _at_sizes(self.pilot.variances, sizes))

    def under_hypothesis(self, sizes: Sizes) -> None:
        """There is no textbook test: the study is tested by `evaluate` or `compare`."""

    def effective(self, sizes: Sizes) -> tuple[float, ...]:
        """As `Estimate.effective` of each classifier."""
        low, high = self.question.limits
        return tuple(
            min(n * (high - low) / reach for n, reach in zip(sizes, by_class, strict=True) if reach > 0)
            for by_class in self.pilot.reaches
        )

    def _room(self, value: float) -> float:
        low, high = self.question.limits
        return (value - low) * (high - value)


def _at_sizes(variances: FloatArray, sizes: Sizes) -> float:
    return float((variances / np.array(sizes)).sum())
