"""Values and components of measures, as the slow twins give them."""

import numpy as np

import polyroc as pr
from polyroc.measures.registry import MEASURES

THREE_CLASSES = [
    key for key, measure in MEASURES.items() if measure.classes[1] != 2 and "malignant" not in measure.options
]


def value(measure, y, s, w=None):
    """The bare value of a measure; classes are numbered 0 .. c-1, the last one positive."""
    labels = range(int(np.max(y)) + 1)
    return float(pr.evaluate(y, s, measure=measure, method=None, labels=labels, sample_weight=w))


def components(measure, y, s, w=None):
    labels = range(int(np.max(y)) + 1)
    return pr.evaluate(y, s, measure=measure, method=None, labels=labels, sample_weight=w).components


def scores_for(key, P):
    """Probabilities as the measure needs them: an ordered measure takes the mean class."""
    return P @ [0, 1, 2] if MEASURES[key].needs == "ordered" else P
