"""The conclusion in plain sentences: which classifier, by how much, how sure, where it fails."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

import numpy as np

from polyroc.decisions.rate_matrix import Rates
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.difference import Difference
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.fronts.result import Front
from polyroc.output.numbers import p_text
from polyroc.reports.embedding import shortened
from polyroc.reports.findings import MOST_CLASSES, Findings
from polyroc.studies.summaries.paired_tests import PairedTest

__all__ = ["Conclusion", "Pairs", "conclude", "listed", "measure_compared"]

FEW = 20  # cases of a class below which numbers about it are rough
VOLUMES = 4  # classes beyond which a front of points that were found fills next to none of its space
MANY = 4  # classifiers beyond which not every pair is told


class Conclusion(NamedTuple):
    """What was found, and what to beware of: sentences."""

    said: tuple[str, ...]
    cautions: tuple[str, ...]


def conclude(found: Findings, level: float = 0.95) -> Conclusion:
    """The findings in sentences, no surer than they are."""
    words = _Words(found, level)
    said = [*words.ranking(), *words.failing()]
    if not said and found.fronts:
        said = [*words.fronts()]
    return Conclusion(tuple(said), tuple(words.cautions()))


def measure_compared(found: Findings) -> str | None:
    """The measure that classifiers were compared by, or the first that there is."""
    if found.comparison is not None:
        return found.comparison.measure
    return found.evaluation.measures[0] if found.evaluation and found.evaluation.measures else None


class _Words:
    def __init__(self, found: Findings, level: float) -> None:
        self.found, self.level = found, level
        self.classifier = dict(zip(found.classifiers, shortened(found.classifiers), strict=True))
        self.label = dict(zip(found.classes, shortened(found.classes), strict=True))
        self.measure = measure_compared(found)

    def estimates(self) -> dict[str, Estimate]:
        if self.found.comparison is not None:
            return dict(self.found.comparison.estimates)
        if self.found.evaluation is None or self.measure is None:
            return {}
        every = self.found.evaluation.estimates
        return {name: each for (name, measure), each in every.items() if measure == self.measure}

    def best(self) -> str | None:
        """The classifier with the best value, if it can be told at all; of several, the first."""
        known = {name: each.value for name, each in self.estimates().items() if not isnan(each.value)}
        if not known:
            return self.found.classifiers[0] if len(self.found.classifiers) == 1 else None
        return max(known, key=lambda name: known[name] if self.larger_is_better() else -known[name])

    def larger_is_better(self) -> bool:
        pairs = self.found.comparison.differences.values() if self.found.comparison else ()
        return all(each.larger_is_better for each in pairs)

    def ranking(self) -> Iterator[str]:
        best, estimates = self.best(), self.estimates()
        if best is None or not estimates:
            if estimates:
                yield "No classifier can be judged by these cases: the measure is undefined."
            return
        alone = len(estimates) == 1
        one = estimates[best]
        low, high = one.confidence_interval(self.level)
        value = f"{one.value:.3f} ({100 * self.level:g} % {low:.3f} to {high:.3f})"
        most = "highest" if self.larger_is_better() else "lowest"
        lead = f"{self.classifier[best]}:" if alone else f"{self.classifier[best]} has the {most}"
        yield f"{lead} {one.name}{'' if alone else ','} {value}{self._chance(one, low, high)}"
        if self.found.comparison is not None:
            yield from self._against_others(self.found.comparison, best)

    def _chance(self, one: Estimate, low: float, high: float) -> str:
        if one.chance is None or isnan(low):
            return "."
        if low > one.chance:
            return f"; guessing gets {one.chance:.3g}."
        if high < one.chance:
            return f"; that is worse than guessing ({one.chance:.3g}): are its scores the right way round?"
        return f". That is not shown to be better than guessing ({one.chance:.3g})."

    def _against_others(self, comparison: Comparison, best: str) -> Iterator[str]:
        others = [comparison.difference(best, other) for other in comparison.estimates if other != best]
        several = comparison.adjustment is not None and len(comparison.differences) > 1
        after = f" after {comparison.adjustment} adjustment" if several else ""
        yield from Pairs(self.classifier, self.level, after, "these cases").told(best, others)

    def failing(self) -> Iterator[str]:
        best = self.best()
        if best is None:
            return
        if len(self.label) > 2:
            yield from self._hardest_pair(best)
            yield from self._worst_order(best)
        if best in self.found.rates:
            yield from self._worst_error(best, self.found.rates[best], "The")
        elif best in self.found.points:
            where = "At the threshold of least error on these cases, the"
            yield from self._worst_error(best, self.found.points[best].confusion, where)

    def _hardest_pair(self, best: str) -> Iterator[str]:
        found = self.found.evaluation.estimates.get((best, "hand_till")) if self.found.evaluation else None
        if found is None:
            return
        names = list(self.label)
        if len(names) > MOST_CLASSES:
            return
        keys = {f"A({a},{b})": (a, b) for i, a in enumerate(names) for b in names[i + 1 :]}
        pairs = {key: found.parts[key] for key in keys if key in found.parts}
        pairs = {key: each for key, each in pairs.items() if not isnan(each.value)}
        if not pairs:
            return
        key = min(pairs, key=lambda key: pairs[key].value)
        low, high = pairs[key].confidence_interval(self.level)
        a, b = (self.label[name] for name in keys[key])
        yield (
            f"{self._who(best)} tells {a} from {b} least well: a pairwise area of {pairs[key].value:.3f} "
            f"({low:.3f} to {high:.3f}), the smallest of {len(pairs)}, selected post hoc."
        )

    def _worst_order(self, best: str) -> Iterator[str]:
        """Of an ordered score: the order, other than the right one, in which cases come most often."""
        found = self.found.evaluation.estimates.get((best, "scurfield")) if self.found.evaluation else None
        if found is None or found.converted or isnan(found.value):
            return
        wrong = {key: each for key, each in found.parts.items() if key != "<".join(self.label)}
        key = max(wrong, key=lambda key: wrong[key].value)
        low, high = wrong[key].confidence_interval(self.level)
        yield (
            f"The most frequent wrong order of one case of each class: {shortened((key,))[0]}, "
            f"{_percent(wrong[key].value)} ({_percent(low)} to {_percent(high)}), selected post hoc."
        )

    def _who(self, best: str) -> str:
        """By name, if there are others."""
        return self.classifier[best] if len(self.classifier) > 1 else "It"

    def _worst_error(self, best: str, confusion: Rates, where: str) -> Iterator[str]:
        errors = np.nan_to_num(confusion.rates, nan=-1.0)
        errors[np.diag_indices_from(errors)] = -1.0
        k, m = np.unravel_index(int(errors.argmax()), errors.shape)
        if errors[k, m] <= 0:
            who = self.classifier[best]
            yield f"{who} makes no error on these cases; with more of them there may well be some."
            return
        of = f" of {self.classifier[best]}" if len(self.classifier) > 1 else ""
        true, said = confusion.classes[k], confusion.classes[m]
        low, high = confusion[true, said].confidence_interval(self.level)
        yield (
            f"{where} most frequent error{of}: of {self.label.get(true, true)}, "
            f"{_percent(errors[k, m])} ({_percent(low)} to {_percent(high)}) are called "
            f"{self.label.get(said, said)}."
        )

    def fronts(self) -> Iterator[str]:
        for name, each in self.found.fronts.items():
            how = "all there are" if each.exact else f"found by {each.growth.draws[-1]} cost vectors"
            volume = ""
            if len(each.classes) <= VOLUMES:
                volume = (
                    f"; its generalised Gini coefficient is about {each.growth.gini[-1]:.3f} (0: no better than "
                    "guessing, 1: no errors)"
                )
            yield (
                f"{self.classifier[name]} has {len(each)} operating points of which none is better than another "
                f"in every error ({how}){volume}."
            )
            yield self._fewest(each)

    def _fewest(self, front: Front) -> str:
        totals = front.counts[0].sum(axis=1)
        right = np.trace(front.counts, axis1=1, axis2=2).max()
        largest = front.classes[int(totals.argmax())]
        return (
            f"If all errors cost the same, the best of them errs in {_percent(1 - right / totals.sum())} of the "
            f"cases; always saying {self.label.get(largest, largest)} would in "
            f"{_percent(1 - totals.max() / totals.sum())}. "
            "It was picked on the cases it is judged on, so it looks better than it is."
        )

    def cautions(self) -> Iterator[str]:
        facts = self.found.provenance
        if facts is None:
            return
        cases = {self.label.get(name, name): count for name, count in facts.cases.items()}
        for name in [name for name, count in cases.items() if count == 0]:
            yield f"There is no case of {name}: what needs one is undefined."
        alone = [name for name, count in cases.items() if count == 1]
        if alone:
            yield f"There is one case only of {listed(alone)}: nothing said of it has a standard error."
        few = [f"{name} ({count})" for name, count in cases.items() if 1 < count < FEW]
        if few:
            yield f"Few cases of {listed(few)}: numbers about them are rough, and their intervals wide."
        if facts.groups is not None:
            yield f"Error bars count {facts.groups} groups, not cases."
        if facts.dropped:
            yield (
                f"{facts.dropped} rows with missing values were left out, as asked; if they miss for a reason, "
                "the rest is not like the whole."
            )
        if self._perfect():
            yield "A value at the end of its range has no standard error; its interval is Wilson's."

    def _perfect(self) -> bool:
        return any(each.value in each.limits for each in self.estimates().values())


@dataclass(frozen=True, slots=True)
class Pairs:
    """Sentences on the best of several against the others, pair by pair.

    Attributes
    ----------
    names
        As they are shown.
    level
        Of the intervals; pairs with an adjusted p-value below 1 - level are told apart.
    after
        What the p-values were adjusted by, as " after Holm".
    source
        What the differences come from, as "these cases".
    brief
        Whether what cannot be told is told in one sentence.
    """

    names: Mapping[str, str]
    level: float
    after: str
    source: str
    brief: bool = False

    def told(self, best: str, pairs: Sequence[Difference | PairedTest]) -> Iterator[str]:
        """`pairs` are the best minus another each."""
        beaten = [each for each in pairs if each.adjusted_pvalue < 1 - self.level]
        open_ = [each for each in pairs if each.adjusted_pvalue >= 1 - self.level]
        if len(beaten) > MANY:
            least = min(beaten, key=lambda each: abs(each.value))
            yield (
                f"It is better than {len(beaten)} others, by {abs(least.value):.3f} or more (each p below "
                f"{1 - self.level:.2g}{self.after})."
            )
        else:
            yield from (self._better(each) for each in beaten)
        if open_:
            yield from self._undecided(open_, best)
        for each in [each for each in pairs if isnan(each.pvalue)][:MANY]:
            other = self.names[each.second]
            yield f"It cannot be compared with {other}: their difference has no standard error."

    def _interval(self, each: Difference | PairedTest) -> ConfidenceInterval:
        """The interval that agrees with the adjusted p-value, where there is one."""
        return (
            each.simultaneous_interval(self.level)
            if isinstance(each, Difference)
            else each.confidence_interval(self.level)
        )

    def _ends(self, each: Difference | PairedTest) -> str:
        shown = each if each.value >= 0 else each.reversed()
        low, high = self._interval(shown)
        return f"{shown.value:.3f}" + ("" if isnan(low) else f" ({100 * self.level:g} % {low:.3f} to {high:.3f})")

    def _better(self, each: Difference | PairedTest) -> str:
        other = self.names[each.second]
        return f"It is better than {other} by {self._ends(each)}, {p_text(each.adjusted_pvalue)}{self.after}."

    def _undecided(self, pairs: Sequence[Difference | PairedTest], best: str) -> Iterator[str]:
        names = [self.names[each.second] for each in pairs]
        if len(pairs) > MANY:
            yield (
                f"Whether it is better than {len(pairs)} others ({', '.join(names[:MANY])}, ...) cannot be told "
                f"from {self.source}; that does not show them to be equal."
            )
            return
        if self.brief:
            told = [f"{name} ({p_text(each.adjusted_pvalue)})" for each, name in zip(pairs, names, strict=True)]
            yield f"It is not told from {', '.join(told)}{self.after}; that does not show them to be equal."
            return
        for each, name in zip(pairs, names, strict=True):
            low, high = self._interval(each)
            most = max(abs(low), abs(high))
            fits = "." if isnan(most) else f": a difference of {most:.3f} would fit the data as well."
            yield (
                f"Whether {self.names[best]} or {name} is better cannot be told from {self.source}: the "
                f"difference is {self._ends(each)}, {p_text(each.adjusted_pvalue)}{self.after}. That does not "
                f"show them to be equal{fits}"
            )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def listed(names: Sequence[str]) -> str:
    """The first six, and how many more there are."""
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
