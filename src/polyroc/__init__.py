"""polyroc: ROC analysis for any number of classes, with standard errors, intervals and paired tests.

>>> import polyroc as pr
>>> pr.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], measure="auc")
Estimate(auc = 0.7500, standard error 0.3536, 95 % 0.0693 to 0.9918)
"""

from typing import TYPE_CHECKING

from polyroc._lazy import attach
from polyroc._version import __version__

if TYPE_CHECKING:
    from polyroc import (
        consistency,
        conversions,
        curves,
        datasets,
        decisions,
        errors,
        fronts,
        methods,
        results,
        studies,
    )
    from polyroc.consistency.compare_measures import compare_measures
    from polyroc.conversions import to_ordered, to_probabilities
    from polyroc.cross_validation.leave_pair_out import leave_pair_out
    from polyroc.cross_validation.out_of_fold import out_of_fold
    from polyroc.cross_validation.splits import folds_of
    from polyroc.curves.curve import curve
    from polyroc.curves.surface import surface
    from polyroc.data_options import scan
    from polyroc.decisions.decision_curve import decision_curve
    from polyroc.decisions.operate import operate
    from polyroc.decisions.rates import rates
    from polyroc.engines.tally import Tally
    from polyroc.fronts.front import front
    from polyroc.fronts.search import search_front
    from polyroc.inference.compare import compare
    from polyroc.inference.evaluate import evaluate
    from polyroc.inference.scorer import scorer
    from polyroc.io.read import read
    from polyroc.measures.measure import Measure
    from polyroc.measures.registry import measure
    from polyroc.plots import plot
    from polyroc.power.sample_size import sample_size
    from polyroc.readers.plan import plan_reader_study
    from polyroc.readers.reader_study import reader_study
    from polyroc.reliability.calibration import calibration
    from polyroc.reports.report import report
    from polyroc.rules import Rule
    from polyroc.scores import Scores
    from polyroc.studies.plan import Plan
    from polyroc.studies.study import study

__all__ = [
    "Measure",
    "Plan",
    "Rule",
    "Scores",
    "Tally",
    "__version__",
    "calibration",
    "compare",
    "compare_measures",
    "consistency",
    "conversions",
    "curve",
    "curves",
    "datasets",
    "decision_curve",
    "decisions",
    "errors",
    "evaluate",
    "folds_of",
    "front",
    "fronts",
    "leave_pair_out",
    "measure",
    "methods",
    "operate",
    "out_of_fold",
    "plan_reader_study",
    "plot",
    "rates",
    "read",
    "reader_study",
    "report",
    "results",
    "sample_size",
    "scan",
    "scorer",
    "search_front",
    "studies",
    "study",
    "surface",
    "to_ordered",
    "to_probabilities",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Measure": "polyroc.measures.measure",
        "Plan": "polyroc.studies.plan",
        "Rule": "polyroc.rules",
        "Scores": "polyroc.scores",
        "Tally": "polyroc.engines.tally",
        "calibration": "polyroc.reliability.calibration",
        "compare": "polyroc.inference.compare",
        "compare_measures": "polyroc.consistency.compare_measures",
        "consistency": "polyroc.consistency",
        "conversions": "polyroc.conversions",
        "curve": "polyroc.curves.curve",
        "curves": "polyroc.curves",
        "datasets": "polyroc.datasets",
        "decision_curve": "polyroc.decisions.decision_curve",
        "decisions": "polyroc.decisions",
        "errors": "polyroc.errors",
        "evaluate": "polyroc.inference.evaluate",
        "folds_of": "polyroc.cross_validation.splits",
        "front": "polyroc.fronts.front",
        "fronts": "polyroc.fronts",
        "leave_pair_out": "polyroc.cross_validation.leave_pair_out",
        "measure": "polyroc.measures.registry",
        "methods": "polyroc.methods",
        "operate": "polyroc.decisions.operate",
        "out_of_fold": "polyroc.cross_validation.out_of_fold",
        "plan_reader_study": "polyroc.readers.plan",
        "plot": "polyroc.plots",
        "rates": "polyroc.decisions.rates",
        "read": "polyroc.io.read",
        "reader_study": "polyroc.readers.reader_study",
        "report": "polyroc.reports.report",
        "results": "polyroc.results",
        "sample_size": "polyroc.power.sample_size",
        "scan": "polyroc.data_options",
        "scorer": "polyroc.inference.scorer",
        "search_front": "polyroc.fronts.search",
        "studies": "polyroc.studies",
        "study": "polyroc.studies.study",
        "surface": "polyroc.curves.surface",
        "to_ordered": "polyroc.conversions",
        "to_probabilities": "polyroc.conversions",
    },
)
