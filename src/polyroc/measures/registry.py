"""The registry: every measure by its key.

To add a measure, describe it in a `Measure` record and `register` it; the built-in ones are listed below.
"""

import ast
from typing import Any

from polyroc.errors import MeasureError, OtherNameWarning, warn
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.assignment import ASSIGNMENT
from polyroc.measures.confusion import DECISION
from polyroc.measures.curve_areas import CURVE_AREAS
from polyroc.measures.measure import CurveArea, Headline, Measure, Parts
from polyroc.measures.ordered import ORDERED
from polyroc.measures.pairwise import PAIRWISE
from polyroc.measures.polytomous import POLYTOMOUS
from polyroc.measures.proper_scores import PROPER_SCORES
from polyroc.measures.ranking import RANKING
from polyroc.measures.threeway import THREEWAY
from polyroc.measures.two_class_table import TABLE
from polyroc.scores import Schema, Scores
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.names_elsewhere import OtherName, measure_hint, other_name
from polyroc.validation.signatures import validated

__all__ = [
    "MEASURES",
    "headline_measure",
    "measure",
    "measure_of_area",
    "measure_of_parts",
    "record_of",
    "register",
    "unregister",
]

FAMILIES = (
    RANKING,
    CURVE_AREAS,
    PAIRWISE,
    DECISION,
    TABLE,
    ORDERED,
    ASSIGNMENT,
    POLYTOMOUS,
    THREEWAY,
    PROPER_SCORES,
)
MEASURES: dict[str, Measure] = {measure.key: measure for family in FAMILIES for measure in family}


@validated
def measure(key: str | Measure, **options: Any) -> Measure:
    """A measure by its key, with options if it has any.

    >>> measure("hand_till")
    <Measure hand_till: Hand & Till's M>
    >>> measure("partial_auc", fpr=(0, 0.2))
    <Measure partial_auc(fpr=(0, 0.2)): partial area under the ROC curve>
    >>> measure("partial_auc(fpr=(0, 0.2))").settings["fpr"]
    (0, 0.2)

    A name from elsewhere with options, such as tpr(fpr=0.1), is computed under its name in polyroc, with an
    `OtherNameWarning`; without options it is an error that says the name.
    """
    if isinstance(key, Measure):
        return key.with_options(**options) if options else key
    record = MEASURES.get(key)
    if record is not None and not options:
        return record
    name, written = _parse(key)
    record = MEASURES.get(name)
    if record is None or not {*written, *options} <= {*record.options, *record.variants}:
        other = other_name(name, {**written, **options})
        if other is not None and other.key in MEASURES and (record is None or other.key == name):
            return _by_other_name(key, other)
    if record is None:
        raise MeasureError(f"There is no measure {name!r}; {measure_hint(name) or did_you_mean(name, MEASURES)}")
    return record.with_options(**written, **options)


def _by_other_name(text: str, other: OtherName) -> Measure:
    """The measure that a name from elsewhere denotes, with a note that says so."""
    record = MEASURES[other.key].with_options(**other.options)
    what = f"1 minus {record}, which is computed" if other.is_complement else f"computed as {record}"
    warn(f"{text} is {what}.", OtherNameWarning)
    return record


def record_of(text: str) -> Measure | None:
    """The record of a measure as a result names it, without its options; None if it is not registered here.

    >>> record_of("partial_auc(fpr=(0, 0.2))")
    <Measure partial_auc(fpr=(0, 0.1)): partial area under the ROC curve>
    """
    return MEASURES.get(text.partition("(")[0])


def headline_measure(scores: Scores | Schema) -> Measure:
    """The measure by which classifiers are compared on such data unless another is named.

    >>> headline_measure(Schema(("a", "b", "c"), "matrix"))
    <Measure hand_till: Hand & Till's M>
    """
    data: Headline = "columns" if scores.kind == "matrix" else "ordered"
    if scores.kind == "decisions":
        data = "decisions"
    elif scores.n_classes == 2:
        data = "two_classes"
    declared = [measure for measure in reversed(MEASURES.values()) if data in measure.headline]
    applicable = (measure for measure in declared if inapplicable_reason(measure, scores, by_name=True) is None)
    # If none applies, the built-in one, whose reason is the answer to the user.
    return next(applicable, declared[-1])


def measure_of_parts(parts: Parts) -> Measure:
    """The first measure that has these parts.

    >>> measure_of_parts("pair_areas")
    <Measure hand_till: Hand & Till's M>
    """
    return next(measure for measure in MEASURES.values() if measure.parts == parts)


def measure_of_area(curve: CurveArea) -> Measure:
    """The first measure that is the whole area under such a curve.

    >>> measure_of_area("pr")
    <Measure average_precision: average precision>
    """
    return next(measure for measure in MEASURES.values() if measure.curve_area == curve)


def register(measure: Measure) -> Measure:
    """Add a measure to the registry: every verb, engine and command then knows it by its key.

    What it can be used for follows from the capabilities that it declares (see `Measure`). Registering twice
    replaces nothing: `unregister` the key first.
    """
    if not measure.key.isidentifier():
        raise MeasureError(f"The key of a measure must be a name such as my_measure, got {measure.key!r}.")
    if measure.key in MEASURES:
        raise MeasureError(f"There is a measure {measure.key!r} already; unregister it first, or use another key.")
    if measure.bins == "pairs" and measure.areas is None:
        raise MeasureError(f"{measure.key} declares bins='pairs', which needs areas=AreaForm(...).")
    if (
        measure.bins == "score"
        and measure.bound_rule in ("ranks", "curve", "envelope")
        and measure.best_ranks is None
    ):
        raise MeasureError(f"{measure.key} declares bins='score', which needs best_ranks.")
    MEASURES[measure.key] = measure
    return measure


def unregister(key: str) -> Measure:
    """Remove a measure from the registry, and return it."""
    if key not in MEASURES:
        raise MeasureError(f"There is no measure {key!r}; {did_you_mean(key, MEASURES)}")
    return MEASURES.pop(key)


def _parse(text: str) -> tuple[str, dict[str, Any]]:
    """Read "key" or "key(option=value, ...)"; the values are literals, nothing is executed."""
    if "(" not in text:
        return text.strip(), {}
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        return call.func.id, {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError):
        known = text.partition("(")[0].strip() in MEASURES
        hint = (None if known else measure_hint(text)) or "write it like partial_auc(fpr=(0, 0.1))."
        raise MeasureError(f"Cannot read the measure {text!r}; {hint}") from None
