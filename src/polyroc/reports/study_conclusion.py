"""The conclusion of a study in sentences: the best learner, by how much, how certain, and cautions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import isnan

from polyroc.errors import MeasureError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.difference import Difference, verdict
from polyroc.measures.registry import measure as registered_measure
from polyroc.output.numbers import p_text
from polyroc.output.sentences import counted, listed, printable, short_names
from polyroc.reports.conclusion import MOST_PAIRS, Conclusion, PairSentences
from polyroc.reports.study_findings import ALL_DATA_SETS, StudyFindings, StudyTest
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.input_tables import direction
from polyroc.studies.summaries.paired_tests import PairedTest
from polyroc.studies.summaries.spread import FoldSpread

__all__ = ["conclude_study", "measure_name", "name_of_test", "ranks_sentence"]

MOST_DATA_SETS = 6  # beyond, data sets are not described one by one
TEST_NAMES = {
    "corrected_t": "Nadeau & Bengio's corrected resampled t",
    "fold_test": "the score test of the predictions, within folds if there are several",
    "wilcoxon": "Wilcoxon's signed-rank test over data sets",
    "friedman": "Friedman's test over data sets, with Nemenyi's for pairs",
}


def measure_name(key: str) -> str:
    """The name of a measure, or its key if it is not registered."""
    try:
        return printable(registered_measure(key).full_name)
    except MeasureError:
        return printable(key)


def name_of_test(test: str) -> str:
    """The name of a recommended test."""
    return TEST_NAMES.get(test, test)


def ranks_sentence(test: Friedman) -> str:
    """Friedman's test in a sentence."""
    largest = len(test.ranks) - 1
    few = ", which is impossible with so few data sets" if test.critical_difference > largest else ""
    return (
        f"Hypothesis that all learners rank equally on {len(test.data_sets)} data sets: Friedman's chi-square "
        f"{test.statistic:.2f} on {test.df} degrees of freedom, {p_text(test.pvalue)}; by Iman & Davenport's F "
        f"{p_text(test.F_pvalue)}. By Nemenyi's test, mean ranks differ if they are more than "
        f"{test.critical_difference:.2f} apart{few}."
    )


def conclude_study(findings: StudyFindings, level: float = 0.95) -> Conclusion:
    """The findings in sentences that claim no more than the tests show."""
    writer = _Writer(findings, level)
    return Conclusion(tuple(writer.sentences()), tuple(writer.cautions()))


class _Writer:
    def __init__(self, findings: StudyFindings, level: float) -> None:
        study = findings.study
        self.findings, self.level = findings, level
        self.learner = short_names(study.learners)
        self.data_set = short_names(study.data_sets)
        self.measure = measure_name(findings.measure)
        self.direction = direction(findings.measure)
        self.most = "highest" if self.direction > 0 else "lowest"

    def sentences(self) -> Iterator[str]:
        tests = self.findings.tests
        if not tests:
            yield from self._untested()
            return
        if ALL_DATA_SETS in tests:
            yield from self._over_data_sets(tests[ALL_DATA_SETS])
        else:
            if len(self.findings.spread.data_sets) > 1:
                yield self._overall()
            for name in list(tests)[:MOST_DATA_SETS]:
                sentences = [*self._on_data_set(name, tests[name])]
                yield from sentences if len(tests) == 1 else [" ".join(sentences)]
            if len(tests) > MOST_DATA_SETS:
                yield f"The other {len(tests) - MOST_DATA_SETS} data sets are in the tables."
        recommendation = self.findings.recommendation
        assert recommendation is not None
        yield f"Tested by {name_of_test(recommendation.test)}: {recommendation.why}"

    def _untested(self) -> Iterator[str]:
        spreads = [fold_spread for fold_spread in self.findings.spread.spreads.values() if fold_spread.folds]
        if len({fold_spread.learner for fold_spread in spreads}) > 1:
            yield "No learner is shown to be better: there are too few values for a test (see the notes)."
            return
        for spread in spreads[:MOST_DATA_SETS]:
            name, learner = self.data_set[spread.data_set], self.learner[spread.learner]
            yield f"On {name}, {learner}: {self.measure} {self._mean(spread)}."
        if spreads:
            yield "There is no other learner to compare it with."
        else:
            yield "No learner has any value: there is no result."

    def _mean(self, spread: FoldSpread) -> str:
        if isnan(spread.standard_deviation):
            return f"{spread.mean:.3f}"
        return f"{spread.mean:.3f} (mean of {spread.folds} folds, SD {spread.standard_deviation:.3f})"

    def best(self, test: StudyTest) -> str:
        """By mean ranks, by values, or by the sum of its differences from the others."""
        if isinstance(test, Friedman):
            return next(iter(test.ranks))
        if isinstance(test, Comparison):
            values = {name: estimate.value for name, estimate in test.estimates.items()}
        else:
            names = test.learners
            values = {a: sum(test[a, b].value for b in names if b != a) for a in names}
        return max(values, key=lambda name: -1e9 if isnan(values[name]) else self.direction * values[name])

    def pairs(self, test: StudyTest, best: str) -> list[Difference | PairedTest]:
        """The best learner against each of the others."""
        if isinstance(test, Comparison):
            return [test.difference(best, other) for other in test.estimates if other != best]
        assert not isinstance(test, Friedman)
        return [test[best, other] for other in test.learners if other != best]

    def _is_separated(self, test: StudyTest) -> bool:
        """Whether the best learner differs significantly from every other."""
        pairs = self.pairs(test, self.best(test))
        return all(pair.adjusted_pvalue < 1 - self.level for pair in pairs)

    def _overall(self) -> str:
        data_sets: dict[str, list[str]] = {}
        for name, test in self.findings.tests.items():
            data_sets.setdefault(self.best(test), []).append(name)
        number = len(self.findings.tests)
        if len(data_sets) == 1:
            where = {1: "the one data set that could be tested", 2: "both data sets"}
            lead = f"{self.learner[next(iter(data_sets))]} has the {self.most} {self.measure} on "
            lead += where.get(number, f"all {number} data sets")
        else:
            order = sorted(data_sets, key=lambda name: -len(data_sets[name]))
            parts = [f"that of {self.learner[name]} on {self._listed(data_sets[name])}" for name in order]
            more = f"; that of {len(order) - MOST_PAIRS} others elsewhere" if len(order) > MOST_PAIRS else ""
            best = "; ".join(parts[:MOST_PAIRS]) + more
            lead = f"No learner is best on all data sets: the {self.most} {self.measure} is {best}"
        separated = sum(self._is_separated(test) for test in self.findings.tests.values())
        if separated:
            return f"{lead}. On {separated} of them the best learner differs significantly from every other."
        return f"{lead}. On none of them does the best learner differ significantly from every other."

    def _listed(self, names: Sequence[str]) -> str:
        if len(names) > MOST_DATA_SETS:
            return f"{len(names)} of them"
        return listed([self.data_set[name] for name in names])

    def _on_data_set(self, name: str, test: StudyTest) -> Iterator[str]:
        best = self.best(test)
        if isinstance(test, Comparison):
            estimate = test.estimates[best]
            within = estimate.provenance.folds is not None and not estimate.provenance.pooled
            value = f"{estimate.value:.3f} ({'average over folds' if within else 'all folds together'})"
        else:
            value = self._mean(self.findings.spread[name, best])
        yield f"On {self.data_set[name]}, {self.learner[best]} has the {self.most} {self.measure}, {value}."
        yield from self._against_others(test, best, "these folds")

    def _against_others(self, test: StudyTest, best: str, source: str) -> Iterator[str]:
        assert not isinstance(test, Friedman)
        pairs = test.differences if isinstance(test, Comparison) else test.tests
        several = test.adjustment is not None and len(pairs) > 1
        after = f" after {str(test.adjustment).title()}" if several else ""
        brief = len(self.findings.tests) > 1
        writer = PairSentences(self.learner, self.level, after, source, brief)
        yield from writer.sentences(best, self.pairs(test, best))
        others = [pair for pair in pairs.values() if best not in (pair.first, pair.second)]
        significant = [pair for pair in others if pair.adjusted_pvalue < 1 - self.level]
        if len(significant) > MOST_PAIRS:
            yield f"Of the {len(others)} pairs of other learners {len(significant)} differ significantly."
        elif significant:
            ordered = [pair if self.direction * pair.value > 0 else pair.reversed() for pair in significant]
            better = [
                verdict(
                    self.learner[pair.first], self.learner[pair.second], pair.adjusted_pvalue, self.level, True
                )
                for pair in ordered
            ]
            yield f"Among the others, {listed(better)}."

    def _over_data_sets(self, test: StudyTest) -> Iterator[str]:
        ranks = self.findings.friedman
        if isinstance(test, Friedman):
            yield from self._ranked(test)
            return
        best = next(iter(ranks.ranks)) if ranks is not None else self.best(test)
        number = len(ranks.data_sets) if ranks is not None else len(self.findings.spread.data_sets)
        rank = "" if ranks is None else f", {ranks.ranks[best]:.2f} among {len(ranks.ranks)} learners"
        yield f"{self.learner[best]} has the best mean rank by {self.measure} on {number} data sets{rank}."
        yield from self._against_others(test, best, "these data sets")

    def _ranked(self, test: Friedman) -> Iterator[str]:
        best, *others = test.ranks
        lead = f"{self.learner[best]} has the best mean rank by {self.measure}, {test.ranks[best]:.2f} among "
        yield f"{lead}{len(test.ranks)} learners on {len(test.data_sets)} data sets."
        significant = test.F_pvalue < 1 - self.level
        ranks = "The learners do not rank equally" if significant else "Mean ranks do not differ significantly"
        yield f"{ranks} ({p_text(test.F_pvalue)})."
        apart = [self.learner[name] for name in others if test.nemenyi.apart(best, name)]
        close = [self.learner[name] for name in others if not test.nemenyi.apart(best, name)]
        if significant and apart:
            least = f"{test.critical_difference:.2f}"
            yield f"It ranks better than {listed(apart)}, by more than {least} (Nemenyi's test)."
        if close:
            yield f"It does not differ significantly from {listed(close)}; this does not show that they are equal."

    def cautions(self) -> Iterator[str]:
        findings, study = self.findings, self.findings.study
        if study.left:
            yield f"The study is incomplete: {counted(study.left, 'fit')} left to run."
        yield from self._failures()
        unfit = [self.data_set[name] for name in study.data_sets if name not in findings.spread.data_sets]
        if unfit:
            yield f"{self.measure} does not apply to the number of classes of {listed(unfit)}: left out."
        untested = [name for name in findings.spread.data_sets if findings.tests and name not in findings.tests]
        if untested and ALL_DATA_SETS not in findings.tests:
            yield f"No test was possible on {self._listed(untested)}; see the notes."
        tests = findings.tests.values()
        if any(test.provenance.dropped for test in tests if not isinstance(test, Comparison)):
            yield "Folds or data sets in which a learner has no value are left out of the tests for all learners."

    def _failures(self) -> Iterator[str]:
        counts = Counter(failure.learner for failure in self.findings.study.failures)
        evaluated = {learner for (_, learner), spread in self.findings.spread.spreads.items() if spread.folds}
        for name, number in list(counts.items())[:MOST_PAIRS]:
            never = "" if name in evaluated else " and has no value, so it is not compared"
            yield f"{self.learner[name]} failed in {counted(number, 'fit')}{never}."
        if len(counts) > MOST_PAIRS:
            yield f"{len(counts) - MOST_PAIRS} other learners failed too; the messages are below."
