"""Estimates and differences as tables of text, the same for the command line, `print` and notebooks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from polyroc._results.provenance import Provenance
from polyroc.output.numbers import estimated_text, interval_text, level_text, number_text, p_number, p_text
from polyroc.output.sentences import capitalised, listed
from polyroc.output.tables import Row, Table

if TYPE_CHECKING:
    from polyroc.estimates.comparison import Comparison
    from polyroc.estimates.estimate import Estimate
    from polyroc.estimates.evaluation import Evaluation

__all__ = [
    "comparison_table",
    "conversion_notes",
    "difference_rows",
    "direction_hint",
    "estimate_row",
    "estimate_table",
    "evaluation_table",
    "fold_notes",
    "notes_of",
    "pairing_notes",
    "score_notes",
    "test_notes",
]

BINARY = (
    "every score is 0 or 1. If these are predicted classes, give predicted probabilities instead: a ranking needs "
    "more than two values."
)
UNNAMED = "classifier"  # the name of a single classifier that was given none


def estimate_row(estimate: "Estimate", name: str, level: float) -> Row:
    """A row with the value, its standard error and interval, the chance value and the test, if there is one."""
    unit, folds = estimate.unit, estimate.cross_validation
    return {
        "measure": name,
        "classifier": estimate.classifier,
        "value": estimated_text(estimate.value, estimate.standard_error, unit=unit),
        "std. error": estimate.error_text,
        f"{level_text(level)} interval": interval_text(estimate.confidence_interval(level), unit=unit),
        "chance": "" if estimate.chance is None else f"{estimate.chance:.3g}",
        **({} if folds is None else {"pooled": number_text(folds.pooled, unit=unit)}),
        **({} if estimate.pvalue is None else {f"p ({estimate.null:.3g})": p_number(estimate.pvalue)}),
    }


def estimate_table(estimate: "Estimate", level: float) -> Table:
    """An estimate and the parts it is the mean of."""
    return Table.of("", [*_rows(estimate, level, parts=True)], notes_of([estimate], level))


def evaluation_table(
    evaluation: "Evaluation", level: float, *, parts: bool, adjusted: Mapping[tuple[str, str], float]
) -> Table:
    """Measure by measure, so that classifiers stand one below the other; converted scores are marked *.

    `adjusted` has p-values that are adjusted for the number of tests; empty without.
    """
    rows = []
    for key in evaluation.measures:
        for classifier in evaluation.classifiers:
            whole, *of_parts = _rows(evaluation[classifier, key], level, parts=parts)
            if adjusted:
                whole |= {"adjusted p": p_number(adjusted[classifier, key])}
            rows += [whole, *of_parts]
    if evaluation.classifiers == (UNNAMED,):
        rows = [{name: cell for name, cell in row.items() if name != "classifier"} for row in rows]
    estimates = evaluation.estimates.values()
    notes = notes_of(estimates, level)
    return Table.of("", rows, notes, grouped=len(evaluation.classifiers) > 1)


def _rows(estimate: "Estimate", level: float, *, parts: bool) -> Iterator[Row]:
    yield estimate_row(estimate, f"{estimate.label} *" if estimate.converted else estimate.label, level)
    if parts:
        for name, part in estimate.parts.items():
            yield estimate_row(part, f"  {name}", level)


def conversion_notes(estimates: Iterable["Estimate"]) -> list[str]:
    """The meaning of the mark *: how the scores of a measure were converted."""
    conversions = dict.fromkeys(estimate.converted for estimate in estimates if estimate.converted)
    return [f"* Converted: {conversion}." for conversion in conversions]


def score_notes(estimates: Iterable["Estimate"], level: float) -> list[str]:
    """Scores that may not be what was meant: worse than chance with every value of the interval, or 0 and 1 only.

    Also which scores were negated.
    """
    estimates = [*estimates]
    worse: dict[str, list[Estimate]] = {}
    for estimate in estimates:
        if estimate.is_below_chance(level):
            worse.setdefault(estimate.classifier, []).append(estimate)
    negated = dict.fromkeys(name for estimate in estimates for name in estimate.provenance.negated or ())
    binary = dict.fromkeys(name for estimate in estimates for name in estimate.provenance.binary or ())
    return [
        *(_below_chance(classifier, own, level) for classifier, own in worse.items()),
        *([f"{listed([*binary])}: {BINARY}"] if binary else []),
        *([f"The scores of {listed([*negated])} are negated."] if negated else []),
    ]


def _below_chance(classifier: str, estimates: Sequence["Estimate"], level: float) -> str:
    measures = listed([estimate.label for estimate in estimates])
    side = "above" if all(estimate.larger_is_better is False for estimate in estimates) else "below"
    chances = dict.fromkeys(f"{estimate.chance:.3g}" for estimate in estimates)
    chance = f" ({next(iter(chances))})" if len(chances) == 1 else ""
    return (
        f"{classifier}: every value of the {level_text(level)} interval of {measures} is {side} chance{chance}: "
        f"{direction_hint(estimates[0].provenance)}"
    )


def direction_hint(provenance: Provenance) -> str:
    """Ask what may be wrong where scores are worse than chance; columns of classes cannot be negated."""
    if provenance.two_columns:
        return "are the columns in another order than the classes? If so, reorder them."
    if len(provenance.cases) > 2:
        return "are the columns in another order than the classes, or, if it is one, is the score reversed?"
    return "is the score reversed? If so, negate it (-COLUMN in scores, or negate)."


def fold_notes(estimates: Iterable["Estimate"]) -> list[str]:
    """What cross-validated predictions estimate, and what the pooled values beside the averages are."""
    estimates = [*estimates]
    if not estimates or estimates[0].provenance.target is None:
        return []
    validations = [estimate.cross_validation for estimate in estimates if estimate.cross_validation is not None]
    tested = [validation.shift_pvalue for validation in validations if validation.shift_pvalue is not None]
    notes = [estimates[0].provenance.target]
    if validations:
        notes.append("Pooled: the cases of all folds as one sample, as if one model had predicted them.")
    if any(validation.pooling_is_biased for validation in validations):
        notes.append(
            f"Pooled values are biased: scores of the same class differ between folds ({p_text(min(tested))})."
        )
    return notes


def pairing_notes(estimates: Iterable["Estimate"]) -> list[str]:
    """How cases were identified, unless each row had the predictions of all classifiers."""
    stated = dict.fromkeys(e.provenance.pairing_text for e in estimates if e.provenance.pairing)
    return [f"{capitalised(text)}." for text in stated]


def notes_of(estimates: Iterable["Estimate"], level: float) -> list[str]:
    """The notes below a table of estimates: conversions, folds, directions."""
    estimates = [*estimates]
    return [*conversion_notes(estimates), *fold_notes(estimates), *score_notes(estimates, level)]


def comparison_table(comparison: "Comparison", level: float, margin: float | None = None) -> Table:
    """Pair by pair."""
    estimates = [*comparison.estimates.values()]
    folds = fold_notes(estimates)[:1]  # there are no pooled values beside
    notes = [*conversion_notes(estimates), *folds, *score_notes(estimates, level), *pairing_notes(estimates)]
    notes += test_notes(comparison)
    return Table.of("", difference_rows(comparison, level, margin), notes)


def test_notes(comparison: "Comparison") -> list[str]:
    """Return the name of the test of the differences; of two classifiers also Wald's, DeLong's of areas."""
    first, *others = comparison.differences.values()
    pairing = next(iter(comparison.estimates.values())).provenance
    note = f"p: {first.test}" + ("" if pairing.pairing else f", {pairing.pairing_text}")  # else it has a note
    if not others and first.standard_error > 0 and first.test == "score test":
        note += f"; {first.wald_name} z = {first.wald_z:.2f}, {p_text(first.wald_test())}"
    return [f"{note}."]


def difference_rows(comparison: "Comparison", level: float, margin: float | None = None) -> list[Row]:
    """A row per pair; p-value and interval are both adjusted for the number of pairs, and named so, or neither is.

    With a margin, also the p-values of the tests of non-inferiority and of equivalence.
    """
    adjusted = comparison.is_adjusted
    kind = next(iter(comparison.differences.values())).interval_kind
    interval = f"{kind} {level_text(level)}" if adjusted else f"{level_text(level)} interval"
    rows, unit = [], min(estimate.unit for estimate in comparison.estimates.values())
    for difference in comparison.differences.values():
        row = {
            "pair": f"{difference.first} - {difference.second}",
            "difference": estimated_text(difference.value, difference.standard_error, unit=unit),
            "std. error": number_text(difference.standard_error, unit=unit),
            interval: interval_text(difference.adjusted_interval(level), unit=unit, signed=True),
            "p adjusted" if adjusted else "p": p_number(difference.adjusted_pvalue),
        }
        if margin is not None:
            row["p not worse"] = p_number(difference.non_inferiority(margin))
            row["p equivalent"] = p_number(difference.equivalence(margin))
        rows.append(row)
    return rows
