"""Short ways to ask polyroc for what the slow twins give."""

import numpy as np

import polyroc as pr
from polyroc.measures.registry import MEASURES

THREE_CLASSES = [key for key, each in MEASURES.items() if each.classes[1] != 2 and "malignant" not in each.options]


def value(measure, y, s, w=None):
    """The bare value of a measure; classes are numbered 0 .. c-1, the last one positive."""
    labels = range(int(np.max(y)) + 1)
    return float(pr.evaluate(y, s, measure=measure, method=None, labels=labels, sample_weight=w))


def components(measure, y, s, w=None):
    labels = range(int(np.max(y)) + 1)
    return pr.evaluate(y, s, measure=measure, method=None, labels=labels, sample_weight=w).components
