"""Estimates and what follows from them: intervals, tests, differences, comparisons, multiplicity."""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.estimates.certificate import Certificate
    from polyroc.estimates.comparison import Comparison
    from polyroc.estimates.difference import Difference
    from polyroc.estimates.estimate import Estimate
    from polyroc.estimates.evaluation import Evaluation
    from polyroc.estimates.grouped import Grouped
    from polyroc.estimates.interaction import Interaction
    from polyroc.estimates.intervals import ConfidenceInterval

__all__ = [
    "Certificate",
    "Comparison",
    "ConfidenceInterval",
    "Difference",
    "Estimate",
    "Evaluation",
    "Grouped",
    "Interaction",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Certificate": "polyroc.estimates.certificate",
        "Comparison": "polyroc.estimates.comparison",
        "ConfidenceInterval": "polyroc.estimates.intervals",
        "Difference": "polyroc.estimates.difference",
        "Estimate": "polyroc.estimates.estimate",
        "Evaluation": "polyroc.estimates.evaluation",
        "Grouped": "polyroc.estimates.grouped",
        "Interaction": "polyroc.estimates.interaction",
    },
)
