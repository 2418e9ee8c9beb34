"""The tables of a study: values, pairs, groups, ranks, pooled measures, failures; the same for every format."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import NamedTuple

from polyroc.estimates.comparison import Comparison
from polyroc.estimates.difference import Difference
from polyroc.output.numbers import p_number
from polyroc.reports.embedding import clipped, shortened
from polyroc.reports.study_conclusion import measure_name
from polyroc.reports.study_findings import EVERYWHERE, StudyFindings
from polyroc.reports.tables import Table, bar, difference_bar, difference_scale, numbers, text
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.paired_tests import PairedTest
from polyroc.studies.summaries.range_tests import RangeTest

__all__ = ["Grouped", "grouped", "study_tables"]

MOST = 200  # rows of a table; JSON has all
DASH = "\N{EN DASH}"


class Grouped(NamedTuple):
    """Learners with the groups that a range test does not tell apart.

    `marks` says for each row of the table which groups the learner is in, the best group first.
    """

    table: Table
    marks: tuple[tuple[bool, ...], ...]
    note: str


def study_tables(found: StudyFindings, level: float = 0.95) -> list[Table]:
    """Every table that the findings of a study fill, in the order of the page."""
    of = _Tables(found, level)
    made = [of.values(), *of.pairs(), *(each.table for each in grouped(found)), *of.pooled(), of.failures()]
    return [table for table in made if table is not None]


def grouped(found: StudyFindings) -> list[Grouped]:
    """Duncan's groups by data set, and Nemenyi's of mean ranks."""
    of = _Tables(found, 0.95)
    made = [
        of.groups(each, f"duncan-{k}", f"Duncan's groups on {of.data_set[name]}")
        for k, (name, each) in enumerate(found.duncan.items())
    ]
    if found.friedman is not None:
        made.append(of.groups(found.friedman.nemenyi, "ranks", "Mean ranks over data sets"))
    return made


class _Tables:
    def __init__(self, found: StudyFindings, level: float) -> None:
        study = found.study
        self.found, self.level = found, level
        self.learner: Mapping[str, str] = dict(zip(study.learners, shortened(study.learners), strict=True))
        self.data_set = {
            **dict(zip(study.data_sets, shortened(study.data_sets), strict=True)),
            EVERYWHERE: EVERYWHERE,
        }

    def values(self) -> Table:
        """Data sets x learners: mean (SD), or mean (SD; SE(W))."""
        spread = self.found.spread
        learners = list(self.learner)
        rows = tuple(
            (self.data_set[name], *(self._value(name, learner) for learner in learners))
            for name in spread.data_sets
        )
        columns = ("data set", *(self.learner[name] for name in learners))
        inside = "SD over folds; SE(W)" if spread.has_errors else "SD over folds"
        name = measure_name(self.found.measure)
        title = f"{name[:1].upper()}{name[1:]}: mean ({inside})"
        return Table("values", title, columns, (False, *(True,) * len(learners)), rows)

    def _value(self, data_set: str, learner: str) -> str:
        each = self.found.spread[data_set, learner]
        if isnan(each.mean):
            return DASH
        inside = [text(each.standard_deviation)]
        if self.found.spread.has_errors:
            inside.append(text(each.wilcoxon_error))
        return f"{text(each.mean)} ({'; '.join(inside)})"

    def pairs(self) -> Iterator[Table]:
        for k, (name, test) in enumerate(self.found.tests.items()):
            title = f"Pairs on {self.data_set[name]}"
            if isinstance(test, Friedman):
                yield self._rank_pairs(test, f"pairs-{k}", title)
            else:
                every = test.differences if isinstance(test, Comparison) else test.tests
                yield self._differences(list(every.values()), f"pairs-{k}", title)

    def _differences(self, pairs: Sequence[Difference | PairedTest], key: str, title: str) -> Table:
        if len(pairs) > MOST:
            title += f": the {MOST} of {len(pairs)} with the smallest p"
            pairs = sorted(pairs, key=lambda each: (isnan(each.adjusted_pvalue), each.adjusted_pvalue))[:MOST]
        rows, ends = [], []
        for each in pairs:
            low, high = each.confidence_interval(self.level)
            tested = (DASH if isnan(p) else p_number(p) for p in (each.pvalue, each.adjusted_pvalue))
            rows.append((self._pair(each.first, each.second), *map(text, (each.value, low, high)), *tested))
            ends.append((each.value, low, high))
        reach = max((abs(x) for end in ends for x in end if not isnan(x)), default=0.0) or 1.0
        columns = ("difference", "value", "low", "high", "p", "p adjusted")
        bars = tuple(difference_bar(*end, reach) for end in ends)
        numeric = (False,) + (True,) * 5
        return Table(key, title, columns, numeric, tuple(rows), bars, difference_scale(reach))

    def _rank_pairs(self, test: Friedman, key: str, title: str) -> Table:
        pairs = sorted(test.nemenyi.pairs(), key=lambda each: -abs(each["difference"]))
        rows = tuple(
            (
                self._pair(each["first"], each["second"]),
                text(each["difference"]),
                DASH if each["pvalue"] is None else p_number(each["pvalue"]),
                "yes" if each["apart"] else "no",
            )
            for each in pairs[:MOST]
        )
        columns = ("difference of mean ranks", "value", "p", "told apart")
        return Table(key, title, columns, (False, True, True, False), rows)

    def _pair(self, first: str, second: str) -> str:
        return f"{self.learner[first]} \N{MINUS SIGN} {self.learner[second]}"

    def groups(self, test: RangeTest, key: str, title: str) -> Grouped:
        ranks = test.procedure == "nemenyi"
        rows = tuple((self.learner[name], text(value), test.letters[name]) for name, value in test.values.items())
        table = Table(key, title, ("learner", test.quantity, "group"), (False, True, False), rows)
        marks = tuple(tuple(name in group for group in test.groups) for name in test.values)
        widest = text(test.critical_ranges[-1])
        note = f"Critical difference {widest}" if ranks else f"Ranges up to {text(test.critical_ranges[0])} "
        if not ranks:
            note += f"(neighbours) or {widest} (first to last) are not significant"
        return Grouped(table, marks, f"{note}, at {100 * test.alpha:g} %.")

    def pooled(self) -> Iterator[Table]:
        for k, (name, evaluation) in enumerate(self.found.pooled.items()):
            every = evaluation.estimates
            order = [
                (who, key) for key in evaluation.measures for who in evaluation.classifiers if (who, key) in every
            ]
            rows = tuple(
                (measure_name(key), self.learner[who], *numbers(every[who, key], self.level)) for who, key in order
            )
            columns = ("measure", "learner", "value", "std. error", "low", "high", "chance")
            bars = tuple(bar(every[each], self.level) for each in order)
            title = f"All folds of {self.data_set[name]} together"
            yield Table(f"pooled-{k}", title, columns, (False,) * 2 + (True,) * 5, rows, bars)

    def failures(self) -> Table | None:
        """What failed and why, equal messages together."""
        counts: dict[tuple[str, str, str], int] = {}
        for each in self.found.study.failures:
            key = each.data_set, each.learner, each.message
            counts[key] = counts.get(key, 0) + 1
        if not counts:
            return None
        rows = tuple(
            (self.data_set[name], self.learner[who], str(many), clipped(message))
            for (name, who, message), many in list(counts.items())[:MOST]
        )
        title = "Failures" if len(counts) <= MOST else f"Failures: the first {MOST} of {len(counts)} kinds"
        return Table(
            "failures", title, ("data set", "learner", "fits", "message"), (False, False, True, False), rows
        )
