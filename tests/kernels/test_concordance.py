import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyroc.kernels.concordance import Places, concordance, dominance, places, relations
from strategies import EXTREME

numbers = st.one_of(st.sampled_from(EXTREME), st.integers(-2, 2).map(float))


def placed(x, z):
    """Where the x stand among the z, all in the order given."""
    x_order, z_order = np.argsort(x), np.argsort(z)
    return places(x[x_order], x_order, z[z_order], z_order)


def sign(a, b):
    return int(a > b) - int(a < b)


@st.composite
def two_scores(draw):
    """Two scores of some x, and of some z."""
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    return [[np.array(draw(st.lists(numbers, min_size=size, max_size=size))) for size in (n, m)] for _ in "ab"]


@given(two_scores())
def test_concordance_is_the_sum_of_products_of_signs(scores):
    (xa, za), (xb, zb) = scores
    a, b = placed(xa, za), placed(xb, zb)
    pairs = [(i, j) for i in range(len(xa)) for j in range(len(za))]
    expected = sum(sign(xa[i], za[j]) * sign(xb[i], zb[j]) for i, j in pairs)
    assert concordance(a, b) == concordance(b, a) == expected
    assert a.won == sum(sign(xa[i], za[j]) for i, j in pairs)
    assert concordance(a, a) == concordance(a, Places(*a)) == sum(xa[i] != za[j] for i, j in pairs)


@given(two_scores(), st.data())
def test_what_is_seen_from_each_point(scores, data):
    (xa, za), (xb, zb) = scores
    a, b = placed(xa, za), placed(xb, zb)
    whole = data.draw(st.lists(st.integers(0, 5), min_size=len(za), max_size=len(za)))
    for weight in (None, np.array(whole, dtype=float)):
        expected, twice = np.zeros((2, 3, 3, len(xa)))
        for x in range(len(xa)):
            for z in range(len(za)):
                i, j = 1 - sign(xa[x], za[z]), 1 - sign(xb[x], zb[z])  # below, level, above
                expected[i, j, x] += 1 if weight is None else weight[z]
                twice[i, i, x] += 1 if weight is None else weight[z]
        assert (relations(a, b, weight) == expected).all()  # whole numbers: no rounding
        assert (relations(a, a, weight) == twice).all()
        assert (relations(a, Places(*a), weight) == twice).all()
        assert (dominance(a, b, weight) == expected.cumsum(axis=0).cumsum(axis=1)[:2, :2]).all()
    np.testing.assert_allclose(a.shares, relations(a, a).sum(axis=1) / len(za), rtol=1e-15)  # one division
