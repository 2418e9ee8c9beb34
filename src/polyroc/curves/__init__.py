"""ROC, precision-recall, DET and cost curves, bands, fits, hulls and surfaces; the verbs `curve` and `surface`."""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.curves.binormal import BinormalFit
    from polyroc.curves.curve_test import CurveDistance, CurveTest, venkatraman
    from polyroc.curves.hull import Hull
    from polyroc.curves.result import Band, Curve, Curves
    from polyroc.curves.surface import Surface

__all__ = [
    "Band",
    "BinormalFit",
    "Curve",
    "CurveDistance",
    "CurveTest",
    "Curves",
    "Hull",
    "Surface",
    "venkatraman",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Band": "polyroc.curves.result",
        "BinormalFit": "polyroc.curves.binormal",
        "Curve": "polyroc.curves.result",
        "CurveDistance": "polyroc.curves.curve_test",
        "CurveTest": "polyroc.curves.curve_test",
        "Curves": "polyroc.curves.result",
        "Hull": "polyroc.curves.hull",
        "Surface": "polyroc.curves.surface",
        "venkatraman": "polyroc.curves.curve_test",
    },
)
