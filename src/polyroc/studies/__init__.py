"""Studies: learners compared on data sets by cross-validation (Bradley 1997); resumable.

A study is described by a `Plan` (TOML); `study` runs it into a store and returns a `Study`.
"""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.studies import summaries
    from polyroc.studies.fold_values import FoldTable, fold_table
    from polyroc.studies.imported import import_predictions
    from polyroc.studies.plan import Plan
    from polyroc.studies.prediction_files import case_folds
    from polyroc.studies.result import Study
    from polyroc.studies.summaries.anova import Anova
    from polyroc.studies.summaries.bayesian import Posteriors
    from polyroc.studies.summaries.friedman import Friedman
    from polyroc.studies.summaries.paired_tests import PairedTests
    from polyroc.studies.summaries.range_tests import RangeTest
    from polyroc.studies.summaries.recommendation import Recommendation
    from polyroc.studies.summaries.spread import Spread, WilcoxonErrors

__all__ = [
    "Anova",
    "FoldTable",
    "Friedman",
    "PairedTests",
    "Plan",
    "Posteriors",
    "RangeTest",
    "Recommendation",
    "Spread",
    "Study",
    "WilcoxonErrors",
    "case_folds",
    "fold_table",
    "import_predictions",
    "summaries",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Anova": "polyroc.studies.summaries.anova",
        "FoldTable": "polyroc.studies.fold_values",
        "Friedman": "polyroc.studies.summaries.friedman",
        "PairedTests": "polyroc.studies.summaries.paired_tests",
        "Plan": "polyroc.studies.plan",
        "Posteriors": "polyroc.studies.summaries.bayesian",
        "RangeTest": "polyroc.studies.summaries.range_tests",
        "Recommendation": "polyroc.studies.summaries.recommendation",
        "Spread": "polyroc.studies.summaries.spread",
        "Study": "polyroc.studies.result",
        "WilcoxonErrors": "polyroc.studies.summaries.spread",
        "case_folds": "polyroc.studies.prediction_files",
        "fold_table": "polyroc.studies.fold_values",
        "import_predictions": "polyroc.studies.imported",
        "summaries": "polyroc.studies.summaries",
    },
)
