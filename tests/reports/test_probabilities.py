"""The panel of ranking, probabilities and decisions, and the sections on calibration and decision curves."""

import json
import re

import numpy as np
import pytest
from scipy.special import expit

import polyroc as pr
from polyroc.reports.result import Report

RNG = np.random.default_rng(0)
X = RNG.normal(0, 2.2, 600)
Y = RNG.random(600) < expit(X)
SHARP, WEAK = "sharp <b>&</b>", "weak"


def panel(report):
    table = next(table for table in report.tables if table.key == "panel")
    return {row[0]: row[1:] for row in table.rows}


@pytest.fixture(scope="module")
def two():
    scores = {"right": expit(X), SHARP: expit(2 * X), WEAK: expit(0.4 * RNG.normal(size=600))}
    return pr.report(Y, scores, path=None)


@pytest.mark.slow
def test_sentences_of_two_classes(two):
    ranking, probabilities, decisions = panel(two)["right"]
    slope = pr.calibration(Y, expit(X), replicates=50).event().slope
    assert ranking.startswith("Ranks well: area under the ROC curve 0.8")
    assert probabilities.startswith(f"No miscalibration is shown: slope {slope.value:.2f} ({slope.low:.2f} to ")
    assert decisions.startswith("Net benefit is larger than that of treating all or none at thresholds from 0.")
    assert "on these cases, shown (95 %) at thresholds from 0." in decisions
    ranking, probabilities, _ = panel(two)[SHARP]
    assert ranking.startswith("Ranks well")
    assert probabilities.startswith("Its probabilities are too extreme and too low on average: slope 0.")
    ranking, _, decisions = panel(two)[WEAK]
    assert ranking.startswith("Is not shown to rank better than chance")
    assert "shown (95 %) at no threshold" in decisions


def test_thresholds_are_those_of_the_decision_curve(two):
    curve = two.findings.decision_curve
    over_none, over_all = curve.curves["right"], curve.over_all["right"]
    np.testing.assert_allclose(over_all.value, over_none.value - curve.treat_all.value, atol=1e-12)
    more = (over_none.value > 0) & (over_all.value > 0)
    shown = (over_none.confidence_interval()[0] > 0) & (over_all.confidence_interval()[0] > 0)
    ranges = re.findall(r"from ([\d.]+) to ([\d.]+)", panel(two)["right"][2])
    for (first, last), flags in zip(ranges, (more, shown), strict=True):
        inside = (curve.thresholds >= float(first) - 1e-9) & (curve.thresholds <= float(last) + 1e-9)
        assert flags[inside].all()
        assert inside.sum() > flags.sum() / 2
    again = Report.from_json(two.to_json())
    assert panel(again) == panel(two)


def test_a_benefit_within_its_error_is_not_shown():
    """Of 30 cases the value is larger at many thresholds, but within its error of that of treating all."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=30)
    (row,) = panel(pr.report(rng.random(30) < expit(x), expit(x), path=None)).values()
    assert row[2].startswith("Net benefit is larger than that of treating all or none at thresholds from")
    assert "on these cases, shown (95 %) at no threshold; it is" in row[2]


@pytest.mark.slow
def test_three_classes():
    p = RNG.dirichlet(np.ones(3), 500)
    y = (p.cumsum(axis=1) < RNG.random((500, 1))).sum(axis=1)
    extreme = p**3 / (p**3).sum(axis=1, keepdims=True)
    report = pr.report(y, {"right": p, "extreme": extreme}, path=None)
    _, probabilities, decisions = panel(report)["extreme"]
    assert "too extreme and too high on average: of the top label, slope 0." in probabilities
    assert "by class, miscalibration is shown for 0 (too extreme" in probabilities
    assert decisions.startswith("Helps at equal costs: ")
    assert "No miscalibration is shown" in panel(report)["right"][1]
    assert report.findings.decision_curve is None
    html = report.to_html()
    assert "Decision curves" not in html
    assert html.count("<svg") > 1


@pytest.mark.parametrize(
    ("scores", "options"),
    [(X, {}), (expit(X), {"sampling": "case-control"}), ((X > 0).astype(int), {"measure": "accuracy"})],
    ids=["scores", "case-control", "decisions"],
)
def test_only_of_probabilities(scores, options):
    if "measure" in options:
        scores = np.where(scores, "sick", "well")
        report = pr.report(np.where(Y, "sick", "well"), scores, path=None, pos_label="sick", **options)
    else:
        report = pr.report(Y, scores, path=None, **options)
    assert report.findings.calibration is None
    assert 'id="panel"' not in report.to_html()


@pytest.mark.slow
def test_stored_and_made_of_results(two):
    again = Report.from_dict(json.loads(two.to_json()))
    assert panel(again) == panel(two)
    assert "## Ranking, probabilities and decisions side by side" in two.to_markdown()
    both = pr.report([pr.calibration(Y, expit(X), replicates=50), pr.decision_curve(Y, expit(X))], path=None)
    assert panel(both)["classifier"][0] == "No measure of ranking."
    page = both.to_html()
    assert "Decision curves" in page
    assert "<b>&</b>" not in two.to_html()


@pytest.mark.slow
def test_in_the_browser(two, browser, tmp_path):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(two.save(tmp_path / "two.html").as_uri())
    assert page.locator("#panel td").count() == 9
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#calibration svg").count() == 3
    assert all(picture.bounding_box()["width"] <= 390 for picture in page.locator("#calibration svg").all())
    assert page.locator("#panel tbody th").nth(1).inner_text() == SHARP
    page.close()
