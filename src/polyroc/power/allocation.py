"""Allocation of a number of cases to the classes in a given ratio (Sainte-Lague's method)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, TypeAlias

import numpy as np

from polyroc.errors import InputError

__all__ = ["Allocation", "Shares", "Sizes", "allocation", "is_integer"]

Sizes: TypeAlias = tuple[int, ...]
Shares: TypeAlias = Sequence[float] | Mapping[str, float]

ROUNDING = 1e-12  # of a ratio such as 0.1 + 0.2 : 0.3
FEWEST = 2  # cases of a class: with fewer it has no variance
FEWEST_BY_FORMULA = 10  # cases of a class: with fewer estimates are not normal; as in Obuchowski's table (2004)


@dataclass(frozen=True, slots=True)
class Allocation:
    """The classes, the ratio of their sizes, and the number of sets of cases.

    Cases are added one at a time, each to the class that is furthest below its share (Sainte-Lague's method), so
    that more cases never mean fewer of any class. The sizes have the ratio up to rounding for every number of
    cases; a minimum for each class raises all classes in proportion.

    Attributes
    ----------
    names, ratio
        The classes, and the ratio of their sizes.
    sets
        2 if two classifiers are evaluated on different cases, each set with the same class sizes; else 1.
    at_least
        The smallest size of a class.

    >>> planned = Allocation(("negative", "positive"), (1.0, 2.0), at_least=10)
    >>> planned.sizes(90), planned.fewest
    ((30, 60), 30)
    """

    names: tuple[str, ...]
    ratio: tuple[float, ...]
    sets: int = 1
    at_least: int = FEWEST

    @property
    def fewest(self) -> int:
        """The smallest number of cases in a set: `at_least` of the smallest class, the others in proportion.

        By Sainte-Lague's method a class whose exact share is k or more gets at least k cases.
        """
        return ceil(self.at_least * sum(self.ratio) / min(self.ratio) * (1.0 - ROUNDING))

    def by_formula(self) -> "Allocation":
        """The same allocation with classes large enough for a formula that assumes normal estimates."""
        return replace(self, at_least=FEWEST_BY_FORMULA)

    def sizes(self, cases: int) -> Sizes:
        """Class sizes of a set with this number of cases."""
        ratio = np.array(self.ratio)
        # A start that the loop below would pass through: it adds up to `cases` at most, and stops short of ties.
        shares = (cases - 0.5 * len(ratio)) * ratio / ratio.sum()
        sizes = np.maximum(0, np.ceil(shares * (1.0 - ROUNDING) - 0.5).astype(np.int64))
        for _ in range(cases - int(sizes.sum())):
            sizes[np.argmax(ratio / (2 * sizes + 1))] += 1
        return tuple(sizes.tolist())

    def sizes_of(self, n: Any) -> Sizes:
        """Class sizes from the argument `n`: the total number of cases, or the size of each class."""
        if isinstance(n, Mapping) or np.ndim(n) == 1:
            sizes = _by_class(n, self.names, "n")
            if not all(is_integer(size) and size >= FEWEST for size in sizes):
                raise InputError(f"n must contain integers, {FEWEST} or more for each class, got {n!r}.")
            return tuple(int(size) for size in sizes)
        fewest = self.sets * self.fewest
        if not is_integer(n) or n < fewest or n % self.sets:
            even = ", an even number for two sets of cases" if self.sets == 2 else ""
            ratio = ":".join(f"{share:g}" for share in self.ratio)
            raise InputError(
                f"n must be an integer, {fewest} or more cases in the ratio {ratio}{even}, or the size of each "
                f"class ({', '.join(self.names)}), got {n!r}."
            )
        return self.sizes(int(n) // self.sets)


def is_integer(value: object) -> bool:
    """True for an integer; booleans are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


def _by_class(values: Any, names: tuple[str, ...], argument: str) -> list[Any]:
    """The values in the order of the classes, from a sequence or from a mapping by class."""
    if isinstance(values, Mapping):
        named = {str(name): value for name, value in values.items()}
        if set(named) != set(names):
            got = ", ".join(named) or "none"
            raise InputError(f"{argument} must have the classes {', '.join(names)}, got {got}.")
        return [named[name] for name in names]
    if np.ndim(values) != 1 or len(values) != len(names):
        raise InputError(f"{argument} must contain one number per class ({', '.join(names)}), got {values!r}.")
    return list(values)


def allocation(
    ratio: Shares | None, names: tuple[str, ...], default: Sequence[float], sets: int = 1
) -> Allocation:
    """The allocation in the given ratio, or else in the default one."""
    shares = [float(share) for share in (default if ratio is None else _by_class(ratio, names, "ratio"))]
    if not all(0 < share < np.inf for share in shares):
        raise InputError(
            f"ratio must contain positive numbers, one per class ({', '.join(names)}), got {ratio!r}."
        )
    return Allocation(names, tuple(shares), sets)
