"""The conclusion in sentences: the best classifier, by how much, how certain, and its most frequent error."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.decisions.rate_matrix import Rates
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.difference import Difference, chance_clause, verdict
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.tables import direction_hint, score_notes
from polyroc.fronts.result import Front
from polyroc.output.numbers import estimate_text, interval_text, p_text, percentage
from polyroc.output.sentences import clipped, listed, short_names, shortened
from polyroc.reports.findings import MOST_CLASSES, Findings, with_parts
from polyroc.reports.subgroups import subgroup_sentences
from polyroc.rules import CutPointRule
from polyroc.studies.summaries.paired_tests import PairedTest

__all__ = ["MOST_PAIRS", "Conclusion", "PairSentences", "compared_measure", "conclude"]

FEW_CASES = 20  # of a class; below, normal approximations are poor
MOST_VOLUME_CLASSES = 4  # beyond, a front found by sampling dominates next to nothing of its space
MOST_PAIRS = 4  # beyond, pairs are summarised in one sentence


class Conclusion(NamedTuple):
    """The findings and the cautions, as sentences."""

    sentences: tuple[str, ...]
    cautions: tuple[str, ...]


def conclude(findings: Findings, level: float = 0.95) -> Conclusion:
    """The findings in sentences that claim no more than the tests show."""
    writer = _Writer(findings, level)
    sentences = [*writer.ranking(), *writer.weaknesses(), *writer.subgroups()]
    if findings.readers is not None:
        sentences += [clipped(sentence, 600) for sentence in findings.readers.conclusion(level)]
    if not sentences and findings.fronts:
        sentences = [*writer.fronts()]
    return Conclusion(tuple(sentences), tuple(writer.cautions()))


def compared_measure(findings: Findings) -> str | None:
    """The measure by which classifiers were compared, or the first one that was evaluated."""
    if findings.comparison is not None:
        return findings.comparison.measure
    evaluation = findings.evaluation
    return evaluation.measures[0] if evaluation and evaluation.measures else None


class _Writer:
    def __init__(self, findings: Findings, level: float) -> None:
        self.findings, self.level = findings, level
        self.classifier = short_names(findings.classifiers)
        self.label = short_names(findings.classes)
        self.measure = compared_measure(findings)

    def estimates(self) -> dict[str, Estimate]:
        """By classifier, the estimates of the measure that classifiers are compared by."""
        if self.findings.comparison is not None:
            return dict(self.findings.comparison.estimates)
        if self.findings.evaluation is None or self.measure is None:
            return {}
        estimates = self.findings.evaluation.estimates
        return {name: estimate for (name, key), estimate in estimates.items() if key == self.measure}

    def best(self) -> str | None:
        """The classifier with the best value, the first of several; None if no value is defined."""
        values = {name: estimate.value for name, estimate in self.estimates().items() if not isnan(estimate.value)}
        if not values:
            return self.findings.classifiers[0] if len(self.findings.classifiers) == 1 else None
        return max(values, key=lambda name: values[name] if self.larger_is_better() else -values[name])

    def larger_is_better(self) -> bool:
        pairs = self.findings.comparison.differences.values() if self.findings.comparison else ()
        return all(pair.larger_is_better for pair in pairs)

    def ranking(self) -> Iterator[str]:
        best, estimates = self.best(), self.estimates()
        if best is None or not estimates:
            if estimates:
                yield "The measure is undefined for these cases: no classifier can be evaluated."
            return
        estimate = estimates[best]
        interval = estimate.confidence_interval(self.level)
        size = estimate_text(estimate.value, interval, level=self.level, unit=estimate.unit)
        value = f"{size}{self._against_chance(estimate, *interval)}"
        if len(estimates) == 1:
            yield f"{self.classifier[best]}: {estimate.name} {value}"
        else:
            most = "highest" if self.larger_is_better() else "lowest"
            yield f"{self.classifier[best]} has the {most} {estimate.name}, {value}"
        if self.findings.comparison is not None:
            yield from self._against_others(self.findings.comparison, best)

    def _against_chance(self, estimate: Estimate, low: float, high: float) -> str:
        if estimate.chance is None or isnan(low):
            return "."
        if estimate.is_below_chance(self.level):
            side = "above" if estimate.larger_is_better is False else "below"
            worse = f"every value of the interval is {side} chance ({estimate.chance:.3g})"
            return f"; {worse}: {direction_hint(estimate.provenance)}"
        if high < estimate.chance if estimate.larger_is_better is False else low > estimate.chance:
            return f"; chance gives {estimate.chance:.3g}."
        return f". This is not significantly better than chance ({estimate.chance:.3g})."

    def _against_others(self, comparison: Comparison, best: str) -> Iterator[str]:
        pairs = [comparison.difference(best, other) for other in comparison.estimates if other != best]
        after = f" after {comparison.adjustment} adjustment" if comparison.is_adjusted else ""
        yield from self._reversed(comparison, best)
        yield from PairSentences(self.classifier, self.level, after, "these cases").sentences(best, pairs)

    def weaknesses(self) -> Iterator[str]:
        """Of the best classifier: the classes it separates least well, and its most frequent error."""
        best = self.best()
        if best is None:
            return
        if len(self.label) > 2:
            yield from self._hardest_pair(best)
            yield from self._worst_order(best)
        if best in self.findings.rates:
            yield from self._worst_error(best, self.findings.rates[best], "The")
        elif best in self.findings.points:
            point = self.findings.points[best]
            where = "At the threshold of least error on these cases"
            if isinstance(point.rule, CutPointRule):
                cuts = clipped("; ".join(point.threshold_texts(self.level)))
                yield f"Cut-points of the largest generalised Youden index: {cuts}."
                where = "At these"
            corrected = "" if point.uncertainty is None else ", corrected for the choice"
            yield from self._worst_error(best, point.confusion, f"{where}{corrected}, the")
            if point.is_optimistic:
                yield point.evaluation

    def subgroups(self) -> Iterator[str]:
        """Whether subgroups differ: in the value of the best classifier, and in its differences to the others."""
        grouped, best = self.findings.subgroups, self.best()
        if grouped is not None and best in grouped.classifiers:
            yield from subgroup_sentences(grouped, self.level, best)

    def _reversed(self, comparison: Comparison, best: str) -> Iterator[str]:
        """Other classifiers of which every value of the interval is worse than chance."""
        for note in score_notes([e for name, e in comparison.estimates.items() if name != best], self.level):
            yield clipped(note, 600)

    def _hardest_pair(self, best: str) -> Iterator[str]:
        estimate = with_parts(self.findings.evaluation, "pair_areas").get(best)
        names = list(self.label)
        if estimate is None or len(names) > MOST_CLASSES:
            return
        keys = {f"A({a},{b})": (a, b) for i, a in enumerate(names) for b in names[i + 1 :]}
        areas = {key: estimate.parts[key] for key in keys if key in estimate.parts}
        areas = {key: area for key, area in areas.items() if not isnan(area.value)}
        if not areas:
            return
        key = min(areas, key=lambda key: areas[key].value)
        a, b = (self.label[name] for name in keys[key])
        subject = self.classifier[best] if len(self.classifier) > 1 else "It"
        ends = interval_text(areas[key].confidence_interval(self.level), 3)
        yield (
            f"{subject} separates {a} and {b} least well: pairwise area {areas[key].value:.3f} ({ends}), "
            f"the smallest of {len(areas)}, selected post hoc."
        )

    def _worst_order(self, best: str) -> Iterator[str]:
        """Of an ordered score: the most frequent order of one case per class, other than the right one."""
        estimate = with_parts(self.findings.evaluation, "order_volumes").get(best)
        if estimate is None or estimate.converted or isnan(estimate.value):
            return
        wrong = {key: part for key, part in estimate.parts.items() if key != "<".join(self.label)}
        key = max(wrong, key=lambda key: wrong[key].value)
        yield (
            f"The most frequent wrong order of one case of each class: {shortened((key,))[0]}, "
            f"{self._rate(wrong[key])}, selected post hoc."
        )

    def _rate(self, estimate: Estimate) -> str:
        low, high = estimate.confidence_interval(self.level)
        return f"{percentage(estimate.value)} ({percentage(low)} to {percentage(high)})"

    def _worst_error(self, best: str, confusion: Rates, where: str) -> Iterator[str]:
        errors = np.nan_to_num(confusion.rates, nan=-1.0)
        errors[np.diag_indices_from(errors)] = -1.0
        k, m = np.unravel_index(int(errors.argmax()), errors.shape)
        if errors[k, m] <= 0:
            yield f"{self.classifier[best]} makes no error on these cases; a larger sample may show some."
            return
        owner = f" of {self.classifier[best]}" if len(self.classifier) > 1 else ""
        true, decision = confusion.classes[k], confusion.classes[m]
        yield (
            f"{where} most frequent error{owner}: of {self.label.get(true, true)}, "
            f"{self._rate(confusion[true, decision])} are called {self.label.get(decision, decision)}."
        )

    def fronts(self) -> Iterator[str]:
        for name, front in self.findings.fronts.items():
            extent = "all there are" if front.exact else f"found with {front.growth.draws[-1]} cost vectors"
            volume = ""
            if len(front.classes) <= MOST_VOLUME_CLASSES:
                gini = front.growth.gini[-1]
                volume = f"; its generalised Gini coefficient is about {gini:.3f} (0: chance, 1: no errors)"
            yield f"{self.classifier[name]} has {len(front)} Pareto-optimal operating points ({extent}){volume}."
            if volume and not front.exact:
                yield f"{front.convergence} {front.dimension_note}".strip()
            yield self._fewest_errors(front)

    def _fewest_errors(self, front: Front) -> str:
        totals = front.counts[0].sum(axis=1)
        correct = np.trace(front.counts, axis1=1, axis2=2).max()
        largest = front.classes[int(totals.argmax())]
        return (
            f"With equal costs, the best of them misclassifies {percentage(1 - correct / totals.sum())} of the "
            f"cases; always predicting {self.label.get(largest, largest)} misclassifies "
            f"{percentage(1 - totals.max() / totals.sum())}. "
            "It was selected on the cases it is evaluated on, so its error rate is optimistic."
        )

    def _folds(self, provenance: Provenance) -> Iterator[str]:
        """What cross-validated predictions estimate, and which pooled values are biased."""
        if provenance.target is not None:
            yield provenance.target
        for estimate in self.estimates().values():
            if estimate.cross_validation is not None and estimate.cross_validation.pooling_is_biased:
                yield f"{self.classifier[estimate.classifier]}: {estimate.cross_validation.sentence()}"

    def cautions(self) -> Iterator[str]:
        provenance = self.findings.provenance
        if provenance is None:
            return
        cases = {self.label.get(name, name): count for name, count in provenance.cases.items()}
        for name in [name for name, count in cases.items() if count == 0]:
            yield f"There is no case of {name}: measures that need one are undefined."
        single = [name for name, count in cases.items() if count == 1]
        if single:
            yield f"There is only one case of {listed(single)}: its estimates have no standard error."
        few = [f"{name} ({count})" for name, count in cases.items() if 1 < count < FEW_CASES]
        if few:
            yield f"Few cases of {listed(few)}: their estimates are imprecise, and their intervals wide."
        yield from self._folds(provenance)
        if provenance.groups is not None:
            yield f"Standard errors are based on {provenance.groups} groups, not on cases."
        if provenance.dropped:
            yield (
                f"{provenance.dropped} rows with missing values were dropped, as requested; unless values are "
                "missing at random, the estimates are biased."
            )
        if any(estimate.value in estimate.limits for estimate in self.estimates().values()):
            yield "A value at a limit of its range has no standard error; its interval is Wilson's."


@dataclass(frozen=True, slots=True)
class PairSentences:
    """Sentences on the best of several classifiers or learners against the others.

    Attributes
    ----------
    names
        The names as they are shown.
    level
        Level of the intervals; a pair differs significantly if its adjusted p-value is below 1 - level.
    after
        The adjustment of the p-values, as " after Holm".
    source
        The data that the differences come from, as "these cases".
    brief
        True if pairs without a significant difference share one sentence.
    """

    names: Mapping[str, str]
    level: float
    after: str
    source: str
    brief: bool = False

    def sentences(self, best: str, pairs: Sequence[Difference | PairedTest]) -> Iterator[str]:
        """The sentences on `pairs`, each of which is the best minus another."""
        significant = [pair for pair in pairs if pair.adjusted_pvalue < 1 - self.level]
        others = [pair for pair in pairs if pair.adjusted_pvalue >= 1 - self.level]
        if len(significant) > MOST_PAIRS:
            least = min(abs(pair.value) for pair in significant)
            yield (
                f"It is better than {len(significant)} others, by {least:.3f} or more (each p below "
                f"{1 - self.level:.2g}{self.after}){self._chance(significant)}"
            )
        else:
            yield from map(self._better, significant)
        if others:
            yield from self._undecided(others, best)
        for pair in [pair for pair in pairs if isnan(pair.pvalue)][:MOST_PAIRS]:
            yield f"It cannot be compared with {self.names[pair.second]}: their difference has no standard error."

    def _size(self, pair: Difference | PairedTest) -> str:
        """The absolute difference with the interval beside its p-value, where there is one."""
        positive = pair if pair.value >= 0 else pair.reversed()
        if isinstance(positive, Difference):
            return positive.size_text(self.level)
        return estimate_text(positive.value, positive.confidence_interval(self.level), level=self.level)

    def _better(self, pair: Difference | PairedTest) -> str:
        other, end = self.names[pair.second], self._chance([pair])
        lead = verdict("It", other, pair.adjusted_pvalue, self.level, first_is_better=True)
        return f"{lead} by {self._size(pair)}, {p_text(pair.adjusted_pvalue)}{self.after}{end}"

    def _chance(self, pairs: Sequence[Difference | PairedTest]) -> str:
        """The end of a sentence: which of the others are worse than chance."""
        differences = [pair for pair in pairs if isinstance(pair, Difference)]
        worse = [pair.second for pair in differences if pair.second in pair.below_chance(self.level)]
        return chance_clause([self.names[name] for name in worse])

    def _undecided(self, pairs: Sequence[Difference | PairedTest], best: str) -> Iterator[str]:
        names = [self.names[pair.second] for pair in pairs]
        if len(pairs) > MOST_PAIRS:
            yield (
                f"It does not differ significantly from {len(pairs)} others ({', '.join(names[:MOST_PAIRS])}, ...)"
                f" on {self.source}; this does not show that they are equal."
            )
            return
        if self.brief:
            tested = [f"{name} ({p_text(pair.adjusted_pvalue)})" for pair, name in zip(pairs, names, strict=True)]
            yield (
                f"It does not differ significantly from {listed(tested)}{self.after}; this does not show that "
                "they are equal."
            )
            return
        for pair, name in zip(pairs, names, strict=True):
            interval = pair.confidence_interval if isinstance(pair, PairedTest) else pair.adjusted_interval
            largest = max(map(abs, interval(self.level)))
            compatible = "" if isnan(largest) else f": a difference of {largest:.3f} is compatible with the data"
            yield (
                f"{self.names[best]} and {name} do not differ significantly on {self.source}: the difference is "
                f"{self._size(pair)}, {p_text(pair.adjusted_pvalue)}{self.after}. This does not show that they "
                f"are equal{compatible}."
            )
