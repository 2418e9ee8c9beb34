"""Findings of a study: its values, the test that suits it, groups, ranks, and what its pooled predictions say."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from polyroc.curves.result import Curve, Curves
from polyroc.errors import InputError, PolyrocError, PolyrocWarning
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.evaluation import Evaluation
from polyroc.inference.evaluate import evaluate
from polyroc.inference.methods import DEFAULT, Method
from polyroc.measures.registry import measure as find
from polyroc.progress import Progress, track
from polyroc.reports.collection import POINTS, at_most, detached
from polyroc.results.codec import NOT_STORED
from polyroc.results.result import Result
from polyroc.scores import Scores
from polyroc.studies import summaries
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.result import Study
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.paired_tests import PairedTests
from polyroc.studies.summaries.range_tests import RangeTest
from polyroc.studies.summaries.recommendation import Recommendation
from polyroc.studies.summaries.spread import Spread

__all__ = ["EVERYWHERE", "StudyFindings", "Test", "judged"]

EVERYWHERE = "all data sets"  # the key of a test over data sets
CURVE_POINTS = 80_000  # of all pooled curves together
MOST_BANDS = 120  # curves beyond which they are drawn without bands
Test = PairedTests | Comparison | Friedman
KINDS: Mapping[str, Any] = {kind.__name__: kind for kind in (PairedTests, Comparison, Friedman)}
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StudyFindings(Result):
    """What a report of a study tells of.

    Attributes
    ----------
    study, measure
        What was run, and the measure by which learners are compared.
    spread
        Mean and standard deviation over folds, by data set and learner.
    recommendation
        Which test suits the study, and why; None if there is nothing to compare.
    tests
        The results of this test by data set, or one, of `EVERYWHERE`.
    duncan
        Groups of learners, by data set.
    friedman
        Mean ranks over data sets, if there are several.
    curves, pooled
        By data set, from the predictions of all folds: ROC curves of two classes, if the positive one is known;
        else measures.
    """

    study: Study
    measure: str
    spread: Spread
    recommendation: Recommendation | None = None
    tests: Mapping[str, Test] = field(default_factory=dict)
    duncan: Mapping[str, RangeTest] = field(default_factory=dict)
    friedman: Friedman | None = None
    curves: Mapping[str, Curves] = field(default_factory=dict, metadata=NOT_STORED)  # in the store, drawn anew
    pooled: Mapping[str, Evaluation] = field(default_factory=dict)

    def __repr__(self) -> str:
        test = "no test" if self.recommendation is None else self.recommendation.test
        return f"StudyFindings({self.measure}, {test}: {self.study!r})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per data set and learner."""
        return self.spread.rows(level)


def judged(
    study: Study,
    measure: str | None = None,
    *,
    method: Method | None = DEFAULT,
    level: float = 0.95,
    progress: Progress | None = None,
) -> tuple[StudyFindings, tuple[str, ...]]:
    """What a study says by a measure (the first of its plan by default), and notes on what was left out and why.

    Tests are at 1 - level. Folds in which a learner failed are left out of them for all learners, as is a learner
    without any value; `method` makes the error bars of the pooled predictions.
    """
    key = study.measures[0] if measure is None else str(find(measure))
    if not any(study.applies(key, name) for name in study.data_sets):
        raise InputError(
            f"{key} fits no data set of this study; its measures are {', '.join(study.measures)}: name one."
        )
    work = _Work(study, key, method, level)
    steps: dict[str, Callable[[], Any]] = {
        "spread": lambda: study.spread(key),
        "recommendation": work.recommendation,
        "tests": work.tests,
        "duncan": work.duncan,
        "friedman": work.friedman,
        "curves": work.curves,
        "pooled": work.pooled,
    }
    found: dict[str, Any] = {}
    for name in track(list(steps), progress):
        found[name] = steps[name]()
    return StudyFindings(study, key, **found), tuple(dict.fromkeys(work.notes))


class _Work:
    def __init__(self, study: Study, measure: str, method: Method | None, level: float) -> None:
        self.study, self.measure, self.method = study, measure, method
        self.level, self.alpha = level, round(1 - level, 12)
        self.notes: list[str] = []
        whole = study.tables(measure)
        known = np.any([np.isfinite(table.values).any(axis=0) for table in whole], axis=0)
        self.learners = tuple(name for name, keep in zip(study.learners, known, strict=True) if keep)
        self.tables = [replace(each, values=each.values[:, known], learners=self.learners) for each in whole]
        self.test: str | None = None
        self._scores: dict[str, Scores | None] = {}

    def trying(self, what: str, step: Callable[[], T]) -> T | None:
        """Warnings become notes; what cannot be had is left out, and a note says why."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PolyrocWarning)
            try:
                return step()
            except PolyrocError as reason:
                self.notes.append(f"No {what}: {reason}")
                return None
            finally:
                self.notes += [str(each.message) for each in caught if issubclass(each.category, PolyrocWarning)]

    def each(self, what: str, step: Callable[[FoldTable], T | None]) -> dict[str, T]:
        """By data set, where it is available."""
        made = {
            table.data_set: self.trying(f"{what} on {table.data_set}", lambda table=table: step(table))  # type: ignore[misc]
            for table in self.tables
        }
        return {name: each for name, each in made.items() if each is not None}

    def recommendation(self) -> Recommendation | None:
        if len(self.learners) < 2:
            return None
        found = summaries.recommend(self.tables)
        self.test = found.test
        return found

    def tests(self) -> Mapping[str, Any]:
        if self.test == "corrected_t":
            return self.each("corrected t", lambda table: summaries.corrected_t(table, missing="drop"))
        if self.test == "pooled_test":
            return self.each("pooled test", self._pooled_test)
        made: Test | None = None
        if self.test == "friedman":
            made = self.friedman()
        elif self.test == "wilcoxon":
            made = self.trying("test over data sets", lambda: summaries.wilcoxon(self.tables, missing="drop"))
        return {} if made is None else {EVERYWHERE: made}

    def _pooled_test(self, table: FoldTable) -> Comparison | None:
        scores = self.scores(table.data_set)
        if scores is None or self.method is None:
            return None
        return summaries.pooled_test(scores, self.measure, method=self.method)

    def duncan(self) -> dict[str, RangeTest]:
        if self.test in (None, "pooled_test"):
            return {}
        return self.each("groups", lambda table: summaries.duncan(table, alpha=self.alpha, missing="drop"))

    def friedman(self) -> Friedman | None:
        if self.test is None or len(self.tables) < 2:
            return None
        return self.trying("mean ranks", lambda: summaries.friedman(self.tables, alpha=self.alpha, missing="drop"))

    def scores(self, data_set: str) -> Scores | None:
        """The pooled predictions of the learners that have any."""
        if data_set not in self._scores:
            values = self.study.values(self.measure, data_set).values
            known = np.asarray(np.isfinite(values).any(axis=0))
            learners = [name for name, keep in zip(self.study.learners, known, strict=True) if keep]
            self._scores[data_set] = None
            if learners:
                what = f"pooled predictions of {data_set}"
                self._scores[data_set] = self.trying(what, lambda: self.study.scores(data_set, learners))
        return self._scores[data_set]

    def curves(self) -> dict[str, Curves]:
        return self.each("curves", self._curves)

    def _curves(self, table: FoldTable) -> Curves | None:
        scores = self.scores(table.data_set)
        if scores is None or scores.n_classes > 2:
            return None
        if scores.positive is None:
            self.notes.append(f"No curves on {table.data_set}: the plan names no positive class (positive = ...).")
            return None
        many = len(self.tables) * len(self.learners)
        band = "pointwise" if many <= MOST_BANDS and self.method is not None else None
        drawn = summaries.pooled_roc(scores, band=band, level=self.level, method=self.method)
        every = {drawn.classifier: drawn} if isinstance(drawn, Curve) else drawn.curves
        points = int(np.clip(CURVE_POINTS // many, 16, POINTS))
        thinned = {name: replace(at_most(each, points), _area=detached(each)) for name, each in every.items()}
        return Curves("classifier", thinned, {})

    def pooled(self) -> dict[str, Evaluation]:
        return self.each("pooled measures", self._pooled)

    def _pooled(self, table: FoldTable) -> Evaluation | None:
        scores = self.scores(table.data_set)
        if scores is None or (scores.n_classes == 2 and scores.positive is not None):
            return None
        own = [key for key in self.study.measures if self.study.applies(key, table.data_set)]
        keys = list(dict.fromkeys([self.measure, *own]))
        found = evaluate(scores, measure=keys, method=self.method)
        return (
            found if isinstance(found, Evaluation) else Evaluation({(found.classifier, found.measure): found}, {})
        )
