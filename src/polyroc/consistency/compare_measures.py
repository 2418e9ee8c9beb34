"""The verb `compare_measures`: measure against measure."""

from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from polyroc.consistency.bulk import fitting
from polyroc.consistency.enumeration import MOST_LISTS, checked_cuts, checked_sizes, enumerate_lists
from polyroc.consistency.exact import asymptotics, count_pairs, joint_table
from polyroc.consistency.models import SimulationModel
from polyroc.consistency.result import MeasureComparison, MeasureComparisons
from polyroc.consistency.sampled_pairs import example_of, sample_pairs
from polyroc.errors import InputError
from polyroc.measures.measure import Measure
from polyroc.measures.outputs import Outputs
from polyroc.measures.registry import measure as find
from polyroc.progress import ProgressOption, progress_callback
from polyroc.results.provenance import Provenance
from polyroc.validation.random import Draws, Rng

__all__ = ["compare_measures"]

Asked = str | Measure


class _Options(TypedDict, total=False):
    """The options of `compare_measures`, for the type checker."""

    positives: int | None
    negatives: int | None
    sizes: Sequence[int] | None
    cut: int | Sequence[int] | None
    ties: bool
    model: SimulationModel | None
    pairs: int
    rng: int | np.random.Generator | None
    n_jobs: int | None
    most: int
    progress: ProgressOption


@overload
def compare_measures(first: Asked, second: Asked, **options: Unpack[_Options]) -> MeasureComparison: ...
@overload
def compare_measures(
    first: list[str] | list[Measure] | tuple[Asked, ...] | None = ...,
    second: None = ...,
    **options: Unpack[_Options],
) -> MeasureComparisons: ...


def compare_measures(
    first: Asked | Sequence[Asked] | None = None,
    second: Asked | None = None,
    *,
    positives: int | None = None,
    negatives: int | None = None,
    sizes: Sequence[int] | None = None,
    cut: int | Sequence[int] | None = None,
    ties: bool = False,
    model: SimulationModel | None = None,
    pairs: int = 10_000,
    rng: Rng = 0,
    n_jobs: int | None = None,
    most: int = MOST_LISTS,
    progress: ProgressOption = None,
) -> MeasureComparison | MeasureComparisons:
    """One measure against another: how often they agree (C), and which tells more outputs apart (D).

    Over pairs of outputs of classifiers, C is the share on which two measures agree among the pairs that both tell
    apart, and D the number of pairs that only the first tells apart for one that only the second does (Ling, Huang
    & Zhang 2003). What counts as "better" is a larger value, or a smaller one for a cost.

    Three ways, by what is given:

    - `positives` and `negatives` (or `sizes`): all ranked lists of so many cases. An area (auc, gini) against a
      measure of decisions at a cut (accuracy, macro_average, pairwise_accuracy, sensitivity, specificity) is
      counted exactly in polynomial time, for hundreds of cases. Any other measures of a ranked list, or several,
      or with ties, are counted by going through the lists, of which there may be `most`.
    - `model`: independent pairs of outputs drawn from it, for any measures and any number of classes; C and D have
      confidence intervals.

    Parameters
    ----------
    first, second
        Two measures, such as "auc" and "accuracy"; or a list of measures, each against each other; or nothing, for
        all measures that apply.
    positives, negatives
        How many cases of two classes.
    sizes
        For more classes: how many of each, in order; the measures are then ordered ones, or of decisions.
    cut
        How many cases at the top of a list are called positive: as many as there are positives by default (the
        middle if there are as many negatives, as in the paper). For more classes, how many are called each class,
        from the lowest scores. Among ties the places are shared.
    ties
        True: lists with equal scores count too, each once.
    model
        `RankedLists`, `GaussianModel`, `DirichletModel`, `ResampledModel`, or anything with `sizes` and `draw`.
    pairs, rng, n_jobs
        How many pairs are drawn from the model; a seed, a generator or None; threads (None: all cores), on which
        the answer does not depend.
    most
        How many lists are gone through at most.
    progress
        As in `evaluate`: True for a progress bar, or a function called with (done, total, message).

    Returns
    -------
    MeasureComparison or MeasureComparisons
        A `MeasureComparison` of two measures, `MeasureComparisons` of a list.

    Examples
    --------
    The last row of the paper's tables 5 and 6, which took 165 million comparisons of pairs:

    >>> found = compare_measures("auc", "accuracy", positives=8, negatives=8)
    >>> found
    MeasureComparison(auc against accuracy: C = 0.9347, D = 18.8750; exact)
    >>> found.counts
    Counts(agree=55370122, disagree=3868959, only_first=21161143, only_second=1121120)


    Any measures of a ranked list, by going through all of them:

    >>> found = compare_measures(["auc", "partial_auc", "accuracy"], positives=4, negatives=4)
    >>> found["auc", "partial_auc"].counts.disagree
    200

    More classes, and probabilities, by drawing pairs from a model:

    >>> from polyroc.consistency import GaussianModel
    >>> found = compare_measures(["hand_till", "accuracy", "he"], model=GaussianModel((9, 9, 9)), pairs=500, rng=1)
    >>> found["he", "accuracy"].consistency_interval()
    ConfidenceInterval(low=..., high=...)
    """
    told = {"positives": positives, "negatives": negatives, "sizes": sizes, "cut": cut, "ties": ties or None}
    if model is not None:
        _refuse_both(told)
        measures = _measures(first, second, example_of(model))
        draws = Draws.of(pairs, rng, n_jobs, "pairs")
        with progress_callback(progress) as report:
            found = sample_pairs(measures, model, draws, report)
    else:
        counts = _sizes(positives, negatives, sizes)
        cuts = checked_cuts(cut, counts)
        measures = _measures(first, second, Outputs(np.zeros((1, sum(counts))), counts, cuts))
        exact = _area_and_cut(measures) if len(counts) == 2 and not ties else None
        if exact is not None:
            comparison = _exact(*exact, counts, cuts)
            found = [comparison if measures[0] is exact[0] else comparison.reversed()]
        else:
            with progress_callback(progress) as report:
                found = enumerate_lists(measures, counts, cuts, ties=ties, most=most, progress=report)
    if isinstance(first, str | Measure):
        return found[0]
    return MeasureComparisons(tuple(map(str, measures)), {(each.first, each.second): each for each in found})


def _measures(first: Any, second: Any, example: Outputs) -> list[Measure]:
    """Those asked for, or all that apply."""
    if first is None and second is None:
        return fitting(example)
    alone = isinstance(first, str | Measure)
    if (second is None) == alone or not (alone or isinstance(first, Iterable)):
        raise InputError(
            "compare_measures needs two measures, or one list of two or more, such as "
            "compare_measures('auc', 'accuracy', ...)."
        )
    measures = [find(each) for each in ([first, second] if alone else first)]
    names = [str(each) for each in measures]
    if len(measures) < 2 or len(set(names)) < len(names):
        raise InputError(
            f"compare_measures needs two or more different measures, got {', '.join(names) or 'none'}."
        )
    return measures


def _refuse_both(told: dict[str, Any]) -> None:
    given = [name for name, value in told.items() if value is not None]
    if given:
        raise InputError(
            f"The model says how many cases there are; leave out {', '.join(given)}, or leave out model."
        )


def _sizes(positives: Any, negatives: Any, sizes: Any) -> tuple[int, ...]:
    if sizes is not None and positives is None and negatives is None:
        return checked_sizes(sizes)
    if sizes is not None or positives is None or negatives is None:
        raise InputError("Give positives and negatives, or sizes of several classes, or a model to draw from.")
    return checked_sizes((negatives, positives), "(negatives, positives)")


def _area_and_cut(measures: Sequence[Measure]) -> tuple[Measure, Measure] | None:
    """Of two measures, the one that rises with the area and the one that rises with the decisions at the cut."""
    if len(measures) != 2 or not all(measure.larger_is_better for measure in measures):
        return None
    area = [measure for measure in measures if measure.area_line is not None]
    decided = [
        measure
        for measure in measures
        if measure.rates is not None and measure.rates.increasing and measure.settings.get("threshold") is None
    ]
    return (area[0], decided[0]) if area and decided else None


def _exact(area: Measure, decided: Measure, sizes: tuple[int, ...], cuts: tuple[int, ...]) -> MeasureComparison:
    (negatives, positives), (_, cut) = sizes, cuts
    counts, undecided = count_pairs(positives, negatives, cut)
    return MeasureComparison(
        first=str(area),
        second=str(decided),
        counts=counts,
        undecided=undecided,
        exact=True,
        model=f"all ranked lists; the top {cut} of {sum(sizes)} called positive",
        provenance=Provenance({"0": negatives, "1": positives}, "Gaussian binomials"),
        asymptotics=asymptotics(positives, negatives, cut),
        _joint=cache(partial(joint_table, area, decided, positives, negatives, cut)),
    )
