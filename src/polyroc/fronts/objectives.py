"""What is to be small, as whole numbers: the rates of all errors, or the false positive rate of each class."""

from dataclasses import dataclass
from math import lcm
from typing import Literal, get_args

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import IntArray

__all__ = ["Objective", "Objectives"]

Objective = Literal["rates", "false_positives"]
LARGEST = 2**60  # of a whole number that can be packed


@dataclass(frozen=True, slots=True)
class Objectives:
    """How tables of counts become vectors of whole numbers.

    "rates": the Q(Q - 1) error rates; each has one denominator, so that counts compare as they do.
    "false_positives": for each class k the sum over j of the share of class j that is called k, as a whole number
    of parts of the classes' least common multiple (of 2^60 / Q, rounded down term by term, where that is too large
    to be exact).

    >>> table = np.array([[[3, 1], [0, 6]]])
    >>> Objectives("rates", np.array([4, 6])).of(table).tolist()
    [[1, 0]]
    >>> Objectives("false_positives", np.array([4, 6])).of(table).tolist()
    [[0, 3]]
    """

    kind: Objective
    totals: IntArray

    def __post_init__(self) -> None:
        if self.kind not in get_args(Objective):
            raise InputError(f"objectives must be one of {', '.join(get_args(Objective))}, got {self.kind!r}.")

    @property
    def number(self) -> int:
        """How many there are."""
        c = len(self.totals)
        return c if self.kind == "false_positives" else c * (c - 1)

    @property
    def largest(self) -> int:
        """The largest that can come."""
        return int(self.totals.max()) if self.kind == "rates" else (len(self.totals) - 1) * self._whole

    @property
    def _whole(self) -> int:
        """The parts that a class is divided into."""
        shared, most = lcm(*self.totals.tolist()), LARGEST // len(self.totals)
        return shared if shared <= most else most

    def of(self, tables: IntArray) -> IntArray:
        """Vectors of objectives from tables x true class x decision."""
        errors = ~np.eye(len(self.totals), dtype=bool)
        if self.kind == "rates":
            return tables[:, errors]
        each = np.array([self._whole // total for total in self.totals.tolist()])
        return np.asarray((tables * each[:, None] * errors).sum(axis=1))
