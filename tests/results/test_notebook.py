"""What a notebook shows of a result: the methods that Jupyter calls, on what they would show."""

import re
from contextlib import redirect_stdout
from html import unescape
from html.parser import HTMLParser
from io import StringIO

import numpy as np
import pytest

import polyroc as pr
from polyroc.datasets import catalogue

COLUMNS = {"truth": "species", "scores": "p_*", "classifier": "classifier", "case": "case"}


@pytest.fixture(scope="module")
def scores():
    return pr.read(catalogue.path("iris_predictions"), **COLUMNS)


class Cells(HTMLParser):
    """The cells of the tables of a page, by row."""

    def __init__(self, page):
        super().__init__()
        self.rows, self._inside = [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):  # noqa: ARG002 - the signature is that of HTMLParser
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self._inside = tag in ("td", "th")

    def handle_data(self, data):
        if self._inside:
            self.rows[-1][-1] += data

    def handle_endtag(self, tag):  # noqa: ARG002
        self._inside = False


def shown(result):
    return Cells(result._repr_html_()).rows


def test_small_p_values_are_bounds(scores):
    comparison = pr.compare(scores, measure="hand_till")
    (head, *rows) = shown(comparison)
    column = head.index("p adjusted")
    assert "< 0.001" in [row[column] for row in rows]
    assert not any(re.fullmatch(r"0\.0+|\d+e-\d+", row[column]) for row in rows)
    tested = pr.evaluate(scores, measure="hand_till", null="chance")
    assert any("< 0.001" in row for row in shown(tested))


def test_counts_are_integers(scores):
    (head, *rows) = shown(pr.rates(scores, only="lda"))
    places = [place for place, name in enumerate(head) if name in ("cases", "count", "of")]
    assert places
    assert all(row[place].isdecimal() for row in rows for place in places)


def test_long_results_are_shown_in_part():
    y, P = np.arange(60) % 3, np.random.default_rng(0).dirichlet((1, 1, 1), size=60)
    surface = pr.surface(y, P, measure="he", points=40)
    assert len(surface.rows()) == 400
    assert len(shown(surface)) == 1 + 20 + 1  # a heading, twenty rows and the gap
    assert "to_frame()" in surface._repr_html_()
    few = pr.surface(y, P, measure="he", points=6)
    assert 20 < len(few.rows()) < 60
    assert len(shown(few)) == 1 + 20 + 1  # points are not shown beyond twenty; estimates are, up to sixty
    curve = pr.curve(np.arange(900) % 2, np.random.default_rng(0).normal(size=900))
    assert len(shown(curve)) <= 1 + 20 + 1
    assert len(str(curve).splitlines()) < 30


def test_an_evaluation_is_a_table(scores):
    evaluation = pr.evaluate(scores, measure=["hand_till", "ova"])
    (head, *rows) = shown(evaluation)
    assert [name in head for name in ("measure", "classifier", "value", "std. error")] == [True] * 4
    assert len(rows) == 6
    first, last = re.findall(r'<td style="text-align: (\w+)[^>]*>(?:hand_till|0.5)<', evaluation._repr_html_())[:2]
    assert (first, last) == ("left", "right")


@pytest.fixture(scope="module")
def report(scores):
    return pr.report(scores, title='<b>"Irises"</b>')


@pytest.mark.slow
def test_a_report_is_shown_in_a_frame(report):
    frame = report._repr_html_()
    assert frame.startswith("<iframe ")
    assert frame.count("<") == 2  # of the frame alone: all of the page is escaped
    inside = re.search(r'srcdoc="([^"]*)"', frame)[1]
    assert unescape(inside) == report.to_html()
    assert "sandbox=" in frame


def test_a_picture_prints_nothing(scores):
    picture = pr.plot(pr.evaluate(scores, measure=["hand_till"]))
    with redirect_stdout(StringIO()) as out:
        picture._ipython_display_()  # what Jupyter calls instead of any other representation
    assert out.getvalue() == ""
    assert len(repr(picture)) < 100
    import matplotlib.pyplot as plt

    plt.close("all")
