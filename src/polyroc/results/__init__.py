"""Results: what was found. Frozen records, one kind per verb; data only."""

from polyroc.results.anova import Anova
from polyroc.results.band import Band
from polyroc.results.binormal_fit import BinormalFit
from polyroc.results.certificate import Certificate
from polyroc.results.comparison import Comparison
from polyroc.results.contrast import Contrast, Counts
from polyroc.results.contrasts import Contrasts
from polyroc.results.curve import Curve
from polyroc.results.curve_family import Curves
from polyroc.results.decision_curve import DecisionCurve, NetBenefit
from polyroc.results.difference import Difference
from polyroc.results.estimate import Estimate, Parts
from polyroc.results.evaluation import Evaluation
from polyroc.results.friedman import Friedman
from polyroc.results.front import Front, Growth
from polyroc.results.front_volumes import FrontVolumes
from polyroc.results.grouped import Grouped
from polyroc.results.held_out import HeldOut
from polyroc.results.hull import Hull
from polyroc.results.intervals import ConfidenceInterval
from polyroc.results.operating_point import OperatingPoint
from polyroc.results.paired_tests import PairedTest, PairedTests
from polyroc.results.places import RandomisedRule
from polyroc.results.point_classifier import PointClassifier
from polyroc.results.posteriors import Posterior, Posteriors
from polyroc.results.practice import OrderKept, Separation
from polyroc.results.provenance import Provenance
from polyroc.results.range_test import RangeTest
from polyroc.results.rates import Cobweb, LikelihoodRatio, Rates
from polyroc.results.recommendation import Recommendation
from polyroc.results.regions import DecisionRegions
from polyroc.results.result import SCHEMA, Result
from polyroc.results.rules import CostRule, MossmanRule, Rule, ThresholdRule
from polyroc.results.sample_size import SampleSize
from polyroc.results.spread import Spread
from polyroc.results.surface import Mesh, Surface
from polyroc.results.volume import Volume
from polyroc.results.wald import Wald
from polyroc.results.wilcoxon_errors import WilcoxonErrors

__all__ = [
    "SCHEMA",
    "Anova",
    "Band",
    "BinormalFit",
    "Certificate",
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
    "DecisionRegions",
    "Difference",
    "Estimate",
    "Evaluation",
    "Friedman",
    "Front",
    "FrontVolumes",
    "Grouped",
    "Growth",
    "HeldOut",
    "Hull",
    "LikelihoodRatio",
    "Mesh",
    "MossmanRule",
    "NetBenefit",
    "OperatingPoint",
    "OrderKept",
    "PairedTest",
    "PairedTests",
    "Parts",
    "PointClassifier",
    "Posterior",
    "Posteriors",
    "Provenance",
    "RandomisedRule",
    "RangeTest",
    "Rates",
    "Recommendation",
    "Result",
    "Rule",
    "SampleSize",
    "Separation",
    "Spread",
    "Surface",
    "ThresholdRule",
    "Volume",
    "Wald",
    "WilcoxonErrors",
]
