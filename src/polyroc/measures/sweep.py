"""The threshold sweep of two classes: counts and rates of the cases at or above every distinct score."""

from typing import Any

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import CodeArray, FloatArray
from polyroc.kernels.curves import trace
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Stratum

__all__ = ["Sweep"]


class Sweep:
    """Cases classified as positive at each threshold, from infinity down: those whose score is at least that high.

    Attributes
    ----------
    thresholds
        Infinity, then every distinct score in falling order.
    tp, fp
        The weight of true and of false positives; integers if there are no weights.
    tpr, fpr
        The same as rates: the points of the ROC curve, from (0, 0) to (1, 1).
    prevalence
        The share of weight of the positive class.
    """

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.classes, self.column = _classes_and_column(sample)
        *self.called, self.thresholds = sample.fixed(_counts)
        self.tp, self.fp = (self._weight(k, called) for k, called in zip(self.classes, self.called, strict=True))
        self.tpr: FloatArray = self.tp / self.tp[-1]
        self.fpr: FloatArray = self.fp / self.fp[-1]
        self.prevalence = float(self.tp[-1]) / (float(self.tp[-1]) + float(self.fp[-1]))

    def _weight(self, k: int, called: CodeArray) -> npt.NDArray[Any]:
        weights = self.sample.weights(k, self.column)
        return called if weights is None else np.concatenate([[0.0], np.cumsum(weights[::-1])])[called]

    def strata(
        self, positive: FloatArray, negative: FloatArray, reach: tuple[float | None, float | None] = (None, None)
    ) -> tuple[Stratum, Stratum]:
        """Structural components that depend on a case's score only: one value per threshold but the first.

        `reach` is that of the positives and that of the negatives (see `Stratum`).
        """
        return self._stratum(0, positive, reach[0]), self._stratum(1, negative, reach[1])

    def _stratum(self, side: int, by_threshold: FloatArray, reach: float | None) -> Stratum:
        # `called` falls through the scores, while strata list the cases of a class by rising score.
        components = np.repeat(by_threshold, np.diff(self.called[side]))[::-1]
        return Stratum(components, lambda: self.sample.sorted_cases(self.classes[side], self.column), reach)


def _classes_and_column(sample: Sample) -> tuple[tuple[int, int], int]:
    """The positive and the negative class, and the column whose high values indicate the positive class."""
    assert sample.positive is not None
    return (sample.positive, 1 - sample.positive), sample.positive if sample.values.ndim == 2 else 0


def _counts(sample: Sample) -> tuple[CodeArray, CodeArray, FloatArray]:
    """Numbers of positives and negatives at or above each threshold: the same for all weights of the cases."""
    (positive, negative), column = _classes_and_column(sample)
    return trace(sample.sorted(positive, column), sample.sorted(negative, column))
