"""Data that hypothesis draws: ties, tiny classes, weights, extreme floats."""

from functools import cache

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

EXTREME = [0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e-300, -1e300, 1e300, 1.0, np.nextafter(1.0, 2.0)]


def at_most(examples):
    """Fewer examples than the profile's, for tests of which each takes long; a profile may have fewer still."""
    return settings(max_examples=min(examples, settings.default.max_examples))


# A strategy that is made anew for every draw is checked anew by hypothesis, which takes longer than the draw.
BYTES = cache(lambda fewest, most: st.binary(min_size=fewest, max_size=most))
FLOATS = cache(lambda low, high, n: st.lists(st.floats(low, high), min_size=n, max_size=n))


def whole_numbers(draw, below, fewest, most):
    """Whole numbers from 0 to below - 1, of bytes: one draw, which is faster than one of each number."""
    return np.frombuffer(draw(BYTES(fewest, most)), dtype=np.uint8).astype(np.int64) % below


def fractions(draw, low, high, n):
    """Any numbers between two."""
    return np.array(draw(FLOATS(low, high, n)), dtype=float)


@st.composite
def classes(draw, c=None, most=12, least=1):
    """Class numbers with at least one case of each class, or more, in any order."""
    c = draw(st.integers(2, 4)) if c is None else c
    numbers = whole_numbers(draw, 256, c * least, most)
    y = np.concatenate([np.repeat(np.arange(c), least), numbers[c * least :] % c])
    return y[np.argsort(numbers // c, kind="stable")]


@st.composite
def weights(draw, y, whole=False):
    """A weight per case, some of them zero, but not for a whole class."""
    n = len(y)
    if whole:
        w = whole_numbers(draw, 4, n, n).astype(float)
    else:
        w = fractions(draw, -5.0, 5.0, n)
        w[w < 0.01] = 0.0
    for k in set(y.tolist()):
        if not w[y == k].any():
            w[np.flatnonzero(y == k)[0]] = 1.0
    return w


@st.composite
def ordered(draw, c=None, least=1):
    """(y, score) of two to four classes in order."""
    y = draw(classes(c=c, least=least))
    n, kind = len(y), draw(st.sampled_from(["few", "extreme", "any"]))
    if kind == "few":
        return y, whole_numbers(draw, 4, n, n).astype(float)
    if kind == "extreme":
        return y, np.array(EXTREME)[whole_numbers(draw, len(EXTREME), n, n)]
    return y, fractions(draw, -2.0, 2.0, n)


def ranked():
    """The same of two classes."""
    return ordered(c=2)


@st.composite
def probabilities(draw, c=None, least=1):
    """(y, P) of several classes; few distinct probabilities, or many."""
    y = draw(classes(c=c, least=least))
    shape = len(y), int(y.max()) + 1
    n = shape[0] * shape[1]
    numbers = fractions(draw, 0.0, 1.0, n) if draw(st.booleans()) else whole_numbers(draw, 4, n, n) / 4
    return y, numbers.reshape(shape)


@st.composite
def forecasts(draw, c=None, least=1):
    """(y, P) whose rows are positive and sum to 1; few distinct probabilities, or many."""
    y, P = draw(probabilities(c=c, least=least))
    P = P + 0.125
    return y, P / P.sum(axis=1, keepdims=True)


@st.composite
def leaning(draw):
    """(y, P) of three classes with two cases or more; each leans to its own, so most have Sahiner's domain."""
    y = draw(classes(c=3, least=2))
    P = whole_numbers(draw, 4, 3 * len(y), 3 * len(y)).reshape(-1, 3) / 4
    return y, (P + np.eye(3)[y]) / 2


def fitting(measure, least=1):
    """Data that fit a measure: scores for two classes, one score for classes in order, or a column per class."""
    if measure.key == "sahiner":
        return leaning()
    few, most = measure.classes[0], min(measure.classes[1] or 4, 4)
    if measure.needs == "score":
        return ordered(c=2, least=least)
    kind = {"ordered": ordered, "forecast": forecasts}.get(measure.needs, probabilities)
    return st.integers(few, most).flatmap(lambda c: kind(c=c, least=least))
