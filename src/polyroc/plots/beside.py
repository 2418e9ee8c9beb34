"""Numbers beside the axes, in columns with a heading."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Annotation

from polyroc.plots.look import MUTED, SMALL

__all__ = ["write_beside"]


def write_beside(ax: Axes, heading: str, texts: Mapping[int, str], offset: float = 8.0) -> tuple[Annotation, ...]:
    """Texts to the right of the axes, one for each row, so many points from the edge; a heading above them."""
    beside: dict[str, Any] = {"textcoords": "offset points", "fontsize": SMALL, "annotation_clip": False}
    ax.annotate(heading, (1, 1), xytext=(offset, 2), xycoords="axes fraction", va="bottom", alpha=MUTED, **beside)
    return tuple(
        ax.annotate(text, (1, y), xytext=(offset, 0), xycoords=("axes fraction", "data"), va="center", **beside)
        for y, text in texts.items()
    )
