"""The cases of a data set, wherever they come from."""

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from polyroc.errors import InputError, PolyrocError
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.studies.import_paths import check_parameters, found, on_path
from polyroc.studies.plan import DataSet, Plan
from polyroc.validation.arguments import did_you_mean

__all__ = ["Data", "load"]


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Cases with their true classes, as learners get them.

    Attributes
    ----------
    name
        What it is called.
    X
        Cases x features. The values of a nominal feature are numbered.
    codes, labels
        True class of each case as a position in the labels, and the labels in order.
    features, nominal
        Names of the columns of `X`, and positions of those to be encoded inside each fold.
    encode
        How: "one-hot" or "ordinal"; "none" where nothing is encoded.
    groups
        The group of each case, or None.
    positive
        Position of the positive class among two, or None where it is not known.
    """

    name: str
    X: FloatArray
    codes: CodeArray
    labels: tuple[Any, ...]
    features: tuple[str, ...]
    nominal: tuple[int, ...] = ()
    encode: str = "none"
    groups: IntArray | None = None
    positive: int | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def y(self) -> np.ndarray[Any, Any]:
        """The true classes as labels, for learners."""
        return np.array(self.labels)[self.codes]

    @property
    def digest(self) -> str:
        """Of all that learners can see."""
        told = hashlib.sha256(repr((self.labels, self.nominal, self.encode, self.X.shape)).encode())
        told.update(np.ascontiguousarray(self.X).tobytes())
        told.update(self.codes.tobytes())
        told.update(b"" if self.groups is None else self.groups.tobytes())
        return told.hexdigest()


def load(plan: Plan, number: int) -> Data:
    """The data set of this number in the plan."""
    asked = plan.data[number]
    try:
        if asked.file is not None:
            data = _from_file(asked, plan.folder)
        elif asked.call is not None:
            data = _from_call(asked, plan.folder)
        else:
            data = _from_catalogue(asked)
        return _checked(_chosen(data, asked), asked)
    except PolyrocError as error:
        raise type(error)(f"{plan.place('data', number)}: data set {asked.name!r}: ", error.message) from None


def _from_catalogue(asked: DataSet) -> Data:
    from polyroc.datasets.catalogue import load as load_entry

    entry = load_entry(asked.name)
    nominal = _positions(asked.nominal or entry.nominal, entry.features)
    codes, labels = _coded(entry.y, entry.classes)
    return Data(
        asked.name,
        entry.X,
        codes,
        labels,
        entry.features,
        nominal,
        asked.encode,
        positive=_position(entry.pos_label, labels),
    )


def _from_call(asked: DataSet, folder: Path | None) -> Data:
    with on_path(folder):
        function = found(str(asked.call))
        trouble = check_parameters(function, asked.parameters)
        if trouble is not None:
            raise InputError(trouble)
        try:
            given = function(**asked.parameters)
        except Exception as error:
            raise InputError(f"{asked.call} raised {type(error).__name__}: {error}.") from None
    X, y = (given.X, given.y) if hasattr(given, "X") and hasattr(given, "y") else _pair(given, str(asked.call))
    try:
        values = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{asked.call} must return features as numbers; encode text first.") from None
    if values.ndim != 2 or len(values) != len(y):
        raise InputError(
            f"{asked.call} must return X (cases x features) and y (a class each), got {values.shape}, {len(y)}."
        )
    numbered = getattr(given, "feature_names", range(values.shape[1]))
    features = tuple(str(name) for name in getattr(X, "columns", numbered))
    groups = getattr(given, "groups", None)
    return Data(
        asked.name,
        values,
        *_coded(np.asarray(y)),
        features,
        _positions(asked.nominal, features),
        asked.encode,
        None if groups is None else _coded(np.asarray(groups))[0].astype(np.int64),
    )


def _pair(given: Any, path: str) -> tuple[Any, Any]:
    if isinstance(given, tuple) and len(given) == 2:
        return given
    if hasattr(given, "data") and hasattr(given, "target"):  # scikit-learn's Bunch
        return given.data, given.target
    raise InputError(f"{path} must return (X, y), or something with .X and .y, got {type(given).__name__}.")


def _from_file(asked: DataSet, folder: Path | None) -> Data:
    from polyroc.io.files import file_source
    from polyroc.io.session import Session
    from polyroc.io.table import Table

    path = Path(folder or ".", str(asked.file))
    with Session() as session:
        source = file_source(session, path, (str(asked.target),))
        special = [name for name in (asked.target, asked.groups) if name is not None]
        for name in (*special, *asked.nominal):
            _check_column(name, source.columns)
        features = _features(asked, source.columns, special)
        table = Table(session, source, [name for name in features if name not in asked.nominal], special)
        truth = table.coded(special[0])
        if (truth.codes < 0).any():
            row = int(np.argmax(truth.codes < 0)) + 1
            raise InputError(f"the target {asked.target!r} is missing in row {row}; fill it in, or take it out.")
        columns, nominal = [], []
        for place, name in enumerate(features):
            values = None if name in asked.nominal else _numbers(table, name)
            if values is None:
                nominal.append(place)
                table.reread(name)
                codes = table.codes(name)
                values = np.where(codes < 0, np.nan, codes)
            columns.append(values)
        groups = table.codes(special[1]).astype(np.int64) if asked.groups is not None else None
        X = np.column_stack(columns).astype(np.float64)
        return Data(
            asked.name, X, truth.codes, truth.labels, tuple(features), tuple(nominal), asked.encode, groups
        )


def _numbers(table: Any, name: str) -> FloatArray | None:
    """A column of numbers; None if something else is in it."""
    values, bad = table.numbers(name)
    return values if bad is None else None


def _features(asked: DataSet, columns: Sequence[str], special: Sequence[str]) -> list[str]:
    others = [name for name in columns if name not in special]
    if not asked.features:
        return others
    chosen: dict[str, None] = {}
    for pattern in asked.features:
        held = [name for name in others if name == pattern or fnmatchcase(name, pattern)]
        if not held:
            _check_column(pattern, others)
        chosen |= dict.fromkeys(held)
    return list(chosen)


def _check_column(name: str, columns: Sequence[str]) -> None:
    if name not in columns:
        raise InputError(f"there is no column {name!r}; {did_you_mean(name, columns)}")


def _positions(names: Sequence[str], features: Sequence[str]) -> tuple[int, ...]:
    for name in names:
        if name not in features:
            raise InputError(f"there is no feature {name!r}; {did_you_mean(name, features)}")
    return tuple(features.index(name) for name in names)


def _coded(y: np.ndarray[Any, Any], classes: Sequence[Any] | None = None) -> tuple[CodeArray, tuple[Any, ...]]:
    held, codes = np.unique(y, return_inverse=True)
    labels = tuple(label.item() if isinstance(label, np.generic) else label for label in held)
    if classes is None:
        return codes.astype(np.int32), labels
    order = np.array([list(classes).index(label) for label in labels], dtype=np.int32)
    return order[codes], tuple(classes)


def _position(label: Hashable, labels: Sequence[Any]) -> int | None:
    """The place of a label, which may have been written as text."""
    if label is None:
        return None
    texts = [str(each) for each in labels]
    if label not in labels and str(label) not in texts:
        raise InputError(f"there is no class {label!r}; {did_you_mean(str(label), texts)}")
    return labels.index(label) if label in labels else texts.index(str(label))


def _chosen(data: Data, asked: DataSet) -> Data:
    """The cases of the classes asked for, with the positive class asked for."""
    if asked.classes:
        places = np.array([_position(label, data.labels) for label in asked.classes], dtype=np.int64)
        kept = np.isin(data.codes, places)
        new = np.zeros(len(data.labels), dtype=np.int32)
        new[places] = np.arange(len(places))
        groups = None if data.groups is None else data.groups[kept]
        labels = tuple(data.labels[place] for place in places)
        data = replace(
            data, X=data.X[kept], codes=new[data.codes[kept]], labels=labels, groups=groups, positive=None
        )
    positive = data.positive
    if asked.positive is not None:
        positive = _position(asked.positive, data.labels)
    elif positive is None and len(data.labels) == 2 and set(data.labels) in ({0, 1}, {-1, 1}):
        positive = data.labels.index(1)
    nominal, encode = (data.nominal, data.encode) if data.encode != "none" and data.nominal else ((), "none")
    return replace(data, positive=positive, nominal=nominal, encode=encode)


def _checked(data: Data, asked: DataSet) -> Data:
    if len(data.labels) < 2 or len(np.unique(data.codes)) < 2:
        raise InputError(f"learners need two classes or more, got {len(np.unique(data.codes))}; check the target.")
    if len(data.labels) > max(20, len(data) // 2):
        raise InputError(
            f"{len(data.labels)} classes in {len(data)} cases; is {asked.target or 'y'!r} the true class?"
        )
    if data.X.shape[1] == 0:
        raise InputError("there is no feature; name some.")
    if np.isinf(data.X).any():
        row, column = np.argwhere(np.isinf(data.X))[0]
        raise InputError(f"feature {data.features[column]!r} is infinite in row {row + 1}; give numbers.")
    return data
