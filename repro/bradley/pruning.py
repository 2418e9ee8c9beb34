"""Expected errors of a leaf and the class it predicts: the arithmetic of pruning.

`counts` are cases per class, along the last axis; `costs` weight them, one cost per class, as Bradley (1997) did
in C4.5: "when pruning a decision tree, weight the local class distributions with the misclassification costs".
"""

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

__all__ = ["distribution", "minimum_error", "pessimistic_errors", "upper_limit"]

FloatArray = npt.NDArray[np.float64]
TIE = 1e-9  # cases added to each class: a leaf without weight predicts the class with the highest cost


def upper_limit(errors: npt.ArrayLike, cases: npt.ArrayLike, confidence: float) -> FloatArray:
    """The error rate at which this number of errors or fewer has only this probability.

    The upper confidence limit of the binomial (Clopper & Pearson); weighted cases need not be whole numbers.

    >>> upper_limit(0, [6, 9, 1], 0.25).round(3).tolist()  # Quinlan (1993), section 4.2
    [0.206, 0.143, 0.75]
    >>> float(upper_limit(1, 16, 0.25).round(3))  # he prints 0.157: C4.5 interpolates
    0.16
    """
    wrong, number = np.asarray(errors, dtype=np.float64), np.asarray(cases, dtype=np.float64)
    all_wrong = number <= wrong
    right = np.where(all_wrong, 1.0, number - wrong)
    return np.where(all_wrong, number > 0.0, betaincinv(wrong + 1.0, right, 1.0 - confidence))


def pessimistic_errors(counts: FloatArray, costs: FloatArray, confidence: float) -> FloatArray:
    """Pessimistic number of errors of a leaf: the upper confidence limit.

    >>> ones = np.ones(2)
    >>> leaves = np.array([(6, 0), (9, 0), (0, 1)])
    >>> float(pessimistic_errors(leaves, ones, 0.25).sum().round(2))  # Quinlan: 3.273
    3.27
    >>> float(pessimistic_errors(np.array((15, 1)), ones, 0.25).round(2))  # Quinlan: 2.512, so the tree is a leaf
    2.55
    """
    weighted = counts * costs
    cases = weighted.sum(axis=-1)
    errors: FloatArray = cases * upper_limit(cases - weighted.max(axis=-1), cases, confidence)
    return errors


def minimum_error(counts: FloatArray, costs: FloatArray, priors: FloatArray, m: float) -> FloatArray:
    """Expected share of errors of a leaf: 1 - max (n_k + m p_k) / (N + m), the m-estimate of Cestnik.

    >>> float(minimum_error(np.array((6.0, 2.0)), np.ones(2), np.array((0.5, 0.5)), 8.0))
    0.375
    """
    weighted = counts * costs
    prior = priors * costs
    share = (weighted + m * prior / prior.sum()) / (weighted.sum(axis=-1, keepdims=True) + m)
    expected: FloatArray = 1.0 - share.max(axis=-1)
    return expected


def distribution(counts: FloatArray, costs: FloatArray) -> FloatArray:
    """Shares of the weighted classes; the class with the largest is predicted."""
    weighted = (counts + TIE) * costs
    shares: FloatArray = weighted / weighted.sum(axis=-1, keepdims=True)
    return shares
