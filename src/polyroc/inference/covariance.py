"""Variance and covariance from structural components: one computation for every measure.

The influence value of a case is its structural component, centred within its stratum and divided by the size of
the stratum (see `polyroc.measures.statistic`). A variance is the sum of squared influence values, a covariance
between classifiers the sum of their products; groups are summed before, weights multiply, and a cohort adds a
stratum for the shares of the classes.
"""

from collections.abc import Sequence

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray, inner_product, row_products
from polyroc.measures.statistic import Shares, Statistic, Strata, Stratum
from polyroc.scores import Scores

__all__ = [
    "between_repeats",
    "by_unit",
    "case_contributions",
    "covariance",
    "effective_units",
    "influence",
    "sampled_strata",
    "variance",
    "weights_vary",
]


def sampled_strata(statistic: Statistic, scores: Scores, random_sizes: bool | None = None) -> Strata:
    """The strata of a statistic for the way in which the cases were sampled.

    Class sizes fixed: one stratum per class. Class sizes random (a cohort): a statistic that depends on the shares
    of the classes has one more, of all cases, in which the component of a case of class k is the derivative of the
    value with respect to the share of class k. By the law of total variance the two add up: what varies within
    classes of given sizes, and what varies because the sizes do. Weights that vary within a class make its share
    of the weight random also where its number of cases is fixed (`_weight_stratum`).

    Parameters
    ----------
    statistic, scores
        The statistic of these scores.
    random_sizes
        Whether class sizes are random; by default if `scores.sampling` is "cohort".
    """
    random_sizes = scores.sampling == "cohort" if random_sizes is None else random_sizes
    if statistic.shares is None or not (random_sizes or weights_vary(scores)):
        return statistic.strata()
    last = statistic.share_stratum(scores.codes) if random_sizes else _weight_stratum(statistic.shares(), scores)
    return (*statistic.strata(), last)


def weights_vary(scores: Scores) -> bool:
    """Whether cases of one class have different weights; those of weight 0 do not count."""
    w, codes = scores.sample_weight, scores.codes
    if w is None:
        return False
    largest = np.zeros(scores.n_classes)
    np.maximum.at(largest, codes, w)
    return bool(((w > 0) & (w < largest[codes])).any())


def _weight_stratum(shares: Shares, scores: Scores) -> Stratum:
    """The influence through the shares where the number of cases of each class is fixed, but not their weights.

    Of the influence in a cohort, w (slope - mean) / W, what the number of cases makes of it is subtracted: its
    mean over the cases of the class, or of the class in a fold. As a component, that is divided by w. It is the
    linearisation of survey sampling with strata of fixed size (Binder 1983).
    """
    whole, weight = shares.stratum(scores.codes), scores.sample_weight
    assert weight is not None
    cases = whole.cases()
    w, cell = weight[cases], scores.codes[cases].astype(np.int64)
    if scores.folds is not None and scores.within_folds:
        cell = cell * len(scores.folds) + scores.folds.codes[cases]
    centred = whole.components - np.average(whole.components, weights=w)
    counted = w > 0
    sums, numbers = np.bincount(cell, w * centred), np.bincount(cell, counted)
    mean = (sums / np.maximum(numbers, 1))[cell]
    components = np.where(counted, centred - mean / np.where(counted, w, 1.0), 0.0)
    return Stratum(components, whole.cases, whole.reach, whole.effective)


def variance(strata: Strata, scores: Scores) -> float:
    """Sum over strata of var(components) / size; nan if a stratum has a single unit."""
    if scores.sample_weight is None and scores.units is None:
        return sum([stratum.variance() / (stratum.size or 1) for stratum in strata])  # nan of an empty one
    values = by_unit(influence(strata, scores), scores)
    return inner_product(values, values)


def covariance(classifiers: Sequence[Strata], scores: Scores) -> FloatArray:
    """Covariance of the same statistic for several classifiers on the same cases.

    The products of their influences, case by case, or group by group where there are groups (Obuchowski 1997).
    """
    values = np.array([by_unit(influence(strata, scores), scores) for strata in classifiers])
    return row_products(values)


def between_repeats(statistics: Sequence[Statistic], scores: Scores) -> FloatArray:
    """What repeats show that influence values do not: K / 2 times the covariance of the values of the repeats.

    The models of two folds are trained on each other's test cases, so their errors are correlated; influence
    values take them as independent. To second order the error of a cross-validated value is

        sum of a(i) + sum of h(i, j) over pairs of cases in different folds

    A pair counts in both folds, once as test case i of a model that was trained on j and once the other way round,
    and the sum of squared influence values sees each of the two by itself: it contains half of the variance V of
    the second sum. (Without any information in the features there is no first sum, and influence values give half
    of the true variance, however many cases there are.) Which pairs are in different folds changes from repeat to
    repeat: of K folds a share of 1 / K is not, so that the values of repeats have the variance V / K, which makes
    the missing half K / 2 times the variance between repeats. Terms of higher order (trees) vary more between
    repeats, and the result is then too large. docs/cross_validation.md has the simulations.

    Parameters
    ----------
    statistics
        The averages over the folds of all repeats, by classifier.
    scores
        The scores, with two repeats or more.
    """
    folds = scores.folds
    assert folds is not None
    values = np.array([folds.by_repeat(statistic.by_fold) for statistic in statistics])
    return np.asarray(len(folds) / folds.repeats / 2.0 * np.atleast_2d(np.cov(values)), dtype=np.float64)


def by_unit(values: FloatArray, scores: Scores) -> FloatArray:
    """Influence values added up inside each group, or over the repeats of each case, where there are any."""
    return values if scores.units is None else np.asarray(np.bincount(scores.units, values), dtype=np.float64)


def influence(strata: Strata, scores: Scores, corrected: bool = True) -> FloatArray:
    """Influence value of each case: w (component - mean) / (total weight of its stratum).

    Corrected by the factor sqrt(m / (m - 1)), with m units (cases, or groups) in the stratum, its sum of squares
    is the usual variance with m - 1 below.
    """
    values = np.zeros(len(scores))
    for stratum in strata:
        cases = stratum.cases()
        if scores.sample_weight is None:
            counted = cases
            centred = stratum.components - stratum.mean()
            centred /= len(cases)
        else:
            w = scores.sample_weight[cases]
            counted = cases[w > 0]
            centred = w * (stratum.components - np.average(stratum.components, weights=w)) / w.sum()
        centred *= _correction(_units(counted, scores.units)) if corrected else 1.0
        values[cases] += centred
    return values


def case_contributions(value: float, strata: Strata, scores: Scores) -> FloatArray:
    """The value plus the influence of each case times the number of cases (total weight over its own weight).

    For a value that is a mean over all cases these are its terms: for the accuracy, 1 if the decision is right,
    else 0. Their (weighted) mean is the value, and var / n the squared standard error, up to the correction for
    few cases.
    """
    weight = np.ones(len(scores)) if scores.sample_weight is None else scores.sample_weight
    contributions = np.full(len(scores), value)
    for stratum in strata:
        cases = stratum.cases()
        w = weight[cases]
        centred = stratum.components - np.average(stratum.components, weights=w)
        contributions[cases] += centred * (weight.sum() / w.sum())
    return contributions


def _correction(m: int) -> float:
    return float(np.sqrt(m / (m - 1))) if m > 1 else np.nan


def _units(cases: IntArray, units: IntArray | None) -> int:
    """How many independent units there are: cases, or groups."""
    return len(cases) if units is None else len(np.unique(units[cases]))


def effective_units(stratum: Stratum, scores: Scores) -> float:
    """The effective number of units behind a stratum: cases, Kish's number if weighted, groups if clustered."""
    if stratum.effective is not None:
        return stratum.effective
    weight, units = scores.sample_weight, scores.units
    if weight is None and units is None:
        return stratum.size
    cases = stratum.cases()
    w = np.ones(len(cases)) if weight is None else weight[cases]
    of_units = w if units is None else np.bincount(units[cases], w)
    return float(w.sum() ** 2 / (of_units**2).sum())
