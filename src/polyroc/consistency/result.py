"""MeasureComparison: consistency and discriminancy of two measures, from counts of pairs of outputs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from polyroc._results.codec import NOT_STORED, Once, stored_as
from polyroc._results.invariants import Invariants, at_least, distinct
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.errors import InputError
from polyroc.estimates.evaluation import named_without_options
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.output.numbers import number_text
from polyroc.validation.arguments import checked_level
from polyroc.validation.signatures import validated

__all__ = ["Asymptotics", "Counts", "Joint", "MeasureComparison", "MeasureComparisons", "share_interval"]


MOST_STORED = 10_000  # entries of a joint distribution that are written to a file


class Counts(NamedTuple):
    """Pairs of outputs by how two measures order them; read by name, or by position.

    Attributes
    ----------
    agree, disagree
        Both measures distinguish the two outputs: in the same order, in opposite orders.
    only_first, only_second
        Only one measure distinguishes them; for the other they are equal.
    """

    agree: int
    disagree: int
    only_first: int
    only_second: int

    def _invariants(self) -> Invariants:
        yield at_least(self, 0), "counts must be 0 or more"

    def __getitem__(self, key: Any) -> Any:
        """By position, or by name as in a dict."""
        return getattr(self, key) if isinstance(key, str) and key in self._fields else tuple.__getitem__(self, key)


class Asymptotics(NamedTuple):
    """Limits of C and D of an area and an accuracy at a cut, all ranked lists being equally likely.

    Attributes
    ----------
    consistency, discriminancy
        C and D for this many cases, by the normal approximation with its first correction.
    limit
        The limit of C as both classes grow and the share of cases called positive stays.
    growth
        D grows without bound: it is about `growth` times the number of cases.
    """

    consistency: float
    discriminancy: float
    limit: float
    growth: float


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """The joint distribution of two measures: the number of outputs with each pair of values.

    Attributes
    ----------
    first, second
        The values of the two measures, by distinct pair.
    counts
        The number of outputs with both values; exact integers.
    """

    first: FloatArray
    second: FloatArray
    counts: tuple[int, ...]

    def _invariants(self) -> Invariants:
        yield len(self.first) == len(self.second) == len(self.counts), "lengths must agree"
        yield min(self.counts, default=0) >= 0, "counts must be 0 or more"

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def total(self) -> int:
        """The number of all outputs."""
        return sum(self.counts)

    def reversed(self) -> "Joint":
        """The same with the measures exchanged."""
        return Joint(self.second, self.first, self.counts)


def _small_joint(comparison: "MeasureComparison", _: float) -> Joint | None:
    """The joint distribution, which is stored up to 10,000 cells."""
    joint = comparison.joint
    return None if joint is None or len(joint) > MOST_STORED else joint


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeasureComparison(Result):
    """Consistency C and discriminancy D of two measures f and g.

    Over pairs (a, b) of outputs of a classifier, where f(a) > f(b) means that a is the better one by f,

        C = agree / (agree + disagree),      D = only_first / only_second

    (Ling, Huang & Zhang 2003, definitions 3 and 4): `agree` counts the pairs with f(a) > f(b) and g(a) > g(b),
    `disagree` those with f(a) > f(b) and g(a) < g(b), `only_first` those with f(a) > f(b) and g(a) = g(b),
    `only_second` those with g(a) > g(b) and f(a) = f(b). If C > 1/2 and D > 1, f is statistically consistent and
    more discriminating than g, the better measure of the two (definition 5).

    Attributes
    ----------
    first, second
        The measures f and g, with their options.
    counts
        Pairs that both measures distinguish (`agree`, `disagree`), or one of them (`only_first`, `only_second`).
    undecided
        Pairs that neither measure distinguishes.
    exact
        True if all pairs were counted; False if pairs were drawn at random.
    model
        The simulation model, or the ranked lists, that the outputs come from.
    provenance
        Cases by class, method, seed, version.
    asymptotics
        The limits of C and D, where a formula is known.
    """

    first: str
    second: str
    counts: Counts
    undecided: int
    exact: bool
    model: str
    provenance: Provenance
    asymptotics: Asymptotics | None = None
    _joint: Callable[[], Joint] | None = field(default=None, metadata=stored_as(encode=_small_joint))
    _undecided_pairs: Callable[[], IntArray] | None = field(default=None, metadata=NOT_STORED)

    def _invariants(self) -> Invariants:
        yield self.undecided >= 0, "undecided must be 0 or more"

    @property
    def consistency(self) -> float:
        """C, the share of agreement among the pairs that both measures distinguish; nan if there is none."""
        both = self.counts.agree + self.counts.disagree
        return self.counts.agree / both if both else nan

    @property
    def discriminancy(self) -> float:
        """D, the ratio of the pairs that only the first measure distinguishes to those that only the second does.

        Infinite if there is none of the latter; nan if there is none of either.
        """
        return _odds(self.counts.only_first, self.counts.only_second)

    @property
    def pairs(self) -> int:
        """The number of all pairs."""
        return sum(self.counts) + self.undecided

    @property
    def cases(self) -> int:
        """The number of cases of an output."""
        return sum(self.provenance.cases.values())

    @property
    def joint(self) -> Joint | None:
        """The joint distribution of the two measures; None if it was too large to be stored."""
        return None if self._joint is None else self._joint()

    @property
    def undecided_pairs(self) -> IntArray | None:
        """The numbers, from 0, of the pairs drawn at random that are equal for both; None if not known."""
        return None if self._undecided_pairs is None else self._undecided_pairs()

    @validated
    def consistency_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Clopper & Pearson's confidence interval for C; both ends are C if it is exact.

        Given the number of pairs that both measures distinguish, the number that agree is binomial. The coverage
        is at least the level, whatever C is.
        """
        if self.exact:
            return ConfidenceInterval(self.consistency, self.consistency)
        return share_interval(self.counts.agree, self.counts.agree + self.counts.disagree, level)

    @validated
    def discriminancy_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Clopper & Pearson's confidence interval for D / (1 + D), as odds; both ends are D if it is exact.

        D / (1 + D) is the share of the first measure among the pairs that one measure alone distinguishes. Zero
        counts need no correction: if no pair is distinguished by the second measure alone, the upper end is
        infinity.
        """
        if self.exact:
            return ConfidenceInterval(self.discriminancy, self.discriminancy)
        alone = self.counts.only_first + self.counts.only_second
        low, high = share_interval(self.counts.only_first, alone, level)
        return ConfidenceInterval(_odds(low, 1.0 - low), _odds(high, 1.0 - high))

    def reversed(self) -> "MeasureComparison":
        """The comparison with the measures exchanged: C is the same, D the reciprocal; without asymptotics."""
        agree, disagree, only_first, only_second = self.counts
        joint = self._joint
        return replace(
            self,
            first=self.second,
            second=self.first,
            counts=Counts(agree, disagree, only_second, only_first),
            asymptotics=None,
            _joint=None if joint is None else Once(lambda: joint().reversed()),
        )

    def __repr__(self) -> str:
        method = "exact" if self.exact else f"{self.pairs} pairs drawn"
        return (
            f"MeasureComparison({self.first} against {self.second}: C = {number_text(self.consistency)}, "
            f"D = {number_text(self.discriminancy)}; {method})"
        )

    @validated
    def conclusion(self, level: float = 0.95) -> str:
        """State which measure is better by the definitions of Ling, Huang & Zhang, in a sentence.

        Definitions 1 and 2 (strict) are met where all pairs were counted, C = 1 and D is infinite or 0; definition
        5 where C > 1/2 and D is not 1.
        """
        C, D = self.consistency_interval(level), self.discriminancy_interval(level)
        if C.low > 0.5 and (D.low > 1 or D.high < 1):
            better, other = (self.first, self.second)[:: 1 if D.low > 1 else -1]
            if self.exact and self.consistency == 1 and self.discriminancy in (0, inf):
                return (
                    f"{better} is strictly consistent with {other} and strictly more discriminating (Ling, Huang "
                    f"& Zhang): they never disagree, and {other} tells no pair apart that {better} does not."
                )
            reason = f"C > 1/2, and it tells more pairs apart than {other}"
            return f"{better} is the better measure by Ling, Huang & Zhang's criterion: {reason}."
        if C.high < 0.5:
            return f"{self.first} and {self.second} contradict each other more often than they agree (C < 1/2)."
        return f"Neither {self.first} nor {self.second} is shown to be the better measure."

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record."""
        (c_low, c_high), (d_low, d_high) = self.consistency_interval(level), self.discriminancy_interval(level)
        limits = self.asymptotics
        return [
            {
                "first": self.first,
                "second": self.second,
                "cases": self.cases,
                "consistency": self.consistency,
                "consistency_low": c_low,
                "consistency_high": c_high,
                "discriminancy": self.discriminancy,
                "discriminancy_low": d_low,
                "discriminancy_high": d_high,
                **self.counts._asdict(),
                "undecided": self.undecided,
                "pairs": self.pairs,
                "exact": self.exact,
                "model": self.model,
                "asymptotic_consistency": None if limits is None else limits.consistency,
                "asymptotic_discriminancy": None if limits is None else limits.discriminancy,
            }
        ]

    def _derived(self) -> dict[str, Any]:
        return {"pairs": self.pairs, "consistency": self.consistency, "discriminancy": self.discriminancy}

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {
            "consistency_interval": list(self.consistency_interval(level)),
            "discriminancy_interval": list(self.discriminancy_interval(level)),
            "conclusion": self.conclusion(level),
        }


def _odds(one: float, other: float) -> float:
    if other:
        return one / other
    return inf if one > 0 else nan


def share_interval(hits: int, trials: int, level: float = 0.95) -> ConfidenceInterval:
    """Clopper & Pearson's interval for a share, whose coverage is at least the level; (nan, nan) without trials.

    Clopper & Pearson, Biometrika 26 (1934) 404-413.

    >>> share_interval(0, 10)
    ConfidenceInterval(low=0.0, high=0.308497...)
    """
    from scipy.special import betaincinv

    checked_level(level)
    if trials == 0:
        return ConfidenceInterval(nan, nan)
    tail, misses = (1.0 - level) / 2.0, trials - hits
    low = float(betaincinv(hits, misses + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, misses, 1.0 - tail)) if misses else 1.0
    return ConfidenceInterval(low, high)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeasureComparisons(Result):
    """Comparisons of every two of several measures, over the same pairs of outputs.

    Attributes
    ----------
    measures
        The measures, with their options.
    comparisons
        By pair, in the order of `measures`; indexing the result with [g, f] gives [f, g] reversed.
    """

    measures: tuple[str, ...]
    comparisons: Mapping[tuple[str, str], MeasureComparison]

    def _invariants(self) -> Invariants:
        yield distinct(self.measures), "measures must be distinct"
        yield {name for pair in self.comparisons for name in pair} <= {*self.measures}, "pairs must name measures"

    def __getitem__(self, pair: tuple[str, str]) -> MeasureComparison:
        if isinstance(pair, tuple) and len(pair) == 2:
            pair = named_without_options(pair[0], self.measures), named_without_options(pair[1], self.measures)
        if pair in self.comparisons:
            return self.comparisons[pair]
        if not isinstance(pair, tuple) or pair[::-1] not in self.comparisons:
            known = ", ".join(map(repr, self.measures))
            raise InputError(f"There is no pair of measures {pair!r}; give two different ones of {known}.")
        return self.comparisons[pair[::-1]].reversed()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __contains__(self, pair: object) -> bool:
        return isinstance(pair, tuple) and (pair in self.comparisons or pair[::-1] in self.comparisons)

    @property
    def consistency(self) -> FloatArray:
        """C at [row, column], measures in order; symmetric, nan on the diagonal."""
        return self._matrix("consistency")

    @property
    def discriminancy(self) -> FloatArray:
        """D of the measure of the row and that of the column; nan on the diagonal."""
        return self._matrix("discriminancy")

    def _matrix(self, attribute: str) -> FloatArray:
        def value(f: str, g: str) -> float:
            return nan if f == g else getattr(self[f, g], attribute)

        return np.array([[value(f, g) for g in self.measures] for f in self.measures])

    def ranking(self) -> list[str]:
        """The measures from the most to the least discriminating, by the number of others with D > 1."""
        D = self.discriminancy
        wins = (D > 1).sum(axis=1)
        return [self.measures[k] for k in np.argsort(-wins, kind="stable")]

    def __repr__(self) -> str:
        pairs = [
            f"{f} against {g}: C = {number_text(pair.consistency)}, D = {number_text(pair.discriminancy)}"
            for (f, g), pair in list(self.comparisons.items())[:6]
        ]
        more = "; ..." if len(self) > 6 else ""
        return f"MeasureComparisons({'; '.join(pairs)}{more})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per pair."""
        return [row for comparison in self.comparisons.values() for row in comparison.rows(level)]
