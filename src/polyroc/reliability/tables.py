"""Tables and sentences of calibration: of one sample, and of subgroups."""

from math import isnan
from typing import TYPE_CHECKING

from polyroc.output.numbers import estimated_text, interval_text, level_text, number_text, p_number, p_text
from polyroc.output.sentences import counted
from polyroc.output.tables import Table
from polyroc.reliability.decomposition import Decomposition, Part
from polyroc.reliability.differences import PartDifference
from polyroc.reliability.events import TOP_LABEL

if TYPE_CHECKING:
    from polyroc.reliability.grouped import GroupDifference, GroupedCalibration
    from polyroc.reliability.result import BinBounds, Calibration, EventCalibration

__all__ = [
    "all_tables",
    "brier_table",
    "faults_of",
    "grouped_sentences",
    "grouped_tables",
    "sentences",
    "tests_table",
    "verdict",
]

BIASED = (
    "The values of miscalibration and discrimination are too large by chance; their intervals allow for it, and "
    "may be below the value."
)
NAMES = {"in_the_large": "in the large", "slope": "slope"}


def tests_table(result: "Calibration") -> Table:
    """Recalibration and tests, with the conclusion."""
    ends = f"{level_text(result.level)} interval"
    rows = [
        {
            **_names(result, key),
            "predicted": number_text(own.predicted),
            "observed": number_text(own.observed),
            "in the large": with_ends(own.in_the_large),
            "slope": with_ends(own.slope),
            "p joint": _p(own.joint.pvalue),
            "p Spiegelhalter": _p(own.spiegelhalter.pvalue),
            "p simulated": _p(own.simulated_pvalue),
        }
        for key, own in result.events.items()
    ]
    return Table.of(f"Calibration ({ends}s in brackets)", rows, sentences(result))


def brier_table(result: "Calibration") -> Table:
    """The terms of the Brier score."""
    rows = [
        {**_names(result, key), "Brier": number_text(own.brier), **_terms(own.decomposition)}
        for key, own in result.events.items()
    ]
    notes = [BIASED, *([] if result.bounds is None else [_bounds_note([*result.bounds.values()])])]
    return Table.of("Brier score = miscalibration - discrimination + uncertainty", rows, notes)


def _bounds_note(bounds: list["BinBounds"]) -> str:
    """What the bins leave open, in a sentence."""
    width = max(own.width for own in bounds)
    curve = max(float((own.high - own.low).max(initial=0.0)) for own in bounds)
    first = bounds[0]
    start = (
        f"From {counted(first.rows, 'row')} in {counted(first.passes, 'scan')}; everything but miscalibration, "
    )
    start += "discrimination and curve is exact. "
    if not width and not curve:
        return f"{start}These are, too: no bin holds different probabilities and both outcomes."
    return (
        f"{start}Bins leave open that miscalibration and discrimination are larger by up to {width:.1e}, and that "
        f"the curve is elsewhere by up to {curve:.1e}."
    )


def all_tables(result: "Calibration") -> list[Table]:
    """Every table of a result that has something in it."""
    tables = [tests_table(result), brier_table(result)]
    logarithmic = [
        {**_names(result, key), "log loss": number_text(_sum(own.log_loss)), **_terms(own.log_loss)}
        for key, own in result.events.items()
        if own.log_loss is not None
    ]
    if logarithmic:
        tables.append(Table.of("Log loss = miscalibration - discrimination + uncertainty", logarithmic))
    errors = [
        {**_names(result, key), "calibration error": with_ends(own.calibration_error)}
        for key, own in result.events.items()
        if own.calibration_error is not None
    ]
    if errors:
        title = "Expected calibration error (root mean square, without bias)"
        tables.append(Table.of(title, errors))
    return tables + _difference_tables(result)


def _difference_tables(result: "Calibration") -> list[Table]:
    rows = []
    several = len(result.events) > len(result.overall)
    for (first, second, event), terms in (result.term_differences or {}).items():
        names = {"first": first, "second": second, **({"event": event} if several else {})}
        for term, own in terms._asdict().items():
            rows.append({**names, "term": term, **_difference(own)})
    return [Table.of("Differences of the terms of the Brier score, first - second", rows)] if rows else []


def _difference(own: "PartDifference | GroupDifference") -> dict[str, str]:
    return {"difference": with_ends(Part(*own[:4]), 4), "p": _p(own.pvalue)}


def _terms(terms: Decomposition) -> dict[str, str]:
    return {name: with_ends(part) for name, part in terms._asdict().items()}


def _sum(terms: Decomposition) -> float:
    return terms.miscalibration.value - terms.discrimination.value + terms.uncertainty.value


def _names(result: "Calibration", key: tuple[str, str]) -> dict[str, str]:
    several = len(result.events) > len(result.overall)
    return {"classifier": key[0], **({"event": key[1]} if several else {})}


def sentences(result: "Calibration") -> list[str]:
    """One sentence per classifier and event, and per difference or test beside these."""
    lines = [f"{_whose(result, *key)}: {verdict(own, result.level)}." for key, own in result.events.items()]
    for (first, second), difference in (result.differences or {}).items():
        ends = interval_text((difference.low, difference.high), 2)
        lines.append(
            f"The slope of {first} minus that of {second} is {number_text(difference.value, 2)} ({ends}), "
            f"{p_text(difference.pvalue)}."
        )
    for name, test in (result.canonical or {}).items():
        if not isnan(test.pvalue):
            shown = "are not right" if test.pvalue < 1.0 - result.level else "show no miscalibration"
            lines.append(f"{name}: whole rows of probabilities {shown}: kernel test {p_text(test.pvalue)}.")
    return [*lines, *_fold_sentences(result)]


def _fold_sentences(result: "Calibration") -> list[str]:
    if result.provenance.folds is None:
        return []
    lines = [
        f"The cases of {result.provenance.fold_text} are evaluated as one sample: probabilities of different "
        "models are on one scale. The training sets are taken as given."
    ]
    for (name, event), test in (result.fold_tests or {}).items():
        if test.pvalue < 1.0 - result.level:
            whose = _whose(result, name, event)
            lines.append(
                f"{whose}: the models of the folds differ in calibration-in-the-large, {p_text(test.pvalue)}."
            )
    return lines


def _whose(result: "Calibration", classifier: str, event: str) -> str:
    if len(result.events) == len(result.overall):
        return classifier
    one_class = event != TOP_LABEL and event in result.provenance.cases
    return f"{classifier}, {f'class {event}' if one_class else event}"


def verdict(own: "EventCalibration", level: float, of: str = "", large: bool = True) -> str:
    """Return whether and how probabilities are shown to be wrong, with the numbers; without a full stop."""
    shown = f"its probabilities are {faults_of(own)}" if own.is_rejected(level) else "no miscalibration is shown"
    numbers, why = [], ""
    if isnan(own.slope.value):
        why = f"; no calibration slope, because {own.undefined or 'it is undefined'}"
    else:
        numbers.append(f"slope {with_ends(own.slope, 2)}")
    if isnan(own.in_the_large.value):
        numbers.append(f"predicted {number_text(own.predicted)} on average, observed {number_text(own.observed)}")
    elif large or why:
        numbers.append(f"in the large {with_ends(own.in_the_large, 2)}")
    test = "Spiegelhalter's test " if isnan(own.joint.pvalue) else ""
    numbers.append("no test is defined" if isnan(own.pvalue) else f"{test}{p_text(own.pvalue)}")
    return f"{shown}: {of}{', '.join(numbers)}{why}"


def faults_of(own: "EventCalibration") -> str:
    """What is wrong with probabilities that were rejected."""
    if own.slope.high < 0.0:  # higher probabilities, fewer events: more than a matter of degree
        return "reversed (are they those of the other class?)"
    faults = []
    if own.slope.high < 1.0:
        faults.append("too extreme")
    elif own.slope.low > 1.0:
        faults.append("too moderate")
    if own.in_the_large.low > 0.0:
        faults.append("too low on average")
    elif own.in_the_large.high < 0.0:
        faults.append("too high on average")
    elif isnan(own.in_the_large.value) and own.observed in (0.0, 1.0):  # no case differs in the other direction
        faults.append(f"too {'low' if own.observed else 'high'} on average")
    return " and ".join(faults) or "not right"


def with_ends(part: Part, digits: int = 3) -> str:
    """A value with its interval in brackets."""
    if isnan(part.value):
        return "undefined"
    ends = "" if isnan(part.low) else f" ({interval_text((part.low, part.high), digits)})"
    return f"{estimated_text(part.value, part.standard_error, digits)}{ends}"


def _p(pvalue: float) -> str:
    return "" if isnan(pvalue) else p_number(pvalue)


def grouped_tables(result: "GroupedCalibration") -> list[Table]:
    """By subgroup slope, in the large and tests; then the differences between subgroups."""
    rows = []
    for name, own in result.named().items():
        for key, event in own.events.items():
            rows.append(
                {
                    "subgroup": name,
                    **_names(own, key),
                    "predicted": number_text(event.predicted),
                    "observed": number_text(event.observed),
                    "in the large": with_ends(event.in_the_large),
                    "slope": with_ends(event.slope),
                    "p joint": _p(event.joint.pvalue),
                }
            )
    title = f"Calibration by {', '.join(result.by)} ({level_text(result.overall.level)} intervals in brackets)"
    tables = [Table.of(title, rows, grouped_sentences(result))]
    several = len(result.overall.events) > len(result.overall.overall)
    between = [
        {
            "first": first,
            "second": second,
            "classifier": classifier,
            **({"event": event} if several else {}),
            "quantity": NAMES.get(quantity, quantity),
            **_difference(own),
            **({"p adjusted": _p(own.adjusted_pvalue)} if len(result) > 2 else {}),
        }
        for (first, second, classifier, event, quantity), own in result.differences.items()
    ]
    return [*tables, Table.of("Differences between subgroups, first - second", between)] if between else tables


def grouped_sentences(result: "GroupedCalibration") -> list[str]:
    """Of each classifier and event whether calibration differs between subgroups; then subgroups left out."""
    lines = []
    for (classifier, event, quantity), test in result.equality.items():
        if quantity != "both" or isnan(test.pvalue):
            continue
        whose = _whose(result.overall, classifier, event)
        differ = test.pvalue < 1.0 - result.overall.level
        shown = "calibration differs between subgroups" if differ else "no difference between subgroups is shown"
        lines.append(f"{whose}: {shown} (in the large and slope): {p_text(test.pvalue)}.")
    lines += [f"{name} is left out: {reason}." for name, reason in (result.undefined or {}).items()]
    return lines
