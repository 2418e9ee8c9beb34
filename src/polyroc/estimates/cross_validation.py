"""CrossValidation: the values of a measure by fold, beside the value of all folds pooled."""

from dataclasses import dataclass
from typing import Any

from polyroc._results.codec import Record
from polyroc._results.invariants import Invariants, at_least, shares
from polyroc.output.numbers import number_text, p_text

__all__ = ["SHIFT_LEVEL", "CrossValidation"]

SHIFT_LEVEL = 0.05  # of the test that scores have the same level in all folds


@dataclass(frozen=True, slots=True)
class CrossValidation(Record):
    """A measure of cross-validated predictions by fold, and of the cases of all folds as one sample.

    The value of the estimate is the average over folds. The pooled value also compares cases that were predicted
    by different models. It is biased where the scores of the models differ in level or scale, and in leave-one-out
    cross-validation, where a model that only knows the class shares scores a case lower if it is positive.

    Attributes
    ----------
    folds
        The names of the folds; with repeats, of the folds of all repeats.
    cases
        Number of cases in each fold.
    values
        The value of each fold: the performance of one trained model.
    repeats
        Number of repeats.
    pooled, pooled_standard_error
        The value of all folds as one sample.
    shift_pvalue
        P-value of the hypothesis that, given the class, the scores have the same distribution in all folds:
        Kruskal and Wallis' test in each class (and column, and repeat), the smallest p-value times their number.
        None if the measure does not compare the scores of different cases.
    """

    folds: tuple[str, ...]
    cases: tuple[int, ...]
    values: tuple[float, ...]
    repeats: int
    pooled: float
    pooled_standard_error: float
    shift_pvalue: float | None = None

    def _invariants(self) -> Invariants:
        yield len(self.folds) == len(self.cases) == len(self.values), "every fold needs a name, cases and a value"
        yield at_least([*self.cases, self.repeats], 1), "folds have cases, and there is a repeat or more"
        yield at_least(self.pooled_standard_error, 0), "pooled_standard_error must be 0 or more"
        yield self.shift_pvalue is None or shares(self.shift_pvalue), "shift_pvalue must be from 0 to 1"

    @property
    def pooling_is_biased(self) -> bool:
        """True if the scores of the folds differ in level by the test of `shift_pvalue`, at 5 %."""
        return self.shift_pvalue is not None and self.shift_pvalue < SHIFT_LEVEL

    def rows(self) -> list[dict[str, Any]]:
        """One record per fold."""
        columns = zip(self.folds, self.cases, self.values, strict=True)
        return [{"fold": fold, "cases": cases, "value": value} for fold, cases, value in columns]

    def sentence(self) -> str:
        """What the pooled value is, and whether it may be compared with the average."""
        pooled = f"All folds pooled into one sample: {number_text(self.pooled)}"
        if self.shift_pvalue is None:
            return f"{pooled}."
        if self.pooling_is_biased:
            return (
                f"{pooled}; biased, because scores of the same class differ between folds "
                f"({p_text(self.shift_pvalue)})."
            )
        tested = f"do not differ significantly between folds ({p_text(self.shift_pvalue)})"
        return f"{pooled}; scores of the same class {tested}."
