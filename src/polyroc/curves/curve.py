"""The verb `curve`: from scores to curves, with areas, bands and fits."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Unpack, get_args

from polyroc.curves.areas import AREAS
from polyroc.curves.bands import BandName, band_around, drawn_as, working_hotelling
from polyroc.curves.binormal import fit_binormal
from polyroc.curves.binormal_fit import BinormalFit
from polyroc.curves.families import Curves, FamilyKind, MultiClass, Problem, problems
from polyroc.curves.files import Tallied, tallied_problems
from polyroc.curves.fold_average import AVERAGES, Average, area_over_folds, band_over_folds, fold_scores
from polyroc.curves.result import Band, Curve, CurveKind
from polyroc.curves.sweep import Sweep
from polyroc.engines.options import Engine, Reading, Settings, over_files
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.estimate import Estimate, warn_of_few_effective
from polyroc.inference.estimation import judge
from polyroc.inference.evaluate import choose, warn_of_small
from polyroc.inference.files import scores_or_settings
from polyroc.inference.methods import DEFAULT, Bootstrap, DeLong, Method, Permutation, checked
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.applicability import refusal
from polyroc.measures.measure import Measure
from polyroc.measures.registry import MEASURES
from polyroc.measures.registry import measure as find
from polyroc.measures.sample import Sample
from polyroc.messages import Call, Option
from polyroc.progress import ProgressOption, progress_callback
from polyroc.scores import Sampling, Schema, Scores, WeightKind
from polyroc.validation.arguments import checked_level, did_you_mean
from polyroc.validation.arrays import Missing
from polyroc.validation.scores import as_scores

__all__ = ["curve"]

FAMILIES: Mapping[MultiClass | None, FamilyKind] = {None: "classifier", "ova": "class", "ovo": "pair"}


def curve(
    y_true: Any,
    y_score: Any = None,
    *,
    kind: CurveKind = "roc",
    multi_class: MultiClass | None = None,
    drop_intermediate: bool = False,
    area: str | Measure | None = None,
    method: Method | None = DEFAULT,
    band: BandName | None = None,
    level: float = 0.95,
    binormal: bool = False,
    folds: Any = None,
    average: Average | None = None,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "raise",
    progress: ProgressOption = None,
    engine: Engine | None = None,
    **reading: Unpack[Reading],
) -> Curve | Curves:
    """Draw what every threshold of a score does: one point per distinct score, ties called together.

    Parameters
    ----------
    y_true, y_score, labels, pos_label, sample_weight, weight_kind, groups, sampling, missing
        As in `evaluate`. A larger score indicates the positive class; the direction is never guessed.
    kind
        "roc", "pr" (precision-recall), "det" (detection error tradeoff) or "cost" (Drummond & Holte's cost curve).
    multi_class
        For many classes, given as one column of probabilities each: "ova", each class against all others together,
        or "ovo", every ordered pair A(i|j). The areas are the parts of the measures `ova` and `hand_till`.
    drop_intermediate
        Leave out points that do not change the line: those on a straight piece of a ROC curve, and in the other
        kinds those between two of equal recall.
    area
        The measure to put beside a ROC curve instead of "auc": a partial area such as
        "partial_auc(fpr=(0, 0.2))", for instance.
    method
        How the standard error of the area is made, as in `evaluate`; with `Bootstrap()` the band is resampled too.
    band, level
        A confidence band at a level: "pointwise", "simultaneous", or "working_hotelling" (simultaneous, from the
        binormal fit); see `polyroc.curves.bands.band_around` for what each is.
    binormal
        Also fit a binormal curve by maximum likelihood.
    folds
        The fold of each case in a cross-validation, or "groups" to take the groups for folds. Without `average`
        there is one curve per fold.
    average
        One curve from the folds (Bradley 1997; Fawcett 2006). "vertical": the mean true positive rate at each
        false positive rate; its area is the mean of the folds' areas. "threshold": the mean rates at each
        threshold. "pooled": all cases as one sample. The latter two need scores that mean the same in all folds.
        The error of an averaged area is the jackknife's over folds, whatever the method.
    engine, reading
        For files, as in `evaluate`. The points are those at the edges of cells, which are points of the exact
        curve; `tolerance` and `exact` are about the area, or for many classes about `ova` or `hand_till`. Bands
        and fits take the curve for straight between two points. Folds and `Bootstrap()` need the cases in memory.
    progress
        For files: True for a progress bar, or a function called with (done, total, message), as in `evaluate`.

    Notes
    -----
    The points are those of scikit-learn's roc_curve, precision_recall_curve and det_curve without
    `drop_intermediate`, but always by falling threshold and from the threshold infinity, where nothing is called
    (precision 1 by convention), to the lowest score; det_curve also cuts the ends where one rate does not change.

    Returns
    -------
    Curve or Curves
        A `Curve` for one classifier and two classes; `Curves`, a mapping, for several classifiers (also if
        `y_score` is a dict), many classes or folds.

    Examples
    --------
    The list of Ling, Huang & Zhang (2003):

    >>> found = curve([0, 0, 0, 0, 1, 0, 1, 1, 1, 1], range(10))
    >>> found
    Curve(roc of classifier: 1 or 0, 11 points, auc = 0.9600, 95 % ... to ...)
    >>> found.at(fpr=0.2).tpr, round(found.hull().area, 4)
    (1.0, 0.98)
    """
    method = checked(method)
    if isinstance(method, Permutation):
        raise InputError(Option("method", Call("Permutation")), " is for comparisons; use another method.")
    _check(kind, multi_class, band, level, average, folds)
    if area is not None and average in AVERAGES:
        raise NotApplicableError(f"A curve averaged over folds has its own area, not {area}; leave out area.")
    plan = _Plan(kind, drop_intermediate, _area(area, kind), method, band, level, binormal, average)
    given: dict[str, Any] = {"labels": labels, "pos_label": pos_label, "missing": missing}
    if over_files(y_true, engine, reading):
        arrays = {"y_score": y_score, "sample_weight": sample_weight, "groups": groups, "folds": folds}
        how: dict[str, Any] = {"weight_kind": weight_kind, "sampling": sampling}
        asked = scores_or_settings(y_true, engine, reading, method, **given, **arrays, **how)
        if not isinstance(asked, Scores):
            with progress_callback(progress) as report:
                return plan.of_files(asked, multi_class, progress=report, **given)
        y_true, given = asked, {"missing": missing}
    else:
        given |= {"sample_weight": sample_weight, "weight_kind": weight_kind, "sampling": sampling}
    scores = _with_folds(y_true, y_score, folds, groups, **given)
    _require_curves(scores, multi_class)
    if folds is not None and average is None:
        return Curves("fold", plan.by_fold(scores, multi_class), {})
    found = {each.key: plan.curve(each) for each in problems(scores, multi_class)}
    if multi_class is None and len(found) == 1 and not isinstance(y_score, Mapping):
        return next(iter(found.values()))
    return Curves(FAMILIES[multi_class], found, plan.whole(scores, multi_class))


def _check(
    kind: str, multi_class: str | None, band: str | None, level: float, average: str | None, folds: Any
) -> None:
    _one_of("kind", kind, get_args(CurveKind))
    for name, value, known in (
        ("multi_class", multi_class, get_args(MultiClass)),
        ("band", band, get_args(BandName)),
        ("average", average, get_args(Average)),
    ):
        if value is not None:
            _one_of(name, value, known)
    checked_level(level)
    if average is not None and folds is None:
        raise InputError(
            Option("average", average),
            " needs the fold of each case; give it with ",
            Option("folds", ...),
            ".",
        )
    if folds is not None and kind not in ("roc", "det") and average != "pooled":
        raise NotApplicableError(
            "Curves of folds are averaged as ROC or DET curves, not with ", Option("kind", kind), "."
        )


def _one_of(name: str, value: object, known: Sequence[str]) -> None:
    if value not in known:
        raise InputError(f"There is no {name} {value!r}; {did_you_mean(value, known)}")


def _with_folds(y_true: Any, y_score: Any, folds: Any, groups: Any, **given: Any) -> Scores:
    """The scores; folds are validated in the place of groups, and kept there until they are needed."""
    if folds is None:
        return as_scores(y_true, y_score, groups=groups, **given)
    if isinstance(folds, str):
        if folds != "groups":
            raise InputError(f"folds must name the fold of each case, or be 'groups', got {folds!r}.")
        scores = as_scores(y_true, y_score, groups=groups, **given)
        if scores.groups is None:
            raise InputError("The groups are used as folds, but there are none; pass ", Option("groups"), ".")
        return scores
    if groups is not None or isinstance(y_true, Scores):
        raise InputError(
            "folds cannot be combined with groups or with Scores; pass the folds as groups, and folds='groups'."
        )
    return as_scores(y_true, y_score, groups=folds, **given)


def _require_curves(scores: Scores | Schema, multi_class: str | None) -> None:
    """Refuse what has no curve: decisions, a class without cases, many classes without a word on how."""
    needed = MEASURES["auc" if multi_class is None else "ova"]
    if multi_class is None and scores.n_classes > 2 and scores.kind != "decisions":
        raise NotApplicableError(
            f"A curve is for 2 classes, here {scores.n_classes}; draw each class against the rest with ",
            Option("multi_class", "ova"),
            ", or every pair with ",
            Option("multi_class", "ovo"),
            ".",
        )
    reason = refusal(needed, scores, asked=True)
    if reason is not None:
        raise NotApplicableError("A curve ", reason, ".")
    if isinstance(scores, Scores) and scores.absent:
        raise InputError(f"No case of class {scores.absent[0]!r}: a curve needs cases of every class.")


def _area(asked: str | Measure | None, kind: CurveKind) -> Measure:
    if asked is None:
        return AREAS[kind]
    found = find(asked)
    if found.needs != "score" or kind not in ("roc", "det"):
        raise NotApplicableError(f"area must be a measure of a ROC curve, such as partial_auc, got {found}.")
    return found


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to make of each two-class problem."""

    kind: CurveKind
    drop_intermediate: bool
    area: Measure
    method: Method | None
    band: BandName | None
    level: float
    binormal: bool
    average: Average | None

    def curve(self, problem: Problem) -> Curve:
        """The curve of a problem, from all cases or averaged over folds."""
        if self.average in AVERAGES:
            return self._averaged(problem)
        scores = problem.scores if self.average is None else replace(problem.scores, groups=None)
        sample = Sample(scores, problem.classifier)
        return self._traced(problem, Sweep(sample), self._judged(sample, problem.classifier))

    def of_files(self, asked: Settings, multi_class: MultiClass | None, **given: Any) -> Curve | Curves:
        """The curves of files that an engine counts."""

        def check(schema: Schema) -> None:
            _require_curves(schema, multi_class)

        errors = self.method is not None
        problems, whole = tallied_problems(asked, multi_class, self.area, errors, check=check, **given)
        drawn = {each.problem.key: self._of_cells(each) for each in problems}
        one = multi_class is None and len(drawn) == 1 and not isinstance(asked.scores, Mapping)
        return next(iter(drawn.values())) if one else Curves(FAMILIES[multi_class], drawn, whole)

    def _of_cells(self, tallied: Tallied) -> Curve:
        problem, area, units = tallied
        found = Sweep(Sample(problem.scores, problem.classifier), units)
        return self._traced(problem, found, lambda: area)

    def _traced(self, problem: Problem, found: Sweep, area: Callable[[], Estimate]) -> Curve:
        fit = self._fit(found, area, problem.classifier)
        points = found.points(self.kind, self.drop_intermediate)
        drawn = self._drawn(problem, points, found.prevalence, area)
        return replace(drawn, band=self._band(found, fit), binormal=fit if self.binormal else None)

    def _drawn(
        self,
        problem: Problem,
        points: tuple[FloatArray, FloatArray, FloatArray],
        prevalence: float,
        area: Callable[[], Estimate],
    ) -> Curve:
        """The curve itself."""
        classes = problem.classifier, problem.positive, problem.negative
        return Curve(self.kind, *classes, *points, prevalence, area)

    def _judged(self, sample: Sample, classifier: str) -> Callable[[], Estimate]:
        """What makes the area: when it is looked at if nothing can be amiss, else now."""

        @cache
        def area() -> Estimate:
            estimates, _ = judge(self.area, self.method, {classifier: sample})
            warn_of_small(sample.scores, {(classifier, str(self.area)): estimates[classifier]})
            warn_of_few_effective(estimates.values())
            return estimates[classifier]

        plain = sample.scores.groups is None and sample.weight is None and sample.scores.counts.min() > 1
        if not plain or not isinstance(self.method, DeLong | None):
            area()
        return area

    def _fit(self, found: Sweep, area: Callable[[], Estimate], classifier: str) -> BinormalFit | None:
        if not self.binormal and self.band != "working_hotelling":
            return None
        provenance = replace(area().provenance, method="maximum likelihood", seed=None)
        return fit_binormal(found, classifier, provenance)

    def _band(self, found: Sweep, fit: BinormalFit | None) -> Band | None:
        if self.band is None:
            return None
        if self.band != "working_hotelling":
            method = self.method
            if isinstance(method, Bootstrap):  # rates are drawn class by class
                method = method.drawn_for(MEASURES["auc"], found.sample.scores)
            return band_around(found, self.kind, self.band, self.level, method)
        assert fit is not None
        return working_hotelling(fit, self.kind, self.level)

    def _averaged(self, problem: Problem) -> Curve:
        assert self.average is not None
        if self.binormal or self.band not in (None, "pointwise") or (self.band and self.average != "vertical"):
            raise NotApplicableError(
                "A curve averaged over folds has no binormal fit, and only the vertical average has a band, a "
                "pointwise one; use ",
                Option("average", "pooled"),
                ".",
            )
        sweeps = [Sweep(Sample(each, problem.classifier)) for each in fold_scores(problem.scores).values()]
        sides = [(each.tp, each.fp) for each in sweeps]
        positives, negatives = (sum(float(each[-1]) for each in side) for side in zip(*sides, strict=True))
        area = area_over_folds(sweeps, self.average, problem)
        points = AVERAGES[self.average](sweeps)
        drawn = self._drawn(problem, points, positives / (positives + negatives), lambda: area)
        if self.band is None:
            return drawn
        return replace(drawn, band=drawn_as(self.kind, band_over_folds(sweeps, self.level)))

    def by_fold(self, scores: Scores, multi_class: str | None) -> dict[str, Curve]:
        """One curve per fold."""
        if multi_class is not None or len(scores.classifiers) > 1:
            raise NotApplicableError(
                "One curve per fold is for one classifier and two classes; use ",
                Option("average", "vertical", "threshold", "pooled"),
                " to average the folds.",
            )
        (classifier,) = scores.classifiers
        return {name: self.curve(Problem(name, classifier, each)) for name, each in fold_scores(scores).items()}

    def whole(self, scores: Scores, multi_class: str | None) -> dict[str, Estimate]:
        """For many classes, the measure of which the areas of the ROC curves are the parts."""
        if multi_class is None or self.area.key != "auc" or self.average in AVERAGES:
            return {}
        scores = scores if self.average is None else replace(scores, groups=None)
        (measure,), _ = choose(["ova" if multi_class == "ova" else "hand_till"], scores)
        estimates, _ = judge(measure, self.method, {name: Sample(scores, name) for name in scores.classifiers})
        return estimates
