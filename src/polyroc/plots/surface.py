"""The ROC surface of three classes, in three dimensions."""

from dataclasses import dataclass
from typing import Any

from matplotlib import pyplot
from matplotlib.axes import Axes
from mpl_toolkits.mplot3d.art3d import Line3D, Poly3DCollection
from mpl_toolkits.mplot3d.axes3d import Axes3D

from polyroc.curves.surface import Surface
from polyroc.errors import InputError
from polyroc.output.names import abbreviated
from polyroc.plots.picture import Picture
from polyroc.plots.style import HAIR, PLAIN, SHADES, SMALL, TEXT, between, ink, room

__all__ = ["SurfacePicture", "draw_surface"]

WIDTH, HEIGHT = 5.6, 5.2  # inches
VIEW = {"elev": 24.0, "azim": 40.0}  # from where the surface falls towards the reader
PANE = (1.0, 1.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class SurfacePicture(Picture):
    """A ROC surface.

    Attributes
    ----------
    mesh
        The surface, in shades of its height.
    chance
        The outline of the surface of a score that knows nothing: the three rates add up to 1.
    """

    mesh: Poly3DCollection
    chance: Line3D


def draw_surface(surface: Surface, ax: Axes | None = None, *, level: float = 0.95) -> SurfacePicture:
    """The correct rate of the second class at given correct rates of the first and the third.

    Parameters
    ----------
    surface
        The surface.
    ax
        The axes to draw on, made with `projection="3d"`.
    level
        Of the interval of the volume.
    """
    if ax is None:
        figure = pyplot.figure(figsize=(WIDTH, HEIGHT), layout=room())
        ax = figure.add_subplot(projection="3d")
    if not isinstance(ax, Axes3D):
        raise InputError("A surface is drawn on axes of three dimensions; make them with projection='3d'.")
    first, third, second = surface.mesh.corners
    look: dict[str, Any] = {"cmap": SHADES, "vmin": -0.35, "vmax": 1.1, "rcount": 40, "ccount": 40}
    mesh = ax.plot_surface(first, third, second, edgecolor=ink(), linewidth=HAIR / 4, antialiased=True, **look)
    mesh.set_alpha(0.92)
    (chance,) = ax.plot(
        (1, 0, 0, 1), (0, 1, 0, 0), (0, 0, 1, 0), color=ink(), linewidth=1.2, linestyle=(0, (4, 3))
    )
    _name(ax, surface)
    volume = between(surface.volume.value, surface.volume.confidence_interval(level))
    ax.set_title(f"{abbreviated(surface.classifier)}: {surface.volume.name} = {volume}", fontsize=TEXT, **PLAIN)
    return SurfacePicture(ax, mesh, chance)


def _name(ax: Axes3D, surface: Surface) -> None:
    """The unit cube seen from where all of the surface shows, with the names of the classes."""
    ax.view_init(**VIEW)
    ax.set_box_aspect((1, 1, 0.85), zoom=0.92)
    ax.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1))
    one, two, three = (abbreviated(name, 20) for name in surface.classes)
    ax.set_xlabel(f"correct rate of {one}", fontsize=SMALL, labelpad=6, **PLAIN)
    ax.set_ylabel(f"correct rate of {three}", fontsize=SMALL, labelpad=6, **PLAIN)
    ax.set_zlabel(f"correct rate of {two}", fontsize=SMALL, **PLAIN)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_ticks((0, 0.25, 0.5, 0.75, 1), ("0", "", "0.5", "", "1"))
        axis.set_pane_color(PANE)
    ax.tick_params(labelsize=SMALL, pad=0)
