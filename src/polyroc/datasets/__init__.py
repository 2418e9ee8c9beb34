"""Shipped data sets (`catalogue`) and worlds whose true values are known (`synthetic`)."""

from polyroc.datasets import catalogue, synthetic
from polyroc.datasets.synthetic import (
    Binormal,
    HandTill,
    average_correct_rate,
    empirical_average_correct_rate,
)
from polyroc.datasets.trinormal import Trinormal

__all__ = [
    "Binormal",
    "HandTill",
    "Trinormal",
    "average_correct_rate",
    "catalogue",
    "empirical_average_correct_rate",
    "synthetic",
]
