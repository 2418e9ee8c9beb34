"""Pareto fronts of error rates: the multi-class ROC surface of Everson & Fieldsend.

Equation numbers in this package are those of the version of 2005; the paper appeared in Pattern Recognition
Letters 27 (2006) 918-927.
"""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.fronts.dominated_volume import chance_volume, exclusive_volume, gini_volume
    from polyroc.fronts.families.estimator import EstimatorFamily
    from polyroc.fronts.families.family import Family
    from polyroc.fronts.families.logistic import LogisticFamily
    from polyroc.fronts.families.neighbours import NearestNeighbours
    from polyroc.fronts.joint import joint_front
    from polyroc.fronts.members import MemberClassifier
    from polyroc.fronts.models import PointClassifier
    from polyroc.fronts.volume_table import front_volumes

__all__ = [
    "EstimatorFamily",
    "Family",
    "LogisticFamily",
    "MemberClassifier",
    "NearestNeighbours",
    "PointClassifier",
    "chance_volume",
    "exclusive_volume",
    "front_volumes",
    "gini_volume",
    "joint_front",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "EstimatorFamily": "polyroc.fronts.families.estimator",
        "Family": "polyroc.fronts.families.family",
        "LogisticFamily": "polyroc.fronts.families.logistic",
        "MemberClassifier": "polyroc.fronts.members",
        "NearestNeighbours": "polyroc.fronts.families.neighbours",
        "PointClassifier": "polyroc.fronts.models",
        "chance_volume": "polyroc.fronts.dominated_volume",
        "exclusive_volume": "polyroc.fronts.dominated_volume",
        "front_volumes": "polyroc.fronts.volume_table",
        "gini_volume": "polyroc.fronts.dominated_volume",
        "joint_front": "polyroc.fronts.joint",
    },
)
