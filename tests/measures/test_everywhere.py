"""Measures of two classes in every verb: Python, command line, comparison, weights, groups, reports, engines."""

import json

import numpy as np
import pytest

import polyroc as pr
from command import polyroc
from polyroc.errors import MeasureError, NotApplicableError
from polyroc.measures.registry import MEASURES
from polyroc.rules import ThresholdRule

DECIDED = [key for key, measure in MEASURES.items() if measure.needs == "decisions" and key != "net_benefit"]
KEYS = (
    *(f"{key}(threshold=0.5)" for key in DECIDED),
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
    apart = {"s": pr.Scores(Y, S, **options), "t": pr.Scores(Y, T, **options)}
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
    for options in (("--sample-weight", "w"), ("--groups", "g")):
        done = polyroc("compare", *arguments, *options, "--json")
        assert done.returncode == 0, done.stderr
        argument = {"sample_weight": WEIGHT} if options[0] == "--sample-weight" else {"groups": GROUPS}
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
    for options, columns in (
        ({"sample_weight": WEIGHT}, {"sample_weight": "w"}),
        ({"groups": GROUPS}, {"groups": "g"}),
    ):
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


@pytest.mark.filterwarnings("ignore::polyroc.errors.SuspectInputWarning")  # the score of 1 is given as that of 0
@pytest.mark.parametrize("key", DECIDED)
@pytest.mark.parametrize("positive", [0, 1])
def test_a_threshold_decides_as_its_rule(key, positive):
    y, score = Y.astype(int), np.round(S, 2)
    at = float(np.median(score))  # many cases have just this score
    labels = np.where(score >= at, positive, 1 - positive)
    assert (labels == ThresholdRule((0, 1), positive, at).decide(score)).all()
    expected = pr.evaluate(y, labels, measure=key, pos_label=positive)
    estimate = pr.evaluate(y, score, measure=f"{key}(threshold={at})", pos_label=positive)
    assert (estimate.value, estimate.standard_error) == (expected.value, expected.standard_error)
    assert estimate.confidence_interval() == pytest.approx(expected.confidence_interval())
    columns = np.stack([1 - score, score] if positive else [score, 1 - score], axis=1)
    of_columns = pr.evaluate(y, columns, measure=f"{key}(threshold={at})", pos_label=positive)
    assert of_columns.value == estimate.value
    negated = pr.evaluate(y, -score, measure=f"{key}(threshold={at})", pos_label=positive, negate=True)
    assert negated.value == estimate.value


def test_decisions_of_a_score_need_a_threshold_of_two_classes():
    with pytest.raises(
        NotApplicableError, match=r"for two classes\) a threshold, as in accuracy\(threshold=0.5\)"
    ):
        pr.evaluate(Y, S, measure="accuracy")
    with pytest.raises(NotApplicableError, match=r"accuracy\(threshold=0.5\) is for 2 classes, here 3"):
        pr.evaluate([0, 1, 2] * 3, np.eye(3)[[0, 1, 2] * 3], measure="accuracy(threshold=0.5)")
    with pytest.raises(NotApplicableError, match=r"positive class; use pos_label='b' or 'a'"):
        pr.evaluate(["a", "b"] * 3, np.eye(2)[[0, 1] * 3], measure="accuracy(threshold=0.5)")
    with pytest.raises(MeasureError, match="threshold must be a number, got 'high'"):
        pr.evaluate(Y, S, measure="accuracy(threshold='high')")
    with pytest.raises(MeasureError, match="accuracy has no option 'cut'; known: threshold"):
        pr.measure("accuracy", cut=0.5)
    assert str(pr.measure("ppv(prevalence=0.1)").with_options(threshold=2)) == "ppv(prevalence=0.1, threshold=2)"


@pytest.mark.parametrize("key", ["macro_average", "ht3"])
def test_parts_at_a_threshold_by_the_engine(path, key):
    arguments = {"measure": f"{key}(threshold=0.3)", "truth": "y", "scores": "s"}
    memory, engine = (pr.evaluate(path, engine=engine, **arguments) for engine in ("memory", "duckdb"))
    assert [*engine.parts] == [*memory.parts]
    for part, own in memory.parts.items():
        low, high = engine.parts[part].bounds
        assert low <= own.value <= high
