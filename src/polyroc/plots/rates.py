"""The confusion-rate matrix: how often each class is called what."""

from matplotlib.axes import Axes

from polyroc.plots.look import SHADES, SMALL, TEXT
from polyroc.plots.matrix import MatrixPicture, draw_matrix
from polyroc.plots.words import PLAIN, decimals, percent, shown
from polyroc.results import OperatingPoint, Rates

__all__ = ["draw_operating_point", "draw_rates"]


def draw_rates(found: Rates, ax: Axes | None = None, *, level: float = 0.95) -> MatrixPicture:
    """The share of each class (row) that is called each class (column), with its interval where there is room.

    Parameters
    ----------
    found
        The rates.
    ax
        The axes to draw on.
    level
        Of the intervals.
    """
    intervals = [
        [
            " to ".join(decimals(end, 2) for end in found[true, said].confidence_interval(level))
            for said in found.classes
        ]
        for true in found.classes
    ]
    picture = draw_matrix(ax, found.rates, found.classes, shades=(0.0, 1.0), colours=SHADES, below=intervals)
    picture.scale.set_label("share of the true class", fontsize=SMALL)
    picture.ax.set_ylabel("true class", fontsize=TEXT)
    picture.ax.set_xlabel("decision", fontsize=TEXT)
    title = f"{shown(found.classifier)}: rates and {percent(level)} intervals"
    picture.ax.set_title(title, fontsize=TEXT, loc="left", **PLAIN)
    return picture


def draw_operating_point(found: OperatingPoint, ax: Axes | None = None, *, level: float = 0.95) -> MatrixPicture:
    """The confusion rates of the rule that was chosen; see `draw_rates`.

    On a ROC curve it is drawn by `plot(curve, points={"chosen": operating_point})`.
    """
    picture = draw_rates(found.confusion, ax, level=level)
    picture.ax.set_title(
        shown(f"{found.confusion.classifier}: {found.aim}", 60), fontsize=TEXT, loc="left", **PLAIN
    )
    return picture
