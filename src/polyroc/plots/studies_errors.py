"""SE(W) against the size of a test set: Bradley's figure 15."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from polyroc.plots.legend import name_lines
from polyroc.plots.look import LINE, TEXT, axes_of, dress, style
from polyroc.plots.picture import Picture
from polyroc.results.wilcoxon_errors import WilcoxonErrors

__all__ = ["ErrorsPicture", "draw_errors"]


@dataclass(frozen=True, slots=True)
class ErrorsPicture(Picture):
    """SE(W) by size.

    Attributes
    ----------
    lines
        One for each area.
    legend
        The areas.
    """

    lines: tuple[Line2D, ...]
    legend: Legend


def draw_errors(found: WilcoxonErrors, ax: Axes | None = None) -> ErrorsPicture:
    """A line for each area: the error of one test set against its positive cases."""
    ax = axes_of(ax, 5.0, 3.4)
    dress(ax, grid="both")
    lines: list[Line2D] = []
    for place, errors in enumerate(found.errors):
        colour, _, dashes = style(place)
        lines += ax.plot(found.positives, errors, color=colour, linestyle=dashes, linewidth=LINE)
    ax.set_ylim(bottom=0)
    ax.set_xlim(left=0)
    same = found.positives == found.negatives
    ax.set_xlabel(f"Positive cases of a test set{', as many negative ones' if same else ''}", fontsize=TEXT)
    ax.set_ylabel("SE(W)", fontsize=TEXT)
    legend = name_lines(ax, lines, [f"AUC {area:g}" for area in found.areas], loc="upper right")
    return ErrorsPicture(ax, tuple(lines), legend)
