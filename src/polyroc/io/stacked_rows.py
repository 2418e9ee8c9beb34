"""Several rows per case, evaluated as if they were different cases: a note that names the option to use.

Of the store of a study it is known that rows are cross-validated predictions: there it is an error.

Only columns that no option names are looked at. Two things tell: the name of a column (a classifier, a fold, a
repeat, the identity of a case), unless it has one value, or hardly a value twice; and, whatever its name, a column
whose values identify cases by their structure (`_rows_per_case`).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations
from math import lgamma, log, prod
from typing import Any, Literal, NamedTuple

from polyroc.errors import InputError, PolyrocError
from polyroc.io.columns import Columns
from polyroc.io.session import Session
from polyroc.io.sources import Source
from polyroc.messages import Call, Message, Option

__all__ = [
    "MAX_COLUMNS",
    "Repetition",
    "check_stored_folds",
    "is_key",
    "key_columns",
    "name_note",
    "readable_keys",
    "stacked_rows_notes",
]

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
MAX_COLUMNS = 64  # that are searched for the identity of cases
SAMPLED_ROWS = 8192  # about so many rows, all those of some values, tell the structure of a column
MIN_EVEN = 0.9  # share of the values that have the usual number of rows
MIN_VALUES = 5  # per class: a finer diagnosis, or the hospital, also has one class, but few values
MAX_ROWS = 500  # of a case
MAX_CHANCE = 1e-3  # that values meet one class each by accident


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
    return any((columns.case, columns.groups, columns.repeats, columns.classifier))


def stacked_rows_notes(
    session: Session, source: Source, columns: Columns, by: Sequence[str] = ()
) -> tuple[Message, ...]:
    """Return a note if rows that are evaluated as different cases seem to be of the same.

    Parameters
    ----------
    session, source
        The connection and the rows.
    columns
        The columns that options name.
    by
        Columns that divide the rows: a case may have a row in every group, so that identities say nothing.
    """
    keys = readable_keys(key_columns(columns, source, by), source)
    used = {*columns.numbers, *columns.labels}
    others = readable_keys([name for name in source.columns if name.strip() and name not in used], source)
    identified = any((by, columns.by, columns.case, columns.groups, columns.repeats, columns.classifier))
    with suppress(PolyrocError):  # a column that was not named must never be the reason of an error
        searched = keys if identified else tuple(dict.fromkeys((*keys, *others[:MAX_COLUMNS])))
        search = _Search(session, source, columns.truth, searched) if searched else None
        note = None if search is None or identified else search.note()
        if search is not None and note is None:
            note = name_note(keys, search.repetition)
        return () if note is None else (note,)
    return ()


class _Search:
    """The search for the identity of cases in a few scans of the rows."""

    def __init__(self, session: Session, source: Source, truth: str, names: Sequence[str]) -> None:
        self.session, self.source, self.truth = session, source, truth
        columns = [self._column(name) for name in names]
        counts = [f"{count}({c})" for c in columns for count in ("count", "approx_count_distinct")]
        ((self.rows, *numbers),) = self._ask(["count(*)", *counts])
        pairs = zip(names, numbers[::2], numbers[1::2], strict=True)
        self.counts = {name: Repetition(rows, values) for name, rows, values in pairs}

    def repetition(self, name: str) -> Repetition:
        """Return how often the values of a column occur; of few rows, these are counted."""
        counts = self.counts[name]
        if not 1.1 <= counts.rows_per_value <= SAMPLED_ROWS:  # hardly a value twice, or too many rows to list
            return counts
        rows_of = Counter(value for value, _ in self._sampled([name])[name])
        even = len(set(rows_of.values())) == 1
        if self.rows > 2 * SAMPLED_ROWS:  # only some of the values
            return counts._replace(even=None if even else False)
        return Repetition(counts.rows, len(rows_of), even)

    def note(self) -> Message | None:
        """Return a note on the column that identifies cases with several rows, by its structure; None without."""
        often = {name: own for name, own in self.counts.items() if own.rows_per_value > FEWEST - 0.5}  # estimates
        likely = [name for name, own in often.items() if own.rows == self.rows and own.rows_per_value < MAX_ROWS]
        sampled = self._sampled(likely)
        repeated = {name: rows for name, pairs in sampled.items() if (rows := _rows_per_case(pairs))}
        if not repeated:
            return None
        kinds = dict(zip(self.source.columns, self.source.kinds or (), strict=False))
        case = min(repeated, key=lambda name: (kinds.get(name) == "float", repeated[name], _role(name) != "case"))
        few = [name for name, own in often.items() if name != case and 1 < own.values <= 1.1 * repeated[case] + 1]
        keys, is_class = self._keys(case, repeated[case], few)
        if any(_role(name) in ("folds", "repeats", "split") for name in keys):
            return None  # which the names say better
        return _structure_note(case, repeated[case], keys, is_class)

    def _keys(self, case: str, rows: int, names: Sequence[str]) -> tuple[tuple[str, ...], bool]:
        """Return the column, or the two, whose values each occur once per case, and if they are the classes."""
        columns = [f"CAST({self._column(name)} AS VARCHAR)" for name in (case, self.truth, *names)]
        by_case: dict[Hashable, list[tuple[Hashable, ...]]] = defaultdict(list)
        for own, *values in self._ask(columns, f"WHERE {self._in_sample(case)}"):
            by_case[own].append(tuple(values))
        whole = [own for own in by_case.values() if len(own) == rows]
        places = range(1, len(names) + 1)
        for chosen in (*((place,) for place in places), *combinations(places, 2)):
            levels = [{row[place] for own in whole for row in own} for place in chosen]
            crossed = [{tuple(row[place] for place in chosen) for row in own} for own in whole]
            if prod(map(len, levels)) == rows and all(len(own) == rows for own in crossed):
                classes = {row[0] for own in whole for row in own}
                return tuple(names[place - 1] for place in chosen), levels == [classes]
        return (), False

    def _sampled(self, names: Sequence[str]) -> dict[str, list[tuple[Hashable, Hashable]]]:
        """Return by column the value and the class of all rows of some values, in one scan."""
        if not names:
            return {}
        cells = [
            f"[CAST({self._column(name)} AS VARCHAR), CAST({self._column(self.truth)} AS VARCHAR)]"
            for name in names
        ]
        lists = [f"list({cell}) FILTER ({self._in_sample(name)})" for name, cell in zip(names, cells, strict=True)]
        (pairs,) = self._ask(lists)
        return {
            name: [(value, label) for value, label in own or ()] for name, own in zip(names, pairs, strict=True)
        }

    def _in_sample(self, name: str) -> str:
        """Return the SQL condition of the rows of some values of a column: of all if there are not many rows."""
        column = self._column(name)
        return f"{column} IS NOT NULL AND hash({column}) % {max(1, self.rows // SAMPLED_ROWS)} = 0"

    def _ask(self, expressions: Sequence[str], condition: str = "") -> list[Any]:
        query = f"{self.source.select(expressions)} {condition}"
        return self.session.rows(query, self.source.parameters, self.source.name)

    def _column(self, name: str) -> str:
        return f"c{self.source.columns.index(name)}"


def _structure_note(case: str, rows: int, keys: Sequence[str], is_class: bool) -> Message:
    """Return what is doubtful, and the options to use: of rows told apart by nothing, one column, or two."""
    apart, verb = "", "read"
    what, named = "predictions by several classifiers", [Option("classifier", *keys or (...,))]
    if keys[1:]:
        is_modality = re.compile("modal|method|technique|device|scan|arm|aid|condition", re.IGNORECASE)
        reader, modality = sorted(keys, key=lambda name: is_modality.search(name) is not None)
        what, named = "readings by several readers", [Option("reader", reader), Option("modality", modality)]
        apart, verb = (
            f", one for each combination of columns {keys[0]!r} and {keys[1]!r}",
            "reader_study",
        )
    elif keys:
        apart = f", one for each value of column {keys[0]!r}"
        if is_class:
            what, named = "scores for the classes", [Option("class_", *keys)]
    return Message(
        f"Each value of column {case!r} has {rows} rows of one class{apart}; they are evaluated as independent "
        f"cases. If they are {what} of the same case, use ",
        Call(verb, *named, Option("case", case)),
        "; if they are dependent observations, use ",
        Option("groups", case),
        ".",
    )


def _rows_per_case(pairs: Sequence[tuple[Hashable, Hashable]]) -> int:
    """The number of rows of each value of a column that identifies cases; 0 if it does not.

    Every value has the same number of rows, two or more, and one true class: what holds if each case was
    predicted by the same classifiers. An age, a centre, a fold or a score with ties has values with different
    numbers of rows, or with several classes. A finer diagnosis has one class per value too, and in a designed
    study as many rows each, but few values per class. In a small file, or if nearly all cases are of one
    class, values may have one class each by accident; hence the probability of this, if rows were assigned to
    values at random.

    Parameters
    ----------
    pairs
        The value and the true class of each row.
    """
    rows_of = Counter(pairs)
    values = len({value for value, _ in rows_of})
    if values < len(rows_of) or not values:
        return 0
    (rows, usual), *_ = Counter(rows_of.values()).most_common(1)
    by_class = [*Counter(truth for _, truth in rows_of).values()]
    if rows < FEWEST or usual < MIN_EVEN * values or values <= MIN_VALUES * len(by_class):
        return 0
    chance = _log_arrangements(by_class) - _log_arrangements([rows * number for number in by_class])
    return rows if chance < log(MAX_CHANCE) else 0


def _log_arrangements(counts: Iterable[int]) -> float:
    """The logarithm of the multinomial coefficient: in how many orders so many of each class can be."""
    counts = [*counts]
    return lgamma(sum(counts) + 1) - sum(lgamma(count + 1) for count in counts)


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


def name_note(names: Sequence[str], repetition: Callable[[str], Repetition]) -> Message | None:
    """Return a note on the first of these columns whose name and values show several rows per case.

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
        return None
    name = by_role[role]
    return _message(role, name, repeated[name][1], by_role.get("case", by_role.get("person")))


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
