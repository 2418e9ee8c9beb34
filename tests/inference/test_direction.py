"""Reversed scores: named where an interval is below chance, and negated on request."""

import numpy as np
import polars as pl
import pytest

import polyroc as pr
from command import polyroc
from polyroc.errors import InputError, NotApplicableError

RNG = np.random.default_rng(2)
Y = np.tile([0, 1], 40)
GOOD = Y + RNG.normal(0, 0.8, 80)
WRONG = -Y + RNG.normal(0, 0.8, 80)
FRAME = pl.DataFrame({"y": Y, "good": GOOD, "abeta": WRONG, "-odd": WRONG, "p_0": 0.4, "p_1": 0.6})
NOTE = "abeta: every value of the 95 % interval of auc is below chance (0.5): is the score reversed?"


def test_estimates_below_chance():
    estimate = pr.evaluate(Y, WRONG, measure="auc")
    assert estimate.is_below_chance()
    assert not pr.evaluate(Y, GOOD, measure="auc").is_below_chance()
    assert "is below chance (0.5): is the score reversed?" in str(estimate)
    every = str(pr.evaluate(Y, {"abeta": WRONG, "good": GOOD}))
    assert every.count("is the score reversed?") == 1
    assert "abeta: every value of the 95 % interval of auc, gini" in every
    assert not pr.evaluate(Y, WRONG, measure="auc", method=None).is_below_chance()


def test_a_cost_is_bad_above_chance():
    wrong, good = (pr.evaluate(Y, scores, measure="cost_area") for scores in (WRONG, GOOD))
    assert wrong.chance == good.chance == 0.25
    assert not good.is_below_chance()
    assert wrong.is_below_chance() == (wrong.confidence_interval().low > 0.25)
    again = pr.results.Estimate.from_json(wrong.to_json())
    assert again.is_below_chance() == wrong.is_below_chance()


def test_conclusion_of_a_comparison():
    comparison = pr.compare(Y, {"good": GOOD, "abeta": WRONG}, measure="auc")
    note, first = comparison.conclusion()
    assert note.startswith(NOTE)
    assert first.startswith("good is better than abeta by")
    assert first.endswith("; abeta is worse than chance: is its score reversed?")
    assert NOTE in str(comparison)
    turned = pr.compare(Y, {"good": GOOD, "abeta": WRONG}, measure="auc", negate="abeta")
    assert not any("chance" in sentence for sentence in turned.conclusion())
    assert "The scores of abeta are negated." in turned.conclusion()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["influence", "bootstrap", "permutation"])
def test_no_conclusion_without_the_note(method):
    """No sentence that one is better than another which is below chance comes without that note."""
    noise = np.random.default_rng(3).normal(size=Y.size)
    comparison = pr.compare(Y, {"noise": noise, "abeta": WRONG, "worst": -Y}, measure="auc", method=method)
    better = [sentence for sentence in comparison.conclusion() if " is better than " in sentence]
    assert better
    for sentence in better:
        assert sentence.endswith("reversed?")
    both = comparison.difference("worst", "abeta")
    assert both.below_chance() == ("worst", "abeta")
    if both.adjusted_pvalue < 0.05:
        assert "; worst and abeta are worse than chance: are their scores reversed?" in both.sentence()
    again = pr.results.Comparison.from_json(comparison.to_json())
    assert again.conclusion() == comparison.conclusion()


def test_command_line_names_it_first(tmp_path):
    FRAME.write_csv(tmp_path / "cases.csv")
    options = ("--truth", "y", "--scores", "good=good", "--scores", "abeta=abeta", "-m", "auc")
    printed = " ".join(polyroc("compare", tmp_path / "cases.csv", *options).stdout.split())
    assert 0 < printed.index(NOTE) < printed.index("good is better than abeta")
    assert "abeta is worse than chance: is its score reversed?" in printed


def test_an_accuracy_above_chance_does_not_hide_a_reversed_score():
    """With rare positives the accuracy is high whatever the score."""
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.08).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=400) - 1.2 * y - 2.2)))
    every = pr.evaluate(y, np.column_stack([1 - p, p]))
    assert every["classifier", "accuracy"].confidence_interval().low > 0.5
    assert "are the columns in another order than the classes?" in str(every)


BINARY = "every score is 0 or 1. If these are predicted classes, give predicted probabilities instead"


def test_predicted_classes_as_scores():
    classes = (GOOD > 0.5).astype(int)
    estimate = pr.evaluate(Y, classes, measure="auc")
    assert f"classifier: {BINARY}" in str(estimate)
    assert pr.results.Estimate.from_dict(estimate.to_dict()).provenance.binary == ("classifier",)
    both = {"good": GOOD, "classes": classes}
    for result in (pr.evaluate(Y, both), pr.compare(Y, both, measure="auc"), pr.curve(Y, both)):
        assert f"classes: {BINARY}" in " ".join(str(result).split())
    assert BINARY in str(pr.evaluate(Y, np.eye(2)[classes], measure="hand_till"))
    assert BINARY in str(pr.evaluate(Y, classes.astype(np.float32), measure="auc"))


@pytest.mark.parametrize("scores", [GOOD, np.append(np.zeros(79), 0.5), np.arange(80) // 20, np.ones(80)])
def test_other_scores(scores):
    assert "every score is 0 or 1" not in str(pr.evaluate(Y, scores, measure="auc"))


def test_subgroups_below_chance():
    sex = np.where(np.arange(Y.size) // 2 % 2, "f", "m")
    mixed = np.where(sex == "f", WRONG, GOOD)
    grouped = pr.compare(Y, {"good": GOOD, "mixed": mixed}, measure="auc", by={"sex": sex})
    note = "auc of mixed: every value of the 95 % interval is worse than chance in f."
    assert note in grouped.conclusion()
    assert note in str(grouped)


def test_report_names_it():
    page = pr.report(Y, {"good": GOOD, "abeta": WRONG}, path=None)
    (place,) = [i for i, sentence in enumerate(page.conclusion.sentences) if sentence.startswith(NOTE)]
    (better,) = [
        i for i, sentence in enumerate(page.conclusion.sentences) if "It is better than abeta" in sentence
    ]
    assert place < better
    assert page.conclusion.sentences[better].endswith("; abeta is worse than chance: is its score reversed?")
    alone = pr.report(Y, WRONG, path=None)
    assert (
        "every value of the interval is below chance (0.5): is the score reversed?"
        in alone.conclusion.sentences[0]
    )
    turned = pr.report(Y, WRONG, path=None, negate=True)
    assert "chance gives 0.5" in turned.conclusion.sentences[0]
    assert turned.why_no_cases.startswith("The scores of 'classifier' are negated")


@pytest.mark.parametrize("negate", [True, "abeta", ["abeta"]])
def test_negated_scores(negate):
    expected = pr.evaluate(Y, {"abeta": -WRONG}, measure="auc")["abeta", "auc"]
    for data in ((Y, {"abeta": WRONG}), (pr.Scores(Y, {"abeta": WRONG}),)):
        turned = pr.evaluate(*data, measure=["auc"], negate=negate)["abeta", "auc"]
        assert turned.value == expected.value
        assert turned.provenance.negated == ("abeta",)
    again = pr.results.Estimate.from_json(turned.to_json())
    assert again.provenance.negated == ("abeta",)
    curve = pr.curve(Y, {"abeta": WRONG}, negate=negate)["abeta"]
    assert curve.area.value == expected.value


def test_twice_negated_is_not_negated():
    scores = pr.read(FRAME, truth="y", scores={"abeta": "-abeta"}, negate="abeta")
    assert scores.negated == ()
    assert (scores.values["abeta"] == WRONG).all()


@pytest.mark.slow
def test_columns_with_a_sign(tmp_path):
    FRAME.write_parquet(tmp_path / "cases.parquet")
    FRAME.write_csv(tmp_path / "cases.csv")
    expected = pr.evaluate(Y, -WRONG, measure="auc").row()
    for source in (FRAME, tmp_path / "cases.csv", tmp_path / "cases.parquet"):
        assert pr.evaluate(source, truth="y", scores="-abeta", measure="auc").row() == expected
    for path in (tmp_path / "cases.csv", tmp_path / "cases.parquet"):
        engine = pr.evaluate(path, truth="y", scores="-abeta", measure="auc", engine="duckdb")
        assert engine.value == pytest.approx(expected["value"], rel=1e-12)
        assert engine.provenance.negated == ("classifier",)
        named = pr.compare(
            path, truth="y", scores={"a": "good", "b": "abeta"}, negate="b", measure="auc", engine="duckdb"
        )
        assert named.estimates["b"].value == pytest.approx(expected["value"], rel=1e-12)
    odd = pr.evaluate(FRAME, truth="y", scores="-odd", measure="auc")  # the name of a column
    assert odd.is_below_chance()
    assert odd.provenance.negated is None
    done = polyroc("evaluate", tmp_path / "cases.csv", "--truth", "y", "--scores", "abeta=-abeta", "-m", "auc")
    assert done.returncode == 0
    assert "The scores of abeta are negated." in done.stdout
    done = polyroc("evaluate", tmp_path / "cases.csv", "--truth", "y", "--scores", "abeta=abeta", "-m", "auc")
    assert NOTE in " ".join(done.stdout.split())


def test_stacked_classifiers(tmp_path):
    stacked = pl.concat(
        [FRAME.with_row_index("i").select("i", "y", s=name, m=pl.lit(name)) for name in ("good", "abeta")]
    )
    scores = pr.read(stacked, truth="y", scores="s", classifier="m", case="i", negate="abeta")
    assert scores.negated == ("abeta",)
    assert (scores.values["abeta"] == -WRONG).all()
    both = pr.read(stacked, truth="y", scores="-s", classifier="m", case="i")
    assert both.negated == ("good", "abeta")


def test_bad_requests(tmp_path):
    P = np.column_stack([1 - Y * 0.2, Y * 0.2])
    with pytest.raises(InputError, match="Only a single score per case can be negated, but 'm' has one"):
        pr.evaluate(Y, {"m": P}, negate="m")
    with pytest.raises(InputError, match=r"Only a single score per case can be negated, but '-p_\*' has col"):
        pr.read(FRAME, truth="y", scores="-p_*")
    with pytest.raises(InputError, match="has decisions"):
        pr.evaluate(["a", "b"], ["a", "b"], negate=True)
    with pytest.raises(InputError, match="negate names 'abet', which is not a classifier; did you mean 'abeta'"):
        pr.evaluate(Y, {"abeta": WRONG}, negate="abet")
    with pytest.raises(InputError, match="negate must be the name of a classifier, a list of names, or True"):
        pr.evaluate(Y, {"abeta": WRONG}, negate=3)
    with pytest.raises(InputError, match="no column 'none'"):
        pr.evaluate(FRAME, truth="y", scores="-none")
    FRAME.write_parquet(tmp_path / "cases.parquet")
    options = {"truth": "y", "scores": {"a": "abeta", "b": "-abeta"}, "measure": "auc", "engine": "duckdb"}
    with pytest.raises(InputError, match="column 'abeta' is named with and without a negative sign"):
        pr.compare(tmp_path / "cases.parquet", **options)


def test_rules_are_for_scores_as_they_are(tmp_path):
    message = "negate is not available in operate .*; multiply the column itself by -1"
    with pytest.raises(NotApplicableError, match=message):
        pr.operate(FRAME, truth="y", scores="-abeta")
    with pytest.raises(NotApplicableError, match=message):
        pr.rates(FRAME, truth="y", scores="-abeta", threshold=0.5)
    FRAME.write_parquet(tmp_path / "cases.parquet")
    with pytest.raises(NotApplicableError, match=message):
        pr.rates(tmp_path / "cases.parquet", truth="y", scores="-abeta", threshold=0.5, engine="duckdb")
    with pytest.raises(NotApplicableError, match=message):
        pr.operate(tmp_path / "cases.parquet", truth="y", scores="-abeta", sensitivity=0.9, engine="duckdb")


def test_unpaired_arrays():
    """Different cases need no detour: pairs of arrays, or Scores."""
    first, second = (Y[:50], GOOD[:50]), (Y[50:], GOOD[50:])
    pairs = pr.compare({"one": first, "two": second}, measure="auc")
    scores = {"one": pr.Scores(*first), "two": pr.Scores(*second)}
    assert pairs.rows() == pr.compare(scores, measure="auc").rows()
    with pytest.raises(InputError, match=r"of Scores, or of \(y_true, y_score\), by name; 'two' is a list"):
        pr.compare({"one": first, "two": [1, 2]}, measure="auc")
