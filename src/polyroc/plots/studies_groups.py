"""Groups of learners within which a range test finds no difference: Bradley's underlines, and letters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Annotation, Text

from polyroc.errors import InputError
from polyroc.output.names import abbreviated
from polyroc.output.numbers import level_text, signed_text
from polyroc.output.sentences import capitalised
from polyroc.plots.forest import write_beside
from polyroc.plots.picture import Picture
from polyroc.plots.style import LINE, MUTED, PLAIN, SMALL, TEXT, axes_of, dress, ink, room, style, width_of
from polyroc.studies.summaries.range_tests import RangeTest, letter

__all__ = [
    "LettersPicture",
    "UnderlinesPicture",
    "UnderlinesPictures",
    "draw_letters",
    "draw_several",
    "draw_underlines",
    "lanes",
]

WIDEST = 11.0  # inches that names may fill side by side before they stand on end
GAP, ROW, AROUND, SCALE = 12.0, 0.16, 1.0, 3.6  # points between names; inches: a line, around, width of a scale
FIGURE_SPACE = "\N{FIGURE SPACE}"


@dataclass(frozen=True, slots=True)
class UnderlinesPicture(Picture):
    """Learners in a row, and lines under those that do not differ.

    Attributes
    ----------
    names, values
        Of the learners, the worst at the left.
    lines
        One for each group.
    """

    names: tuple[Text, ...]
    values: tuple[Text, ...]
    lines: tuple[Line2D, ...]


@dataclass(frozen=True, slots=True)
class UnderlinesPictures(Picture):
    """Several of these, one below the other.

    Attributes
    ----------
    pictures
        One for each range test.
    """

    pictures: tuple[UnderlinesPicture, ...]


@dataclass(frozen=True, slots=True)
class LettersPicture(Picture):
    """Learners one below the other, and the letters of their groups.

    Attributes
    ----------
    points
        One for each learner, the best at the top.
    letters
        Beside them; learners that share a letter do not differ.
    """

    points: tuple[Line2D, ...]
    letters: tuple[Annotation, ...]


class _Layout(NamedTuple):
    """Where the parts of an underlined row of learners go: lines by group, sizes in inches."""

    names: list[str]
    values: list[str]
    spans: list[tuple[int, int]]
    rows: list[int]
    upright: bool
    width: float
    height: float


def _layout(test: RangeTest) -> _Layout:
    """Names side by side, or on end where that would be too wide."""
    order = test.learners[::-1]
    names = [abbreviated(name, 24) for name in order]
    values = [signed_text(test.values[name]) for name in order]
    widest = max(width_of(text, SMALL) for text in (*names, *values)) + GAP
    upright = widest * len(names) / 72 > WIDEST
    cell = max(width_of(text, SMALL) for text in values) + GAP if upright else widest
    spans = [(order.index(group[-1]), order.index(group[0])) for group in test.groups]
    rows = lanes(spans)
    tall = max(width_of(name, SMALL) for name in names) / 72 if upright else 0.15
    width = max(cell * len(names), width_of(_title(test), SMALL)) / 72 + 0.4
    return _Layout(names, values, spans, rows, upright, width, tall + ROW * (max(rows) + 3) + AROUND / 2)


def draw_underlines(test: RangeTest, ax: Axes | None = None) -> UnderlinesPicture:
    """Learners from the worst to the best; those over one line do not differ, as in Bradley (1997)."""
    names, values, spans, rows, upright, width, height = _layout(test)
    ax = axes_of(ax, width, height)
    ax.set(xlim=(-0.5, len(names) - 0.5), ylim=(-(max(rows) + 1.6), 0.9))
    ax.axis("off")
    look: dict[str, Any] = {"ha": "center", "fontsize": SMALL, **PLAIN}
    place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    turned: dict[str, Any] = {"va": "bottom", "rotation": 90 if upright else 0, "annotation_clip": False}
    above = [ax.annotate(name, (x, 1), (0, 2), **place, **turned, **look) for x, name in enumerate(names)]
    below = [ax.text(x, 0.2, value, va="center", **look) for x, value in enumerate(values)]
    lines = [
        ax.plot((a - 0.35, b + 0.35), (-row - 0.8,) * 2, color=ink(), linewidth=LINE, solid_capstyle="butt")[0]
        for (a, b), row in zip(spans, rows, strict=True)
    ]
    _say_below(ax, test)
    return UnderlinesPicture(ax, tuple(above), tuple(below), tuple(lines))


def draw_several(several: Sequence[RangeTest], ax: Axes | None = None) -> UnderlinesPictures:
    """Underlines of several data sets or measures, one below the other; on a figure of their own."""
    if ax is not None:
        raise InputError("Several range tests need a figure of their own; draw them one by one on your axes.")
    layouts = [_layout(result) for result in several]
    width, heights = max(each.width for each in layouts), [each.height for each in layouts]
    apart = room()
    apart.set(h_pad=0.14)
    _, axes = pyplot.subplots(
        len(several),
        figsize=(width, sum(heights) + 0.1 * len(several)),
        layout=apart,
        squeeze=False,
        gridspec_kw={"height_ratios": heights},
    )
    pictures = [draw_underlines(each, own) for each, own in zip(several, axes[:, 0], strict=True)]
    return UnderlinesPictures(pictures[0].ax, tuple(pictures))


def draw_letters(test: RangeTest, ax: Axes | None = None) -> LettersPicture:
    """Learners from the best to the worst, and the letters of their groups; equal letters: no difference."""
    names = [abbreviated(name) for name in test.values]
    letters = test.letters
    wide = max(width_of(name, SMALL) for name in names) + max(width_of(each, SMALL) for each in letters.values())
    ax = axes_of(ax, SCALE + (wide + 60) / 72, AROUND + 0.25 * len(names))
    dress(ax, grid="x")
    colour, marker, _ = style(0)
    points = [
        ax.plot(value, y, marker, color=colour, markersize=6, mec=ax.get_facecolor(), mew=0.6)[0]
        for y, value in enumerate(test.values.values())
    ]
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_yticks(range(len(names)), names, fontsize=SMALL, **PLAIN)
    ax.tick_params(axis="y", length=0, pad=6)
    ax.spines["left"].set_visible(False)
    ax.margins(x=0.06)
    ax.locator_params(axis="x", nbins=6)
    ax.set_xlabel(capitalised(f"{test.quantity} {test.measure}"), fontsize=TEXT, **PLAIN)
    aligned = [_aligned(test, name) for name in test.values]
    written = write_beside(ax, "group", dict(enumerate(aligned)))
    for each in written:
        each.set_fontfamily("monospace")
    ax.set_title(_title(test), fontsize=TEXT, loc="left", pad=16, **PLAIN)
    return LettersPicture(ax, tuple(points), written)


def _aligned(test: RangeTest, learner: str) -> str:
    """A learner's letters, each in the column of its group."""
    signs = [letter(place) for place in range(len(test.groups))]
    columns = zip(signs, test.groups, strict=True)
    return "".join(sign if learner in group else FIGURE_SPACE * len(sign) for sign, group in columns)


def lanes(spans: Sequence[tuple[float, float]]) -> list[int]:
    """A row for each span such that no two on one row touch; the first that is free.

    >>> lanes([(0, 2), (1, 3), (3, 5)])
    [0, 1, 0]
    """
    ends: list[float] = []
    rows = []
    for start, end in sorted(spans):
        row = next((k for k, last in enumerate(ends) if start > last), len(ends))
        ends[row : row + 1] = [end]
        rows.append(row)
    by_span = dict(zip(sorted(spans), rows, strict=True))
    return [by_span[span] for span in spans]


def _title(test: RangeTest) -> str:
    return f"{test.name}, {level_text(test.alpha)}: {abbreviated(f'{test.measure} on {test.data_set}', 48)}"


def _say_below(ax: Axes, test: RangeTest) -> None:
    ax.annotate(
        _title(test),
        (0, 0),
        (0, -2),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        fontsize=SMALL,
        alpha=MUTED,
        annotation_clip=False,
        **PLAIN,
    )
