"""Fold values: a measure of every learner on every test fold of a data set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyroc._results.invariants import Invariants, at_least, distinct
from polyroc.errors import InputError, MeasureError, NotApplicableError
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find_measure
from polyroc.measures.sample import Sample
from polyroc.messages import Option
from polyroc.scores import Kind, Schema, Scores
from polyroc.validation.signatures import validated

if TYPE_CHECKING:
    from polyroc.studies.data import Data
    from polyroc.studies.store import StoredData

__all__ = ["FoldTable", "applies", "check_measure", "fold_table", "fold_values"]


@dataclass(frozen=True, slots=True, eq=False)
class FoldTable:
    """The values of one measure on one data set: a row per test fold (a block), a column per learner.

    All learners were trained and tested on the same folds, so columns are paired. A value that is not available (a
    failed fit, a fold without a case of some class) is nan; `complete` leaves such blocks out.

    Attributes
    ----------
    values
        Blocks x learners.
    learners
        Names of the columns.
    blocks
        (repeat, fold) of each row, counted from 0.
    train_size, test_size
        Mean number of training and test cases over the blocks; Nadeau & Bengio's correction needs their ratio.
    data_set, measure
        Name of the data set and key of the measure.

    Examples
    --------
    >>> table = FoldTable(np.array([[0.9, 0.8], [0.7, np.nan]]), ("tree", "knn"), ((0, 0), (0, 1)), 90.0, 10.0)
    >>> table.complete().values.tolist()
    [[0.9, 0.8]]
    """

    values: FloatArray
    learners: tuple[str, ...]
    blocks: tuple[tuple[int, int], ...]
    train_size: float
    test_size: float
    data_set: str = "data"
    measure: str = "value"

    def _invariants(self) -> Invariants:
        shape = len(self.blocks), len(self.learners)
        yield self.values.shape in (shape, shape[::-1]), "values must have a number per fold and learner"
        yield distinct(self.learners) and distinct(self.blocks), "learners and folds must be distinct"
        yield at_least([self.train_size, self.test_size], 0), "sizes must be 0 or more"
        yield at_least(self.blocks, 0), "repeats and folds must be 0 or more"

    def complete(self) -> "FoldTable":
        """Return the blocks in which every learner has a value."""
        kept: BoolArray = np.asarray(np.isfinite(self.values).all(axis=1))
        if kept.all():
            return self
        blocks = tuple(block for block, keep in zip(self.blocks, kept, strict=True) if keep)
        sizes = self.train_size, self.test_size
        return FoldTable(self.values[kept], self.learners, blocks, *sizes, self.data_set, self.measure)


@validated
def fold_table(scores: Scores, measure: str | Measure) -> FoldTable:
    """Return the values of a measure by fold of cross-validated predictions, for the tests of `studies.summaries`.

    These tests are about the learners, trained on new samples, and use nothing but the values of folds. For the
    trained models, `compare` of the same scores is the better test; docs/cross_validation.md has the simulations.

    Parameters
    ----------
    scores
        Predictions with folds, such as `out_of_fold` gives.
    measure
        The measure.

    Examples
    --------
    >>> scores = Scores(
    ...     [0, 1, 0, 1, 0, 1], {"a": [1, 2, 1, 2, 2, 1], "b": [1, 2, 2, 1, 1, 1]}, folds=[1, 1, 2, 2, 3, 3]
    ... )
    >>> table = fold_table(scores, "auc")
    >>> table.values.tolist(), table.train_size, table.test_size
    ([[1.0, 1.0], [1.0, 0.0], [0.0, 0.5]], 4.0, 2.0)
    """
    folds = scores.folds
    if folds is None or not scores.within_folds:
        raise InputError("Expected scores with folds that are not pooled; pass ", Option("folds"), " to Scores.")
    chosen = find_measure(measure)
    reason = inapplicable_reason(chosen, scores, by_name=True)
    if reason is not None:
        raise NotApplicableError(f"{chosen} ", reason, ".")
    columns = [chosen(Sample(scores, learner)).by_fold for learner in scores.classifiers]
    first = np.searchsorted(folds.repeat, folds.repeat)  # folds are in the order of their repeats
    blocks = tuple(zip(folds.repeat.tolist(), (np.arange(len(folds)) - first).tolist(), strict=True))
    cases, test = len(scores) / folds.repeats, len(scores) / len(folds)
    return FoldTable(np.array(columns).T, scores.classifiers, blocks, cases - test, test, measure=str(chosen))


def applies(measure: Measure, data: "Data | StoredData", kind: Kind = "matrix") -> bool:
    """Whether a measure is defined for the number of classes; any other obstacle raises an error."""
    fewest, most = measure.classes
    if len(data.labels) < fewest or len(data.labels) > (most or len(data.labels)):
        return False
    reason = inapplicable_reason(measure, Schema(data.labels, kind, data.positive), by_name=True)
    if reason is None:
        return True
    if data.positive is None and (measure.needs == "score" or most == 2):
        label = data.labels[-1]
        reason = f"needs to know the positive class; set positive = {label!r} in the table of the data set"
    raise InputError(f"{measure} on data set {data.name!r}: it {reason}.")


def check_measure(key: str, data: "Sequence[Data | StoredData]", kind: Kind = "matrix") -> None:
    """Raise an error for a measure that does not exist, or that applies to none of the data sets."""
    measure = find_measure(key)
    applicable = [
        applies(measure, data_set, kind) for data_set in data
    ]  # a list, so that every data set is checked
    if not any(applicable):
        counts = " or ".join(sorted({str(len(data_set.labels)) for data_set in data}))
        raise MeasureError(f"{measure} is not for {counts} classes, as all data sets have; use another measure.")


def _is_forecast(measure: Measure, scores: Scores, learner: int) -> bool:
    """Whether the predictions of a learner are probabilities, as the measure needs them."""
    own = scores._replace(values={str(learner): scores.values[str(learner)]})
    return inapplicable_reason(measure, own, by_name=True) is None


def fold_values(
    measure: Measure, data: "Data | StoredData", codes: CodeArray, tables: Mapping[int, FloatArray], kind: Kind
) -> dict[int, float]:
    """Return the value of a measure in a fold by learner, of their predictions and the true classes of the cases.

    There are none if a class has no case, and none of a measure of probabilities for decision values.
    """
    low, high = measure.range(len(data.labels), **measure.settings)
    named = {str(j): table[:, data.positive] if kind == "score" else table for j, table in tables.items()}
    scores = Scores._make(codes, data.labels, named, kind, data.positive)
    if scores.absent:
        return {}
    forecast = measure.needs in ("probabilities", "forecast")
    return {
        # Clipped: rounding may put a value a little outside the range of its measure.
        j: min(max(measure(Sample(scores, str(j))).value, low), high)
        for j in tables
        if not forecast or _is_forecast(measure, scores, j)
    }
