"""Comparison of measures with each other: consistency and discriminancy (Ling, Huang & Zhang 2003)."""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.consistency.models import (
        DirichletModel,
        GaussianModel,
        RankedLists,
        ResampledModel,
        SimulationModel,
    )
    from polyroc.consistency.practice import OrderStability, Separation, order_stability, separation
    from polyroc.consistency.result import MeasureComparison, MeasureComparisons
    from polyroc.measures.outputs import ClassifierOutputs

__all__ = [
    "ClassifierOutputs",
    "DirichletModel",
    "GaussianModel",
    "MeasureComparison",
    "MeasureComparisons",
    "OrderStability",
    "RankedLists",
    "ResampledModel",
    "Separation",
    "SimulationModel",
    "order_stability",
    "separation",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "DirichletModel": "polyroc.consistency.models",
        "GaussianModel": "polyroc.consistency.models",
        "MeasureComparison": "polyroc.consistency.result",
        "MeasureComparisons": "polyroc.consistency.result",
        "OrderStability": "polyroc.consistency.practice",
        "ClassifierOutputs": "polyroc.measures.outputs",
        "RankedLists": "polyroc.consistency.models",
        "ResampledModel": "polyroc.consistency.models",
        "Separation": "polyroc.consistency.practice",
        "SimulationModel": "polyroc.consistency.models",
        "order_stability": "polyroc.consistency.practice",
        "separation": "polyroc.consistency.practice",
    },
)
