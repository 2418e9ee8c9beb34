"""The entries of a plan: data sets, learners with their preprocessing, and how cases are split."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, Self

from polyroc.output.sentences import counted
from polyroc.studies.plan_files import TableReader
from polyroc.validation.arguments import did_you_mean

__all__ = [
    "DataSet",
    "Learner",
    "Output",
    "Splitting",
    "Step",
    "learner_dict",
    "non_defaults",
    "read_steps",
    "step_dict",
]

Kind = Literal["k-fold", "leave-one-out", "hold-out"]
Output = Literal["predict_proba", "decision_function", "score", "decisions"]


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
            steps=read_steps(reader) if "steps" in reader.table else None,
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


def _check_catalogue(name: str, reader: TableReader) -> None:
    from polyroc.datasets.catalogue import entries

    known = [entry.name for entry in entries()]
    if name not in known:
        hint = f"{did_you_mean(name, known)} For data of your own, add file and target, or call."
        reader.fail(f"there is no data set {name!r} in the catalogue; {hint}", "name")


def read_steps(reader: TableReader) -> tuple[Step, ...]:
    """The preprocessing in a table of a plan."""
    return tuple(Step.read(inner) for inner in reader.tables("steps", shorthand="class"))


def non_defaults(
    record: DataSet | Splitting, default: DataSet | Splitting, keep: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The fields that differ from the default, as plain data."""
    values = {name: getattr(record, name) for name in record.__slots__ if name != "source"}
    return {
        name: _plain(value) for name, value in values.items() if name in keep or value != getattr(default, name)
    }


def step_dict(step: Step) -> dict[str, Any]:
    """A step as plain data."""
    return {"class": step.path} | ({"parameters": _plain(step.parameters)} if step.parameters else {})


def learner_dict(learner: Learner) -> dict[str, Any]:
    """A learner as plain data, without the entries that have their default value."""
    kinds = {"class": learner.path, "object": learner.description, "predictions": learner.predictions}
    table: dict[str, Any] = {"name": learner.name} | {key: text for key, text in kinds.items() if text}
    if learner.parameters:
        table["parameters"] = _plain(learner.parameters)
    if learner.steps is not None:
        table["steps"] = [step_dict(step) for step in learner.steps]
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
