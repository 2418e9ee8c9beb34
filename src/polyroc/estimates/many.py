"""Estimates of many classifiers: values, standard errors and p-values as arrays, each `Estimate` on demand."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from polyroc.estimates.estimate import Estimate
from polyroc.estimates.hypothesis_tests import LARGEST_Z, two_sided
from polyroc.estimates.intervals import GuardedEnds
from polyroc.kernels.arrays import FloatArray

__all__ = ["ManyEstimates"]

Key = tuple[str, str]
HALVINGS = 50  # of the range of z, which leave 37 / 2^50


class ManyEstimates(Mapping[Key, Estimate]):
    """The estimates of one measure of many classifiers on the same cases, with DeLong's errors.

    Attributes
    ----------
    value, standard_error
        By classifier.

    Parameters
    ----------
    keys
        The classifiers, each with the measure.
    value, standard_error
        As above.
    make
        Makes the estimate of a classifier.
    """

    def __init__(
        self, keys: list[Key], value: FloatArray, standard_error: FloatArray, make: Callable[[Key], Estimate]
    ) -> None:
        self.value, self.standard_error = value, standard_error
        self._places = {key: place for place, key in enumerate(keys)}
        self._make, self._made = make, dict[Key, Estimate]()

    def __getitem__(self, key: Key) -> Estimate:
        if key not in self._places:
            raise KeyError(key)
        if key not in self._made:
            self._made[key] = self._make(key)
        return self._made[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the estimates, not the function that makes them from the data."""
        return dict, (dict(self),)

    def changed(self, change: Callable[[Estimate], Estimate]) -> "ManyEstimates":
        """The same with a change to every estimate that leaves value and error as they are."""
        return ManyEstimates([*self._places], self.value, self.standard_error, lambda key: change(self._make(key)))

    def pvalues(self) -> FloatArray:
        """`Estimate.pvalue` of all: the z at which each guarded interval reaches `null`, by bisection."""
        first = next(iter(self.values()))  # limits, null and cases are the same for all
        assert first.null is not None
        low, high = first.limits
        span = high - low
        above = self.value > first.null
        ends = GuardedEnds(
            (self.value - low) / span,
            self.standard_error / span,
            np.full(len(self), first.cases_behind),
            np.where(above, -1.0, 1.0),
        )
        null = (first.null - low) / span
        inside, outside = np.zeros(len(self)), np.full(len(self), LARGEST_Z)
        missed = np.where(above, ends.at(LARGEST_Z) > null, ends.at(LARGEST_Z) < null)
        for _ in range(HALVINGS):
            z = (inside + outside) / 2.0
            at = ends.at(z)
            beyond = np.where(above, at > null, at < null)
            inside, outside = np.where(beyond, z, inside), np.where(beyond, outside, z)
        z = np.where(missed, np.inf, np.where(self.value == first.null, 0.0, outside))
        return np.array([two_sided(quantile) for quantile in z.tolist()])
