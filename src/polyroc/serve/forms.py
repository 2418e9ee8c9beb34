"""The forms of the pages: their fields, and what they send to `polyroc.read` and other functions."""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from polyroc.errors import InputError
from polyroc.measures.registry import headline_measure
from polyroc.messages import Call, Option, Reference, short_repr
from polyroc.scores import Kind, Schema

__all__ = [
    "FIELDS",
    "MORE",
    "OF_REPORTS",
    "READING",
    "ROLES",
    "SEVERAL",
    "as_columns",
    "as_question",
    "as_reading",
    "as_study",
    "as_terms",
    "field_spelling",
    "form_data",
]

# what a column can be chosen as, by option
ROLES = {
    "truth": "true class",
    "scores": "score",
    "classifier": "classifier",
    "case": "case",
    "reader": "reader",
    "modality": "modality",
    "class_": "class of the score",
    "sample_weight": "weight",
    "groups": "group",
    "folds": "fold",
    "repeats": "repeat",
    "by": "subgroup",
}
OF_REPORTS = ("reader", "modality", "folds", "repeats", "by")  # roles that an operating point has not
SEVERAL = ("scores", "by")  # roles that several columns can have
MORE = "More options"
READING = "How the file is read"
# the fields, by option; those under MORE, those under READING, and those of their own
FIELDS = {
    "labels": "Classes in order",
    "pos_label": "Positive class",
    "missing": "Drop rows with missing values",
    "sampling": "Case-control sampling",
    "weight_kind": "Frequency weights",
    "decimal": "Decimal sign",
    "encoding": "Encoding",
    "table": "Sheet",
    "negate": "reversed",
}
PLACES = {
    **dict.fromkeys(("missing", "sampling", "weight_kind"), MORE),
    **dict.fromkeys(("decimal", "encoding", "table"), READING),
}
CHOICES = {"missing": "drop", "sampling": "case-control", "weight_kind": "frequency"}  # if not the default
MOST_CHARACTERS = 200  # of the name of an encoding or a sheet


def form_data(body: bytes) -> dict[str, Any]:
    """What the page's own script sent."""
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):  # not JSON, or nested without end
        sent = None
    if not isinstance(sent, dict):
        raise InputError("The page sent something that is not a choice of columns; reload it.")
    return sent


def as_columns(body: bytes) -> dict[str, Any]:
    """Options of `polyroc.read` from the page's JSON; names of columns are checked where the file is read.

    `names` has the classifier of score columns: columns of one classifier are those of its classes. The scores in
    `reversed` are multiplied by -1.

    >>> as_columns(b'{"truth": "kind", "scores": ["p_cat", "p_dog"], "groups": "", "labels": []}')
    {'scores': ['p_cat', 'p_dog'], 'truth': 'kind'}
    >>> as_columns(b'{"truth": "y", "scores": ["a", "b"], "names": {"a": "A", "b": "B"}, "reversed": ["b"]}')
    {'scores': {'A': ['a'], 'B': ['-b']}, 'truth': 'y'}
    """
    sent = form_data(body)
    if not _is_text(sent.get("truth")):
        raise InputError("Choose the column of the true classes.")
    scores = _texts(sent, "scores", "Choose the column or columns of the scores.")
    if not scores:
        raise InputError("Choose the column or columns of the scores.")
    single = {role: sent[role] for role in ROLES if role not in SEVERAL and _is_text(sent.get(role))}
    columns: dict[str, Any] = {"scores": _by_classifier(sent, scores, single), **single}
    for name, what in (("labels", "The classes in order"), ("by", "The subgroups")):
        if texts := _texts(sent, name, f"{what} must be a list of their names."):
            columns[name] = texts
    if _is_text(sent.get("pos_label")):
        columns["pos_label"] = sent["pos_label"]
    columns |= {name: choice for name, choice in CHOICES.items() if sent.get(name) == choice}
    if "sample_weight" not in columns:
        columns.pop("weight_kind", None)
    if "modality" in columns and "reader" not in columns:
        raise InputError("Choose the column of the readers, too; a modality without readers is a classifier.")
    return columns | as_reading(sent)


def as_study(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `polyroc.reader_study` from those of `polyroc.read`: they name the measure.

    >>> as_study({"scores": ["rating"], "truth": "ill", "pos_label": "yes", "reader": "who"})
    {'scores': ['rating'], 'truth': 'ill', 'pos_label': 'yes', 'reader': 'who', 'measure': 'auc'}
    """
    labels = ("negative", "positive") if "pos_label" in columns else ("a", "b", "c")
    kind: Kind = "score" if len(columns["scores"]) == 1 else "matrix"
    known = Schema(labels, kind, positive=1 if len(labels) == 2 else None, ordered=True)
    return {**columns, "measure": headline_measure(known).key}


def as_reading(sent: Mapping[str, Any]) -> dict[str, Any]:
    """How a file is read: decimal sign, encoding, and the sheet of a workbook, if they are not the default.

    >>> as_reading({"decimal": ",", "encoding": "cp1252", "table": ""})
    {'decimal': ',', 'encoding': 'cp1252'}
    """
    texts = {name: sent[name] for name in ("decimal", "encoding", "table") if _is_text(sent.get(name))}
    if any(len(text) > MOST_CHARACTERS for text in texts.values()):
        raise InputError("The name of an encoding or a sheet is too long; reload the page.")
    if texts.get("decimal") != ",":
        texts.pop("decimal", None)
    return texts


NUMBERS = ("value", "versus", "correlation", "null", "margin", "width", "power", "alpha")
COSTS = "The costs must be lists of a true class, a decision and a number."


def as_question(body: bytes) -> dict[str, Any]:
    """Options of `polyroc.sample_size` from the page's JSON, in which numbers are texts.

    >>> as_question(b'{"measure": "auc", "value": "0.85", "null": "", "n": "40, 80", "ratio": "1:2"}')
    {'measure': 'auc', 'value': 0.85, 'n': [40, 80], 'ratio': [1.0, 2.0]}
    """
    sent = form_data(body)
    measure = sent.get("measure")
    if not _is_text(measure):
        raise InputError("Choose a measure.")
    question: dict[str, Any] = {"measure": measure}
    question |= {name: _numbers(sent, name)[0] for name in NUMBERS if _is_text(sent.get(name))}
    if _is_text(sent.get("n")):
        numbers = _numbers(sent, "n")
        if not all(number.is_integer() for number in numbers):
            raise InputError("The numbers of cases must be whole numbers, such as 100, or 30, 70.")
        question["n"] = [int(number) for number in numbers] if numbers[1:] else int(numbers[0])
    if _is_text(sent.get("ratio")):
        question["ratio"] = _numbers(sent, "ratio")
    return question


def _numbers(sent: Mapping[str, Any], name: str) -> list[float]:
    text = sent[name].replace(":", ",")
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or (name in NUMBERS and len(numbers) > 1) or not all(map(isfinite, numbers)):
        raise InputError(f'"{name}" must be a number with a decimal point, got {short_repr(sent[name])}.')
    return numbers


def as_terms(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `polyroc.operate` from the page's JSON.

    >>> as_terms({"only": "lda", "aim": "sensitivity", "rate": "0.9", "bootstrap": True})
    {'classifier': 'lda', 'sensitivity': 0.9, 'method': 'bootstrap'}
    >>> as_terms({"aim": "costs", "costs": [["ill", "well", "10"]], "calibrated": True})
    {'costs': {('ill', 'well'): 10.0}, 'calibrated': True}
    """
    aim = sent.get("aim")
    terms: dict[str, Any] = {"classifier": sent["only"]} if _is_text(sent.get("only")) else {}
    if aim in ("youden", "closest"):
        terms["criterion"] = aim
    elif aim in ("sensitivity", "specificity"):
        if not _is_text(sent.get("rate")):
            raise InputError(f"Give the least {aim}, between 0 and 1.")
        terms[aim] = _numbers(sent, "rate")[0]
    elif aim == "costs":
        terms["costs"] = _costs(sent)
        terms |= {"calibrated": True} if sent.get("calibrated") is True else {}
    else:
        raise InputError("Choose what the rule is to achieve.")
    if sent.get("bootstrap") is True and not terms.get("calibrated"):
        terms["method"] = "bootstrap"
    return terms


def _costs(sent: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    rows = sent.get("costs")
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == 3 for row in rows):
        raise InputError(COSTS)
    if not all(map(_is_text, (part for row in rows for part in row))):
        raise InputError(COSTS)
    return {(true, called): _numbers({"cost": cost}, "cost")[0] for true, called, cost in rows}


def _texts(sent: Mapping[str, Any], name: str, message: str) -> list[str]:
    values = sent.get(name) or []
    if not isinstance(values, list) or not all(map(_is_text, values)):
        raise InputError(message)
    return values


def _by_classifier(sent: Mapping[str, Any], scores: list[str], single: Mapping[str, Any]) -> Any:
    """The score columns, by classifier if the page names classifiers, with a sign if they are reversed."""
    reverse = _texts(sent, "reversed", "The reversed scores must be a list of columns.")
    signed = [f"-{column}" if column in reverse else column for column in scores]
    names = sent.get("names") or {}
    if not isinstance(names, dict) or not all(map(_is_text, names.values())):
        raise InputError("The names of the classifiers must be texts, by column.")
    if not names or {"classifier", "class_", "reader"} & {*single}:
        return signed
    by_classifier: dict[str, list[str]] = {}
    for column, own in zip(scores, signed, strict=True):
        by_classifier.setdefault(names.get(column, column).strip(), []).append(own)
    return by_classifier


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def field_spelling(reference: Reference) -> str:
    """An option as the field of the page that sets it; as in Python where the page has none.

    >>> print(field_spelling(Option("pos_label", "dog", "cat")))
    "Positive class" ('dog' or 'cat')
    >>> print(field_spelling(Option("missing", "drop")))
    "Drop rows with missing values" under "More options"
    >>> print(field_spelling(Option("case", ...)))
    "case"
    >>> print(field_spelling(Call("read", Option("classifier", "net"), Option("case", "tile"))))
    "classifier" for 'net' and "case" for 'tile'
    """
    if isinstance(reference, Call) and reference.name in ("read", "reader_study"):
        options = [option for option in reference.arguments if isinstance(option, Option)]
        named = " and ".join(f"{field_spelling(option)} for {short_repr(option.values[0])}" for option in options)
        return f"{named} in a report" if reference.name == "reader_study" else named
    if isinstance(reference, Option) and reference.name in ROLES:
        return f'"{ROLES[reference.name]}"'
    if not isinstance(reference, Option) or reference.name not in FIELDS:
        return f"{reference} in Python"
    place = PLACES.get(reference.name)
    field = f'"{FIELDS[reference.name]}"' + (f' under "{place}"' if place else "")
    if reference.name in CHOICES or reference.values in ((), (...,), ([...],)):
        return field
    return f"{field} ({' or '.join(map(short_repr, reference.values))})"
