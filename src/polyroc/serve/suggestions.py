"""Suggested roles of columns, by their names and values; what is suggested can be read without an error."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from polyroc.errors import PolyrocError
from polyroc.messages import Call, Message, Option
from polyroc.serve.forms import OF_REPORTS

if TYPE_CHECKING:
    from polyroc.io.preview import Column, Preview

__all__ = [
    "Suggestion",
    "classifier_names",
    "point_suggestions",
    "readable_suggestions",
    "row_suggestions",
    "suggestions",
]

TRUTH = (
    *("y", "y_true", "truth", "true", "label", "labels", "class", "target", "outcome", "diagnosis", "species"),
    *("true_class", "true_label", "actual", "status", "disease", "gold", "reference", "response"),
    *("sick", "ill", "event", "died", "malignant"),
)
CLASSIFIER = ("classifier", "model", "method", "learner", "algorithm")
CASE = ("case", "case_id", "id", "row", "index", "sample", "patient_case")
GROUPS = ("patient", "patient_id", "subject", "subject_id", "group", "groups", "cluster")
FOLDS = ("fold", "folds", "cv_fold")
WEIGHT = ("weight", "weights", "sample_weight")
SCORE = re.compile(
    r"(^|[^a-z])(scores?|p|probs?|proba|probabilit(y|ies)|predicted|pred|predictions?|risk|logits?|decision"
    r"|rating|confidence|y_?hat|p_?hat|margin)([^a-z]|$)"
)
POSITIVE = (
    *("yes", "y", "true", "t", "positive", "pos", "+", "case", "disease", "diseased", "sick", "ill"),
    *("malignant", "poor", "dead", "died", "event", "present", "abnormal", "spam", "fraud", "bad", "default"),
)
DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}")
MOST_CLASSES = 50
NAMED = {  # the roles that are suggested by a name, and what the column must be like
    "classifier": (CLASSIFIER, lambda column: 1 < column.distinct <= MOST_CLASSES),
    "case": (CASE, lambda column: column.distinct > 1),
    "groups": (GROUPS, lambda column: column.distinct > 1),
    "folds": (FOLDS, lambda column: 1 < column.distinct <= MOST_CLASSES),
    "sample_weight": (WEIGHT, lambda column: column.numeric and (column.low or 0) >= 0),
}


class Suggestion(NamedTuple):
    """A role or an option, the columns (or the values) suggested for it, and the reason."""

    role: str
    columns: tuple[str, ...]
    reason: str


def suggestions(seen: "Preview") -> tuple[Suggestion, ...]:
    """Roles suggested by the names and values of the columns.

    >>> from polyroc.io.preview import Column, Preview
    >>> pets = Column("kind", False, None, None, ("cat", "dog"), 2)
    >>> p = [Column(f"p_{kind}", True, 0.1, 0.9, (), 500) for kind in pets.values]
    >>> [(role, columns) for role, columns, _ in suggestions(Preview((pets, *p), (), 1000))]
    [('truth', ('kind',)), ('scores', ('p_cat', 'p_dog'))]
    """
    columns = {column.name: column for column in seen.columns}
    by_name = [one for role, (names, fits) in NAMED.items() for one in _named(columns, role, names, fits)]
    taken = {name for suggestion in by_name for name in suggestion.columns}
    left = [column for column in seen.columns if column.name not in taken]
    truth = _truth(left)
    if truth is None:
        return tuple(by_name)
    scores = _scores([column for column in left if column is not truth[0]], truth[0])
    positive = _positive(truth[0])
    first = Suggestion("truth", (truth[0].name,), truth[1])
    return (first, *([scores] if scores else []), *([positive] if positive else []), *by_name)


def _named(
    columns: "dict[str, Column]", role: str, names: Iterable[str], fits: "Callable[[Column], bool]"
) -> Iterator[Suggestion]:
    lower = {name.lower(): column for name, column in columns.items()}
    for name in names:
        if name in lower and fits(lower[name]):
            yield Suggestion(role, (lower[name].name,), "by its name")
            return


def _truth(columns: "list[Column]") -> "tuple[Column, str] | None":
    """The column that others are named after, or one with a typical name, or the only column of text."""
    few = [column for column in columns if 2 <= column.distinct <= MOST_CLASSES and column.values]
    for column in few:
        if _by_class(columns, column):
            return column, "other columns are named after its values"
    for column in few:
        if column.name.lower() in TRUTH:
            return column, f"its name, and it has {column.distinct} distinct values"
    words = [column for column in few if not column.numeric and not all(map(DATE.match, column.values))]
    if len(words) == 1:
        return words[0], f"the only column of text with few values, {words[0].distinct}"
    return None


def _positive(truth: "Column") -> Suggestion | None:
    """The positive one of two classes, if one of them has a name that says so."""
    named = [value for value in truth.values if value.lower() in POSITIVE]
    if truth.values in (("0", "1"), ("-1", "1")):  # of 1 and 2, either may be meant
        named = ["1"]
    if truth.distinct != 2 or len(named) != 1:
        return None
    return Suggestion("pos_label", (named[0],), "its name")


def _by_class(columns: "list[Column]", truth: "Column") -> dict[str, tuple[str, ...]]:
    """By classifier, one column of numbers per value of the truth, named by a common part and the value.

    If the classes are numbers, the columns must be probabilities: features are often numbered.
    """
    numbers = {column.name: column for column in columns if column.numeric and column is not truth}
    if truth.numeric:
        numbers = {name: column for name, column in numbers.items() if _is_share(column)}
    classifiers: dict[str, tuple[str, ...]] = {}
    first = truth.values[0]
    for name in numbers:
        for start in (match.start() for match in re.finditer(re.escape(first), name)):
            before, after = name[:start], name[start + len(first) :]
            wanted = tuple(before + value + after for value in truth.values)
            if len(set(wanted)) > 1 and all(column in numbers for column in wanted):
                common = " ".join(part for part in (before.strip("_.-: "), after.strip("_.-: ")) if part)
                classifiers.setdefault(common or "classifier", wanted)
    used = [name for names in classifiers.values() for name in names]
    return classifiers if len(set(used)) == len(used) else {}


def _is_share(column: "Column") -> bool:
    """Whether the values can be probabilities, other than 0 and 1 alone."""
    low, high = column.low, column.high
    return low is not None and high is not None and low >= 0 and high <= 1 and column.distinct > 2


def _scores(columns: "list[Column]", truth: "Column") -> Suggestion | None:
    """One column per class; or, of two classes, each column that looks like a score."""
    by_class = _by_class([*columns, truth], truth)
    if by_class:
        names = tuple(name for wanted in by_class.values() for name in wanted)
        return Suggestion("scores", names, "one column for each class, by their names")
    if truth.distinct != 2:
        return None
    numbers = [column for column in columns if column.numeric and column.distinct > 2]
    likely = [column for column in numbers if SCORE.search(column.name.lower())]
    if likely:
        return Suggestion(
            "scores", tuple(column.name for column in likely), "their names" if likely[1:] else "its name"
        )
    shares = [column for column in numbers if _is_share(column)]
    if len(shares) == 1:
        return Suggestion("scores", (shares[0].name,), "the only column of numbers between 0 and 1")
    return None


def classifier_names(seen: "Preview") -> dict[str, dict[str, str]]:
    """By possible column of true classes, the classifier of each column that holds the scores of a class.

    >>> from polyroc.io.preview import Column, Preview
    >>> kind = Column("kind", False, None, None, ("a", "b"), 2)
    >>> p = [Column(f"{name}_{k}", True, 0.1, 0.9, (), 500) for name in ("rf", "lr") for k in "ab"]
    >>> classifier_names(Preview((kind, *p), (), 1000))
    {'kind': {'rf_a': 'rf', 'rf_b': 'rf', 'lr_a': 'lr', 'lr_b': 'lr'}}
    """
    few = [column for column in seen.columns if 2 <= column.distinct <= MOST_CLASSES and column.values]
    named = {column.name: _by_class(list(seen.columns), column) for column in few}
    return {
        truth: {name: classifier for classifier, names in by_class.items() for name in names}
        for truth, by_class in named.items()
        if by_class
    }


def row_suggestions(notes: Iterable[str]) -> tuple[Suggestion, ...]:
    """Roles suggested by notes on several rows per case.

    >>> from polyroc.messages import Message
    >>> (one,) = row_suggestions([Message("use ", Call("reader_study", Option("case", "patient")), ".")])
    >>> one.role, one.columns
    ('case', ('patient',))
    """
    reason = "the column has several rows of one class per value, or tells them apart"
    suggested = []
    for call in (part for note in notes for part in getattr(note, "parts", ()) if isinstance(part, Call)):
        named = {option.name: option.values[0] for option in call.arguments if isinstance(option, Option)}
        if ... not in named.values():
            suggested += [Suggestion(role, (str(column),), reason) for role, column in named.items()]
    return tuple(suggested)


def point_suggestions(suggested: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Suggestions for an operating point: it has no readers, whose readings of a case are dependent.

    >>> point_suggestions([{"role": "reader", "columns": ("who",)}, {"role": "case", "columns": ("patient",)}])
    [{'role': 'groups', 'columns': ('patient',)}]
    """
    every = [*suggested]
    grouped = {"role": "groups"} if "reader" in {one["role"] for one in every} else {}
    kept = [one for one in every if one["role"] not in OF_REPORTS]
    return [{**one, **grouped} if one["role"] == "case" else one for one in kept]


def readable_suggestions(
    seen: "Preview",
    read: Callable[..., Any],
    names: Mapping[str, Mapping[str, str]],
    further: tuple[Suggestion, ...] = (),
) -> tuple[tuple[Suggestion, ...], Message | None]:
    """The suggestions with which a file can be read, and why others were left out.

    The visitor chooses the positive class if none is suggested; either will do to try.

    Rows with missing values are suggested to be dropped if that is what it takes. Roles that cause an error are
    left out, those that are not needed first.

    Parameters
    ----------
    seen, names
        The preview, and the classifier of each score column by column of true classes.
    read
        Called with the options; raises errors.
    further
        Suggestions that replace those of the same role or column.
    """
    replaced = {*(one.role for one in further), *(one.columns[0] for one in further)}
    whole = tuple(one for one in suggestions(seen) if not replaced & {one.role, one.columns[0]}) + further
    roles = {one.role for one in whole}
    if not {"truth", "scores"} <= roles:
        return tuple(one for one in whole if one.role in ("truth", "pos_label")), None
    needed = {"truth", "scores", "pos_label"}
    stacked = needed | {"classifier", "case", "reader", "modality"}
    classes = next(column.values for column in seen.columns if column.name == whole[0].columns[0])

    def attempt(**options: Any) -> None:
        read(**({"pos_label": classes[-1]} if len(classes) == 2 else {}) | options)

    problem = None
    for kept in (roles, roles - {"groups", "sample_weight"}, stacked, needed | {"classifier"}, needed):
        chosen = tuple(one for one in whole if one.role in kept)
        try:
            return (*chosen, *_missing(chosen, attempt, names)), problem
        except PolyrocError as error:
            problem = problem or error.message
    return tuple(one for one in whole if one.role in ("truth", "pos_label")), problem


def _missing(
    chosen: tuple[Suggestion, ...], read: Callable[..., Any], names: Mapping[str, Mapping[str, str]]
) -> tuple[Suggestion, ...]:
    """What must be suggested besides, so that the file can be read; an error if it cannot."""
    options = _options(chosen, names)
    try:
        read(**options)
    except PolyrocError as error:
        parts = getattr(error.message, "parts", ())
        if not any(isinstance(part, Option) and part.name == "missing" for part in parts):
            raise
    else:
        return ()
    read(**options, missing="drop")
    return (Suggestion("missing", ("drop",), "some rows have missing values"),)


def _options(chosen: tuple[Suggestion, ...], names: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Suggestions as options of `read`."""
    options: dict[str, Any] = {one.role: one.columns[0] for one in chosen if one.role != "scores"}
    (scores,) = (one.columns for one in chosen if one.role == "scores")
    options["scores"] = list(scores)
    if "classifier" not in options:
        own = names.get(options["truth"], {})
        by_classifier: dict[str, list[str]] = {}
        for column in scores:
            by_classifier.setdefault(own.get(column, column), []).append(column)
        if len(by_classifier) > 1:
            options["scores"] = by_classifier
    return options
