"""Pilot sample: from some rows, where to place the bins, and estimates of the influence values.

All rows can then be counted in fine bins and looked up in the same scan. The components of the pilot are not quite
those of all rows, so the sums of products with the pilot's components, S', are corrected by the difference on the
pilot rows, which are kept (a difference estimator of double sampling; Cochran 1977, chapter 12):

    S = S' + (all / pilot) (sums over the pilot rows with the final components - with the pilot's components).

A certified bound of the error of the root of S follows from the differences of the two components, which are known
in every bin: a standard error is a norm, and norms obey the triangle inequality.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from polyroc.engines.binned_sample import ComponentTables
from polyroc.engines.bins import BinnedColumn, Layout
from polyroc.engines.counts import BinnedData
from polyroc.engines.rows import MemoryRows
from polyroc.engines.scan import InfluenceLookup, InfluenceLookups
from polyroc.kernels.arrays import BoolArray, FloatArray

__all__ = [
    "LARGEST_RELATIVE_ERROR",
    "PILOT_BITS",
    "Pilot",
    "component_differences",
    "continuous_bins",
    "pilot_size",
    "smoothed_bins",
]

PILOT_ROWS = 2**20  # a larger sample places the bins no better
FEWEST_PILOT_ROWS = 2**16  # a smaller one says too little about the tails
PILOT_BITS = 12  # of the pilot's bins, where they are refined afterwards
BYTES_PER_SCORE = 40  # of a pilot row and column: the score, its bin, its key bits below the bin, and copies
LARGEST_RELATIVE_ERROR = 0.03  # certified, of a standard error from the pilot; beyond it, rows are scanned again

SMOOTHED_CASES = 16  # cases of a class in neighbouring bins over which its share is taken as constant

COMPARED_SCORES = 2**16  # of a column of the pilot, to see whether values are repeated
MOST_REPEATED = 1 / 16  # of the bins with scores: beyond it, a column is taken to have equal scores everywhere


def pilot_size(columns: int, room: int) -> int:
    """The number of pilot rows of so many columns that fit into memory; 0 if these are too few."""
    rows = min(PILOT_ROWS, room // (BYTES_PER_SCORE * columns))
    return rows if rows >= FEWEST_PILOT_ROWS else 0


@dataclass(frozen=True, eq=False)
class Pilot:
    """The results of a pilot sample.

    Attributes
    ----------
    rows
        The pilot rows.
    coarse, fine
        By classifier and column: the bins in which the pilot rows were counted, and those in which to count all
        rows.
    lookups
        The pilot's components, by coarse bin, in which to look all rows up; None if that is not needed.
    continuous
        By classifier and column, the coarse bins in which no two scores of the pilot rows are equal.
    """

    rows: MemoryRows
    coarse: dict[str, dict[int, Layout]]
    fine: dict[str, dict[int, Layout]]
    lookups: InfluenceLookups | None
    continuous: dict[str, dict[int, BoolArray]]

    def squares(self, classes: int) -> FloatArray:
        """The sum of squared weights of each class."""
        codes, weight = self.rows.batch.codes, self.rows.batch.weight
        return np.bincount(codes, None if weight is None else weight**2, minlength=classes).astype(np.float64)


def continuous_bins(scores: FloatArray, layout: Layout) -> BoolArray:
    """The bins in which no two scores are equal, also those without scores; none where equal ones are common.

    What is seen in some ten thousand scores suffices: a value that occurs in them once, or not at all, has so
    small a share that it matters little whether its cases tie.
    """
    ordered = np.sort(scores[:: len(scores) // COMPARED_SCORES + 1])
    bins = layout.locate(ordered)
    seen, repeated = (np.zeros(layout.size, dtype=np.bool_) for _ in range(2))
    seen[bins] = True
    repeated[bins[1:][ordered[1:] == ordered[:-1]]] = True
    if repeated.sum() > MOST_REPEATED * seen.sum():
        return np.zeros(layout.size, dtype=np.bool_)
    return ~repeated


def smoothed_bins(data: BinnedData) -> BinnedData:
    """What is expected of all rows, from the bins of the pilot rows: for a rare class, most of its bins are empty.

    The distribution function of each class is interpolated between every few of its cases, as a function of the
    number of cases of all classes.
    """
    columns = {place: _smoothed(column) for place, column in data.columns.items()}
    return BinnedData(data.schema, columns, data.patterns)


def _smoothed(column: BinnedColumn) -> BinnedColumn:
    together = np.cumsum(column.weight.sum(axis=1))
    smoothed = np.empty(column.weight.shape)
    for k, own in enumerate(np.cumsum(column.weight, axis=0).T):
        cases = np.cumsum(column.cases[:, k])
        ends = np.flatnonzero(np.diff(cases // SMOOTHED_CASES, append=-1))  # and the last bin
        known = [0.0, *together[ends]], [0.0, *own[ends]]
        smoothed[:, k] = np.diff(np.interp(together, *known), prepend=0.0)
    # A single case does not tell whether the scores of its bin differ.
    mixed = column.mixed | (column.cases.sum(axis=1) <= 1)
    return BinnedColumn(smoothed, smoothed, smoothed, mixed, column.index)


def component_differences(
    final: ComponentTables, pilot: InfluenceLookup, columns: Mapping[int, BinnedColumn]
) -> ComponentTables:
    """The final components minus the pilot's, by column.

    Each column's table is centred by class, and the first one contains the sum of the means: the mean of a
    difference of centred components belongs to the row, not to a column.
    """
    differences: ComponentTables = {}
    means = np.zeros(1)
    for place, table in final.items():
        column = columns[place]
        differences[place] = table - pilot.at_bins(place, column)
        mean = (column.weight * differences[place]).sum(axis=0) / column.totals
        differences[place] -= mean
        means = means + mean
    differences[next(iter(differences))] += means
    return differences
