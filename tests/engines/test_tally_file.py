"""Stored tallies that were changed and signed again: errors of polyroc, and memory in proportion to the file."""

import tracemalloc
import warnings

import numpy as np
import pytest

import polyroc as pr
from golden.files import STORED
from golden.inputs import TALLIES
from polyroc.errors import InputError, PolyrocError
from stored_damage import mutated, signed_tally, tally_parts

MEGABYTE = 2**20


def stored(name):
    return (STORED / f"tally_{name}.bin").read_bytes()


def evaluated(data):
    """The AUC or accuracy of a stored tally, nan if there is none; errors of polyroc are passed on."""
    tally = pr.Tally.from_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tally.evaluate("auc" if len(tally.labels) == 2 else "accuracy").value


@pytest.mark.slow
@pytest.mark.parametrize("name", TALLIES)
def test_a_header_that_was_signed_again(name):
    header, arrays = tally_parts(stored(name))
    assert (
        pr.Tally.from_bytes(signed_tally(header, arrays)).to_bytes()
        == pr.Tally.from_bytes(stored(name)).to_bytes()
    )
    rng = np.random.default_rng(0)
    for _ in range(150):
        damaged, what = mutated(header, rng)
        try:
            value = evaluated(signed_tally(damaged, arrays))
        except PolyrocError:
            continue
        assert 0 <= value <= 1 or np.isnan(value), what


@pytest.mark.slow
@pytest.mark.parametrize("name", TALLIES)
def test_arrays_that_were_signed_again(name):
    header, arrays = tally_parts(stored(name))
    rng = np.random.default_rng(1)
    for _ in range(150):
        damaged = bytearray(arrays)
        for place in rng.integers(0, len(arrays), rng.integers(1, 4)):
            damaged[place] = int(rng.integers(0, 256))
        try:
            value = evaluated(signed_tally(header, bytes(damaged)))
        except PolyrocError:
            continue
        assert 0 <= value <= 1 or np.isnan(value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bits": 24, "labels": [*range(30)]}, "another width"),
        ({"bits": 25}, "bits must be from 2 to 24"),
        ({"rows": -1}, "rows -1"),
        ({"rows": 10**6}, "cases are counted in 1000000 rows"),
        ({"labels": ["a", "a"]}, "two or more different"),
        ({"labels": [[], {}]}, "two or more different"),
        ({"positive": 2}, "positive must be 0 or 1"),
        ({"kind": "ranks"}, "unknown kind"),
        ({"ends": [[0, 0.9, 0.1]]}, "ends 0.9 and 0.1"),
        ({"ends": [[0, 0.5, 0.6]]}, "outside their range"),
        ({"weighted": 1}, "weighted 1"),
        ({"weight_scale": 3.0}, "weight_scale must be a power of two"),
        ({"weight_scale": "2"}, "weight_scale must be a power of two"),
    ],
)
def test_the_error_says_what_is_wrong(change, message):
    header, arrays = tally_parts(stored("two_classes"))
    with pytest.raises(InputError, match=f"The stored tally is damaged .*{message}"):
        pr.Tally.from_bytes(signed_tally({**header, **change}, arrays))


def peak_of(data):
    """The memory that reading takes, which must be an error."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            pr.Tally.from_bytes(data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_small_file_that_announces_much():
    c = 40
    header = {
        "labels": [*range(c)],
        "pos_label": None,
        "bits": 24,
        "rows": 5,
        "kind": "matrix",
        "weighted": True,
        "positive": None,
        "ends": [[place, 0.0, 1.0] for place in range(c)],
        "held": {f"column {place}": [1, 1 + 5 * c] for place in range(c)},
    }
    data = signed_tally(header, b"")
    with pytest.raises(InputError, match=r"needs .* bytes of memory, more than most_bytes"):
        pr.Tally.from_bytes(data)
    assert peak_of(data) < 20 * MEGABYTE


@pytest.mark.slow
def test_a_file_that_inflates_to_more_than_its_header_says():
    header, arrays = tally_parts(stored("two_classes"))
    data = signed_tally(header, arrays + bytes(200 * MEGABYTE))
    assert len(data) < MEGABYTE
    assert peak_of(data) < 20 * MEGABYTE
    rows = {**header, "rows": 2**50, "held": {name: [10**5, width] for name, (_, width) in header["held"].items()}}
    assert peak_of(signed_tally(rows, arrays)) < 30 * MEGABYTE
    long_header = signed_tally({**header, "more": "x" * 2**25}, arrays)
    assert peak_of(long_header) < 20 * MEGABYTE


def test_a_large_tally_is_read_if_the_caller_says_so():
    tally = pr.Tally([0, 1], bits=10)
    tally.update([0, 1], [0.2, 0.8])
    with pytest.raises(InputError, match="pass a larger most_bytes"):
        pr.Tally.from_bytes(tally.to_bytes(), most_bytes=1000)
    assert pr.Tally.from_bytes(tally.to_bytes(), most_bytes=10**7).rows == 2


def test_small_weights_with_a_scale_are_read_back():
    tally = pr.Tally([0, 1], weight_scale=1e-10)
    rng = np.random.default_rng(0)
    tally.update([0, 1] * 200, rng.random(400), 1e-10 * rng.random(400) ** 8 + 1e-24)
    assert pr.Tally.from_bytes(tally.to_bytes()).to_bytes() == tally.to_bytes()
