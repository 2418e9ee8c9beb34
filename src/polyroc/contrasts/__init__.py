"""Measure against measure: exact counts over all ranked lists, sampled worlds, and what happens in practice."""

from polyroc.contrasts.contrasting import contrast
from polyroc.contrasts.outputs import Outputs
from polyroc.contrasts.worlds import DirichletWorld, GaussianWorld, RankedLists, ResampledWorld, World

__all__ = ["DirichletWorld", "GaussianWorld", "Outputs", "RankedLists", "ResampledWorld", "World", "contrast"]
