"""Compute the results of a report: every verb that applies to the scores, one after the other."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from polyroc._results.codec import Known
from polyroc.curves.binary_problems import binary_problems
from polyroc.curves.curve import curve
from polyroc.curves.result import Curve, Curves
from polyroc.curves.surface import Surface, surface
from polyroc.decisions.decision_curve import DecisionCurve, decision_curve
from polyroc.decisions.operate import operate
from polyroc.decisions.rates import rates_of
from polyroc.errors import NotApplicableError, OptimismWarning, PolyrocError, PolyrocWarning, ReversedScoreWarning
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.estimates.grouped import Grouped
from polyroc.fronts.fixed_classifier import fixed_fronts
from polyroc.inference.compare import compare
from polyroc.inference.evaluate import evaluate
from polyroc.inference.methods import Bootstrap, Method
from polyroc.kernels.arrays import IntArray
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.measure import Measure
from polyroc.measures.registry import MEASURES, headline_measure
from polyroc.measures.registry import measure as registered_measure
from polyroc.progress import Progress
from polyroc.reliability.calibration import calibration
from polyroc.reliability.result import Calibration
from polyroc.reports.findings import MOST_CLASSES, Findings, with_parts
from polyroc.scores import Scores
from polyroc.validation.random import Draws

__all__ = [
    "CURVE_POINTS",
    "MOST_BANDS",
    "TOLERANCE",
    "Collection",
    "collect_findings",
    "detached_area",
    "sampled_cases",
    "thinned",
]

# Limits that keep the page within a few megabytes and the work within a minute or two.
CURVE_POINTS = 400  # of one curve, about
ROUNDING_ERROR = 1e-9  # of an area that is computed in two ways
TOLERANCE = 1e-3  # change of the area below a curve when points are left out
ALL_CURVE_POINTS = 60_000
MOST_BANDS = 150  # curves with bands
MOST_PAIR_CURVES = 4000
ALL_PAIR_POINTS = 40_000
SURFACE_CASES = 20_000
STEPS = 12  # of the work, for its progress; writing the page is one more
FIRST_STEP = 0.3  # share of the first one, which evaluates
WHOLE = 1000  # of the progress
FRONT_CLASSES = 6  # beyond, a front has too many kinds of errors to be read, and sampling finds little of it
FEWEST_COSTS = 300  # cost vectors below which a front is too coarse
FRONT_BYTES = 1_000_000  # of all fronts: per point and kind of error, a cost and a count
MOST_COSTS = 9000  # cost vectors over all classifiers
RECHOSEN_CASES = 40_000  # times classifiers: of more, thresholds are not chosen again in resamples
CALIBRATED_CASES = 20_000  # from which calibration and decision curves are computed
COMPARED_BENEFITS = 6  # classifiers; of more, differences of net benefit are left out
FORECAST = next(measure for measure in MEASURES.values() if measure.needs == "forecast")
FRONT_EFFORT = 5.4e8  # cost vectors x cases x classes^2 per classifier


def collect_findings(
    scores: Scores,
    explored: Scores | None,
    *,
    measure: str | None = None,
    method: Method | None,
    level: float,
    seed: int,
    progress: Progress | None = None,
    collection: "Callable[..., Collection] | None" = None,
) -> Findings:
    """All results of a report.

    Parameters
    ----------
    scores, explored
        All cases; those in the explorer of the page, on which fronts are computed.
    measure
        The measure to compare by.
    method, level, seed
        Of standard errors; of bands; of random samples.
    progress
        Called with (done, total, step).
    collection
        What computes them: `Collection`, from cases in memory, by default.
    """
    make = collection or Collection
    work = make(scores, explored, measure or headline_measure(scores).key, method, level, seed, progress)
    steps: dict[str, Callable[[], Any]] = {
        "evaluation": work.evaluation,
        "comparison": work.comparison,
        "subgroups": work.subgroups,
        "curves": work.curves,
        "fold_curves": work.fold_curves,
        "pairs": work.pairs,
        "surfaces": work.surfaces,
        "rates": work.rates,
        "points": work.points,
        "fronts": work.fronts,
        "calibration": work.calibration,
        "decision_curve": work.decision_curve,
    }
    for done, (name, step) in enumerate(steps.items()):
        work.show_progress(done, name)
        with work.noting(name):
            result = step()
            if result is not None:
                work.results[name] = result
    work.close()
    work.show_progress(len(steps), "writing")
    return Findings(**work.results, notes=tuple(dict.fromkeys(work.notes)), sample=work.sample)


@dataclass(slots=True)
class Collection:
    """The results of cases in memory, one after the other; each method is a step.

    Attributes
    ----------
    scores, explored, measure, method, level, seed, progress
        As in `collect_findings`.
    results, notes, sample
        The results so far, by field of `Findings`, and the notes; what was computed from a sample of the cases.
    """

    scores: Scores
    explored: Scores | None
    measure: str
    method: Method | None
    level: float
    seed: int
    progress: Progress | None
    results: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    sample: str = ""

    def show_progress(self, done: int, step: str, part: float = 0.0) -> None:
        """Report the step that begins, or of which a part is done; writing the page is the last."""
        if self.progress is not None:
            share = FIRST_STEP * part if done == 0 else FIRST_STEP + (1 - FIRST_STEP) * (done - 1 + part) / STEPS
            self.progress(round(WHOLE * share), WHOLE, step)

    def evaluating(self, done: int, total: int, step: str) -> None:
        """Report the progress of the first step."""
        self.show_progress(0, step, min(1.0, done / total) if total else 0.0)

    @contextmanager
    def noting(self, step: str) -> Iterator[None]:
        """Turn warnings into notes; a step that does not apply is left out, with a note on the reason."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PolyrocWarning)
            for stated in (OptimismWarning, ReversedScoreWarning):  # by the page itself
                warnings.simplefilter("ignore", stated)
            try:
                yield
            except PolyrocError as reason:
                if step in ("evaluation", "comparison", "subgroups"):
                    raise
                self.notes.append(f"No {step}: {reason}")
        self.notes += [str(warning.message) for warning in caught if issubclass(warning.category, PolyrocWarning)]

    @property
    def cases_name(self) -> str:
        """What the rows of `scores` are."""
        return "cases"

    def close(self) -> None:
        """Called after the last step."""

    def evaluation(self) -> Evaluation:
        """Every measure; that of the comparison comes first in the tables."""
        evaluation = evaluate(self.scores, method=self.method, progress=self.evaluating)
        key = str(registered_measure(self.measure))
        compared = {pair: estimate for pair, estimate in evaluation.estimates.items() if pair[1] == key}
        if not compared:
            compared = dict(evaluate(self.scores, measure=[self.measure], method=self.method).estimates)
        return Evaluation({**compared, **evaluation.estimates}, evaluation.skipped)

    @property
    def estimates(self) -> Mapping[tuple[str, str], Estimate]:
        """The estimates of the first step."""
        evaluation: Evaluation = self.results["evaluation"]
        return evaluation.estimates

    def comparison(self) -> Any:
        """The classifiers compared, if there are several."""
        if len(self.scores.classifiers) < 2 or self.method is None:
            return None
        return compare(self.scores, measure=self.measure, method=self.method)

    def subgroups(self) -> Grouped | None:
        """The measure of the comparison by subgroup, if the cases are divided."""
        if not self.scores.by:
            return None
        by = [*self.scores.by]
        if len(self.scores.classifiers) < 2 or self.method is None:
            return evaluate(self.scores, measure=[self.measure], method=self.method, by=by)
        return compare(self.scores, measure=self.measure, method=self.method, by=by)

    def curves(self) -> Curves | None:
        """ROC curves of two classes, or of each class against the others."""
        two = self.scores.n_classes == 2 and self.scores.positive is not None
        if self.scores.kind == "decisions" or (not two and self.scores.kind != "matrix"):
            return None
        number = len(self.scores.classifiers) * (1 if two else self.scores.n_classes)
        points = int(np.clip(ALL_CURVE_POINTS // number, 16, CURVE_POINTS))
        band: Literal["pointwise"] | None = "pointwise" if number <= MOST_BANDS else None
        resampled = self.scores.folds is None and self.method is not None and self.method.resamples
        if self.scores.units is not None and not resampled:
            band = None  # a band by formula needs independent cases
        curves, error = {}, 0.0
        for problem in binary_problems(self.scores.pool_folds(), None if two else "ova"):
            whole = curve(problem.scores, band=band, level=self.level, method=self.method)
            assert isinstance(whole, Curve)
            fewer = whole.thinned(points, TOLERANCE) if points == CURVE_POINTS else thinned(whole, points)
            error = max(error, _area_error(fewer, whole))
            curves[problem.key] = replace(fewer, _area=detached_area(whole))
        self._note_thinning(f"The {number} curves are", points, error if error > TOLERANCE else 0.0)
        return Curves("classifier" if two else "class", curves, {})

    def fold_curves(self) -> Curves | None:
        """The curves averaged over folds: of the same problems as `curves`, which are pooled."""
        pooled = self.results.get("curves")
        if not self.scores.within_folds or pooled is None:
            return None
        curves = {}
        for problem in binary_problems(self.scores, None if pooled.by == "classifier" else "ova"):
            averaged = curve(
                problem.scores, average="vertical", band="pointwise", level=self.level, method=self.method
            )
            assert isinstance(averaged, Curve)
            curves[problem.key] = replace(thinned(averaged, CURVE_POINTS), _area=detached_area(averaged))
        return Curves(pooled.by, curves, {})

    def _note_thinning(self, subject: str, points: int, error: float) -> None:
        if error > ROUNDING_ERROR:
            self.notes.append(
                f"{subject} drawn from at most {points} points each, which changes the area below them by up to "
                f"{1.06 * error:.2g}; the areas in the tables are of all points."  # 1.06: a bound after rounding
            )

    def pairs(self) -> Curves | None:
        """The curves of pairs of classes."""
        number = self.scores.n_classes * (self.scores.n_classes - 1)
        if self.scores.kind != "matrix" or number < 6 or self.scores.absent:
            return None
        scores = self._best(MOST_PAIR_CURVES // number).pool_folds()
        if not scores.values:
            raise NotApplicableError(f"{number} curves for every classifier would make the page too large.")
        points = int(np.clip(ALL_PAIR_POINTS // (number * len(scores.values)), 16, CURVE_POINTS))
        curves, error = {}, 0.0
        for problem in binary_problems(scores, "ovo"):
            whole = curve(problem.scores, drop_intermediate=True, method=None)
            assert isinstance(whole, Curve)
            fewer = thinned(whole, points)
            error = max(error, _area_error(fewer, whole))
            curves[problem.key] = replace(fewer, _area=detached_area(whole))
        self._note_thinning("Curves of pairs of classes are", points, error)
        return Curves("pair", curves, {})

    def _best(self, number: int) -> Scores:
        """At most so many classifiers, those with the largest pairwise areas."""
        if number >= len(self.scores.values):
            return self.scores
        areas = {name: whole.value for name, whole in with_parts(self.results["evaluation"], "pair_areas").items()}
        best = sorted(areas, key=lambda name: -areas[name])[:number]
        if best:
            self.notes.append(
                f"Curves of pairs of classes are shown for {', '.join(best)} only, to limit the page."
            )
        return self.scores._replace(values={name: self.scores.values[name] for name in best})

    def surfaces(self) -> dict[str, Surface] | None:
        """The surfaces of three classes."""
        if self.scores.n_classes != 3 or self.scores.kind == "decisions" or self.scores.absent:
            return None
        if self.scores.kind == "score" and not self.scores.ordered:
            return None
        measure = _surface_measure(self.scores)
        scores = self.scores.pool_folds()
        if len(scores) > SURFACE_CASES:
            scores = scores.subset(sampled_cases(scores, SURFACE_CASES, self.seed))
            cases = f"{len(scores)} of the {len(self.scores)} {self.cases_name}"
            self.notes.append(f"The surface is drawn from {cases}; its volume is that of all {self.cases_name}.")
        made = surface(scores, measure=measure, points=30, method=None)
        surfaces = {made.classifier: made} if isinstance(made, Surface) else made
        return {
            name: replace(surface, volume=self.estimates.get((name, measure.key), surface.volume))
            for name, surface in surfaces.items()
        }

    def rates(self) -> dict[str, Any] | None:
        """The confusion rates of decisions, or of the largest probabilities."""
        if self.scores.kind == "score":
            return None
        self.check_classes()
        return {name: rates_of(self.scores, name, None) for name in self.scores.classifiers}

    def check_classes(self) -> None:
        """Raise an error for very many classes, whose matrix is slow to compute and cannot be read."""
        if self.scores.n_classes > MOST_CLASSES:
            raise NotApplicableError(f"there are more than {MOST_CLASSES} classes.")

    def points(self) -> dict[str, Any] | None:
        """Two classes: least error; more: Bayes' rule of probabilities, or cut-points of one score by Youden."""
        scores = self.scores.pool_folds()
        many, along = scores.n_classes > 2, scores.kind == "score"
        if scores.kind == "decisions" or (many and along and not scores.ordered):
            return None
        self.check_classes()
        choice: dict[str, Any] = {"criterion": "youden"} if many and along else {}
        if many and not along:
            choice = {"calibrated": True}
        elif len(scores) * len(scores.classifiers) <= RECHOSEN_CASES:
            choice["method"] = Bootstrap(rng=self.seed)  # as `operate(method=Bootstrap())`
        names = [name for name in scores.classifiers if name not in scores.negated]
        return {name: operate(scores, only=name, **choice) for name in names}

    def fronts(self) -> dict[str, Any] | None:
        """The fronts of three classes or more."""
        scores = self.explored
        if scores is None or scores.kind != "matrix" or not 2 < scores.n_classes <= FRONT_CLASSES:
            return None
        errors = scores.n_classes * (scores.n_classes - 1)
        affordable = FRONT_EFFORT / (len(scores) * scores.n_classes**2)
        room = min(MOST_COSTS, FRONT_BYTES / (12 * errors)) / len(scores.classifiers)
        if room < FEWEST_COSTS:
            raise NotApplicableError(f"{len(scores.classifiers)} fronts would make the page too large.")
        n = int(np.clip(min(affordable, room), FEWEST_COSTS, 5000))
        return fixed_fronts(scores, n, Draws.of(n, self.seed, None), quick=True)

    def calibration(self) -> Calibration | None:
        """Whether the predictions are right, if they are probabilities of a cohort."""
        scores = self.scores.pool_folds()
        if not self._are_probabilities(scores):
            return None
        if len(scores) > CALIBRATED_CASES:
            scores = scores.subset(self._share_of_cases(CALIBRATED_CASES))
            cases = f"{len(scores)} of the {len(self.scores)} {self.cases_name}"
            self.notes.append(f"Calibration and decision curves are those of {cases}, drawn at random.")
        return calibration(scores, level=self.level, rng=self.seed)

    def _are_probabilities(self, scores: Scores) -> bool:
        known = not scores.absent and scores.sampling == "cohort" and not scores.negated
        return known and inapplicable_reason(FORECAST, scores, by_name=True) is None

    def _share_of_cases(self, cases: int) -> IntArray:
        """A simple random sample, in which classes are as frequent as in all cases."""
        rng = np.random.default_rng(self.seed)
        return np.sort(rng.choice(len(self.scores), cases, replace=False))

    def decision_curve(self) -> DecisionCurve | None:
        """Net benefit, of two classes with probabilities."""
        scores = self.scores.pool_folds()
        if scores.n_classes != 2 or not self._are_probabilities(scores):
            return None
        if len(scores) > CALIBRATED_CASES:
            scores = scores.subset(self._share_of_cases(CALIBRATED_CASES))
        if len(scores.classifiers) <= COMPARED_BENEFITS:
            return decision_curve(scores, level=self.level)
        # One by one, without the differences of all pairs at all thresholds, which the page does not show.
        single = [scores._replace(values={name: values}) for name, values in scores.values.items()]
        curves = [decision_curve(one, level=self.level) for one in single]
        return replace(
            curves[0],
            curves={name: own for one in curves for name, own in one.curves.items()},
            over_all={name: own for one in curves for name, own in (one.over_all or {}).items()},
        )


def _surface_measure(scores: Scores) -> Measure:
    """The measure whose surface is drawn: of one score in the order of the classes, or of one column per class."""
    return next(
        measure
        for measure in reversed(MEASURES.values())
        if "surface" in measure.headline and (measure.needs == "ordered") == (scores.kind == "score")
    )


def detached_area(curve: Curve) -> Callable[[], Estimate]:
    """The area of a curve without its influence values, which would keep all cases in memory."""
    return Known(Estimate.from_dict(curve.area.to_dict()))


def _area_error(fewer: Curve, whole: Curve) -> float:
    """Change of the area when points are left out."""
    return abs(float(np.trapezoid(fewer.tpr, fewer.fpr)) - whole.area.value)


def thinned(curve: Curve, points: int) -> Curve:
    """At most so many points of a curve, for drawing."""
    from polyroc.kernels.curves import thin

    kept = thin(curve.fpr, curve.tpr, points)
    return replace(curve, fpr=curve.fpr[kept], tpr=curve.tpr[kept], thresholds=curve.thresholds[kept])


def sampled_cases(scores: Scores, cases: int, seed: int) -> IntArray:
    """A stratified sample: each class in its share and, as far as possible, fifty more cases of it."""
    rng = np.random.default_rng(seed)
    least = min(50, cases // (2 * scores.n_classes))
    share = max(0, cases - least * scores.n_classes) / len(scores)
    sample = []
    for k in range(scores.n_classes):
        members = np.flatnonzero(scores.codes == k)
        size = min(len(members), least + int(share * len(members)))
        sample.append(rng.choice(members, size, replace=False))
    return np.sort(np.concatenate(sample))
