"""Picture: the axes that were drawn on; each kind of picture adds its artists by name."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["Picture"]


@dataclass(frozen=True, slots=True)
class Picture:
    """What was drawn.

    Attributes
    ----------
    ax
        The axes.
    """

    ax: Axes

    @property
    def figure(self) -> Figure:
        """The figure the axes are on, which can be saved."""
        figure = self.ax.figure
        return figure if isinstance(figure, Figure) else figure.figure
