"""Pilot sample: from some rows, where to place the bins, and estimates of the influence values.

All rows can then be counted in fine cells and looked up in the same pass. The components of some rows are not
quite those of all, so the sums of their products, S', are put right by what the difference makes on these rows,
which are kept (a difference estimator of double sampling; Cochran 1977, chapter 12):

    S = S' + (all / some) (sums over some rows with the final components - with their own).

How far the root of S can be off for certain follows from the differences of the two components, known in every
cell: a standard error is a norm, and norms obey the triangle inequality.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from polyroc.engines.bins import Column, Layout
from polyroc.engines.bounds.reading import Tables
from polyroc.engines.influence_lookup import Lookup, Lookups
from polyroc.engines.rows import MemoryRows
from polyroc.kernels.arrays import FloatArray

__all__ = ["BITS", "SURE", "Pilot", "apart", "part_size"]

PART = 2**20  # rows that are looked at before, if there is room
FEWEST = 2**16  # rows that can teach something
BITS = 13  # of the cells in which they are counted, if these are cut finer afterwards
SURE = 0.02  # by which part of itself a standard error may be off for certain; else rows are gone through again


def part_size(columns: int, room: int) -> int:
    """How many rows to look at before; none if there is not room for enough."""
    rows = min(PART, room // (40 * columns))  # bytes: the score, its cell, what is left of it, and copies
    return rows if rows >= FEWEST else 0


@dataclass(frozen=True, eq=False)
class Pilot:
    """What some rows taught.

    Attributes
    ----------
    rows
        These rows.
    coarse, fine
        By classifier and column: the cells in which they were counted, and those in which to count all.
    lookups
        The components, by coarse cells, in which to look all rows up; None if that is not needed.
    """

    rows: MemoryRows
    coarse: dict[str, dict[int, Layout]]
    fine: dict[str, dict[int, Layout]]
    lookups: Lookups | None

    def squares(self, classes: int) -> FloatArray:
        """The sum of squared weights of each class."""
        codes, _, weight = self.rows.batch
        return np.bincount(codes, None if weight is None else weight**2, minlength=classes).astype(np.float64)


def apart(final: Tables, pilot: Lookup, columns: Mapping[int, Column]) -> Tables:
    """How the final components differ from the pilot's, by column; the mean of each class stands in the first."""
    found: Tables = {}
    means = np.zeros(1)
    for place, table in final.items():
        column = columns[place]
        found[place] = table - pilot.at(place, column)
        mean = (column.weight * found[place]).sum(axis=0) / column.totals
        found[place] -= mean
        means = means + mean
    found[next(iter(found))] += means
    return found
