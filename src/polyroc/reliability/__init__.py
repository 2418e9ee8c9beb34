"""Calibration: whether predicted probabilities are right."""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.reliability.grouped import GroupedCalibration
    from polyroc.reliability.result import Calibration, EventCalibration, ReliabilityCurve

__all__ = ["Calibration", "EventCalibration", "GroupedCalibration", "ReliabilityCurve"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Calibration": "polyroc.reliability.result",
        "EventCalibration": "polyroc.reliability.result",
        "GroupedCalibration": "polyroc.reliability.grouped",
        "ReliabilityCurve": "polyroc.reliability.result",
    },
)
