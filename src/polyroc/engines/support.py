"""What each mode of evaluation supports: cases in memory, files by an engine, Spark data frames, tallies.

The verbs consult this table, and it is the only place that says so: docs/scale.md shows it, and the tests go
through it entry by entry.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from polyroc.engines.bounds import engine_measures
from polyroc.errors import NotApplicableError
from polyroc.measures.measure import Measure
from polyroc.messages import Call, Message, Option, Reference

__all__ = [
    "FEATURES",
    "MODES",
    "VERBS",
    "Mode",
    "Verb",
    "check_measure",
    "check_supported",
    "decisions_subject",
    "mode_of",
    "support_table",
]

Mode = Literal["memory", "duckdb", "spark", "tally"]
Verb = Literal[
    "evaluate",
    "compare",
    "curve",
    "operate",
    "rates",
    "calibration",
    "decision_curve",
    "surface",
    "reader_study",
    "venkatraman",
    "front",
    "Scores",
]
Parts = tuple[str | Reference, ...]

VERBS: tuple[Verb, ...] = ("evaluate", "compare", "curve", "operate", "rates", "calibration")
ANY_SAMPLING: tuple[Verb, ...] = ("evaluate", "compare", "curve", "operate", "rates")  # case-control, too
ESTIMATES: tuple[Verb, ...] = ("evaluate", "compare")
SCORED: tuple[Verb, ...] = ("evaluate", "compare", "curve")
ONLY_EVALUATE: tuple[Verb, ...] = ("evaluate",)
NONE: tuple[Verb, ...] = ()

MODES: Mapping[Mode, str] = {
    "memory": "for cases in memory",
    "duckdb": "for files that an engine reads",
    "spark": "for Spark data frames",
    "tally": "from a Tally",
}
INSTEAD: Mapping[Mode, Parts] = {
    "memory": ("use ", Option("engine", "duckdb"), ", which reads files"),
    "duckdb": ("read the rows, or a sample of them, into memory with ", Option("engine", "memory")),
    "spark": ("bring the rows, or a sample of them, into memory first (toPandas)",),
    "tally": ("evaluate the cases themselves with ", Call("evaluate", ...)),
}


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that a verb can do, and where it is available.

    Attributes
    ----------
    title
        What it is, in the table of the documentation.
    subject
        What messages call it.
    verbs
        By mode, the verbs with which it is available.
    also
        By mode, another way out, for the end of the message.
    """

    title: str
    subject: Parts
    verbs: Mapping[Mode, tuple[Verb, ...]]
    also: Mapping[Mode, Parts] = field(default_factory=dict)


def _verbs(
    memory: tuple[Verb, ...],
    duckdb: tuple[Verb, ...],
    spark: tuple[Verb, ...] | None = None,
    tally: tuple[Verb, ...] = NONE,
) -> Mapping[Mode, tuple[Verb, ...]]:
    """Return the verbs by mode: Spark supports what the engine over files does, unless something else is given."""
    return {"memory": memory, "duckdb": duckdb, "spark": duckdb if spark is None else spark, "tally": tally}


def _engines(*parts: str | Reference) -> Mapping[Mode, Parts]:
    return {"duckdb": parts, "spark": parts}


FEATURES: Mapping[str, Feature] = {
    "scores": Feature(
        "one score, or one column per class", ("Scores",), _verbs(VERBS, VERBS, tally=ONLY_EVALUATE)
    ),
    "labels": Feature(
        "classes that are text, integers, floats or truth values; `labels`, `pos_label`",
        (Option("labels"),),
        _verbs(VERBS, VERBS, tally=ONLY_EVALUATE),
    ),
    "decisions": Feature(
        "decisions given as labels",
        ("A column of decisions",),
        _verbs(("evaluate", "compare", "rates"), NONE, tally=ONLY_EVALUATE),
    ),
    "layout": Feature(
        "several rows per case (`classifier`, `case`, `class_`), `--convert`",
        (Option("classifier"),),
        _verbs(VERBS, NONE),
    ),
    "weight": Feature("importance weights", (Option("sample_weight"),), _verbs(VERBS, VERBS, tally=ONLY_EVALUATE)),
    "frequency": Feature(
        "frequency weights",
        (Option("weight_kind", "frequency"),),
        _verbs(VERBS, NONE, tally=ONLY_EVALUATE),
        _engines("use ", Option("weight_kind", "importance"), " if the weights are not numbers of cases"),
    ),
    "missing": Feature('`missing="drop"`', (Option("missing", "drop"),), _verbs(VERBS, VERBS)),
    "sampling": Feature(
        '`sampling="case-control"`',
        (Option("sampling", "case-control"),),
        _verbs(ANY_SAMPLING, ANY_SAMPLING, tally=ONLY_EVALUATE),
    ),
    "groups": Feature(
        "`groups` (patients): clustered standard errors", (Option("groups"),), _verbs(VERBS, ESTIMATES)
    ),
    "folds": Feature(
        "`folds` of a cross-validation",
        (Option("folds"),),
        _verbs(("evaluate", "compare", "curve", "calibration"), NONE),
        _engines("have one result per fold with ", Option("by", ...)),
    ),
    "by": Feature(
        "`by`: one result per subgroup",
        (Option("by"),),
        _verbs((*ESTIMATES, "calibration"), ESTIMATES),
        _engines("pass the rows of each group in turn"),
    ),
    "negate": Feature(
        "`negate`, `scores='-COLUMN'`: a score multiplied by -1",
        (Option("negate"),),
        _verbs(SCORED, SCORED),
        {
            "memory": ("multiply the column itself by -1, as the rule is for the scores that it is given",),
            "duckdb": ("multiply the column itself by -1, as the rule is for the scores that it is given",),
            "spark": ("multiply the column itself by -1 (withColumn), as the rule is for its scores",),
        },
    ),
    "method": Feature(
        "methods other than `Influence()`",
        (Option("method"),),
        _verbs(("evaluate", "compare", "curve", "operate"), NONE),
        _engines("use ", Option("method", Call("Influence"))),
    ),
    "measures": Feature(
        "measures that compare whole rows of several cases (`pdi`, `mossman`, `he`, ...)",
        ("The measure",),
        _verbs(ESTIMATES, NONE),
    ),
    "conversion": Feature(
        "ordered measures of probabilities, by conversion",
        ("An ordered measure of one column per class",),
        _verbs(ONLY_EVALUATE, NONE),
    ),
    "limits": Feature("`tolerance`, `exact`, `memory`, `covariance`", (Option("tolerance"),), _verbs(NONE, VERBS)),
    "disk": Feature(
        "`disk`",
        (Option("disk"),),
        _verbs(NONE, VERBS, NONE),
        {"spark": ("use spark.local.dir and Spark's own limits",)},
    ),
}


def check_supported(feature: str, mode: Mode, verb: Verb | None, subject: Parts | None = None) -> None:
    """Raise an error if a feature is not available for a verb (None: for any verb) in a mode.

    >>> check_supported("groups", "duckdb", "curve")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    polyroc.errors.NotApplicableError: groups is not available in curve for files that an engine reads; ...
    """
    entry = FEATURES[feature]
    if not entry.verbs[mode] or verb not in (None, *entry.verbs[mode]):
        raise NotApplicableError(_message(entry, mode, verb, subject or entry.subject))


def _message(entry: Feature, mode: Mode, verb: Verb | None, subject: Parts) -> Message:
    """Return what is not available where, and what to do instead."""
    other_mode: Mode = "duckdb" if mode == "memory" else "memory"
    is_elsewhere = verb in (None, *entry.verbs[other_mode]) and entry.verbs[other_mode]
    ways = [*([INSTEAD[mode]] if is_elsewhere else []), *([entry.also[mode]] if mode in entry.also else [])]
    advice = [part for number, way in enumerate(ways) for part in (", or " if number else "; ", *way)]
    place = f"in {verb} {MODES[mode]}" if entry.verbs[mode] else MODES[mode]
    return Message(*subject, f" is not available {place}", *advice, ".")


def decisions_subject(column: str) -> Parts:
    """Return the beginning of the message about a column of text in the place of scores."""
    return (f"{column} holds text where numbers were expected; a column of decisions",)


def check_measure(measure: Measure, mode: Mode) -> None:
    """Raise an error if a measure cannot be computed in a mode."""
    scanned = measure.case_mean is not None and mode != "tally"
    if measure.bins is None and not scanned and mode != "memory":
        known = ", ".join(one.key for one in engine_measures() if one.bins is not None or mode != "tally")
        raise NotApplicableError(
            _message(FEATURES["measures"], mode, "evaluate", (f"{measure}",)),
            f" It needs whole rows, which binned counts do not keep; they have {known}.",
        )


def mode_of(is_spark: bool) -> Mode:
    """Return the mode of data that an engine reads."""
    return "spark" if is_spark else "duckdb"


def support_table() -> list[list[str]]:
    """Return the table as text: by feature, what is available in memory, by engines and from a tally."""

    def cell(mode: Mode, verbs: tuple[Verb, ...]) -> str:
        whole = ONLY_EVALUATE if mode == "tally" else VERBS
        return "no" if not verbs else "yes" if set(verbs) >= set(whole) else ", ".join(verbs)

    return [[feature.title, *(cell(mode, feature.verbs[mode]) for mode in MODES)] for feature in FEATURES.values()]
