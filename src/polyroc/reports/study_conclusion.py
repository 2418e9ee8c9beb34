"""The conclusion of a study in plain sentences: which learner, by how much, how sure, and what to beware of."""

from collections.abc import Iterator, Sequence
from math import isnan

from polyroc.errors import MeasureError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.difference import Difference
from polyroc.measures.registry import measure as find
from polyroc.output.numbers import p_text
from polyroc.reports.conclusion import MANY, Conclusion, Pairs, listed
from polyroc.reports.embedding import shortened, tidy
from polyroc.reports.study_findings import EVERYWHERE, StudyFindings, Test
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.input_tables import direction
from polyroc.studies.summaries.paired_tests import PairedTest
from polyroc.studies.summaries.spread import FoldSpread

__all__ = ["conclude_study", "measure_name", "name_of_test", "ranks_text"]

SETS = 6  # data sets beyond which not each is told of
TESTS = {
    "corrected_t": "Nadeau & Bengio's corrected resampled t",
    "pooled_test": "DeLong's test on the predictions of all folds, folds as groups",
    "wilcoxon": "Wilcoxon's signed-rank test over data sets",
    "friedman": "Friedman's test over data sets, with Nemenyi's for pairs",
}


def measure_name(key: str) -> str:
    """A measure in words."""
    try:
        return tidy(find(key).name)
    except MeasureError:
        return tidy(key)


def name_of_test(test: str) -> str:
    """The recommended test in words."""
    return TESTS.get(test, test)


def ranks_text(test: Friedman) -> str:
    """Friedman's test in a sentence."""
    few = ", which is out of reach with so few data sets" if test.critical_difference > len(test.ranks) - 1 else ""
    return (
        f"That all learners rank equally on {len(test.data_sets)} data sets: Friedman's chi-square "
        f"{test.statistic:.2f} on {test.df} degrees of freedom, {p_text(test.pvalue)}; by Iman & Davenport's F "
        f"{p_text(test.F_pvalue)}. Nemenyi's test tells mean ranks apart that differ by more than "
        f"{test.critical_difference:.2f}{few}."
    )


def conclude_study(found: StudyFindings, level: float = 0.95) -> Conclusion:
    """The findings in sentences, no surer than they are."""
    words = _Words(found, level)
    return Conclusion(tuple(words.said()), tuple(words.cautions()))


class _Words:
    def __init__(self, found: StudyFindings, level: float) -> None:
        study = found.study
        self.found, self.level = found, level
        self.learner = dict(zip(study.learners, shortened(study.learners), strict=True))
        self.data_set = dict(zip(study.data_sets, shortened(study.data_sets), strict=True))
        self.measure = measure_name(found.measure)
        self.better = direction(found.measure)
        self.most = "highest" if self.better > 0 else "lowest"

    def said(self) -> Iterator[str]:
        tests = self.found.tests
        if not tests:
            yield from self._untested()
            return
        if EVERYWHERE in tests:
            yield from self._over_data_sets(tests[EVERYWHERE])
        else:
            if len(self.found.spread.data_sets) > 1:
                yield self._all_in_all()
            for name in list(tests)[:SETS]:
                told = [*self._on(name, tests[name])]
                yield from told if len(tests) == 1 else [" ".join(told)]
            if len(tests) > SETS:
                yield f"The other {len(tests) - SETS} data sets are in the tables."
        assert self.found.recommendation is not None
        chosen = self.found.recommendation
        yield f"Judged by {name_of_test(chosen.test)}: {chosen.why}"

    def _untested(self) -> Iterator[str]:
        known = [each for each in self.found.spread.spreads.values() if each.folds]
        if len({each.learner for each in known}) > 1:
            yield "No learner is shown to be better: there are too few values for a test, as the notes say."
            return
        for each in known[:SETS]:
            name, who = self.data_set[each.data_set], self.learner[each.learner]
            yield f"On {name}, {who}: {self.measure} {self._mean(each)}."
        yield "There is nothing to compare it with." if known else "No learner has any value: there is no result."

    def _mean(self, each: FoldSpread) -> str:
        if isnan(each.standard_deviation):
            return f"{each.mean:.3f}"
        return f"{each.mean:.3f} (mean of {each.folds} folds, SD {each.standard_deviation:.3f})"

    def best(self, test: Test) -> str:
        """By mean ranks, by values, or by the sum of its differences from the others."""
        if isinstance(test, Friedman):
            return next(iter(test.ranks))
        if isinstance(test, Comparison):
            values = {name: each.value for name, each in test.estimates.items()}
        else:
            names = test.learners
            values = {a: sum(test[a, b].value for b in names if b != a) for a in names}
        return max(values, key=lambda name: -1e9 if isnan(values[name]) else self.better * values[name])

    def pairs(self, test: Test, best: str) -> list[Difference | PairedTest]:
        """The best against each other."""
        if isinstance(test, Comparison):
            return [test.difference(best, other) for other in test.estimates if other != best]
        assert not isinstance(test, Friedman)
        return [test[best, other] for other in test.learners if other != best]

    def _clear(self, test: Test) -> bool:
        """Whether the best is told from every other."""
        pairs = self.pairs(test, self.best(test))
        return all(each.adjusted_pvalue < 1 - self.level for each in pairs)

    def _all_in_all(self) -> str:
        first: dict[str, list[str]] = {}
        for name, test in self.found.tests.items():
            first.setdefault(self.best(test), []).append(name)
        clear = sum(self._clear(test) for test in self.found.tests.values())
        many = len(self.found.tests)
        if len(first) == 1:
            lead = f"{self.learner[next(iter(first))]} has the {self.most} {self.measure} on "
            some = {1: "the one data set that could be tested", 2: "both data sets"}
            lead += some.get(many, f"all {many} data sets")
        else:
            most = sorted(first, key=lambda name: -len(first[name]))
            told = "; ".join(f"that of {self.learner[name]} on {self._sets(first[name])}" for name in most[:MANY])
            more = f"; that of {len(most) - MANY} others elsewhere" if len(most) > MANY else ""
            lead = f"No learner is best on all data sets: the {self.most} {self.measure} is {told}{more}"
        if clear:
            return f"{lead}. On {clear} of them the best is told from every other learner."
        return f"{lead}. On none of them is the best told from every other learner."

    def _sets(self, names: Sequence[str]) -> str:
        return listed([self.data_set[name] for name in names]) if len(names) <= SETS else f"{len(names)} of them"

    def _on(self, name: str, test: Test) -> Iterator[str]:
        best = self.best(test)
        if isinstance(test, Comparison):
            value = f"{test.estimates[best].value:.3f} (all folds together)"
        else:
            value = self._mean(self.found.spread[name, best])
        yield f"On {self.data_set[name]}, {self.learner[best]} has the {self.most} {self.measure}, {value}."
        yield from self._against(test, best, "these folds")

    def _against(self, test: Test, best: str, source: str) -> Iterator[str]:
        assert not isinstance(test, Friedman)
        pairs = self.pairs(test, best)
        every = test.differences if isinstance(test, Comparison) else test.tests
        several = test.adjustment is not None and len(every) > 1
        after = f" after {str(test.adjustment).title()}" if several else ""
        yield from Pairs(self.learner, self.level, after, source, len(self.found.tests) > 1).told(best, pairs)
        others = [each for each in every.values() if best not in (each.first, each.second)]
        apart = [each for each in others if each.adjusted_pvalue < 1 - self.level]
        if len(apart) > MANY:
            yield f"Of the {len(others)} pairs of other learners {len(apart)} differ."
        elif apart:
            ordered = [each if self.better * each.value > 0 else each.reversed() for each in apart]
            told = [f"{self.learner[each.first]} is better than {self.learner[each.second]}" for each in ordered]
            yield f"Among the others, {listed(told)}."

    def _over_data_sets(self, test: Test) -> Iterator[str]:
        ranks = self.found.friedman
        if isinstance(test, Friedman):
            yield from self._ranked(test)
            return
        best = next(iter(ranks.ranks)) if ranks is not None else self.best(test)
        sets = len(ranks.data_sets) if ranks is not None else len(self.found.spread.data_sets)
        rank = "" if ranks is None else f", {ranks.ranks[best]:.2f} among {len(ranks.ranks)} learners"
        yield f"{self.learner[best]} has the best mean rank by {self.measure} on {sets} data sets{rank}."
        yield from self._against(test, best, "these data sets")

    def _ranked(self, test: Friedman) -> Iterator[str]:
        best, *others = test.ranks
        lead = f"{self.learner[best]} has the best mean rank by {self.measure}, {test.ranks[best]:.2f} among "
        yield f"{lead}{len(test.ranks)} learners on {len(test.data_sets)} data sets."
        shown = test.F_pvalue < 1 - self.level
        equal = "That learners do not rank equally is shown" if shown else "No difference of ranks is shown"
        yield f"{equal} ({p_text(test.F_pvalue)})."
        apart = [self.learner[name] for name in others if test.nemenyi.apart(best, name)]
        close = [self.learner[name] for name in others if not test.nemenyi.apart(best, name)]
        if shown and apart:
            least = f"{test.critical_difference:.2f}"
            yield f"It ranks better than {listed(apart)}, by more than {least} (Nemenyi's test)."
        if close:
            yield f"It is not told from {listed(close)}; that does not show them to be equal."

    def cautions(self) -> Iterator[str]:
        found, study = self.found, self.found.study
        if study.left:
            yield f"{study.left} fits are still to be done: this is not the whole study."
        yield from self._failed()
        unfit = [self.data_set[name] for name in study.data_sets if name not in found.spread.data_sets]
        if unfit:
            yield f"{self.measure} is not for the number of classes of {listed(unfit)}: left out."
        untested = [name for name in found.spread.data_sets if found.tests and name not in found.tests]
        if untested and EVERYWHERE not in found.tests:
            yield f"No test could be made on {listed([self.data_set[name] for name in untested])}; see the notes."
        if any(each.provenance.dropped for each in found.tests.values() if not isinstance(each, Comparison)):
            yield "Folds or data sets in which a learner has no value are left out of the tests for all learners."

    def _failed(self) -> Iterator[str]:
        counts: dict[str, int] = {}
        for failure in self.found.study.failures:
            counts[failure.learner] = counts.get(failure.learner, 0) + 1
        known = {learner for (_, learner), each in self.found.spread.spreads.items() if each.folds}
        for name, many in list(counts.items())[:MANY]:
            never = "" if name in known else " and never has a value, so nothing is said of it"
            yield f"{self.learner[name]} failed in {many} fit{'s' if many > 1 else ''}{never}."
        if len(counts) > MANY:
            yield f"So did {len(counts) - MANY} other learners; the messages are below."
