"""polyroc: ROC analysis for any number of classes, with an honest error bar on every number.

>>> import polyroc as pr
>>> pr.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], measure="auc")
Estimate(auc = 0.7500, standard error 0.3536, 95 % 0.0693 to 0.9918)
"""

import importlib
from typing import TYPE_CHECKING, Any

from polyroc._version import __version__

if TYPE_CHECKING:
    from polyroc import datasets, errors
    from polyroc.contrasts import DirichletWorld, GaussianWorld, RankedLists, ResampledWorld, contrast
    from polyroc.contrasts.practice import order_kept, separation
    from polyroc.conversions import GaussianLikelihoods, to_ordered, to_probabilities
    from polyroc.costs.benefit import decision_curve
    from polyroc.costs.classifier import OperatingPointClassifier  # noqa: F401 - a star import needs no scikit-learn
    from polyroc.costs.operating import operate
    from polyroc.costs.rating import rates
    from polyroc.curves import curve
    from polyroc.fronts.sweeping import front
    from polyroc.fronts.volume import exclusive_volume, gini_volume
    from polyroc.inference.comparing import compare
    from polyroc.inference.evaluating import evaluate
    from polyroc.inference.methods import Bootstrap, DeLong, HanleyMcNeil, Jackknife, Permutation, Unbiased
    from polyroc.inference.power import Obuchowski, Simulation, area_correlation, sample_size
    from polyroc.inference.scoring import scorer
    from polyroc.io import read
    from polyroc.measures import Measure, measure
    from polyroc.plots import plot
    from polyroc.results import (
        BinormalFit,
        Comparison,
        ConfidenceInterval,
        Contrast,
        Contrasts,
        CostRule,
        Curve,
        Curves,
        DecisionCurve,
        Difference,
        Estimate,
        Evaluation,
        Front,
        Hull,
        MossmanRule,
        OperatingPoint,
        OrderKept,
        Rates,
        Rule,
        SampleSize,
        Separation,
        Surface,
        ThresholdRule,
        Volume,
    )
    from polyroc.scores import Scores
    from polyroc.surfaces import surface

__all__ = [
    "BinormalFit",
    "Bootstrap",
    "Comparison",
    "ConfidenceInterval",
    "Contrast",
    "Contrasts",
    "CostRule",
    "Curve",
    "Curves",
    "DeLong",
    "DecisionCurve",
    "Difference",
    "DirichletWorld",
    "Estimate",
    "Evaluation",
    "Front",
    "GaussianLikelihoods",
    "GaussianWorld",
    "HanleyMcNeil",
    "Hull",
    "Jackknife",
    "Measure",
    "MossmanRule",
    "Obuchowski",
    "OperatingPoint",
    "OrderKept",
    "Permutation",
    "RankedLists",
    "Rates",
    "ResampledWorld",
    "Rule",
    "SampleSize",
    "Scores",
    "Separation",
    "Simulation",
    "Surface",
    "ThresholdRule",
    "Unbiased",
    "Volume",
    "__version__",
    "area_correlation",
    "compare",
    "contrast",
    "curve",
    "datasets",
    "decision_curve",
    "errors",
    "evaluate",
    "exclusive_volume",
    "front",
    "gini_volume",
    "measure",
    "operate",
    "order_kept",
    "plot",
    "rates",
    "read",
    "sample_size",
    "scorer",
    "separation",
    "surface",
    "to_ordered",
    "to_probabilities",
]

# Where each name lives. It is imported when it is first used: `import polyroc` stays as quick as `import numpy`.
_HOMES = {
    "BinormalFit": "polyroc.results",
    "Bootstrap": "polyroc.inference.methods",
    "Comparison": "polyroc.results",
    "ConfidenceInterval": "polyroc.results",
    "Contrast": "polyroc.results",
    "Contrasts": "polyroc.results",
    "CostRule": "polyroc.results",
    "Curve": "polyroc.results",
    "Curves": "polyroc.results",
    "DeLong": "polyroc.inference.methods",
    "DecisionCurve": "polyroc.results",
    "Difference": "polyroc.results",
    "DirichletWorld": "polyroc.contrasts",
    "Estimate": "polyroc.results",
    "Evaluation": "polyroc.results",
    "Front": "polyroc.results",
    "GaussianLikelihoods": "polyroc.conversions",
    "GaussianWorld": "polyroc.contrasts",
    "HanleyMcNeil": "polyroc.inference.methods",
    "Hull": "polyroc.results",
    "Jackknife": "polyroc.inference.methods",
    "Measure": "polyroc.measures",
    "MossmanRule": "polyroc.results",
    "Obuchowski": "polyroc.inference.power",
    "OperatingPoint": "polyroc.results",
    "OperatingPointClassifier": "polyroc.costs.classifier",
    "OrderKept": "polyroc.results",
    "Permutation": "polyroc.inference.methods",
    "RankedLists": "polyroc.contrasts",
    "Rates": "polyroc.results",
    "ResampledWorld": "polyroc.contrasts",
    "Rule": "polyroc.results",
    "SampleSize": "polyroc.results",
    "Scores": "polyroc.scores",
    "Separation": "polyroc.results",
    "Simulation": "polyroc.inference.power",
    "Surface": "polyroc.results",
    "ThresholdRule": "polyroc.results",
    "Unbiased": "polyroc.inference.methods",
    "Volume": "polyroc.results",
    "area_correlation": "polyroc.inference.power",
    "compare": "polyroc.inference.comparing",
    "contrast": "polyroc.contrasts",
    "curve": "polyroc.curves",
    "datasets": "polyroc.datasets",
    "decision_curve": "polyroc.costs.benefit",
    "errors": "polyroc.errors",
    "evaluate": "polyroc.inference.evaluating",
    "exclusive_volume": "polyroc.fronts.volume",
    "front": "polyroc.fronts.sweeping",
    "gini_volume": "polyroc.fronts.volume",
    "measure": "polyroc.measures",
    "operate": "polyroc.costs.operating",
    "order_kept": "polyroc.contrasts.practice",
    "plot": "polyroc.plots",
    "rates": "polyroc.costs.rating",
    "read": "polyroc.io",
    "sample_size": "polyroc.inference.power",
    "scorer": "polyroc.inference.scoring",
    "separation": "polyroc.contrasts.practice",
    "surface": "polyroc.surfaces",
    "to_ordered": "polyroc.conversions",
    "to_probabilities": "polyroc.conversions",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'polyroc' has no attribute {name!r}")
    module = importlib.import_module(_HOMES[name])
    return module if module.__name__ == f"polyroc.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
