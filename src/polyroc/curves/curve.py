"""The verb `curve`: ROC, precision-recall, DET and cost curves with areas, bands and binormal fits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

from polyroc._results.codec import Known, Once
from polyroc.curves.bands import BandName, average_band, band_around, in_coordinates, working_hotelling
from polyroc.curves.binary_problems import BinaryProblem, MultiClass, binary_problems
from polyroc.curves.binormal import BinormalFit, fit_binormal
from polyroc.curves.files import AREAS, BinnedProblem, binned_problems
from polyroc.curves.fold_average import AVERAGES, Average, threshold_area, vertical_height
from polyroc.curves.points import AUC, KINDS, CurveKind, CurvePoints, is_auc
from polyroc.curves.result import Band, Curve, Curves, FamilyKind
from polyroc.curves.sweep import CurveSweep
from polyroc.data_options import DataOptions, cases_of
from polyroc.engines.options import EngineOptions
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.estimate import Estimate, warn_of_few_effective
from polyroc.inference.estimation import estimate_measure
from polyroc.inference.evaluate import select_measures, warn_of_small
from polyroc.inference.methods import DEFAULT, Method, as_estimating_method
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.measures.registry import measure_of_parts
from polyroc.measures.sample import Sample
from polyroc.measures.within_folds import check_folds
from polyroc.messages import Option
from polyroc.progress import ProgressOption, progress_callback
from polyroc.scores import Schema, Scores
from polyroc.validation.signatures import validated

__all__ = ["curve"]

FAMILIES: Mapping[MultiClass | None, FamilyKind] = {None: "classifier", "ova": "class", "ovo": "pair"}


@validated
def curve(
    data: Any,
    y_score: Any = None,
    *,
    kind: CurveKind = "roc",
    multi_class: MultiClass | None = None,
    drop_intermediate: bool = False,
    area: str | Measure | None = None,
    method: Method | str | None = DEFAULT,
    band: BandName | Literal["working_hotelling"] | None = None,
    level: float = 0.95,
    binormal: bool = False,
    average: Average | None = None,
    progress: ProgressOption = None,
    **data_options: Unpack[DataOptions],
) -> Curve | Curves:
    """Compute a curve over all thresholds of a score: one point per distinct score.

    Parameters
    ----------
    data, y_score
        As in `evaluate`. A larger score indicates the positive class; the direction is never guessed.
    kind
        "roc", "pr" (precision-recall), "det" (detection error tradeoff) or "cost" (Drummond & Holte's cost curve).
    multi_class
        For many classes, with one column of probabilities per class: "ova", each class against all others, or
        "ovo", every ordered pair A(i|j). The areas are the parts of the measures `ova` and `hand_till`.
    drop_intermediate
        Drop points that do not change the line: those on a straight segment of a ROC curve, and in the other
        kinds those between two points of equal recall.
    area
        The measure reported as the area of a ROC curve instead of "auc", such as "partial_auc(fpr=(0, 0.2))".
    method
        How the standard error of the area is computed, as in `evaluate`; `Bootstrap()` also resamples the band.
    band, level
        A confidence band at a level: "pointwise", "simultaneous", or "working-hotelling" (simultaneous, from the
        binormal fit); `polyroc.curves.bands.band_around` defines each.
    binormal
        Also fit a binormal curve by maximum likelihood.
    average
        How the curves of the folds are combined (Bradley 1997; Fawcett 2006). "vertical" (default): the mean true
        positive rate at each false positive rate. Its area is the mean of the folds' areas, with the standard
        error of `evaluate`; its pointwise band is that of these trained models. "threshold": the mean rates at
        each threshold, with the jackknife's standard error over folds, for scores on the same scale in
        all folds. "none": one curve per fold. `pooled=True` makes one curve of all cases instead.
    progress
        For files: True for a progress bar, or a function called with (done, total, message), as in `evaluate`.
    data_options
        As in `evaluate`; thresholds of negated scores are negated, too. Of files that an engine reads, the
        points are those at the edges of bins, which are points of the exact curve; `tolerance` and `exact` apply
        to the area, or for many classes to `ova` or `hand_till`; bands and fits assume straight lines between.

    Notes
    -----
    The points are those of scikit-learn's roc_curve, precision_recall_curve and det_curve without
    `drop_intermediate`, but always by falling threshold and from the threshold infinity, where no case is positive
    (precision 1 by convention), to the lowest score; det_curve also drops the ends where one rate is constant.

    Returns
    -------
    Curve or Curves
        A `Curve` for one classifier and two classes; `Curves`, a mapping, for several classifiers (also if
        `y_score` is a dict), many classes or folds.

    Examples
    --------
    The ranked list of Ling, Huang & Zhang (2003):

    >>> roc = curve([0, 0, 0, 0, 1, 0, 1, 1, 1, 1], range(10))
    >>> roc
    Curve(roc of classifier: 1 or 0, 11 points, auc = 0.9600, 95 % ... to ...)
    >>> roc.at(fpr=0.2).tpr, round(roc.hull().area, 4)
    (1.0, 0.98)
    """
    method = as_estimating_method(method)
    if area is not None and average == "threshold":
        raise NotApplicableError(
            f"A curve averaged at thresholds has its own area, not {area}; omit ", Option("area"), "."
        )
    around: BandName | None = "working-hotelling" if band == "working_hotelling" else band
    builder = _CurveBuilder(kind, drop_intermediate, _area(area, kind), method, around, level, binormal, average)
    cases = cases_of("curve", data, y_score, data_options, method)
    if not isinstance(cases, Scores):
        with progress_callback(progress) as report:
            return builder.from_files(cases, multi_class, progress=report)
    scores = cases
    _require_curve(scores, multi_class)
    builder = replace(builder, average=_average(scores, average, kind))
    if builder.average == "none":
        return Curves("fold", builder.by_fold(scores, multi_class), {})
    curves = {problem.key: builder.curve(problem) for problem in binary_problems(scores, multi_class)}
    if multi_class is None and len(curves) == 1 and not isinstance(y_score, Mapping):
        return next(iter(curves.values()))
    return Curves(FAMILIES[multi_class], curves, builder.whole(scores, multi_class))


def _average(scores: Scores, average: Average | None, kind: CurveKind) -> Average | None:
    """Return how the curves of folds are combined; None where all cases are one sample."""
    if scores.folds is None:
        if average is not None:
            raise InputError(
                Option("average", average), " needs the fold of each case; pass ", Option("folds"), "."
            )
        return None
    if scores.folds.pooled:
        if average is not None:
            raise InputError(
                "Pooled folds are one sample; leave out ",
                Option("pooled", True),
                " or ",
                Option("average", average),
                ".",
            )
        return None
    average = average or "vertical"
    if average in AVERAGES and kind not in ("roc", "det"):
        raise NotApplicableError(
            "Folds are averaged as ROC or DET curves, not with ",
            Option("kind", kind),
            "; use ",
            Option("pooled", True),
            " or ",
            Option("average", "none"),
            ".",
        )
    return average


def _require_curve(scores: Scores | Schema, multi_class: str | None) -> None:
    """Raise an error if there is no curve: decisions, an empty class, many classes without `multi_class`."""
    needed = AUC if multi_class is None else measure_of_parts("class_areas")
    if multi_class is None and scores.n_classes > 2 and scores.kind != "decisions":
        raise NotApplicableError(
            f"A curve needs 2 classes, got {scores.n_classes}; draw each class against the rest with ",
            Option("multi_class", "ova"),
            ", or every pair with ",
            Option("multi_class", "ovo"),
            ".",
        )
    reason = inapplicable_reason(needed, scores, by_name=True)
    if reason is not None:
        raise NotApplicableError("A curve ", reason, ".")
    if isinstance(scores, Scores) and scores.absent:
        raise InputError(f"No case of class {scores.absent[0]!r}: a curve needs cases of every class.")


def _area(area: str | Measure | None, kind: CurveKind) -> Measure:
    if area is None:
        return KINDS[kind].area
    measure = find(area)
    if measure.needs != "score" or kind not in ("roc", "det"):
        raise NotApplicableError(f"area must be a measure of a ROC curve, such as partial_auc, got {measure}.")
    return measure


@dataclass(frozen=True, slots=True)
class _CurveBuilder:
    """The options of `curve`, and the curve of each two-class problem."""

    kind: CurveKind
    drop_intermediate: bool
    area: Measure
    method: Method | None
    band: BandName | None
    level: float
    binormal: bool
    average: Average | None

    def curve(self, problem: BinaryProblem) -> Curve:
        """The curve of a problem, from all cases or averaged over folds."""
        if self.average in AVERAGES:
            return self._averaged(problem)
        sample = Sample(problem.scores.pool_folds(), problem.classifier)
        return self._with_band(problem, CurveSweep(sample), self._estimator(sample, problem.classifier))

    def from_files(
        self, settings: EngineOptions, multi_class: MultiClass | None, **options: Any
    ) -> Curve | Curves:
        """The curves from the binned counts of files."""

        def check(schema: Schema) -> None:
            _require_curve(schema, multi_class)

        errors = self.method is not None
        problems, whole = binned_problems(settings, multi_class, self.area, errors, check=check, **options)
        curves = {binned.problem.key: self._from_bins(binned) for binned in problems}
        single = multi_class is None and len(curves) == 1 and not isinstance(settings.scores, Mapping)
        return next(iter(curves.values())) if single else Curves(FAMILIES[multi_class], curves, whole)

    def _from_bins(self, binned: BinnedProblem) -> Curve:
        problem, area, units = binned
        sweep = CurveSweep(Sample(problem.scores, problem.classifier), units)
        return self._with_band(problem, sweep, Known(area))

    def _with_band(self, problem: BinaryProblem, sweep: CurveSweep, area: Callable[[], Estimate]) -> Curve:
        fit = self._fit(sweep, area, problem.classifier)
        points = sweep.points(self.kind, self.drop_intermediate)
        curve = self._plain(problem, points, sweep.prevalence, area)
        return replace(curve, band=self._band(sweep, fit), binormal=fit if self.binormal else None)

    def _plain(
        self, problem: BinaryProblem, points: CurvePoints, prevalence: float, area: Callable[[], Estimate]
    ) -> Curve:
        """The curve without band and fit."""
        names = problem.classifier, problem.positive, problem.negative
        return Curve(self.kind, *names, *points, prevalence, area)

    def _estimator(self, sample: Sample, classifier: str) -> Callable[[], Estimate]:
        """A function that estimates the area on its first call.

        It is called at once where it may warn, raise or take long, so that this happens in the verb and not when
        the result is first printed.
        """

        @Once
        def area() -> Estimate:
            estimates = estimate_measure(self.area, self.method, {classifier: sample}).estimates
            warn_of_small(sample.scores, {(classifier, str(self.area)): estimates[classifier]})
            warn_of_few_effective(estimates.values())
            return estimates[classifier]

        scores = sample.scores
        silent = (
            scores.units is None and scores.folds is None and sample.weight is None and scores.counts.min() > 1
        )
        if not silent or not (self.method is None or self.method.always_applies):
            area()
        return area

    def _fit(self, sweep: CurveSweep, area: Callable[[], Estimate], classifier: str) -> BinormalFit | None:
        if not self.binormal and self.band != "working-hotelling":
            return None
        provenance = replace(area().provenance, method="maximum likelihood", seed=None)
        return fit_binormal(sweep.fp, sweep.tp, classifier, provenance)

    def _band(self, sweep: CurveSweep, fit: BinormalFit | None) -> Band | None:
        if self.band is None:
            return None
        if self.band != "working-hotelling":
            method = self.method
            if method is not None:  # rates are resampled class by class, as the AUC is
                method = method.for_measure(AUC, sweep.sample.scores)
            return band_around(sweep, self.kind, self.band, self.level, method)
        assert fit is not None
        return working_hotelling(fit, self.kind, self.level)

    def _averaged(self, problem: BinaryProblem) -> Curve:
        assert self.average is not None
        if self.binormal or self.band not in (None, "pointwise") or (self.band and self.average != "vertical"):
            raise NotApplicableError(
                "A curve averaged over folds has no binormal fit, and only the vertical average has a band, a "
                "pointwise one; use ",
                Option("pooled", True),
                ".",
            )
        sample, folds = Sample(problem.scores, problem.classifier), problem.scores.folds
        assert folds is not None
        check_folds(sample, "a curve")
        sweeps = [CurveSweep(fold) for fold in sample.folds]
        positives, negatives = sum(float(s.tp[-1]) for s in sweeps), sum(float(s.fp[-1]) for s in sweeps)
        points = AVERAGES[self.average](sweeps, folds.weights)
        area: Callable[[], Estimate]
        if self.average == "vertical":
            area = self._estimator(sample, problem.classifier)
        else:
            area = Known(threshold_area(sweeps, folds.weights, problem))
        curve = self._plain(problem, points, positives / (positives + negatives), area)
        if self.band is None:
            return curve
        strata = AUC(sample).strata()
        units = strata[0].effective or 0.0, strata[1].effective or 0.0
        band = average_band(points, vertical_height(sweeps, folds.weights), units, self.level)
        return replace(curve, band=in_coordinates(self.kind, band))

    def by_fold(self, scores: Scores, multi_class: str | None) -> dict[str, Curve]:
        """One curve per fold."""
        if multi_class is not None or len(scores.classifiers) > 1:
            raise NotApplicableError(
                "One curve per fold is available for one classifier and two classes; use ",
                Option("average", "vertical", "threshold"),
                " or ",
                Option("pooled", True),
                " to average the folds.",
            )
        (classifier,) = scores.classifiers
        folds, sample = scores.folds, Sample(scores, classifier)
        assert folds is not None
        check_folds(sample, "a curve")
        by_name = {
            name if folds.repeats > 1 else f"fold {name}": fold.scores._replace(values={classifier: fold.values})
            for name, fold in zip(folds.names, sample.folds, strict=True)
        }
        return {name: self.curve(BinaryProblem(name, classifier, fold)) for name, fold in by_name.items()}

    def whole(self, scores: Scores, multi_class: MultiClass | None) -> dict[str, Estimate]:
        """For many classes, the measure whose parts are the areas of the ROC curves."""
        if multi_class is None or not is_auc(self.area) or self.average == "threshold":
            return {}
        (measure,), _ = select_measures([measure_of_parts(AREAS[multi_class])], scores)
        samples = {name: Sample(scores, name) for name in scores.classifiers}
        return estimate_measure(measure, self.method, samples).estimates
