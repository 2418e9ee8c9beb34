"""The cases a front is searched on: features and classes, checked."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self

import numpy as np

from polyroc._normalise import Words, in_order
from polyroc._normalise.coding import encode
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
        Cases x features; the class of each case as a position in `labels`. Neither can be written to.
    labels
        The classes.
    order, starts
        The cases class by class, and where each class begins among them.
    totals, ones
        Cases by class; each counts once.
    """

    X: FloatArray
    y: IntArray
    labels: tuple[Hashable, ...]
    order: IntArray
    starts: IntArray
    totals: IntArray
    ones: IntArray

    @classmethod
    def of(cls, X: Any, y: Any, labels: Sequence[Hashable] | None) -> Self:
        """What the caller has, checked."""
        words = Words()
        codes, names = in_order(encode(y, "y"), labels, words)
        features = as_features(X)
        if len(features) != len(codes):
            raise InputError(f"X and y must have as many cases, got {len(features)} and {len(codes)}.")
        if (codes < 0).any():
            raise InputError(f"y has missing values ({words.where(codes < 0)}); leave these cases out.")
        sizes = np.bincount(codes, minlength=len(names))
        if not sizes.all():
            empty = readable(names)[int(np.argmin(sizes))]
            raise NotApplicableError(f"A front needs cases of every class; there is none of {empty!r}.")
        order = np.argsort(codes, kind="stable")
        whole = codes.astype(np.int64)
        features.flags.writeable = whole.flags.writeable = False
        starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
        return cls(features, whole, names, order, starts, sizes.astype(np.int64), np.ones_like(whole))

    @property
    def digest(self) -> str:
        """By which other cases are told from these."""
        told = sha256(repr((self.X.shape, readable(self.labels))).encode())
        told.update(self.X.astype("<f8").tobytes())
        told.update(self.y.astype("<i8").tobytes())
        return told.hexdigest()

    def judged(self, P: FloatArray) -> Cases:
        """The cases with what a classifier says of them."""
        return Cases(np.ascontiguousarray(P[self.order].T), self.starts, self.ones, self.totals)
