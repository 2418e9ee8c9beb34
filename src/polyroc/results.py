"""The results of all verbs."""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.consistency.practice import OrderStability, Separation
    from polyroc.consistency.result import MeasureComparison, MeasureComparisons
    from polyroc.curves.binormal import BinormalFit
    from polyroc.curves.curve_test import CurveDistance, CurveTest
    from polyroc.curves.hull import Hull
    from polyroc.curves.result import Band, Curve, Curves
    from polyroc.curves.surface import Surface
    from polyroc.decisions.benefit_differences import BenefitDifference
    from polyroc.decisions.decision_curve import DecisionCurve
    from polyroc.decisions.operating_point import OperatingPoint
    from polyroc.decisions.rate_matrix import Rates
    from polyroc.decisions.regions import DecisionRegions
    from polyroc.decisions.uncertainty import ThresholdUncertainty
    from polyroc.estimates.certificate import Certificate
    from polyroc.estimates.comparison import Comparison
    from polyroc.estimates.difference import Difference
    from polyroc.estimates.estimate import Estimate
    from polyroc.estimates.evaluation import Evaluation
    from polyroc.estimates.grouped import Grouped
    from polyroc.estimates.interaction import Interaction
    from polyroc.estimates.intervals import ConfidenceInterval
    from polyroc.fronts.case_errors import CaseErrors, VolumeDifference
    from polyroc.fronts.dominated_volume import Volume
    from polyroc.fronts.held_out import HeldOut
    from polyroc.fronts.joint import JointFront
    from polyroc.fronts.result import Front
    from polyroc.fronts.volume_table import FrontVolumes
    from polyroc.power.result import SampleSize
    from polyroc.readers.effects import ReaderAverage, ReaderDifference
    from polyroc.readers.plan_result import ReaderPlan, ReaderVariances
    from polyroc.readers.result import ReaderStudy
    from polyroc.reliability.grouped import GroupedCalibration
    from polyroc.reliability.result import Calibration, EventCalibration, ReliabilityCurve
    from polyroc.reports.result import Report
    from polyroc.studies.fold_values import FoldTable
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
    "Band",
    "BenefitDifference",
    "BinormalFit",
    "Calibration",
    "CaseErrors",
    "Certificate",
    "Comparison",
    "ConfidenceInterval",
    "Curve",
    "CurveDistance",
    "CurveTest",
    "Curves",
    "DecisionCurve",
    "DecisionRegions",
    "Difference",
    "Estimate",
    "Evaluation",
    "EventCalibration",
    "FoldTable",
    "Friedman",
    "Front",
    "FrontVolumes",
    "Grouped",
    "GroupedCalibration",
    "HeldOut",
    "Hull",
    "Interaction",
    "JointFront",
    "MeasureComparison",
    "MeasureComparisons",
    "OperatingPoint",
    "OrderStability",
    "PairedTests",
    "Posteriors",
    "RangeTest",
    "Rates",
    "ReaderAverage",
    "ReaderDifference",
    "ReaderPlan",
    "ReaderStudy",
    "ReaderVariances",
    "Recommendation",
    "ReliabilityCurve",
    "Report",
    "SampleSize",
    "Separation",
    "Spread",
    "Study",
    "Surface",
    "ThresholdUncertainty",
    "Volume",
    "VolumeDifference",
    "WilcoxonErrors",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Anova": "polyroc.studies.summaries.anova",
        "Band": "polyroc.curves.result",
        "BenefitDifference": "polyroc.decisions.benefit_differences",
        "BinormalFit": "polyroc.curves.binormal",
        "Calibration": "polyroc.reliability.result",
        "CaseErrors": "polyroc.fronts.case_errors",
        "Certificate": "polyroc.estimates.certificate",
        "Comparison": "polyroc.estimates.comparison",
        "ConfidenceInterval": "polyroc.estimates.intervals",
        "Curve": "polyroc.curves.result",
        "CurveDistance": "polyroc.curves.curve_test",
        "CurveTest": "polyroc.curves.curve_test",
        "Curves": "polyroc.curves.result",
        "DecisionCurve": "polyroc.decisions.decision_curve",
        "DecisionRegions": "polyroc.decisions.regions",
        "Difference": "polyroc.estimates.difference",
        "Estimate": "polyroc.estimates.estimate",
        "Evaluation": "polyroc.estimates.evaluation",
        "EventCalibration": "polyroc.reliability.result",
        "FoldTable": "polyroc.studies.fold_values",
        "Friedman": "polyroc.studies.summaries.friedman",
        "Front": "polyroc.fronts.result",
        "FrontVolumes": "polyroc.fronts.volume_table",
        "Grouped": "polyroc.estimates.grouped",
        "GroupedCalibration": "polyroc.reliability.grouped",
        "HeldOut": "polyroc.fronts.held_out",
        "Hull": "polyroc.curves.hull",
        "Interaction": "polyroc.estimates.interaction",
        "JointFront": "polyroc.fronts.joint",
        "MeasureComparison": "polyroc.consistency.result",
        "MeasureComparisons": "polyroc.consistency.result",
        "OperatingPoint": "polyroc.decisions.operating_point",
        "OrderStability": "polyroc.consistency.practice",
        "PairedTests": "polyroc.studies.summaries.paired_tests",
        "Posteriors": "polyroc.studies.summaries.bayesian",
        "RangeTest": "polyroc.studies.summaries.range_tests",
        "Rates": "polyroc.decisions.rate_matrix",
        "ReaderAverage": "polyroc.readers.effects",
        "ReaderDifference": "polyroc.readers.effects",
        "ReaderPlan": "polyroc.readers.plan_result",
        "ReaderStudy": "polyroc.readers.result",
        "ReaderVariances": "polyroc.readers.plan_result",
        "Recommendation": "polyroc.studies.summaries.recommendation",
        "ReliabilityCurve": "polyroc.reliability.result",
        "Report": "polyroc.reports.result",
        "SampleSize": "polyroc.power.result",
        "Separation": "polyroc.consistency.practice",
        "Spread": "polyroc.studies.summaries.spread",
        "Study": "polyroc.studies.result",
        "Surface": "polyroc.curves.surface",
        "ThresholdUncertainty": "polyroc.decisions.uncertainty",
        "Volume": "polyroc.fronts.dominated_volume",
        "VolumeDifference": "polyroc.fronts.case_errors",
        "WilcoxonErrors": "polyroc.studies.summaries.spread",
    },
)
