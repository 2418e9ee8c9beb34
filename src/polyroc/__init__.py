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
        estimates,
        fronts,
        power,
        readers,
        reliability,
        studies,
    )
    from polyroc.consistency.compare_measures import compare_measures
    from polyroc.conversions import to_ordered, to_probabilities
    from polyroc.cross_validation.leave_pair_out import leave_pair_out
    from polyroc.cross_validation.out_of_fold import out_of_fold
    from polyroc.cross_validation.splits import folds_of
    from polyroc.curves.curve import curve
    from polyroc.curves.result import Curve, Curves
    from polyroc.curves.surface import Surface, surface
    from polyroc.data_options import scan
    from polyroc.decisions.decision_curve import decision_curve
    from polyroc.decisions.operate import operate
    from polyroc.decisions.operating_point import OperatingPoint
    from polyroc.decisions.rate_matrix import Rates
    from polyroc.decisions.rates import rates
    from polyroc.engines.tally import Tally
    from polyroc.estimates.comparison import Comparison
    from polyroc.estimates.difference import Difference
    from polyroc.estimates.estimate import Estimate
    from polyroc.estimates.evaluation import Evaluation
    from polyroc.fronts.front import front
    from polyroc.fronts.result import Front
    from polyroc.fronts.search import search_front
    from polyroc.inference.compare import compare
    from polyroc.inference.evaluate import evaluate
    from polyroc.inference.methods.bootstrap import Bootstrap
    from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil
    from polyroc.inference.methods.influence import DeLong, Influence
    from polyroc.inference.methods.jackknife import Jackknife
    from polyroc.inference.methods.ledell import LeDell
    from polyroc.inference.methods.mcnemar import McNemar
    from polyroc.inference.methods.permutation import Permutation
    from polyroc.inference.methods.unbiased import Unbiased
    from polyroc.inference.scorer import scorer
    from polyroc.io.read import read
    from polyroc.measures.measure import Measure
    from polyroc.measures.registry import measure
    from polyroc.plots import plot
    from polyroc.power.result import SampleSize
    from polyroc.power.sample_size import sample_size
    from polyroc.readers.plan import plan_reader_study
    from polyroc.readers.plan_result import ReaderPlan
    from polyroc.readers.reader_study import reader_study
    from polyroc.readers.result import ReaderStudy
    from polyroc.reliability.calibration import calibration
    from polyroc.reports.report import report
    from polyroc.reports.result import Report
    from polyroc.rules import Rule
    from polyroc.scores import Scores
    from polyroc.studies.plan import Plan
    from polyroc.studies.result import Study
    from polyroc.studies.study import study

__all__ = [
    "Bootstrap",
    "Comparison",
    "Curve",
    "Curves",
    "DeLong",
    "Difference",
    "Estimate",
    "Evaluation",
    "Front",
    "HanleyMcNeil",
    "Influence",
    "Jackknife",
    "LeDell",
    "McNemar",
    "Measure",
    "OperatingPoint",
    "Permutation",
    "Plan",
    "Rates",
    "ReaderPlan",
    "ReaderStudy",
    "Report",
    "Rule",
    "SampleSize",
    "Scores",
    "Study",
    "Surface",
    "Tally",
    "Unbiased",
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
    "estimates",
    "evaluate",
    "folds_of",
    "front",
    "fronts",
    "leave_pair_out",
    "measure",
    "operate",
    "out_of_fold",
    "plan_reader_study",
    "plot",
    "power",
    "rates",
    "read",
    "reader_study",
    "readers",
    "reliability",
    "report",
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
        "Bootstrap": "polyroc.inference.methods.bootstrap",
        "Comparison": "polyroc.estimates.comparison",
        "Curve": "polyroc.curves.result",
        "Curves": "polyroc.curves.result",
        "DeLong": "polyroc.inference.methods.influence",
        "Influence": "polyroc.inference.methods.influence",
        "Difference": "polyroc.estimates.difference",
        "Estimate": "polyroc.estimates.estimate",
        "Evaluation": "polyroc.estimates.evaluation",
        "Front": "polyroc.fronts.result",
        "HanleyMcNeil": "polyroc.inference.methods.hanley_mcneil",
        "Jackknife": "polyroc.inference.methods.jackknife",
        "LeDell": "polyroc.inference.methods.ledell",
        "Measure": "polyroc.measures.measure",
        "OperatingPoint": "polyroc.decisions.operating_point",
        "McNemar": "polyroc.inference.methods.mcnemar",
        "Permutation": "polyroc.inference.methods.permutation",
        "Plan": "polyroc.studies.plan",
        "Rates": "polyroc.decisions.rate_matrix",
        "ReaderPlan": "polyroc.readers.plan_result",
        "ReaderStudy": "polyroc.readers.result",
        "Report": "polyroc.reports.result",
        "Rule": "polyroc.rules",
        "SampleSize": "polyroc.power.result",
        "Scores": "polyroc.scores",
        "Study": "polyroc.studies.result",
        "Surface": "polyroc.curves.surface",
        "Tally": "polyroc.engines.tally",
        "Unbiased": "polyroc.inference.methods.unbiased",
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
        "estimates": "polyroc.estimates",
        "evaluate": "polyroc.inference.evaluate",
        "folds_of": "polyroc.cross_validation.splits",
        "front": "polyroc.fronts.front",
        "fronts": "polyroc.fronts",
        "leave_pair_out": "polyroc.cross_validation.leave_pair_out",
        "measure": "polyroc.measures.registry",
        "operate": "polyroc.decisions.operate",
        "out_of_fold": "polyroc.cross_validation.out_of_fold",
        "plan_reader_study": "polyroc.readers.plan",
        "plot": "polyroc.plots",
        "power": "polyroc.power",
        "rates": "polyroc.decisions.rates",
        "read": "polyroc.io.read",
        "reader_study": "polyroc.readers.reader_study",
        "readers": "polyroc.readers",
        "reliability": "polyroc.reliability",
        "report": "polyroc.reports.report",
        "sample_size": "polyroc.power.sample_size",
        "scan": "polyroc.data_options",
        "search_front": "polyroc.fronts.search",
        "scorer": "polyroc.inference.scorer",
        "studies": "polyroc.studies",
        "study": "polyroc.studies.study",
        "surface": "polyroc.curves.surface",
        "to_ordered": "polyroc.conversions",
        "to_probabilities": "polyroc.conversions",
    },
)
