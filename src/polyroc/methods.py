"""Methods of standard errors and tests, and formulas for planning."""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.inference.methods.bootstrap import Bootstrap
    from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil
    from polyroc.inference.methods.influence import DeLong, Influence
    from polyroc.inference.methods.jackknife import Jackknife
    from polyroc.inference.methods.ledell import LeDell
    from polyroc.inference.methods.mcnemar import McNemar
    from polyroc.inference.methods.permutation import Permutation
    from polyroc.inference.methods.unbiased import Unbiased
    from polyroc.power.formulas import Obuchowski, area_correlation
    from polyroc.power.simulation import Simulation

__all__ = [
    "Bootstrap",
    "DeLong",
    "HanleyMcNeil",
    "Influence",
    "Jackknife",
    "LeDell",
    "McNemar",
    "Obuchowski",
    "Permutation",
    "Simulation",
    "Unbiased",
    "area_correlation",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Bootstrap": "polyroc.inference.methods.bootstrap",
        "DeLong": "polyroc.inference.methods.influence",
        "HanleyMcNeil": "polyroc.inference.methods.hanley_mcneil",
        "Influence": "polyroc.inference.methods.influence",
        "Jackknife": "polyroc.inference.methods.jackknife",
        "LeDell": "polyroc.inference.methods.ledell",
        "McNemar": "polyroc.inference.methods.mcnemar",
        "Obuchowski": "polyroc.power.formulas",
        "Permutation": "polyroc.inference.methods.permutation",
        "Simulation": "polyroc.power.simulation",
        "Unbiased": "polyroc.inference.methods.unbiased",
        "area_correlation": "polyroc.power.formulas",
    },
)
