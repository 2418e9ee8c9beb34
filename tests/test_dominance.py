import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyroc.kernels.dominance import Places, concordance
from polyroc.kernels.merging import counts_below
from strategies import EXTREME

numbers = st.one_of(st.sampled_from(EXTREME), st.integers(-2, 2).map(float))


def places(x, z):
    """Where the x stand among the z, all in the order given."""
    x_order, z_order = np.argsort(x), np.argsort(z)
    below, up_to = np.empty(len(x), dtype=np.int64), np.empty(len(x), dtype=np.int64)
    below[x_order], up_to[x_order] = counts_below(x[x_order], z[z_order])
    return Places(x_order, z_order, below, up_to)


def sign(a, b):
    return int(a > b) - int(a < b)


@given(data=st.data(), n=st.integers(1, 12), m=st.integers(1, 12))
def test_concordance_is_the_sum_of_products_of_signs(data, n, m):
    xa, xb = (np.array(data.draw(st.lists(numbers, min_size=n, max_size=n))) for _ in "ab")
    za, zb = (np.array(data.draw(st.lists(numbers, min_size=m, max_size=m))) for _ in "ab")
    a, b = places(xa, za), places(xb, zb)
    pairs = [(i, j) for i in range(n) for j in range(m)]
    expected = sum(sign(xa[i], za[j]) * sign(xb[i], zb[j]) for i, j in pairs)
    assert concordance(a, b) == concordance(b, a) == expected
    assert a.won == sum(sign(xa[i], za[j]) for i, j in pairs)
    assert concordance(a, a) == concordance(a, Places(*a)) == a.pairs - a.tied
