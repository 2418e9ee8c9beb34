"""The entries of a plan: data sets, learners with their preprocessing, and how cases are split.

An entry is made of a table (of TOML, or a mapping), of a text that stands for one, or of an object of Python.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias, TypeVar

from polyroc.cross_validation.fits import last_step, response_of
from polyroc.errors import InputError
from polyroc.messages import short_repr
from polyroc.output.sentences import counted
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.signatures import Check, Positive, validate_fields, within

__all__ = [
    "DataSet",
    "Learner",
    "Output",
    "Splitting",
    "Step",
    "Text",
    "is_factory",
    "make_entries",
    "make_entry",
    "object_text",
    "plain_table",
]

T = TypeVar("T")
Kind = Literal["k-fold", "leave-one-out", "hold-out"]
Output = Literal["predict_proba", "decision_function", "score", "decisions"]
Text = Annotated[
    str, lambda check: Check(lambda value: check.accepts(value) and bool(value.strip()), "text that is not blank")
]
Label: TypeAlias = str | int | float | bool
Table: TypeAlias = Mapping[str, Any]
KEYS = {"path": "class", "description": "object"}  # of fields that are called otherwise in a table
LONGEST_TEXT = 2000  # characters stored of the text of an object
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set of a plan: an entry of the catalogue, a file, a Python function, or an object in memory.

    Attributes
    ----------
    name
        Its name; if nothing else says where the cases are, its name in the catalogue.
    file, target, features
        A CSV, TSV, Parquet or JSON-lines file, the column of the true classes, and the columns of the features by
        name or glob (all others by default). A relative path starts at the folder of the plan.
    call, parameters
        "package.module:function" and its parameters; it returns (X, y), (X, y, groups), or an object with `.X`
        and `.y`.
    nominal, encode
        Features whose values have no order (text always; those of the catalogue are known), and their encoding:
        "one-hot" or "ordinal", fitted inside each fold, or "none", the values as they are.
    groups
        Column of the groups (such as patients) that are never split between training and test.
    positive, classes
        The positive one of two classes, and the classes to keep (all by default).
    frame
        Of a file: True to give learners a pandas data frame with the columns of the file, text and missing values
        as they are, and nominal features as categories. `encode` is then "none" by default.
    memory, source
        Of data given in Python: what they are, in words, and the data frame, the pair (X, y) or the function. The
        source is not stored.
    predictions
        The file from which predictions were imported (`import_predictions`); there are no features then.
    """

    name: Text
    file: Text | None = None
    target: Text | None = None
    features: tuple[str, ...] = ()
    call: Text | None = None
    parameters: Table = field(default_factory=dict)
    nominal: tuple[str, ...] = ()
    encode: Literal["one-hot", "ordinal", "none"] = "one-hot"
    groups: Text | None = None
    positive: Label | None = None
    classes: tuple[Label, ...] = ()
    frame: bool = False
    memory: Text | None = None
    predictions: Text | None = None
    source: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        validate_fields(self)
        places = [key for key in ("file", "call", "memory", "predictions") if getattr(self, key) is not None]
        if len(places) > 1:
            raise InputError(f"a data set has a {places[0]} or a {places[1]}, not both; remove one.")
        if self.file is not None and self.target is None:
            raise InputError("a file needs target, the column of the true classes.")
        if self.frame and self.file is None:
            raise InputError("frame is for a file; data frames of Python are given to learners as they are.")
        if len(self.classes) == 1:
            raise InputError("classes must be two or more labels.")
        if self.file is None and self.memory is None:
            for key in ("target", "features", "groups"):
                if getattr(self, key):
                    raise InputError(f"{key} names columns of a file, but there is no file.")
        if not places:
            _check_catalogue(self.name)

    @classmethod
    def read(cls, entry: Any, where: str, name: str | None) -> Self:
        """Make a data set of a table, the name of one in the catalogue, the path of a file or an object."""
        if isinstance(entry, str):
            return make_entry(cls, {"name": entry}, where)
        if isinstance(entry, PathLike):
            entry = {"name": name or Path(entry).stem, "file": str(entry), "frame": True}
        table = {"memory": entry} if _is_object(entry) else _checked_table(entry, where)
        table = ({"name": name} if name else {}) | table
        source = table.get("memory") if _is_object(table.get("memory")) else None
        if source is not None:
            table = {"name": "data", "encode": "none", **table, "memory": _data_text(source)}
        elif table.get("frame") is True:
            table = {"encode": "none", **table}
        return make_entry(cls, table, where, source=source)


@dataclass(frozen=True, slots=True)
class Step:
    """Preprocessing inside each fold: a scikit-learn transformer by import path, with its parameters."""

    path: Text
    parameters: Table = field(default_factory=dict)

    def __post_init__(self) -> None:
        validate_fields(self)

    @classmethod
    def read(cls, entry: Any, where: str, _: str | None = None) -> Self:
        """Make a step of a table or an import path."""
        return make_entry(cls, {"class": entry} if isinstance(entry, str) else entry, where)


@dataclass(frozen=True, slots=True)
class Learner:
    """A learner of a plan: a scikit-learn classifier or pipeline, or predictions made elsewhere.

    Attributes
    ----------
    name, path, parameters
        Its name; "package.module:name" or "file.py:name" of a class, of a function that returns an estimator, or
        of an estimator, or the file of a pickled estimator (.joblib, .pkl); and its parameters. One that is a
        table with a `class` is an estimator.
    steps
        Preprocessing, fitted inside each fold on the training cases; None for that of the plan.
    output
        "predict_proba", or "decision_function" for a learner without probabilities. Decision values are stored as
        they are, of two classes as (-d, d). Of imported predictions also "score" (one number per case) or
        "decisions".
    time_limit
        Seconds that a fit may take; None for the limit of the plan.
    description, estimator
        Of a learner given in Python: its text, and the estimator or a function that returns one. The estimator is
        not stored.
    predictions
        The file of predictions made elsewhere, on the folds of this study; "{data}" stands for the name of the
        data set.
    """

    name: Text
    path: str = ""
    parameters: Table = field(default_factory=dict)
    steps: tuple[Step, ...] | None = None
    output: Output = "predict_proba"
    time_limit: Positive | None = None
    description: Text | None = None
    predictions: Text | None = None
    estimator: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        validate_fields(self)
        kinds = {"class": self.path, "object": self.description, "predictions": self.predictions}
        sources = [key for key, text in kinds.items() if text]
        if not sources:
            raise InputError("class is missing.")
        if len(sources) > 1:
            raise InputError(f"a learner has a {sources[0]} or {sources[1]}, not both; remove one.")
        if self.output in ("score", "decisions") and not self.predictions:
            raise InputError(f"output = {self.output!r} is for predictions made elsewhere.")
        unused = ("parameters",) if self.description else ("parameters", "steps", "time_limit")
        for key in () if self.path else unused:
            if getattr(self, key):
                raise InputError(f"{key} is for a learner with a class; remove it.")

    @classmethod
    def read(cls, entry: Any, where: str, name: str | None) -> Self:
        """Make a learner of a table, an import path, an estimator, or a function that returns one."""
        is_source = isinstance(entry, str) or _is_object(entry)
        table: dict[str, Any] = {"name": name} if name else {}
        table |= {"class": entry} if is_source else _checked_table(entry, where)
        source, estimator = table.get("class", ""), None
        if isinstance(source, str) and source:
            table = {"name": source.replace(":", ".").rpartition(".")[2]} | table
        elif _is_object(source):
            estimator = table.pop("class")
            table = _described(estimator, where) | table
        if "steps" in table:
            table["steps"] = tuple(make_entries(Step.read, table["steps"], f"{where}.steps"))
        return make_entry(cls, table, where, estimator=estimator)


@dataclass(frozen=True, slots=True)
class Splitting:
    """How cases are split into training and test cases; the same for every learner.

    Attributes
    ----------
    kind
        "k-fold", "leave-one-out" or "hold-out" (random sub-sampling: every repeat draws a test set of its own).
    folds, repeats
        Number of folds, and of repetitions with other random folds.
    test_size
        Of a hold-out: the share (below 1, rounded up to whole cases) or the number of test cases.
    stratified
        Whether every fold has the class shares of the data, as nearly as possible.
    """

    kind: Kind = "k-fold"
    folds: Annotated[int, within(2)] = 10
    repeats: Annotated[int, within(1)] = 1
    test_size: Positive = 0.1
    stratified: bool = True

    def __post_init__(self) -> None:
        validate_fields(self)
        if self.test_size >= 1 and self.test_size != int(self.test_size):
            raise InputError(f"test_size must be a share below 1, or a number of cases, got {self.test_size!r}.")

    @classmethod
    def read(cls, table: Any, where: str) -> Self:
        """Make a splitting of a table, whose keys must be for its kind."""
        splitting = make_entry(cls, table, where)
        unused = {"k-fold": ("test_size",), "hold-out": ("folds",)}
        for key in unused.get(splitting.kind, ("folds", "repeats", "test_size", "stratified")):
            if key in table:
                raise InputError(f"{where}: {key} is not valid for {splitting.kind}; remove it.")
        return splitting

    @property
    def design(self) -> str:
        """The splitting in words.

        >>> Splitting(repeats=3).design, Splitting("hold-out", test_size=0.1).design
        ('10-fold cross-validation, 3 times', '1 test set of 0.1 of the cases')
        """
        if self.kind == "leave-one-out":
            return "leave-one-out"
        if self.kind == "hold-out":
            cases = "of the cases" if self.test_size < 1 else "cases"
            return f"{counted(self.repeats, 'test set')} of {self.test_size:g} {cases}"
        return f"{self.folds}-fold cross-validation" + (f", {self.repeats} times" if self.repeats > 1 else "")


def make_entry(kind: Callable[..., T], table: Any, where: str, **objects: Any) -> T:
    """Make an entry of a table and of objects; an error names the key and where the table is.

    >>> make_entry(Splitting, {"fold": 5}, "plan.toml: splitting")
    Traceback (most recent call last):
    polyroc.errors.InputError: plan.toml: splitting: there is no key 'fold' here; did you mean 'folds'?
    """
    names = {KEYS.get(entry.name, entry.name): entry for entry in fields(kind) if entry.compare}  # type: ignore[arg-type]
    table = _checked_table(table, where)
    for key, value in table.items():
        if key not in names:
            raise InputError(f"{where}: there is no key {key!r} here; {did_you_mean(str(key), names)}")
        if key in KEYS.values() and not isinstance(value, str):
            raise InputError(f"{where}: {key} must be text, got {short_repr(value)}.")
    for key, entry in names.items():
        if key not in table and entry.default is entry.default_factory is MISSING:
            raise InputError(f"{where}: {key} is missing.")
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    try:
        return kind(**{names[key].name: value for key, value in values.items()}, **objects)
    except InputError as error:
        raise InputError(f"{where}: ", error.message) from None


def make_entries(read: Callable[[Any, str, str | None], T], entries: Any, where: str) -> list[T]:
    """Make every entry of a list, or of a dict by name; an object is a list of one."""
    if isinstance(entries, Mapping):
        return [
            read(entry, f"{where}[{number}]", str(name)) for number, (name, entry) in enumerate(entries.items())
        ]
    if isinstance(entries, str) or not (isinstance(entries, Sequence) or _is_object(entries)):
        raise InputError(f"{where} must be a list of tables or texts, got {short_repr(entries)}.")
    listed = entries if isinstance(entries, Sequence) else [entries]
    return [read(entry, f"{where}[{number}]", None) for number, entry in enumerate(listed)]


def _checked_table(table: Any, where: str) -> dict[str, Any]:
    if not isinstance(table, Mapping):
        raise InputError(f"{where}: expected a table or a text, got {short_repr(table)}.")
    return dict(table)


def plain_table(entry: Any) -> dict[str, Any]:
    """Return an entry as plain data, without what has its default value or is an object."""
    table = {}
    for part in fields(entry):
        value = getattr(entry, part.name)
        default = part.default if part.default_factory is MISSING else part.default_factory()
        if part.compare and value != default:
            table[KEYS.get(part.name, part.name)] = _plain(value)
    return table


def _plain(value: Any) -> Any:
    if isinstance(value, Step):
        return plain_table(value)
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def _check_catalogue(name: str) -> None:
    from polyroc.datasets.catalogue import entries

    known = [entry.name for entry in entries()]
    if name not in known:
        hint = f"{did_you_mean(name, known)} For data of your own, add file and target, or call."
        raise InputError(f"there is no data set {name!r} in the catalogue; {hint}")


# Objects of Python: estimators, data frames and functions -------------------------------------------------------


def _is_object(value: Any) -> bool:
    """Tell whether an entry is an object of Python, not plain data."""
    if isinstance(value, tuple):
        return len(value) in (2, 3) and not all(isinstance(part, str | Mapping) for part in value)
    return not isinstance(value, str | PathLike | Mapping | list | int | float | None)


def is_factory(value: Any) -> bool:
    """Tell whether a learner is a class, or a function that returns an estimator."""
    return callable(value) and (isinstance(value, type) or not hasattr(value, "fit"))


def _described(value: Any, where: str) -> dict[str, Any]:
    """Return name, text and output of a learner that is an estimator or a factory."""
    model = value
    try:
        if is_factory(value):
            try:
                model = value()
            except Exception as error:
                raise InputError(
                    f"{object_text(value)} cannot be called: {type(error).__name__}: {error}."
                ) from None
        if not hasattr(model, "fit"):
            raise InputError(
                "a learner must be a scikit-learn classifier or pipeline, a function that returns one, or an "
                f"import path, got {short_repr(value)}."
            )
        name, output = type(last_step(model)).__name__, response_of(type(last_step(model)).__name__, model)
    except InputError as error:
        raise InputError(f"{where}: ", error.message) from None
    return {"name": getattr(value, "__name__", name), "object": object_text(value), "output": output}


def object_text(value: Any) -> str:
    """Return the text of an object in one line, without addresses of memory."""
    try:
        text = " ".join(ADDRESS.sub("", repr(value)).split())
    except Exception:  # a text is not worth a failure
        text = type(value).__name__
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 3]}..."


def _data_text(value: Any) -> str:
    if callable(value):
        return f"function {getattr(value, '__name__', type(value).__name__)}"
    if isinstance(value, tuple):
        return ", ".join(map(_shape, value))
    return _shape(value)


def _shape(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is None:
        shape = len(value) if hasattr(value, "__len__") else ""
    return f"{type(value).__module__.partition('.')[0]} {type(value).__name__} {shape}".strip()
