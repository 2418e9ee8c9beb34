"""Single values of measures, for the experiments."""

from typing import Any

import polyroc as pr
from polyroc.estimates.estimate import Estimate

__all__ = ["estimate", "value"]


def estimate(y: Any, scores: Any, measure: str, **options: Any) -> Estimate:
    """The estimate of one measure for one classifier."""
    result = pr.evaluate(y, scores, measure=measure, **options)
    assert isinstance(result, Estimate)
    return result


def value(y: Any, scores: Any, measure: str, **options: Any) -> float:
    """The value of one measure for one classifier, without a standard error.

    >>> value([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], "auc")
    0.75
    """
    return estimate(y, scores, measure, method=None, **options).value
