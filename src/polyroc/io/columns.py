"""Which columns hold what: names and globs become a record of columns, or an error that lists the nearest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import NamedTuple

from polyroc.errors import InputError
from polyroc.io.messages import columns_named, shortened
from polyroc.io.sources import Source
from polyroc.messages import Option, short_repr
from polyroc.scores import readable

__all__ = ["Asked", "Columns", "Named", "Request", "check_column", "choose"]

Named = str | Sequence[str]
Request = Named | Mapping[str, Named]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user said, as it was said."""

    truth: str
    scores: Request
    classifier: str | None
    case: str | None
    class_: str | None
    weight: str | None
    groups: str | None

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
        """Every name and glob."""
        return (*(name for _, name in self.roles()), *(name for named in _lists(self.scores) for name in named))

    def roles(self) -> Iterator[tuple[str, str]]:
        """The options that name one column each, but for the scores."""
        if not isinstance(self.truth, str):
            raise InputError(
                Option("truth"), f" must name the column of the true classes, got {short_repr(self.truth)}."
            )
        for role in ("truth", "classifier", "case", "class_", "weight", "groups"):
            name = getattr(self, role)
            if name is not None:
                yield role, str(name)


class ScoreColumns(NamedTuple):
    """The columns of one classifier, and whether each was called by its name, so that their order is meant."""

    names: tuple[str, ...]
    spelt: bool


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that were found; `named` if the classifiers' names come from the request."""

    truth: str
    scores: Mapping[str, ScoreColumns]
    named: bool
    classifier: str | None = None
    case: str | None = None
    class_: str | None = None
    weight: str | None = None
    groups: str | None = None

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns to be read as numbers."""
        names = [name for columns in self.scores.values() for name in columns.names]
        return tuple(dict.fromkeys([*names, *([self.weight] if self.weight else [])]))

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns to be read as labels."""
        roles = (self.truth, self.classifier, self.case, self.class_, self.groups)
        return tuple(dict.fromkeys(name for name in roles if name is not None))


def choose(asked: Asked, source: Source, by: Sequence[str] = ()) -> Columns:
    """Find the columns asked for; those that make groups (`by`) are no scores either."""
    roles = dict(asked.roles())
    for role, name in (*roles.items(), *(("by", name) for name in by)):
        check_column(name, source, role)
    taken = {*roles.values(), *by}
    named = isinstance(asked.scores, Mapping)
    requests = dict(asked.scores) if isinstance(asked.scores, Mapping) else {"classifier": asked.scores}
    if not requests:
        raise InputError(Option("scores"), " is an empty mapping; name the columns of at least one classifier.")
    found = [_score_columns(request, source, taken) for request in requests.values()]
    scores = dict(zip(readable(tuple(requests)), found, strict=True))
    if asked.class_ is not None and (several := scores["classifier"].names)[1:]:
        raise InputError(
            "With ",
            Option("class_", asked.class_),
            " one column holds the scores of all classes, but ",
            Option("scores"),
            f" names {columns_named(several)}; name one.",
        )
    return Columns(scores=scores, named=named, **roles)


def _score_columns(request: Named, source: Source, taken: set[str]) -> ScoreColumns:
    (patterns,) = _lists(request)
    if not patterns:
        raise InputError(
            Option("scores"), " names no column; give a name, a list of names or a glob such as 'p_*'."
        )
    spelt = [pattern for pattern in patterns if pattern in source.columns]
    found = [name for pattern in patterns for name in _matches(pattern, source, taken)]
    twice = next((name for name in spelt if spelt.count(name) > 1), None)
    if twice is not None:
        raise InputError(Option("scores"), f" names column {twice!r} twice; name each column once.")
    both = next((name for name in found if name in taken), None)
    if both is not None:
        raise InputError(
            f"Column {both!r} is named in ", Option("scores"), " and for another role; use it for one of them."
        )
    return ScoreColumns(tuple(dict.fromkeys(found)), len(spelt) == len(patterns))


def _matches(pattern: str, source: Source, taken: set[str]) -> list[str]:
    """The column of that name, or all that a glob matches but for those with another part to play."""
    if pattern in source.columns:
        return [pattern]
    if not any(sign in pattern for sign in "*?["):
        check_column(pattern, source, "scores")
    found = [name for name in source.columns if name not in taken and fnmatchcase(name, pattern)]
    if not found:
        raise InputError(
            Option("scores", pattern),
            f" matches no column of {source.name}. Its columns are {shortened(source.columns)}.",
        )
    return found


def check_column(name: str, source: Source, role: str) -> None:
    """Refuse a column that is not there, and name the nearest."""
    if name in source.columns and name.strip():
        return
    lower = {column.lower(): column for column in source.columns}
    near = [lower[match] for match in get_close_matches(name.lower(), lower, n=3, cutoff=0.5)]
    hint = f" Did you mean {' or '.join(repr(column) for column in near)}?" if near else ""
    raise InputError(
        f"{source.name} has no column {name!r} (",
        Option(role),
        f").{hint} Its columns are {shortened(source.columns)}.",
    )


def _lists(request: Request) -> list[tuple[str, ...]]:
    """Every classifier's names and globs."""
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
