"""Several pictures of one kind side by side."""

from collections.abc import Sequence
from typing import Any

from matplotlib import pyplot
from matplotlib.figure import Figure

from polyroc.plots.drawing import draw
from polyroc.plots.look import room
from polyroc.plots.pairs import has_pairs, shades_of

__all__ = ["draw_panels"]

WIDEST = 17.0  # inches


def draw_panels(results: Sequence[Any], kind: str, **options: Any) -> Figure:
    """Draw each result on axes of its own, all of the size that the first would have alone.

    Parameters
    ----------
    results
        Results, or sequences of results that are drawn together.
    kind
        Which picture.
    options
        Of the picture. The shades of "pairs" are the same for all.
    """
    if kind == "pairs" and all(map(has_pairs, results)):
        options.setdefault("shades", shades_of(results))
    first = draw(results[0], None, kind, **options)
    if len(results) == 1:
        return first.figure
    width, height = first.figure.get_size_inches()
    across = min(len(results), max(1, int(WIDEST / width)))
    down = -(-len(results) // across)
    pyplot.close(first.figure)
    figure = pyplot.figure(figsize=(across * width, down * height), layout=room())
    for place, result in enumerate(results, 1):
        ax = figure.add_subplot(down, across, place, projection="3d" if kind == "surface" else None)
        draw(result, ax, kind, **options)
    return figure
