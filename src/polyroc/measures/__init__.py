"""What can be asked: the registry of measures, one file per family."""

from polyroc.measures.measure import Measure
from polyroc.measures.registry import MEASURES, measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic, Stratum

__all__ = ["MEASURES", "Measure", "Sample", "Statistic", "Stratum", "measure"]
