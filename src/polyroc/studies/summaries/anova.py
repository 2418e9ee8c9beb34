"""Two-way analysis of variance of learners over folds."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, nan, sqrt
from typing import Any

from polyroc._results.invariants import Invariants, at_least, shares
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result, plain
from polyroc.errors import DegenerateComparisonWarning, InputError, warn
from polyroc.estimates.hypothesis_tests import ROUNDING_VARIANCE
from polyroc.estimates.intervals import ConfidenceInterval, student_interval
from polyroc.output.numbers import number_text, p_text
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.summaries.input_tables import Table, fold_table
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.arrays import Missing
from polyroc.validation.signatures import validated

__all__ = ["Anova", "Variation", "anova", "blocks_assumed"]

SOURCES = ("learners", "folds", "error", "total")


@dataclass(frozen=True, slots=True)
class Variation:
    """One line of the analysis of variance table.

    Attributes
    ----------
    source
        "learners", "folds", "error" or "total".
    df, sum_of_squares
        Degrees of freedom, and the sum of squared deviations.
    F, pvalue
        Ratio of its mean square to that of the error, and its p-value under the hypothesis that all means of this
        source are equal; nan for error and total, and if the error is zero.
    """

    source: str
    df: int
    sum_of_squares: float
    F: float
    pvalue: float

    @property
    def mean_square(self) -> float:
        """Sum of squares divided by the degrees of freedom."""
        return self.sum_of_squares / self.df


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Anova(Result):
    """Analysis of variance: whether learners have equal means over the same folds.

    Attributes
    ----------
    data_set, measure
        Name of the data set and key of the measure.
    means
        Mean over the folds, by learner.
    folds
        Number of folds (blocks).
    table
        The lines by source: "learners", "folds", "error", "total".
    assumes
        Assumptions of the p-values.
    provenance
        Method, folds left out, version.
    """

    data_set: str
    measure: str
    means: Mapping[str, float]
    folds: int
    table: Mapping[str, Variation]
    assumes: str
    provenance: Provenance

    def _invariants(self) -> Invariants:
        yield self.folds >= 1, "folds must be 1 or more"
        yield set(self.table) == set(SOURCES), f"the lines of the table must be {', '.join(SOURCES)}"
        rows = self.table.values()
        yield at_least([row.df for row in rows], 1), "df must be 1 or more"
        yield at_least([row.sum_of_squares for row in rows], 0), "sums of squares must be 0 or more"
        yield shares([row.pvalue for row in rows]), "p-values must be from 0 to 1"

    @property
    def F(self) -> float:  # noqa: N802 - the statistic's name
        """The F ratio of the learners."""
        return self.table["learners"].F

    @property
    def pvalue(self) -> float:
        """p-value of the hypothesis that all learners have the same mean."""
        return self.table["learners"].pvalue

    @property
    def df(self) -> tuple[int, int]:
        """Degrees of freedom of the learners and of the error."""
        return self.table["learners"].df, self.table["error"].df

    @property
    def mean_square_error(self) -> float:
        """Residual variance after learner and fold effects (MSE)."""
        return self.table["error"].mean_square

    @property
    def standard_error(self) -> float:
        """Standard error of one learner's mean: sqrt(MSE / folds)."""
        return sqrt(self.mean_square_error / self.folds)

    @validated
    def confidence_interval(self, learner: str, level: float = 0.95) -> ConfidenceInterval:
        """Student interval of a learner's mean, with the pooled standard error."""
        if learner not in self.means:
            raise InputError(f"There is no learner {learner!r}; {did_you_mean(learner, self.means)}")
        return student_interval(self.means[learner], self.standard_error, self.df[1], level)

    def __repr__(self) -> str:
        ratio = "no F" if isnan(self.F) else f"F({self.df[0]}, {self.df[1]}) = {number_text(self.F)}"
        return f"Anova({self.measure} on {self.data_set}: {ratio}, {p_text(self.pvalue)})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """One record per source of variation."""
        return [
            {
                "source": line.source,
                "df": line.df,
                "sum_of_squares": line.sum_of_squares,
                "mean_square": line.mean_square,
                "F": plain(line.F),
                "pvalue": plain(line.pvalue),
            }
            for line in self.table.values()
        ]


MEAN_ROUNDING = 1e-14  # relative rounding error of a mean; smaller sums of squares are set to 0


@validated
def anova(table: Table, *, missing: Missing = "raise") -> Anova:
    """Two-way analysis of variance of learners over folds (Bradley 1997, section 7.1).

    With r folds, c learners and the value y_ij of learner j in fold i, the sum of squares about the grand mean m
    is that of the learners, r sum_j (m_j - m)^2, that of the folds, c sum_i (m_i - m)^2, and that of the error,
    sum_ij (y_ij - m_i - m_j + m)^2. F is the ratio of the mean squares of learners and error, with c - 1 and
    (r - 1)(c - 1) degrees of freedom. All learners have the same folds, so the difficulty of a fold that all share
    is removed.

    Parameters
    ----------
    table
        A `FoldTable`, or a dict of values by learner, one for each fold.
    missing
        Folds in which a learner has no value: "raise" an error, or "drop" them for all learners (the design stays
        balanced), as well as learners without any value.

    Examples
    --------
    >>> anova({"a": [3, 4, 5], "b": [5, 5, 8], "c": [1, 4, 4]})
    Anova(value on data: F(2, 4) = 8.4000, p = 0.037)
    """
    complete, dropped = fold_table(table, missing)
    y = complete.values
    (r, c), m = y.shape, y.mean()
    learners, folds = y.mean(axis=0) - m, y.mean(axis=1) - m
    squares = {
        "learners": r * float((learners**2).sum()),
        "folds": c * float((folds**2).sum()),
        "error": float(((y - m - learners - folds[:, None]) ** 2).sum()),
    }
    rounding = max(ROUNDING_VARIANCE * sum(squares.values()), MEAN_ROUNDING**2 * float((y**2).sum()))
    squares = {name: square if square > rounding else 0.0 for name, square in squares.items()}
    if squares["error"] == 0 and squares["learners"] > 0:
        _warn_of_zero_error(complete)
    df = {"learners": c - 1, "folds": r - 1, "error": (r - 1) * (c - 1)}
    lines = {name: _variation(name, squares, df) for name in squares}
    lines["total"] = Variation("total", r * c - 1, sum(squares.values()), nan, nan)
    means = dict(zip(complete.learners, (m + learners).tolist(), strict=True))
    method = "two-way analysis of variance, folds as blocks"
    where = complete.data_set, complete.measure
    return Anova(*where, means, r, lines, blocks_assumed(complete), Provenance({}, method, dropped=dropped))


def _variation(source: str, squares: dict[str, float], df: dict[str, int]) -> Variation:
    from scipy.special import fdtrc

    F = pvalue = nan
    if source != "error" and squares["error"] > 0:
        F = squares[source] / df[source] / (squares["error"] / df["error"])
        pvalue = float(fdtrc(df[source], df["error"], F))
    elif source != "error" and squares[source] == 0:
        pvalue = 1.0
    return Variation(source, df[source], squares[source], F, pvalue)


def _warn_of_zero_error(table: FoldTable) -> None:
    warn(
        f"The learners differ by the same amount in every fold ({table.measure} on {table.data_set}), so the "
        "error is zero and there is no p-value (nan); use more folds or cases.",
        DegenerateComparisonWarning,
    )


def blocks_assumed(table: FoldTable) -> str:
    """The assumptions of an analysis of variance over folds."""
    text = (
        "Values are learner effect + fold effect + independent normal errors of one variance. Folds share "
        "training cases, so errors are not quite independent and p-values tend to be too small."
    )
    repeats, folds = (len(set(indices)) for indices in zip(*table.blocks, strict=True))
    if repeats > 1 and folds > 1:
        text += f" The {repeats} repeats use the same cases again, which makes this much worse: use corrected_t."
    elif repeats > 1:
        text += f" The {repeats} test sets may share cases too: use corrected_t."
    return text
