"""Points of a front in shades of a rate, or of when they were found."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.plots.look import HAIR, SMALL
from polyroc.plots.words import PLAIN, shown
from polyroc.results import Front

__all__ = ["SCALE", "Colour", "add_scale", "values_by"]

SCALE = "cividis"  # from dark to light, the same to colour-blind readers

Colour = tuple[Any, Any] | str | None


def values_by(found: Front, colour: Colour) -> tuple[FloatArray, str]:
    """One number for each point, and what it is."""
    if isinstance(colour, tuple) and len(colour) == 2:
        k, m = (_position(found, label) for label in colour)
        return found.rates[:, k, m], f"{shown(found.classes[k], 20)} called {shown(found.classes[m], 20)}"
    if colour == "generation" and found.generation is not None:
        return found.generation.astype(np.float64), "generation found"
    raise InputError(
        f"colour must be an error (true, said) or, of a front that evolved, 'generation'; got {colour!r}."
    )


def _position(found: Front, label: Any) -> int:
    for spelling in (str(label), repr(label)):
        if spelling in found.classes:
            return found.classes.index(spelling)
    raise InputError(f"colour names {label!r}, which is not one of the classes {', '.join(found.classes)}.")


def add_scale(ax: Axes, shaded: ScalarMappable, words: str) -> Colorbar:
    """The scale of the shades, beside the axes."""
    scale = ax.figure.colorbar(shaded, ax=ax, shrink=0.7, pad=0.04)
    scale.outline.set_visible(False)
    scale.ax.tick_params(labelsize=SMALL, length=2, width=HAIR)
    scale.set_label(words, fontsize=SMALL, **PLAIN)
    return scale
