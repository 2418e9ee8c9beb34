"""Summaries of a study: what its fold values say, each as a Result with a table, a picture and what it assumes."""

from polyroc.studies.summaries.anova import anova
from polyroc.studies.summaries.bayesian import correlated_t, signed_rank
from polyroc.studies.summaries.fold_spread import spread, wilcoxon_error, wilcoxon_errors
from polyroc.studies.summaries.friedman import friedman
from polyroc.studies.summaries.paired import corrected_t, wilcoxon
from polyroc.studies.summaries.pooled import averaged_roc, pooled_roc, pooled_test
from polyroc.studies.summaries.range_tests import duncan, tukey
from polyroc.studies.summaries.recommendation import recommend

__all__ = [
    "anova",
    "averaged_roc",
    "corrected_t",
    "correlated_t",
    "duncan",
    "friedman",
    "pooled_roc",
    "pooled_test",
    "recommend",
    "signed_rank",
    "spread",
    "tukey",
    "wilcoxon",
    "wilcoxon_error",
    "wilcoxon_errors",
]
