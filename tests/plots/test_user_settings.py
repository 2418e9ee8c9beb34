"""Pictures follow the user's matplotlib settings, and the options of every kind are documented."""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

import polyroc as pr
from polyroc.plots import dispatch

Y = np.arange(60) % 2
S = np.random.default_rng(0).normal(size=60) + Y
Y3 = np.arange(60) % 3
P3 = np.random.default_rng(1).dirichlet((1, 1, 1), size=60)


def results():
    yield pr.evaluate(Y, {"a": S, "b": -S}, measure=["auc", "gini"])
    yield pr.compare(Y, {"a": S, "b": -S}, measure="auc")
    yield pr.curve(Y, S, band="pointwise", binormal=True)
    yield pr.evaluate(Y3, P3, measure="hand_till")
    yield pr.rates(Y3, P3)
    yield pr.decision_curve(Y, 1 / (1 + np.exp(-S)))
    yield pr.surface(Y3, P3, measure="he", points=4)


@pytest.fixture(autouse=True)
def own_settings():
    with plt.rc_context({"font.family": "serif", "font.size": 14, "figure.figsize": (9, 5)}):
        yield
    plt.close("all")


@pytest.mark.slow
def test_fonts_and_sizes_are_those_of_the_user():
    for result in results():
        figure = pr.plot(result).figure
        texts = [text for text in figure.findobj(Text) if text.get_text()]
        assert {text.get_fontfamily()[0] for text in texts} == {"serif"}, result
        assert min(text.get_fontsize() for text in texts) >= 0.65 * 14 - 1e-9, result
        if not isinstance(result, pr.results.Rates | pr.results.Estimate):  # cells of a matrix are square
            assert figure.get_size_inches().tolist() == [9, 5], result


def test_the_texts_of_a_saved_pdf_can_be_edited(tmp_path):
    picture = pr.plot(pr.curve(Y, S))
    with plt.rc_context({"pdf.compression": 0}):
        picture.save(tmp_path / "roc.pdf")
    content = (tmp_path / "roc.pdf").read_bytes()
    assert b"/CIDFontType2" in content
    assert b"/Type3" not in content
    with pytest.raises(pr.errors.InputError, match=r"ends in \.png, \.svg or \.pdf"):
        picture.save(tmp_path / "roc.jpg")


def test_a_roc_curve_is_in_the_middle_of_a_wide_figure():
    picture = pr.plot(pr.curve(Y, S))
    picture.figure.draw_without_rendering()
    box = picture.ax.get_position()
    assert 0.35 < (box.x0 + box.x1) / 2 < 0.65


def test_every_option_is_documented():
    drawers = [
        value for name, value in vars(dispatch).items() if name.startswith("draw_") and name != "draw_panels"
    ]
    options = {
        name
        for drawer in drawers
        for name, parameter in inspect.signature(drawer).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    assert len(options) > 8
    missing = [name for name in options if f"`{name}" not in pr.plot.__doc__]
    assert missing == []
