"""Tests and summaries of fold values, each a result with a table, a plot and its assumptions."""

from polyroc.studies.summaries.anova import anova
from polyroc.studies.summaries.bayesian import correlated_t, signed_rank
from polyroc.studies.summaries.five_by_two import five_by_two
from polyroc.studies.summaries.fold_test import averaged_roc, fold_test, pooled_roc
from polyroc.studies.summaries.friedman import friedman
from polyroc.studies.summaries.paired_tests import corrected_t, wilcoxon
from polyroc.studies.summaries.range_tests import duncan, tukey
from polyroc.studies.summaries.recommendation import recommend
from polyroc.studies.summaries.spread import spread, wilcoxon_error, wilcoxon_errors

__all__ = [
    "anova",
    "averaged_roc",
    "corrected_t",
    "correlated_t",
    "duncan",
    "five_by_two",
    "fold_test",
    "friedman",
    "pooled_roc",
    "recommend",
    "signed_rank",
    "spread",
    "tukey",
    "wilcoxon",
    "wilcoxon_error",
    "wilcoxon_errors",
]
