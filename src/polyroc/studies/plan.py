"""The plan of a study: data sets, learners, splitting and measures."""

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal

from polyroc.errors import InputError, MissingFileError
from polyroc.studies.plan_entries import (
    DataSet,
    Learner,
    Splitting,
    Step,
    learner_dict,
    non_defaults,
    read_steps,
    step_dict,
)
from polyroc.studies.plan_files import KeyPath, Locate, TableReader, key_lines, to_toml
from polyroc.studies.plan_objects import data_tables, without_objects
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.signatures import Positive, validate_fields, validated, within

__all__ = ["DEFAULT_MEASURES", "PRESETS", "Plan", "preset_text"]

PRESETS = ("bradley", "hand-till")
DEFAULT_MEASURES = ("hand_till", "accuracy")
NOT_IN_DIGEST = ("name", "note", "measures")  # no prediction depends on these, so they may change in a store


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
    splitting: Splitting = field(default_factory=Splitting)
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
            steps=read_steps(reader),
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
            "learners": [learners] if isinstance(learners, str) else learners,
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
            "steps": [step_dict(step) for step in self.steps],
            "splitting": non_defaults(self.splitting, Splitting()),
            "data": [non_defaults(entry, DataSet(entry.name), keep=("name",)) for entry in self.data],
            "learners": [learner_dict(learner) for learner in self.learners],
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
