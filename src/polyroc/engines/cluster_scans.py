"""What is scanned for standard errors of clustered cases: which statistics fit into memory, and their sums."""

from collections.abc import Mapping
from math import nan

import numpy as np

from polyroc.engines.binned_statistic import BoundedStatistic
from polyroc.engines.clusters import (
    ClusterCounts,
    ClusteredStatistics,
    ClusterErrors,
    ClusterLookups,
    cluster_error_tables,
    cluster_influence_tables,
    cluster_weight_offsets,
)
from polyroc.engines.counts import BinnedData
from polyroc.engines.influence_lookup import InfluenceLookup
from polyroc.engines.request import EvaluationRequest
from polyroc.engines.row_scans import Layouts, RowScans
from polyroc.errors import MissingPartsWarning, warn
from polyroc.measures.measure import Measure
from polyroc.messages import Message, Option

__all__ = ["clustered_statistics", "sum_clusters"]


def clustered_statistics(
    bounded: Mapping[tuple[str, Measure], BoundedStatistic], layouts: Layouts, request: EvaluationRequest
) -> ClusteredStatistics:
    """The statistics to look up; without parts if their tables would not fit into memory."""
    statistics = ClusteredStatistics(bounded, with_parts=True)
    bins = max(sum(layout.size for layout in columns.values()) for columns in layouts.values())
    size = 16 * request.schema.n_classes * bins * len(statistics.entries)  # of components and of their errors
    if size <= request.room:
        return statistics
    wholes = ClusteredStatistics(bounded, with_parts=False)
    if request.errors and len(wholes.entries) < len(statistics.entries):
        warn(
            Message(
                "The parts of measures are left out: their standard errors with groups need tables of "
                f"{size / 2**30:.2g} GB. Raise ",
                Option("memory"),
                ".",
            ),
            MissingPartsWarning,
        )
    return wholes


def sum_clusters(
    scans: RowScans, statistics: ClusteredStatistics, counts: ClusterCounts, binned: Mapping[str, BinnedData]
) -> ClusterErrors:
    """The covariance of the statistics, and the bounds of the errors of their standard errors, from one scan."""
    cohort = scans.request.schema.sampling == "cohort"
    values, errors = [], {}
    for i, (name, measure, statistic, component_errors) in enumerate(statistics.entries):
        numbers, columns = scans.request.classifiers[name], binned[name].columns_for(measure)
        first = next(iter(columns.values()))
        varying = not cohort and first.weights_vary
        influence = cluster_influence_tables(statistic, columns, counts, cohort or varying)
        fixed = errors_fixed = None
        if varying and statistic.shares is not None:
            fixed = cluster_weight_offsets(statistic.shares().slopes, first, counts, sign=-1.0)
        values.append(InfluenceLookup(numbers, binned[name], measure, influence, fixed))
        if component_errors is None:
            continue
        bounds = cluster_error_tables(statistic, component_errors(), columns, counts, cohort or varying)
        if fixed is not None and statistic.shares_error is not None:
            errors_fixed = cluster_weight_offsets(statistic.shares_error(), first, counts, sign=1.0)
        errors[i] = InfluenceLookup(numbers, binned[name], measure, bounds, errors_fixed)
    # One scan for both: the diagonal then has the squared sums of error bounds (`cluster_error_tables`).
    lookups = ClusterLookups([*values, *errors.values()])
    scans.scan_clusters(lookups, scores=True)
    (products,) = lookups.products
    bounds_of = dict(zip(errors, np.sqrt(products.diagonal()[len(values) :]).tolist(), strict=True))
    error_bounds = [bounds_of.get(i, nan) for i in range(len(values))]
    return ClusterErrors(counts, statistics, products[: len(values), : len(values)], error_bounds)
