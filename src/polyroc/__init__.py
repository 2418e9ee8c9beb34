"""polyroc: ROC analysis for any number of classes, with standard errors, intervals and paired tests.

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
    from polyroc.costs.regions import decision_regions
    from polyroc.curves import curve
    from polyroc.fronts.families import Family, LogisticFamily, NearestNeighbours
    from polyroc.fronts.families.estimator import EstimatorFamily  # noqa: F401 - a star import needs no scikit-learn
    from polyroc.fronts.finding import front
    from polyroc.fronts.volume import chance_volume, exclusive_volume, front_volumes, gini_volume
    from polyroc.inference.comparing import compare
    from polyroc.inference.evaluating import evaluate
    from polyroc.inference.methods import Bootstrap, DeLong, HanleyMcNeil, Jackknife, Permutation, Unbiased
    from polyroc.inference.power import Obuchowski, Simulation, area_correlation, sample_size
    from polyroc.inference.scoring import scorer
    from polyroc.io import read
    from polyroc.measures import Measure, measure
    from polyroc.plots import plot
    from polyroc.reports.document import Report
    from polyroc.reports.reporting import report
    from polyroc.results import (
        Anova,
        BinormalFit,
        Certificate,
        Comparison,
        ConfidenceInterval,
        Contrast,
        Contrasts,
        CostRule,
        Curve,
        Curves,
        DecisionCurve,
        DecisionRegions,
        Difference,
        Estimate,
        Evaluation,
        Friedman,
        Front,
        FrontVolumes,
        Grouped,
        HeldOut,
        Hull,
        MossmanRule,
        OperatingPoint,
        OrderKept,
        PairedTests,
        PointClassifier,
        Posteriors,
        RangeTest,
        Rates,
        Recommendation,
        Rule,
        SampleSize,
        Separation,
        Spread,
        Surface,
        ThresholdRule,
        Volume,
        WilcoxonErrors,
    )
    from polyroc.scores import Scores
    from polyroc.studies import summaries
    from polyroc.studies.plan import Plan
    from polyroc.studies.running import study
    from polyroc.studies.study import Study
    from polyroc.surfaces import surface

__all__ = [
    "Anova",
    "BinormalFit",
    "Bootstrap",
    "Certificate",
    "Comparison",
    "ConfidenceInterval",
    "Contrast",
    "Contrasts",
    "CostRule",
    "Curve",
    "Curves",
    "DeLong",
    "DecisionCurve",
    "DecisionRegions",
    "Difference",
    "DirichletWorld",
    "Estimate",
    "Evaluation",
    "Family",
    "Friedman",
    "Front",
    "FrontVolumes",
    "GaussianLikelihoods",
    "GaussianWorld",
    "Grouped",
    "HanleyMcNeil",
    "HeldOut",
    "Hull",
    "Jackknife",
    "LogisticFamily",
    "Measure",
    "MossmanRule",
    "NearestNeighbours",
    "Obuchowski",
    "OperatingPoint",
    "OrderKept",
    "PairedTests",
    "Permutation",
    "Plan",
    "PointClassifier",
    "Posteriors",
    "RangeTest",
    "RankedLists",
    "Rates",
    "Recommendation",
    "Report",
    "ResampledWorld",
    "Rule",
    "SampleSize",
    "Scores",
    "Separation",
    "Simulation",
    "Spread",
    "Study",
    "Surface",
    "Tally",
    "ThresholdRule",
    "Unbiased",
    "Volume",
    "WilcoxonErrors",
    "__version__",
    "area_correlation",
    "chance_volume",
    "compare",
    "contrast",
    "curve",
    "datasets",
    "decision_curve",
    "decision_regions",
    "errors",
    "evaluate",
    "exclusive_volume",
    "front",
    "front_volumes",
    "gini_volume",
    "measure",
    "operate",
    "order_kept",
    "plot",
    "rates",
    "read",
    "report",
    "sample_size",
    "scorer",
    "separation",
    "study",
    "summaries",
    "surface",
    "to_ordered",
    "to_probabilities",
]

# Where each name lives. It is imported when it is first used: `import polyroc` stays as quick as `import numpy`.
_HOMES = {
    "Anova": "polyroc.results",
    "BinormalFit": "polyroc.results",
    "Bootstrap": "polyroc.inference.methods",
    "Certificate": "polyroc.results",
    "Comparison": "polyroc.results",
    "ConfidenceInterval": "polyroc.results",
    "Contrast": "polyroc.results",
    "Contrasts": "polyroc.results",
    "CostRule": "polyroc.results",
    "Curve": "polyroc.results",
    "Curves": "polyroc.results",
    "DeLong": "polyroc.inference.methods",
    "DecisionCurve": "polyroc.results",
    "DecisionRegions": "polyroc.results",
    "Difference": "polyroc.results",
    "DirichletWorld": "polyroc.contrasts",
    "Estimate": "polyroc.results",
    "EstimatorFamily": "polyroc.fronts.families.estimator",
    "Evaluation": "polyroc.results",
    "Family": "polyroc.fronts.families",
    "Friedman": "polyroc.results",
    "Front": "polyroc.results",
    "FrontVolumes": "polyroc.results",
    "GaussianLikelihoods": "polyroc.conversions",
    "GaussianWorld": "polyroc.contrasts",
    "Grouped": "polyroc.results",
    "HanleyMcNeil": "polyroc.inference.methods",
    "HeldOut": "polyroc.results",
    "Hull": "polyroc.results",
    "Jackknife": "polyroc.inference.methods",
    "LogisticFamily": "polyroc.fronts.families",
    "Measure": "polyroc.measures",
    "MossmanRule": "polyroc.results",
    "NearestNeighbours": "polyroc.fronts.families",
    "Obuchowski": "polyroc.inference.power",
    "OperatingPoint": "polyroc.results",
    "OperatingPointClassifier": "polyroc.costs.classifier",
    "OrderKept": "polyroc.results",
    "PairedTests": "polyroc.results",
    "Permutation": "polyroc.inference.methods",
    "Plan": "polyroc.studies.plan",
    "PointClassifier": "polyroc.results",
    "Posteriors": "polyroc.results",
    "RangeTest": "polyroc.results",
    "RankedLists": "polyroc.contrasts",
    "Rates": "polyroc.results",
    "Recommendation": "polyroc.results",
    "Report": "polyroc.reports.document",
    "ResampledWorld": "polyroc.contrasts",
    "Rule": "polyroc.results",
    "SampleSize": "polyroc.results",
    "Scores": "polyroc.scores",
    "Separation": "polyroc.results",
    "Simulation": "polyroc.inference.power",
    "Spread": "polyroc.results",
    "Study": "polyroc.studies.study",
    "Surface": "polyroc.results",
    "Tally": "polyroc.engines.tally",
    "ThresholdRule": "polyroc.results",
    "Unbiased": "polyroc.inference.methods",
    "Volume": "polyroc.results",
    "WilcoxonErrors": "polyroc.results",
    "area_correlation": "polyroc.inference.power",
    "chance_volume": "polyroc.fronts.volume",
    "compare": "polyroc.inference.comparing",
    "contrast": "polyroc.contrasts",
    "curve": "polyroc.curves",
    "datasets": "polyroc.datasets",
    "decision_curve": "polyroc.costs.benefit",
    "decision_regions": "polyroc.costs.regions",
    "errors": "polyroc.errors",
    "evaluate": "polyroc.inference.evaluating",
    "exclusive_volume": "polyroc.fronts.volume",
    "front": "polyroc.fronts.finding",
    "front_volumes": "polyroc.fronts.volume",
    "gini_volume": "polyroc.fronts.volume",
    "measure": "polyroc.measures",
    "operate": "polyroc.costs.operating",
    "order_kept": "polyroc.contrasts.practice",
    "plot": "polyroc.plots",
    "rates": "polyroc.costs.rating",
    "read": "polyroc.io",
    "report": "polyroc.reports.reporting",
    "sample_size": "polyroc.inference.power",
    "scorer": "polyroc.inference.scoring",
    "separation": "polyroc.contrasts.practice",
    "study": "polyroc.studies.running",
    "summaries": "polyroc.studies.summaries",
    "surface": "polyroc.surfaces",
    "to_ordered": "polyroc.conversions",
    "to_probabilities": "polyroc.conversions",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'polyroc' has no attribute {name!r}")
    module = importlib.import_module(_HOMES[name])
    return module if name in ("datasets", "errors", "summaries") else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
