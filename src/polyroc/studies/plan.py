"""The plan of a study: data sets, learners, splitting and measures."""

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w

from polyroc.errors import InputError, MissingFileError
from polyroc.messages import short_repr
from polyroc.studies.plan_entries import (
    DataSet,
    Learner,
    Splitting,
    Step,
    Text,
    make_entries,
    make_entry,
    plain_table,
)
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
    name: Text = "study"
    note: str = ""
    folder: Path | None = field(default=None, compare=False)
    _source: str = field(default="plan", compare=False, repr=False)  # its name in error messages

    def __post_init__(self) -> None:
        validate_fields(self)
        for key in ("data", "learners", "measures"):
            if not getattr(self, key):
                raise InputError(f"{key} is missing; give at least one entry.")
        for key, entries in (("data", self.data), ("learners", self.learners)):
            names = [entry.name for entry in entries]
            for number, name in enumerate(names):
                if name in names[:number]:
                    raise InputError(f"{key} has two entries named {name!r}; give each a name of its own.")

    @classmethod
    @validated
    def read(cls, source: "str | PathLike[str]") -> "Plan":
        """Read the plan in a TOML file, or a preset by name."""
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
        """Return the plan of a paper: "bradley", "hand-till"."""
        if name not in PRESETS:
            raise InputError(f"name: there is no preset {name!r}; {did_you_mean(name, PRESETS)}")
        return cls.from_toml(preset_text(name), name=f"preset {name}")

    @classmethod
    @validated
    def from_toml(cls, text: str, name: str = "plan") -> "Plan":
        """Read the plan in a TOML text; error messages call it `name`."""
        try:
            table = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InputError(f"{name} is not valid TOML: {error}.") from None
        return cls.from_dict(table, name)

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], name: str = "plan") -> "Plan":
        """Make a plan of plain data and objects; error messages call it `name`.

        In Python, a learner may be an estimator or a function that returns one, and a data set a data frame, a
        pair (X, y) or a function; learners and data sets may be a dict by name. See `Plan.of`.
        """
        if not isinstance(table, Mapping):
            raise InputError(f"{name} must be a mapping, got {short_repr(table)}.")
        table = dict(table)
        readers: dict[str, Any] = {"data": DataSet.read, "learners": Learner.read, "steps": Step.read}
        for key in ("data", "learners", "steps"):
            table[key] = tuple(make_entries(readers[key], table.get(key, ()), f"{name}: {key}"))
        table["learners"] = _distinct(table["learners"])
        table["splitting"] = Splitting.read(table.get("splitting", {}), f"{name}: splitting")
        return make_entry(cls, table, name, _source=name)

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
        """Plan a study of objects in Python: estimators and pipelines, on data frames and files.

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
        common = {key: value for key, value in options.items() if value is not None}
        named = data if isinstance(data, Mapping) else {"": data}
        table = {
            "learners": [learners] if isinstance(learners, str) else learners,
            "data": [common | _data_table(str(key), entry) for key, entry in named.items()],
            "splitting": {"folds": folds, "repeats": repeats},
            "measures": list(measures),
            "seed": seed,
            "name": name,
            **({} if time_limit is None else {"time_limit": time_limit}),
        }
        return replace(cls.from_dict(table), folder=Path.cwd())

    def location(self, *path: str | int) -> str:
        """Return where a key of the plan is, for error messages: `plan.toml: learners[2].class`."""
        parts = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
        return f"{self._source}: {''.join(parts).removeprefix('.')}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without the entries that have their default value."""
        table: dict[str, Any] = {
            "name": self.name,
            "note": self.note,
            "seed": self.seed,
            "time_limit": self.time_limit,
            "measures": list(self.measures),
            "steps": [plain_table(step) for step in self.steps],
            "splitting": plain_table(self.splitting),
            "data": [plain_table(entry) for entry in self.data],
            "learners": [plain_table(learner) for learner in self.learners],
        }
        return {key: value for key, value in table.items() if value not in (None, "", [], {})}

    def to_toml(self) -> str:
        """Write the plan as TOML text."""
        try:
            return tomli_w.dumps(self.to_dict())
        except (TypeError, ValueError) as error:
            raise InputError(f"The plan cannot be written as TOML: {error}.") from None

    @property
    def digest(self) -> str:
        """SHA-256 of everything that predictions depend on: equal digests, equal predictions."""
        return hashlib.sha256(json.dumps(self.for_digest(), sort_keys=True).encode()).hexdigest()

    def for_digest(self) -> dict[str, Any]:
        """Return the part of the plan, as plain data, that predictions depend on.

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
        """Return the preprocessing of a learner."""
        return self.steps if learner.steps is None else learner.steps

    def limit_of(self, learner: Learner) -> float | None:
        """Return the seconds that a fit of a learner may take."""
        return self.time_limit if learner.time_limit is None else learner.time_limit


def preset_text(name: str) -> str:
    """Return the TOML text of a preset, with its comments."""
    return (files("polyroc.studies") / "presets" / f"{name}.toml").read_text(encoding="utf-8")


def _distinct(learners: tuple[Learner, ...]) -> tuple[Learner, ...]:
    """Number the objects that have the name of an earlier learner."""
    distinct: list[Learner] = []
    for learner in learners:
        names = [other.name for other in distinct]
        same = sum(1 for name in names if name == learner.name or name.startswith(f"{learner.name} "))
        numbered = learner.estimator is not None and learner.name in names
        distinct.append(replace(learner, name=f"{learner.name} {same + 1}") if numbered else learner)
    return tuple(distinct)


def _data_table(name: str, entry: Any) -> dict[str, Any]:
    """Return the table of a data set of `Plan.of`; a text with a suffix is a file."""
    if isinstance(entry, Mapping):
        return {"name": name, **entry}
    if isinstance(entry, PathLike) or (isinstance(entry, str) and Path(entry).suffix):
        return {"name": name or Path(entry).stem, "file": str(entry), "frame": True}
    if isinstance(entry, str):
        return {"name": entry}
    if entry is None:
        raise InputError(
            "data must be a data frame, a file, a pair (X, y), a function or a dict of these, got None."
        )
    return {"name": name or "data", "memory": entry}
