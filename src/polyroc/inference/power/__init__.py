"""Planning: how many cases a study needs, and what a number of cases can show."""

from polyroc.inference.power.formulas import Obuchowski, area_correlation
from polyroc.inference.power.planning import sample_size
from polyroc.inference.power.simulating import Simulation

__all__ = ["Obuchowski", "Simulation", "area_correlation", "sample_size"]
