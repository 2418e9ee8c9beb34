"""The cases a front is searched on: features and classes, checked."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self

import numpy as np

from polyroc._normalise import Words, in_order
from polyroc._normalise.coding import encode
from polyroc._normalise.counts import as_counts
from polyroc._normalise.features import as_features
from polyroc.errors import InputError, NotApplicableError
from polyroc.fronts.tally import Cases
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.scores import readable

__all__ = ["Training"]


@dataclass(frozen=True, slots=True)
class Training:
    """Features and classes.

    Attributes
    ----------
    X, y
        Cases x features, those of weight 0 left out; the class of each as a position in `labels`. Neither can be
        written to.
    labels
        The classes.
    order, starts
        The cases class by class, and where each class begins among them.
    weight, totals
        How many cases each stands for, class by class; the same added up by class.
    weighted
        Whether weights were given.
    """

    X: FloatArray
    y: IntArray
    labels: tuple[Hashable, ...]
    order: IntArray
    starts: IntArray
    weight: IntArray
    totals: IntArray
    weighted: bool = False

    @classmethod
    def of(cls, X: Any, y: Any, labels: Sequence[Hashable] | None, sample_weight: Any = None) -> Self:
        """What the caller has, checked."""
        words = Words(truth="y")
        features, coded = as_features(X), encode(y, "y")
        if len(features) != len(coded.codes):
            raise InputError(f"X and y must have as many cases, got {len(features)} and {len(coded.codes)}.")
        codes, names = in_order(coded, labels, words)
        if (codes < 0).any():
            raise InputError(f"y has missing values ({words.where(codes < 0)}); leave these cases out.")
        weight = as_counts(sample_weight, len(codes))
        features, codes, weight = features[weight > 0], codes[weight > 0], weight[weight > 0]
        sizes = np.bincount(codes, minlength=len(names))
        if not sizes.all():
            empty = readable(names)[int(np.argmin(sizes))]
            raise NotApplicableError(f"A front needs cases of every class; there is none of {empty!r}.")
        order = np.argsort(codes, kind="stable")
        whole = codes.astype(np.int64)
        features.flags.writeable = whole.flags.writeable = False
        starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
        totals = np.bincount(codes, weight, len(names)).astype(np.int64)
        weighted = sample_weight is not None
        return cls(features, whole, names, order, starts, weight[order], totals, weighted)

    @property
    def digest(self) -> str:
        """By which other cases are told from these."""
        told = sha256(repr((self.X.shape, readable(self.labels))).encode())
        told.update(self.X.astype("<f8").tobytes())
        told.update(self.y.astype("<i8").tobytes())
        told.update(self.weight.astype("<i8").tobytes() if self.weighted else b"")
        return told.hexdigest()

    def judged(self, P: FloatArray) -> Cases:
        """The cases with what a classifier says of them."""
        return Cases(np.ascontiguousarray(P[self.order].T), self.starts, self.weight, self.totals)
