"""The power of a reader study from variance components (Hillis, Obuchowski & Berbaum 2011)."""

from dataclasses import dataclass
from math import inf, isnan, sqrt
from statistics import NormalDist
from typing import Annotated, NamedTuple

from polyroc._results.codec import Record
from polyroc._results.invariants import Invariants, at_least
from polyroc.errors import InputError, NotApplicableError
from polyroc.readers.anova import Fixed
from polyroc.readers.result import ReaderStudy
from polyroc.validation.signatures import validate_fields, validated, within

__all__ = ["PlannedTest", "ReaderVariances", "smallest_cases"]

MOST_CASES = 10**6  # more are not searched for
CERTAIN = 1e3  # a difference of so many standard errors is always shown
Variance = Annotated[float, within(0.0)]
Correlation = Annotated[float, within(-1.0, 1.0)]


@dataclass(frozen=True, slots=True)
class ReaderVariances(Record):
    """What a measure varies by in a reader study: the variance components of Obuchowski & Rockette.

    Attributes
    ----------
    interaction
        The variance of the interaction of modality and reader, which more cases do not reduce.
    error
        The variance of the error of a cell, due to the cases.
    cov1, cov2, cov3
        The covariances of the errors: same reader, same modality, neither.
    cases
        The number of cases that error and covariances are for; they are inversely proportional to it.

    Examples
    --------
    >>> variances = ReaderVariances.from_correlations(
    ...     error=0.0008, r1=0.43, r2=0.43, r3=0.30, interaction=0.0002, cases=114
    ... )
    >>> round(variances.cov1, 6)
    0.000344
    """

    interaction: Variance
    error: Annotated[float, within(0.0, open=True)]
    cov1: float
    cov2: float
    cov3: float
    cases: Annotated[int, within(2)]

    def __post_init__(self) -> None:
        validate_fields(self)
        largest = max(abs(self.cov1), abs(self.cov2), abs(self.cov3))
        if largest > self.error:
            raise InputError(
                f"cov1, cov2 and cov3 must not be larger than the variance of the error ({self.error:g}), got "
                f"{largest:g}; correlations go to ReaderVariances.from_correlations."
            )

    def _invariants(self) -> Invariants:
        yield at_least([self.interaction, self.error], 0), "variances must be 0 or more"

    @classmethod
    @validated
    def from_correlations(
        cls, *, error: float, r1: Correlation, r2: Correlation, r3: Correlation, interaction: float, cases: int
    ) -> "ReaderVariances":
        """From the correlations of the errors, as most papers print them."""
        return cls(interaction, error, error * r1, error * r2, error * r3, cases)

    @classmethod
    @validated
    def of(cls, study: ReaderStudy) -> "ReaderVariances":
        """The components of a fully crossed study; a negative variance of the interaction counts as 0."""
        if study.nested is not None or isnan(study.mean_squares.interaction):
            raise NotApplicableError("Planning needs a pilot study with two modalities that all readers read.")
        errors = study.errors
        between = max(errors.cov2 - errors.cov3, 0.0)
        interaction = study.mean_squares.interaction - errors.variance + errors.cov1 + between
        cases = sum(study.provenance.cases.values())
        return cls(max(interaction, 0.0), errors.variance, errors.cov1, errors.cov2, errors.cov3, cases)


class ErrorOfDifference(NamedTuple):
    """The standard error of a planned difference of two means, and its degrees of freedom."""

    standard_error: float
    df: float


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """The test of a planned study of two modalities.

    Attributes
    ----------
    variances
        What the measure varies by.
    effect
        The expected difference; with a margin positive if the first modality is better.
    margin
        Of non-inferiority, one-sided; None for the two-sided test of no difference.
    alpha
        The significance level.
    fixed
        What is fixed.
    """

    variances: ReaderVariances
    effect: float
    margin: float | None
    alpha: float
    fixed: Fixed | None

    def error(self, readers: int, cases: int) -> ErrorOfDifference:
        """The expected standard error with so many readers and cases."""
        v, scale = self.variances, self.variances.cases / cases
        between = max(v.cov2 - v.cov3, 0.0) * scale
        rest = (v.error - v.cov1) * scale
        if self.fixed == "readers":
            return ErrorOfDifference(sqrt(2.0 / readers * (rest + (readers - 1) * between)), inf)
        within_cells = v.interaction + max(rest - between, 0.0)
        if self.fixed == "cases":
            return ErrorOfDifference(sqrt(2.0 / readers * within_cells), readers - 1.0)
        total = within_cells + readers * between
        df = (readers - 1) * (total / within_cells) ** 2 if within_cells > 0 else inf
        return ErrorOfDifference(sqrt(2.0 / readers * total), df)

    def power(self, readers: int, cases: int) -> float:
        """The probability that the test rejects, with a noncentral F or t distribution."""
        error, df = self.error(readers, cases)
        if error == 0:
            return 1.0
        if self.margin is not None:
            return _one_sided((self.effect + self.margin) / error, df, self.alpha)
        return _two_sided(self.effect / error, df, self.alpha)


def _two_sided(shift: float, df: float, alpha: float) -> float:
    if abs(shift) > CERTAIN:
        return 1.0
    if df == inf:
        z = NormalDist().inv_cdf(1.0 - alpha / 2.0)
        return NormalDist().cdf(shift - z) + NormalDist().cdf(-shift - z)
    from scipy.special import fdtri, ncfdtr

    return 1.0 - float(ncfdtr(1.0, df, shift**2, fdtri(1.0, df, 1.0 - alpha)))


def _one_sided(shift: float, df: float, alpha: float) -> float:
    if shift > CERTAIN:
        return 1.0
    if df == inf:
        return NormalDist().cdf(shift - NormalDist().inv_cdf(1.0 - alpha))
    from scipy.special import nctdtr, stdtrit

    return 1.0 - float(nctdtr(df, shift, stdtrit(df, 1.0 - alpha)))


def smallest_cases(test: PlannedTest, readers: int, power: float, fewest: int = 10) -> int | None:
    """The smallest number of cases that has the power; None if none has, however many."""
    low, high = fewest - 1, fewest
    while test.power(readers, high) < power:
        if high >= MOST_CASES:
            return None
        low, high = high, min(2 * high, MOST_CASES)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if test.power(readers, middle) >= power else (middle, high)
    return high
