"""Which bins to divide, and into how many, so that bounds become as narrow as a target with the fewest bins."""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from polyroc.engines.bins import Layout
from polyroc.kernels.arrays import FloatArray, IntArray

__all__ = ["divided_layouts"]

Column = TypeVar("Column")
WIDTH_MARGIN = 0.8  # of the tolerance that the refined bins should leave: scores are not spread evenly in a bin


def divided_layouts(
    widths: Mapping[Column, FloatArray], occupied: Mapping[Column, tuple[Layout, IntArray]], most: int
) -> dict[Column, Layout]:
    """The layouts of the columns in which a bin is to be divided.

    Parameters
    ----------
    widths
        By column and occupied bin: the width of the bounds that is due to the bin, in units of the target.
    occupied
        By column: the present layout, and the numbers of its occupied bins.
    most
        The most bins of a column.
    """
    layouts = {}
    for column, width in widths.items():
        layout, bins = occupied[column]
        # Each column may keep a share of the tolerance in proportion to its present width.
        target = WIDTH_MARGIN * width.sum() / sum(of_column.sum() for of_column in widths.values())
        halvings = _halvings(width, layout.shift[bins], target, most - layout.size)
        if halvings.any():
            by_bin = np.zeros(layout.size, dtype=np.int64)
            by_bin[bins] = halvings
            layouts[column] = layout.refined(by_bin)
    return layouts


def _halvings(widths: FloatArray, possible: IntArray, target: float, most: int) -> IntArray:
    """How often to halve each bin so that the widths left sum to the target, with the fewest bins.

    Divided into m parts, a bin in which scores are spread evenly keeps 1/m of its width; for a given number of
    bins the sum of width / m is least if m is in proportion to the root of the width (Lagrange). The factor of
    proportion is found by bisection of its logarithm; m is a power of two, at most 2^possible, and there are at
    most `most` bins.
    """
    root = np.sqrt(np.maximum(widths, 0.0))

    def halvings_at(factor: float) -> IntArray:
        halvings = np.ceil(np.log2(np.maximum(root * factor, 1.0)))
        return np.minimum(halvings.astype(np.int64), possible)

    low, high = 0.0, 64.0  # logarithms to base 2; a tenth is near enough, since m is rounded to powers of two
    while high - low > 0.1:
        middle = (low + high) / 2
        halvings = halvings_at(2.0**middle)
        left, bins = float(np.ldexp(widths, -halvings).sum()), float(np.ldexp(1.0, halvings).sum())
        if left > target and bins < most:
            low = middle
        else:
            high = middle
    halvings = halvings_at(2.0**high)
    return halvings if float(np.ldexp(1.0, halvings).sum()) <= most else halvings_at(2.0**low)
