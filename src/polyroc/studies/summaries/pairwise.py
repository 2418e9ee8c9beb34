"""What tests of all pairs of learners share: the results by pair, and differences over overlapping folds."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import isfinite
from typing import ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from polyroc._results.invariants import Invariants, distinct
from polyroc._results.result import Result
from polyroc.errors import DegenerateComparisonWarning, InputError, warn
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.summaries.input_tables import Table, fold_table
from polyroc.validation.arrays import Missing

__all__ = ["OVERLAP", "FoldDifferences", "PairwiseSummary", "fold_differences"]

ROUNDING = 1e-12  # relative to the largest value: smaller differences are rounding errors
OVERLAP = (
    "Differences over folds are normal, and those of two folds correlated by test / (test + train) cases, Nadeau "
    "& Bengio's guess for training sets that overlap. Of this data set only."
)


class Reversible(Protocol):
    """The result of one ordered pair of learners."""

    def reversed(self) -> Self:
        """The same pair with the learners exchanged."""


Pair = TypeVar("Pair", bound=Reversible)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwiseSummary(Result, Generic[Pair]):
    """A result for each pair of learners, in either order.

    Attributes
    ----------
    procedure
        A key of `NAMES`, which has the names of the procedures.
    data_set, measure
        Name of the data set and key of the measure.
    learners
        The learners.
    """

    NAMES: ClassVar[Mapping[str, str]]

    procedure: str
    data_set: str
    measure: str
    learners: tuple[str, ...]

    @property
    @abstractmethod
    def by_pair(self) -> Mapping[tuple[str, str], Pair]:
        """The results by pair of learners, one for each two."""

    @property
    def name(self) -> str:
        """The name of the procedure."""
        return self.NAMES[self.procedure]

    def _invariants(self) -> Invariants:
        yield distinct(self.learners), "learners must be distinct"

    def __getitem__(self, pair: tuple[str, str]) -> Pair:
        if pair in self.by_pair:
            return self.by_pair[pair]
        if not isinstance(pair, tuple) or pair[::-1] not in self.by_pair:
            known = ", ".join(map(repr, self.learners))
            raise InputError(f"There is no pair of learners {pair!r}; give two different ones of {known}.")
        return self.by_pair[pair[::-1]].reversed()


class FoldDifferences(NamedTuple):
    """Mean differences, first minus second, of each pair of learners with their standard errors.

    Attributes
    ----------
    table
        The complete folds.
    pairs
        Of learners, in order.
    means, errors
        Means and standard errors of the differences over folds; the error is 0 if all folds agree.
    df, dropped
        Degrees of freedom; number of folds left out.
    """

    table: FoldTable
    pairs: list[tuple[str, str]]
    means: list[float]
    errors: list[float]
    df: int
    dropped: int


def fold_differences(
    table: Table, train_size: float | None, test_size: float | None, missing: Missing
) -> FoldDifferences:
    """Mean differences over n folds and their standard errors sqrt((1 / n + test / train) s^2)."""
    complete, dropped = fold_table(table, missing)
    ratio = _ratio(complete, train_size, test_size)
    n, c = complete.values.shape
    i, j = np.triu_indices(c, 1)
    differences = complete.values[:, i] - complete.values[:, j]
    means, variances = differences.mean(axis=0), differences.var(axis=0, ddof=1)
    rounding = ROUNDING * np.abs(complete.values).max()
    errors = np.sqrt(np.where(variances > rounding**2, variances, 0.0) * (1 / n + ratio))
    means = np.where((errors == 0) & (np.abs(means) <= rounding), 0.0, means)
    pairs = list(combinations(complete.learners, 2))
    result = FoldDifferences(complete, pairs, means.tolist(), errors.tolist(), n - 1, dropped)
    _warn_of_constant_differences(result)
    return result


def _ratio(table: FoldTable, train_size: float | None, test_size: float | None) -> float:
    train = table.train_size if train_size is None else train_size
    test = table.test_size if test_size is None else test_size
    if not (isfinite(train) and isfinite(test) and train > 0 and test > 0):
        raise InputError(
            "The correction for overlapping training sets needs the sizes of a training and a test set, got "
            f"train_size={train!r}, test_size={test!r}; for k folds of N cases they are N (k - 1) / k and N / k."
        )
    return test / train


def _warn_of_constant_differences(differences: FoldDifferences) -> None:
    constant = [
        f"{a} and {b}"
        for (a, b), d, error in zip(differences.pairs, differences.means, differences.errors, strict=True)
        if error == 0 and d != 0
    ]
    if constant:
        more = f" and {len(constant) - 3} more pairs" if len(constant) > 3 else ""
        warn(
            f"The difference between {'; '.join(constant[:3])}{more} is the same in every fold, so it has no "
            "p-value (nan); use more folds or cases.",
            DegenerateComparisonWarning,
        )
