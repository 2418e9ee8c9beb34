"""Variance from components: one recipe for every measure."""

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.statistic import Strata, Stratum

__all__ = ["effective_units", "influence", "variance"]


def variance(strata: Strata, weight: FloatArray | None, groups: IntArray | None) -> float:
    """Sum over strata of var(components) / size; nan if a stratum has a single unit.

    Parameters
    ----------
    strata
        The components, class by class.
    weight
        One weight per case, or None.
    groups
        The group of each case, or None: then each case is a unit of its own.
    """
    if weight is None and groups is None:
        return sum(_plain_variance(stratum.components) for stratum in strata)
    if groups is None:
        groups = np.arange(len(weight) if weight is not None else 0)
    moved = influence(strata, weight, groups)
    return float((np.bincount(groups, moved) ** 2).sum())


def _plain_variance(components: FloatArray) -> float:
    n = len(components)
    return float(components.var(ddof=1)) / n if n > 1 else np.nan


def influence(strata: Strata, weight: FloatArray | None, groups: IntArray) -> FloatArray:
    """By how much each case moves the statistic: w (component - mean) / (total weight of its stratum).

    The factor sqrt(m / (m - 1)), with m units in the stratum, makes the sum of squares the usual variance with
    m - 1 below; the products of two classifiers' influences on the same cases add up to their covariance.
    """
    moved = np.zeros(len(groups))
    for stratum in strata:
        cases = stratum.cases()
        w = np.ones(len(cases)) if weight is None else weight[cases]
        centred = w * (stratum.components - np.average(stratum.components, weights=w)) / w.sum()
        m = _units(groups[cases], w)
        moved[cases] += centred * np.sqrt(m / (m - 1)) if m > 1 else np.nan
    return moved


def _units(groups: IntArray, weight: FloatArray) -> int:
    """How many groups have a case that counts."""
    return len(np.unique(groups[weight > 0]))


def effective_units(stratum: Stratum, weight: FloatArray | None, groups: IntArray | None) -> float:
    """The effective number of units behind a stratum: cases, Kish's number if weighted, groups if clustered."""
    if weight is None and groups is None:
        return len(stratum.components)
    cases = stratum.cases()
    w = np.ones(len(cases)) if weight is None else weight[cases]
    held = w if groups is None else np.bincount(groups[cases], w)
    return float(w.sum() ** 2 / (held**2).sum())
