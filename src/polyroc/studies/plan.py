"""A study as data: which learners, on which data sets, split how, judged by which measures."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

from polyroc.errors import InputError, MissingFileError
from polyroc.output.sentences import counted
from polyroc.studies.plan_files import Path as KeyPath
from polyroc.studies.plan_files import Place, Reader, key_lines, to_toml
from polyroc.validation.arguments import did_you_mean

__all__ = ["PRESETS", "DataSet", "Learner", "Plan", "Splitting", "Step", "preset_text"]

PRESETS = ("bradley", "hand-till")
Kind = Literal["k-fold", "leave-one-out", "hold-out"]
_PRIVATE = ("name", "note", "measures")  # what may change without a fit becoming another one


@dataclass(frozen=True, slots=True)
class DataSet:
    """Where cases come from: a name of the catalogue, a file, or a Python function.

    Attributes
    ----------
    name
        What it is called; of the catalogue, if neither `file` nor `call` is given.
    file, target, features
        A CSV, TSV, Parquet or JSON-lines file, the column of the true classes, and those of the features by name
        or glob (every other column by default). A relative path is looked for beside the plan.
    call, parameters
        "package.module:function", called with these parameters; it returns (X, y) or has `.X` and `.y`.
    nominal, encode
        Features whose values have no order (text always; those of the catalogue are known), and how learners get
        to see them: "one-hot" or "ordinal", fitted inside each fold, or "none", the numbers as they are.
    groups
        Column of the groups (patients) that are never split between learning and test.
    positive, classes
        The positive one of two classes, and the classes to keep if not all.
    """

    name: str
    file: str | None = None
    target: str | None = None
    features: tuple[str, ...] = ()
    call: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    nominal: tuple[str, ...] = ()
    encode: Literal["one-hot", "ordinal", "none"] = "one-hot"
    groups: str | None = None
    positive: Any = None
    classes: tuple[Any, ...] = ()

    @classmethod
    def read(cls, reader: Reader) -> Self:
        """From a table of the plan."""
        found = cls(
            name=reader.needed("name"),
            file=reader.text("file"),
            target=reader.text("target"),
            features=reader.texts("features"),
            call=reader.text("call"),
            parameters=reader.mapping("parameters"),
            nominal=reader.texts("nominal"),
            encode=reader.choice("encode", ("one-hot", "ordinal", "none"), "one-hot"),
            groups=reader.text("groups"),
            positive=reader.get("positive", "a label", _is_label),
            classes=tuple(reader.get("classes", "a list of labels", _are_labels, ())),
        )
        reader.finish()
        found._check(reader)
        return found

    def _check(self, reader: Reader) -> None:
        if self.file is not None and self.call is not None:
            reader.fail("a data set comes from a file or from a call, not from both; leave one out.", "call")
        if self.file is not None and self.target is None:
            reader.fail("a file needs target, the column of the true classes; give it.", "file")
        if self.file is None:
            for key in ("target", "features", "groups"):
                if getattr(self, key):
                    reader.fail(f"{key} names columns of a file, but no file is given.", key)
            if self.call is None:
                _check_catalogue(self.name, reader)


@dataclass(frozen=True, slots=True)
class Step:
    """Preprocessing done inside each fold: a scikit-learn transformer by import path, with its parameters."""

    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        """From a table of the plan."""
        found = cls(reader.needed("class"), reader.mapping("parameters"))
        reader.finish()
        return found


@dataclass(frozen=True, slots=True)
class Learner:
    """A scikit-learn classifier by import path, with its parameters and what is done to the features before it.

    Attributes
    ----------
    name, path, parameters
        What it is called, "package.module:Class", and what it is told; a parameter that is a table with a `class`
        is an estimator itself.
    steps
        Preprocessing, fitted inside each fold on the cases learned from; None for that of the plan.
    output
        "predict_proba", or "decision_function" for a learner without probabilities: its scores are then squeezed
        into [0, 1] (of two classes by (1 + d / (1 + |d|)) / 2, which keeps their order; of more by the softmax).
    time_limit
        Seconds a fit may take, if not as long as the plan says.
    """

    name: str
    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[Step, ...] | None = None
    output: Literal["predict_proba", "decision_function"] = "predict_proba"
    time_limit: float | None = None

    @classmethod
    def read(cls, reader: Reader) -> Self:
        """From a table of the plan."""
        path = reader.needed("class")
        found = cls(
            name=reader.text("name", path.replace(":", ".").rpartition(".")[2]),
            path=path,
            parameters=reader.mapping("parameters"),
            steps=_steps(reader) if "steps" in reader.table else None,
            output=reader.choice("output", ("predict_proba", "decision_function"), "predict_proba"),
            time_limit=reader.seconds("time_limit"),
        )
        reader.asked.append("steps")
        reader.finish()
        return found


@dataclass(frozen=True, slots=True)
class Splitting:
    """How cases are split into those learned from and those tested on; the same for every learner.

    Attributes
    ----------
    kind
        "k-fold", "leave-one-out" or "hold-out" (random sub-sampling: every repeat draws a test set of its own).
    folds, repeats
        How many folds, and how often all of it is done anew.
    test_size
        Of a hold-out: the share (below 1, rounded up to whole cases) or the number of the cases tested on.
    stratified
        Whether every fold has the classes in the shares of the data, as near as can be.
    """

    kind: Kind = "k-fold"
    folds: int = 10
    repeats: int = 1
    test_size: float = 0.1
    stratified: bool = True

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

    @classmethod
    def read(cls, reader: Reader) -> Self:
        """From a table of the plan."""
        found = cls(
            kind=reader.choice("kind", ("k-fold", "leave-one-out", "hold-out"), "k-fold"),
            folds=reader.whole("folds", 10, 2),
            repeats=reader.whole("repeats", 1, 1),
            test_size=reader.get("test_size", "a share below 1, or a number of cases", _is_size, 0.1),
            stratified=reader.flag("stratified", True),
        )
        reader.finish()
        foreign = {"k-fold": ("test_size",), "hold-out": ("folds",)}
        for key in foreign.get(found.kind, ("folds", "repeats", "test_size", "stratified")):
            if key in reader.table:
                reader.fail(f"{key} does not go with {found.kind}; leave it out.", key)
        return found


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole study. Read from TOML (`read`), from a mapping (`from_dict`), or a preset (`preset`).

    Attributes
    ----------
    data, learners
        The data sets and the learners.
    splitting, steps
        How cases are split, and the preprocessing of learners that have none of their own.
    measures
        Keys of measures, with options if need be.
    seed, time_limit
        Of everything random; seconds a fit may take (None: as long as it likes).
    name, note
        What people call it.
    folder
        Where relative paths start, and where Python looks for modules of yours.

    Examples
    --------
    >>> plan = Plan.from_dict({
    ...     "data": ["iris"],
    ...     "learners": [{"name": "knn", "class": "sklearn.neighbors:KNeighborsClassifier"}],
    ...     "splitting": {"folds": 5},
    ... })
    >>> Plan.from_toml(plan.to_toml()) == plan
    True
    """

    data: tuple[DataSet, ...]
    learners: tuple[Learner, ...]
    splitting: Splitting = Splitting()
    measures: tuple[str, ...] = ("hand_till", "accuracy")
    seed: int = 0
    time_limit: float | None = None
    steps: tuple[Step, ...] = ()
    name: str = "study"
    note: str = ""
    folder: Path | None = field(default=None, compare=False)
    _place: Place = field(default=lambda path: _in_words(path), compare=False, repr=False)

    @classmethod
    def read(cls, source: "str | PathLike[str]") -> "Plan":
        """The plan in a TOML file, or a preset by its name."""
        path = Path(source)
        if str(source) in PRESETS and not path.exists():
            return cls.preset(str(source))
        if not path.is_file():
            hint = f"; presets: {', '.join(PRESETS)}" if path.suffix != ".toml" else ""
            raise MissingFileError(f"There is no plan '{path}'{hint}; check the path.")
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"The plan '{path}' cannot be read ({error}); save it as UTF-8 text.") from None
        return replace(cls.from_toml(text, name=str(path)), folder=path.parent.resolve())

    @classmethod
    def preset(cls, name: str) -> "Plan":
        """The plan of a paper: "bradley", "hand-till"."""
        if name not in PRESETS:
            raise InputError(f"There is no preset {name!r}; {did_you_mean(name, PRESETS)}")
        return cls.from_toml(preset_text(name), name=f"preset {name}")

    @classmethod
    def from_toml(cls, text: str, name: str = "plan") -> "Plan":
        """The plan in a TOML text; `name` is what messages call it."""
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{name} is not TOML: {error}.") from None
        lines = key_lines(text)
        return cls.from_dict(table, lambda path: f"{name}, line {_line(lines, path)}")

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], place: Place | None = None) -> "Plan":
        """The plan in plain data; `place` says for messages where a key stands."""
        place = place or _in_words
        reader = Reader(table, (), place)
        plan = cls(
            data=tuple(DataSet.read(each) for each in reader.tables("data", shorthand="name")),
            learners=tuple(Learner.read(each) for each in reader.tables("learners", shorthand="class")),
            splitting=Splitting.read(reader.inner("splitting")),
            measures=reader.texts("measures") or ("hand_till", "accuracy"),
            seed=reader.whole("seed", 0, 0),
            time_limit=reader.seconds("time_limit"),
            steps=_steps(reader),
            name=reader.text("name", "study"),
            note=reader.get("note", "a text", lambda value: isinstance(value, str), ""),
            _place=place,
        )
        reader.finish()
        plan._check(reader)
        return plan

    def _check(self, reader: Reader) -> None:
        for key, entries in (("data", self.data), ("learners", self.learners)):
            if not entries:
                reader.fail(f"{key} is missing; give at least one.")
            names = [entry.name for entry in entries]
            for number, name in enumerate(names):
                if name in names[:number]:
                    raise InputError(
                        f"{self.place(key, number)}: {name!r} is there twice in {key}; give each its own name."
                    )

    def place(self, *path: str | int) -> str:
        """Where a key of the plan stands, for messages."""
        return self._place(path)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: what is as by default is left out."""
        found: dict[str, Any] = {
            "name": self.name,
            "note": self.note,
            "seed": self.seed,
            "time_limit": self.time_limit,
            "measures": list(self.measures),
            "steps": [_step_dict(step) for step in self.steps],
            "splitting": _told(self.splitting, Splitting()),
            "data": [_told(each, DataSet(each.name), keep=("name",)) for each in self.data],
            "learners": [_learner_dict(each) for each in self.learners],
        }
        return {key: value for key, value in found.items() if value not in (None, "", [], {})}

    def to_toml(self) -> str:
        """The plan as TOML text."""
        return to_toml(self.to_dict())

    @property
    def digest(self) -> str:
        """Of everything that a fit depends on: equal digests, equal predictions."""
        return hashlib.sha256(json.dumps(self.fixed(), sort_keys=True).encode()).hexdigest()

    def fixed(self) -> dict[str, Any]:
        """The plain data that fits depend on."""
        return {key: value for key, value in self.to_dict().items() if key not in _PRIVATE}

    def steps_of(self, learner: Learner) -> tuple[Step, ...]:
        """The preprocessing of a learner."""
        return self.steps if learner.steps is None else learner.steps

    def limit_of(self, learner: Learner) -> float | None:
        """The seconds a fit of a learner may take."""
        return self.time_limit if learner.time_limit is None else learner.time_limit


def preset_text(name: str) -> str:
    """The TOML text of a preset, with its comments."""
    return (files("polyroc.studies") / "presets" / f"{name}.toml").read_text(encoding="utf-8")


def _check_catalogue(name: str, reader: Reader) -> None:
    from polyroc.datasets.catalogue import entries

    known = [entry.name for entry in entries()]
    if name not in known:
        hint = f"{did_you_mean(name, known)} Or give a file and its target, or a call."
        reader.fail(f"there is no data set {name!r} in the catalogue; {hint}", "name")


def _steps(reader: Reader) -> tuple[Step, ...]:
    return tuple(Step.read(each) for each in reader.tables("steps", shorthand="class"))


def _told(record: DataSet | Splitting, default: DataSet | Splitting, keep: tuple[str, ...] = ()) -> dict[str, Any]:
    """What differs from the default, as plain data."""
    values = {name: getattr(record, name) for name in record.__slots__}
    return {
        name: _plain(value) for name, value in values.items() if name in keep or value != getattr(default, name)
    }


def _step_dict(step: Step) -> dict[str, Any]:
    return {"class": step.path} | ({"parameters": _plain(step.parameters)} if step.parameters else {})


def _learner_dict(learner: Learner) -> dict[str, Any]:
    found: dict[str, Any] = {"name": learner.name, "class": learner.path}
    if learner.parameters:
        found["parameters"] = _plain(learner.parameters)
    if learner.steps is not None:
        found["steps"] = [_step_dict(step) for step in learner.steps]
    if learner.output != "predict_proba":
        found["output"] = learner.output
    if learner.time_limit is not None:
        found["time_limit"] = learner.time_limit
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def _is_label(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)


def _are_labels(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 1 and all(map(_is_label, value))


def _is_size(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 < value < 1 or (value >= 1 and value == int(value))


def _line(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """The line of a key, or of the nearest table around it that has one."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _in_words(path: KeyPath) -> str:
    """A key of plain data: plan["learners"][2]["class"]."""
    return "plan" + "".join(f"[{key!r}]" for key in path)
