"""Results: what was found. Frozen records, one kind per verb; data only."""

from polyroc.results.estimate import Estimate, Parts
from polyroc.results.evaluation import Evaluation
from polyroc.results.intervals import ConfidenceInterval
from polyroc.results.provenance import Provenance
from polyroc.results.result import SCHEMA, Result

__all__ = ["SCHEMA", "ConfidenceInterval", "Estimate", "Evaluation", "Parts", "Provenance", "Result"]
