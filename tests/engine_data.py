"""Data and reference values that the tests of the engines share."""

import numpy as np
from hypothesis import strategies as st

from strategies import EXTREME, classes, weights

ONE_COLUMN = ["vus", "umbrella", "scurfield"]


TWO_CLASSES = ["auc", "gini", "partial_auc", "partial_auc(tpr=(0.7, 1), standardised=False)"]


MATRIX = ["hand_till", "ova", "accuracy", "pairwise_accuracy", "macro_average", "ht3"]


CLUMPS = [0.0, -0.0, 5e-324, 1e-300, 1e-12, 0.25, 0.5, 0.75, 1 - 1e-9, 1 - 1e-16, 1.0]


ULPS = st.integers(-3, 3)


number = st.one_of(
    st.sampled_from(EXTREME),
    st.floats(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.tuples(st.sampled_from([0.1, 0.5, 1.0, -2.0, 1e-300]), ULPS).map(lambda number: _moved(*number)),
)


share = st.one_of(
    st.sampled_from(CLUMPS),
    st.floats(0, 1),
    st.tuples(st.sampled_from([0.3, 0.5, 1.0]), ULPS).map(lambda number: min(1.0, _moved(*number))),
    st.floats(0, 40).map(lambda power: 2.0**-power),
    st.floats(0, 40).map(lambda power: 1 - 2.0**-power),
)


def _moved(x, ulps):
    for _ in range(abs(ulps)):
        x = float(np.nextafter(x, np.inf if ulps > 0 else -np.inf))
    return x


@st.composite
def tallied(draw, c, width, element):
    """(y, scores, weights or None, bits): from few cells, in which much is mixed, to many."""
    y = draw(classes(c=c, most=14))
    shape = st.lists(element, min_size=len(y) * width, max_size=len(y) * width)
    scores = np.array(draw(shape)).reshape(len(y), width)
    w = draw(st.one_of(st.none(), weights(y)))
    return y, scores[:, 0] if width == 1 else scores, w, draw(st.sampled_from([2, 5, 9]))
