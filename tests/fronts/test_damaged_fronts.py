"""Stored fronts that were changed, also with a digest that fits: errors of polyroc, and bounded memory."""

import contextlib
import io
import json
import tracemalloc
import zipfile

import numpy as np
import pytest

import polyroc as pr
from golden import files
from golden.files import STORED
from polyroc.errors import InputError, PolyrocError
from stored_damage import mutated, signed_front

MEGABYTE = 2**20


@pytest.mark.parametrize("name", ["Front", "Front_searched"])
def test_the_digest_can_be_renewed(name):
    data = json.loads(files.result_text(name))
    assert signed_front(data)["digest"] == data["digest"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Front", "Front_searched"])
def test_changed_fronts_with_a_new_digest(name):
    data = json.loads(files.result_text(name))
    rng = np.random.default_rng(0)
    for _ in range(200):
        damaged, what = mutated(data, rng)
        with contextlib.suppress(TypeError, ValueError, OverflowError):  # arrays that cannot be read
            damaged = signed_front(damaged)
        try:
            front = pr.results.Front.from_dict(damaged)
            front.rows()
            repr(front)
        except PolyrocError:
            continue
        except Exception as error:
            raise AssertionError(what) from error
        assert 0 <= front.growth.gini[-1] <= 1, what
        assert ((front.rates >= 0) & (front.rates <= 1)).all(), what


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("Front", {"counts": lambda counts: [[[-1, 22], row[1]] for row in counts]}),
        ("Front", {"costs": lambda costs: [[[0.0, -1.0], row[1]] for row in costs]}),
        ("Front", {"growth": lambda growth: {**growth, "gini": [7.0]}}),
        ("Front", {"classes": lambda _: ["a", "a"]}),
        ("Front_searched", {"place": lambda place: [10**6, *place[1:]]}),
        ("Front_searched", {"models": lambda models: [row[:-1] for row in models]}),
    ],
)
def test_invariants_of_fronts(name, change):
    data = json.loads(files.result_text(name))
    for entry, damage in change.items():
        data[entry] = damage(data[entry])
    with pytest.raises(InputError, match="damaged"):
        pr.results.Front.from_dict(signed_front(data))


def peak_of(path):
    """The memory that reading takes, which must be an error."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="is not a complete stored front"):
            pr.results.Front.load(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_front_that_inflates(tmp_path):
    path = tmp_path / "front.npz"
    with zipfile.ZipFile(STORED / "front.npz") as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name != "counts.npy":
                new.writestr(name, old.read(name))
        with new.open("counts.npy", "w", force_zip64=True) as counts:
            for _ in range(300):
                counts.write(bytes(MEGABYTE))
    assert path.stat().st_size < MEGABYTE
    assert peak_of(path) < 20 * MEGABYTE


def test_an_array_that_announces_more_than_it_has(tmp_path):
    path, header = tmp_path / "front.npz", io.BytesIO()
    shape = {"descr": "<i8", "fortran_order": False, "shape": (10**9, 3, 3)}
    np.lib.format.write_array_header_1_0(header, shape)
    with zipfile.ZipFile(STORED / "front.npz") as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, header.getvalue() if name == "counts.npy" else old.read(name))
    assert peak_of(path) < 20 * MEGABYTE


def test_damaged_bytes_of_a_front(tmp_path):
    whole = (STORED / "front.npz").read_bytes()
    path, rng = tmp_path / "front.npz", np.random.default_rng(0)
    reference = pr.results.Front.load(STORED / "front.npz").to_dict()
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] = int(rng.integers(256))
        path.write_bytes(bytes(damaged))
        try:
            assert pr.results.Front.load(path).to_dict() == reference
        except PolyrocError:
            continue


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("logistic", {"spread": lambda spread: [0.0 for _ in spread]}),
        ("logistic", {"centre": lambda centre: [*centre, 0.0]}),
        ("logistic", {"centre": lambda centre: [float("nan") for _ in centre]}),
        ("neighbours", {"limits": lambda limits: [limits[0], 2**40]}),
        ("neighbours", {"limits": lambda limits: [limits[0], 2**70]}),
        ("neighbours", {"codes": lambda codes: [9, *codes[1:]]}),
        ("neighbours", {"codes": lambda codes: [0.5, *codes[1:]]}),
        ("neighbours", {"cases": lambda cases: cases[1:]}),
    ],
)
def test_models_of_classifiers_are_checked(name, change):
    (path,) = [file for file in STORED.glob("classifier_*.json") if name in file.name]
    data = json.loads(path.read_text(encoding="utf-8"))
    for entry, damage in change.items():
        data["model"][entry] = damage(data["model"][entry])
    with pytest.raises(InputError, match=r"damaged|not a complete"):
        pr.fronts.PointClassifier.from_json(json.dumps(data))


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 0, 1.5, 10**6])
def test_numbers_of_neighbours_are_checked(value):
    data = json.loads(next(STORED.glob("classifier_*neighbours*.json")).read_text(encoding="utf-8"))
    data["parameters"][0] = value
    with pytest.raises(InputError, match="damaged"):
        pr.fronts.PointClassifier.from_json(json.dumps(data))
