"""`by`: results by subgroup, differences between subgroups, interaction."""

import json
import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polyroc as pr
from command import polyroc
from polyroc.errors import DroppedRowsWarning, InputError, NotApplicableError, UndefinedMeasureWarning
from polyroc.results import Grouped

RNG = np.random.default_rng(5)
N = 160
Y = np.tile([0, 1], N // 2)
SEX = np.repeat(["f", "m"], N // 2)
AGE = np.tile(np.repeat(["young", "old"], 2), N // 4)
A = Y + RNG.normal(0, 1.0, N)
B = Y * np.where(SEX == "f", 1.5, 0.2) + RNG.normal(0, 1.0, N)
PATIENT = np.tile(np.arange(N // 4), 4)[RNG.permutation(N)]
FRAME = pl.DataFrame({"y": Y, "a": A, "b": B, "sex": SEX, "age": AGE, "patient": PATIENT})
TWO = {"a": A, "b": B}


@pytest.fixture(scope="module")
def grouped():
    return pr.evaluate(Y, A, measure="auc", by={"sex": SEX})


@pytest.fixture(scope="module")
def compared():
    return pr.compare(Y, TWO, measure="auc", by={"sex": SEX, "age": AGE})


# Twins -----------------------------------------------------------------------------------------------------------


def test_each_subgroup_is_evaluated_as_if_it_were_alone(grouped, compared):
    for sex in ("f", "m"):
        alone = pr.evaluate(Y[sex == SEX], A[sex == SEX], measure="auc")
        assert grouped[sex].row() == alone.row()
    assert grouped.overall.row() == pr.evaluate(Y, A, measure="auc").row()
    for sex, age in compared:
        cases = (sex == SEX) & (age == AGE)
        alone = pr.compare(Y[cases], {"a": A[cases], "b": B[cases]}, measure="auc")
        assert compared[sex, age].rows() == alone.rows()


def test_subgroups_are_compared_like_different_cases(grouped):
    sets = {sex: (Y[sex == SEX], A[sex == SEX]) for sex in ("f", "m")}
    unpaired = pr.compare(sets, measure="auc")
    for row, expected in zip(grouped.between().rows(), unpaired.rows(), strict=True):
        for column in row:
            same = expected[column] if isinstance(row[column], str) else pytest.approx(expected[column], rel=1e-9)
            assert row[column] == same
    assert grouped.between().pvalue == pytest.approx(unpaired.pvalue, rel=1e-9)
    pair = grouped.between().difference("f", "m")
    f, m = grouped["f"], grouped["m"]
    assert pair.standard_error == pytest.approx(np.hypot(f.standard_error, m.standard_error), rel=1e-12)


def components(y, s):
    """Placement values of the AUC by their definition."""
    outcome = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
    return outcome.mean(axis=1), outcome.mean(axis=0)


def naive_influence(y, s, patients, total):
    """By patient, the sum of the influence values of its cases, corrected for few patients of a class."""
    values = np.zeros(total)
    for label, placed in zip((1, 0), components(y, s), strict=True):
        own = patients[y == label]
        m = len(set(own.tolist()))
        for patient, value in zip(own.tolist(), (placed - placed.mean()) / len(placed), strict=True):
            values[patient] += value * np.sqrt(m / (m - 1))
    return values


def test_patients_in_several_subgroups_correlate_these():
    grouped = pr.compare(Y, TWO, measure="auc", by={"sex": SEX}, groups=PATIENT)
    values = [
        naive_influence(Y[sex == SEX], scores[sex == SEX], PATIENT[sex == SEX], N)
        for sex in ("f", "m")
        for scores in (A, B)
    ]
    expected = np.array(values) @ np.array(values).T
    np.testing.assert_allclose(grouped.covariance["auc"], expected, rtol=0, atol=1e-14)
    V = expected
    pair = grouped.between("a").difference("f", "m")
    assert pair.standard_error == pytest.approx(np.sqrt(V[0, 0] + V[2, 2] - 2 * V[0, 2]), rel=1e-10)
    weights = np.array([1, -1, -1, 1])
    interaction = grouped.interaction().differences["f", "m"]
    assert interaction.standard_error == pytest.approx(np.sqrt(weights @ V @ weights), rel=1e-10)
    evaluated = pr.evaluate(Y, TWO, measure=["auc"], by={"sex": SEX}, groups=PATIENT)
    assert evaluated.between("b", "auc").pvalue == pytest.approx(grouped.between("b").pvalue, rel=1e-9)


@pytest.mark.slow
def test_standard_error_with_shared_patients_is_that_of_resampled_patients():
    rng = np.random.default_rng(0)
    patients = np.repeat(np.arange(60), 4)
    y, by = rng.integers(0, 2, 240), np.tile(["f", "m"], 120)
    s = y + rng.normal(0, 1, 60)[patients] * 1.5 + rng.normal(0, 0.5, 240)  # patients differ in level
    grouped = pr.evaluate(y, s, measure="auc", by=by, groups=patients)
    rows, differences = [np.flatnonzero(patients == p) for p in range(60)], []
    for _ in range(600):
        drawn = np.concatenate([rows[p] for p in rng.integers(0, 60, 60)])
        areas = []
        for sex in ("f", "m"):
            cases = drawn[by[drawn] == sex]
            areas.append(components(y[cases], s[cases])[0].mean())
        differences.append(areas[0] - areas[1])
    error = grouped.between().difference("f", "m").standard_error
    assert error == pytest.approx(np.std(differences), rel=0.12)  # Monte Carlo error 3 %, and linearisation
    independent = np.hypot(grouped["f"].standard_error, grouped["m"].standard_error)
    assert error < 0.9 * independent


def test_repeats_of_a_cross_validation_correlate_subgroups():
    rng = np.random.default_rng(1)
    n, repeats = 80, 3
    y, sex = np.tile(np.tile([0, 1], n // 2), repeats), np.tile(np.repeat(["f", "m"], n // 2), repeats)
    s = y + rng.normal(0, 1, n * repeats)
    folds = np.concatenate([rng.permutation(np.repeat([0, 1], n // 4)).repeat(2) for _ in range(repeats)])
    repeat = np.repeat(np.arange(repeats), n)
    grouped = pr.evaluate(y, s, measure="auc", by=sex, folds=folds, repeats=repeat)
    by_fold = [np.reshape(grouped[name].cross_validation.values, (repeats, 2)) for name in "fm"]
    values = np.array([own.mean(axis=1) for own in by_fold])
    V = grouped.covariance["auc"]
    # K / 2 times the covariance between repeats; a case is in one subgroup only
    assert V[0, 1] == pytest.approx(2 / 2 * np.cov(values)[0, 1], rel=1e-9)
    assert V[0, 0] == pytest.approx(grouped["f"].standard_error ** 2, rel=1e-12)
    assert grouped.between().difference("f", "m").df == 8
    with pytest.raises(InputError, match="by must have the same value in all rows of a case, but the subgroup f"):
        pr.evaluate(
            y, s, measure="auc", by=np.where(np.arange(len(y)) == 0, "m", sex), folds=folds, repeats=repeat
        )


def test_interaction_interval_is_movers(compared):
    interaction = compared.interaction()
    for (g, h), pair in interaction.differences.items():
        d, e = interaction.effects[g], interaction.effects[h]
        (l1, u1), (l2, u2) = d.confidence_interval(), e.confidence_interval()
        low = d.value - e.value - np.hypot(d.value - l1, u2 - e.value)
        high = d.value - e.value + np.hypot(u1 - d.value, e.value - l2)
        assert pair.confidence_interval() == pytest.approx((low, high), abs=1e-9)
        assert (pair.pvalue < 0.05) == (not low <= 0 <= high)
    assert interaction.pvalue == pytest.approx(min(p.adjusted_pvalue for p in interaction.differences.values()))
    assert interaction.statistic == max(abs(p.z_value()) for p in interaction.differences.values())


def test_p_values_over_subgroups(compared):
    """Subgroups are independent, so that max-t is Sidak's adjustment, up to the Monte Carlo error of its draws."""
    adjusted = compared.adjusted_over_groups()
    for (name, pair), p in adjusted.items():
        own = compared[tuple(name.split(", "))].differences[pair].pvalue
        assert p == pytest.approx(1 - (1 - own) ** 4, abs=0.01)
    holm = pr.compare(Y, TWO, measure="auc", by={"sex": SEX, "age": AGE}, adjustment="holm").adjusted_over_groups()
    pvalues = sorted(compared[key].differences["a", "b"].pvalue for key in compared)
    assert min(holm.values()) == pytest.approx(4 * pvalues[0])
    assert [row["group_adjusted_pvalue"] for row in compared.rows()] == [*adjusted.values()]


def test_wald_test_of_equality(grouped):
    f, m = grouped["f"], grouped["m"]
    test = grouped.equality()
    variance = f.standard_error**2 + m.standard_error**2
    assert test.statistic == pytest.approx((f.value - m.value) ** 2 / variance, rel=1e-9)
    assert (test.df, test.denominator_df) == (1, 39)


@pytest.mark.parametrize(
    "method", ["unbiased", "jackknife", pr.methods.Bootstrap(replicates=100, rng=0), "hanley-mcneil"]
)
def test_other_methods(method):
    grouped = pr.evaluate(Y, A, measure="auc", by={"sex": SEX}, method=method)
    pair = grouped.between().difference("f", "m")
    expected = np.hypot(grouped["f"].standard_error, grouped["m"].standard_error)
    assert pair.standard_error == pytest.approx(expected, rel=1e-12)
    assert 0 < pair.pvalue <= 1
    again = Grouped.from_json(grouped.to_json())
    assert again.between().rows() == grouped.between().rows()


def test_resamples_of_subgroups_with_common_patients():
    """They are drawn for each subgroup by itself, so that there is no test between these."""
    grouped = pr.evaluate(
        Y, A, measure="auc", by=SEX, groups=PATIENT, method=pr.methods.Bootstrap(replicates=50, rng=0)
    )
    assert not grouped.is_tested
    with pytest.raises(NotApplicableError, match=r"different subgroups belong together .*method=Influence\(\)"):
        grouped.between()
    assert "not tested against each other: cases of different subgroups belong together" in grouped.conclusion()[0]
    assert Grouped.from_json(grouped.to_json()).conclusion() == grouped.conclusion()


# Laws ------------------------------------------------------------------------------------------------------------


def test_one_subgroup_is_all_cases():
    grouped = pr.evaluate(Y, A, measure="auc", by={"all": ["x"] * N})
    assert grouped["x"].row() == grouped.overall.row() == pr.evaluate(Y, A, measure="auc").row()
    assert grouped.conclusion() == []
    with pytest.raises(NotApplicableError, match="needs two or more with auc and a standard error, here 1"):
        grouped.between()


@pytest.mark.slow
@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_order_of_cases_and_repetition(seed):
    rng = np.random.default_rng(seed)
    order, times = rng.permutation(N), rng.integers(0, 3, N) + (np.arange(N) < 8)
    options = {"measure": "auc", "groups": PATIENT[order], "by": {"sex": SEX[order]}}
    permuted = pr.evaluate(Y[order], A[order], **options)
    expected = pr.evaluate(Y, A, measure="auc", groups=PATIENT, by={"sex": SEX})
    assert permuted.between().pvalue == pytest.approx(expected.between().pvalue, rel=1e-7)
    weighted = pr.evaluate(Y, A, measure="auc", by=SEX, sample_weight=times, weight_kind="frequency")
    repeated = pr.evaluate(np.repeat(Y, times), np.repeat(A, times), measure="auc", by=np.repeat(SEX, times))
    assert weighted.between().pvalue == repeated.between().pvalue
    scaled = np.where(SEX == "f", 1e-30, 1.0)  # only ratios within a subgroup matter
    tiny = pr.evaluate(Y, A, measure="auc", by=SEX, sample_weight=scaled)
    assert tiny["f"].value == pytest.approx(expected["f"].value, rel=1e-12)


def test_subgroups_are_all_cases(compared):
    cases = [next(iter(result.estimates.values())).provenance.cases for result in compared.values()]
    assert {label: sum(own[label] for own in cases) for label in ("0", "1")} == {"0": N // 2, "1": N // 2}


def test_exchanged_names_exchange_the_difference(grouped):
    other = pr.evaluate(Y, A, measure="auc", by={"sex": np.where(SEX == "f", "z", "m")})
    assert [*other] == [("m",), ("z",)]
    assert other.between().difference("z", "m").value == grouped.between().difference("f", "m").value


# Input -----------------------------------------------------------------------------------------------------------

FORMS = {
    "array": (SEX, "by"),
    "list": (SEX.tolist(), "by"),
    "mapping": ({"sex": SEX}, "sex"),
    "series": (pd.Series(SEX, name="sex"), "sex"),
    "polars": (FRAME.select("sex"), "sex"),
    "pandas": (FRAME.select("sex").to_pandas(), "sex"),
    "pyarrow": (FRAME.select("sex").to_arrow(), "sex"),
    "list of arrays": ([SEX], "by 1"),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_by(form, grouped):
    by, name = FORMS[form]
    made = pr.evaluate(Y, A, measure="auc", by=by)
    assert made.by == (name,)
    assert made.between().rows() == grouped.between().rows()
    scores = pr.Scores(Y, A, by=by)
    assert pr.evaluate(scores, measure="auc", by=name).between().rows() == grouped.between().rows()
    passed = pr.evaluate(pr.Scores(Y, A), measure="auc", by=by)
    assert passed.between().rows() == grouped.between().rows()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Column .patient.:polyroc.errors.StackedRowsWarning")  # on purpose
@pytest.mark.parametrize("convert", [pl.DataFrame.clone, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_data_frames(convert, compared, tmp_path):
    frame = convert(FRAME)
    options = {"truth": "y", "scores": {"a": "a", "b": "b"}, "measure": "auc"}
    made = pr.compare(frame, by=["sex", "age"], **options)
    assert made.rows() == compared.rows()
    assert pr.compare(frame, **options).rows() == pr.compare(Y, TWO, measure="auc").rows()
    assert pr.evaluate(frame, truth="y", scores="a", measure="auc").row() == pr.evaluate(Y, A, measure="auc").row()
    scores = pr.read(frame, truth="y", scores={"a": "a", "b": "b"}, by=["sex", "age"])
    assert pr.compare(scores, measure="auc", by=["sex", "age"]).conclusion() == compared.conclusion()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Column .patient.:polyroc.errors.StackedRowsWarning")  # on purpose
def test_engine_and_memory_agree(tmp_path):
    FRAME.write_parquet(tmp_path / "cases.parquet")
    options = {"truth": "y", "scores": {"a": "a", "b": "b"}, "measure": "auc", "by": "sex"}
    memory = pr.compare(tmp_path / "cases.parquet", **options)
    engine = pr.compare(tmp_path / "cases.parquet", engine="duckdb", **options)
    assert engine.overall.pvalue == pytest.approx(memory.overall.pvalue, rel=1e-6)
    for one, other in ((memory.interaction(), engine.interaction()), (memory.between("a"), engine.between("a"))):
        assert one.pvalue == pytest.approx(other.pvalue, rel=1e-6)
    clustered = pr.compare(tmp_path / "cases.parquet", engine="duckdb", groups="patient", **options)
    with pytest.raises(NotApplicableError, match="the covariance of the subgroups is not known"):
        clustered.interaction()


def test_ordered_categories_give_the_order():
    by = pd.Series(pd.Categorical(AGE, categories=["young", "old", "none"], ordered=True), name="age")
    assert [*pr.evaluate(Y, A, measure="auc", by=by)] == [("young",), ("old",)]
    assert [*pr.evaluate(Y, A, measure="auc", by=AGE)] == [("old",), ("young",)]


def test_missing_values():
    by = [None if place < 4 else sex for place, sex in enumerate(SEX.tolist())]
    with pytest.raises(InputError, match=r"by 'sex' has missing values \(positions 0, 1, 2 and 1 more\)"):
        pr.evaluate(Y, A, measure="auc", by={"sex": by})
    with pytest.raises(InputError, match="by 'by' has missing values"):
        pr.evaluate(pr.Scores(Y, A), measure="auc", by=by)
    with pytest.warns(DroppedRowsWarning, match=r"Dropped 4 of 160 rows with missing values \(by 'sex': 4\)"):
        dropped = pr.evaluate(Y, A, measure="auc", by={"sex": by}, missing="drop")
    assert dropped["f"].provenance.cases == {"0": 38, "1": 38}
    with pytest.warns(DroppedRowsWarning):
        again = pr.evaluate(pr.Scores(Y, A), measure="auc", by={"sex": by}, missing="drop")
    assert again.rows() == dropped.rows()


def test_subgroup_without_a_class():
    by = np.where((Y == 1) & (SEX == "m"), "f", SEX)
    by[:8] = "x"
    with pytest.warns(UndefinedMeasureWarning, match="Group m: No case of class '1': auc undefined"):
        grouped = pr.evaluate(Y, A, measure="auc", by=by)
    assert np.isnan(grouped["m"].value)
    assert grouped.undefined == {"m": "no case of class '1'"}
    assert [*grouped.between().estimates] == ["f", "x"]
    assert grouped.conclusion()[0] == "m is in no test between subgroups: no case of class '1'."
    assert "nan" in str(grouped)
    with pytest.warns(UndefinedMeasureWarning, match="Group m"):
        compared = pr.compare(Y, TWO, measure="auc", by=by, groups=PATIENT)
    assert [*compared.interaction().effects] == ["f", "x"]
    assert 0 <= compared.interaction().pvalue <= 1
    assert np.isnan(compared.rows()[1]["group_adjusted_pvalue"])


BAD = {
    "name": ({"by": "sex"}, r"by='sex' is the name of a column, but the cases are arrays"),
    "length": ({"by": SEX[:9]}, r"by must have one entry per case \(160\), got 9"),
    "length by name": ({"by": {"sex": SEX[:9]}}, r"got 9 in 'sex'"),
    "empty": ({"by": {}}, "by names no column"),
    "adjustment": ({"by": SEX, "adjustment": "sidak"}, "adjustment must be 'max-t', 'holm'"),
    "unhashable": ({"by": {"sex": [[1], *SEX[1:]]}}, "by 'sex'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    options, message = BAD[name]
    with pytest.raises(InputError, match=message):
        pr.evaluate(Y, A, measure="auc", **options)


def test_bad_requests(grouped, compared):
    scores = pr.Scores(Y, A, by={"sex": SEX})
    with pytest.raises(InputError, match=r"no column 'sec' \(by\) in these Scores; did you mean 'sex'"):
        pr.evaluate(scores, measure="auc", by="sec")
    with pytest.raises(InputError, match="they have none"):
        pr.evaluate(pr.Scores(Y, A), measure="auc", by="sex")
    with pytest.raises(InputError, match="classifier must be one of 2, none was given; known: a, b"):
        compared.between()
    with pytest.raises(InputError, match="did you mean 'auc'"):
        grouped.between(measure="aucc")
    with pytest.raises(InputError, match="An interaction is that of classifiers that are compared"):
        grouped.interaction()
    with pytest.raises(InputError, match="got 'a' twice"):
        compared.interaction("a", "a")
    with pytest.raises(InputError, match="by divides cases that all classifiers have in common"):
        pr.compare({"a": (Y, A), "b": (Y, B)}, measure="auc", by=SEX)
    with pytest.raises(NotApplicableError, match="needs two or more with auc and a standard error, here 0"):
        pr.evaluate(Y, A, measure="auc", by=SEX, method=None).between()
    with pytest.raises(InputError, match="by must be a column or a list of columns"):
        pr.evaluate(FRAME, truth="y", scores="a", by=SEX)


# Results ---------------------------------------------------------------------------------------------------------


def test_stored_and_read(grouped, compared):
    clustered = pr.compare(Y, TWO, measure="auc", by={"sex": SEX}, groups=PATIENT, adjustment=None)
    for result in (grouped, compared, clustered):
        data = json.loads(json.dumps(result.to_dict()))
        again = Grouped.from_dict(data)
        assert again.rows() == result.rows()
        assert again.conclusion() == result.conclusion() == data["conclusion"]
        assert str(pickle.loads(pickle.dumps(result))) == str(result)
    assert Grouped.from_dict(clustered.to_dict()).interaction().rows() == clustered.interaction().rows()
    damaged = {**clustered.to_dict(), "covariance": {"auc": [[1.0]]}}
    with pytest.raises(InputError, match="covariance must have a row for each estimate"):
        Grouped.from_dict(damaged)


def test_several_measures_and_classifiers():
    grouped = pr.evaluate(Y, TWO, by={"sex": SEX})
    assert set(grouped.measures) >= {"auc", "gini"}
    auc, gini = grouped.between("a", "auc"), grouped.between("a", "gini")
    assert gini.difference("f", "m").value == pytest.approx(2 * auc.difference("f", "m").value)
    assert repr(grouped) == "Grouped(2 groups by sex)"
    null = pr.evaluate(Y, TWO, measure=["auc"], by={"sex": SEX}, null="chance")
    assert null.overall["a", "auc"].null == 0.5
    assert null.covariance is None


def test_sentences(grouped):
    (sentence,) = grouped.conclusion()
    assert sentence.startswith("auc: no difference between ")
    assert " is shown: 0.0" in sentence
    compared = pr.compare(Y, TWO, measure="auc", by={"sex": SEX})
    first, *others = compared.conclusion()
    assert first.startswith("The difference between a and b in auc depends on the subgroup: it differs by ")
    assert any(text.startswith("auc of b is higher in f than in m by ") for text in others)
    assert "p over" in str(compared)
    assert "\nall " in str(compared)
    many = pr.evaluate(Y, A, measure="auc", by={"age": AGE, "sex": SEX})
    assert "no difference between the 4 subgroups is shown" in many.conclusion()[0]


@pytest.mark.slow
def test_many_subgroups_are_not_compared_unasked():
    grouped = pr.evaluate(Y, A, measure="auc", by=np.arange(N) // 4)
    assert len(grouped) == 40
    assert grouped.conclusion() == []
    assert len(grouped.between().differences) == len([*combinations(range(40), 2)])


# Commands, plots, reports ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_commands(tmp_path):
    path = tmp_path / "cases.csv"
    FRAME.write_csv(path)
    done = polyroc(
        "evaluate", path, "--truth", "y", "--scores", "a", "-m", "auc", "--by", "sex", "--adjustment", "holm"
    )
    assert done.returncode == 0
    assert "2 groups by sex" in done.stdout
    assert "no difference between" in done.stdout
    assert "0: 40, 1: 40" in done.stdout
    arguments = ("--truth", "y", "--scores", "a=a", "--scores", "b=b", "-m", "auc", "--by", "sex")
    done = polyroc("compare", path, *arguments, "--json")
    data = json.loads(done.stdout)
    assert data["kind"] == "Grouped"
    assert "depends on the subgroup" in data["conclusion"][0]
    done = polyroc("compare", path, *arguments, "--csv")
    assert "group_adjusted_pvalue" in done.stdout.splitlines()[0]
    done = polyroc("evaluate", path, "--truth", "y", "--scores", "a", "-m", "auc", "--by", "sec")
    assert done.returncode == 2
    assert "--by" in done.stderr
    assert "Did you mean 'sex'" in done.stderr


@pytest.mark.slow
def test_plots(grouped, compared, tmp_path):
    picture = pr.plot(grouped)
    assert len(picture.points) == 3
    assert len(picture.overall) == 1
    assert picture.overall[0].get_xdata()[0] == grouped.overall.value
    assert [text.get_text() for text in picture.numbers[:3]] == ["0: 40, 1: 40", "0: 40, 1: 40", "0: 80, 1: 80"]
    assert len(pr.plot(compared).points) == 5
    assert len(pr.plot(compared, kind="forest").points) == 10
    FRAME.write_csv(tmp_path / "cases.csv")
    options = ("--truth", "y", "--scores", "a", "-m", "auc", "--by", "sex", "-o", tmp_path / "forest.svg")
    assert polyroc("plot", tmp_path / "cases.csv", "--kind", "forest", *options).returncode == 0
    done = polyroc("plot", tmp_path / "cases.csv", "--kind", "parts", *options)
    assert done.returncode == 2
    assert "--by is not valid for --kind parts" in done.stderr


@pytest.mark.slow
def test_report(tmp_path):
    hostile = np.where(SEX == "f", "<script>alert(1)</script>", "m & 'm'")
    page = pr.report(Y, TWO, by={"<sex>": hostile}, path=None)
    html = page.to_html()
    assert 'id="subgroups"' in html
    assert "By subgroup" in html
    assert "Forest plot of auc" in html
    assert "<script>alert(1)" not in html
    assert "<sex>" not in html
    assert any("depends on the subgroup" in sentence for sentence in page.conclusion.sentences)
    again = type(page).from_json(page.to_json())
    assert [table.title for table in again.tables] == [table.title for table in page.tables]
    assert "auc by \\<sex\\>" in page.to_markdown() or "auc by &lt;sex&gt;" in page.to_markdown()
    assert "between subgroups" in page.to_latex()
    single = pr.report(pr.evaluate(Y, A, measure="auc", by={"sex": SEX}), path=None)
    assert "By subgroup" in single.to_html()


def test_report_command(tmp_path):
    FRAME.write_csv(tmp_path / "cases.csv")
    out = tmp_path / "report.md"
    done = polyroc("report", tmp_path / "cases.csv", "--truth", "y", "--scores", "a", "--by", "sex", "-o", out)
    assert done.returncode == 0
    assert "auc by sex" in out.read_text()
