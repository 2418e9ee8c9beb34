"""Two-way analysis of variance: learners, with folds as blocks."""

from math import nan

from polyroc._normalise import Missing
from polyroc.errors import DegenerateComparisonWarning, warn
from polyroc.results import Provenance
from polyroc.results.anova import Anova, Variation
from polyroc.results.wald import ROUNDING
from polyroc.studies.summaries.tables import Table, fold_table
from polyroc.studies.table import FoldTable

__all__ = ["anova", "blocks_assumed"]

UNIT = 1e-14  # relative error of a mean


def anova(table: Table, *, missing: Missing = "refuse") -> Anova:
    """Whether learners have the same mean over folds (Bradley 1997, section 7.1).

    With r folds, c learners and the value y_ij of learner j in fold i, the sum of squares about the grand mean m
    is that of the learners, r sum_j (m_j - m)^2, that of the folds, c sum_i (m_i - m)^2, and that of the error,
    sum_ij (y_ij - m_i - m_j + m)^2; F is the mean square of the learners by that of the error, with c - 1 and
    (r - 1)(c - 1) degrees of freedom. All learners saw the same folds, so what makes a fold easy or hard for all
    of them is taken out.

    Parameters
    ----------
    table
        A `FoldTable`, or a dict of values by learner, one for each fold.
    missing
        Folds in which a learner has no value: "refuse" them, or "drop" them for all learners (the design stays
        balanced), and with them the learners that never have a value.

    Examples
    --------
    >>> anova({"a": [3, 4, 5], "b": [5, 5, 8], "c": [1, 4, 4]})
    Anova(value on data: F(2, 4) = 8.4000, p = 0.037)
    """
    whole, dropped = fold_table(table, missing)
    y = whole.values
    (r, c), m = y.shape, y.mean()
    learners, folds = y.mean(axis=0) - m, y.mean(axis=1) - m
    squares = {
        "learners": r * float((learners**2).sum()),
        "folds": c * float((folds**2).sum()),
        "error": float(((y - m - learners - folds[:, None]) ** 2).sum()),
    }
    rounding = max(ROUNDING * sum(squares.values()), UNIT**2 * float((y**2).sum()))
    squares = {name: each if each > rounding else 0.0 for name, each in squares.items()}
    if squares["error"] == 0 and squares["learners"] > 0:
        _warn_of_no_error(whole)
    df = {"learners": c - 1, "folds": r - 1, "error": (r - 1) * (c - 1)}
    table_of = {name: _variation(name, squares, df) for name in squares}
    table_of["total"] = Variation("total", r * c - 1, sum(squares.values()), nan, nan)
    means = dict(zip(whole.learners, (m + learners).tolist(), strict=True))
    method = "two-way analysis of variance, folds as blocks"
    where = whole.data_set, whole.measure
    return Anova(*where, means, r, table_of, blocks_assumed(whole), Provenance({}, method, dropped=dropped))


def _variation(source: str, squares: dict[str, float], df: dict[str, int]) -> Variation:
    from scipy.special import fdtrc

    F = pvalue = nan
    if source != "error" and squares["error"] > 0:
        F = squares[source] / df[source] / (squares["error"] / df["error"])
        pvalue = float(fdtrc(df[source], df["error"], F))
    elif source != "error" and squares[source] == 0:
        pvalue = 1.0
    return Variation(source, df[source], squares[source], F, pvalue)


def _warn_of_no_error(table: FoldTable) -> None:
    warn(
        f"The learners differ by the same amount in every fold ({table.measure} on {table.data_set}), so there is "
        "no error to hold the differences against and no p-value (nan); use more folds or cases.",
        DegenerateComparisonWarning,
    )


def blocks_assumed(table: FoldTable) -> str:
    """What an analysis of variance over folds takes for granted."""
    said = (
        "Values are learner effect + fold effect + independent normal errors of one variance. Folds share "
        "training cases, so errors are not quite independent and p-values tend to be too small."
    )
    repeats, folds = (len(set(each)) for each in zip(*table.blocks, strict=True))
    if repeats > 1 and folds > 1:
        said += f" The {repeats} repeats use the same cases again, which makes this much worse: use corrected_t."
    elif repeats > 1:
        said += f" The {repeats} test sets may share cases too: use corrected_t."
    return said
