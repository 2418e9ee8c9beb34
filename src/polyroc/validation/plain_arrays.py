"""Validation of plain arrays, the usual case, in few steps: integer labels, finite doubles, no options.

What is accepted here, `polyroc.validation.scores.normalise` accepts with the same result. Everything else is left
to it, so that all errors come from there.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.threads import FEWEST
from polyroc.scores import Scores, SingleColumn

__all__ = ["plain_scores"]

MOST_CLASSES = 1000  # more distinct integers are more likely a column of numbers than labels
FEW = 10_000  # numbers whose squares are added up to see whether all are finite


def plain_scores(y_true: Any, y_score: Any) -> Scores | None:
    """The scores of one classifier in plain arrays; None if these need the general validation.

    >>> plain_scores(np.array([0, 1, 1]), np.array([0.2, 0.9, 0.4]))
    Scores(3 cases (0: 1, 1: 2); score of classifier)
    >>> plain_scores(np.array([0, 1, 1]), np.array([0.2, np.nan, 0.4]))
    """
    # Subclasses (masked arrays, matrices) have rules of their own.
    if type(y_true) is not np.ndarray or type(y_score) is not np.ndarray:
        return None
    if y_true.shape != y_score.shape[:1] or not len(y_true) or y_true.dtype.kind not in "bi":
        return None
    if y_score.dtype == np.float32 and y_score.ndim == 1 and len(y_score) >= FEWEST and _are_finite(y_score):
        return _two_classes(y_true, SingleColumn("classifier", y_score))
    if y_score.dtype != np.float64 or not _are_finite(y_score):
        return None
    if y_score.ndim == 1:
        return _two_classes(y_true, {"classifier": y_score})
    return _several_classes(y_true, y_score) if y_score.ndim == 2 and y_score.shape[1] > 1 else None


def _are_finite(values: FloatArray) -> bool:
    if values.size <= FEW:  # the sum of squares, half the time; one that overflows needs the general validation
        return isfinite(np.vdot(values, values))
    return bool(np.isfinite(values).all())


def _two_classes(y_true: Any, values: Mapping[str, FloatArray]) -> Scores | None:
    """Labels 0 and 1, or False and True, both present."""
    # All bits together: 1 if no label has another bit, -1 and its sign included, and not all are 0.
    if np.bitwise_or.reduce(y_true) != 1 or np.count_nonzero(y_true) == len(y_true):
        return None
    labels = (False, True) if y_true.dtype.kind == "b" else (0, 1)
    return Scores(y_true.astype(np.int32), labels, values, "score", 1)


def _several_classes(y_true: Any, y_score: FloatArray) -> Scores | None:
    """Labels 0 to c - 1, or 1 to c, all present, and one column for each."""
    if y_true.dtype.kind != "i":
        return None
    c = y_score.shape[1]
    low, high = int(y_true.min()), int(y_true.max())
    if low not in (0, 1) or high - low != c - 1 or c > MOST_CLASSES:
        return None
    codes = y_true.astype(np.int32)
    if low:
        codes -= 1
    labels = tuple(range(low, high + 1))
    scores = Scores(codes, labels, {"classifier": y_score}, "matrix", 1 if labels == (0, 1) else None)
    return scores if scores.counts.all() else None
