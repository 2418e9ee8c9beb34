"""The plan of a study: data sets, learners, splitting and measures."""

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from polyroc.errors import InputError, MissingFileError
from polyroc.output.sentences import counted
from polyroc.studies.plan_files import KeyPath, Locate, TableReader, key_lines, to_toml
from polyroc.studies.plan_objects import data_tables, without_objects
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.signatures import Positive, validate_fields, validated, within

__all__ = ["PRESETS", "DataSet", "Learner", "Plan", "Splitting", "Step", "preset_text"]

PRESETS = ("bradley", "hand-till")
Kind = Literal["k-fold", "leave-one-out", "hold-out"]
Output = Literal["predict_proba", "decision_function", "score", "decisions"]
DEFAULT_MEASURES = ("hand_till", "accuracy")
NOT_IN_DIGEST = ("name", "note", "measures")  # no prediction depends on these, so they may change in a store


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
    frame: bool = False
    memory: str | None = None
    predictions: str | None = None
    source: Any = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, reader: TableReader) -> Self:
        """From a table of a plan."""
        frame = reader.flag("frame", False)
        data_set = cls(
            name=reader.required_text("name"),
            file=reader.text("file"),
            target=reader.text("target"),
            features=reader.texts("features"),
            call=reader.text("call"),
            parameters=reader.mapping("parameters"),
            nominal=reader.texts("nominal"),
            encode=reader.choice("encode", ("one-hot", "ordinal", "none"), "none" if frame else "one-hot"),
            groups=reader.text("groups"),
            positive=reader.value("positive", "a label", _is_label),
            classes=tuple(reader.value("classes", "a list of labels", _are_labels, ())),
            frame=frame,
            memory=reader.text("memory"),
            predictions=reader.text("predictions"),
        )
        reader.finish()
        data_set._check(reader)
        return data_set

    def _check(self, reader: TableReader) -> None:
        places = [key for key in ("file", "call", "memory", "predictions") if getattr(self, key) is not None]
        if len(places) > 1:
            reader.fail(f"a data set has a {places[0]} or a {places[1]}, not both; remove one.", places[1])
        if self.file is not None and self.target is None:
            reader.fail("a file needs target, the column of the true classes.", "file")
        if self.frame and self.file is None:
            reader.fail("frame is for a file; data frames of Python are given to learners as they are.", "frame")
        if self.file is None and self.memory is None:
            for key in ("target", "features", "groups"):
                if getattr(self, key):
                    reader.fail(f"{key} names columns of a file, but there is no file.", key)
        if not places:
            _check_catalogue(self.name, reader)


@dataclass(frozen=True, slots=True)
class Step:
    """Preprocessing inside each fold: a scikit-learn transformer by import path, with its parameters."""

    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, reader: TableReader) -> Self:
        """From a table of a plan."""
        step = cls(reader.required_text("class"), reader.mapping("parameters"))
        reader.finish()
        return step


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

    name: str
    path: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[Step, ...] | None = None
    output: Output = "predict_proba"
    time_limit: float | None = None
    description: str | None = None
    predictions: str | None = None
    estimator: Any = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, reader: TableReader) -> Self:
        """From a table of a plan."""
        description, predictions = reader.text("object"), reader.text("predictions")
        path = reader.text("class", "")
        if not (path or description or predictions):
            reader.required_text("class")
        outputs = ("predict_proba", "decision_function", *(("score", "decisions") if predictions else ()))
        learner = cls(
            name=reader.text("name", path.replace(":", ".").rpartition(".")[2] or None)
            or reader.required_text("name"),
            path=path,
            parameters=reader.mapping("parameters"),
            steps=_steps(reader) if "steps" in reader.table else None,
            output=reader.choice("output", outputs, "predict_proba"),
            time_limit=reader.seconds("time_limit"),
            description=description,
            predictions=predictions,
        )
        reader.known_keys.append("steps")
        reader.finish()
        learner._check(reader)
        return learner

    def _check(self, reader: TableReader) -> None:
        kinds = [key for key in ("class", "object", "predictions") if key in reader.table]
        if len(kinds) > 1:
            reader.fail(f"a learner has a {kinds[0]} or {kinds[1]}, not both; remove one.", kinds[1])
        unused = ("parameters",) if self.description else ("parameters", "steps", "time_limit")
        for key in () if self.path else unused:
            if key in reader.table:
                reader.fail(f"{key} is for a learner with a class; remove it.", key)


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
    def read(cls, reader: TableReader) -> Self:
        """From a table of a plan."""
        splitting = cls(
            kind=reader.choice("kind", ("k-fold", "leave-one-out", "hold-out"), "k-fold"),
            folds=reader.whole("folds", 10, 2),
            repeats=reader.whole("repeats", 1, 1),
            test_size=reader.value("test_size", "a share below 1, or a number of cases", _is_size, 0.1),
            stratified=reader.flag("stratified", True),
        )
        reader.finish()
        unused = {"k-fold": ("test_size",), "hold-out": ("folds",)}
        for key in unused.get(splitting.kind, ("folds", "repeats", "test_size", "stratified")):
            if key in reader.table:
                reader.fail(f"{key} is not valid for {splitting.kind}; remove it.", key)
        return splitting


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a study. Made from a TOML file (`read`), a mapping (`from_dict`) or a preset (`preset`).

    Attributes
    ----------
    data, learners
        The data sets and the learners.
    splitting, steps
        How cases are split, and the preprocessing of learners without steps of their own.
    measures
        Keys of measures, with options such as "partial_auc(fpr=(0, 0.2))".
    seed, time_limit
        Seed of everything random; seconds that a fit may take (None: no limit).
    name, note
        A name and a free text.
    folder
        Where relative paths start, and from where your modules are imported.

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
    measures: tuple[str, ...] = DEFAULT_MEASURES
    seed: Annotated[int, within(0)] = 0
    time_limit: Positive | None = None
    steps: tuple[Step, ...] = ()
    name: str = "study"
    note: str = ""
    folder: Path | None = field(default=None, compare=False)
    _locate: Locate = field(default=lambda path: _locate_in_mapping(path), compare=False, repr=False)

    def __post_init__(self) -> None:
        validate_fields(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the plan without the lines of its file, which are for error messages."""
        names = [part.name for part in fields(self) if part.name != "_locate"]
        return _unpickled, ({name: getattr(self, name) for name in names},)

    @classmethod
    @validated
    def read(cls, source: "str | PathLike[str]") -> "Plan":
        """The plan in a TOML file, or a preset by name."""
        path = Path(source)
        try:
            exists = path.is_file()
        except OSError as error:  # a name that is too long, a folder without permission
            raise InputError(f"The plan '{path}' cannot be read ({error.strerror}).") from None
        if not exists and str(source) in PRESETS:
            return cls.preset(str(source))
        if not exists:
            hint = f" or use a preset: {', '.join(PRESETS)}" if path.suffix != ".toml" else ""
            raise MissingFileError(f"There is no plan '{path}'; check the path{hint}.")
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"The plan '{path}' cannot be read ({error}); save it as UTF-8 text.") from None
        return replace(cls.from_toml(text, name=str(path)), folder=path.parent.resolve())

    @classmethod
    @validated
    def preset(cls, name: str) -> "Plan":
        """The plan of a paper: "bradley", "hand-till"."""
        if name not in PRESETS:
            raise InputError(f"name: there is no preset {name!r}; {did_you_mean(name, PRESETS)}")
        return cls.from_toml(preset_text(name), name=f"preset {name}")

    @classmethod
    @validated
    def from_toml(cls, text: str, name: str = "plan") -> "Plan":
        """The plan in a TOML text; error messages call it `name`."""
        try:
            table = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InputError(f"{name} is not valid TOML: {error}.") from None
        lines = key_lines(text)
        return cls.from_dict(table, lambda path: f"{name}, line {_line(lines, path)}")

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], locate: Locate | None = None) -> "Plan":
        """The plan in plain data; `locate` says where a key is in error messages.

        In Python, a learner may be an estimator or a function that returns one, and a data set a data frame, a
        pair (X, y) or a function; learners and data sets may be a dict by name. See `Plan.of`.
        """
        locate = locate or _locate_in_mapping
        table, estimators, sources = without_objects(table, locate)
        reader = TableReader(table, (), locate)
        data = [DataSet.read(inner) for inner in reader.tables("data", shorthand="name")]
        learners = [Learner.read(inner) for inner in reader.tables("learners", shorthand="class")]
        plan = cls(
            data=tuple(replace(entry, source=sources.get(number)) for number, entry in enumerate(data)),
            learners=tuple(
                replace(learner, estimator=estimators.get(number)) for number, learner in enumerate(learners)
            ),
            splitting=Splitting.read(reader.inner("splitting")),
            measures=reader.texts("measures") or DEFAULT_MEASURES,
            seed=reader.whole("seed", 0, 0),
            time_limit=reader.seconds("time_limit"),
            steps=_steps(reader),
            name=reader.text("name", "study"),
            note=reader.value("note", "a string", lambda value: isinstance(value, str), ""),
            _locate=locate,
        )
        reader.finish()
        plan._check(reader)
        return plan

    @classmethod
    @validated
    def of(
        cls,
        learners: Any,
        data: Any,
        *,
        target: str | None = None,
        groups: str | None = None,
        positive: Any = None,
        folds: Annotated[int, within(2)] = 10,
        repeats: Annotated[int, within(1)] = 1,
        measures: Sequence[str] = DEFAULT_MEASURES,
        seed: Annotated[int, within(0)] = 0,
        time_limit: Positive | None = None,
        name: str = "study",
        **columns: Any,
    ) -> "Plan":
        """The plan of a study of objects in Python: estimators and pipelines, on data frames and files.

        Parameters
        ----------
        learners
            Scikit-learn classifiers or pipelines, functions that return one, or import paths; a list, or a dict by
            name. They are cloned for each fit.
        data
            A data frame (pandas or Polars), the path of a file (CSV, TSV, Parquet, JSON lines), a pair (X, y) or
            triple (X, y, groups), a function that returns one of these, or the name of a data set of the
            catalogue; or a dict of these by name. Learners get data frames, with text, categories and missing
            values as they are.
        target, groups
            The columns of the true classes, and of groups such as patients, which are never split.
        positive
            The positive one of two classes.
        folds, repeats
            Number of stratified folds, and of repetitions with other random folds.
        measures, seed, time_limit, name
            As in `Plan`.
        columns
            Other keys of data sets: `features`, `nominal`, `encode`, `classes`.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> plan = Plan.of([GaussianNB(), DecisionTreeClassifier(max_depth=3)], "iris", folds=5)
        >>> [learner.name for learner in plan.learners], plan.learners[1].description
        (['GaussianNB', 'DecisionTreeClassifier'], 'DecisionTreeClassifier(max_depth=3)')
        """
        options = {"target": target, "groups": groups, "positive": positive, **columns}
        table = {
            "learners": learners,
            "data": data_tables(data, {key: value for key, value in options.items() if value is not None}),
            "splitting": {"folds": folds, "repeats": repeats},
            "measures": list(measures),
            "seed": seed,
            "name": name,
            **({} if time_limit is None else {"time_limit": time_limit}),
        }
        return replace(cls.from_dict(table), folder=Path.cwd())

    def _check(self, reader: TableReader) -> None:
        for key, entries in (("data", self.data), ("learners", self.learners)):
            if not entries:
                reader.fail(f"{key} is missing; give at least one entry.")
            names = [entry.name for entry in entries]
            for number, name in enumerate(names):
                if name in names[:number]:
                    raise InputError(
                        f"{self.location(key, number)}: {key} has two entries named {name!r}; give each a name "
                        "of its own."
                    )

    def location(self, *path: str | int) -> str:
        """Where a key of the plan is, for error messages: file and line, or the key itself."""
        return self._locate(path)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without the entries that have their default value."""
        table: dict[str, Any] = {
            "name": self.name,
            "note": self.note,
            "seed": self.seed,
            "time_limit": self.time_limit,
            "measures": list(self.measures),
            "steps": [_step_dict(step) for step in self.steps],
            "splitting": _non_defaults(self.splitting, Splitting()),
            "data": [_non_defaults(entry, DataSet(entry.name), keep=("name",)) for entry in self.data],
            "learners": [_learner_dict(learner) for learner in self.learners],
        }
        return {key: value for key, value in table.items() if value not in (None, "", [], {})}

    def to_toml(self) -> str:
        """The plan as TOML text."""
        return to_toml(self.to_dict())

    @property
    def digest(self) -> str:
        """SHA-256 of everything that predictions depend on: equal digests, equal predictions."""
        return hashlib.sha256(json.dumps(self.for_digest(), sort_keys=True).encode()).hexdigest()

    def for_digest(self) -> dict[str, Any]:
        """The part of the plan, as plain data, that predictions depend on.

        Objects of Python are compared by their code and content (`codes`, `Data.digest`), not by their texts.
        """
        table = {key: value for key, value in self.to_dict().items() if key not in NOT_IN_DIGEST}
        for key, text in (("learners", "object"), ("data", "memory")):
            table[key] = [entry | ({text: "in Python"} if text in entry else {}) for entry in table[key]]
        return table

    @property
    def kind(self) -> Literal["score", "matrix", "decisions"]:
        """The kind of the predictions, as in `Scores`: one column per class unless imported ones are otherwise."""
        outputs = {learner.output for learner in self.learners}
        if "score" in outputs:
            return "score"
        return "decisions" if outputs == {"decisions"} else "matrix"

    def steps_of(self, learner: Learner) -> tuple[Step, ...]:
        """The preprocessing of a learner."""
        return self.steps if learner.steps is None else learner.steps

    def limit_of(self, learner: Learner) -> float | None:
        """The seconds that a fit of a learner may take."""
        return self.time_limit if learner.time_limit is None else learner.time_limit


def preset_text(name: str) -> str:
    """The TOML text of a preset, with its comments."""
    return (files("polyroc.studies") / "presets" / f"{name}.toml").read_text(encoding="utf-8")


def _check_catalogue(name: str, reader: TableReader) -> None:
    from polyroc.datasets.catalogue import entries

    known = [entry.name for entry in entries()]
    if name not in known:
        hint = f"{did_you_mean(name, known)} For data of your own, add file and target, or call."
        reader.fail(f"there is no data set {name!r} in the catalogue; {hint}", "name")


def _steps(reader: TableReader) -> tuple[Step, ...]:
    return tuple(Step.read(inner) for inner in reader.tables("steps", shorthand="class"))


def _non_defaults(
    record: DataSet | Splitting, default: DataSet | Splitting, keep: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The fields that differ from the default, as plain data."""
    values = {name: getattr(record, name) for name in record.__slots__ if name != "source"}
    return {
        name: _plain(value) for name, value in values.items() if name in keep or value != getattr(default, name)
    }


def _step_dict(step: Step) -> dict[str, Any]:
    return {"class": step.path} | ({"parameters": _plain(step.parameters)} if step.parameters else {})


def _learner_dict(learner: Learner) -> dict[str, Any]:
    kinds = {"class": learner.path, "object": learner.description, "predictions": learner.predictions}
    table: dict[str, Any] = {"name": learner.name} | {key: text for key, text in kinds.items() if text}
    if learner.parameters:
        table["parameters"] = _plain(learner.parameters)
    if learner.steps is not None:
        table["steps"] = [_step_dict(step) for step in learner.steps]
    if learner.output != "predict_proba":
        table["output"] = learner.output
    if learner.time_limit is not None:
        table["time_limit"] = learner.time_limit
    return table


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def _is_label(value: Any) -> bool:
    return isinstance(value, str | int | bool) or (isinstance(value, float) and isfinite(value))


def _are_labels(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 1 and all(map(_is_label, value))


def _is_size(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 < value < 1 or (value >= 1 and value == int(value))


def _line(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """The line of a key, or of the nearest enclosing table that is in the text."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _unpickled(values: dict[str, Any]) -> Plan:
    return Plan(**values)


def _locate_in_mapping(path: KeyPath) -> str:
    """A key of plain data, such as plan['learners'][2]['class']."""
    return "plan" + "".join(f"[{key!r}]" for key in path)
