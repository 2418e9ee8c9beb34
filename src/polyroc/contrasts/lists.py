"""All ranked lists of cases whose classes are known, with ties or without."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray

__all__ = ["checked_cuts", "checked_sizes", "how_many", "ranked_lists", "tied_lists"]


def how_many(sizes: Sequence[int], ties: bool) -> int:
    """How many lists there are.

    Without ties, the arrangements of the classes; with ties, the ways to fill one block of equal scores after the
    other, none of them empty.

    >>> how_many((8, 8), ties=False), how_many((2, 2), ties=True), how_many((2, 2, 2), ties=False)
    (12870, 26, 90)
    """
    if ties:
        return _ways(tuple(sorted(sizes)))
    total, ways = 0, 1
    for size in sizes:
        total += size
        ways *= comb(total, size)
    return ways


@cache
def _ways(left: tuple[int, ...]) -> int:
    if not any(left):
        return 1
    rest = product(*(range(size + 1) for size in left))
    return sum(_ways(tuple(sorted(each))) for each in rest if each != left)


def ranked_lists(sizes: Sequence[int]) -> FloatArray:
    """Every list without ties: the ranks of the cases at [list, case], cases grouped by class.

    >>> ranked_lists((1, 2)).tolist()
    [[2.0, 0.0, 1.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]]
    """
    classes = np.zeros((1, sizes[0]), dtype=np.int8)
    for k, size in enumerate(sizes[1:], 1):
        length = classes.shape[1] + size
        picks = np.array(list(combinations(range(length), size)), dtype=np.int64).reshape(-1, size)
        own = np.zeros((len(picks), length), dtype=bool)
        own[np.arange(len(picks))[:, None], picks] = True
        longer = np.full((len(picks), len(classes), length), k, dtype=np.int8)
        for mask, rows in zip(own, longer, strict=True):
            rows[:, ~mask] = classes
        classes = longer.reshape(-1, length)
    return np.argsort(classes, axis=1, kind="stable").astype(np.float64)


def tied_lists(sizes: Sequence[int]) -> FloatArray:
    """Every list with or without ties, each once: equal ranks for equal scores.

    >>> tied_lists((1, 1)).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    lists = [
        np.concatenate([np.repeat(np.arange(len(blocks)), counts) for counts in zip(*blocks, strict=True)])
        for blocks in _blocks(tuple(sizes))
    ]
    return np.array(lists, dtype=np.float64)


def _blocks(left: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Every way to share out the cases left in blocks from the lowest to the highest."""
    if not any(left):
        yield []
        return
    for block in product(*(range(size + 1) for size in left)):
        if any(block):
            for rest in _blocks(tuple(a - b for a, b in zip(left, block, strict=True))):
                yield [block, *rest]


def checked_sizes(sizes: Any, what: str = "sizes") -> tuple[int, ...]:
    """Class sizes as a tuple; a complaint if there are less than two, or one is not a whole number from 1."""
    found = tuple(sizes) if isinstance(sizes, Iterable) else ()
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) and n >= 1 for n in found)
    if len(found) < 2 or not whole:
        raise InputError(
            f"{what} must be the cases of each class, two classes or more and one case or more of each, such as "
            f"(20, 20), got {sizes!r}."
        )
    return tuple(int(n) for n in found)


def checked_cuts(cut: object, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """How many cases are called each class, from the lowest scores up.

    None: as many as there are. A number, for two classes: so many at the top are called positive.
    """
    if cut is None:
        return sizes
    n = sum(sizes)
    if len(sizes) == 2 and isinstance(cut, int | np.integer) and not isinstance(cut, bool) and 0 <= cut <= n:
        return n - int(cut), int(cut)
    given = tuple(cut) if isinstance(cut, Iterable) else ()
    whole = all(isinstance(m, int | np.integer) and m >= 0 for m in given)
    if len(given) == len(sizes) and whole and sum(given) == n:
        return tuple(int(m) for m in given)
    expected = f"a number from 0 to {n} (of cases called positive)" if len(sizes) == 2 else f"{len(sizes)} numbers"
    raise InputError(f"cut must be {expected}, or how many of the {n} cases are called each class, got {cut!r}.")
