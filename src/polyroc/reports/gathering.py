"""From scores to findings: every verb that fits them, one after the other."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from polyroc.costs.operating import operate
from polyroc.costs.rating import rates_of
from polyroc.curves import curve
from polyroc.curves.families import problems
from polyroc.errors import NotApplicableError, OptimismWarning, PolyrocError, PolyrocWarning
from polyroc.fronts.sweeping import front
from polyroc.inference.comparing import compare
from polyroc.inference.evaluating import Progress, evaluate
from polyroc.inference.methods import Method
from polyroc.kernels.arrays import IntArray
from polyroc.measures import measure as find
from polyroc.reports.findings import MOST_CLASSES, Findings
from polyroc.results import Curve, Curves, Estimate, Evaluation, Surface
from polyroc.scores import Scores
from polyroc.surfaces import surface

__all__ = ["POINTS", "at_most", "detached", "drawn", "gather", "headline", "part_of"]

POINTS = 400  # of a curve, about
TOLERANCE = 1e-3  # by which the area under the points that are kept may differ
PAIRS = 6000  # curves of pairs, beyond which none is drawn
PAIR_POINTS = 60_000  # of the curves of all pairs together
SURFACE_CASES = 20_000  # a surface is drawn from so many at most
STEPS = 8  # of the work, each of which may be long
FRONT_CLASSES = 4  # beyond, a front has too many errors to be read
DRAWS, FRONT_EFFORT = 9000, 6e7  # cost vectors over all classifiers; cost vectors x cases of each


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

    def comparison(self) -> Any:
        if len(self.scores.classifiers) < 2 or self.method is None:
            return None
        return compare(self.scores, measure=self.measure, method=self.method)

    def curves(self) -> Curves | None:
        two = self.scores.n_classes == 2 and self.scores.positive is not None
        if self.scores.kind == "decisions" or (not two and self.scores.kind != "matrix"):
            return None
        made = {}
        for problem in problems(self.scores, None if two else "ova"):
            found = curve(problem.scores, band="pointwise", level=self.level, method=self.method)
            assert isinstance(found, Curve)
            kept = found.thinned(POINTS, TOLERANCE)
            made[problem.key] = replace(kept, _area=detached(found))
        return Curves("classifier" if two else "class", made, {})

    def pairs(self) -> Curves | None:
        c, k = self.scores.n_classes, len(self.scores.classifiers)
        if self.scores.kind != "matrix" or c < 3 or self.scores.absent:
            return None
        if c * (c - 1) * k > PAIRS:
            raise NotApplicableError(f"{c * (c - 1) * k} curves would make the page too large.")
        points = int(np.clip(PAIR_POINTS // (c * (c - 1) * k), 16, POINTS))
        made = {}
        for problem in problems(self.scores, "ovo"):
            found = curve(problem.scores, drop_intermediate=True, method=None)
            assert isinstance(found, Curve)
            made[problem.key] = replace(at_most(found, points), _area=detached(found))
        return Curves("pair", made, {})

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
        volumes = self.found["evaluation"].estimates
        return {
            name: replace(each, volume=volumes.get((name, measure), each.volume))
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
        n = int(np.clip(min(FRONT_EFFORT / len(desk), DRAWS / len(desk.classifiers)), 300, 5000))
        found = front(desk, n=n, rng=self.seed)
        return found if isinstance(found, dict) else {found.classifier: found}


def detached(found: Curve) -> Callable[[], Estimate]:
    """The area without the cases it was made of, which would otherwise be kept as long as the curve."""
    area = Estimate.from_dict(found.area.to_dict())
    return lambda: area


def at_most(found: Curve, points: int) -> Curve:
    """So many points and no more: a picture, whose area is told apart."""
    from polyroc.kernels.thinning import thin

    kept = thin(found.fpr, found.tpr, points)
    return replace(found, fpr=found.fpr[kept], tpr=found.tpr[kept], thresholds=found.thresholds[kept])


def drawn(scores: Scores, cases: int, seed: int) -> IntArray:
    """So many cases, each class in its share (and at least fifty of it), in the order of the data."""
    rng = np.random.default_rng(seed)
    share = cases / len(scores)
    kept = []
    for k in range(scores.n_classes):
        own = np.flatnonzero(scores.codes == k)
        size = min(len(own), max(50, round(share * len(own))))
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
