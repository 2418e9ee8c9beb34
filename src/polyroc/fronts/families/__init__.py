"""Families of classifiers that a front is searched over, and what a family of one's own must be able to do."""

from polyroc.fronts.families.family import Family, is_family
from polyroc.fronts.families.logistic import LogisticFamily
from polyroc.fronts.families.neighbours import NearestNeighbours

__all__ = ["Family", "LogisticFamily", "NearestNeighbours", "is_family"]
