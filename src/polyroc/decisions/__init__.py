"""Decisions and their costs: confusion rates, operating points, net benefit, decision regions."""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.decisions.classifier import OperatingPointClassifier
    from polyroc.decisions.regions import decision_regions
    from polyroc.rules import CostRule, CutPointRule, MossmanRule, ThresholdRule

__all__ = [
    "CostRule",
    "CutPointRule",
    "MossmanRule",
    "OperatingPointClassifier",
    "ThresholdRule",
    "decision_regions",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "CostRule": "polyroc.rules",
        "CutPointRule": "polyroc.rules",
        "MossmanRule": "polyroc.rules",
        "OperatingPointClassifier": "polyroc.decisions.classifier",
        "ThresholdRule": "polyroc.rules",
        "decision_regions": "polyroc.decisions.regions",
    },
)
