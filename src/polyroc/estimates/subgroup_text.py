"""Subgroups as a table of text, and whether they differ in sentences."""

from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING

from polyroc.estimates.comparison import Comparison
from polyroc.estimates.difference import Difference
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.tables import UNNAMED, difference_rows, estimate_row, notes_of
from polyroc.output.numbers import level_text, p_number, p_text
from polyroc.output.sentences import listed
from polyroc.output.tables import Row, Table

if TYPE_CHECKING:
    from polyroc.estimates.grouped import Grouped, GroupResult

__all__ = ["ALL", "case_text", "grouped_conclusion", "grouped_summary", "grouped_table", "is_listed"]

ALL = "all"  # the name of the row of all cases
MOST_TESTS = 300  # pairs of subgroups, over all measures and classifiers, that are tested by default
MOST_SENTENCES = 4  # on pairs of one measure
MOST_CLASSES = 4  # whose cases are listed one by one


def is_listed(grouped: "Grouped") -> bool:
    """Whether the tests between subgroups are few enough to be shown in tables and sentences."""
    pairs = len(grouped) * (len(grouped) - 1) // 2
    return grouped.is_tested and pairs * len(grouped.classifiers) * len(grouped.measures) <= MOST_TESTS


def grouped_table(grouped: "Grouped", level: float, margin: float | None = None) -> Table:
    """The subgroups of each measure and classifier, or pair of classifiers, one below the other, and all cases.

    Below it the notes and the conclusion.
    """
    over_groups = grouped.adjusted_over_groups() if grouped.pairs and len(grouped) > 1 else {}
    by_subject: dict[int, list[Row]] = {}
    for name, (group, result) in zip(grouped.names, grouped.groups.items(), strict=True):
        values = {column: str(value) for column, value in zip(grouped.by, group, strict=True)}
        for number, row in enumerate(_rows(result, level, margin)):
            if over_groups:
                row["p over groups"] = p_number(over_groups.get((name, grouped.pairs[number]), float("nan")))
            by_subject.setdefault(number, []).append({**values, **row})
    if grouped.overall is not None:
        values = {column: ALL if place == 0 else "" for place, column in enumerate(grouped.by)}
        for number, row in enumerate(_rows(grouped.overall, level, margin)):
            by_subject.setdefault(number, []).append({**values, **row})
    hidden = {"chance", *(["classifier"] if grouped.classifiers == (UNNAMED,) else [])}
    rows = [
        {name: cell for name, cell in row.items() if name not in hidden}
        for subject in by_subject.values()
        for row in subject
    ]
    estimates = [] if grouped.overall is None else _estimates(grouped.overall)
    compared = [one for one in grouped.groups.values() if isinstance(one, Comparison)][:1]
    tests = [f"p: {pair.test}." for one in compared for pair in [*one.differences.values()][:1]]
    return Table.of("", rows, [*notes_of(estimates, level), *tests, *grouped_conclusion(grouped, level)])


def _estimates(result: "GroupResult") -> list[Estimate]:
    return [result] if isinstance(result, Estimate) else [*result.estimates.values()]


def _rows(result: "GroupResult", level: float, margin: float | None) -> list[Row]:
    """The rows of one subgroup: its estimates, or its pairs of classifiers."""
    first, *_ = _estimates(result)
    cases = {"cases": case_text(first)}
    if isinstance(result, Comparison):
        return [{**cases, **row} for row in difference_rows(result, level, margin)]
    return [{**cases, **estimate_row(estimate, estimate.measure, level)} for estimate in _estimates(result)]


def case_text(estimate: Estimate) -> str:
    """The cases by class, if the classes are few; else how many there are."""
    cases = estimate.provenance.cases
    if len(cases) > MOST_CLASSES:
        return str(sum(cases.values()))
    return ", ".join(f"{name}: {count}" for name, count in cases.items())


def grouped_conclusion(grouped: "Grouped", level: float) -> list[str]:
    """Whether subgroups differ, and which; for comparisons, whether differences depend on the subgroup."""
    return [*_undefined(grouped), *_below_chance(grouped, level), *_tests(grouped, level)]


def _undefined(grouped: "Grouped") -> Iterator[str]:
    if len(grouped) > 1:
        for name, reason in [*grouped.undefined.items()][:MOST_SENTENCES]:
            yield f"{name} is in no test between subgroups: {reason}."


def _below_chance(grouped: "Grouped", level: float) -> Iterator[str]:
    """Per measure and classifier, the subgroups in which every value of the interval is worse than chance."""
    worse: dict[str, list[str]] = {}
    for name, result in zip(grouped.names, grouped.groups.values(), strict=True):
        for estimate in _estimates(result):
            if estimate.is_below_chance(level):
                worse.setdefault(_subject(grouped, estimate.classifier, estimate.measure), []).append(name)
    for subject, names in worse.items():
        where = f"is worse than chance in {listed(names)}"
        yield f"{subject}: every value of the {level_text(level)} interval {where}."


def _subject(grouped: "Grouped", classifier: str, measure: str) -> str:
    return measure if grouped.classifiers == (UNNAMED,) else f"{measure} of {classifier}"


def _tests(grouped: "Grouped", level: float) -> Iterator[str]:
    if len(grouped) < 2:
        return
    if grouped.dependent and grouped.covariance is None:
        yield "Subgroups are not tested against each other: cases of different subgroups belong together."
    if not is_listed(grouped):
        return
    for first, second in grouped.pairs:
        yield grouped.interaction(first, second).sentence(level)
    for measure in grouped.measures:
        for classifier in grouped.classifiers:
            if len(grouped._defined(classifier, measure)) > 1:
                subject = _subject(grouped, classifier, measure)
                yield from _between(grouped.between(classifier, measure), subject, level)


def grouped_summary(grouped: "Grouped", classifier: str, level: float) -> list[str]:
    """In brief: whether the value of a classifier, and its differences to others, depend on the subgroup."""
    if len(grouped) < 2 or not is_listed(grouped) or len(grouped._defined(classifier, grouped.measures[0])) < 2:
        return [*_undefined(grouped)]
    measure = grouped.measures[0]
    subject = _subject(grouped, classifier, measure)
    headline = next(_between(grouped.between(classifier, measure), subject, level))
    pairs = [pair for pair in grouped.pairs if classifier in pair]
    return [*_undefined(grouped), headline, *(grouped.interaction(*pair).sentence(level) for pair in pairs)]


def _between(comparison: Comparison, subject: str, level: float) -> Iterator[str]:
    """Whether subgroups differ, in a sentence; then the pairs that do."""
    names, pairs = [*comparison.estimates], [*comparison.differences.values()]
    if isnan(comparison.pvalue):
        yield f"{subject}: the subgroups cannot be compared; an interval is undefined."
        return
    if len(pairs) == 1:
        yield _pair(pairs[0], subject, level)
        return
    significant = [pair for pair in pairs if pair.adjusted_pvalue < 1 - level]
    if not significant:
        yield (
            f"{subject}: no difference between the {len(names)} subgroups is shown: {p_text(comparison.pvalue)}. "
            "This does not show that they are equal."
        )
        return
    yield f"{subject} differs between the {len(names)} subgroups: {p_text(comparison.pvalue)}."
    for pair in significant[:MOST_SENTENCES]:
        yield _pair(pair, subject, level)
    if len(significant) > MOST_SENTENCES:
        others = [f"{pair.first} and {pair.second}" for pair in significant[MOST_SENTENCES:]]
        yield f"{subject} also differs between {listed(others, 3)}."


def _pair(pair: Difference, subject: str, level: float) -> str:
    shown = pair if pair.value >= 0 else pair.reversed()
    test = f"{pair.test}, {pair.adjustment}" if pair.adjustment else pair.test
    size = f"{shown.size_text(level)}, {p_text(pair.adjusted_pvalue)} ({test})"
    if not pair.adjusted_pvalue < 1 - level:
        return f"{subject}: no difference between {shown.first} and {shown.second} is shown: {size}."
    return f"{subject} is higher in {shown.first} than in {shown.second} by {size}."
