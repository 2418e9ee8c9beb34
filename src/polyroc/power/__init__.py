"""Sample size and power: how many cases a study needs, and what a number of cases can show."""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.power.formulas import Obuchowski, area_correlation
    from polyroc.power.result import SampleSize
    from polyroc.power.simulation import Simulation

__all__ = ["Obuchowski", "SampleSize", "Simulation", "area_correlation"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Obuchowski": "polyroc.power.formulas",
        "SampleSize": "polyroc.power.result",
        "Simulation": "polyroc.power.simulation",
        "area_correlation": "polyroc.power.formulas",
    },
)
