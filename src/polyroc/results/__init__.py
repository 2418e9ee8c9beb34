"""Results: what was found. Frozen records, one kind per verb; data only."""

from polyroc.results.band import Band
from polyroc.results.binormal_fit import BinormalFit
from polyroc.results.comparison import Comparison, Difference
from polyroc.results.contrast import Contrast, Counts
from polyroc.results.contrasts import Contrasts
from polyroc.results.curve import Curve
from polyroc.results.curve_family import Curves
from polyroc.results.decision_curve import DecisionCurve, NetBenefit
from polyroc.results.estimate import Estimate, Parts
from polyroc.results.evaluation import Evaluation
from polyroc.results.front import Front, Growth
from polyroc.results.hull import Hull
from polyroc.results.intervals import ConfidenceInterval
from polyroc.results.operating_point import OperatingPoint
from polyroc.results.places import RandomisedRule
from polyroc.results.practice import OrderKept, Separation
from polyroc.results.provenance import Provenance
from polyroc.results.rates import Cobweb, LikelihoodRatio, Rates
from polyroc.results.result import SCHEMA, Result
from polyroc.results.rules import CostRule, MossmanRule, Rule, ThresholdRule
from polyroc.results.sample_size import SampleSize
from polyroc.results.surface import Mesh, Surface
from polyroc.results.volume import Volume
from polyroc.results.wald import Wald

__all__ = [
    "SCHEMA",
    "Band",
    "BinormalFit",
    "Cobweb",
    "Comparison",
    "ConfidenceInterval",
    "Contrast",
    "Contrasts",
    "CostRule",
    "Counts",
    "Curve",
    "Curves",
    "DecisionCurve",
    "Difference",
    "Estimate",
    "Evaluation",
    "Front",
    "Growth",
    "Hull",
    "LikelihoodRatio",
    "Mesh",
    "MossmanRule",
    "NetBenefit",
    "OperatingPoint",
    "OrderKept",
    "Parts",
    "Provenance",
    "RandomisedRule",
    "Rates",
    "Result",
    "Rule",
    "SampleSize",
    "Separation",
    "Surface",
    "ThresholdRule",
    "Volume",
    "Wald",
]
