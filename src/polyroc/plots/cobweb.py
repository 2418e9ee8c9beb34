"""The cobweb: misclassification ratios as a polygon, with the polygon of chance."""

from collections.abc import Sequence
from math import ceil, cos, isfinite, sin
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Text

from polyroc.decisions.rate_matrix import Cobweb, Rates
from polyroc.output.sentences import abbreviated
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    COLOURS,
    FAINT,
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    add_legend,
    axes_of,
    small_size,
    style,
    style_axes,
    text_colour,
    tiny_size,
)

__all__ = ["draw_cobweb", "draw_cobwebs"]

SIDE = 5.2  # inches
BAR: dict[str, Any] = {"color": COLOURS[0], "alpha": 0.35, "linewidth": 3.5, "solid_capstyle": "butt"}
MOST = 30  # spokes that are named one by one; of more, only the true classes are


def draw_cobweb(rates: Rates, ax: Axes | None = None, *, level: float = 0.95) -> Picture:
    """One classifier; see `draw_cobwebs`."""
    return draw_cobwebs([rates], ax, level=level)


def draw_cobwebs(rates: Sequence[Rates], ax: Axes | None = None, *, level: float = 0.95) -> Picture:
    """A corner on each spoke at the share of the true class that is called the other: the smaller, the better.

    A perfect classifier is the centre; the dashed polygon is chance, one in the number of classes.

    References
    ----------
    Diri & Albayrak, Expert Systems with Applications 34 (2008) 628-634; Sampat et al. (2009).
    """
    webs = [rate_matrix.cobweb(level) for rate_matrix in rates]
    ax = axes_of(ax, SIDE, SIDE)
    out = _prepare(ax, webs, with_intervals=len(webs) == 1)
    names = _name_spokes(ax, webs[0], 1.06 * out)
    (chance,) = ax.plot(*webs[0].polygon(webs[0].chance).T, color=text_colour(), linewidth=1.2, dashes=(4, 3))
    intervals = _bars(ax, webs[0]) if len(webs) == 1 else ()
    polygons = []
    for place, web in enumerate(webs):
        look = style(place)
        drawn: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": look.line}
        size = 5 if len(web.spokes) <= MOST else 3
        polygons += ax.plot(*web.polygon().T, linewidth=LINE, markersize=size, **drawn)
        ax.add_patch(Polygon(web.polygon(), color=look.colour, alpha=0.1, linewidth=0))
    labels = [
        *(abbreviated(rate_matrix.classifier) for rate_matrix in rates),
        f"chance, 1/{len(rates[0].classes)}",
    ]
    legend = add_legend(ax, [*polygons, chance], labels, loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=2)
    return Picture(ax, polygons=tuple(polygons), intervals=intervals, chance=chance, names=names, legend=legend)


def _prepare(ax: Axes, webs: Sequence[Cobweb], with_intervals: bool) -> float:
    """Spokes and rings with their radii; gives the largest radius."""
    style_axes(ax)
    ends = [x for web in webs for x in (*web.ratios, *(web.high if with_intervals else ())) if isfinite(x)]
    step = 0.1 if max([webs[0].chance, *ends]) <= 0.5 else 0.2
    rings = step * np.arange(1, ceil(max([webs[0].chance, *ends]) / step - 1e-9) + 1)
    for angle in webs[0].angles:
        x, y = rings[-1] * cos(angle), rings[-1] * sin(angle)
        ax.plot((0, x), (0, y), color=text_colour(), alpha=FAINT, linewidth=HAIR / 2)
    for ring in rings:
        ax.plot(*webs[0].polygon(ring).T, color=text_colour(), alpha=FAINT, linewidth=HAIR / 2)
        ax.text(0, ring, f" {ring:.1f}", fontsize=tiny_size(), alpha=MUTED, va="top")
    ax.set(aspect="equal", xlim=(-1.1 * rings[-1], 1.1 * rings[-1]), ylim=(-1.1 * rings[-1], 1.1 * rings[-1]))
    ax.set_axis_off()
    return float(rings[-1])


def _bars(ax: Axes, web: Cobweb) -> tuple[Line2D, ...]:
    """The intervals, along the spokes."""
    return tuple(
        ax.plot((low * cos(angle), high * cos(angle)), (low * sin(angle), high * sin(angle)), **BAR)[0]
        for low, high, angle in zip(web.low, web.high, web.angles, strict=True)
        if isfinite(low) and isfinite(high)
    )


def _name_spokes(ax: Axes, web: Cobweb, out: float) -> tuple[Text, ...]:
    """Each spoke by true class and decision; of many spokes, only the true class at the middle of its spokes."""
    if len(web.spokes) <= MOST:
        names = [
            f"{abbreviated(true, 14)}\n\N{RIGHTWARDS ARROW} {abbreviated(decision, 14)}"
            for true, decision in web.spokes
        ]
        angles = [*web.angles]
    else:
        classes = [*dict.fromkeys(true for true, _ in web.spokes)]
        names = [abbreviated(label, 14) for label in classes]
        angles = [float(block.mean()) for block in np.split(web.angles, len(classes))]
    return tuple(_place(ax, name, angle, out) for name, angle in zip(names, angles, strict=True))


def _place(ax: Axes, name: str, angle: float, out: float) -> Text:
    """A text that begins at the end of a spoke and goes outwards."""
    across, up = cos(angle), sin(angle)
    side = "center" if abs(across) < 0.15 else "left" if across > 0 else "right"
    height = "bottom" if up > 0.35 else "top" if up < -0.35 else "center"
    return ax.text(out * across, out * up, name, ha=side, va=height, fontsize=small_size(), **PLAIN)
