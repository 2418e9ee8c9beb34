"""Findings of a study: values, the recommended test, groups, ranks, and results of the predictions."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np

from polyroc._results.codec import NOT_STORED
from polyroc._results.result import Result
from polyroc.curves.result import Curve, Curves
from polyroc.errors import InputError, PolyrocError, PolyrocWarning
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.evaluation import Evaluation
from polyroc.inference.evaluate import evaluate
from polyroc.inference.methods import DEFAULT, Method
from polyroc.measures.registry import measure as registered_measure
from polyroc.progress import Progress, track
from polyroc.reports.collection import CURVE_POINTS, detached_area, thinned
from polyroc.scores import Scores
from polyroc.studies import summaries
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.result import Study
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.paired_tests import PairedTests
from polyroc.studies.summaries.range_tests import RangeTest
from polyroc.studies.summaries.recommendation import Recommendation
from polyroc.studies.summaries.spread import Spread

__all__ = ["ALL_DATA_SETS", "StudyFindings", "StudyTest", "collect_study"]

ALL_DATA_SETS = "all data sets"  # the key of a test over data sets
ALL_CURVE_POINTS = 80_000  # of the pooled curves together
MOST_BANDS = 120  # curves beyond which they are drawn without bands
StudyTest = PairedTests | Comparison | Friedman
KINDS: Mapping[str, Any] = {kind.__name__: kind for kind in (PairedTests, Comparison, Friedman)}
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StudyFindings(Result):
    """The results behind the report of a study.

    Attributes
    ----------
    study, measure
        The study, and the measure by which learners are compared.
    spread
        Mean and standard deviation over folds, by data set and learner.
    recommendation
        The test that suits the study, and why; None if there is nothing to compare.
    tests
        The results of this test by data set, or one for `ALL_DATA_SETS`.
    duncan
        Groups of learners, by data set.
    friedman
        Mean ranks over data sets, if there are several.
    curves, pooled
        By data set, from the predictions: ROC curves of all folds as one sample if there are two classes and the
        positive one is known, else measures, within folds and averaged, with the pooled values beside them.
    """

    study: Study
    measure: str
    spread: Spread
    recommendation: Recommendation | None = None
    tests: Mapping[str, StudyTest] = field(default_factory=dict)
    duncan: Mapping[str, RangeTest] = field(default_factory=dict)
    friedman: Friedman | None = None
    curves: Mapping[str, Curves] = field(
        default_factory=dict, metadata=NOT_STORED
    )  # computed again from the store
    pooled: Mapping[str, Evaluation] = field(default_factory=dict)

    def __repr__(self) -> str:
        test = "no test" if self.recommendation is None else self.recommendation.test
        return f"StudyFindings({self.measure}, {test}: {self.study!r})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per data set and learner."""
        return self.spread.rows(level)


def collect_study(
    study: Study,
    measure: str | None = None,
    *,
    method: Method | None = DEFAULT,
    level: float = 0.95,
    progress: Progress | None = None,
) -> tuple[StudyFindings, tuple[str, ...]]:
    """The findings of a study by a measure (the first of its plan by default), and notes on what was left out.

    Tests are at 1 - level. Folds in which a learner failed are left out of them for all learners, as is a learner
    without any value; `method` gives the standard errors of measures of the predictions.
    """
    key = study.measures[0] if measure is None else str(registered_measure(measure))
    if not any(study.applies(key, name) for name in study.data_sets):
        raise InputError(
            f"{key} applies to no data set of this study; its measures are {', '.join(study.measures)}."
        )
    work = _StudyCollection(study, key, method, level)
    steps: dict[str, Callable[[], Any]] = {
        "spread": lambda: study.spread(key),
        "recommendation": work.recommendation,
        "tests": work.tests,
        "duncan": work.duncan,
        "friedman": work.friedman,
        "curves": work.curves,
        "pooled": work.pooled,
    }
    results: dict[str, Any] = {}
    for name in track(list(steps), progress):
        results[name] = steps[name]()
    return StudyFindings(study, key, **results), tuple(dict.fromkeys([*study.notes, *work.notes]))


class _StudyCollection:
    def __init__(self, study: Study, measure: str, method: Method | None, level: float) -> None:
        self.study, self.measure, self.method = study, measure, method
        self.level, self.alpha = level, round(1 - level, 12)
        self.notes: list[str] = []
        tables = study.tables(measure)
        evaluated = np.any([np.isfinite(table.values).any(axis=0) for table in tables], axis=0)
        self.learners = tuple(name for name, keep in zip(study.learners, evaluated, strict=True) if keep)
        self.tables = [
            replace(table, values=table.values[:, evaluated], learners=self.learners) for table in tables
        ]
        self.test: str | None = None
        self._scores: dict[tuple[str, str | None], Scores | None] = {}

    def attempt(self, name: str, step: Callable[[], T]) -> T | None:
        """The result of a step, its warnings as notes; None if it does not apply, with a note on the reason."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PolyrocWarning)
            try:
                return step()
            except PolyrocError as reason:
                self.notes.append(f"No {name}: {reason}")
                return None
            finally:
                self.notes += [
                    str(warning.message) for warning in caught if issubclass(warning.category, PolyrocWarning)
                ]

    def by_data_set(self, name: str, step: Callable[[FoldTable], T | None]) -> dict[str, T]:
        """The results of a step by data set, where it applies."""
        results = {}
        for table in self.tables:
            result = self.attempt(f"{name} on {table.data_set}", partial(step, table))
            if result is not None:
                results[table.data_set] = result
        return results

    def recommendation(self) -> Recommendation | None:
        if len(self.learners) < 2:
            return None
        recommendation = summaries.recommend(self.tables)
        self.test = recommendation.test
        return recommendation

    def tests(self) -> Mapping[str, Any]:
        if self.test == "corrected_t":
            return self.by_data_set("corrected t", lambda table: summaries.corrected_t(table, missing="drop"))
        if self.test == "fold_test":
            return self.by_data_set("test of the predictions", self._fold_test)
        test: StudyTest | None = None
        if self.test == "friedman":
            test = self.friedman()
        elif self.test == "wilcoxon":
            test = self.attempt("test over data sets", lambda: summaries.wilcoxon(self.tables, missing="drop"))
        return {} if test is None else {ALL_DATA_SETS: test}

    def _fold_test(self, table: FoldTable) -> Comparison | None:
        scores = self.scores(table.data_set, "all")
        if scores is None or self.method is None:
            return None
        return summaries.fold_test(scores, self.measure, method=self.method)

    def duncan(self) -> dict[str, RangeTest]:
        if self.test is None or all(len(table.values) < 2 for table in self.tables):
            return {}
        return self.by_data_set("groups", lambda table: summaries.duncan(table, alpha=self.alpha, missing="drop"))

    def friedman(self) -> Friedman | None:
        if self.test is None or len(self.tables) < 2:
            return None
        return self.attempt(
            "mean ranks", lambda: summaries.friedman(self.tables, alpha=self.alpha, missing="drop")
        )

    def scores(self, data_set: str, repeat: Literal["all"] | None = None) -> Scores | None:
        """The predictions of the learners that have any, of the first repeat or of all."""
        key = data_set, repeat
        if key not in self._scores:
            values = self.study.values(self.measure, data_set).values
            evaluated = np.asarray(np.isfinite(values).any(axis=0))
            learners = [name for name, keep in zip(self.study.learners, evaluated, strict=True) if keep]
            self._scores[key] = None
            if learners:
                name = f"predictions of {data_set}"
                self._scores[key] = self.attempt(name, lambda: self.study.scores(data_set, learners, repeat))
        return self._scores[key]

    def curves(self) -> dict[str, Curves]:
        return self.by_data_set("curves", self._curves)

    def _curves(self, table: FoldTable) -> Curves | None:
        scores = self.scores(table.data_set)
        if scores is None or scores.n_classes > 2:
            return None
        if scores.positive is None:
            self.notes.append(f"No curves on {table.data_set}: the plan names no positive class (positive = ...).")
            return None
        number = len(self.tables) * len(self.learners)
        band = "pointwise" if number <= MOST_BANDS and self.method is not None else None
        pooled = summaries.pooled_roc(scores, band=band, level=self.level, method=self.method)
        curves = {pooled.classifier: pooled} if isinstance(pooled, Curve) else pooled.curves
        points = int(np.clip(ALL_CURVE_POINTS // number, 16, CURVE_POINTS))
        fewer = {
            name: replace(thinned(curve, points), _area=detached_area(curve)) for name, curve in curves.items()
        }
        return Curves("classifier", fewer, {})

    def pooled(self) -> dict[str, Evaluation]:
        return self.by_data_set("measures of the predictions", self._pooled)

    def _pooled(self, table: FoldTable) -> Evaluation | None:
        scores = self.scores(table.data_set, "all")
        if scores is None or (scores.n_classes == 2 and scores.positive is not None):
            return None
        applicable = [key for key in self.study.measures if self.study.applies(key, table.data_set)]
        keys = list(dict.fromkeys([self.measure, *applicable]))
        result = evaluate(scores, measure=keys, method=self.method)
        if isinstance(result, Evaluation):
            return result
        return Evaluation({(result.classifier, result.measure): result}, {})
