"""Statistic: the value of a measure on one sample, and on demand its structural components.

A measure that is a mean over tuples of cases has **structural components** (for the AUC, placement values): the
component of a case is the mean outcome of the tuples that contain it. Centred within its class and divided by the
class size, a component is the **influence value** of the case: the first-order change of the value with the weight
of the case. Variances and covariances are sums of products of influence values (`polyroc.inference.covariance`). A
measure that is a function of such means has the components of its linearisation (delta method).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from polyroc._results.codec import Once
from polyroc.estimates.boundary import Boundary
from polyroc.kernels.arrays import ONE_THREAD, CodeArray, FloatArray, IntArray

__all__ = ["Errors", "Scale", "Shares", "Statistic", "Strata", "Stratum"]


@dataclass(frozen=True, slots=True)
class Stratum:
    """The components of the cases of one class.

    The statistic moves by (component - mean component) / (number of cases) with each case, so its variance is
    the sum over strata of var(components) / size, and covariances follow (DeLong, DeLong & Clarke-Pearson 1988).

    Attributes
    ----------
    components
        One number per case: the mean outcome of the tuples of cases that contain it.
    cases
        Finds the cases these are; not called for a variance without weights or groups.
    reach
        How far apart two components of the class can be: less than the range of the measure where the class has
        only a share in the value. None: as far as the measure's limits.
    effective
        The effective number of cases (or groups), if it does not follow from their number and their weights, as
        that of folds of different sizes; None if it does.
    """

    components: FloatArray
    cases: Callable[[], IntArray]
    reach: float | None = None
    effective: float | None = None
    _mean: float | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def size(self) -> int:
        """Number of components."""
        return len(self.components)

    def mean(self) -> float:
        """The mean component, without weights."""
        mean = self._mean
        if mean is None:  # kept: the check of the components needs it, and the variance
            mean = float(np.add.reduce(self.components)) / (len(self.components) or np.nan)
            object.__setattr__(self, "_mean", mean)
        return mean

    def with_mean(self, mean: float) -> Self:
        """The same with its mean, if that is known without weights: a variance then needs one pass less."""
        object.__setattr__(self, "_mean", mean)
        return self

    def variance(self) -> float:
        """The variance of the components, with size - 1 below and without weights; nan of a single one."""
        n = len(self.components)
        if n < 2:
            return np.nan
        # The steps of `components.var(ddof=1)`, whose checks take longer than a hundred cases.
        centred = self.components - self.mean()
        if n < ONE_THREAD:
            return float(centred.dot(centred)) / (n - 1)
        return float(np.add.reduce(np.multiply(centred, centred, out=centred)) / (n - 1))


Strata: TypeAlias = tuple[Stratum, ...]


class Shares(NamedTuple):
    """How a value depends on the shares of the classes among the cases.

    Attributes
    ----------
    slopes
        By class, the derivative of the value with respect to the class's share, the confusion rates or score
        distributions inside the classes held fixed. A constant added to all of them changes nothing, because
        shares sum to 1.
    reach
        As in `Stratum`, of the number of cases times the whole influence of a case: through its class's components
        and through the shares.
    cases, effective
        If `slopes` are by case and not by class, because they differ between folds: which cases, and their
        effective number.
    """

    slopes: FloatArray
    reach: float
    cases: Callable[[], IntArray] | None = None
    effective: float | None = None

    def stratum(self, codes: CodeArray) -> Stratum:
        """The stratum of all cases, of these classes, in which components are the slopes of the classes."""
        if self.cases is not None:
            return Stratum(self.slopes, self.cases, self.reach, self.effective)
        return Stratum(self.slopes[codes], lambda: np.arange(len(codes)), self.reach)


class Scale(NamedTuple):
    """The smallest and the largest value that can be, and what a constant score gets, if that is known."""

    limits: tuple[float, float]
    chance: float | None


class Errors(NamedTuple):
    """How errors are computed from strata for the weights and groups at hand.

    Attributes
    ----------
    variance, covariance
        The variance of a statistic with these strata, and with this dependence on the shares of the classes, which
        counts where class sizes are random; the covariance of several.
    units
        The effective number of cases (or groups) of a stratum.
    """

    variance: Callable[..., float]
    covariance: Callable[[Sequence[Strata]], FloatArray]
    units: Callable[[Stratum], float]


@dataclass(frozen=True, slots=True)
class Statistic:
    """The value of a measure on one sample.

    Attributes
    ----------
    value
        The number.
    strata
        Makes the components, class by class.
    parts
        Makes the pieces the measure is made of, by a readable key; None if it has none.
    monte_carlo_error
        The standard error that comes of looking at some tuples of the cases only; 0 if all were looked at.
    scale
        The range and the chance value of a part, where they are not those of the measure.
    boundary
        Makes what the interval needs if the chance value is a limit of the range, or a class may hide its error.
    shares
        Makes the dependence on the shares of the classes; None if the value does not depend on them, or if they
        were given and not estimated from the cases. Where class sizes are random it adds one stratum, of all
        cases, to the variance: see `polyroc.inference.covariance.sampled_strata`.
    by_fold
        The values of the folds of which this is the average; empty if it is none.
    """

    value: float
    strata: Callable[[], Strata]
    parts: Callable[[], Mapping[str, "Statistic"]] | None = None
    monte_carlo_error: float = 0.0
    scale: Scale | None = None
    boundary: Callable[[Errors], Boundary] | None = None
    shares: Callable[[], Shares] | None = None
    by_fold: Sequence[float] = ()
    _share_stratum: list[Stratum] = field(default_factory=list, init=False, repr=False, compare=False)

    def share_stratum(self, codes: CodeArray) -> Stratum:
        """The stratum of `shares`, made once: the variance needs it, and the number of its cases."""
        if not self._share_stratum:
            assert self.shares is not None
            self._share_stratum.append(self.shares().stratum(codes))
        return self._share_stratum[0]

    def __post_init__(self) -> None:
        object.__setattr__(self, "strata", Once(self.strata))
        if self.shares is not None:
            object.__setattr__(self, "shares", Once(self.shares))
