"""Multiple range tests: groups of learners that do not differ significantly (Duncan, Tukey, Nemenyi)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from polyroc._results.invariants import Invariants, ascending, at_least, shares
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result, plain
from polyroc.errors import InputError
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.studies.summaries.anova import anova
from polyroc.studies.summaries.input_tables import Table, direction, tidy
from polyroc.studies.summaries.studentized_range import range_probability, range_quantile
from polyroc.validation.arguments import checked_alpha
from polyroc.validation.arrays import Missing
from polyroc.validation.signatures import validated

__all__ = ["Procedure", "RangeTest", "duncan", "letter", "range_test", "tukey"]

Procedure = Literal["duncan", "tukey", "nemenyi"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NAMES = {"duncan": "Duncan's multiple range test", "tukey": "Tukey's HSD", "nemenyi": "Nemenyi's test"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RangeTest(Result):
    """Groups of learners by the range of their means (Duncan, Tukey) or mean ranks (Nemenyi).

    Attributes
    ----------
    procedure
        "duncan", "tukey" or "nemenyi".
    data_set, measure
        Name of the data set and key of the measure.
    values
        Means over folds, or mean ranks over data sets, by learner; the best first.
    groups
        Maximal runs of learners, in this order, that do not differ significantly; they may overlap.
    critical_ranges
        Critical ranges of 2, 3 ... neighbours: a larger range is significant.
    pvalues
        Learners x learners, in order: the smallest level at which the pair differs, 1 on the diagonal; nan if the
        standard error is zero.
    standard_error, df
        Standard error of one mean, and its degrees of freedom (infinity for mean ranks).
    alpha
        The level.
    assumes
        Assumptions of the test.
    provenance
        Method, folds left out, version.
    """

    procedure: Procedure
    data_set: str
    measure: str
    values: Mapping[str, float]
    groups: tuple[tuple[str, ...], ...]
    critical_ranges: tuple[float, ...]
    pvalues: FloatArray
    standard_error: float
    df: float
    alpha: float
    assumes: str
    provenance: Provenance

    def _invariants(self) -> Invariants:
        k = len(self.values)
        yield {name for group in self.groups for name in group} == {*self.values}, "groups must have all learners"
        yield len(self.critical_ranges) == k - 1, "there must be a critical range for 2 to all learners"
        yield (
            at_least(self.critical_ranges, 0) and ascending(self.critical_ranges),
            "critical ranges must rise",
        )
        yield self.pvalues.shape == (k, k) and shares(self.pvalues), "p-values must be from 0 to 1, k x k"
        yield np.array_equal(self.pvalues, self.pvalues.T, equal_nan=True), "p-values must be symmetric"
        yield at_least([self.standard_error, self.df], 0), "standard_error and df must be 0 or more"
        yield 0 < self.alpha < 1, "alpha must be between 0 and 1"

    @property
    def learners(self) -> tuple[str, ...]:
        """The learners, the best first."""
        return tuple(self.values)

    @property
    def name(self) -> str:
        """The name of the procedure."""
        return NAMES[self.procedure]

    @property
    def quantity(self) -> str:
        """The quantity that is compared."""
        return "mean rank" if self.procedure == "nemenyi" else "mean"

    @property
    def letters(self) -> dict[str, str]:
        """The compact letter display: learners that share a letter do not differ; "a" is the best group."""
        return {
            learner: "".join(letter(k) for k, group in enumerate(self.groups) if learner in group)
            for learner in self.values
        }

    @validated
    def pvalue(self, first: str, second: str) -> float:
        """p-value of the hypothesis that two learners are equal; see `pvalues`."""
        self._check_learners(first, second)
        return float(self.pvalues[self.learners.index(first), self.learners.index(second)])

    def _check_learners(self, *names: str) -> None:
        for name in names:
            if name not in self.values:
                raise InputError(f"There is no learner {name!r}; there are {', '.join(map(repr, self.values))}.")

    @validated
    def apart(self, first: str, second: str) -> bool:
        """Whether two learners differ significantly: no group contains both."""
        self._check_learners(first, second)
        return not any(first in group and second in group for group in self.groups)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {letters}" for name, letters in list(self.letters.items())[:8])
        more = ", ..." if len(self.values) > 8 else ""
        where = f"{self.measure} on {self.data_set}"
        return f"RangeTest({self.procedure}, {where}, {100 * self.alpha:g} %: {shown}{more})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """One record per learner, the best first."""
        letters = self.letters
        return [
            {
                "learner": name,
                self.quantity.replace(" ", "_"): value,
                "letters": letters[name],
                "different_from": sum(self.apart(name, other) for other in self.values),
            }
            for name, value in self.values.items()
        ]

    def pairs(self) -> list[dict[str, Any]]:
        """One record per pair."""
        return [
            {
                "first": a,
                "second": b,
                "difference": self.values[a] - self.values[b],
                "span": j - i + 1,
                "critical_range": self.critical_ranges[j - i - 1],
                "pvalue": plain(float(self.pvalues[i, j])),
                "apart": self.apart(a, b),
            }
            for (i, a), (j, b) in combinations(enumerate(self.values), 2)
        ]

    def _derived(self) -> dict[str, Any]:
        return {"letters": self.letters}


def letter(position: int) -> str:
    """The letter of a group: a, b ... z, then a2, b2 ...

    >>> letter(1), letter(26)
    ('b', 'a2')
    """
    again, k = divmod(position, len(LETTERS))
    return LETTERS[k] + (str(again + 1) if again else "")


@validated
def duncan(table: Table, *, alpha: float = 0.05, missing: Missing = "raise") -> RangeTest:
    """Duncan's multiple range test (Bradley 1997, section 7.2).

    The range of p neighbouring means is significant if it exceeds R_p = r_p sqrt(MSE / folds), where r_p is the
    quantile of the studentized range of p means at probability (1 - alpha)^(p - 1), and MSE is that of `anova`.
    A range inside one that is not significant is not significant (containment). With few degrees of freedom the
    r_p of the formula decrease for large p; as in Duncan's table, the largest so far is used.

    The p-value of a pair is the smallest level at which this rule finds a difference.

    Parameters
    ----------
    table, missing
        As in `anova`.
    alpha
        The level for two neighbours. For a range of p means it is 1 - (1 - alpha)^(p - 1), so at alpha = 0.05 a
        difference is found among nine equal learners up to a third of the time. Tukey's test controls the level
        for all pairs together.

    References
    ----------
    Duncan, Biometrics 11 (1955) 1-42.

    Examples
    --------
    >>> test = duncan({"a": [3, 4, 5], "b": [5, 5, 8], "c": [1, 4, 4]})
    >>> test.letters
    {'b': 'a', 'a': 'ab', 'c': 'b'}
    """
    return _test_of_means("duncan", table, alpha, missing)


@validated
def tukey(table: Table, *, alpha: float = 0.05, missing: Missing = "raise") -> RangeTest:
    """Tukey's honestly significant difference.

    Two means differ if they are more than q sqrt(MSE / folds) apart, where q is the quantile of the studentized
    range of all means at 1 - alpha, and MSE is that of `anova`. The probability that any two equal learners are
    found to differ is at most alpha.

    Parameters
    ----------
    table, missing
        As in `anova`.
    alpha
        The level, for all pairs together.

    Examples
    --------
    >>> test = tukey({"a": [3, 4, 5], "b": [5, 5, 8], "c": [1, 4, 4]})
    >>> test.groups, round(test.pvalue("b", "c"), 4)
    ((('b', 'a'), ('a', 'c')), 0.034)
    """
    return _test_of_means("tukey", table, alpha, missing)


def _test_of_means(procedure: Procedure, table: Table, alpha: float, missing: Missing) -> RangeTest:
    checked_alpha(alpha)
    analysis = anova(table, missing=missing)
    method = f"{NAMES[procedure]} at level {alpha:g}"
    return range_test(
        procedure,
        analysis.means,
        analysis.standard_error,
        analysis.df[1],
        alpha,
        better=direction(analysis.measure),
        data_set=analysis.data_set,
        measure=analysis.measure,
        assumes=analysis.assumes,
        provenance=Provenance({}, method, dropped=analysis.provenance.dropped),
    )


def range_test(
    procedure: Procedure,
    values: Mapping[str, float],
    standard_error: float,
    df: float,
    alpha: float,
    *,
    better: float,
    **context: object,
) -> RangeTest:
    """Compare all ranges of the sorted values with their critical ranges, and find the groups."""
    order = sorted(values, key=lambda name: -better * values[name])
    y = np.array([values[name] for name in order])
    ranges = tidy(np.abs(y[:, None] - y), np.abs(y).max())
    critical = standard_error * _quantiles(procedure, len(y), df, alpha)
    pvalues = _contained(_pvalues(procedure, ranges, standard_error, df))
    i, j = np.triu_indices(len(y), 1)
    within = np.zeros(ranges.shape, dtype=bool)
    within[i, j] = ranges[i, j] <= critical[j - i - 1]
    groups = tuple(tuple(order[a:b]) for a, b in _longest(within))
    return RangeTest(
        procedure=procedure,
        values={name: values[name] for name in order},
        groups=groups,
        critical_ranges=tuple(critical.tolist()),
        pvalues=pvalues,
        standard_error=standard_error,
        df=df,
        alpha=alpha,
        **context,  # type: ignore[arg-type] # data_set, measure, assumes and provenance
    )


def _quantiles(procedure: Procedure, k: int, df: float, alpha: float) -> FloatArray:
    """The critical studentized ranges of 2 .. k means."""
    if procedure != "duncan":
        return np.full(k - 1, range_quantile(1 - alpha, k, float(df)))
    quantiles = [range_quantile((1 - alpha) ** (p - 1), p, float(df)) for p in range(2, k + 1)]
    return np.maximum.accumulate(quantiles)


def _pvalues(procedure: Procedure, ranges: FloatArray, standard_error: float, df: float) -> FloatArray:
    """p-values of single ranges, above the diagonal; if the standard error is 0, 1 for equal values, else nan."""
    k = len(ranges)
    pvalues = np.ones((k, k))
    above = np.triu_indices(k, 1)
    if standard_error == 0:
        pvalues[above] = np.where(ranges[above] == 0, 1.0, np.nan)
        return pvalues
    q = ranges[above] / standard_error
    if procedure != "duncan":
        pvalues[above] = 1 - range_probability(q, [k], df)[:, 0]
        return pvalues
    spans = np.arange(2, k + 1)
    by_span = 1 - range_probability(q, spans.tolist(), df) ** (1 / (spans - 1))
    # The critical range is the largest of those of 2 .. p means, so the level that exceeds it is the largest too.
    largest = np.maximum.accumulate(by_span, axis=1)
    pvalues[above] = largest[np.arange(len(q)), above[1] - above[0] - 1]
    return pvalues


def _contained(pvalues: FloatArray) -> FloatArray:
    """Containment: a pair cannot differ at a level at which a range around it is not significant."""
    above = np.where(np.tri(len(pvalues), dtype=bool), np.nan, pvalues)
    wider = np.fmax.accumulate(np.fmax.accumulate(above, axis=0)[:, ::-1], axis=1)[:, ::-1]
    upper = np.triu(wider, 1)
    return upper + upper.T + np.eye(len(upper))


def _longest(within: BoolArray) -> list[tuple[int, int]]:
    """The maximal ranges start .. stop that are not significant; ranges inside one need no test."""
    runs: list[tuple[int, int]] = []
    end = 0
    for start in range(len(within)):
        last = max([start, *np.flatnonzero(within[start]).tolist()]) + 1
        if last > end:
            runs.append((start, last))
            end = last
    return runs
