"""Data sets of a study: cases from the catalogue, a file, a Python function or an object in memory."""

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from polyroc.cross_validation.fits import select_rows
from polyroc.errors import InputError, PolyrocError
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.studies.features import (
    as_features,
    check_not_lazy,
    first_infinite,
    frame_of,
    is_frame,
    text_columns,
    update_digest,
    with_categories,
)
from polyroc.studies.import_paths import import_object, importable_from, unknown_parameter
from polyroc.studies.plan import Plan
from polyroc.studies.plan_entries import DataSet
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.labels import Coded, encode, seem_identifiers

__all__ = ["Data", "load"]


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Cases with their true classes, as learners receive them.

    Attributes
    ----------
    name
        Its name.
    X
        Cases x features: numbers, of a nominal feature codes; a data frame, or a sparse matrix.
    codes, labels
        True class of each case as a position in the labels, and the labels in order.
    features, nominal
        Names of the columns of `X`, and positions of those that are encoded inside each fold.
    encode
        The encoding: "one-hot" or "ordinal"; "none" if nothing is encoded.
    groups, group_names
        The group of each case by number, or None; and the names of the groups.
    positive
        Position of the positive one of two classes, or None if it is not known.
    """

    name: str
    X: Any
    codes: CodeArray
    labels: tuple[Any, ...]
    features: tuple[str, ...]
    nominal: tuple[int, ...] = ()
    encode: str = "none"
    groups: IntArray | None = None
    positive: int | None = None
    group_names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def y(self) -> np.ndarray[Any, Any]:
        """The true classes as labels, for learners."""
        return np.array(self.labels)[self.codes]

    @property
    def digest(self) -> str:
        """SHA-256 of everything that predictions depend on; a store is resumed with equal data only."""
        digest = hashlib.sha256(repr((self.labels, self.nominal, self.encode, self.X.shape)).encode())
        update_digest(digest, self.X)
        digest.update(self.codes.tobytes())
        digest.update(b"" if self.groups is None else self.groups.tobytes())
        return digest.hexdigest()


def load(plan: Plan, number: int) -> Data:
    """Load the data set at a position of the plan."""
    entry = plan.data[number]
    try:
        if entry.predictions is not None:
            raise InputError(
                f"its predictions were imported from {entry.predictions!r}, so there is nothing to fit."
            )
        if entry.memory is not None:
            data = _from_memory(entry)
        elif entry.file is not None:
            data = _from_file(entry, plan.folder)
        elif entry.call is not None:
            data = _from_call(entry, plan.folder)
        else:
            data = _from_catalogue(entry)
        return _checked(_selected(data, entry), entry)
    except PolyrocError as error:
        raise type(error)(f"{plan.location('data', number)}: data set {entry.name!r}: ", error.message) from None


def _from_catalogue(entry: DataSet) -> Data:
    from polyroc.datasets.catalogue import load as load_from_catalogue

    catalogued = load_from_catalogue(entry.name)
    nominal = _positions(entry.nominal or catalogued.nominal, catalogued.features)
    labels = tuple(catalogued.classes or encode(catalogued.y, "y").labels)
    codes = np.array([labels.index(label) for label in catalogued.y.tolist()], dtype=np.int32)
    return Data(
        entry.name,
        catalogued.X,
        codes,
        labels,
        catalogued.features,
        nominal,
        entry.encode,
        positive=_position(catalogued.pos_label, labels),
    )


def _from_call(entry: DataSet, folder: Path | None) -> Data:
    path = str(entry.call)
    with importable_from(folder):
        function = import_object(path)
        unknown = unknown_parameter(function, entry.parameters)
        if unknown is not None:
            raise InputError(unknown[1])
        try:
            returned = function(**entry.parameters)
        except Exception as error:
            raise InputError(f"{path} raised {type(error).__name__}: {error}.") from None
    return _from_returned(entry, returned, path)


def _from_memory(entry: DataSet) -> Data:
    """Load a data set given in Python: a data frame, (X, y), or a function that returns one of these."""
    source = entry.source
    if source is None:
        raise InputError(
            f"its cases were in memory ({entry.memory}) when the plan was made; run the study from Python, with "
            "the data."
        )
    if callable(source):
        try:
            source = source()
        except Exception as error:
            raise InputError(f"{entry.memory} raised {type(error).__name__}: {error}.") from None
    return _from_returned(entry, source, entry.memory or "data")


def _from_returned(entry: DataSet, returned: Any, name: str) -> Data:
    """Make a data set of what a function returned, or of what was given in its place."""
    check_not_lazy(returned, name)
    if is_frame(returned):
        X, y, groups = _columns_of(entry, returned)
    else:
        for key in ("target", "groups", "features"):
            if getattr(entry, key):
                raise InputError(f"{key} names columns of a data frame, but {name} is {type(returned).__name__}.")
        X, y, groups = _features_and_target(returned, name)
    values = as_features(X, "X")
    if len(values.shape) != 2 or values.shape[0] != len(y):
        raise InputError(
            f"{name} must return X (cases x features) and y (one class per case), got shapes {values.shape} and "
            f"({len(y)},)."
        )
    default_names = getattr(returned, "feature_names", range(values.shape[1]))
    features = tuple(str(column) for column in getattr(X, "columns", default_names))
    nominal = _positions(entry.nominal, features)
    if is_frame(values) and entry.encode == "none":
        values = with_categories(values, [list(values.columns)[position] for position in nominal])
    elif is_frame(values) and not entry.nominal and entry.memory is not None:
        nominal = text_columns(values)  # the caller has asked for the encoding, which is not the default there
    truth = _coded(y, "the class" if entry.target is None else f"the target {entry.target!r}")
    group = None if groups is None else _coded(groups, "the group")
    return _data(entry, values, truth, features, nominal, group)


def _data(
    entry: DataSet, X: Any, truth: Coded, features: Sequence[str], nominal: Sequence[int], groups: Coded | None
) -> Data:
    return Data(
        entry.name,
        X,
        truth.codes,
        truth.labels,
        tuple(features),
        tuple(nominal),
        entry.encode,
        None if groups is None else groups.codes.astype(np.int64),
        group_names=() if groups is None else tuple(map(str, groups.labels)),
    )


def _columns_of(entry: DataSet, frame: Any) -> tuple[Any, Any, Any]:
    """Features, target and groups of a data frame."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    names = list(map(str, table.columns))
    if entry.target is None:
        raise InputError("a data frame needs target, the column of the true classes.")
    special = [name for name in (entry.target, entry.groups) if name is not None]
    for name in (*special, *entry.nominal):
        _check_column(name, names)
    positions = [names.index(name) for name in _feature_names(entry, names, special)]
    target, *groups = (table[:, names.index(name)] for name in special)
    return table[:, positions].to_native(), target.to_list(), groups[0].to_list() if groups else None


def _coded(values: Any, name: str) -> Coded:
    """Number classes or groups, of which none is missing."""
    coded = encode(values, name)
    if (coded.codes < 0).any():
        row = int(np.argmax(coded.codes < 0)) + 1
        raise InputError(f"{name} is missing in row {row}; fill it in or remove the row.")
    return coded


def _features_and_target(returned: Any, path: str) -> tuple[Any, Any, Any]:
    if hasattr(returned, "X") and hasattr(returned, "y"):
        return returned.X, returned.y, getattr(returned, "groups", None)
    if isinstance(returned, tuple) and len(returned) in (2, 3):
        return (*returned, None)[:3]
    if hasattr(returned, "data") and hasattr(returned, "target"):  # scikit-learn's Bunch
        return returned.data, returned.target, getattr(returned, "groups", None)
    raise InputError(f"{path} must return (X, y), or an object with .X and .y, got {type(returned).__name__}.")


def _from_file(entry: DataSet, folder: Path | None) -> Data:
    from polyroc.io.files import file_source
    from polyroc.io.session import Session
    from polyroc.io.table import Table

    path = Path(folder or ".", str(entry.file))
    with Session() as session:
        source = file_source(session, path, (str(entry.target),))
        special = [name for name in (entry.target, entry.groups) if name is not None]
        for name in (*special, *entry.nominal):
            _check_column(name, source.columns)
        features = _feature_names(entry, source.columns, special)
        table = Table(session, source, [name for name in features if name not in entry.nominal], special)
        truth = _coded(table.coded(special[0]), f"the target {entry.target!r}")
        columns: dict[str, Any] = {}
        nominal = []
        for position, name in enumerate(features):
            values = None if name in entry.nominal else _numbers(table, name)
            if values is None:
                nominal.append(position)
                table.reread(name)  # as text, since the values are not all numbers
                values = _texts(table, name) if entry.frame else _codes(table, name)
            columns[name] = values
        X = frame_of(columns) if entry.frame else np.column_stack(list(columns.values())).astype(np.float64)
        if entry.frame and entry.encode == "none":
            X = with_categories(X, entry.nominal)
        groups = None if entry.groups is None else _coded(table.coded(special[1]), "the group")
        return _data(entry, X, truth, features, nominal, groups)


def _codes(table: Any, name: str) -> FloatArray:
    """Return a column of text as codes; nan for a missing value."""
    codes = table.codes(name)
    return np.where(codes < 0, np.nan, codes)


def _texts(table: Any, name: str) -> Any:
    """Return a column of text as objects; nan for a missing value, as pandas and scikit-learn expect it."""
    coded = table.coded(name)
    return np.array([*map(str, coded.labels), np.nan], dtype=object)[coded.codes]


def _numbers(table: Any, name: str) -> FloatArray | None:
    """Return a column of numbers; None if a value is not a number."""
    values, bad = table.numbers(name)
    return values if bad is None else None


def _feature_names(entry: DataSet, columns: Sequence[str], special: Sequence[str]) -> list[str]:
    """Select the columns that match the features of the plan by name or glob; by default all others."""
    others = [name for name in columns if name not in special]
    if not entry.features:
        return others
    chosen: dict[str, None] = {}
    for pattern in entry.features:
        matches = [name for name in others if name == pattern or fnmatchcase(name, pattern)]
        if not matches:
            _check_column(pattern, others)
        chosen |= dict.fromkeys(matches)
    return list(chosen)


def _check_column(name: str, columns: Sequence[str]) -> None:
    if name not in columns:
        raise InputError(f"there is no column {name!r}; {did_you_mean(name, columns)}")


def _positions(names: Sequence[str], features: Sequence[str]) -> tuple[int, ...]:
    for name in names:
        if name not in features:
            raise InputError(f"there is no feature {name!r}; {did_you_mean(name, features)}")
    return tuple(features.index(name) for name in names)


def _position(label: Hashable, labels: Sequence[Any]) -> int | None:
    """Return the position of a label, which the plan may write as text."""
    if label is None:
        return None
    texts = list(map(str, labels))
    if label not in labels and str(label) not in texts:
        raise InputError(f"there is no class {label!r}; {did_you_mean(str(label), texts)}")
    return labels.index(label) if label in labels else texts.index(str(label))


def _selected(data: Data, entry: DataSet) -> Data:
    """Return the cases of the classes that the plan selects, with its positive class."""
    if entry.classes:
        selected = np.array([_position(label, data.labels) for label in entry.classes], dtype=np.int64)
        kept = np.isin(data.codes, selected)
        new_codes = np.zeros(len(data.labels), dtype=np.int32)
        new_codes[selected] = np.arange(len(selected))
        groups = None if data.groups is None else data.groups[kept]
        labels = tuple(data.labels[position] for position in selected)
        data = replace(
            data,
            X=select_rows(data.X, np.flatnonzero(kept)),
            codes=new_codes[data.codes[kept]],
            labels=labels,
            groups=groups,
            positive=None,
        )
    positive = data.positive
    if entry.positive is not None:
        positive = _position(entry.positive, data.labels)
    elif positive is None and len(data.labels) == 2 and set(data.labels) in ({0, 1}, {-1, 1}):
        positive = data.labels.index(1)
    nominal, encode = (data.nominal, data.encode) if data.encode != "none" and data.nominal else ((), "none")
    return replace(data, positive=positive, nominal=nominal, encode=encode)


def _checked(data: Data, entry: DataSet) -> Data:
    """Return the data, or raise an error if no learner could be trained on them."""
    if len(data.labels) < 2 or len(np.unique(data.codes)) < 2:
        raise InputError(f"expected two or more classes, got {len(np.unique(data.codes))}; check the target.")
    if seem_identifiers(len(data.labels), len(data)):
        raise InputError(
            f"{entry.target or 'y'!r} has {len(data.labels)} classes in {len(data)} cases; check that it holds "
            "the true classes."
        )
    if data.X.shape[1] == 0:
        raise InputError("there are no features; name at least one.")
    infinite = first_infinite(data.X)
    if infinite is not None:
        row, column = infinite
        raise InputError(f"feature {data.features[column]!r} is infinite in row {row + 1}; give finite numbers.")
    return data
