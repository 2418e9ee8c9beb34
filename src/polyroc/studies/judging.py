"""The tests of a study, one line each: see `polyroc.studies.summaries` for what they do and assume."""

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from polyroc.results.result import Result
from polyroc.scores import Scores
from polyroc.studies.table import FoldTable

if TYPE_CHECKING:
    from polyroc.results import Comparison, Curve, Curves
    from polyroc.results.recommendation import Recommendation
    from polyroc.results.spread import Spread

__all__ = ["Judged"]


class Judged(Result):
    """Something with fold values, to which the tests apply.

    Tests on the folds of a data set (`anova`, `duncan`, `tukey`, `corrected_t`) give one result if there is one
    data set or one is named, else a dict by data set; tests over data sets (`friedman`, `wilcoxon`) take all of
    them. The measure is the first of the plan unless it is named; other options are those of the summary.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def data_sets(self) -> tuple[str, ...]:
        """Names of the data sets."""

    @abstractmethod
    def values(self, measure: str | None = None, data_set: str | None = None) -> FoldTable:
        """The values of a measure on a data set."""

    @abstractmethod
    def tables(self, measure: str | None = None) -> list[FoldTable]:
        """The values of a measure on every data set that it fits."""

    @abstractmethod
    def scores(self, data_set: str | None = None) -> Scores:
        """The pooled predictions of a data set."""

    @abstractmethod
    def fold_counts(self) -> dict[str, tuple[float, float]]:
        """Positive and negative cases of a test fold, on average, of data sets with two classes."""

    def anova(self, measure: str | None = None, data_set: str | None = None, **options: Any) -> Any:
        """Two-way analysis of variance, folds as blocks."""
        from polyroc.studies.summaries import anova

        return self._each(anova, measure, data_set, options)

    def duncan(self, measure: str | None = None, data_set: str | None = None, **options: Any) -> Any:
        """Duncan's multiple range test."""
        from polyroc.studies.summaries import duncan

        return self._each(duncan, measure, data_set, options)

    def tukey(self, measure: str | None = None, data_set: str | None = None, **options: Any) -> Any:
        """Tukey's honestly significant differences."""
        from polyroc.studies.summaries import tukey

        return self._each(tukey, measure, data_set, options)

    def corrected_t(self, measure: str | None = None, data_set: str | None = None, **options: Any) -> Any:
        """Nadeau & Bengio's corrected resampled t test of all pairs."""
        from polyroc.studies.summaries import corrected_t

        return self._each(corrected_t, measure, data_set, options)

    def friedman(self, measure: str | None = None, **options: Any) -> Any:
        """Friedman's test over data sets, with Nemenyi's critical difference."""
        from polyroc.studies.summaries import friedman

        return friedman(self.tables(measure), **options)

    def wilcoxon(self, measure: str | None = None, **options: Any) -> Any:
        """Wilcoxon's signed-rank test of all pairs over data sets, adjusted after Holm."""
        from polyroc.studies.summaries import wilcoxon

        return wilcoxon(self.tables(measure), **options)

    def bayes(self, measure: str | None = None, data_set: str | None = None, **options: Any) -> Any:
        """Bayesian tests with a region of practical equivalence: correlated t, or signed ranks over data sets."""
        from polyroc.studies.summaries import correlated_t, signed_rank

        if data_set is None and len(self.data_sets) > 1:
            return signed_rank(self.tables(measure), **options)
        return correlated_t(self.values(measure, data_set), **options)

    def spread(self, measure: str | None = None, data_set: str | None = None) -> "Spread":
        """Mean and standard deviation over folds, beside SE(W) for `auc` and `gini`."""
        from polyroc.studies.summaries import spread

        tables = self.tables(measure) if data_set is None else [self.values(measure, data_set)]
        counts = self.fold_counts() if tables and tables[0].measure in ("auc", "gini") else None
        return spread(tables, fold_counts=counts)

    def pooled_test(
        self, measure: str | None = None, data_set: str | None = None, **options: Any
    ) -> "Comparison | dict[str, Comparison]":
        """DeLong's kind of test on the pooled predictions, folds as groups."""
        from polyroc.studies.summaries import pooled_test

        if data_set is None and len(self.data_sets) > 1:
            key = self.tables(measure)[0].measure
            return {
                each.data_set: pooled_test(self.scores(each.data_set), key, **options) for each in self.tables(key)
            }
        key = self.values(measure, data_set).measure
        return pooled_test(self.scores(data_set), key, **options)

    def pooled_roc(self, data_set: str | None = None, **options: Any) -> "Curve | Curves":
        """One ROC curve of the cases of all folds for each learner."""
        from polyroc.studies.summaries import pooled_roc

        return pooled_roc(self.scores(data_set), **options)

    def averaged_roc(self, data_set: str | None = None, **options: Any) -> "Curve | Curves":
        """The mean of the folds' ROC curves for each learner."""
        from polyroc.studies.summaries import averaged_roc

        return averaged_roc(self.scores(data_set), **options)

    def recommend(self, measure: str | None = None) -> "Recommendation":
        """Which test suits the study, and why."""
        from polyroc.studies.summaries import recommend

        return recommend(self.tables(measure))

    def _each(
        self, test: Callable[..., Any], measure: str | None, data_set: str | None, options: dict[str, Any]
    ) -> Any:
        if data_set is None and len(self.data_sets) > 1:
            return {table.data_set: test(table, **options) for table in self.tables(measure)}
        return test(self.values(measure, data_set), **options)
