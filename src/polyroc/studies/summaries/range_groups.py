"""RangeTest: learners sorted into groups that a multiple range test does not tell apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result, plain

__all__ = ["Procedure", "RangeTest", "letter"]

Procedure = Literal["duncan", "tukey", "nemenyi"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NAMES = {"duncan": "Duncan's multiple range test", "tukey": "Tukey's HSD", "nemenyi": "Nemenyi's test"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RangeTest(Result):
    """Which learners differ, by the range of their means (Duncan, Tukey) or mean ranks (Nemenyi).

    Attributes
    ----------
    procedure
        "duncan", "tukey" or "nemenyi".
    data_set, measure
        What was tested on, and by what.
    values
        By learner, the best first: means over folds, or mean ranks over data sets.
    groups
        The longest runs of learners, in this order, that are not told apart; they may overlap.
    critical_ranges
        The largest range of 2, 3 ... neighbours that is not significant.
    pvalues
        Of each pair, learners in order: the smallest level at which the pair is told apart, with 1 on the
        diagonal; nan where there is no error to hold a difference against.
    standard_error, df
        Of one mean, and its degrees of freedom (infinity for mean ranks).
    alpha
        The level.
    assumes
        What has to be so for the groups to hold.
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

    @property
    def learners(self) -> tuple[str, ...]:
        """The learners, the best first."""
        return tuple(self.values)

    @property
    def name(self) -> str:
        """The procedure in words."""
        return NAMES[self.procedure]

    @property
    def quantity(self) -> str:
        """What is compared."""
        return "mean rank" if self.procedure == "nemenyi" else "mean"

    @property
    def letters(self) -> dict[str, str]:
        """The compact letter display: learners that share a letter are not told apart; "a" is the best group."""
        return {
            learner: "".join(letter(k) for k, group in enumerate(self.groups) if learner in group)
            for learner in self.values
        }

    def pvalue(self, first: str, second: str) -> float:
        """Of the hypothesis that two learners are equal; see `pvalues`."""
        for name in (first, second):
            if name not in self.values:
                raise InputError(f"There is no learner {name!r}; there are {', '.join(map(repr, self.values))}.")
        return float(self.pvalues[self.learners.index(first), self.learners.index(second)])

    def apart(self, first: str, second: str) -> bool:
        """Whether two learners are told apart: no group holds both."""
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


def letter(place: int) -> str:
    """The letter of a group: a, b ... z, then a2, b2 ...

    >>> letter(1), letter(26)
    ('b', 'a2')
    """
    again, k = divmod(place, len(LETTERS))
    return LETTERS[k] + (str(again + 1) if again else "")
