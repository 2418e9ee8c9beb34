"""Columns by role: names and globs are resolved, unknown ones reported with the nearest; columns in messages."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Annotated, Any, NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.io.sources import Source
from polyroc.kernels.arrays import BoolArray
from polyroc.messages import Option, short_repr
from polyroc.scores import readable
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.negation import classifiers_of, not_negatable
from polyroc.validation.signatures import own_check

__all__ = [
    "Columns",
    "RequestedColumns",
    "ScoreColumns",
    "ScorePatterns",
    "TableNames",
    "check_column",
    "columns_text",
    "find_columns",
    "matching_columns",
    "short_list",
]

_LISTED = 8  # names of columns in a message
NEGATIVE = "-"  # before the name of a score column that is multiplied by -1

ColumnPatterns = str | Sequence[str]
ScorePatterns = Annotated[ColumnPatterns | Mapping[str, ColumnPatterns], own_check]


@dataclass(frozen=True, slots=True)
class RequestedColumns:
    """The names and globs that the user gave for each role."""

    truth: str
    scores: ScorePatterns
    classifier: str | None
    case: str | None
    class_: str | None
    weight: str | None
    groups: str | None
    folds: str | None = None
    repeats: str | None = None
    by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        several = isinstance(self.scores, Mapping)
        if several and (self.classifier is not None or self.class_ is not None):
            raise InputError(
                Option("scores", {"NAME": ...}),
                " is for one row per case; with ",
                Option("classifier"),
                " or ",
                Option("class_"),
                " a case has several rows, so pass the names of the score columns.",
            )
        if self.class_ is not None and self.case is None:
            raise InputError(
                "With ",
                Option("class_", self.class_),
                " a case has several rows; give the column that names the case with ",
                Option("case", ...),
                ".",
            )

    @property
    def names(self) -> tuple[str, ...]:
        """All names and globs."""
        scores = [name for named in _lists(self.scores) for name in named]
        signed = [name.removeprefix(NEGATIVE) for name in scores if name.startswith(NEGATIVE)]
        return (*(name for _, name in self.roles()), *self.by, *scores, *signed)

    def roles(self) -> Iterator[tuple[str, str]]:
        """The roles other than the scores, with the name of their column."""
        if not isinstance(self.truth, str):
            raise InputError(
                Option("truth"), f" must name the column of the true classes, got {short_repr(self.truth)}."
            )
        for role in ("truth", "classifier", "case", "class_", "weight", "groups", "folds", "repeats"):
            name = getattr(self, role)
            if name is not None:
                yield role, str(name)


class ScoreColumns(NamedTuple):
    """The columns of one classifier; `spelt` if all were given by name, so that their order counts.

    `negated` if the score was written as -COLUMN, and is multiplied by -1.
    """

    names: tuple[str, ...]
    spelt: bool
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of each role; `named` if the user gave the names of the classifiers."""

    truth: str
    scores: Mapping[str, ScoreColumns]
    named: bool
    classifier: str | None = None
    case: str | None = None
    class_: str | None = None
    weight: str | None = None
    groups: str | None = None
    folds: str | None = None
    repeats: str | None = None
    by: tuple[str, ...] = ()

    @property
    def negated(self) -> tuple[str, ...]:
        """The classifiers whose score is multiplied by -1."""
        return tuple(name for name, columns in self.scores.items() if columns.negated)

    def with_negated(self, negate: Any) -> "Columns":
        """The columns with the scores of some classifiers negated: a name, a list of names, True for all."""
        names = classifiers_of(negate, tuple(self.scores))
        matrix = next((name for name in names if len(self.scores[name].names) > 1), None)
        if matrix is not None:
            raise InputError(not_negatable(matrix, "one column per class"))
        scores = {
            name: columns._replace(negated=columns.negated != (name in names))
            for name, columns in self.scores.items()
        }
        return replace(self, scores=scores)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that are read as numbers."""
        names = [name for columns in self.scores.values() for name in columns.names]
        return tuple(dict.fromkeys([*names, *([self.weight] if self.weight else [])]))

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that are read as labels."""
        roles = (self.truth, self.classifier, self.case, self.class_, self.groups, self.folds, self.repeats)
        return tuple(dict.fromkeys(name for name in (*roles, *self.by) if name is not None))


def find_columns(requested: RequestedColumns, source: Source) -> Columns:
    """The requested columns; a glob of scores leaves out those of other roles, and those of `by`."""
    roles = dict(requested.roles())
    for role, name in (*roles.items(), *(("by", name) for name in requested.by)):
        check_column(name, source, role)
    taken = {*roles.values(), *requested.by}
    named = isinstance(requested.scores, Mapping)
    requests = (
        dict(requested.scores) if isinstance(requested.scores, Mapping) else {"classifier": requested.scores}
    )
    if not requests:
        raise InputError(Option("scores"), " is an empty mapping; name the columns of at least one classifier.")
    columns = [_score_columns(patterns, source, taken) for patterns in requests.values()]
    scores = dict(zip(readable(tuple(requests)), columns, strict=True))
    if requested.class_ is not None and (several := scores["classifier"].names)[1:]:
        raise InputError(
            "With ",
            Option("class_", requested.class_),
            " one column holds the scores of all classes, but ",
            Option("scores"),
            f" names {columns_text(several)}; name one.",
        )
    return Columns(scores=scores, named=named, by=requested.by, **roles)


def _score_columns(request: ColumnPatterns, source: Source, taken: set[str]) -> ScoreColumns:
    (patterns,) = _lists(request)
    if not patterns:
        raise InputError(
            Option("scores"), " names no column; give a name, a list of names or a glob such as 'p_*'."
        )
    # A column whose name begins with the sign is meant itself.
    signed = [pattern for pattern in patterns if pattern.startswith(NEGATIVE) and pattern not in source.columns]
    if signed:
        patterns = tuple(pattern.removeprefix(NEGATIVE) if pattern in signed else pattern for pattern in patterns)
    spelt = [pattern for pattern in patterns if pattern in source.columns]
    names = [name for pattern in patterns for name in matching_columns(pattern, source, taken)]
    twice = next((name for name in spelt if spelt.count(name) > 1), None)
    if twice is not None:
        raise InputError(Option("scores"), f" names column {twice!r} twice; name each column once.")
    both = next((name for name in names if name in taken), None)
    if both is not None:
        raise InputError(
            f"Column {both!r} is named in ", Option("scores"), " and for another role; use it for one of them."
        )
    names = list(dict.fromkeys(names))
    if signed and len(names) > 1:
        raise InputError(not_negatable(signed[0], columns_text(names)))
    return ScoreColumns(tuple(names), len(spelt) == len(patterns), bool(signed))


def matching_columns(pattern: str, source: Source, taken: Collection[str], role: str = "scores") -> list[str]:
    """The column of that name, or all that a glob matches except those of other roles."""
    if pattern in source.columns:
        return [pattern]
    if not any(sign in pattern for sign in "*?["):
        check_column(pattern, source, role)
    names = [name for name in source.columns if name not in taken and fnmatchcase(name, pattern)]
    if not names:
        raise InputError(
            Option(role, pattern),
            f" matches no column of {source.name}. Its columns are {short_list(source.columns)}.",
        )
    return names


def check_column(name: str, source: Source, role: str) -> None:
    """Raise an error for a column that does not exist, with the nearest names."""
    if name in source.columns and name.strip():
        return
    lower = {column.lower(): column for column in source.columns}
    near = [lower[match] for match in get_close_matches(name.lower(), lower, n=3, cutoff=0.5)]
    hint = f" Did you mean {' or '.join(repr(column) for column in near)}?" if near else ""
    if "," in name and {part.strip() for part in name.split(",")} <= set(source.columns):
        hint = " It is a list of columns, but one is expected here: repeat the option for each, or pass a list."
    raise InputError(
        f"{source.name} has no column {name!r} (",
        Option(role),
        f").{hint} Its columns are {short_list(source.columns)}.",
    )


def _lists(request: ScorePatterns) -> list[tuple[str, ...]]:
    """The names and globs of each classifier."""
    if isinstance(request, Mapping):
        return [names for named in request.values() for names in _lists(named)]
    if isinstance(request, str):
        return [(request,)]
    if not isinstance(request, Sequence) or not all(isinstance(name, str) for name in request):
        raise InputError(
            "scores must be a column's name, a list of names, a glob such as 'p_*', or a mapping of these by "
            f"classifier, got {request!r}."
        )
    return [tuple(request)]


@dataclass(frozen=True, slots=True)
class TableNames(ArgumentNames):
    """The names of arguments in messages about a table: columns, and rows counted from 1 or cases by name.

    Attributes
    ----------
    columns
        By classifier: the columns of its scores, as text.
    name_case
        The name of a case, if a case has several rows; None if a case is a row.
    """

    row: str = "row"
    first: int = 1
    columns: Mapping[str, str] = field(default_factory=dict)
    name_case: Callable[[int], str] | None = None

    def of(self, classifier: str, among: int) -> str:
        """The columns of one classifier, with its name if other classifiers have the same columns."""
        columns = self.columns.get(classifier, self.scores)
        unique = among == 1 or len(set(self.columns.values())) == among
        return columns if unique else f"{columns} (classifier {classifier!r})"

    def where(self, bad: BoolArray) -> str:
        """The first few bad rows, or cases."""
        if self.name_case is None:
            return ArgumentNames(row=self.row, first=self.first).where(bad)
        positions = np.flatnonzero(bad)
        cases = ", ".join(self.name_case(i) for i in positions[:3].tolist())
        more = f" and {len(positions) - 3} more" if len(positions) > 3 else ""
        return f"case{'s' if len(positions) > 1 else ''} {cases}{more}"


def columns_text(names: Sequence[str]) -> str:
    """Columns as text.

    >>> columns_text(["p"]), columns_text(["p", "q"])
    ("column 'p'", "columns 'p', 'q'")
    """
    return f"column{'s' if len(names) > 1 else ''} {short_list(names)}"


def short_list(names: Sequence[object]) -> str:
    """The first names of a list, and the number of others."""
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(repr(name) for name in names[:_LISTED]) + more
