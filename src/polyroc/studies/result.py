"""The tests of a study, one line each: see `polyroc.studies.summaries` for what they do and assume."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc.errors import DroppedRowsWarning, InputError, PolyrocWarning, warn
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.results.codec import NOT_STORED, stored_as
from polyroc.results.result import Result
from polyroc.scores import Scores
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.plan import Plan
from polyroc.studies.splits import Block
from polyroc.studies.store import Facts, Failure, Store, Told
from polyroc.validation.arguments import did_you_mean

if TYPE_CHECKING:
    from polyroc.curves.families import Curves
    from polyroc.curves.result import Curve
    from polyroc.estimates.comparison import Comparison
    from polyroc.studies.summaries.fold_spread import Spread
    from polyroc.studies.summaries.recommendation import Recommendation

__all__ = ["Judged", "Study"]


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


_VALUES_ONLY = "Only values were kept here; open the store with Study.open for anything else."


def _every_table(study: "Study", _: float) -> dict[tuple[str, str], FoldTable]:
    """The values fold by fold, by measure and data set; predictions are not stored."""
    return {(table.measure, table.data_set): table for table in study._all_tables()}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Study(Judged):
    """Learners on data sets, fold by fold. Made by `polyroc.study`, or from its store by `Study.open`.

    Attributes
    ----------
    plan
        What was done.
    failures
        The fits that failed: data set, learner, repeat, fold, message.
    left
        How many fits are still to be done (the run was stopped); run the same plan again.
    versions
        Of polyroc, Python, numpy and scikit-learn.
    warnings
        What learners warned of: data set, learner, message, and in how many folds.
    path
        The store, which has every prediction; None if only values were kept (`from_dict`).
    """

    plan: Plan
    failures: tuple[Failure, ...]
    left: int
    versions: dict[str, str]
    warnings: tuple[Told, ...] = field(default=(), metadata=NOT_STORED)
    path: Path | None = field(default=None, metadata=NOT_STORED)
    _facts: tuple[Facts, ...] = field(default=(), repr=False, metadata=NOT_STORED)
    _blocks: tuple[tuple[Block, ...], ...] = field(default=(), repr=False, metadata=NOT_STORED)
    _tables: dict[tuple[str, str], FoldTable] = field(
        default_factory=dict, repr=False, metadata=stored_as(encode=_every_table)
    )
    _said: dict[int, dict[tuple[int, int], FloatArray]] = field(
        default_factory=dict, repr=False, metadata=NOT_STORED
    )

    @classmethod
    def open(cls, path: "str | PathLike[str]") -> "Study":
        """The study in a store."""
        with Store.opened(Path(path)) as store:
            return cls.within(store)

    @classmethod
    def within(cls, store: Store) -> "Study":
        """The study in a store that is open."""
        plan = store.plan
        blocks = tuple(map(tuple, store.blocks()))
        total = sum(len(each) for each in blocks) * len(plan.learners)
        return cls(
            plan=plan,
            failures=tuple(store.failures()),
            left=total - len(store.done()),
            versions=store.versions(),
            warnings=tuple(store.warnings()),
            path=store.path,
            _facts=tuple(store.facts()),
            _blocks=blocks,
        )

    @property
    def data_sets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(each.name for each in self.plan.data)

    @property
    def learners(self) -> tuple[str, ...]:
        """Names of the learners."""
        return tuple(each.name for each in self.plan.learners)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of the plan; any other can be asked for too."""
        return self.plan.measures

    def __repr__(self) -> str:
        state = f", {self.left} fits left" if self.left else ""
        state += f", {len(self.failures)} failed" if self.failures else ""
        on = f"{len(self.learners)} learners on {', '.join(self.data_sets)}"
        return f"Study({on}: {', '.join(self.measures)}{state})"

    def values(self, measure: str | None = None, data_set: str | None = None) -> FoldTable:
        """The values of a measure on a data set: folds x learners. A leave-one-out is one block of all its cases.

        The first measure of the plan, and the only data set, need not be named.
        """
        name = self._data_set(data_set)
        key = self._measure(measure)
        if (key, name) not in self._tables:
            self._compute(key, name)
        return self._tables[key, name]

    def tables(self, measure: str | None = None) -> list[FoldTable]:
        """The values of a measure on every data set that it fits."""
        return [self.values(measure, name) for name in self.data_sets if self.applies(measure, name)]

    def applies(self, measure: str | None, data_set: str) -> bool:
        """Whether a measure is for as many classes as a data set has."""
        key = self._measure(measure)
        if self.path is None:
            return (key, data_set) in self._tables
        from polyroc.measures.registry import measure as find
        from polyroc.studies.fold_values import applies

        return applies(find(key), self._facts[self.data_sets.index(self._data_set(data_set))])

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - there are no intervals
        """A record for each data set, learner, fold and measure."""
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

    def predictions(self, data_set: str | None = None) -> dict[str, np.ndarray[Any, Any]]:
        """Every out-of-fold prediction, as columns for a data frame: a row for each learner, case and class."""
        names = self.data_sets if data_set is None else (self._data_set(data_set),)
        parts = [self._columns(self.data_sets.index(name)) for name in names]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def scores(
        self, data_set: str | None = None, learners: Sequence[str] | None = None, repeat: int | None = None
    ) -> Scores:
        """The predictions of a data set pooled over its folds, for `evaluate`, `compare`, `curve`; groups = folds.

        Of repeated folds the first repeat is taken unless another one is named, so that no case counts twice; of a
        hold-out all test sets. Folds in which one of the learners failed are left out, with a warning. Where one
        test set is all there is, each case is a group.
        """
        place = self.data_sets.index(self._data_set(data_set))
        chosen = [self._learner(name) for name in (self.learners if learners is None else learners)]
        said, facts = self._predicted(place), self._facts[place]
        if self.plan.splitting.kind != "hold-out" and repeat is None:
            repeat = 0
        among = [k for k, block in enumerate(self._blocks[place]) if repeat is None or block.repeat == repeat]
        kept = [k for k in among if all((learner, k) in said for learner in chosen)]
        if not kept:
            raise InputError(
                f"There is no fold of {facts.name!r} in which all of these learners have predictions; name others "
                "with learners=[...]."
            )
        if len(kept) < len(among):
            warn(
                f"{len(among) - len(kept)} of {len(among)} folds of {facts.name!r} are left out, because a "
                "learner has no predictions there.",
                DroppedRowsWarning,
            )
        tests = [self._blocks[place][k].test for k in kept]
        return Scores(
            codes=facts.truth[np.concatenate(tests)].astype(np.int32),
            labels=facts.labels,
            values={self.learners[j]: np.concatenate([said[j, k] for k in kept]) for j in chosen},
            kind="matrix",
            positive=facts.positive,
            groups=_groups([len(test) for test in tests]),
        )

    def pooled_test(self, measure: str | None = None, data_set: str | None = None, **options: Any) -> Any:
        """DeLong's kind of test on the pooled predictions, folds as groups."""
        for name in self.data_sets if data_set is None else (self._data_set(data_set),):
            blocks = self._blocks[self.data_sets.index(name)] if self.plan.splitting.kind == "hold-out" else ()
            again = len(blocks) > 1 and np.bincount(np.concatenate([block.test for block in blocks])).max() > 1
            if again:
                warn(
                    f"Cases of {name!r} are in several test sets and count as if they were others, so errors are "
                    "taken for smaller than they are; use corrected_t, or k-fold.",
                    PolyrocWarning,
                )
        return Judged.pooled_test(self, measure, data_set, **options)

    def fit_times(self) -> list[dict[str, Any]]:
        """A record for each fit with the seconds it took to learn and predict; failed ones too."""
        if self.path is None:
            raise InputError(_VALUES_ONLY)
        with Store.opened(self.path) as store:
            seconds = store.seconds()
        return [
            {
                "data_set": self.data_sets[i],
                "learner": self.learners[j],
                "repeat": self._blocks[i][k].repeat,
                "fold": self._blocks[i][k].fold,
                "seconds": seconds[i, j, k],
            }
            for i, j, k in sorted(seconds)
        ]

    def fold_counts(self) -> dict[str, tuple[float, float]]:
        """Positive and negative cases of a test fold, on average, of data sets with two classes."""
        found = {}
        for facts, blocks in zip(self._facts, self._blocks, strict=True):
            if facts.positive is not None and len(facts.labels) == 2:
                many = 1 if self._pooled else len(blocks)
                tested = facts.truth[np.concatenate([block.test for block in blocks])]
                positives = float((tested == facts.positive).sum()) / many
                found[facts.name] = positives, len(tested) / many - positives
        return found

    def _all_tables(self) -> list[FoldTable]:
        return [
            self.values(key, name) for name in self.data_sets for key in self.measures if self.applies(key, name)
        ]

    @property
    def _pooled(self) -> bool:
        """Whether all folds together are one block, because no fold has a value of its own."""
        return self.plan.splitting.kind == "leave-one-out"

    def _data_set(self, name: str | None) -> str:
        if name is None and len(self.data_sets) == 1:
            return self.data_sets[0]
        if name is None:
            raise InputError(f"There are several data sets; name one of {', '.join(self.data_sets)}.")
        if name not in self.data_sets:
            raise InputError(f"There is no data set {name!r} in this study; {did_you_mean(name, self.data_sets)}")
        return name

    def _learner(self, name: str) -> int:
        if name not in self.learners:
            raise InputError(f"There is no learner {name!r} in this study; {did_you_mean(name, self.learners)}")
        return self.learners.index(name)

    def _measure(self, key: str | None) -> str:
        """The key as the tables have it."""
        if key is None or key in self.measures:
            return key or self.measures[0]
        from polyroc.measures.registry import measure

        return str(measure(key))

    def _predicted(self, place: int) -> dict[tuple[int, int], FloatArray]:
        """By learner and block, the probabilities of a data set; read from the store once."""
        if place not in self._said:
            if self.path is None:
                raise InputError(_VALUES_ONLY)
            with Store.opened(self.path) as store:
                jobs, numbers = store.probabilities(place)
            many = len(self._facts[place].labels)
            sizes = np.array([len(block.test) for block in self._blocks[place]], dtype=np.int64)
            ends = np.cumsum(sizes[jobs[:, 1]]) * many
            tables = np.split(numbers, ends[:-1]) if len(jobs) else []
            pairs = [(int(learner), int(block)) for learner, block in jobs]
            self._said[place] = {pair: table.reshape(-1, many) for pair, table in zip(pairs, tables, strict=True)}
        return self._said[place]

    def _compute(self, key: str, name: str) -> None:
        """The values of this measure, and of those of the plan that have not been asked for yet."""
        from polyroc.measures.registry import measure
        from polyroc.studies.fold_values import fold_values

        if not self.applies(key, name):
            raise InputError(f"{key} is not for the number of classes that data set {name!r} has.")
        place = self.data_sets.index(name)
        keys = list(dict.fromkeys([key, *(each for each in self.measures if self.applies(each, name))]))
        keys = [each for each in keys if (each, name) not in self._tables]
        blocks, said = self._blocks[place], self._predicted(place)
        parts = [list(range(len(blocks)))] if self._pooled else [[k] for k in range(len(blocks))]
        folds = []
        for part in parts:
            cases = np.concatenate([blocks[k].test for k in part])
            tables = {
                j: np.concatenate([said[j, k] for k in part]) if len(part) > 1 else said[j, part[0]]
                for j in range(len(self.learners))
                if all((j, k) in said for k in part)
            }
            folds.append((self._facts[place].truth[cases].astype(np.int32), tables))
        values = fold_values([measure(each) for each in keys], self._facts[place], folds, len(self.learners))
        test = float(np.mean([len(block.test) for block in blocks]))
        labels = tuple((blocks[part[0]].repeat, blocks[part[0]].fold) for part in parts)
        sizes = len(self._facts[place].truth) - test, test
        for each, found in zip(keys, values, strict=True):
            self._tables[each, name] = FoldTable(found, self.learners, labels, *sizes, name, each)

    def _columns(self, place: int) -> dict[str, np.ndarray[Any, Any]]:
        """The predictions of one data set, case by case and class by class."""
        said, facts, blocks = self._predicted(place), self._facts[place], self._blocks[place]
        many, jobs = len(facts.labels), list(said)
        sizes = np.array([len(blocks[k].test) for _, k in jobs], dtype=np.int64)
        cases = np.concatenate([blocks[k].test for _, k in jobs]) if jobs else np.empty(0, dtype=np.int64)
        labels = np.array([str(label) for label in facts.labels])

        def of_jobs(what: list[Any]) -> np.ndarray[Any, Any]:
            return np.repeat(np.repeat(np.array(what), sizes), many)

        return {
            "data_set": np.full(len(cases) * many, facts.name),
            "learner": of_jobs([self.learners[j] for j, _ in jobs]),
            "repeat": of_jobs([blocks[k].repeat for _, k in jobs]),
            "fold": of_jobs([blocks[k].fold for _, k in jobs]),
            "case": np.repeat(cases, many),
            "truth": np.repeat(labels[facts.truth[cases]], many),
            "class": np.tile(labels, len(cases)),
            "probability": np.concatenate([each.ravel() for each in said.values()]) if jobs else np.empty(0),
        }


def _groups(sizes: Sequence[int]) -> IntArray:
    """The fold of each case; of a single test set, whose cases share no more than one classifier, the case."""
    if len(sizes) == 1:
        return np.arange(sizes[0])
    return np.repeat(np.arange(len(sizes)), sizes)
