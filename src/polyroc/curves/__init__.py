"""ROC, precision-recall, DET and cost curves, bands, fits, hulls and surfaces; the verbs `curve` and `surface`."""

from typing import TYPE_CHECKING

from polyroc._lazy import attach

if TYPE_CHECKING:
    from polyroc.curves.curve_test import venkatraman

__all__ = [
    "venkatraman",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "venkatraman": "polyroc.curves.curve_test",
    },
)
