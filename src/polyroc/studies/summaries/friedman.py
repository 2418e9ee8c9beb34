"""Friedman's test of ranks over data sets, with Nemenyi's test of all pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any, NamedTuple

from polyroc._results.invariants import Invariants, distinct, shares, within
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.estimates.hypothesis_tests import chi_square_tail
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import number_text, p_text
from polyroc.studies.summaries.input_tables import Tables, direction, means_of
from polyroc.studies.summaries.range_tests import RangeTest, range_test
from polyroc.validation.arguments import checked_alpha
from polyroc.validation.arrays import Missing
from polyroc.validation.signatures import validated

__all__ = ["Friedman", "friedman"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Friedman(Result):
    """Friedman's test that learners rank equally over data sets, and Nemenyi's test of pairs.

    Attributes
    ----------
    measure, data_sets
        Key of the measure and names of the data sets.
    ranks
        Mean rank over the data sets by learner, the best first; 1 is the best rank, ties share their mean rank.
    statistic, df, pvalue
        Friedman's chi-square, corrected for ties.
    F, F_df, F_pvalue
        Iman & Davenport's F, which is less conservative.
    ties
        Divisor that corrects for ties; 1 without ties.
    nemenyi
        Nemenyi's test: which learners differ.
    assumes
        Assumptions of the p-values.
    provenance
        Method, version.
    """

    measure: str
    data_sets: tuple[str, ...]
    ranks: Mapping[str, float]
    statistic: float
    df: int
    pvalue: float
    F: float
    F_df: tuple[int, int]
    F_pvalue: float
    ties: float
    nemenyi: RangeTest
    assumes: str
    provenance: Provenance

    def _invariants(self) -> Invariants:
        k = len(self.ranks)
        yield distinct(self.data_sets), "data sets must be distinct"
        yield within([*self.ranks.values()], 1, k), f"mean ranks must be from 1 to {k}"
        yield self.df == k - 1, "df must be the number of learners less 1"
        yield shares(self.pvalue), "pvalue must be from 0 to 1"

    @property
    def critical_difference(self) -> float:
        """Nemenyi's critical difference: two learners differ if their mean ranks are further apart."""
        return self.nemenyi.critical_ranges[-1]

    def __repr__(self) -> str:
        return (
            f"Friedman({self.measure}, {len(self.ranks)} learners on {len(self.data_sets)} data sets: "
            f"chi-square({self.df}) = {number_text(self.statistic)}, {p_text(self.pvalue)}; "
            f"F = {number_text(self.F)}, {p_text(self.F_pvalue)}; "
            f"critical difference {number_text(self.critical_difference)})"
        )

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per learner, the best first."""
        return self.nemenyi.rows(level)


ASSUMES = (
    "Data sets are independent and ranks on them comparable; nothing about the values themselves. Nemenyi's "
    "groups depend on which other learners are in the study."
)


@validated
def friedman(tables: Tables, *, alpha: float = 0.05, missing: Missing = "raise") -> Friedman:
    """Friedman's test with Iman & Davenport's F, and Nemenyi's test of all pairs (Demsar 2006).

    Learners are ranked on each of N data sets by their mean over folds, the best first; ties share the mean rank.
    With mean ranks R_j of k learners, Friedman's

        chi-square = 12 N / (k (k + 1)) sum_j (R_j - (k + 1) / 2)^2 / C,   C = 1 - sum (t^3 - t) / (N (k^3 - k))

    over all runs of t tied ranks; Iman & Davenport's F = (N - 1) chi-square / (N (k - 1) - chi-square), with k - 1
    and (k - 1)(N - 1) degrees of freedom. Nemenyi: two learners differ if their mean ranks are more than
    q / sqrt(2) sqrt(k (k + 1) / (6 N)) apart, where q is the quantile of the studentized range of k means.

    Parameters
    ----------
    tables
        A `FoldTable` for each data set, or a dict of values by learner, one for each data set.
    alpha
        The level of Nemenyi's test.
    missing
        "raise" an error for missing values, or "drop" them: folds in which a learner has none, and data sets
        without a complete fold.

    References
    ----------
    Friedman, Annals of Mathematical Statistics 11 (1940) 86-92. Iman & Davenport, Communications in Statistics A 9
    (1980) 571-595. Demsar, Journal of Machine Learning Research 7 (2006) 1-30.

    Examples
    --------
    >>> friedman({"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.6, 0.7], "c": [0.7, 0.9, 0.5, 0.6]})
    Friedman(value, 3 learners on 4 data sets: chi-square(2) = 3.5000, p = 0.174; F = 2.3333, p = 0.178;
    critical difference 1.6572)
    """
    checked_alpha(alpha)
    means = means_of(tables, missing)
    N, k = means.values.shape
    ranks, tests = _tests(-direction(means.measure) * means.values)
    by_learner = dict(zip(means.learners, ranks.mean(axis=0).tolist(), strict=True))
    provenance = Provenance({}, "Friedman's test", dropped=means.dropped)
    nemenyi = range_test(
        "nemenyi",
        by_learner,
        sqrt(k * (k + 1) / (12 * N)),
        inf,
        alpha,
        better=-1.0,
        data_set=f"{N} data sets",
        measure=means.measure,
        assumes=ASSUMES,
        provenance=provenance,
    )
    return Friedman(means.measure, means.data_sets, nemenyi.values, *tests, nemenyi, ASSUMES, provenance)


class _Tests(NamedTuple):
    """Statistics and p-values, in the order of the fields of `Friedman`."""

    statistic: float
    df: int
    pvalue: float
    F: float
    F_df: tuple[int, int]
    F_pvalue: float
    ties: float


def _tests(values: FloatArray) -> tuple[FloatArray, _Tests]:
    """Ranks by row, the smallest first, and the tests; if all ranks are equal, p is 1."""
    from scipy.special import fdtrc
    from scipy.stats import rankdata

    N, k = values.shape
    ranks = rankdata(values, axis=1)
    # The variance of the ranks relative to that without ties: the same as C in `friedman`.
    ties = float(((ranks - (k + 1) / 2) ** 2).sum()) / (N * (k**3 - k) / 12)
    df = k - 1, (k - 1) * (N - 1)
    if ties == 0:
        return ranks, _Tests(nan, k - 1, 1.0, nan, df, 1.0, ties)
    statistic = 12 * N / (k * (k + 1)) * float(((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()) / ties
    remainder = N * (k - 1) - statistic
    # If all data sets have the same ranks, the remainder is 0 up to rounding and F is infinite.
    F = (N - 1) * statistic / remainder if remainder > 1e-9 * N * k else inf
    return ranks, _Tests(statistic, k - 1, chi_square_tail(statistic, k - 1), F, df, float(fdtrc(*df, F)), ties)
