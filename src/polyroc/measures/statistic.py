"""What computing a measure yields: a value, and on demand the components its error bar is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from polyroc.kernels.arrays import FloatArray, IntArray

__all__ = ["Statistic", "Strata", "Stratum"]


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
        Which cases these are, found on demand: a variance without weights or groups does not ask.
    """

    components: FloatArray
    cases: Callable[[], IntArray]


Strata: TypeAlias = tuple[Stratum, ...]


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
    """

    value: float
    strata: Callable[[], Strata]
    parts: Callable[[], Mapping[str, "Statistic"]] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "strata", cache(self.strata))
