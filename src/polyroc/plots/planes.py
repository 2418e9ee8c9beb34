"""The planes that curves are drawn in: limits, ticks, names of the axes and what chance gives."""

from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from polyroc.kernels.arrays import FloatArray
from polyroc.plots.look import HAIR, MUTED, TEXT, dress, ink
from polyroc.plots.words import capital
from polyroc.results.curve import Curve

__all__ = ["EDGE", "prepare"]

EDGE = 5.0  # normal deviates beyond the axes, for rates of 0 and 1
TICKS = (0.0001, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999)  # rates in a DET plane
CHANCE: dict[str, Any] = {"linewidth": HAIR, "dashes": (4, 3), "alpha": MUTED, "zorder": 1.5}


def prepare(ax: Axes, curves: Sequence[Curve]) -> Line2D | None:
    """Make the axes those of the curves' kind; gives the line of chance, None where there is no single one."""
    dress(ax, grid="both")
    ax.set_anchor("W")
    kind = curves[0].kind
    across, up = curves[0].axes
    if kind == "det":
        across, up = (name.removesuffix(" (normal deviate)") for name in (across, up))
    ax.set_xlabel(capital(across), fontsize=TEXT)
    ax.set_ylabel(capital(up), fontsize=TEXT)
    return PLANES[kind](ax, curves)


def _roc(ax: Axes, _: Sequence[Curve]) -> Line2D:
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    return ax.plot((0, 1), (0, 1), color=ink(), **CHANCE)[0]


def _precision_recall(ax: Axes, curves: Sequence[Curve]) -> Line2D | None:
    """Chance is the share of positives; a family of classes has several, so none is drawn."""
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    if len({round(curve.prevalence, 9) for curve in curves}) > 1:
        return None
    return ax.plot((0, 1), (curves[0].prevalence,) * 2, color=ink(), **CHANCE)[0]


def _cost(ax: Axes, curves: Sequence[Curve]) -> Line2D:
    """Chance is the better of calling all cases negative and calling all positive; above it is the legend."""
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.01, 0.6 + 0.03 * min(len(curves), 6)))
    ax.set_yticks(np.linspace(0, 0.5, 6))
    return ax.plot((0, 0.5, 1), (0, 0.5, 0), color=ink(), **CHANCE)[0]


def _det(ax: Axes, curves: Sequence[Curve]) -> Line2D:
    """Rates at the distance of normal deviates, so that binormal curves are straight."""
    places = [NormalDist().inv_cdf(rate) for rate in TICKS]
    names = [f"{rate:g}" for rate in TICKS]
    for values, set_ticks, set_limits in (
        ([curve.x for curve in curves], ax.set_xticks, ax.set_xlim),
        ([curve.y for curve in curves], ax.set_yticks, ax.set_ylim),
    ):
        set_ticks(places, names)
        set_limits(*_between_ticks(np.concatenate(values), places))
    ax.set_box_aspect(1)
    return ax.plot((-EDGE, EDGE), (EDGE, -EDGE), color=ink(), **CHANCE)[0]


def _between_ticks(values: FloatArray, places: Sequence[float]) -> tuple[float, float]:
    """From the tick below the smallest finite value to that above the largest, and at least around one half."""
    found = [float(value) for value in values if np.isfinite(value)] or [0.0]
    low = max((place for place in places if place <= min(found)), default=places[0])
    high = min((place for place in places if place >= max(found)), default=places[-1])
    return min(low, places[3]) - 0.1, max(high, places[5]) + 0.1


PLANES: dict[str, Callable[[Axes, Sequence[Curve]], Line2D | None]] = {
    "roc": _roc,
    "pr": _precision_recall,
    "det": _det,
    "cost": _cost,
}
