"""The radix sort, against numpy's; scores in single precision, against the same as doubles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import polyroc as pr
from polyroc.kernels import radix
from polyroc.kernels.threads import FEWEST


@pytest.fixture(autouse=True, scope="module")
def _also_few():
    before, radix.FEW = radix.FEW, 1
    yield
    radix.FEW = before


@given(arrays.arrays(np.float64, st.integers(1, 60), elements={"allow_nan": False}))
def test_sort_and_argsort(values):
    ascending = values.copy()
    radix.sort(ascending)
    assert ascending.dtype == values.dtype
    np.testing.assert_array_equal(ascending, np.sort(values))
    assert np.signbit(ascending).sum() == np.signbit(values).sum()  # each of -0.0 and 0.0 is still there
    order = radix.argsort(values[::-1].astype(np.float64))
    np.testing.assert_array_equal(values[::-1][order], np.sort(values))
    assert sorted(order.tolist()) == [*range(len(values))]


@pytest.mark.parametrize("decimals", [2, 7])
def test_single_precision_has_the_answer_of_doubles(decimals):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=FEWEST)
    single = (rng.normal(size=FEWEST) + y).round(decimals).astype(np.float32)
    estimates = [pr.evaluate(y, single.astype(np.float64), measure="auc")]
    estimates += [pr.evaluate(y, single, measure="auc", n_jobs=n_jobs) for n_jobs in (1, 2)]
    assert len({(estimate.value, estimate.standard_error) for estimate in estimates}) == 1


@given(st.integers(0, 2**32 - 1), st.integers(1, 3000), st.integers(0, 52), st.floats(0, 1))
def test_numbers_that_agree_in_their_first_digits(seed, n, agreeing, share):
    # the first digits do not decide: few moves by insertion, many, or more than the limit
    rng = np.random.default_rng(seed)
    near = 1.0 + rng.integers(2 ** (52 - agreeing) + 1, size=n) * 2.0**-52
    values = np.where(rng.random(n) < share, near, rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, size=n))
    order = radix.argsort(values)
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))
    ascending = values.copy()
    radix.sort(ascending)
    np.testing.assert_array_equal(ascending, values[order])
