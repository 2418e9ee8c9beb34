"""From scores to findings: every verb that fits them, one after the other."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from polyroc.curves.binary_problems import binary_problems
from polyroc.curves.curve import curve
from polyroc.curves.result import Curve, Curves
from polyroc.curves.surface import Surface, surface
from polyroc.decisions.operate import operate
from polyroc.decisions.rates import rates_of
from polyroc.errors import NotApplicableError, OptimismWarning, PolyrocError, PolyrocWarning
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.fronts.fixed_classifier import fixed_front
from polyroc.inference.compare import compare
from polyroc.inference.evaluate import evaluate
from polyroc.inference.methods import Method
from polyroc.kernels.arrays import IntArray
from polyroc.measures.registry import measure as find
from polyroc.progress import Progress
from polyroc.reports.findings import MOST_CLASSES, Findings
from polyroc.scores import Scores

__all__ = ["POINTS", "at_most", "detached", "drawn", "gather", "headline", "part_of"]

POINTS = 400  # of a curve, about
ROUNDED = 1e-9  # an area that differs by less is the same, computed otherwise
TOLERANCE = 1e-3  # by which the area under the points that are kept may differ
CURVE_POINTS = 60_000  # of all curves together
BANDS = 150  # curves beyond which they have no bands
PAIRS = 4000  # curves of pairs, beyond which none is drawn
PAIR_POINTS = 40_000  # of the curves of all pairs together
SURFACE_CASES = 20_000  # a surface is drawn from so many at most
STEPS = 8  # of the work, each of which may be long
FRONT_CLASSES = 6  # beyond, a front has too many errors to be read, and draws find too little of it
FEWEST = 300  # cost vectors below which a front says too little
FRONT_BYTES = 1_000_000  # of all fronts together: of each error of each point, a cost and a count
DRAWS, FRONT_EFFORT = 9000, 5.4e8  # cost vectors over all classifiers; vectors x cases x classes^2 of each


def headline(scores: Scores) -> str:
    """The measure by which classifiers are compared unless another is asked for."""
    if scores.kind == "decisions":
        return "macro_average"
    if scores.n_classes == 2:
        return "auc"
    return "hand_till" if scores.kind == "matrix" else "vus"


def gather(
    scores: Scores,
    desk: Scores | None,
    *,
    measure: str | None = None,
    method: Method | None,
    level: float,
    seed: int,
    progress: Progress | None = None,
) -> Findings:
    """All that a report tells of.

    Parameters
    ----------
    scores, desk
        The cases, and those of them that the explorer decides on: fronts are found on these.
    measure
        The one to compare by.
    method, level, seed
        Of the error bars; of the bands; of whatever is drawn.
    progress
        Called with (done, total, what).
    """
    work = _Work(scores, desk, measure or headline(scores), method, level, seed, progress)
    steps: dict[str, Callable[[], Any]] = {
        "evaluation": work.evaluation,
        "comparison": work.comparison,
        "curves": work.curves,
        "pairs": work.pairs,
        "surfaces": work.surfaces,
        "rates": work.rates,
        "points": work.points,
        "fronts": work.fronts,
    }
    for done, (name, step) in enumerate(steps.items()):
        work.tell(done, name)
        with work.noting(name):
            made = step()
            if made is not None:
                work.found[name] = made
    work.tell(len(steps), "writing")
    return Findings(**work.found, notes=tuple(dict.fromkeys(work.notes)))


@dataclass(slots=True)
class _Work:
    scores: Scores
    desk: Scores | None
    measure: str
    method: Method | None
    level: float
    seed: int
    progress: Progress | None
    found: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def tell(self, done: int, what: str) -> None:
        """Which of the steps is under way; writing is the last."""
        if self.progress is not None:
            self.progress(done, STEPS + 1, what)

    @contextmanager
    def noting(self, what: str) -> Iterator[None]:
        """Warnings become notes; what does not fit the data is left out, and the note says why."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PolyrocWarning)
            warnings.simplefilter("ignore", OptimismWarning)  # the page says it in its own place
            try:
                yield
            except PolyrocError as reason:
                if what in ("evaluation", "comparison"):
                    raise
                self.notes.append(f"No {what}: {reason}")
        self.notes += [str(each.message) for each in caught if issubclass(each.category, PolyrocWarning)]

    def evaluation(self) -> Evaluation:
        found = evaluate(self.scores, method=self.method, progress=lambda _, __, what: self.tell(0, what))
        asked = str(find(self.measure))
        own = {key: each for key, each in found.estimates.items() if key[1] == asked}
        if not own:
            own = dict(evaluate(self.scores, measure=[self.measure], method=self.method).estimates)
        return Evaluation({**own, **found.estimates}, found.skipped)  # what is compared comes first

    @property
    def estimates(self) -> Mapping[tuple[str, str], Estimate]:
        found: Evaluation = self.found["evaluation"]
        return found.estimates

    def comparison(self) -> Any:
        if len(self.scores.classifiers) < 2 or self.method is None:
            return None
        return compare(self.scores, measure=self.measure, method=self.method)

    def curves(self) -> Curves | None:
        two = self.scores.n_classes == 2 and self.scores.positive is not None
        if self.scores.kind == "decisions" or (not two and self.scores.kind != "matrix"):
            return None
        many = len(self.scores.classifiers) * (1 if two else self.scores.n_classes)
        points = int(np.clip(CURVE_POINTS // many, 16, POINTS))
        banded: Literal["pointwise"] | None = "pointwise" if many <= BANDS else None
        made, off = {}, 0.0
        for problem in binary_problems(self.scores, None if two else "ova"):
            found = curve(problem.scores, band=banded, level=self.level, method=self.method)
            assert isinstance(found, Curve)
            kept = found.thinned(POINTS, TOLERANCE) if points == POINTS else at_most(found, points)
            off = max(off, _off(kept, found))
            made[problem.key] = replace(kept, _area=detached(found))
        self._thinned(f"The {many} curves are", points, off if off > TOLERANCE else 0.0)
        return Curves("classifier" if two else "class", made, {})

    def _thinned(self, what: str, points: int, off: float) -> None:
        if off > ROUNDED:
            self.notes.append(
                f"{what} drawn from {points} points each at most, by which the area below them changes by up to "
                f"{1.06 * off:.2g}; the areas that are told are of all points."  # 1.06: still a bound when rounded
            )

    def pairs(self) -> Curves | None:
        each = self.scores.n_classes * (self.scores.n_classes - 1)
        if self.scores.kind != "matrix" or each < 6 or self.scores.absent:
            return None
        scores = self._best(PAIRS // each)
        if not scores.values:
            raise NotApplicableError(f"{each} curves for every classifier would make the page too large.")
        points = int(np.clip(PAIR_POINTS // (each * len(scores.values)), 16, POINTS))
        made, off = {}, 0.0
        for problem in binary_problems(scores, "ovo"):
            found = curve(problem.scores, drop_intermediate=True, method=None)
            assert isinstance(found, Curve)
            kept = at_most(found, points)
            off = max(off, _off(kept, found))
            made[problem.key] = replace(kept, _area=detached(found))
        self._thinned("Curves of pairs of classes are", points, off)
        return Curves("pair", made, {})

    def _best(self, many: int) -> Scores:
        """So many classifiers at most, those with the largest pairwise areas."""
        if many >= len(self.scores.values):
            return self.scores
        areas = {name: each.value for (name, key), each in self.estimates.items() if key == "hand_till"}
        best = sorted(areas, key=lambda name: -areas[name])[:many]
        if best:
            self.notes.append(f"Curves of pairs of classes are of {', '.join(best)} alone: all would be too many.")
        return replace(self.scores, values={name: self.scores.values[name] for name in best})

    def surfaces(self) -> dict[str, Surface] | None:
        measure = "mossman" if self.scores.kind == "matrix" else "vus"
        if self.scores.n_classes != 3 or self.scores.kind == "decisions" or self.scores.absent:
            return None
        if measure == "vus" and not self.scores.ordered:
            return None
        scores = self.scores
        if len(scores) > SURFACE_CASES:
            scores = part_of(scores, drawn(scores, SURFACE_CASES, self.seed))
            many = f"{len(scores)} of the {len(self.scores)} cases"
            self.notes.append(f"The surface is drawn from {many}; its volume is that of all.")
        found = surface(scores, measure=measure, points=30, method=None)
        drawings = {found.classifier: found} if isinstance(found, Surface) else found
        return {
            name: replace(each, volume=self.estimates.get((name, measure), each.volume))
            for name, each in drawings.items()
        }

    def rates(self) -> dict[str, Any] | None:
        if self.scores.kind == "score":
            return None
        self._refuse_many()
        return {name: rates_of(self.scores, name, None) for name in self.scores.classifiers}

    def _refuse_many(self) -> None:
        """Of very many classes no matrix is made: it could not be read, and takes long."""
        if self.scores.n_classes > MOST_CLASSES:
            raise NotApplicableError(f"there are more than {MOST_CLASSES} classes.")

    def points(self) -> dict[str, Any] | None:
        if self.scores.kind == "decisions" or (self.scores.n_classes > 2 and self.scores.kind != "matrix"):
            return None
        self._refuse_many()
        calibrated = self.scores.n_classes > 2
        names = self.scores.classifiers
        return {name: operate(self.scores, classifier=name, calibrated=calibrated) for name in names}

    def fronts(self) -> dict[str, Any] | None:
        desk = self.desk
        if desk is None or desk.kind != "matrix" or not 2 < desk.n_classes <= FRONT_CLASSES:
            return None
        effort = FRONT_EFFORT / (len(desk) * desk.n_classes**2)
        room = min(DRAWS, FRONT_BYTES / (12 * desk.n_classes * (desk.n_classes - 1))) / len(desk.classifiers)
        if room < FEWEST:
            raise NotApplicableError(
                f"{len(desk.classifiers)} of them, large enough, would make the page too large."
            )
        n = int(np.clip(min(effort, room), FEWEST, 5000))
        found = fixed_front(desk, n=n, rng=self.seed)
        return found if isinstance(found, dict) else {found.classifier: found}


def detached(found: Curve) -> Callable[[], Estimate]:
    """The area without the cases it was made of, which would otherwise be kept as long as the curve."""
    area = Estimate.from_dict(found.area.to_dict())
    return lambda: area


def _off(kept: Curve, found: Curve) -> float:
    """By how much the area below fewer points differs."""
    return abs(float(np.trapezoid(kept.tpr, kept.fpr)) - found.area.value)


def at_most(found: Curve, points: int) -> Curve:
    """So many points and no more: a picture, whose area is told apart."""
    from polyroc.kernels.curves import thin

    kept = thin(found.fpr, found.tpr, points)
    return replace(found, fpr=found.fpr[kept], tpr=found.tpr[kept], thresholds=found.thresholds[kept])


def drawn(scores: Scores, cases: int, seed: int) -> IntArray:
    """So many cases, each class in its share and, if there is room, fifty more of it, in the order of the data."""
    rng = np.random.default_rng(seed)
    least = min(50, cases // (2 * scores.n_classes))
    share = max(0, cases - least * scores.n_classes) / len(scores)
    kept = []
    for k in range(scores.n_classes):
        own = np.flatnonzero(scores.codes == k)
        size = min(len(own), least + int(share * len(own)))
        kept.append(rng.choice(own, size, replace=False))
    return np.sort(np.concatenate(kept))


def part_of(scores: Scores, cases: IntArray) -> Scores:
    """Some of the cases."""
    return replace(
        scores,
        codes=scores.codes[cases],
        values={name: values[cases] for name, values in scores.values.items()},
        sample_weight=None if scores.sample_weight is None else scores.sample_weight[cases],
        groups=None if scores.groups is None else np.unique(scores.groups[cases], return_inverse=True)[1],
    )
