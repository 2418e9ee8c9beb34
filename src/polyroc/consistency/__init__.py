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
    from polyroc.consistency.practice import order_stability, separation
    from polyroc.measures.outputs import ClassifierOutputs

__all__ = [
    "ClassifierOutputs",
    "DirichletModel",
    "GaussianModel",
    "RankedLists",
    "ResampledModel",
    "SimulationModel",
    "order_stability",
    "separation",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "ClassifierOutputs": "polyroc.measures.outputs",
        "DirichletModel": "polyroc.consistency.models",
        "GaussianModel": "polyroc.consistency.models",
        "RankedLists": "polyroc.consistency.models",
        "ResampledModel": "polyroc.consistency.models",
        "SimulationModel": "polyroc.consistency.models",
        "order_stability": "polyroc.consistency.practice",
        "separation": "polyroc.consistency.practice",
    },
)
