"""Planning from pilot data: variances at any class sizes from the structural components of the pilot cases."""

from collections.abc import Mapping
from dataclasses import dataclass
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
from polyroc.messages import Option
from polyroc.power.allocation import Allocation, Sizes, allocation
from polyroc.power.analytic import Variances
from polyroc.power.goals import PlanningQuestion
from polyroc.scores import Scores
from polyroc.validation.scores import as_scores, one_sample

__all__ = ["Pilot", "PilotVariances", "pilot_scores"]


def pilot_scores(y_true: Any, y_score: Any, **reading: Any) -> list[Scores]:
    """One set of cases with one classifier or two (paired), or two sets with one classifier each (unpaired)."""
    if not isinstance(y_true, Mapping):
        sets = [as_scores(y_true, y_score, **reading)]
    elif all(isinstance(scores, Scores) for scores in y_true.values()):
        sets = [as_scores(scores, y_score, **reading) for scores in y_true.values()]
    else:
        raise InputError(
            "Pilot data on different cases must be a dict of Scores by classifier (see polyroc.read), got "
            f"{', '.join(type(value).__name__ for value in y_true.values())}."
        )
    names = [name for scores in sets for name in scores.classifiers]
    if len(names) not in (1, 2):
        raise InputError(
            f"A study is planned for one or two classifiers, the pilot data have {len(names)} "
            f"({', '.join(names)}). Name the columns of one or two of them, as in ",
            Option("y_score", {"NAME": ...}),
            ", or keep the rows of one or two of them.",
        )
    for scores in sets:
        one_sample(scores, "sample_size")
        _require_usable(scores, sets[0].names)
    return sets


def _require_usable(scores: Scores, names: tuple[str, ...]) -> None:
    if scores.names != names:
        raise InputError(
            f"The pilot data must have the same classes, got {', '.join(names)} and {', '.join(scores.names)}; "
            "pass the same labels for both."
        )
    if scores.sample_weight is not None or scores.units is not None:
        option = Option("sample_weight" if scores.units is None else "groups")
        raise NotApplicableError("A sample size is for independent, unweighted cases, got ", option, "; omit it.")
    if scores.counts.min() < 2:
        few = scores.names[int(scores.counts.argmin())]
        raise InputError(
            f"The pilot data must have two cases or more of each class, got {scores.counts.min()} of {few!r}; "
            "add cases, or omit the class."
        )


@dataclass(frozen=True, slots=False)
class Pilot:
    """A measure on pilot data, reweighted to the planned ratio of the classes.

    Attributes
    ----------
    measure, sets
        The measure, and the sets of cases.
    ratio
        The planned ratio of the classes; None for that of the pilot data.
    """

    measure: Measure
    sets: list[Scores]
    ratio: Any = None

    def __post_init__(self) -> None:
        for scores in self.sets:
            select_measures([self.measure], scores)

    @cached_property
    def allocation(self) -> Allocation:
        """The planned allocation; by default in the ratio of the pilot data."""
        counts = sum(scores.counts for scores in self.sets)
        return allocation(self.ratio, self.sets[0].names, np.asarray(counts).tolist(), len(self.sets))

    @cached_property
    def values(self) -> list[float]:
        """The value of each classifier."""
        return [components.value for components in self._components]

    @cached_property
    def own_variances(self) -> list[FloatArray]:
        """For each classifier the variance of its components, by class."""
        pairs = zip(self._components, self._set_of_classifier, strict=True)
        return [_variance_by_class(components.by_case, scores) for components, scores in pairs]

    @cached_property
    def variances(self) -> FloatArray:
        """The variance of the components by class, or of their difference between paired classifiers."""
        if len(self.sets) == 2:
            return self.own_variances[0] + self.own_variances[1]
        first, *second = (components.by_case for components in self._components)
        return _variance_by_class(first - second[0] if second else first, self.sets[0])

    @property
    def _set_of_classifier(self) -> list[Scores]:
        return [scores for scores in self.sets for _ in scores.classifiers]

    @property
    def reaches(self) -> list[FloatArray]:
        """For each classifier the largest difference of two components, by class; 0 if a class has none."""
        return [components.reach for components in self._components]

    @cached_property
    def _components(self) -> list["_CaseComponents"]:
        """The value and the components of each classifier."""
        low, high = self.measure.range(self.sets[0].n_classes, **self.measure.settings)
        components = []
        for scores in self.sets:
            weighted = scores._replace(sample_weight=self._weights(scores))
            for classifier in scores.classifiers:
                statistic = self.measure(Sample(weighted, classifier))
                components.append(_CaseComponents(statistic, scores, high - low))
        if not np.isfinite([component.value for component in components]).all():
            raise InputError(f"{self.measure} is undefined on the pilot data; add cases, or use other options.")
        return components

    def _weights(self, scores: Scores) -> FloatArray | None:
        """Weights that give the classes their planned shares, on which some measures (accuracy, ova) depend."""
        if self.ratio is None and len(self.sets) == 1:
            return None
        weights: FloatArray = (np.array(self.allocation.ratio) / scores.counts)[scores.codes]
        return weights


class _CaseComponents:
    """The value of a classifier, its structural components case by case, and their reach by class.

    The reach is the range of the measure unless the measure declares it, and 0 if a class has no components.
    """

    def __init__(self, statistic: Statistic, scores: Scores, measure_range: float) -> None:
        self.value = float(statistic.value)
        self.by_case, self.reach = np.zeros(len(scores)), np.zeros(scores.n_classes)
        for stratum in statistic.strata():
            cases = stratum.cases()
            self.by_case[cases] = stratum.components
            self.reach[scores.codes[cases]] = stratum.reach or measure_range


def _variance_by_class(components: FloatArray, scores: Scores) -> FloatArray:
    return np.array([components[scores.codes == k].var(ddof=1) for k in range(scores.n_classes)])


@dataclass(frozen=True, slots=True)
class PilotVariances:
    """Variances at any class sizes from pilot data: the sum over the classes of (components' variance) / size."""

    question: PlanningQuestion
    pilot: Pilot

    def __post_init__(self) -> None:
        if self.pilot.variances.sum() <= ROUNDING_ERROR * self._distance_product(sum(self.question.limits) / 2.0):
            raise InputError(
                "The components of the pilot data do not vary (a perfect or constant classifier, or two equal "
                "ones), so the variance is unknown; add cases, or (for auc) pass the expected values without data."
            )
        if self.question.versus is None and self._distance_product(self.question.value) <= 0:
            low, high = self.question.limits
            raise InputError(
                f"value must be between {low:g} and {high:g}, both excluded, got {self.question.value:g}; "
                "at a limit the variance is 0."
            )

    def variances(self, sizes: Sizes) -> Variances:
        """The variances at the expected values, taken as those of the pilot data."""
        own = (_at_sizes(by_class, sizes) for by_class in self.pilot.own_variances)
        return Variances(tuple(own), _at_sizes(self.pilot.variances, sizes))

    def under_hypothesis(self, sizes: Sizes) -> None:
        """None: the test is that of `evaluate` or `compare`."""

    def cases(self, sizes: Sizes) -> tuple[tuple[float, float], ...]:
        """Return `Estimate.fewest` and `Estimate.effective` of each classifier."""
        low, high = self.question.limits
        counted = [
            [(n, n * (high - low) / reach) for n, reach in zip(sizes, by_class, strict=True) if reach > 0]
            for by_class in self.pilot.reaches
        ]
        return tuple((min(n for n, _ in classes), min(n for _, n in classes)) for classes in counted)

    def _distance_product(self, value: float) -> float:
        """The product of the distances to both limits."""
        low, high = self.question.limits
        return (value - low) * (high - value)


def _at_sizes(variances: FloatArray, sizes: Sizes) -> float:
    return float((variances / np.array(sizes)).sum())
