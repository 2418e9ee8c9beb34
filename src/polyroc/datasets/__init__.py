"""Data sets (`load`, `entries`, `catalogue`), and simulation models whose true values are known (`synthetic`)."""

from polyroc.datasets import catalogue, synthetic
from polyroc.datasets.catalogue import Dataset, Entry, entries, load
from polyroc.datasets.roe_metz import RoeMetz
from polyroc.datasets.synthetic import Binormal, HandTill, average_correct_rate, empirical_average_correct_rate
from polyroc.datasets.trinormal import Trinormal

__all__ = [
    "Binormal",
    "Dataset",
    "Entry",
    "HandTill",
    "RoeMetz",
    "Trinormal",
    "average_correct_rate",
    "catalogue",
    "empirical_average_correct_rate",
    "entries",
    "load",
    "synthetic",
]
