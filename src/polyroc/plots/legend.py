"""Legends whose entries are the user's names."""

from collections.abc import Sequence
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.legend import Legend

from polyroc.plots.look import SMALL

__all__ = ["name_lines"]


def name_lines(ax: Axes, lines: Sequence[Artist], names: Sequence[str], **place: Any) -> Legend:
    """A legend of these lines; names are put in afterwards, for matplotlib leaves out those that begin with _."""
    legend = ax.legend(
        lines,
        ["x"] * len(lines),
        fontsize=SMALL,
        title_fontsize=SMALL,
        alignment="left",
        handlelength=2.6,
        edgecolor="none",
        framealpha=0.8,
        **place,
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set(text=name, parse_math=False, usetex=False)
    return legend
