"""Measures of two classes in every verb: Python, command line, comparison, weights, groups, reports, engines."""

import json

import numpy as np
import pytest

import polyroc as pr
from command import polyroc
from polyroc.errors import NotApplicableError

KEYS = (
    "average_precision",
    "cost_area",
    "net_benefit(threshold=0.3)",
    "sensitivity(specificity=0.9)",
    "sensitivity(fpr=0.1)",
    "specificity(sensitivity=0.8)",
    "specificity(tpr=0.8)",
)
COUNTED = [key for key in KEYS if pr.measure(key).bins is not None]  # binned counts suffice
RNG = np.random.default_rng(8)
Y = np.arange(120) % 3 == 0
S, T = (1 / (1 + np.exp(-RNG.normal(scale * Y - 0.5))) for scale in (2.0, 1.0))
WEIGHT, GROUPS = RNG.integers(1, 4, 120), np.arange(120) // 2
OPTIONS = {"weights": {"sample_weight": WEIGHT}, "groups": {"groups": GROUPS}, "cohort": {}}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("everywhere") / "scores.csv"
    rows = zip(*(column.tolist() for column in (Y.astype(int), S, T, WEIGHT, GROUPS)), strict=True)
    path.write_text("y,s,t,w,g\n" + "".join(f"{y},{s!r},{t!r},{w},{g}\n" for y, s, t, w, g in rows))
    return path


def test_which_are_counted():
    assert [key for key in KEYS if key not in COUNTED] == []


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_in_python(key, options):
    estimate = pr.evaluate(Y, S, measure=key, **options)
    low, high = estimate.confidence_interval()
    assert low < estimate.value < high
    comparison = pr.compare(Y, {"s": S, "t": T}, measure=key, **options)
    assert comparison.estimates["s"].value == pytest.approx(estimate.value, abs=1e-12)
    assert 0 < comparison.pvalue < 1
    assert comparison.difference("s", "t").standard_error > 0
    apart = {"s": pr.Scores.from_arrays(Y, S, **options), "t": pr.Scores.from_arrays(Y, T, **options)}
    unpaired = pr.compare(apart, measure=key).difference("s", "t")
    assert unpaired.standard_error > 0
    assert pr.evaluate(Y, S, measure=key, **options, method="jackknife").standard_error > 0


@pytest.mark.parametrize("key", KEYS)
def test_weights_of_whole_numbers_are_repetitions(key):
    weighted = pr.evaluate(Y, S, measure=key, sample_weight=WEIGHT).value
    assert weighted == pytest.approx(pr.evaluate(np.repeat(Y, WEIGHT), np.repeat(S, WEIGHT), measure=key).value)


@pytest.mark.parametrize("key", KEYS)
def test_on_the_command_line(path, key):
    arguments = (path, "--truth", "y", "--scores", "s=s", "--scores", "t=t", "-m", key)
    done = polyroc("evaluate", *arguments, "--json")
    assert done.returncode == 0
    (first, _) = json.loads(done.stdout)["estimates"]
    expected = pr.evaluate(Y, S, measure=key)
    assert first["value"] == pytest.approx(expected.value, abs=1e-12)
    assert first["standard_error"] == pytest.approx(expected.standard_error, rel=1e-9)
    for options in (("--weight", "w"), ("--groups", "g")):
        done = polyroc("compare", *arguments, *options, "--json")
        assert done.returncode == 0, done.stderr
        argument = {"sample_weight": WEIGHT} if options[0] == "--weight" else {"groups": GROUPS}
        comparison = pr.compare(Y, {"s": S, "t": T}, measure=key, **argument)
        assert json.loads(done.stdout)["pvalue"] == pytest.approx(comparison.pvalue, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_by_the_engine_and_a_tally(path, key):
    expected = pr.evaluate(Y, S, measure=key)
    if key not in COUNTED:
        with pytest.raises(NotApplicableError, match="not available"):
            pr.evaluate(path, truth="y", scores="s", measure=key, engine="duckdb")
        return
    estimate = pr.evaluate(path, truth="y", scores="s", measure=key, engine="duckdb", exact=True)
    assert estimate.value == pytest.approx(expected.value, abs=1e-9)
    assert estimate.standard_error == pytest.approx(expected.standard_error, rel=1e-6)
    for options, columns in (({"sample_weight": WEIGHT}, {"weight": "w"}), ({"groups": GROUPS}, {"groups": "g"})):
        one = pr.evaluate(path, truth="y", scores="s", measure=key, engine="duckdb", exact=True, **columns)
        other = pr.evaluate(Y, S, measure=key, **options)
        assert (one.value, one.standard_error) == pytest.approx((other.value, other.standard_error), rel=1e-6)
    tally = pr.Tally([False, True])
    tally.update(Y, S)
    counted = tally.evaluate(key)
    assert counted.certificate.low - 1e-9 <= expected.value <= counted.certificate.high + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_in_a_report(key, tmp_path):
    page = tmp_path / "report.html"
    pr.report(Y, {"s": S, "t": T}, measure=key, path=page)
    text = page.read_text()
    assert key in text
    assert f"{pr.evaluate(Y, S, measure=key).value:.4f}"[:6] in text
