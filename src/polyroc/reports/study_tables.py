"""The tables of a study: values, pairs, groups, ranks, pooled measures, failures."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import NamedTuple

from polyroc.estimates.comparison import Comparison
from polyroc.estimates.difference import Difference
from polyroc.output.numbers import DASH, defined, level_text, p_number
from polyroc.output.sentences import capitalised, clipped, short_names
from polyroc.output.tables import Column, Table, columns
from polyroc.reports.study_conclusion import measure_name
from polyroc.reports.study_findings import ALL_DATA_SETS, StudyFindings
from polyroc.reports.tables import ESTIMATE_COLUMNS, MINUS, difference_bars, estimate_bar, estimate_cells, p_cell
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.paired_tests import PairedTest
from polyroc.studies.summaries.range_tests import RangeTest

__all__ = ["GroupTable", "group_tables", "study_tables"]

MOST_ROWS = 200  # of a table; JSON has all


class GroupTable(NamedTuple):
    """Learners with the groups within which a range test finds no difference.

    `marks` has a row per learner and a column per group, the best group first: True if the learner is in it.
    """

    table: Table
    marks: tuple[tuple[bool, ...], ...]
    note: str


def study_tables(findings: StudyFindings, level: float = 0.95) -> list[Table]:
    """Every table for which there are results, in the order of the page."""
    tables = _StudyTables(findings, level)
    groups = [group.table for group in group_tables(findings)]
    every = [tables.values(), *tables.pairs(), *groups, *tables.pooled(), tables.failures()]
    return [table for table in every if table is not None]


def group_tables(findings: StudyFindings) -> list[GroupTable]:
    """Duncan's groups by data set, and Nemenyi's of mean ranks."""
    tables = _StudyTables(findings, 0.95)
    groups = [
        tables.groups(test, f"duncan-{k}", f"Duncan's groups on {tables.data_set[name]}")
        for k, (name, test) in enumerate(findings.duncan.items())
    ]
    if findings.friedman is not None:
        groups.append(tables.groups(findings.friedman.nemenyi, "ranks", "Mean ranks over data sets"))
    return groups


class _StudyTables:
    def __init__(self, findings: StudyFindings, level: float) -> None:
        study = findings.study
        self.findings, self.level = findings, level
        self.learner: Mapping[str, str] = short_names(study.learners)
        data_sets = short_names(study.data_sets)
        self.data_set = {**data_sets, ALL_DATA_SETS: ALL_DATA_SETS}

    def values(self) -> Table:
        """Data sets by learners: mean (SD), or mean (SD; SE(W))."""
        spread = self.findings.spread
        rows = tuple(
            (self.data_set[name], *(self._value(name, learner) for learner in self.learner))
            for name in spread.data_sets
        )
        brackets = "SD over folds; SE(W)" if spread.has_errors else "SD over folds"
        title = f"{capitalised(measure_name(self.findings.measure))}: mean ({brackets})"
        return Table(title, columns(("data set",), list(self.learner.values())), rows, key="values")

    def _value(self, data_set: str, learner: str) -> str:
        spread = self.findings.spread[data_set, learner]
        if isnan(spread.mean):
            return DASH
        brackets = [defined(spread.standard_deviation)]
        if self.findings.spread.has_errors:
            brackets.append(defined(spread.wilcoxon_error))
        return f"{defined(spread.mean)} ({'; '.join(brackets)})"

    def pairs(self) -> Iterator[Table]:
        for k, (name, test) in enumerate(self.findings.tests.items()):
            title = f"Pairs on {self.data_set[name]}"
            if isinstance(test, Friedman):
                yield self._rank_pairs(test, f"pairs-{k}", title)
            else:
                pairs = test.differences if isinstance(test, Comparison) else test.tests
                yield self._differences(list(pairs.values()), f"pairs-{k}", title)

    def _differences(self, pairs: Sequence[Difference | PairedTest], key: str, title: str) -> Table:
        if len(pairs) > MOST_ROWS:
            title += f": the {MOST_ROWS} of {len(pairs)} with the smallest p"
            pairs = sorted(pairs, key=lambda pair: (isnan(pair.adjusted_pvalue), pair.adjusted_pvalue))[:MOST_ROWS]
        rows, intervals = [], []
        for pair in pairs:
            ends = (pair.value, *pair.confidence_interval(self.level))
            pvalues = map(p_cell, (pair.pvalue, pair.adjusted_pvalue))
            rows.append((self._pair(pair.first, pair.second), *map(defined, ends), *pvalues))
            intervals.append(ends)
        bars, scale = difference_bars(intervals)
        heads = columns(("difference",), ("value", "low", "high", "p", "p adjusted"))
        return Table(title, heads, tuple(rows), key=key, bars=bars, scale=scale)

    def _rank_pairs(self, test: Friedman, key: str, title: str) -> Table:
        pairs = sorted(test.nemenyi.pairs(), key=lambda pair: -abs(pair["difference"]))
        rows = tuple(
            (
                self._pair(pair["first"], pair["second"]),
                defined(pair["difference"]),
                DASH if pair["pvalue"] is None else p_number(pair["pvalue"]),
                "yes" if pair["apart"] else "no",
            )
            for pair in pairs[:MOST_ROWS]
        )
        heads = (*columns(("difference of mean ranks",), ("value", "p")), Column("significant"))
        return Table(title, heads, rows, key=key)

    def _pair(self, first: str, second: str) -> str:
        return f"{self.learner[first]} {MINUS} {self.learner[second]}"

    def groups(self, test: RangeTest, key: str, title: str) -> GroupTable:
        rows = tuple(
            (self.learner[name], defined(value), test.letters[name]) for name, value in test.values.items()
        )
        heads = (Column("learner"), Column(test.quantity, numeric=True), Column("group"))
        marks = tuple(tuple(name in group for group in test.groups) for name in test.values)
        widest = defined(test.critical_ranges[-1])
        if test.procedure == "nemenyi":
            note = f"Critical difference {widest}"
        else:
            neighbours = defined(test.critical_ranges[0])
            note = f"Ranges up to {neighbours} (neighbours) or {widest} (first to last) are not significant"
        return GroupTable(Table(title, heads, rows, key=key), marks, f"{note}, at {level_text(test.alpha)}.")

    def pooled(self) -> Iterator[Table]:
        for k, (name, evaluation) in enumerate(self.findings.pooled.items()):
            order = [(learner, key) for key in evaluation.measures for learner in evaluation.classifiers]
            estimates = [evaluation.estimates[pair] for pair in order if pair in evaluation.estimates]
            rows = tuple(
                (
                    measure_name(estimate.measure),
                    self.learner[estimate.classifier],
                    *estimate_cells(estimate, self.level),
                )
                for estimate in estimates
            )
            bars = tuple(estimate_bar(estimate, self.level) for estimate in estimates)
            title = f"Measures on {self.data_set[name]}"
            yield Table(
                title, columns(("measure", "learner"), ESTIMATE_COLUMNS), rows, key=f"pooled-{k}", bars=bars
            )

    def failures(self) -> Table | None:
        """The failures by data set, learner and message."""
        counts = Counter(
            (failure.data_set, failure.learner, failure.message) for failure in self.findings.study.failures
        )
        if not counts:
            return None
        rows = tuple(
            (self.data_set[name], self.learner[learner], str(fits), clipped(message))
            for (name, learner, message), fits in list(counts.items())[:MOST_ROWS]
        )
        many = len(counts) > MOST_ROWS
        title = f"Failures: the first {MOST_ROWS} of {len(counts)} kinds" if many else "Failures"
        heads = (*columns(("data set", "learner"), ("fits",)), Column("message"))
        return Table(title, heads, rows, key="failures")
