"""Pilot sample: from some rows, where to place the bins, and estimates of the influence values.

All rows can then be counted in fine bins and looked up in the same scan. The components of the pilot are not quite
those of all rows, so the sums of products with the pilot's components, S', are corrected by the difference on the
pilot rows, which are kept (a difference estimator of double sampling; Cochran 1977, chapter 12):

    S = S' + (all / pilot) (sums over the pilot rows with the final components - with the pilot's components).

A certified bound of the error of the root of S follows from the differences of the two components, which are known
in every bin: a standard error is a norm, and norms obey the triangle inequality.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyroc.engines.binned_sample import ComponentTables
from polyroc.engines.bins import BinnedColumn, Layout
from polyroc.engines.counts import BinnedData, pattern_kinds
from polyroc.engines.rows import MemoryRows
from polyroc.engines.scan import CACHED_ROWS, InfluenceLookup, InfluenceLookups, Scan, ScanPlan
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray

if TYPE_CHECKING:
    from polyroc.engines.refine import Refinement

__all__ = ["Pilot", "correct_covariance", "run_pilot", "smoothed_bins"]

PILOT_ROWS = 2**20  # a larger sample places the bins no better
FEWEST_PILOT_ROWS = 2**16  # a smaller one says too little about the tails
PILOT_BITS = 12  # of the pilot's bins, where they are refined afterwards
BYTES_PER_SCORE = 40  # of a pilot row and column: the score, its bin, its key bits below the bin, and copies
LARGEST_RELATIVE_ERROR = 0.03  # certified, of a standard error from the pilot; beyond it, rows are scanned again
SMOOTHED_CASES = 16  # cases of a class in neighbouring bins over which its share is taken as constant


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
    """

    rows: MemoryRows
    coarse: dict[str, dict[int, Layout]]
    fine: dict[str, dict[int, Layout]]
    lookups: InfluenceLookups | None


def run_pilot(whole: "Refinement") -> Pilot | None:
    """Draw pilot rows and bound their measures; None if there are too few, or nothing that they could tell."""
    request = whole.request
    columns = max(map(max, request.classifiers.values())) + 1
    size = min(PILOT_ROWS, request.room // (BYTES_PER_SCORE * columns))
    if request.exact or size < FEWEST_PILOT_ROWS or pattern_kinds(request.measures, request.schema):
        return None
    rows = whole.rows.pilot_sample(size)
    if rows is None or len(rows.batch.codes) < size // 4:
        return None
    pilot = type(whole)(rows, replace(request, progress=None))
    pilot.share = rows.share
    try:
        pilot.scan_first(bits=None if request.tolerance is None else PILOT_BITS)
    except InputError:
        return None  # the full scan raises a clearer error
    if (pilot.cases <= 1).any():
        return None
    # Bins are divided by what is expected of all rows; the components are those of the pilot rows.
    observed = pilot.binned
    pilot.binned = {name: smoothed_bins(binned) for name, binned in observed.items()}
    pilot.bound()
    refined = (pilot.refined_layouts() if pilot.too_wide() else None) or {}
    pilot.binned = observed
    pilot.bound()
    fine = {name: layouts | refined.get(name, {}) for name, layouts in pilot.layouts.items()}
    lookups = pilot.make_lookups() if pilot.needs_influence() and not whole.rows.clustered else None
    return Pilot(rows, pilot.layouts, fine, lookups)


def smoothed_bins(data: BinnedData) -> BinnedData:
    """Return what is expected of all rows, from the bins of the pilot rows: of a rare class, most are empty.

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


def correct_covariance(whole: "Refinement", pilot: Pilot, scanned: InfluenceLookups) -> None:
    """Correct the covariance from the pilot's components by the difference estimator above.

    It is kept if the certified relative error of every standard error is small; otherwise rows are scanned again.
    """
    lookups, bounds = [], []
    for (name, measure), before in zip(whole.bounded, scanned.lookups, strict=True):
        # The pilot's components are by coarse bin: compare them with the final ones in the same bins.
        binned = whole.coarse[name]
        bounded, estimator = binned.bounded(measure), whole.estimator(name, measure, whole.coarse)
        columns = binned.columns_for(measure)
        lookups.append(whole.lookup(name, measure, bounded, binned))
        differences = _component_differences(whole.centred(bounded, columns), before, columns)
        change = estimator.change_bound(bounded.statistic, differences)
        bounds.append(estimator.standard_error_bound(bounded) + change)
    column, m = whole.first_column(), len(lookups)
    codes, weight = pilot.rows.batch.codes, pilot.rows.batch.weight
    squares = np.bincount(codes, None if weight is None else weight**2, minlength=len(whole.cases))
    products = _products(whole, pilot.rows, [*lookups, *scanned.lookups])  # together: rows are located once
    correction = (column.squared_totals / squares)[:, None, None] * (products[:, :m, :m] - products[:, m:, m:])
    corrected = InfluenceLookups(lookups, len(whole.cases))
    corrected.products = scanned.products + correction
    covariance, uncorrected = (one.covariance(whole.cases, column.totals) for one in (corrected, scanned))
    errors = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    # The bounds hold for the uncorrected errors; the correction may have moved away from these.
    whole.error_bounds = (bounds + np.abs(errors - np.sqrt(uncorrected.diagonal()))).tolist()
    if (whole.error_bounds <= LARGEST_RELATIVE_ERROR * errors).all():
        whole.covariance = covariance


def _products(whole: "Refinement", rows: MemoryRows, lookups: Sequence[InfluenceLookup]) -> FloatArray:
    """Return the sums of products of components over some rows."""
    request, sums = whole.request, InfluenceLookups(lookups, len(whole.cases))
    plan = ScanPlan(request.classifiers, request.schema, rows.weighted, {}, (), sums, check_values=False)
    scan = Scan(plan)
    for part in rows.parts(CACHED_ROWS):  # by this thread: to start others takes as long, and more memory
        tasks, last = scan.tasks(part)
        for task in (*tasks, last):
            task()
    scan.finish()
    return sums.products


def _component_differences(
    final: ComponentTables, pilot: InfluenceLookup, columns: Mapping[int, BinnedColumn]
) -> ComponentTables:
    """Return the final components minus the pilot's, by column.

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
