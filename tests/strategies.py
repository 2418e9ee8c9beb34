"""Data that hypothesis draws: ties, tiny classes, weights, extreme floats."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

EXTREME = [0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e-300, -1e300, 1e300, 1.0, np.nextafter(1.0, 2.0)]


def at_most(examples):
    """Fewer examples than the profile's, for tests of which each takes long; a profile may have fewer still."""
    return settings(max_examples=min(examples, settings.default.max_examples))


@st.composite
def classes(draw, c=None, most=12, least=1):
    """Class numbers with at least one case of each class, or more, in any order."""
    c = draw(st.integers(2, 4)) if c is None else c
    more = draw(st.lists(st.integers(0, c - 1), max_size=most - c * least))
    return np.array(draw(st.permutations([*(k for k in range(c) for _ in range(least)), *more])))


@st.composite
def weights(draw, y, whole=False):
    """A weight per case, some of them zero, but not for a whole class."""
    number = st.integers(0, 3) if whole else st.one_of(st.just(0.0), st.floats(0.01, 5.0))
    w = np.array(draw(st.lists(number, min_size=len(y), max_size=len(y))), dtype=float)
    for k in set(y.tolist()):
        if not w[y == k].any():
            w[np.flatnonzero(y == k)[0]] = 1.0
    return w


@st.composite
def ordered(draw, c=None, least=1):
    """(y, score) of two to four classes in order."""
    y = draw(classes(c=c, least=least))
    number = draw(st.sampled_from([st.integers(0, 3).map(float), st.sampled_from(EXTREME), st.floats(-2, 2)]))
    return y, np.array(draw(st.lists(number, min_size=len(y), max_size=len(y))))


def ranked():
    """The same of two classes."""
    return ordered(c=2)


@st.composite
def probabilities(draw, c=None, least=1):
    """(y, P) of several classes; few distinct probabilities, or many."""
    y = draw(classes(c=c, least=least))
    number = draw(st.sampled_from([st.integers(0, 3).map(lambda v: v / 4), st.floats(0, 1)]))
    c = int(y.max()) + 1
    row = st.lists(number, min_size=c, max_size=c)
    return y, np.array(draw(st.lists(row, min_size=len(y), max_size=len(y))))


@st.composite
def forecasts(draw, c=None, least=1):
    """(y, P) whose rows are positive and sum to 1; few distinct probabilities, or many."""
    y, P = draw(probabilities(c=c, least=least))
    P = P + 0.125
    return y, P / P.sum(axis=1, keepdims=True)


@st.composite
def leaning(draw):
    """(y, P) of three classes with two cases or more; each leans to its own, so most have Sahiner's domain."""
    more = draw(st.lists(st.integers(0, 2), max_size=6))
    y = np.array(draw(st.permutations([0, 0, 1, 1, 2, 2, *more])))
    row = st.lists(st.integers(0, 3).map(lambda v: v / 4), min_size=3, max_size=3)
    return y, (np.array(draw(st.lists(row, min_size=len(y), max_size=len(y)))) + np.eye(3)[y]) / 2


def fitting(measure, least=1):
    """Data that fit a measure: scores for two classes, one score for classes in order, or a column per class."""
    if measure.key == "sahiner":
        return leaning()
    few, most = measure.classes[0], min(measure.classes[1] or 4, 4)
    if measure.needs == "score":
        return ordered(c=2, least=least)
    kind = {"ordered": ordered, "forecast": forecasts}.get(measure.needs, probabilities)
    return st.integers(few, most).flatmap(lambda c: kind(c=c, least=least))
