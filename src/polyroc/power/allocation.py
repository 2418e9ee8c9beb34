"""How a number of cases is shared out among the classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, TypeAlias

import numpy as np

from polyroc.errors import InputError

__all__ = ["Allocation", "Sizes", "is_whole"]

Sizes: TypeAlias = tuple[int, ...]
Shares: TypeAlias = Sequence[float] | Mapping[str, float]

ROUNDING = 1e-12  # of a ratio such as 0.1 + 0.2 : 0.3
FEWEST = 2  # cases of a class without which it has no variance
FEWEST_BY_FORMULA = 10  # cases of a class below which nothing is normal, as in Obuchowski's table (2004)


@dataclass(frozen=True, slots=True)
class Allocation:
    """The classes, the ratio of their sizes, and how many sets of cases there are.

    Cases are added one at a time, each to the class that is furthest below its share (Sainte-Lague's method), so
    that more cases never mean fewer of any class. The sizes have the ratio up to rounding whatever the number of
    cases; a minimum for each class raises all classes in proportion.

    Attributes
    ----------
    names, ratio
        The classes, and how many cases of each there are for one of another.
    sets
        2 if two classifiers are judged on different cases, each set with the same class sizes; else 1.
    at_least
        Cases of every class in the smallest set.

    >>> shared = Allocation(("negative", "positive"), (1.0, 2.0), at_least=10)
    >>> shared.sizes(90), shared.fewest
    ((30, 60), 30)
    """

    names: tuple[str, ...]
    ratio: tuple[float, ...]
    sets: int = 1
    at_least: int = FEWEST

    @property
    def fewest(self) -> int:
        """The fewest cases there can be in a set: `at_least` of the smallest class, the others in proportion.

        A class whose share of the cases is k or more gets k or more by Sainte-Lague's method.
        """
        return ceil(self.at_least * sum(self.ratio) / min(self.ratio) * (1.0 - ROUNDING))

    def by_formula(self) -> "Allocation":
        """The same with classes large enough for a formula that takes estimates to be normal."""
        return replace(self, at_least=FEWEST_BY_FORMULA)

    def sizes(self, cases: int) -> Sizes:
        """Class sizes of a set of so many cases."""
        ratio = np.array(self.ratio)
        # The loop below would pass through these sizes: they add up to `cases` at most, and stop short of ties.
        known = (cases - 0.5 * len(ratio)) * ratio / ratio.sum()
        sizes = np.maximum(0, np.ceil(known * (1.0 - ROUNDING) - 0.5).astype(np.int64))
        for _ in range(cases - int(sizes.sum())):
            sizes[np.argmax(ratio / (2 * sizes + 1))] += 1
        return tuple(sizes.tolist())

    def given(self, n: Any) -> Sizes:
        """Class sizes from what the user gave: the number of all cases, or the size of each class."""
        if isinstance(n, Mapping) or np.ndim(n) == 1:
            sizes = in_order(n, self.names, "n")
            if not all(is_whole(size) and size >= FEWEST for size in sizes):
                raise InputError(f"n must hold whole numbers, {FEWEST} or more for each class, got {n!r}.")
            return tuple(int(size) for size in sizes)
        fewest = self.sets * self.fewest
        if not is_whole(n) or n < fewest or n % self.sets:
            shared = ", an even one for two sets of cases" if self.sets == 2 else ""
            ratio = ":".join(f"{share:g}" for share in self.ratio)
            raise InputError(
                f"n must be a whole number of cases, {fewest} or more in the ratio {ratio}{shared}, or the size "
                f"of each class ({', '.join(self.names)}), got {n!r}."
            )
        return self.sizes(int(n) // self.sets)


def is_whole(value: object) -> bool:
    """True for a whole number, which True is not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


def in_order(given: Any, names: tuple[str, ...], what: str) -> list[Any]:
    """One thing per class, in the order of the classes, from a sequence or from a mapping by class."""
    if isinstance(given, Mapping):
        named = {str(name): each for name, each in given.items()}
        if set(named) != set(names):
            raise InputError(f"{what} must name the classes {', '.join(names)}, got {', '.join(named) or 'none'}.")
        return [named[name] for name in names]
    if np.ndim(given) != 1 or len(given) != len(names):
        raise InputError(f"{what} must hold one number per class ({', '.join(names)}), got {given!r}.")
    return list(given)


def allocation(ratio: Shares | None, names: tuple[str, ...], usual: Sequence[float], sets: int = 1) -> Allocation:
    """The allocation in the ratio given, or else in the usual one."""
    shares = [float(share) for share in (usual if ratio is None else in_order(ratio, names, "ratio"))]
    if not all(0 < share < np.inf for share in shares):
        raise InputError(f"ratio must hold positive numbers, one per class ({', '.join(names)}), got {ratio!r}.")
    return Allocation(names, tuple(shares), sets)
