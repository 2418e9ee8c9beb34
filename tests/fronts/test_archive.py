"""The archive against a brute-force filter of everything that was ever put in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from polyroc.fronts.archive import Archive, SlotColumns
from polyroc.kernels.archives import BLOCK


@st.composite
def batches(draw):
    """The largest count, and batches of vectors: many ties where it is small, several words where it is large."""
    largest = draw(st.sampled_from([1, 2, 3, 7, 511, 512, 2**31, 2**60]))
    D = draw(st.integers(1, 7))
    number = st.one_of(st.integers(0, min(3, largest)), st.integers(max(0, largest - 3), largest))
    vector = st.lists(number, min_size=D, max_size=D)
    return largest, D, draw(st.lists(st.lists(vector, max_size=6), min_size=1, max_size=5))


@given(batches())
def test_the_archive_is_the_non_dominated_part_of_all_that_came(vectors):
    largest, D, parts = vectors
    archive, columns, seen = Archive(largest, D), SlotColumns(vector=np.empty((0, D), dtype=np.int64)), []
    for part in parts:
        batch = np.array(part, dtype=np.int64).reshape(len(part), D)
        entered, slots = archive.insert(batch)
        columns.put(slots, vector=batch[entered])
        seen += part
        members = [tuple(row) for row in archive.counts.tolist()]
        assert len(set(members)) == len(members)
        assert set(members) == naive.non_dominated(seen)
        assert len(set(archive.slots.tolist())) == len(archive)
        assert archive.slots.max(initial=-1) < len(seen)
        assert (columns.take("vector", archive.slots) == archive.counts).all()


def test_many_blocks_of_members():
    """More members than are compared at a time, and comers that strike out members of every block."""
    n = 3 * BLOCK + 7
    line = np.stack([np.arange(n), np.arange(n)[::-1]], axis=1)
    archive = Archive(2 * n, 2)
    archive.insert(line + 1)
    assert [len(members) for members in archive.insert(line + 2)] == [0, 0]
    assert sorted(archive.counts.tolist()) == (line + 1).tolist()
    archive.insert(line[::5])
    near = np.abs(line[:, :1] - line[::5, 0]).min(axis=1) <= 1  # those above a comer, as all sums are equal
    assert sorted(archive.counts.tolist()) == sorted([*line[::5].tolist(), *(line + 1)[~near].tolist()])


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_coming_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    vectors = rng.integers(0, 8, (400, 4))
    at_once, one_by_one = Archive(7, 4), Archive(7, 4)
    at_once.insert(vectors)
    for vector in rng.permutation(vectors):
        one_by_one.insert(vector[None])
    assert at_once.counts.tolist() == one_by_one.counts.tolist()  # the same order too: it is that of the members
    again = Archive(7, 4)
    again.restore(rng.permutation(at_once.counts))
    assert again.counts.tolist() == at_once.counts.tolist()
    more = rng.integers(0, 8, (50, 4))
    for archive in (at_once, one_by_one, again):
        archive.insert(more)
    assert at_once.counts.tolist() == one_by_one.counts.tolist() == again.counts.tolist()
