"""Decisions and their costs: confusion rates, operating points, net benefit, decision regions."""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.decisions.benefit_differences import BenefitDifference
    from polyroc.decisions.classifier import OperatingPointClassifier
    from polyroc.decisions.decision_curve import DecisionCurve
    from polyroc.decisions.operating_point import OperatingPoint
    from polyroc.decisions.rate_matrix import Rates
    from polyroc.decisions.regions import DecisionRegions, decision_regions
    from polyroc.decisions.uncertainty import ThresholdUncertainty
    from polyroc.rules import CostRule, CutPointRule, MossmanRule, ThresholdRule

__all__ = [
    "BenefitDifference",
    "CostRule",
    "CutPointRule",
    "DecisionCurve",
    "DecisionRegions",
    "MossmanRule",
    "OperatingPoint",
    "OperatingPointClassifier",
    "Rates",
    "ThresholdRule",
    "ThresholdUncertainty",
    "decision_regions",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "BenefitDifference": "polyroc.decisions.benefit_differences",
        "CostRule": "polyroc.rules",
        "CutPointRule": "polyroc.rules",
        "DecisionCurve": "polyroc.decisions.decision_curve",
        "DecisionRegions": "polyroc.decisions.regions",
        "MossmanRule": "polyroc.rules",
        "OperatingPoint": "polyroc.decisions.operating_point",
        "OperatingPointClassifier": "polyroc.decisions.classifier",
        "Rates": "polyroc.decisions.rate_matrix",
        "ThresholdRule": "polyroc.rules",
        "ThresholdUncertainty": "polyroc.decisions.uncertainty",
        "decision_regions": "polyroc.decisions.regions",
    },
)
