"""Several rows per case, evaluated as if they were different cases: a warning that names the option to use.

Of the store of a study it is known that rows are cross-validated predictions: there it is an error.

Only columns that no option names are looked at, and only keys: columns whose name says that they hold a
classifier, a fold, a repeat, or the identity of a case. A key with one value, or with hardly a value twice, says
nothing.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from polyroc.errors import InputError, StackedRowsWarning, warn
from polyroc.io.columns import Columns
from polyroc.io.sources import Source
from polyroc.messages import Call, Message, Option

__all__ = ["Repetition", "check_stored_folds", "is_key", "key_columns", "readable_keys", "warn_of_stacked_rows"]

Role = Literal["classifier", "folds", "repeats", "split", "case", "person"]

WORDS: dict[str, Role] = {
    **dict.fromkeys(("classifier", "clf", "model", "learner", "method", "algorithm", "estimator"), "classifier"),
    **dict.fromkeys(("fold", "cvfold", "kfold", "testfold", "outerfold"), "folds"),
    **dict.fromkeys(("repeat", "repetition", "rep", "seed", "randomstate", "run", "replicate"), "repeats"),
    **dict.fromkeys(("split", "partition", "subset"), "split"),
    **dict.fromkeys(("case", "id", "uid", "sample", "image", "instance", "observation", "row", "item"), "case"),
    **dict.fromkeys(("index", "unnamed0", "key", "record", "filename"), "case"),
    **dict.fromkeys(("patient", "subject", "person", "participant"), "person"),
}
ENDINGS = re.compile(r"(name|id|idx|index|number|no|nr|s)$")
FOLDS = Option("folds")
FEWEST = 2.0  # rows per value below which most values have a single row
FEWEST_OF_PERSONS = 1.25  # with this many rows per person, dependence is no exception


class Repetition(NamedTuple):
    """How often the values of a column occur.

    Attributes
    ----------
    rows, values
        The numbers of rows and of different values.
    even
        True if every value has the same number of rows; None if that is not known.
    """

    rows: int
    values: int
    even: bool | None = None

    @property
    def rows_per_value(self) -> float:
        """Rows per value."""
        return self.rows / max(self.values, 1)


def _role(name: str) -> Role | None:
    """What a column of this name holds; None if the name says nothing.

    >>> [_role(name) for name in ("Model", "cv_fold", "patient_id", "case id", "age")]
    ['classifier', 'folds', 'person', 'case', None]
    """
    plain = "".join(sign for sign in name.casefold() if sign.isalnum())
    return WORDS.get(plain) or WORDS.get(ENDINGS.sub("", plain))


def is_key(name: str) -> bool:
    """Whether the name of a column says that its values may repeat because rows are stacked."""
    return _role(name) is not None


def key_columns(columns: Columns, source: Source, by: Sequence[str] = ()) -> tuple[str, ...]:
    """The keys that no option names, and that the options leave unanswered.

    With `by` a case may have a row in every group, so that its rows say nothing.
    """
    used = {*columns.numbers, *columns.labels, *by}
    roles = {name: role for name in source.columns if name not in used and (role := _role(name)) is not None}
    divided = ("case", "person") if by else ()
    return tuple(name for name, role in roles.items() if role not in divided and not _is_answered(role, columns))


def readable_keys(names: Sequence[str], source: Source) -> tuple[str, ...]:
    """Those of the columns that the source can select and that hold one value per row."""

    def is_readable(position: int) -> bool:
        selectable = source.selectable is None or position in source.selectable
        return selectable and (source.kinds is None or source.kinds[position] != "other")

    return tuple(name for name in names if is_readable(source.columns.index(name)))


def _is_answered(role: Role, columns: Columns) -> bool:
    """True if the options say already what a column of this role would."""
    if role == "classifier":
        return columns.classifier is not None or len(columns.scores) > 1
    if role in ("folds", "split"):
        return columns.folds is not None
    if role == "repeats":
        return columns.repeats is not None
    return columns.case is not None or columns.groups is not None or columns.repeats is not None


def check_stored_folds(columns: Columns, source: Source) -> None:
    """Raise an error if predictions of several folds or repeats of a study would be evaluated as one sample."""
    stored = source.stored_folds
    if stored is None:
        return
    if stored.repeats > 1 and columns.repeats is None:
        wrong = f"{stored.repeats} repeats, so every case would count several times"
        naming: tuple[str | Option, ...] = (
            Option("folds", "fold"),
            ", ",
            Option("repeats", "repeat"),
            " and ",
            Option("case", "case"),
        )
    elif stored.folds > 1 and columns.folds is None and columns.groups != "fold":
        wrong = f"{stored.folds} folds, so scores of different models would be compared with each other"
        naming = (Option("folds", "fold"),)
    else:
        return
    raise InputError(
        f"{source.name} is the store of a study with {wrong}; use ",
        *naming,
        ", which evaluates within folds. All folds can be pooled afterwards, with ",
        Option("pooled"),
        " or Scores.pool_folds().",
    )


def warn_of_stacked_rows(names: Sequence[str], repetition: Callable[[str], Repetition]) -> None:
    """Warn once, of the first of these columns that shows several rows per case.

    Parameters
    ----------
    names
        The columns to look at; see `key_columns`.
    repetition
        From a column to how often its values occur.
    """
    repeated = dict(_repeated(names, repetition))
    by_role = {role: name for name, (role, _) in reversed(repeated.items())}
    role = next((role for role in WORDS.values() if role in by_role), None)
    if role is None:
        return
    name = by_role[role]
    case = by_role.get("case", by_role.get("person"))
    warn(_message(role, name, repeated[name][1], case), StackedRowsWarning)


def _repeated(
    names: Sequence[str], repetition: Callable[[str], Repetition]
) -> Iterator[tuple[str, tuple[Role, Repetition]]]:
    """The columns whose values show that rows are stacked, with their role."""
    for name in names:
        role, counts = _role(name), repetition(name)
        assert role is not None
        if role == "person":
            stacked = counts.rows_per_value >= FEWEST_OF_PERSONS
        elif role == "case":
            stacked = counts.rows_per_value >= FEWEST and counts.even is not False
        else:
            stacked = counts.values > 1 and counts.rows_per_value >= FEWEST
        if stacked:
            yield name, (role, counts)


def _message(role: Role, name: str, counts: Repetition, case: str | None) -> Message:
    values = f"{counts.values} values of column {name!r}" if counts.even is not None else f"column {name!r}"
    if role == "classifier":
        naming = Call("read", Option("classifier", name), *([Option("case", case)] if case else []))
        return Message(
            f"Rows of {values} are evaluated together, as different cases. If they are predictions of different "
            "classifiers for the same cases, use ",
            naming,
            "; otherwise keep the rows of one.",
        )
    if role == "split":
        return Message(
            f"Rows of {values} are evaluated together. Keep the rows of the test set, or, if every value is the "
            "test set of another model, use ",
            Option("folds", name),
            ".",
        )
    if role in ("folds", "repeats"):
        together = "of different models are compared with each other" if role == "folds" else "count several times"
        needed = (
            Message(Option("folds", name)) if role == "folds" else Message(Option(role, name), " with ", FOLDS)
        )
        return Message(f"Rows of {values} are evaluated as one sample, so cases {together}; use ", needed, ".")
    repeated = (
        f"about {counts.rows_per_value:.2g}"
        if counts.even is None or role == "person"
        else f"{counts.rows_per_value:.0f}"
    )
    return Message(
        f"Column {name!r} has {repeated} rows per value, which are evaluated as independent cases. If the rows of "
        "a case are those of several classifiers, use ",
        Call("read", Option("classifier", ...), Option("case", name)),
        "; if they are dependent observations, use ",
        Option("groups", name),
        ".",
    )
