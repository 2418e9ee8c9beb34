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
    from polyroc.inference.comparing import compare
    from polyroc.inference.evaluating import evaluate
    from polyroc.inference.methods import Bootstrap, DeLong, HanleyMcNeil, Jackknife, Permutation, Unbiased
    from polyroc.inference.power import Obuchowski, Simulation, area_correlation, sample_size
    from polyroc.inference.scoring import scorer
    from polyroc.io import read
    from polyroc.measures import Measure, measure
    from polyroc.results import Comparison, ConfidenceInterval, Difference, Estimate, Evaluation, SampleSize
    from polyroc.scores import Scores

__all__ = [
    "Bootstrap",
    "Comparison",
    "ConfidenceInterval",
    "DeLong",
    "Difference",
    "Estimate",
    "Evaluation",
    "HanleyMcNeil",
    "Jackknife",
    "Measure",
    "Obuchowski",
    "Permutation",
    "SampleSize",
    "Scores",
    "Simulation",
    "Unbiased",
    "__version__",
    "area_correlation",
    "compare",
    "datasets",
    "errors",
    "evaluate",
    "measure",
    "read",
    "sample_size",
    "scorer",
]

# Where each name lives. It is imported when it is first used: `import polyroc` stays as quick as `import numpy`.
_HOMES = {
    "Bootstrap": "polyroc.inference.methods",
    "Comparison": "polyroc.results",
    "ConfidenceInterval": "polyroc.results",
    "DeLong": "polyroc.inference.methods",
    "Difference": "polyroc.results",
    "Estimate": "polyroc.results",
    "Evaluation": "polyroc.results",
    "HanleyMcNeil": "polyroc.inference.methods",
    "Jackknife": "polyroc.inference.methods",
    "Measure": "polyroc.measures",
    "Obuchowski": "polyroc.inference.power",
    "Permutation": "polyroc.inference.methods",
    "SampleSize": "polyroc.results",
    "Scores": "polyroc.scores",
    "Simulation": "polyroc.inference.power",
    "Unbiased": "polyroc.inference.methods",
    "area_correlation": "polyroc.inference.power",
    "compare": "polyroc.inference.comparing",
    "datasets": "polyroc.datasets",
    "errors": "polyroc.errors",
    "evaluate": "polyroc.inference.evaluating",
    "measure": "polyroc.measures",
    "read": "polyroc.io",
    "sample_size": "polyroc.inference.power",
    "scorer": "polyroc.inference.scoring",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'polyroc' has no attribute {name!r}")
    module = importlib.import_module(_HOMES[name])
    return module if module.__name__ == f"polyroc.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
