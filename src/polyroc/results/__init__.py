"""Results: what was found. Frozen records, one kind per verb; data only."""

from polyroc.results.comparison import Comparison, Difference
from polyroc.results.estimate import Estimate, Parts
from polyroc.results.evaluation import Evaluation
from polyroc.results.intervals import ConfidenceInterval
from polyroc.results.provenance import Provenance
from polyroc.results.result import SCHEMA, Result
from polyroc.results.sample_size import SampleSize
from polyroc.results.wald import Wald

__all__ = [
    "SCHEMA",
    "Comparison",
    "ConfidenceInterval",
    "Difference",
    "Estimate",
    "Evaluation",
    "Parts",
    "Provenance",
    "Result",
    "SampleSize",
    "Wald",
]
