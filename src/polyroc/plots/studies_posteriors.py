"""Bayesian tests: probabilities as bars or a matrix, the density of a difference, draws in a triangle."""

from math import sqrt

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text

from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import signed_text
from polyroc.output.sentences import abbreviated, capitalised
from polyroc.plots.matrix import draw_matrix
from polyroc.plots.picture import Picture
from polyroc.plots.style import (
    COLOURS,
    FAINT,
    HAIR,
    LINE,
    MUTED,
    PLAIN,
    SHADES,
    axes_of,
    small_size,
    style_axes,
    text_colour,
    text_size,
    text_width,
)
from polyroc.studies.summaries.bayesian import Posterior, Posteriors

__all__ = ["draw_bars", "draw_density", "draw_probabilities", "draw_triangle"]

FIRST, SAME, SECOND = COLOURS[0], "0.82", COLOURS[1]
SCALE, ROW = 3.6, 0.27  # inches
WRITTEN = 0.09  # share of a bar that has room for its number


def draw_bars(posteriors: Posteriors, ax: Axes | None = None) -> Picture:
    """Each pair as a bar: the first is better, neither by more than the region of equivalence, the second is."""
    pairs = list(posteriors.pairs.values())
    left, right = [abbreviated(pair.first, 24) for pair in pairs], [abbreviated(pair.second, 24) for pair in pairs]
    beside = sum(max(text_width(name, small_size()) for name in names) for names in (left, right)) / 72
    ax = axes_of(ax, SCALE + beside + 0.4, 0.95 + ROW * len(pairs))
    style_axes(ax)
    shares = np.array([[pair.first_better, pair.equivalent, pair.second_better] for pair in pairs])
    starts = np.cumsum(shares, axis=1) - shares
    places = range(len(pairs))
    bars = tuple(
        ax.barh(places, shares[:, k], left=starts[:, k], height=0.72, color=colour, linewidth=0)
        for k, colour in enumerate((FIRST, SAME, SECOND))
    )
    numbers = [
        ax.text(
            start + share / 2,
            y,
            signed_text(share, 2),
            ha="center",
            va="center",
            fontsize=small_size(),
            color="black" if k == 1 else "white",
        )
        for y in places
        for k, (share, start) in enumerate(zip(shares[y], starts[y], strict=True))
        if share > WRITTEN
    ]
    _sides(ax, left, right)
    ax.set_xlabel(f"Probability: left better | within {posteriors.rope:g} | right better", fontsize=text_size())
    ax.set_title(_title(posteriors), fontsize=text_size(), loc="left", **PLAIN)
    return Picture(ax, bars=(bars[0], bars[1], bars[2]), numbers=tuple(numbers))


def _sides(ax: Axes, left: list[str], right: list[str]) -> None:
    """The first names at the left, the second at the right."""
    places = range(len(left))
    ax.set(xlim=(0, 1), ylim=(len(left) - 0.4, -0.6))
    ax.spines[:].set_visible(False)
    ax.set_yticks(places, left, fontsize=small_size(), **PLAIN)
    for y, name in zip(places, right, strict=True):
        ax.annotate(
            name,
            (1, y),
            (6, 0),
            textcoords="offset points",
            va="center",
            fontsize=small_size(),
            annotation_clip=False,
            **PLAIN,
        )
    ax.tick_params(length=0, pad=6)


def draw_probabilities(posteriors: Posteriors, ax: Axes | None = None) -> Picture:
    """The probability that the learner of the row is better than that of the column by more than the region."""
    names = posteriors.learners
    values = np.array([[np.nan if a == b else posteriors[a, b].first_better for b in names] for a in names])
    picture = draw_matrix(
        ax, values, names, label="probability that the row is better", shades=(0.0, 1.0), colours=SHADES
    )
    picture.ax.set_title(f"{posteriors.name}, rope {posteriors.rope:g}", fontsize=text_size(), loc="left")
    return picture


def draw_density(
    posteriors: Posteriors, ax: Axes | None = None, *, pair: tuple[str, str] | None = None
) -> Picture:
    """The posterior of the difference of a pair, shaded by what it says; dashed lines bound the region."""
    posterior = _one(posteriors, pair)
    ax = axes_of(ax, 5.0, 3.0)
    style_axes(ax)
    reach = max(4.5 * posterior.scale, 1.4 * posteriors.rope)
    x = np.linspace(
        min(posterior.location - reach, -1.4 * posteriors.rope),
        max(posterior.location + reach, 1.4 * posteriors.rope),
        801,
    )
    y = posterior.density(x)
    (line,) = ax.plot(x, y, color=text_colour(), linewidth=LINE)
    above, below = (FIRST, SECOND) if posteriors.larger_is_better else (SECOND, FIRST)
    for where, colour in (
        (x >= posteriors.rope, above),
        (np.abs(x) <= posteriors.rope, SAME),
        (x <= -posteriors.rope, below),
    ):
        ax.fill_between(x, y, where=where, color=colour, alpha=0.8, linewidth=0)
    for edge in {posteriors.rope, -posteriors.rope}:
        ax.plot((edge, edge), (0, 1.04 * y.max()), color=text_colour(), alpha=MUTED, linewidth=HAIR, dashes=(4, 3))
    ax.set(xlim=(x[0], x[-1]), ylim=(0, 1.28 * y.max()), yticks=[])
    ax.spines["left"].set_visible(False)
    first, second = abbreviated(posterior.first, 24), abbreviated(posterior.second, 24)
    ax.set_xlabel(f"{posteriors.measure}: {first} \N{MINUS SIGN} {second}", fontsize=text_size(), **PLAIN)
    ax.set_title(_title(posteriors), fontsize=text_size(), loc="left", **PLAIN)
    return Picture(ax, line=line, parts=_parts(ax, posterior, posteriors.larger_is_better, (first, second)))


def _parts(ax: Axes, posterior: Posterior, larger: bool, names: tuple[str, str]) -> tuple[Text, Text, Text]:
    """What the three parts say, above them: at the side where the learner wins."""
    (first, second), right = names, 0.98 if larger else 0.02
    sides = {0.02: "left", 0.5: "center", 0.98: "right"}
    corners = (
        (1 - right, f"{second} better\n{signed_text(posterior.second_better)}", SECOND),
        (0.5, f"equivalent\n{signed_text(posterior.equivalent)}", text_colour()),
        (right, f"{first} better\n{signed_text(posterior.first_better)}", FIRST),
    )
    written = [
        ax.text(
            round(x, 2),
            0.97,
            text,
            transform=ax.transAxes,
            ha=sides[round(x, 2)],
            va="top",
            fontsize=small_size(),
            color=colour,
            **PLAIN,
        )
        for x, text, colour in corners
    ]
    return written[2], written[1], written[0]


def draw_triangle(
    posteriors: Posteriors, ax: Axes | None = None, *, pair: tuple[str, str] | None = None
) -> Picture:
    """Draws of a pair's shares, each a point between three corners; a third of the triangle belongs to each."""
    posterior = _one(posteriors, pair)
    x, y = _projected(posteriors.sample(posterior.first, posterior.second))
    ax = axes_of(ax, 4.8, 4.4)
    draws = ax.hexbin(x, y, gridsize=60, extent=(0, 1, 0, sqrt(3) / 2), mincnt=1, cmap=SHADES, linewidths=0.1)
    draws.set_clim(0, None)
    middle = _projected(np.full((1, 3), 1 / 3))
    ax.plot([0, 1, 0.5, 0], [0, 0, sqrt(3) / 2, 0], color=text_colour(), linewidth=HAIR, clip_on=False)
    for half in _projected(np.array([[0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])).T:
        ax.plot(
            (middle[0, 0], half[0]), (middle[1, 0], half[1]), color=text_colour(), alpha=FAINT * 2, linewidth=HAIR
        )
    ax.set(xlim=(-0.05, 1.05), ylim=(-0.02, 0.9), aspect="equal")
    ax.axis("off")
    corners = (
        _corner(
            ax, f"{abbreviated(posterior.first, 24)} better\n{signed_text(posterior.first_better)}", (0, 0), "left"
        ),
        _corner(
            ax, f"within {posteriors.rope:g}\n{signed_text(posterior.equivalent)}", (0.5, sqrt(3) / 2), "center"
        ),
        _corner(
            ax,
            f"{abbreviated(posterior.second, 24)} better\n{signed_text(posterior.second_better)}",
            (1, 0),
            "right",
        ),
    )
    ax.set_title(_title(posteriors), fontsize=text_size(), loc="left", pad=26, **PLAIN)
    return Picture(ax, draws=draws, corners=corners)


def _projected(shares: FloatArray) -> FloatArray:
    """First better at the left, second at the right, equivalence at the top."""
    return np.stack([shares[:, 2] + shares[:, 1] / 2, shares[:, 1] * sqrt(3) / 2])


def _corner(ax: Axes, text: str, at: tuple[float, float], side: str) -> Text:
    top = side == "center"
    return ax.annotate(
        text,
        at,
        (0, 4 if top else -4),
        textcoords="offset points",
        ha=side,
        va="bottom" if top else "top",
        fontsize=small_size(),
        annotation_clip=False,
        **PLAIN,
    )


def _one(posteriors: Posteriors, pair: tuple[str, str] | None) -> Posterior:
    return next(iter(posteriors.pairs.values())) if pair is None else posteriors[pair]


def _title(posteriors: Posteriors) -> str:
    return f"{capitalised(posteriors.name)}: {abbreviated(f'{posteriors.measure} on {posteriors.data_set}', 40)}"
