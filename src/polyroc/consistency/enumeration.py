"""All ranked lists of cases whose classes are known, with ties or without."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from polyroc.consistency.bulk import goodness, levels, require_fitness, undefined_is_nan
from polyroc.consistency.result import Counts, Joint, MeasureComparison
from polyroc.errors import InputError, UndefinedMeasureWarning, warn
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.ranked_lists import concordant
from polyroc.measures.measure import Measure
from polyroc.measures.outputs import Outputs
from polyroc.messages import Call, Option
from polyroc.progress import Progress, track
from polyroc.results.provenance import Provenance

__all__ = [
    "MOST_LISTS",
    "checked_cuts",
    "checked_sizes",
    "count_pairs",
    "enumerate_lists",
    "how_many",
    "joint_of",
    "ranked_lists",
    "tied_lists",
]


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


MOST_LISTS = 200_000  # 10 positives and 10 negatives, or 5 and 5 with ties; some seconds to a minute a measure


def enumerate_lists(
    measures: Sequence[Measure],
    sizes: tuple[int, ...],
    cuts: tuple[int, ...],
    *,
    ties: bool,
    most: int = MOST_LISTS,
    progress: Progress | None = None,
) -> list[MeasureComparison]:
    """Every pair of the measures, over all pairs of ranked lists."""
    _refuse_many(sizes, ties, most)
    outputs = Outputs(tied_lists(sizes) if ties else ranked_lists(sizes), sizes, cuts)
    require_fitness(measures, outputs)
    tracked = track(measures, progress, lambda measure: f"{measure.key} of {len(outputs)} lists")
    with undefined_is_nan():
        values = [goodness(measure, outputs) for measure in tracked]
    return [
        _comparison((measures[i], measures[j]), values[i], values[j], outputs, ties)
        for i, j in combinations(range(len(measures)), 2)
    ]


def _refuse_many(sizes: tuple[int, ...], ties: bool, most: int) -> None:
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
        raise InputError(f"most must be a whole number of lists, 1 or more, got {most!r}.")
    lists = how_many(sizes, ties=False)
    if ties and lists <= most:
        lists = how_many(sizes, ties=True)
    if lists > most:
        more = " or more" if ties else ""
        raise InputError(
            f"There are {lists}{more} ranked lists of {' + '.join(map(str, sizes))} cases, and up to {most} are "
            "enumerated. Sample them with ",
            Option("model", Call("RankedLists", sizes)),
            ", or take fewer cases.",
        )


def _comparison(
    pair: tuple[Measure, Measure], f: FloatArray, g: FloatArray, outputs: Outputs, ties: bool
) -> MeasureComparison:
    defined = ~(np.isnan(f) | np.isnan(g))
    if not defined.all():
        warn(
            f"{pair[0]} or {pair[1]} is undefined for {np.count_nonzero(~defined)} of {len(f)} lists, "
            "which are left out; change the cut.",
            UndefinedMeasureWarning,
        )
    f, g = f[defined], g[defined]
    counts, undecided = count_pairs(f, g)
    signs = [1.0 if each.larger_is_better else -1.0 for each in pair]
    scores = outputs.scores(0)
    return MeasureComparison(
        first=str(pair[0]),
        second=str(pair[1]),
        counts=counts,
        undecided=undecided,
        exact=True,
        model=f"all ranked lists{', ties included' if ties else ''}; {_told(outputs)}",
        provenance=Provenance(scores.cases, f"enumeration of {len(f)} lists"),
        _joint=cache(partial(joint_of, signs[0] * f, signs[1] * g)),
    )


def _told(outputs: Outputs) -> str:
    """Where decisions come from, in words."""
    cuts = outputs.cuts or ()
    if len(cuts) == 2:
        return f"the top {cuts[1]} of {sum(cuts)} called positive"
    return f"{', '.join(map(str, cuts))} called each class, from the lowest"


def count_pairs(f: FloatArray, g: FloatArray) -> tuple[Counts, int]:
    """Pairs of lists by what two measures say of them, and how many are equal for both; O(n log n).

    >>> count_pairs(np.array([1.0, 2.0, 3.0, 3.0]), np.array([1.0, 1.0, 2.0, 0.0]))
    (Counts(agree=2, disagree=2, only_first=1, only_second=1), 0)
    """
    one, two = levels(f), levels(g)
    cells, count = _cells(one, two)
    one, two = one[cells], two[cells]
    agree = concordant(one, two, count)
    level_f, level_g = _pairs_inside(np.bincount(one, count)), _pairs_inside(np.bincount(two, count))
    both = _pairs_inside(count)
    disagree = comb(len(f), 2) - agree - level_f - level_g + both
    return Counts(agree, disagree, level_g - both, level_f - both), both


def _cells(one: IntArray, two: IntArray) -> tuple[IntArray, IntArray]:
    """Where each pair of ranks occurs first, the first rank ascending, and how often it does."""
    cells = one * (int(two.max(initial=0)) + 1) + two
    _, first, count = np.unique(cells, return_index=True, return_counts=True)
    return first, count


def _pairs_inside(count: FloatArray | IntArray) -> int:
    """Pairs of items in the same cell; counts below 2^53 are exact as floats too."""
    whole = np.asarray(count).astype(np.int64)
    return int((whole * (whole - 1) // 2).sum())


def joint_of(f: FloatArray, g: FloatArray) -> Joint:
    """How many outputs have each pair of values, equal but for rounding being equal."""
    first, count = _cells(levels(f), levels(g))
    return Joint(f[first], g[first], tuple(count.tolist()))
