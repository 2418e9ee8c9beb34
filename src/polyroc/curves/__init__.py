"""Curves: what every threshold of a score does; the verb `curve`."""

from polyroc.curves.tracing import curve

__all__ = ["curve"]
