"""Calibration by subgroup, of folds, of pairs of classes, and differences between classifiers."""

import numpy as np
import pytest
from scipy.special import expit

import polyroc as pr
from command import polyroc
from polyroc.errors import InputError
from polyroc.reliability.differences import QUANTITIES


def sample(n=600, seed=0):
    """Outcomes, right probabilities, and a subgroup in which they are too extreme."""
    rng = np.random.default_rng(seed)
    odds, second = rng.normal(0, 1.5, n), np.arange(n) % 3 == 0
    y = rng.random(n) < expit(np.where(second, 0.4, 1.0) * odds)
    return y, expit(odds), np.where(second, "m", "f")


@pytest.fixture(scope="module")
def grouped():
    y, p, sex = sample()
    return pr.calibration(y, {"one": p, "two": p**2}, by={"sex": sex}, replicates=60)


@pytest.mark.slow
def test_subgroups_are_evaluated_as_samples_of_their_own(grouped):
    y, p, sex = sample()
    alone = pr.calibration(y[sex == "m"], p[sex == "m"], replicates=60).event()
    own = grouped["m"].event("one")
    assert own.slope == pytest.approx(alone.slope, rel=1e-12)
    assert [part.value for part in own.decomposition] == pytest.approx(
        [part.value for part in alone.decomposition]
    )
    assert grouped.overall.event("one").slope == pytest.approx(
        pr.calibration(y, p, replicates=60).event().slope, rel=1e-9
    )
    assert list(grouped) == [("f",), ("m",)]
    assert len(grouped) == 2
    with pytest.raises(KeyError, match="there is no subgroup 'x'; there are 'f', 'm'"):
        grouped["x"]


def test_differences_between_subgroups(grouped):
    difference = grouped.difference("f", "m", "slope", classifier="one")
    f, m = (grouped[name].event("one").slope for name in "fm")
    assert difference.value == pytest.approx(f.value - m.value, rel=1e-12)
    assert difference.standard_error == pytest.approx(np.hypot(f.standard_error, m.standard_error), rel=1e-9)
    assert difference.pvalue < 0.001
    turned = grouped.difference("m", "f", "slope", classifier="one")
    assert (turned.value, turned.low) == (-difference.value, -difference.high)
    assert grouped.equality["one", "True", "slope"].pvalue == pytest.approx(difference.pvalue, abs=1e-3)
    assert {key[4] for key in grouped.differences} == set(QUANTITIES)
    assert (
        "one: calibration differs between subgroups (in the large and slope): p < 0.001." in grouped.conclusion()
    )
    with pytest.raises(InputError, match=r"quantity must be one of 'in_the_large', 'slope', .* got 'area'"):
        grouped.difference("f", "m", "area", classifier="one")
    with pytest.raises(InputError, match="second must be one of 'f', 'm', got 'x'"):
        grouped.difference("f", "x", classifier="one")
    with pytest.raises(
        InputError, match="first and second must be two subgroups with the event 'True', got 'f', 'f'"
    ):
        grouped.difference("f", "f", classifier="one")
    with pytest.raises(InputError, match="classifier and event must name one of 2"):
        grouped.difference("f", "m")


def test_subgroups_are_stored_listed_and_drawn(grouped):
    again = pr.results.GroupedCalibration.from_json(grouped.to_json())
    assert again.to_dict() == grouped.to_dict()
    assert {row["sex"] for row in grouped.rows()} == {"f", "m"}
    assert len(grouped.separate()) == 2
    assert "Differences between subgroups" in grouped.tables()[1].title
    picture = pr.plot(grouped, classifier="one")
    assert [text.get_text() for text in picture.legend.get_texts()] == ["f", "m", "right"]
    assert {row["sex"] for row in grouped.curve_rows()} == {"f", "m"}


def test_subgroups_with_patients_in_common_are_dependent():
    y, p, sex = sample(n=300)
    apart = pr.calibration(y, p, by=sex, groups=np.arange(300), replicates=50).differences
    alone = pr.calibration(y, p, by=sex, replicates=50).differences
    for key, one in apart.items():
        if key[4] in ("in_the_large", "slope"):  # the terms have other errors with groups
            assert one[:2] == pytest.approx(alone[key][:2], rel=1e-6)
    copies = pr.calibration(
        np.tile(y, 2),
        np.tile(p, 2),
        by=np.repeat(["a", "b"], 300),
        groups=np.tile(np.arange(300), 2),
        replicates=50,
    )
    same = copies.difference("a", "b")
    assert same.value == 0
    assert same.standard_error == pytest.approx(0, abs=1e-7)


def test_subgroups_without_a_class_are_left_out():
    y, p, _ = sample(n=90)
    of = np.where(np.arange(90) < 60, "ok", np.where(y, "ok", "none"))
    result = pr.calibration(y, p, by=of, replicates=50)
    assert list(result) == [("ok",)]
    assert result.undefined == {"none": "it has no case of class 'True'"}
    assert result.conclusion() == ["none is left out: it has no case of class 'True'."]
    three = pr.calibration(y, p, by=np.arange(90) % 3, replicates=50)
    pair = three.difference("0", "1")
    assert pair.adjusted_pvalue >= pair.pvalue
    with pytest.raises(InputError, match="No subgroup has cases of every class"):
        pr.calibration(y, p, by=y, replicates=50)


def test_folds_are_one_sample():
    y, p, _ = sample(n=300)
    folds = np.arange(300) % 5
    result = pr.calibration(y, p, folds=folds, replicates=50)
    assert result.event().slope == pytest.approx(pr.calibration(y, p, replicates=50).event().slope, rel=1e-12)
    assert result.provenance.folds == 5
    assert result.provenance.pooled
    assert "The cases of 5 folds are evaluated as one sample" in result.conclusion()[-1]
    shifted = expit(np.log(p / (1 - p)) + np.where(folds == 0, 2.0, 0.0))
    uneven = pr.calibration(y, shifted, folds=folds, replicates=50)
    (test,) = uneven.fold_tests.values()
    assert (test.df, test.pvalue < 1e-4) == (4, True)
    assert "the models of the folds differ in calibration-in-the-large" in uneven.conclusion()[-1]
    stored = pr.Scores(y, p, folds=folds)
    assert pr.calibration(stored, replicates=50).event().slope == result.event().slope


def test_fold_test_by_its_formula():
    y, p, _ = sample(n=200)
    folds = np.arange(200) % 4
    result = pr.calibration(y, p, folds=folds, replicates=50)
    fitted = expit(np.log(p / (1 - p)) + result.event().in_the_large.value)
    z = [(y - fitted)[folds == k].sum() / np.sqrt((fitted * (1 - fitted))[folds == k].sum()) for k in range(4)]
    (test,) = result.fold_tests.values()
    assert test.statistic == pytest.approx(np.square(z).sum(), rel=1e-9)


def test_rows_of_a_case_in_several_repeats_are_dependent():
    y, p, _ = sample(n=150)
    repeats = np.repeat([0, 1], 150)
    twice = pr.calibration(np.tile(y, 2), np.tile(p, 2), folds=np.arange(300) % 5, repeats=repeats, replicates=50)
    alone = pr.calibration(y, p, replicates=50).event()
    assert twice.event().slope[:2] == pytest.approx(alone.slope[:2], rel=1e-6)
    assert twice.event().curve.consistency is None
    assert twice.fold_tests is None


@pytest.mark.filterwarnings("ignore::polyroc.errors.SuspectInputWarning")  # columns are exchanged on purpose
@pytest.mark.slow
def test_pairs_of_classes():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(3), 500)
    y = (rng.random((500, 1)) >= rows.cumsum(axis=1)[:, :-1]).sum(axis=1)
    result = pr.calibration(np.array(["a", "b", "c"])[y], rows, views="pair", replicates=60)
    assert [event for _, event in result.events] == ["a, of a or b", "a, of a or c", "b, of b or c"]
    kept = y != 1
    alone = pr.calibration(y[kept] == 0, rows[kept, 0] / (rows[kept, 0] + rows[kept, 2]), replicates=60).event()
    assert result.event(event="a, of a or c").slope == pytest.approx(alone.slope, rel=1e-9)
    assert not any(event.is_rejected(0.99) for event in result.events.values())
    both = pr.calibration(y, {"p": rows, "q": rows[:, [0, 2, 1]]}, views=["pair", "top label"], replicates=50)
    assert len(both.events) == 8
    assert len(both.term_differences) == 4
    with pytest.raises(InputError, match=r"views must be 'class', 'top label' or 'pair' .* got 'rows'"):
        pr.calibration(y, rows, views="rows")
    with pytest.raises(InputError, match=r"views must name one or more of 'class', 'top label', 'pair', got \[\]"):
        pr.calibration(y, rows, views=[])
    never = np.where(np.arange(500)[:, None] < 250, [0.0, 0.0, 1.0], rows)
    left = pr.calibration(y, never, views="pair", replicates=50).event(event="0, of 0 or 1")
    assert left.curve.counts.sum() == np.count_nonzero(y[250:] < 2)


def test_differences_of_terms_between_classifiers():
    y, p, _ = sample(n=500)
    squared, noise = p**2, np.random.default_rng(1).uniform(0.3, 0.7, 500)
    result = pr.calibration(y, {"p": p, "squared": squared, "noise": noise}, replicates=100)
    brier = {name: result.event(name).brier for name in result.classifiers}
    for (first, second, _), terms in result.term_differences.items():
        total = terms.miscalibration.value - terms.discrimination.value
        assert total == pytest.approx(brier[first] - brier[second], abs=1e-12)
    same_ranking = result.term_differences["p", "squared", "True"]
    assert same_ranking.discrimination.value == 0
    assert np.isnan(same_ranking.discrimination.pvalue)
    assert same_ranking.miscalibration.high < 0
    assert result.term_differences["p", "noise", "True"].discrimination.pvalue < 0.001
    assert pr.calibration(y, p, replicates=50).term_differences is None
    assert any("Differences of the terms" in table.title for table in result.tables())


@pytest.mark.slow
def test_commands(tmp_path):
    y, p, sex = sample(n=150)
    path = tmp_path / "risks.csv"
    rows = zip(y, p.tolist(), sex, range(150), strict=True)
    path.write_text("sick,risk,sex,fold\n" + "".join(f"{int(a)},{b!r},{c},{d % 3}\n" for a, b, c, d in rows))
    data = (path, "--truth", "sick", "--scores", "risk", "--replicates", "60")
    by = polyroc("calibration", *data, "--by", "sex")
    assert by.returncode == 0
    assert "Calibration by sex" in by.stdout
    assert "Differences between subgroups" in by.stdout
    folds = polyroc("calibration", *data, "--folds", "fold", "--smooth", "--csv", "--curve")
    assert "smooth_low" in folds.stdout.splitlines()[0]
    assert "Log loss = miscalibration" in polyroc("calibration", *data).stdout
    picture = tmp_path / "sex.svg"
    drawn = polyroc("plot", *data[:5], "--kind", "reliability", "--by", "sex", "--smooth", "-o", picture)
    assert (drawn.returncode, picture.exists()) == (0, True)
    wrong = polyroc("plot", *data[:5], "--kind", "roc", "--views", "pair", "-o", picture)
    assert (wrong.returncode, "--views is not valid for --kind roc" in wrong.stderr) == (2, True)
