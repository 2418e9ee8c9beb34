"""McNemar's test of paired proportions, and Cochran's Q for more than two classifiers."""

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from polyroc.errors import NotApplicableError
from polyroc.inference.methods.method import PairedPvalues, PairedTest
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.measures.applicability import require_plain_cases
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.messages import Call, Option
from polyroc.scores import Scores
from polyroc.validation.signatures import validate_fields

__all__ = ["McNemar", "cochran_q", "mcnemar_pvalue"]


@dataclass(frozen=True, slots=True)
class McNemar(PairedTest):
    """McNemar's test of paired decisions: of the cases that only one of two classifiers decides rightly.

    For the accuracy, and for the sensitivity or specificity of decisions, which are of the cases of one class.
    With b cases that only the first decides rightly and c that only the second does, b is binomial with b + c
    trials and probability 1/2 if both are equally often right. The test that all of three classifiers or more are
    equal is Cochran's Q. Standard errors and intervals are those of `Influence()`, the latter stretched to agree
    with the p-values of the pairs.

    Attributes
    ----------
    exact
        True: the binomial distribution. False: chi-square of `(|b - c| - 1)^2 / (b + c)`, Edwards's correction
        included.
    corrected
        Whether the chi-square test is corrected for continuity.

    References
    ----------
    McNemar, Psychometrika 12 (1947) 153-157. Cochran, Biometrika 37 (1950) 256-266. Edwards, Psychometrika 13
    (1948) 185-187.
    """

    name: ClassVar[str] = "mcnemar"
    test: ClassVar[str] = "McNemar's test"

    exact: bool = True
    corrected: bool = True

    def __post_init__(self) -> None:
        validate_fields(self)

    def paired_pvalues(self, measure: Measure, scores: Scores | None) -> PairedPvalues:
        """McNemar's test of each pair; of all, Cochran's Q, or that of the only pair."""
        if scores is None:
            raise NotApplicableError(
                Option("method", Call("McNemar")), " needs the decisions of all classifiers on the same cases."
            )
        if not measure.proportion:
            raise NotApplicableError(
                f"McNemar's test is for proportions of right decisions, not for {measure}; use it with accuracy, "
                "sensitivity or specificity, or ",
                Option("method", Call("Influence"), Call("Permutation")),
                ".",
            )
        require_plain_cases(self, scores)
        if scores.within_folds:
            raise NotApplicableError(
                "McNemar's test counts cases once, but measures of folds are averaged over folds; use ",
                Option("pooled", True),
                ", since decisions can be pooled, or ",
                Option("method", Call("Influence")),
                ".",
            )
        right = np.array([_right(measure, Sample(scores, name)) for name in scores.classifiers])
        pairs = {
            (scores.classifiers[i], scores.classifiers[j]): mcnemar_pvalue(
                int((right[i] & ~right[j]).sum()), int((right[j] & ~right[i]).sum()), self.exact, self.corrected
            )
            for i, j in combinations(range(len(right)), 2)
        }
        if len(pairs) == 1:
            return PairedPvalues(next(iter(pairs.values())), pairs)
        return PairedPvalues(cochran_q(right)[1], pairs)


def _right(measure: Measure, sample: Sample) -> BoolArray:
    """Which cases are decided rightly, of those that the measure counts; the others are False."""
    right = np.zeros(len(sample.scores), dtype=np.bool_)
    for stratum in measure(sample).strata():
        shares: FloatArray = stratum.components / (
            stratum.reach or 1.0
        )  # 1 for a right decision, 0 for a wrong one
        if not np.isin(np.round(shares, 9), (0.0, 1.0)).all():
            raise NotApplicableError(
                "McNemar's test counts right decisions, but some cases have several largest scores; decide them, "
                "or use ",
                Option("method", Call("Influence")),
                ".",
            )
        right[stratum.cases()] = shares > 0.5
    return right


def mcnemar_pvalue(b: int, c: int, exact: bool = True, corrected: bool = True) -> float:
    """The two-sided p-value of McNemar's test, from the numbers of cases that only one classifier decides rightly.

    >>> round(mcnemar_pvalue(2, 8), 6), round(mcnemar_pvalue(2, 8, exact=False), 6)
    (0.109375, 0.113846)
    """
    from scipy.special import bdtr, chdtrc

    if b + c == 0:
        return 1.0
    if exact:
        return min(1.0, 2.0 * float(bdtr(min(b, c), b + c, 0.5)))
    distance = max(abs(b - c) - (1.0 if corrected else 0.0), 0.0)
    return float(chdtrc(1, distance**2 / (b + c)))


def cochran_q(right: BoolArray) -> tuple[float, float]:
    """Cochran's Q of the right decisions, at [classifier, case], and its p-value.

    >>> q, p = cochran_q(np.array([[1, 1, 1, 0], [1, 0, 1, 0], [0, 0, 1, 0]], dtype=bool))
    >>> round(q, 6), round(p, 6)
    (3.0, 0.22313)
    """
    from scipy.special import chdtrc

    k, by_classifier, by_case = len(right), right.sum(axis=1), right.sum(axis=0)
    total = int(by_case.sum())
    varying = k * total - int((by_case**2).sum())  # 0 if all classifiers are right on the same cases
    if varying == 0:
        return 0.0, 1.0
    q = (k - 1) * (k * int((by_classifier**2).sum()) - total**2) / varying
    return float(q), float(chdtrc(k - 1, q))
