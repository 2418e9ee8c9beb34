"""Measures compared with each other: consistency and discriminancy (Ling, Huang & Zhang 2003)."""

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
    from polyroc.consistency.practice import OrderKept, Separation, order_kept, separation
    from polyroc.consistency.result import MeasureComparison, MeasureComparisons
    from polyroc.measures.outputs import Outputs

__all__ = [
    "DirichletModel",
    "GaussianModel",
    "MeasureComparison",
    "MeasureComparisons",
    "OrderKept",
    "Outputs",
    "RankedLists",
    "ResampledModel",
    "Separation",
    "SimulationModel",
    "order_kept",
    "separation",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "DirichletModel": "polyroc.consistency.models",
        "GaussianModel": "polyroc.consistency.models",
        "MeasureComparison": "polyroc.consistency.result",
        "MeasureComparisons": "polyroc.consistency.result",
        "OrderKept": "polyroc.consistency.practice",
        "Outputs": "polyroc.measures.outputs",
        "RankedLists": "polyroc.consistency.models",
        "ResampledModel": "polyroc.consistency.models",
        "Separation": "polyroc.consistency.practice",
        "SimulationModel": "polyroc.consistency.models",
        "order_kept": "polyroc.consistency.practice",
        "separation": "polyroc.consistency.practice",
    },
)
