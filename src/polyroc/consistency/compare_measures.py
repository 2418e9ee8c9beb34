"""The verb `compare_measures`: consistency and discriminancy of measures."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from polyroc._results.codec import Once
from polyroc._results.provenance import Provenance
from polyroc.consistency.bulk import applicable_measures
from polyroc.consistency.enumeration import MAX_LISTS, checked_cuts, checked_sizes, enumerate_lists
from polyroc.consistency.exact import asymptotics, count_pairs, joint_table
from polyroc.consistency.models import SimulationModel
from polyroc.consistency.result import MeasureComparison, MeasureComparisons
from polyroc.consistency.sampled_pairs import example_of, sample_pairs
from polyroc.errors import InputError
from polyroc.measures.measure import Measure
from polyroc.measures.outputs import ClassifierOutputs
from polyroc.measures.registry import measure as find
from polyroc.progress import ProgressOption, progress_callback
from polyroc.validation.random import Draws, NJobs, Rng
from polyroc.validation.signatures import Count, PositiveInt, validated

__all__ = ["compare_measures"]

AnyMeasure = str | Measure


class _Options(TypedDict, total=False):
    """The options of `compare_measures`, for the type checker."""

    positives: int | None
    negatives: int | None
    sizes: Sequence[int] | None
    cut: int | Sequence[int] | None
    ties: bool
    model: SimulationModel | None
    pairs: int
    rng: Rng
    n_jobs: NJobs
    max_lists: int
    progress: ProgressOption


@overload
def compare_measures(first: AnyMeasure, second: AnyMeasure, **options: Unpack[_Options]) -> MeasureComparison: ...
@overload
def compare_measures(
    first: list[str] | list[Measure] | tuple[AnyMeasure, ...] | None = ...,
    second: None = ...,
    **options: Unpack[_Options],
) -> MeasureComparisons: ...


@validated
def compare_measures(
    first: AnyMeasure | Sequence[AnyMeasure] | None = None,
    second: AnyMeasure | None = None,
    *,
    positives: int | None = None,
    negatives: int | None = None,
    sizes: Sequence[int] | None = None,
    cut: int | Sequence[int] | None = None,
    ties: bool = False,
    model: SimulationModel | None = None,
    pairs: Count = 10_000,
    rng: Rng = 0,
    n_jobs: NJobs = None,
    max_lists: PositiveInt = MAX_LISTS,
    progress: ProgressOption = None,
) -> MeasureComparison | MeasureComparisons:
    """Compare two measures by their degrees of consistency (C) and discriminancy (D).

    For measures f and g and pairs (a, b) of outputs of classifiers, with f(a) > f(b) meaning that a is the better
    one by f (Ling, Huang & Zhang 2003, definitions 3 and 4):

    - C is the share of pairs ordered alike, f(a) > f(b) and g(a) > g(b), among those that both measures
      distinguish;
    - D is the number of pairs that only f distinguishes, f(a) > f(b) and g(a) = g(b), divided by the number that
      only g distinguishes.

    C > 1/2 and D > 1 make f "statistically consistent and more discriminating than" g (definition 5). For a
    measure of which less is better, the smaller value is the better one.

    The pairs of outputs come from

    - `positives` and `negatives` (or `sizes`): all ranked lists of so many cases. An area (auc, gini) and a
      measure of decisions at a cut (accuracy, macro_average, pairwise_accuracy, sensitivity, specificity) are
      compared exactly in polynomial time, for hundreds of cases. Other measures of a ranked list, more than
      two, or lists with ties are compared by enumeration of up to `max_lists` lists.
    - `model`: independent pairs drawn from a simulation model, for any measures and any number of classes; C and D
      have confidence intervals.

    Parameters
    ----------
    first, second
        Two measures, such as "auc" and "accuracy"; or a list of measures, which are compared pair by pair; or
        nothing, for all measures that apply.
    positives, negatives
        The numbers of cases of two classes.
    sizes
        For more classes: the number of cases of each, in order; measures are then those of ordered classes, or of
        decisions.
    cut
        How many cases at the top of a list are called positive: by default as many as there are positives (half of
        the list if classes are equal, as in the paper). For more classes, how many are called each class, from the
        lowest scores. Tied cases share the places.
    ties
        True: lists with tied scores are included, each once.
    model
        `RankedLists`, `GaussianModel`, `DirichletModel`, `ResampledModel`, or anything with `sizes` and `draw`.
    pairs, rng, n_jobs
        The number of pairs drawn from the model; a seed, a generator or None; the number of threads (None: all
        cores), on which the result does not depend.
    max_lists
        The largest number of lists that are enumerated.
    progress
        As in `evaluate`: True for a progress bar, or a function called with (done, total, message).

    Returns
    -------
    MeasureComparison or MeasureComparisons
        A `MeasureComparison` of two measures, `MeasureComparisons` of a list.

    Examples
    --------
    The last row of the paper's tables 5 and 6, which took 165 million comparisons of pairs:

    >>> comparison = compare_measures("auc", "accuracy", positives=8, negatives=8)
    >>> comparison
    MeasureComparison(auc against accuracy: C = 0.9347, D = 18.8750; exact)
    >>> comparison.counts
    Counts(agree=55370122, disagree=3868959, only_first=21161143, only_second=1121120)

    Any measures of a ranked list, by enumeration:

    >>> comparisons = compare_measures(["auc", "partial_auc", "accuracy"], positives=4, negatives=4)
    >>> comparisons["auc", "partial_auc(fpr=(0, 0.1))"].counts.disagree
    200

    More classes, and probabilities, by pairs drawn from a simulation model:

    >>> from polyroc.consistency import GaussianModel
    >>> model = GaussianModel((9, 9, 9))
    >>> comparisons = compare_measures(["hand_till", "accuracy", "he"], model=model, pairs=500, rng=1)
    >>> comparisons["he", "accuracy"].consistency_interval()
    ConfidenceInterval(low=..., high=...)

    References ---------- Ling, Huang & Zhang, AUC: a statistically consistent and more discriminating measure than
    accuracy, IJCAI (2003) 519-524.
    """
    if model is not None:
        _require_none(positives=positives, negatives=negatives, sizes=sizes, cut=cut, ties=ties or None)
        measures = _measures(first, second, example_of(model))
        draws = Draws.of(pairs, rng, n_jobs, "pairs")
        with progress_callback(progress) as report:
            comparisons = sample_pairs(measures, model, draws, report)
    else:
        counts = _sizes(positives, negatives, sizes)
        cuts = checked_cuts(cut, counts)
        measures = _measures(first, second, ClassifierOutputs(np.zeros((1, sum(counts))), counts, cuts))
        exact = _area_and_cut(measures) if len(counts) == 2 and not ties else None
        if exact is not None:
            comparison = _exact(*exact, counts, cuts)
            comparisons = [comparison if measures[0] is exact[0] else comparison.reversed()]
        else:
            with progress_callback(progress) as report:
                comparisons = enumerate_lists(
                    measures, counts, cuts, ties=ties, max_lists=max_lists, progress=report
                )
    if isinstance(first, str | Measure):
        return comparisons[0]
    by_pair = {(comparison.first, comparison.second): comparison for comparison in comparisons}
    return MeasureComparisons(tuple(map(str, measures)), by_pair)


def _measures(first: Any, second: Any, example: ClassifierOutputs) -> list[Measure]:
    """The measures of the arguments `first` and `second`, or all that apply."""
    if first is None and second is None:
        return applicable_measures(example)
    single = isinstance(first, str | Measure)
    if (second is None) == single or not (single or isinstance(first, Iterable)):
        raise InputError(
            "compare_measures needs two measures, or one list of two or more, such as "
            "compare_measures('auc', 'accuracy', ...)."
        )
    measures = [find(name) for name in ([first, second] if single else first)]
    names = [str(measure) for measure in measures]
    if len(measures) < 2 or len(set(names)) < len(names):
        raise InputError(
            f"compare_measures needs two or more different measures, got {', '.join(names) or 'none'}."
        )
    return measures


def _require_none(**options: Any) -> None:
    """Raise an error if there are options of ranked lists beside a model."""
    invalid = [name for name, value in options.items() if value is not None]
    if invalid:
        raise InputError(
            f"The model determines the number of cases; leave out {', '.join(invalid)}, or leave out model."
        )


def _sizes(positives: Any, negatives: Any, sizes: Any) -> tuple[int, ...]:
    """Class sizes, the negatives first."""
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
    """Compare an area with a measure of decisions over all ranked lists, by Gaussian binomials."""
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
        _joint=Once(partial(joint_table, area, decided, positives, negatives, cut)),
    )
