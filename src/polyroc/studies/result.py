"""The result `Study`: values of measures by fold, out-of-fold predictions, and tests between learners."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import numpy as np

from polyroc._results.codec import NOT_STORED, stored_as
from polyroc._results.result import Result
from polyroc.errors import DroppedRowsWarning, InputError, PolyrocError, PolyrocWarning, warn
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.scores import Folds, Scores
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.plan import Plan
from polyroc.studies.splits import Block
from polyroc.studies.store import Failure, LearnerWarning, Store, StoredData
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.signatures import validated, within

if TYPE_CHECKING:
    from polyroc.curves.result import Curve, Curves
    from polyroc.estimates.comparison import Comparison
    from polyroc.studies.summaries.anova import Anova
    from polyroc.studies.summaries.bayesian import Posteriors
    from polyroc.studies.summaries.friedman import Friedman
    from polyroc.studies.summaries.paired_tests import PairedTests
    from polyroc.studies.summaries.range_tests import RangeTest
    from polyroc.studies.summaries.recommendation import Recommendation
    from polyroc.studies.summaries.spread import Spread

__all__ = ["Study"]

T = TypeVar("T")
Predictions = dict[tuple[int, int], FloatArray]  # by learner and block: test cases x classes

_NO_STORE = "This study has values only; open its store with Study.open for predictions and other measures."


def _every_table(study: "Study", _: float) -> dict[tuple[str, str], FoldTable]:
    """Return the values fold by fold, by measure and data set; predictions are not stored."""
    return {(table.measure, table.data_set): table for table in study._all_tables()}


def _notes(store: Store, plan: Plan) -> list[str]:
    """Sentences on duplicates of cases, and on learners whose fits are of several versions."""
    mixed = [
        f"The fits of {plan.learners[number].name!r} are of {len(codes)} versions of its parameters or packages."
        for number, codes in store.codes().items()
        if len(codes) > 1
    ]
    copies = [data_set.duplicates.text for data_set in store.data_sets() if data_set.duplicates is not None]
    return [*copies, *mixed]


def _renumbered(groups: IntArray) -> IntArray:
    """Number groups from 0 without gaps."""
    return np.asarray(np.unique(groups, return_inverse=True)[1], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Study(Result):
    """Learners compared on data sets by cross-validation. Made by `polyroc.study`, or read by `Study.open`.

    Tests over the folds of a data set (`anova`, `duncan`, `tukey`, `corrected_t`, `five_by_two`, `fold_test`)
    return one result if there is one data set or `data_set` is given, else a dict by data set; tests over data
    sets (`friedman`, `wilcoxon`) use all of them. The measure is the first of the plan by default. Other options
    are those of the function of the same name in `polyroc.studies.summaries`, which documents the test and what it
    assumes.

    Attributes
    ----------
    plan
        The plan of the study.
    failures
        The fits that failed: data set, learner, repeat, fold, message.
    left
        Number of fits still to be done, if the run was stopped; run the same plan again to resume.
    versions
        Versions of polyroc, Python, numpy and scikit-learn.
    warnings
        Warnings of the learners: data set, learner, message, number of folds.
    notes
        What to know of the cases and the fits: copies of test cases among training cases, learners whose fits are
        of several versions of their parameters or packages.
    path
        The store, which has every prediction; None for a study that has values only (`from_dict`).
    """

    plan: Plan
    failures: tuple[Failure, ...]
    left: int
    versions: dict[str, str]
    warnings: tuple[LearnerWarning, ...] = field(default=(), metadata=NOT_STORED)
    notes: tuple[str, ...] = field(default=(), metadata=NOT_STORED)
    path: Path | None = field(default=None, metadata=NOT_STORED)
    _data: tuple[StoredData, ...] = field(default=(), repr=False, metadata=NOT_STORED)
    _blocks: tuple[tuple[Block, ...], ...] = field(default=(), repr=False, metadata=NOT_STORED)
    _tables: dict[tuple[str, str], FoldTable] = field(  # by measure and data set
        default_factory=dict, repr=False, metadata=stored_as(encode=_every_table)
    )
    _predictions: dict[int, Predictions] = field(  # by data set, read when needed
        default_factory=dict, repr=False, metadata=NOT_STORED
    )

    @classmethod
    @validated
    def open(cls, path: "str | PathLike[str]") -> "Study":
        """Open the study in a store."""
        try:
            with Store.open(Path(path)) as store:
                return cls.from_store(store)
        except PolyrocError:
            raise
        except OSError as error:  # a name that is too long, a folder without permission
            raise InputError(f"The store '{path}' cannot be read ({error.strerror}).") from None

    @classmethod
    def from_store(cls, store: Store) -> "Study":
        """Read the study in a store that is open already."""
        plan = store.plan
        blocks = tuple(map(tuple, store.blocks()))
        total = sum(map(len, blocks)) * len(plan.learners)
        return cls(
            plan=plan,
            failures=tuple(store.failures()),
            left=total - len(store.done()),
            versions=store.versions(),
            warnings=tuple(store.warnings()),
            notes=tuple(_notes(store, plan)),
            path=store.path,
            _data=tuple(store.data_sets()),
            _blocks=blocks,
        )

    @property
    def data_sets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(data_set.name for data_set in self.plan.data)

    @property
    def learners(self) -> tuple[str, ...]:
        """Names of the learners."""
        return tuple(learner.name for learner in self.plan.learners)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of the plan. Others are available too, computed from the stored predictions."""
        return self.plan.measures

    def __repr__(self) -> str:
        state = f", {self.left} fits left" if self.left else ""
        state += f", {len(self.failures)} failed" if self.failures else ""
        learners = f"{len(self.learners)} learners on {', '.join(self.data_sets)}"
        return f"Study({learners}: {', '.join(self.measures)}{state})"

    # Values and predictions ------------------------------------------------------------------------------------

    @validated
    def values(self, measure: str | None = None, data_set: str | None = None) -> FoldTable:
        """Return the values of a measure on a data set: folds x learners. A leave-one-out is one block.

        By default the first measure of the plan; `data_set` is required if there are several.
        """
        name = self._data_set(data_set)
        key = self._measure(measure)
        if (key, name) not in self._tables:
            self._compute(key, name)
        return self._tables[key, name]

    @validated
    def tables(self, measure: str | None = None) -> list[FoldTable]:
        """Return the values of a measure on every data set to which it applies."""
        return [self.values(measure, name) for name in self.data_sets if self.applies(measure, name)]

    @validated
    def applies(self, measure: str | None, data_set: str) -> bool:
        """Whether a measure is defined for the number of classes of a data set."""
        key = self._measure(measure)
        if self.path is None:
            return (key, data_set) in self._tables
        from polyroc.measures.registry import measure as find_measure
        from polyroc.studies.fold_values import applies

        return applies(find_measure(key), self._data[self._position(data_set)], self.plan.kind)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - there are no intervals
        """One record per data set, learner, fold and measure."""
        return [
            {
                "data_set": table.data_set,
                "learner": learner,
                "repeat": repeat,
                "fold": fold,
                "measure": table.measure,
                "value": value,
            }
            for table in self._all_tables()
            for learner, column in zip(table.learners, table.values.T.tolist(), strict=True)
            for (repeat, fold), value in zip(table.blocks, column, strict=True)
        ]

    @validated
    def predictions(self, data_set: str | None = None) -> dict[str, np.ndarray[Any, Any]]:
        """Every out-of-fold prediction as columns of a data frame: one row per learner, case and class."""
        names = self.data_sets if data_set is None else (data_set,)
        parts = [self._prediction_columns(self._position(name)) for name in names]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    @validated
    def scores(
        self,
        data_set: str | None = None,
        learners: Sequence[str] | None = None,
        repeat: Annotated[int, within(0)] | Literal["all"] | None = None,
    ) -> Scores:
        """Return the predictions of a data set with their folds, for `evaluate`, `compare`, `curve`, `report`.

        Of repeated folds the first repeat by default, or "all"; of a hold-out all test sets. Folds in which a
        learner failed are left out, with a warning. A leave-one-out is pooled, because a fold of one case has no
        value of its own; a single test set has no folds.
        """
        position = self._position(data_set)
        chosen = [self._learner(name) for name in (self.learners if learners is None else learners)]
        if not chosen:
            raise InputError("learners is an empty list; name one learner or more, or None for all.")
        predictions, data = self._read_predictions(position), self._data[position]
        if self.plan.splitting.kind != "hold-out" and repeat is None:
            repeat = 0
        blocks = self._blocks[position]
        wanted = [k for k, block in enumerate(blocks) if repeat in (None, "all", block.repeat)]
        complete = [k for k in wanted if all((learner, k) in predictions for learner in chosen)]
        if not wanted:
            raise InputError(f"repeat must be below {blocks[-1].repeat + 1}, the number of repeats, got {repeat}.")
        if not complete:
            raise InputError(
                f"There is no fold of {data.name!r} in which all of these learners have predictions; choose "
                "others with learners=[...]."
            )
        if len(complete) < len(wanted):
            warn(
                f"{len(wanted) - len(complete)} of {len(wanted)} folds of {data.name!r} are left out, because a "
                "learner has no predictions there.",
                DroppedRowsWarning,
            )
        tests = [blocks[k].test for k in complete]
        return Scores._make(
            codes=data.truth[np.concatenate(tests)].astype(np.int32),
            labels=data.labels,
            values={
                self.learners[j]: self._values(np.concatenate([predictions[j, k] for k in complete]), data)
                for j in chosen
            },
            kind=self.plan.kind,
            positive=data.positive,
            groups=None if data.groups is None else _renumbered(data.groups[np.concatenate(tests)]),
            folds=self._score_folds([blocks[k] for k in complete]),
        )

    def _values(self, table: FloatArray, data: StoredData) -> FloatArray:
        """Predictions as `Scores` have them: of scores the column of the positive class."""
        return np.ascontiguousarray(table[:, data.positive]) if self.plan.kind == "score" else table

    def _score_folds(self, blocks: Sequence[Block]) -> Folds | None:
        """Return the folds of predictions; None for a single test set, whose cases have one classifier."""
        if len(blocks) == 1:
            return None
        case = np.concatenate([block.test for block in blocks])
        cases, number = np.unique(case, return_inverse=True)
        _, repeat = np.unique([block.repeat for block in blocks], return_inverse=True)
        several = int(repeat.max()) > 0
        return Folds(
            np.repeat(np.arange(len(blocks), dtype=np.int32), [len(block.test) for block in blocks]),
            tuple(f"repeat {b.repeat + 1}, fold {b.fold + 1}" if several else f"{b.fold + 1}" for b in blocks),
            repeat,
            number if len(cases) < len(case) else None,
            self._pools_folds,
        )

    def fit_times(self) -> list[dict[str, Any]]:
        """One record per fit, failed ones too, with the seconds it took to train and predict."""
        if self.path is None:
            raise InputError(_NO_STORE)
        with Store.open(self.path) as store:
            seconds = store.seconds()
        return [
            {
                "data_set": self.data_sets[key.data_set],
                "learner": self.learners[key.learner],
                "repeat": self._blocks[key.data_set][key.block].repeat,
                "fold": self._blocks[key.data_set][key.block].fold,
                "seconds": seconds[key],
            }
            for key in sorted(seconds)
        ]

    def fold_counts(self) -> dict[str, tuple[float, float]]:
        """Mean numbers of positive and negative cases in a test fold, of the data sets with two classes."""
        counts = {}
        for data, blocks in zip(self._data, self._blocks, strict=True):
            if data.positive is not None and len(data.labels) == 2:
                folds = 1 if self._pools_folds else len(blocks)
                tested = data.truth[np.concatenate([block.test for block in blocks])]
                positives = float((tested == data.positive).sum()) / folds
                counts[data.name] = positives, len(tested) / folds - positives
        return counts

    # Tests between learners --------------------------------------------------------------------------------------

    @validated
    def recommend(self, measure: str | None = None) -> "Recommendation":
        """Recommend the test that suits the number of data sets, learners and folds, with the reason."""
        from polyroc.studies.summaries import recommend

        return recommend(self.tables(measure))

    @validated
    def spread(self, measure: str | None = None, data_set: str | None = None) -> "Spread":
        """Mean and standard deviation over folds; for `auc` and `gini` also Hanley & McNeil's standard error."""
        from polyroc.studies.summaries import spread

        tables = self.tables(measure) if data_set is None else [self.values(measure, data_set)]
        return spread(tables, fold_counts=self.fold_counts())

    @validated
    def anova(
        self, measure: str | None = None, data_set: str | None = None, **options: Any
    ) -> "Anova | dict[str, Anova]":
        """Two-way analysis of variance with folds as blocks: whether any learners differ on a data set."""
        from polyroc.studies.summaries import anova

        return self._on_data_sets(anova, measure, data_set, options)

    @validated
    def duncan(
        self, measure: str | None = None, data_set: str | None = None, **options: Any
    ) -> "RangeTest | dict[str, RangeTest]":
        """Duncan's multiple range test: groups of learners that do not differ significantly on a data set."""
        from polyroc.studies.summaries import duncan

        return self._on_data_sets(duncan, measure, data_set, options)

    @validated
    def tukey(
        self, measure: str | None = None, data_set: str | None = None, **options: Any
    ) -> "RangeTest | dict[str, RangeTest]":
        """Tukey's honestly significant difference: such groups, with one level for all pairs together."""
        from polyroc.studies.summaries import tukey

        return self._on_data_sets(tukey, measure, data_set, options)

    @validated
    def corrected_t(
        self, measure: str | None = None, data_set: str | None = None, **options: Any
    ) -> "PairedTests | dict[str, PairedTests]":
        """Nadeau & Bengio's t test of all pairs on a data set, corrected for overlapping training sets."""
        from polyroc.studies.summaries import corrected_t

        return self._on_data_sets(corrected_t, measure, data_set, options)

    @validated
    def five_by_two(
        self, measure: str | None = None, data_set: str | None = None, **options: Any
    ) -> "PairedTests | dict[str, PairedTests]":
        """Alpaydin's 5x2 cv F test (or Dietterich's t) of all pairs on a data set: five repeats of two folds."""
        from polyroc.studies.summaries import five_by_two

        splitting = self.plan.splitting
        if (splitting.kind, splitting.folds, splitting.repeats) != ("k-fold", 2, 5):
            raise InputError(
                f"A 5x2 test needs five repeats of two folds, here {splitting.design}; plan the study with "
                "folds = 2 and repeats = 5, or use corrected_t."
            )
        return self._on_data_sets(five_by_two, measure, data_set, options)

    @validated
    def friedman(self, measure: str | None = None, **options: Any) -> "Friedman":
        """Friedman's test of the ranks over data sets, with Nemenyi's critical difference."""
        from polyroc.studies.summaries import friedman

        return friedman(self.tables(measure), **options)

    @validated
    def wilcoxon(self, measure: str | None = None, **options: Any) -> "PairedTests":
        """Wilcoxon's signed-rank test of all pairs over data sets, adjusted by Holm's method."""
        from polyroc.studies.summaries import wilcoxon

        return wilcoxon(self.tables(measure), **options)

    @validated
    def bayes(self, measure: str | None = None, data_set: str | None = None, **options: Any) -> "Posteriors":
        """Bayesian tests with a region of practical equivalence.

        The correlated t test if there is one data set or one is given, else the signed-rank test over data sets.
        """
        from polyroc.studies.summaries import correlated_t, signed_rank

        if data_set is None and len(self.data_sets) > 1:
            return signed_rank(self.tables(measure), **options)
        return correlated_t(self.values(measure, data_set), **options)

    @validated
    def fold_test(
        self, measure: str | None = None, data_set: str | None = None, *, pooled: bool = False, **options: Any
    ) -> "Comparison | dict[str, Comparison]":
        """`compare` within the folds of a data set, over all repeats; options as there.

        `pooled=True` compares the cases of all folds of the first repeat as one sample, with folds as groups.
        """
        from polyroc.studies.summaries import fold_test

        if pooled:
            self._warn_of_repeated_cases(self.data_sets if data_set is None else (self._data_set(data_set),))
        several = data_set is None and len(self.data_sets) > 1
        tables = self.tables(measure) if several else [self.values(measure, data_set)]
        results = {
            table.data_set: fold_test(
                self.scores(table.data_set, repeat=None if pooled else "all"),
                table.measure,
                pooled=pooled,
                **options,
            )
            for table in tables
        }
        return results if several else results[tables[0].data_set]

    @validated
    def pooled_roc(self, data_set: str | None = None, **options: Any) -> "Curve | Curves":
        """One ROC curve per learner from the cases of all folds."""
        from polyroc.studies.summaries import pooled_roc

        return pooled_roc(self.scores(data_set), **options)

    @validated
    def averaged_roc(self, data_set: str | None = None, **options: Any) -> "Curve | Curves":
        """Return the mean of the ROC curves of the folds, one per learner."""
        from polyroc.studies.summaries import averaged_roc

        return averaged_roc(self.scores(data_set), **options)

    def _on_data_sets(
        self, test: Callable[..., T], measure: str | None, data_set: str | None, options: dict[str, Any]
    ) -> T | dict[str, T]:
        if data_set is None and len(self.data_sets) > 1:
            return {table.data_set: test(table, **options) for table in self.tables(measure)}
        return test(self.values(measure, data_set), **options)

    def _warn_of_repeated_cases(self, names: Sequence[str]) -> None:
        """Warn of test sets of a hold-out that share cases, since they are drawn independently."""
        if self.plan.splitting.kind != "hold-out":
            return
        for name in names:
            tests = [block.test for block in self._blocks[self._position(name)]]
            if len(tests) > 1 and np.bincount(np.concatenate(tests)).max() > 1:
                warn(
                    f"Some cases of {name!r} are in several test sets and are counted as different cases, so the "
                    "standard errors are too small; use corrected_t, or k-fold.",
                    PolyrocWarning,
                )

    # Plain data --------------------------------------------------------------------------------------------------

    def _all_tables(self) -> list[FoldTable]:
        return [
            self.values(key, name) for name in self.data_sets for key in self.measures if self.applies(key, name)
        ]

    # Names, and what is read from the store ---------------------------------------------------------------------

    def _data_set(self, name: str | None) -> str:
        if name is None and len(self.data_sets) == 1:
            return self.data_sets[0]
        if name is None:
            raise InputError(f"There are several data sets; name one of {', '.join(self.data_sets)}.")
        if name not in self.data_sets:
            raise InputError(f"There is no data set {name!r} in this study; {did_you_mean(name, self.data_sets)}")
        return name

    def _position(self, data_set: str | None) -> int:
        return self.data_sets.index(self._data_set(data_set))

    def _learner(self, name: str) -> int:
        if name not in self.learners:
            raise InputError(f"There is no learner {name!r} in this study; {did_you_mean(name, self.learners)}")
        return self.learners.index(name)

    def _measure(self, key: str | None) -> str:
        """Return the key as the tables have it."""
        if key is None or key in self.measures:
            return key or self.measures[0]
        from polyroc.measures.registry import measure

        return str(measure(key))

    @property
    def _pools_folds(self) -> bool:
        """Whether all folds together are one block, because a fold of one case has no value of its own."""
        return self.plan.splitting.kind == "leave-one-out"

    def _read_predictions(self, position: int) -> Predictions:
        """Read the predictions of a data set from the store, once."""
        if position not in self._predictions:
            if self.path is None:
                raise InputError(_NO_STORE)
            with Store.open(self.path) as store:
                self._predictions[position] = store.predictions(position)
        return self._predictions[position]

    def _compute(self, key: str, name: str) -> None:
        """Compute the values of a measure from the predictions."""
        from polyroc.measures.registry import measure as find_measure
        from polyroc.studies.fold_values import fold_values

        if not self.applies(key, name):
            raise InputError(f"{key} is not for the number of classes of data set {name!r}; use another measure.")
        position = self._position(name)
        data, blocks, predictions = self._data[position], self._blocks[position], self._read_predictions(position)
        rows = [list(range(len(blocks)))] if self._pools_folds else [[k] for k in range(len(blocks))]
        values = np.full((len(rows), len(self.learners)), np.nan)
        for row, parts in enumerate(rows):
            tables = {
                j: np.concatenate([predictions[j, k] for k in parts])
                for j in range(len(self.learners))
                if all((j, k) in predictions for k in parts)
            }
            codes = data.truth[np.concatenate([blocks[k].test for k in parts])].astype(np.int32)
            for j, value in fold_values(find_measure(key), data, codes, tables, self.plan.kind).items():
                values[row, j] = value
        labels = tuple((blocks[first].repeat, blocks[first].fold) for first, *_ in rows)
        test_size = float(np.mean([len(block.test) for block in blocks]))
        sizes = len(data.truth) - test_size, test_size
        self._tables[key, name] = FoldTable(values, self.learners, labels, *sizes, name, key)

    def _prediction_columns(self, position: int) -> dict[str, np.ndarray[Any, Any]]:
        """Return the predictions of one data set, case by case and class by class."""
        predictions = self._read_predictions(position)
        data, blocks = self._data[position], self._blocks[position]
        n_classes, keys = len(data.labels), list(predictions)
        sizes = np.array([len(blocks[k].test) for _, k in keys], dtype=np.int64)
        cases = np.concatenate([blocks[k].test for _, k in keys]) if keys else np.empty(0, dtype=np.int64)
        labels = np.array([str(label) for label in data.labels])

        def repeated(by_fit: list[Any]) -> np.ndarray[Any, Any]:
            return np.repeat(np.repeat(np.array(by_fit), sizes), n_classes)

        return {
            "data_set": np.full(len(cases) * n_classes, data.name),
            "learner": repeated([self.learners[j] for j, _ in keys]),
            "repeat": repeated([blocks[k].repeat for _, k in keys]),
            "fold": repeated([blocks[k].fold for _, k in keys]),
            "case": np.repeat(cases, n_classes),
            "truth": np.repeat(labels[data.truth[cases]], n_classes),
            "class": np.tile(labels, len(cases)),
            "probability": np.concatenate([part.ravel() for part in predictions.values()])
            if keys
            else np.empty(0),
        }
