"""Any measures of ranked lists, exactly: every list is made and judged."""

from collections.abc import Sequence
from functools import cache, partial
from itertools import combinations
from math import comb

import numpy as np

from polyroc.contrasts.judging import goodness, levels, require_fitness, undefined_is_nan
from polyroc.contrasts.lists import how_many, ranked_lists, tied_lists
from polyroc.contrasts.outputs import Outputs
from polyroc.errors import InputError, UndefinedMeasureWarning, warn
from polyroc.inference.evaluating import Progress
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.lists import concordant
from polyroc.measures import Measure
from polyroc.results.contrast import Contrast, Counts, Joint
from polyroc.results.provenance import Provenance

__all__ = ["MOST_LISTS", "count_pairs", "enumerate_lists", "joint_of"]

MOST_LISTS = 200_000  # 10 positives and 10 negatives, or 5 and 5 with ties; some seconds to a minute a measure


def enumerate_lists(
    measures: Sequence[Measure],
    sizes: tuple[int, ...],
    cuts: tuple[int, ...],
    *,
    ties: bool,
    most: int = MOST_LISTS,
    progress: Progress | None = None,
) -> list[Contrast]:
    """Every pair of the measures, over all pairs of ranked lists."""
    _refuse_many(sizes, ties, most)
    outputs = Outputs(tied_lists(sizes) if ties else ranked_lists(sizes), sizes, cuts)
    require_fitness(measures, outputs)
    values = []
    with undefined_is_nan():
        for done, measure in enumerate(measures):
            if progress is not None:
                progress(done, len(measures), f"{measure.key} of {len(outputs)} lists")
            values.append(goodness(measure, outputs))
    return [
        _contrast((measures[i], measures[j]), values[i], values[j], outputs, ties)
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
            f"gone through; draw some instead: contrast(..., world=RankedLists({sizes})), or take fewer cases."
        )


def _contrast(
    pair: tuple[Measure, Measure], f: FloatArray, g: FloatArray, outputs: Outputs, ties: bool
) -> Contrast:
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
    return Contrast(
        first=str(pair[0]),
        second=str(pair[1]),
        counts=counts,
        undecided=undecided,
        exact=True,
        world=f"all ranked lists{', ties included' if ties else ''}; {_told(outputs)}",
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
