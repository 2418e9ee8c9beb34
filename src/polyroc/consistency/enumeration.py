"""Comparison of measures over all ranked lists of cases whose classes are known, with ties or without."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from polyroc._results.codec import Once
from polyroc._results.provenance import Provenance
from polyroc.consistency.bulk import goodness, levels, require_applicable, undefined_is_nan
from polyroc.consistency.result import Counts, Joint, MeasureComparison
from polyroc.errors import InputError, UndefinedMeasureWarning, warn
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.ranked_lists import concordant
from polyroc.measures.measure import Measure
from polyroc.measures.outputs import ClassifierOutputs
from polyroc.messages import Call, Option, short_repr
from polyroc.progress import Progress, track
from polyroc.validation.random import is_whole
from polyroc.validation.signatures import LARGEST, is_sequence

__all__ = [
    "MAX_LISTS",
    "checked_cuts",
    "checked_sizes",
    "count_lists",
    "count_pairs",
    "enumerate_lists",
    "joint_of",
    "ranked_lists",
    "tied_lists",
]


def count_lists(sizes: Sequence[int], ties: bool) -> int:
    """The number of ranked lists.

    Without ties, the arrangements of the classes (a multinomial coefficient); with ties, the ways to fill one
    block of equal scores after the other, none of them empty.

    >>> count_lists((8, 8), ties=False), count_lists((2, 2), ties=True), count_lists((2, 2, 2), ties=False)
    (12870, 26, 90)
    """
    if ties:
        return _count_tied(tuple(sorted(sizes)))
    total, number = 0, 1
    for size in sizes:
        total += size
        number *= comb(total, size)
    return number


@cache
def _count_tied(sizes: tuple[int, ...]) -> int:
    """Lists with ties, by what the first block leaves; sizes are sorted, as permutations have the same count."""
    if not any(sizes):
        return 1
    remainders = product(*(range(size + 1) for size in sizes))
    return sum(_count_tied(tuple(sorted(rest))) for rest in remainders if rest != sizes)


def ranked_lists(sizes: Sequence[int]) -> FloatArray:
    """Every list without ties: the ranks of the cases at [list, case], cases grouped by class.

    >>> ranked_lists((1, 2)).tolist()
    [[2.0, 0.0, 1.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]]
    """
    classes = np.zeros((1, sizes[0]), dtype=np.int8)  # at [list, place], from the lowest score
    for k, size in enumerate(sizes[1:], 1):
        # insert the cases of class k at all choices of places into all lists of the classes before it
        length = classes.shape[1] + size
        choices = np.array(list(combinations(range(length), size)), dtype=np.int64).reshape(-1, size)
        chosen = np.zeros((len(choices), length), dtype=bool)
        chosen[np.arange(len(choices))[:, None], choices] = True
        longer = np.full((len(choices), len(classes), length), k, dtype=np.int8)
        for mask, rows in zip(chosen, longer, strict=True):
            rows[:, ~mask] = classes
        classes = longer.reshape(-1, length)
    # a stable sort by class gives the places of the cases of class 0, then of class 1 and so on
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


def _blocks(sizes: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Every way to distribute the cases over blocks of equal scores, from the lowest to the highest."""
    if not any(sizes):
        yield []
        return
    for block in product(*(range(size + 1) for size in sizes)):
        if any(block):
            for rest in _blocks(tuple(a - b for a, b in zip(sizes, block, strict=True))):
                yield [block, *rest]


def checked_sizes(sizes: Any, name: str = "sizes") -> tuple[int, ...]:
    """Class sizes as a tuple: two classes or more, with one case or more of each."""
    numbers = tuple(sizes) if is_sequence(sizes) else ()
    if len(numbers) < 2 or not all(is_whole(n, 1) and n <= LARGEST for n in numbers):
        raise InputError(
            f"{name} must be the cases of each class, two classes or more and one case or more of each, such as "
            f"(20, 20), got {short_repr(sizes)}."
        )
    return tuple(int(n) for n in numbers)


def checked_cuts(cut: object, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """How many cases are called each class, from the lowest scores to the highest.

    None: as many as the class has. A number, for two classes: how many at the top are called positive.
    """
    if cut is None:
        return sizes
    n = sum(sizes)
    if len(sizes) == 2 and isinstance(cut, int | np.integer) and not isinstance(cut, bool) and 0 <= cut <= n:
        return n - int(cut), int(cut)
    numbers = tuple(cut) if isinstance(cut, Iterable) else ()
    whole = all(isinstance(m, int | np.integer) and m >= 0 for m in numbers)
    if len(numbers) == len(sizes) and whole and sum(numbers) == n:
        return tuple(int(m) for m in numbers)
    expected = f"a number from 0 to {n} (of cases called positive)" if len(sizes) == 2 else f"{len(sizes)} numbers"
    raise InputError(f"cut must be {expected}, or how many of the {n} cases are called each class, got {cut!r}.")


MAX_LISTS = 200_000  # 10 positives and 10 negatives, or 5 and 5 with ties: seconds to a minute for a measure


def enumerate_lists(
    measures: Sequence[Measure],
    sizes: tuple[int, ...],
    cuts: tuple[int, ...],
    *,
    ties: bool,
    max_lists: int = MAX_LISTS,
    progress: Progress | None = None,
) -> list[MeasureComparison]:
    """Compare every two of the measures over all pairs of ranked lists."""
    _check_number(sizes, ties, max_lists)
    outputs = ClassifierOutputs(tied_lists(sizes) if ties else ranked_lists(sizes), sizes, cuts)
    require_applicable(measures, outputs)
    tracked = track(measures, progress, lambda measure: f"{measure.key} of {len(outputs)} lists")
    with undefined_is_nan():
        values = [goodness(measure, outputs) for measure in tracked]
    return [
        _comparison((measures[i], measures[j]), values[i], values[j], outputs, ties)
        for i, j in combinations(range(len(measures)), 2)
    ]


def _check_number(sizes: tuple[int, ...], ties: bool, max_lists: int) -> None:
    """Raise an error if there are more lists than `max_lists`."""
    if not is_whole(max_lists, 1):
        raise InputError(f"max_lists must be a whole number of lists, 1 or more, got {max_lists!r}.")
    lists = count_lists(sizes, ties=False)
    if ties and lists <= max_lists:  # counting those with ties takes long where there are very many
        lists = count_lists(sizes, ties=True)
    if lists > max_lists:
        more = " or more" if ties else ""
        raise InputError(
            f"There are {lists}{more} ranked lists of {' + '.join(map(str, sizes))} cases, and up to {max_lists} "
            "are enumerated. Sample them with ",
            Option("model", Call("RankedLists", sizes)),
            ", or take fewer cases.",
        )


def _comparison(
    pair: tuple[Measure, Measure], f: FloatArray, g: FloatArray, outputs: ClassifierOutputs, ties: bool
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
    # `goodness` has turned the sign of measures of which less is better; the joint distribution has their values
    signs = [1.0 if measure.larger_is_better else -1.0 for measure in pair]
    scores = outputs.scores(0)
    return MeasureComparison(
        first=str(pair[0]),
        second=str(pair[1]),
        counts=counts,
        undecided=undecided,
        exact=True,
        model=f"all ranked lists{', ties included' if ties else ''}; {_decision_text(outputs)}",
        provenance=Provenance(scores.cases, f"enumeration of {len(f)} lists"),
        _joint=Once(partial(joint_of, signs[0] * f, signs[1] * g)),
    )


def _decision_text(outputs: ClassifierOutputs) -> str:
    """How cases of a ranked list are assigned to classes, in words."""
    cuts = outputs.cuts or ()
    if len(cuts) == 2:
        return f"the top {cuts[1]} of {sum(cuts)} called positive"
    return f"{', '.join(map(str, cuts))} called each class, from the lowest"


def count_pairs(f: FloatArray, g: FloatArray) -> tuple[Counts, int]:
    """Pairs of lists by how two measures order them, and the pairs that are equal for both, in O(n log n).

    >>> count_pairs(np.array([1.0, 2.0, 3.0, 3.0]), np.array([1.0, 1.0, 2.0, 0.0]))
    (Counts(agree=2, disagree=2, only_first=1, only_second=1), 0)
    """
    first_ranks, second_ranks = levels(f), levels(g)
    cells, count = _distinct_pairs(first_ranks, second_ranks)
    first_ranks, second_ranks = first_ranks[cells], second_ranks[cells]
    agree = concordant(first_ranks, second_ranks, count)
    tied_f = _pairs_within(np.bincount(first_ranks, count))
    tied_g = _pairs_within(np.bincount(second_ranks, count))
    tied_both = _pairs_within(count)
    disagree = comb(len(f), 2) - agree - tied_f - tied_g + tied_both  # inclusion-exclusion
    return Counts(agree, disagree, tied_g - tied_both, tied_f - tied_both), tied_both


def _distinct_pairs(first_ranks: IntArray, second_ranks: IntArray) -> tuple[IntArray, IntArray]:
    """Where each distinct pair of ranks occurs first, ordered by the first rank, and how often it occurs."""
    codes = first_ranks * (int(second_ranks.max(initial=0)) + 1) + second_ranks
    _, places, count = np.unique(codes, return_index=True, return_counts=True)
    return places, count


def _pairs_within(count: FloatArray | IntArray) -> int:
    """Pairs of items that fall together, from how many do; counts below 2^53 are exact as floats too."""
    integers = np.asarray(count).astype(np.int64)
    return int((integers * (integers - 1) // 2).sum())


def joint_of(f: FloatArray, g: FloatArray) -> Joint:
    """The joint distribution of two measures; values that differ by rounding only are equal."""
    places, count = _distinct_pairs(levels(f), levels(g))
    return Joint(f[places], g[places], tuple(count.tolist()))
