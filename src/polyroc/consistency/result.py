"""MeasureComparison: one measure against another, by the pairs of outputs that each of them tells apart."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.output.numbers import number_text
from polyroc.results.codec import NOT_STORED, stored_as
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result
from polyroc.validation.arguments import checked_level

__all__ = ["Asymptotics", "Counts", "Joint", "MeasureComparison", "MeasureComparisons", "share_interval"]


MOST_STORED = 10_000  # cells of a joint distribution that are written to a file


class Counts(NamedTuple):
    """Pairs of outputs, by what two measures say of them; read by name, or by position.

    Attributes
    ----------
    agree, disagree
        Both measures tell the two apart: in the same way, in opposite ways.
    only_first, only_second
        Only one measure does; for the other they are equal.
    """

    agree: int
    disagree: int
    only_first: int
    only_second: int

    def __getitem__(self, key: Any) -> Any:
        """By position, or by name as in a dict."""
        return getattr(self, key) if isinstance(key, str) and key in self._fields else tuple.__getitem__(self, key)


class Asymptotics(NamedTuple):
    """What C and D of an area and an accuracy at a cut tend to, all ranked lists being equally likely.

    Attributes
    ----------
    consistency, discriminancy
        C and D for this many cases, by the normal approximation with its first correction.
    limit
        What C tends to if both classes grow and the share of cases called positive stays.
    growth
        D grows without bound: it is about `growth` times the number of cases.
    """

    consistency: float
    discriminancy: float
    limit: float
    growth: float


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """The joint distribution of two measures: how many outputs have each pair of values.

    Attributes
    ----------
    first, second
        The values of the two measures, cell by cell.
    counts
        How many outputs have both; exact integers.
    """

    first: FloatArray
    second: FloatArray
    counts: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def total(self) -> int:
        """All outputs."""
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
    """One measure, f, against another, g: how often they agree, and which tells more outputs apart.

    Over pairs (a, b) of outputs of a classifier, f(a) > f(b) meaning that f calls a the better one,

        C = agree / (agree + disagree),      D = only_first / only_second

    (Ling, Huang & Zhang 2003, definitions 3 and 4). C > 1/2 and D > 1 make f "statistically consistent with and
    more discriminating than" g: the better measure of the two (definition 5).

    Attributes
    ----------
    first, second
        The measures f and g, with their options.
    counts
        Pairs that both tell apart (`agree`, `disagree`), or one of them (`only_first`, `only_second`).
    undecided
        Pairs that neither tells apart.
    exact
        True if all pairs there are were counted; False if pairs were drawn at random.
    model
        Where the outputs come from.
    provenance
        Cases by class, method, seed, version.
    asymptotics
        What C and D tend to, where a formula is known.
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

    @property
    def consistency(self) -> float:
        """C, the share of the pairs told apart by both on which they agree; nan if there is none."""
        both = self.counts.agree + self.counts.disagree
        return self.counts.agree / both if both else nan

    @property
    def discriminancy(self) -> float:
        """D, how many pairs only the first tells apart for one that only the second does.

        Infinite if the second never does alone; nan if neither does.
        """
        return _odds(self.counts.only_first, self.counts.only_second)

    @property
    def pairs(self) -> int:
        """All pairs that were counted."""
        return sum(self.counts) + self.undecided

    @property
    def cases(self) -> int:
        """How many cases an output has."""
        return sum(self.provenance.cases.values())

    @property
    def joint(self) -> Joint | None:
        """The joint distribution of the two measures; None if it was too large to be stored."""
        return None if self._joint is None else self._joint()

    @property
    def undecided_pairs(self) -> IntArray | None:
        """Which of the pairs drawn at random, by their number from 0, are equal for both; None if not kept."""
        return None if self._undecided_pairs is None else self._undecided_pairs()

    def consistency_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Where C lies. Given how many pairs both tell apart, those that agree are binomial: Clopper & Pearson.

        The interval holds C with at least the level's probability, whatever C is. An exact count needs no
        interval: both ends are C.
        """
        if self.exact:
            return ConfidenceInterval(self.consistency, self.consistency)
        return share_interval(self.counts.agree, self.counts.agree + self.counts.disagree, level)

    def discriminancy_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Where D lies: given how many pairs one measure alone tells apart, D / (1 + D) of them are the first's.

        Clopper & Pearson's interval of that share, turned into odds, so zero counts are no trouble: without a pair
        that only the second tells apart it goes from a finite number to infinity.
        """
        if self.exact:
            return ConfidenceInterval(self.discriminancy, self.discriminancy)
        alone = self.counts.only_first + self.counts.only_second
        low, high = share_interval(self.counts.only_first, alone, level)
        return ConfidenceInterval(_odds(low, 1.0 - low), _odds(high, 1.0 - high))

    def reversed(self) -> "MeasureComparison":
        """The second measure against the first: C is the same, D its reciprocal; without the asymptotics."""
        agree, disagree, only_first, only_second = self.counts
        joint = self._joint
        return replace(
            self,
            first=self.second,
            second=self.first,
            counts=Counts(agree, disagree, only_second, only_first),
            asymptotics=None,
            _joint=None if joint is None else lambda: joint().reversed(),
        )

    def __repr__(self) -> str:
        how = "exact" if self.exact else f"{self.pairs} pairs drawn"
        return (
            f"MeasureComparison({self.first} against {self.second}: C = {number_text(self.consistency)}, "
            f"D = {number_text(self.discriminancy)}; {how})"
        )

    def conclusion(self, level: float = 0.95) -> str:
        """Which is the better measure by definition 5 of Ling, Huang & Zhang, in a plain sentence."""
        C, D = self.consistency_interval(level), self.discriminancy_interval(level)
        if C.low > 0.5 and (D.low > 1 or D.high < 1):
            better, other = (self.first, self.second)[:: 1 if D.low > 1 else -1]
            told = f"C > 1/2, and it tells more pairs apart than {other}"
            return f"{better} is the better measure by Ling, Huang & Zhang's criterion: {told}."
        if C.high < 0.5:
            return f"{self.first} and {self.second} contradict each other more often than they agree (C < 1/2)."
        return f"Neither {self.first} nor {self.second} is shown to be the better measure."

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record."""
        (c_low, c_high), (d_low, d_high) = self.consistency_interval(level), self.discriminancy_interval(level)
        tends = self.asymptotics
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
                "asymptotic_consistency": None if tends is None else tends.consistency,
                "asymptotic_discriminancy": None if tends is None else tends.discriminancy,
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
    """Clopper & Pearson's interval of a share: never below its level, whatever the share; (nan, nan) of nothing.

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
    """Every pair of several measures, over the same pairs of outputs.

    Attributes
    ----------
    measures
        The measures, with their options.
    comparisons
        By pair, in this order; `comparisons[g, f]` is `comparisons[f, g]` the other way round.
    """

    measures: tuple[str, ...]
    comparisons: Mapping[tuple[str, str], MeasureComparison]

    def __getitem__(self, pair: tuple[str, str]) -> MeasureComparison:
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
        """D of the row's measure against the column's; nan on the diagonal."""
        return self._matrix("discriminancy")

    def _matrix(self, what: str) -> FloatArray:
        def value(f: str, g: str) -> float:
            return nan if f == g else getattr(self[f, g], what)

        return np.array([[value(f, g) for g in self.measures] for f in self.measures])

    def ranking(self) -> list[str]:
        """The measures from the most to the least discriminating: by how many others they have D > 1 against."""
        D = self.discriminancy
        wins = (D > 1).sum(axis=1)
        return [self.measures[k] for k in np.argsort(-wins, kind="stable")]

    def __repr__(self) -> str:
        pairs = [
            f"{f} against {g}: C = {number_text(each.consistency)}, D = {number_text(each.discriminancy)}"
            for (f, g), each in list(self.comparisons.items())[:6]
        ]
        more = "; ..." if len(self) > 6 else ""
        return f"MeasureComparisons({'; '.join(pairs)}{more})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per pair."""
        return [row for each in self.comparisons.values() for row in each.rows(level)]
