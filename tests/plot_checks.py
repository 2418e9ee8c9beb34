"""Checks that several tests of plots share."""

from itertools import combinations

import pytest
from matplotlib.text import Text

HOSTILE = [
    "$\\frac{a}{$",
    "_hidden\nby its name",
    "a name that is longer than anybody would like to see on an axis",
]


def texts(artists):
    return [artist.get_text() for artist in artists]


def written(figure):
    """Every text that is drawn, with where it is."""
    drawn, draw = {}, Text.draw

    def noted(text, renderer):
        if text.get_visible() and text.get_text().strip():
            drawn[text] = None
        draw(text, renderer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", noted)
        figure.canvas.draw()
    return {text: text.get_window_extent() for text in drawn}


def assert_texts_keep_apart(figure):
    """No text overlaps another or leaves the figure; two pixels are rounding."""
    boxes = written(figure)
    width, height = figure.canvas.get_width_height()
    for text, box in boxes.items():
        assert box.x0 > -2, text
        assert box.x1 < width + 2, text
        assert box.y0 > -2, text
        assert box.y1 < height + 2, text
    upright = {
        text: box for text, box in boxes.items() if text.get_rotation() % 90 == 0
    }  # boxes of others are loose
    for (one, a), (two, b) in combinations(upright.items(), 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        up = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert min(across, up) < 2, (one, two)
