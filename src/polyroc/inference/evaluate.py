"""The verb `evaluate`: measures of classifiers, each with its standard error."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack, cast, overload

import numpy as np
import numpy.typing as npt

from polyroc.conversions import to_ordered
from polyroc.data_options import DataOptions, WholeDataOptions, cases_of
from polyroc.engines.options import EngineOptions
from polyroc.errors import InputError, NotApplicableError, SmallClassWarning, UndefinedMeasureWarning, warn
from polyroc.estimates.estimate import Estimate, warn_of_few_effective
from polyroc.estimates.evaluation import Evaluation
from polyroc.estimates.grouped import Grouped
from polyroc.estimates.multiplicity import Adjustment
from polyroc.inference.estimation import estimate_measure
from polyroc.inference.methods import DEFAULT, Method, as_estimating_method
from polyroc.inference.subgroups import group_results
from polyroc.kernels.threads import thread_limit
from polyroc.measures.applicability import inapplicable_reason, inapplicable_reasons
from polyroc.measures.measure import Measure
from polyroc.measures.registry import MEASURES
from polyroc.measures.registry import measure as find
from polyroc.measures.sample import Sample
from polyroc.messages import Option, short_repr
from polyroc.progress import Progress, ProgressOption, progress_callback
from polyroc.scores import Scores
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.random import NJobs, count_workers
from polyroc.validation.signatures import own_check, validated

if TYPE_CHECKING:
    from polyroc.engines.request import EngineResult

__all__ = ["Options", "cases_for", "evaluate", "select_measures", "warn_of_absent", "warn_of_small"]

MeasureLike = str | Measure
Null = float | Literal["chance"] | Mapping[str, float]
ONE_MEASURE = (str, Measure)  # a tuple: `isinstance` with `str | Measure` makes a union in each call


class Options(WholeDataOptions, total=False):
    """The options of `evaluate` and `compare`, for the type checker."""

    method: Method | str | None
    adjustment: Adjustment | None
    progress: ProgressOption
    n_jobs: NJobs


class _Options(Options, total=False):
    """The options of `evaluate`, for the type checker."""

    null: Null | None


@overload
def evaluate(
    data: Any,
    y_score: Any = ...,
    *,
    by: Any,
    measure: MeasureLike | Sequence[MeasureLike] | None = ...,
    **options: Unpack[_Options],
) -> Grouped: ...
@overload
def evaluate(
    data: Any,
    y_score: Mapping[Any, Any],
    *,
    measure: MeasureLike | Sequence[MeasureLike] | None = ...,
    **options: Unpack[_Options],
) -> Evaluation: ...
@overload
def evaluate(
    data: Any,
    y_score: Any = ...,
    *,
    measure: list[str] | list[Measure] | None = ...,
    **options: Unpack[_Options],
) -> Evaluation: ...
@overload
def evaluate(
    data: Any, y_score: npt.ArrayLike, *, measure: MeasureLike, **options: Unpack[_Options]
) -> Estimate: ...
@overload
def evaluate(data: Any, *, measure: MeasureLike, **options: Unpack[_Options]) -> Any: ...


@validated
def evaluate(
    data: Any,
    y_score: Any = None,
    *,
    measure: MeasureLike | Sequence[MeasureLike] | None = None,
    method: Method | str | None = DEFAULT,
    null: Annotated[Null | None, own_check] = None,
    adjustment: Adjustment | None = "max-t",
    progress: ProgressOption = None,
    n_jobs: NJobs = None,
    **data_options: Unpack[DataOptions],
) -> Estimate | Evaluation | Grouped:
    """Evaluate one or more classifiers by one, several or all measures, each with its standard error.

    Parameters
    ----------
    data
        True class of each case, or what has classes and scores: `Scores`, a data frame, files. See `polyroc.read`
        and the page on data options for everything that describes the data.
    y_score
        1-D: a score that ranks (two classes), or decisions given as labels. 2-D: one column per class, in the
        order of `labels`; a data frame's columns are matched by name. Or a dict of such by classifier.
    measure
        A key such as "hand_till", with options if need be ("partial_auc(fpr=(0, 0.2))"), a list of keys, or None
        for every measure that applies. Ordered measures of probabilities whose class order is given with `labels`
        are computed after `to_ordered`, and marked as converted.
    method
        How the standard error is made: `Influence()`, `Unbiased()`, `HanleyMcNeil()`, `Bootstrap()`,
        `Jackknife()`, or one of these by name ("influence", "unbiased", "hanley-mcneil", "bootstrap", "jackknife";
        for folds also "ledell"), or None for the value alone, which is faster. A method without a formula for a
        measure leaves it out, or raises an error if the measure was named. Parts have the errors of `Influence()`
        where a method has none for them.
    null
        Also test that the true value is this number (or "chance", or a mapping by measure): the estimates have a
        two-sided `pvalue`, the inversion of their interval; `Estimate.test` has one-sided tests too.
    adjustment
        With `by`: of the p-values of pairs of subgroups, as in `compare`.
    progress
        True for a progress bar on the standard error, or a function called with (done, total, message).
    n_jobs
        How many threads sort and merge the cases in memory, from about 200,000 numbers on; None or -1 for all
        cores, or as many as OMP_NUM_THREADS says. The answer does not depend on it.
    data_options
        Classes, weights, groups, folds, subgroups, columns of tables, files: `DataOptions`.

    Returns
    -------
    Estimate, Evaluation or Grouped
        An `Estimate` for one measure of one classifier; an `Evaluation` for several, or if `y_score` is a dict;
        with `by` a `Grouped`, which has one of these for each subgroup, and compares them (`Grouped.between`).

    Examples
    --------
    Two classes, the list of Ling, Huang & Zhang (2003) with an AUC of 24/25:

    >>> evaluate([0, 0, 0, 0, 1, 0, 1, 1, 1, 1], range(10), measure="auc")
    Estimate(auc = 0.9600, standard error 0.0566, 95 % 0.5222 to 0.9981)

    Columns of a data frame:

    >>> import polars as pl
    >>> frame = pl.DataFrame({"ill": [0, 0, 0, 1, 0, 1, 1, 1], "risk": [1, 2, 3, 4, 5, 6, 7, 8]})
    >>> evaluate(frame, truth="ill", scores="risk", measure="auc")
    Estimate(auc = 0.9375, standard error 0.0884, 95 % ... to ...)

    Three classes: every measure that applies, and why the others do not:

    >>> y = ["a", "a", "b", "b", "c", "c"]
    >>> P = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.2, 0.6, 0.2], [0.1, 0.5, 0.4], [0.1, 0.3, 0.6], [0.3, 0.3, 0.4]]
    >>> evaluation = evaluate(y, P)
    >>> round(float(evaluation["hand_till"]), 4)
    0.9583
    >>> evaluation.skipped["auc"]
    'is for 2 classes, here 3'

    Subgroups of the cases:

    >>> sex = ["f", "m"] * 12
    >>> grouped = evaluate([0, 0, 0, 1, 1, 1] * 4, range(24), measure="auc", by={"sex": sex})
    >>> grouped["f"]
    Estimate(auc = 0.6250, standard error 0.1929, 95 % ... to ...)
    >>> grouped.between().difference("f", "m").pvalue > 0.9
    True
    """
    method = as_estimating_method(method)
    with progress_callback(progress) as report, thread_limit(None if n_jobs is None else count_workers(n_jobs)):
        cases = cases_of("evaluate", data, y_score, data_options, method)
        if not isinstance(cases, Scores):
            return with_null(_evaluate_rows(cases, measure, method, adjustment, report), null, method)
        single = isinstance(measure, ONE_MEASURE) and len(cases.values) == 1 and not isinstance(y_score, Mapping)
        if data_options.get("by") is not None:
            return with_null(_evaluate_groups(cases, measure, method, adjustment, report, single), null, method)
        evaluation = _evaluate_scores(cases, measure, method, report)
    return with_null(_alone(evaluation) if single else evaluation, null, method)


def _alone(evaluation: Evaluation) -> Estimate:
    """The estimate of an evaluation of one measure of one classifier."""
    (estimate,) = evaluation.estimates.values()
    return estimate


def _evaluate_groups(
    scores: Scores,
    measure: MeasureLike | Sequence[MeasureLike] | None,
    method: Method | None,
    adjustment: Adjustment | None,
    progress: Progress | None,
    single: bool,
) -> Grouped:
    """Evaluate every subgroup by the measures that apply to all cases."""
    measures, skipped = select_measures(measure, scores, converts=True)

    def evaluate_part(part: Scores, method: Method | None) -> Estimate | Evaluation:
        evaluation = _evaluate_selected(part, measures, dict(skipped), method, progress, measure is not None)
        return _alone(evaluation) if single else evaluation

    def samples(part: Scores, chosen: Measure) -> dict[str, Sample]:
        return {classifier: Sample(cases_for(chosen, part), classifier) for classifier in part.classifiers}

    return group_results(scores, evaluate_part, samples, measures, method, adjustment)


def _evaluate_scores(
    scores: Scores,
    measure: MeasureLike | Sequence[MeasureLike] | None,
    method: Method | None,
    progress: Progress | None,
) -> Evaluation:
    """Evaluate every classifier by the measures, or by all that apply."""
    measures, skipped = select_measures(measure, scores, converts=True)
    return _evaluate_selected(scores, measures, skipped, method, progress, measure is not None)


def _evaluate_selected(
    scores: Scores,
    measures: Sequence[Measure],
    skipped: dict[str, str],
    method: Method | None,
    progress: Progress | None,
    by_name: bool,
) -> Evaluation:
    """Evaluate every classifier by these measures; `by_name` if they were named, and must apply."""
    warn_of_absent(scores, measures)
    converted = next((to_ordered(scores) for chosen in measures if _converts(chosen, scores)), scores)
    estimates: dict[tuple[str, str], Estimate] = {}
    total = len(scores.classifiers) * len(measures)
    for number, classifier in enumerate(scores.classifiers):
        sample = Sample(scores, classifier)
        ordered = sample if converted is scores else Sample(converted, classifier)
        for done, chosen in enumerate(measures):
            if progress is not None:
                progress(number * len(measures) + done, total, f"{classifier}: {chosen.key}")
            cases = {classifier: ordered if _converts(chosen, scores) else sample}
            try:
                estimates[classifier, str(chosen)] = estimate_measure(chosen, method, cases).estimates[classifier]
            except NotApplicableError as reason:  # the method has no formula for it
                if by_name:
                    raise
                skipped[chosen.key] = reason.message
    warn_of_small(scores, estimates)
    # no warning for the default range of a measure that was not named
    warn_of_few_effective(estimates.values(), named=by_name)
    return Evaluation(estimates, skipped)


def _evaluate_rows(
    cases: EngineOptions,
    measure: MeasureLike | Sequence[MeasureLike] | None,
    method: Method | None,
    adjustment: Adjustment | None,
    progress: Progress | None,
) -> Estimate | Evaluation | Grouped:
    """Evaluate the rows that an engine reads, as a whole or by groups of rows."""
    from polyroc.engines.evaluate import estimate_dataset, estimate_groups

    several = isinstance(cases.scores, Mapping)

    def result(solution: "EngineResult", skipped: dict[str, str]) -> Estimate | Evaluation:
        if isinstance(measure, ONE_MEASURE) and len(solution.estimates) == 1 and not several:
            return next(iter(solution.estimates.values()))
        return Evaluation(solution.estimates, skipped)

    engine_arguments: dict[str, Any] = {"errors": method is not None, "progress": progress}
    if cases.by:
        groups, overall = estimate_groups(cases, measure, result, **engine_arguments)
        return Grouped(cases.by, groups, overall, adjustment, dependent=cases.groups is not None or None)
    solution, skipped, _ = estimate_dataset(cases, measure, **engine_arguments)
    return result(solution, skipped)


def with_null(
    result: Estimate | Evaluation | Grouped, null: Null | None, method: Method | None
) -> Estimate | Evaluation | Grouped:
    """An `Estimate`, `Evaluation` or `Grouped` with the value that each estimate is tested against."""
    if null is None:
        return result
    if method is None:
        raise InputError("A test against null needs a standard error; leave out ", Option("method", None), ".")
    _check_null_names(result, null)
    if isinstance(result, Estimate):
        return replace(result, null=_null_of(result, null))
    if isinstance(result, Evaluation):
        tested = {
            key: replace(estimate, null=_null_of(estimate, null)) for key, estimate in result.estimates.items()
        }
        return replace(result, estimates=tested)
    groups: dict[Any, Any] = {
        key: with_null(cast("Any", group), null, method) for key, group in result.groups.items()
    }
    overall: Any = None if result.overall is None else with_null(cast("Any", result.overall), null, method)
    return replace(result, groups=groups, overall=overall)


def _check_null_names(result: Estimate | Evaluation | Grouped, null: Null) -> None:
    """A mapping by measure that names a measure without an estimate would be ignored."""
    if not isinstance(null, Mapping) or isinstance(result, Grouped):
        return
    estimates = [result] if isinstance(result, Estimate) else result.estimates.values()
    known = list(dict.fromkeys(estimate.measure for estimate in estimates))
    for name in null:
        if name not in known:
            raise InputError(
                f"null names {short_repr(name)}, which was not estimated; {did_you_mean(name, known)}"
            )


def _null_of(estimate: Estimate, null: Null) -> float | None:
    """The value an estimate is tested against; None if there is none for it."""
    if isinstance(null, Mapping):
        value = null.get(estimate.measure)
    else:
        value = estimate.chance if isinstance(null, str) and null == "chance" else null
    low, high = estimate.limits
    if isinstance(null, Mapping | str) and value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= value <= high:
        raise InputError(
            f"null must be a number from {low:g} to {high:g} for {estimate.measure}, 'chance', or a mapping of "
            f"numbers by measure, got {short_repr(null)}."
        )
    return float(value)


def _converts(measure: Measure, scores: Scores) -> bool:
    """True for an ordered measure of probabilities; `select_measures` accepts it only with ordered classes."""
    return measure.needs == "ordered" and scores.kind == "matrix"


def cases_for(measure: Measure, scores: Scores) -> Scores:
    """Return the cases, converted by `to_ordered` if the measure needs that."""
    return to_ordered(scores) if _converts(measure, scores) else scores


def select_measures(
    measures: MeasureLike | Sequence[MeasureLike] | None, scores: Scores, converts: bool = False
) -> tuple[list[Measure], dict[str, str]]:
    """Return the measures to compute, and why others are not; a measure selected by name must be applicable.

    With `converts`, ordered measures are accepted for what `cases_for` converts.
    """
    if measures is None:
        skipped = inapplicable_reasons(MEASURES, scores)
        return [measure for key, measure in MEASURES.items() if key not in skipped], skipped
    selected = [find(item) for item in ([measures] if isinstance(measures, ONE_MEASURE) else measures)]
    if not selected:
        raise InputError("measure is an empty list; name one measure or more, or None for all that apply.")
    for measure in selected:
        converted = converts and _converts(measure, scores) and scores.n_classes > 2
        reason = inapplicable_reason(measure, scores, by_name=not converted)
        if reason is not None:
            raise NotApplicableError(f"{measure} ", reason, ".")
    return selected, {}


def warn_of_absent(scores: Scores, measures: Sequence[Measure]) -> None:
    """Warn if a class has no case."""
    if scores.absent and measures:
        named = ", ".join(repr(name) for name in scores.absent)
        warn(
            f"No case of class {named}: {', '.join(str(measure) for measure in measures)} undefined (nan). "
            "Add cases, or leave the class out of labels.",
            UndefinedMeasureWarning,
        )


def warn_of_small(scores: Scores, estimates: Mapping[tuple[str, str], Estimate]) -> None:
    """Warn if a class has one case only."""
    bare = {key: e for (_, key), e in estimates.items() if e.fewest <= 1 and isnan(e.standard_error)}
    if bare:
        limited = any(np.isfinite(e.limits).all() for e in bare.values())
        unit = "case" if scores.groups is None else "group"
        ends = f"Wilson's for one {unit}" if limited else "the whole range"
        warn(
            f"A class has one {unit} only: no standard error (nan) for {', '.join(bare)}; "
            f"the interval is {ends}. Add cases, or leave the class out.",
            SmallClassWarning,
        )
