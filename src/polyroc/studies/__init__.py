"""Studies: learners compared on data sets by cross-validation (Bradley 1997); resumable.

A study is described by a `Plan` (TOML); `study` runs it into a store and returns a `Study`.
"""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.studies import summaries
    from polyroc.studies.plan import Plan
    from polyroc.studies.result import Study
    from polyroc.studies.summaries.anova import Anova
    from polyroc.studies.summaries.fold_spread import Spread, WilcoxonErrors
    from polyroc.studies.summaries.friedman import Friedman
    from polyroc.studies.summaries.paired_tests import PairedTests
    from polyroc.studies.summaries.posteriors import Posteriors
    from polyroc.studies.summaries.range_groups import RangeTest
    from polyroc.studies.summaries.recommendation import Recommendation

__all__ = [
    "Anova",
    "Friedman",
    "PairedTests",
    "Plan",
    "Posteriors",
    "RangeTest",
    "Recommendation",
    "Spread",
    "Study",
    "WilcoxonErrors",
    "summaries",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Anova": "polyroc.studies.summaries.anova",
        "Friedman": "polyroc.studies.summaries.friedman",
        "PairedTests": "polyroc.studies.summaries.paired_tests",
        "Plan": "polyroc.studies.plan",
        "Posteriors": "polyroc.studies.summaries.posteriors",
        "RangeTest": "polyroc.studies.summaries.range_groups",
        "Recommendation": "polyroc.studies.summaries.recommendation",
        "Spread": "polyroc.studies.summaries.fold_spread",
        "Study": "polyroc.studies.result",
        "WilcoxonErrors": "polyroc.studies.summaries.fold_spread",
        "summaries": "polyroc.studies.summaries",
    },
)
