import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive import isotonic as naive_isotonic
from naive import psi
from polyroc.kernels.class_blocks import argsort_and_sort_blocks, argsort_blocks, group, sort_blocks, split
from polyroc.kernels.class_pairs import column_areas, column_shares
from polyroc.kernels.isotonic import isotonic, isotonic_rows
from polyroc.kernels.placements import area, counts_below, placements
from strategies import EXTREME

numbers = st.one_of(st.sampled_from(EXTREME), st.integers(-2, 2).map(float))
samples = st.lists(numbers, min_size=1, max_size=15).map(sorted).map(np.array)


@given(x=samples, z=samples)
def test_counts_below_counts(x, z):
    below, up_to = counts_below(x, z)
    assert below.tolist() == [sum(b < a for b in z) for a in x]
    assert up_to.tolist() == [sum(b <= a for b in z) for a in x]


@given(x=samples, z=samples, data=st.data())
def test_placements_are_mean_outcomes(x, z, data):
    w = np.array(data.draw(st.lists(st.floats(0.1, 3), min_size=len(z), max_size=len(z))))
    mass = np.concatenate([[0.0], np.cumsum(w)])
    plain = [np.mean([psi(a, b) for b in z]) for a in x]
    weighted = [np.average([psi(a, b) for b in z], weights=w) for a in x]
    np.testing.assert_allclose(placements(x, z, None), plain, atol=1e-15)
    np.testing.assert_allclose(placements(x, z, mass), weighted, atol=1e-14)  # a cumulative sum of 15 terms


@given(x=samples, z=samples)
def test_area_is_the_mean_outcome_exactly(x, z):
    twice = sum(int(2 * psi(a, b)) for a in x for b in z)
    assert area(x, z, None, None) == twice / (2 * len(x) * len(z))
    weighted = area(x, z, np.ones(len(x)), np.arange(len(z) + 1.0))
    assert abs(weighted - area(x, z, None, None)) < 1e-15  # a sum of up to 15 rounded shares


@given(codes=st.lists(st.integers(0, 3), min_size=1, max_size=20), data=st.data())
def test_blocks_hold_each_class_in_order(codes, data):
    codes = np.array(codes, dtype=np.int32)
    n = len(codes)
    columns = np.array(data.draw(st.lists(st.lists(numbers, min_size=2, max_size=2), min_size=n, max_size=n)))
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=4))])
    rows, cases = split(columns, codes, starts), group(codes, starts)
    in_order, order = sort_blocks(rows.copy(), starts), argsort_blocks(rows, starts)
    for k in range(4):
        block = slice(starts[k], starts[k + 1])
        assert cases[block].tolist() == np.flatnonzero(codes == k).tolist()
        for j in range(2):
            assert rows[j, block].tolist() == columns[codes == k, j].tolist()
            assert in_order[j, block].tolist() == sorted(columns[codes == k, j].tolist())
            assert rows[j, block][order[j, block]].tolist() == in_order[j, block].tolist()
    together = argsort_and_sort_blocks(rows, starts)
    assert together[0].tolist() == order.tolist()
    assert together[1].tolist() == in_order.tolist()


@given(
    sizes=st.lists(st.integers(1, 9), min_size=2, max_size=4),
    values=st.sampled_from([3, 12, 10**6]),
    shift=st.sampled_from([0, 0.5, 2]),
    seed=st.integers(0, 2**32 - 1),
)
def test_shares_of_pairs_are_mean_outcomes(sizes, values, shift, seed):
    # merged from both ends, of equal and of different size, overlapping or apart, with ties and without
    rng, starts = np.random.default_rng(seed), np.concatenate([[0], np.cumsum(sizes)])
    unsorted = rng.integers(values, size=(len(sizes), starts[-1])) / values
    unsorted += shift * np.repeat(np.arange(len(sizes)), sizes)
    order, rows = argsort_and_sort_blocks(unsorted, starts)
    won, beaten, areas = column_shares(rows, order, starts)
    for i, j in [(i, j) for i in range(len(sizes)) for j in range(len(sizes)) if i != j]:
        x, z = unsorted[i, starts[i] : starts[i + 1]], unsorted[i, starts[j] : starts[j + 1]]
        outcomes = np.array([[psi(a, b) for b in z] for a in x])
        np.testing.assert_allclose(won[j, starts[i] : starts[i + 1]], outcomes.mean(axis=1), atol=1e-15)
        np.testing.assert_allclose(beaten[i, starts[j] : starts[j + 1]], outcomes.mean(axis=0), atol=1e-15)
    np.testing.assert_array_equal(areas, column_areas(rows, starts))


@given(codes=st.lists(st.integers(0, 1), min_size=1, max_size=20), data=st.data())
def test_two_classes_are_split_alike(codes, data):
    codes = np.array(codes, dtype=np.int32)
    column = np.array(data.draw(st.lists(numbers, min_size=len(codes), max_size=len(codes))))
    starts = np.array([0, (codes == 0).sum(), len(codes)])
    (row,) = split(column[:, None], codes, starts)
    assert row.tolist() == [*column[codes == 0].tolist(), *column[codes == 1].tolist()]


def test_read_only_and_strided_columns_are_taken_as_they_are():
    columns = np.arange(12.0).reshape(3, 4)[:, ::2]
    columns.flags.writeable = False
    codes = np.array([1, 0, 1], dtype=np.int32)
    assert split(columns, codes, np.array([0, 1, 3])).tolist() == [[4.0, 0.0, 8.0], [6.0, 2.0, 10.0]]


@given(rows=st.integers(1, 4), columns=st.integers(1, 12), unit=st.sampled_from([1.0, 0.3]), data=st.data())
def test_isotonic_rows_are_single_ones_to_the_last_bit(rows, columns, unit, data):
    def draw(most):
        return np.array(data.draw(st.lists(most, min_size=rows * columns, max_size=rows * columns)))

    counts = draw(st.integers(0, 3)).reshape(rows, columns)  # without weight too
    totals = unit * np.minimum(draw(st.integers(0, 3)).reshape(rows, columns), counts)
    fitted = isotonic_rows.interpret(totals, unit * counts)
    with np.errstate(invalid="ignore"):  # a row without any weight
        single = [isotonic.as_written(total, unit * count) for total, count in zip(totals, counts, strict=True)]
    assert fitted.tobytes() == np.array(single).tobytes()
    if (counts > 0).all():
        np.testing.assert_allclose(fitted[0], naive_isotonic(totals[0], unit * counts[0]), atol=1e-15)
