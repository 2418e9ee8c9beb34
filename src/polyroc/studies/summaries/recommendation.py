"""The recommended test for a study, with the reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyroc._results.invariants import Invariants, at_least
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.errors import InputError
from polyroc.studies.fold_values import FoldTable
from polyroc.validation.signatures import validated

__all__ = ["Recommendation", "recommend"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Recommendation(Result):
    """The recommended test for a study, and alternatives.

    Attributes
    ----------
    test
        Name of the function, such as "corrected_t".
    why
        The reason, in a sentence.
    others
        Other tests by name, with their purpose.
    data_sets, learners, folds
        Their numbers; folds of the data set with the fewest.
    provenance
        Version.
    """

    test: str
    why: str
    others: Mapping[str, str]
    data_sets: int
    learners: int
    folds: int
    provenance: Provenance

    def _invariants(self) -> Invariants:
        yield at_least([self.data_sets, self.learners, self.folds], 0), "counts must be 0 or more"

    def __str__(self) -> str:
        return f"Use {self.test}: {self.why}"

    def __repr__(self) -> str:
        return f"Recommendation({self.test}: {self.why})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """The recommended test, then the others."""
        reasons = {self.test: self.why, **self.others}
        return [
            {"test": test, "recommended": test == self.test, "why": reason} for test, reason in reasons.items()
        ]


OTHERS = {
    "corrected_t": "for one data set at a time, if it is the only one of interest",
    "fold_test": "the same, for the trained classifiers as they are, on their predictions within folds",
    "duncan": "for groups on one data set, drawn as Bradley (1997) did; its p-values are too small",
    "tukey": "the same, holding the level for all pairs together as far as folds are independent",
    "friedman": "for one picture of all learners over data sets (critical differences)",
    "wilcoxon": "for pairs of learners over data sets",
    "correlated_t": "to show that two learners are practically equal on one data set",
    "signed_rank": "to show that two learners are practically equal over data sets",
}
LEVEL = 0.05
FEWEST_DATA_SETS = 6  # with which a signed-rank test of one pair can reach the level: 2 / 2^6 = 0.03


@validated
def recommend(tables: FoldTable | Sequence[FoldTable]) -> Recommendation:
    """Recommend a test for the numbers of data sets, learners and folds.

    One data set: the comparison within folds if the cross-validation was repeated, otherwise the corrected t,
    which rejects too often with repeats (docs/cross_validation.md has the simulations of both). A single test
    set, or folds of one case: the comparison of the predictions. Fewer than six data sets: the corrected t on
    each, since no test over data sets can reach 5 %. Two learners on more: Wilcoxon's test. Several:
    Wilcoxon's test with Holm's adjustment if there are enough data sets for any of the pairs to reach 5 %;
    else Friedman's test with Nemenyi's.

    Parameters
    ----------
    tables
        A `FoldTable`, or one for each data set.

    Examples
    --------
    >>> import numpy as np
    >>> table = FoldTable(np.ones((10, 3)), ("a", "b", "c"), tuple((0, k) for k in range(10)), 90.0, 10.0)
    >>> print(recommend(table))
    Use corrected_t: one data set, 10 folds that share training cases, so differences over folds vary less than
    those of new training sets would; the corrected t allows for it. Repeats of the folds would allow fold_test,
    which is better supported.
    """
    tables = [tables] if isinstance(tables, FoldTable) else list(tables)
    if not tables:
        raise InputError("tables must be a FoldTable, or one for each data set, got none.")
    N, c = len(tables), max(len(table.learners) for table in tables)
    folds = min(len(table.values) for table in tables)
    if c < 2:
        raise InputError(f"A comparison needs two or more learners, got {c}.")
    test, reason = _choice(tables, N, c, folds)
    left_out = {test, *(() if N > 1 else OVER_DATA_SETS)}
    others = {name: when for name, when in OTHERS.items() if name not in left_out}
    return Recommendation(test, reason, others, N, c, folds, Provenance({}, None))


OVER_DATA_SETS = ("friedman", "wilcoxon", "signed_rank")


def _is_repeated(tables: Sequence[FoldTable]) -> bool:
    """Whether all data sets were cross-validated more than once; test sets drawn at random are no folds."""
    return all(len(table.blocks) > len({repeat for repeat, _ in table.blocks}) > 1 for table in tables)


def _choice(tables: Sequence[FoldTable], N: int, c: int, folds: int) -> tuple[str, str]:
    pairs = c * (c - 1) // 2
    if min(table.test_size for table in tables) < 2:
        return "fold_test", (
            "folds of one case have no value each, so the predictions of all folds are compared as one sample. "
            "That is biased where scores depend on class frequencies; repeats of larger folds are not."
        )
    if folds < 2:
        return "fold_test", "one test set; the predictions of its cases are paired and independent."
    if N == 1 and _is_repeated(tables):
        return "fold_test", (
            f"one data set, {folds} folds of several repeats, which show how much the errors of folds that share "
            "training cases are correlated; the corrected t, which assumes it, rejects too often with repeats."
        )
    if N == 1:
        return "corrected_t", (
            f"one data set, {folds} folds that share training cases, so differences over folds vary less than "
            "those of new training sets would; the corrected t allows for it. Repeats of the folds would allow "
            "fold_test, which is better supported."
        )
    if N < FEWEST_DATA_SETS:
        return "corrected_t", (
            f"{N} data sets are too few for a test over data sets (six can reach 5 %); take each by itself."
        )
    if c == 2:
        return (
            "wilcoxon",
            f"two learners on {N} data sets: paired differences, no normality needed.",
        )
    if pairs * 2.0 ** (1 - N) <= LEVEL:
        return "wilcoxon", (
            f"{c} learners on {N} data sets, enough for {pairs} pairs with Holm's adjustment; unlike Nemenyi's, "
            "the verdict on a pair does not depend on the other learners."
        )
    return "friedman", (
        f"{c} learners on {N} data sets; with Holm's adjustment for {pairs} pairs Wilcoxon's test could not reach "
        "5 % on so few, Nemenyi's critical difference can."
    )
