"""Reports of studies: sentences by the recommended test, numbers of the summaries, names that stay text."""

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest

import polyroc as pr
from polyroc.cli.app import run
from polyroc.errors import InputError, PooledFoldsWarning
from polyroc.output.numbers import number_text, p_number
from polyroc.reports.study_conclusion import conclude_study
from polyroc.reports.study_findings import ALL_DATA_SETS, StudyFindings
from polyroc.reports.study_tables import study_tables
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.summaries import friedman, recommend, spread, wilcoxon

BAYES = {"name": "bayes", "class": "sklearn.naive_bayes:GaussianNB"}
STUMP = {"name": "stump", "class": "sklearn.tree:DecisionTreeClassifier", "parameters": {"max_depth": 1}}
KNN = {"name": "knn", "class": "sklearn.neighbors:KNeighborsClassifier", "parameters": {"n_neighbors": 9}}
FAILS = """
from sklearn.naive_bayes import GaussianNB
class Never(GaussianNB):
    def fit(self, X, y):
        raise ValueError("no <b>luck</b> | today")
class Sometimes(GaussianNB):
    def fit(self, X, y):
        if abs(X[:, 0].sum()) % 1 < 0.4:
            raise ValueError("not this one")
        return super().fit(X, y)
"""


def blobs(name, classes, n=120):
    return {"name": name, "call": "study_learners:blobs", "parameters": {"n": n, "classes": classes}}


def plan(data, learners, folder, **more):
    table = {"name": "trial", "seed": 3, "data": data, "learners": learners, "splitting": {"folds": 5}, **more}
    return replace(pr.Plan.from_dict(table), folder=folder)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two data sets, of two classes and of three."""
    folder = tmp_path_factory.mktemp("two")
    options = plan([blobs("pair", 2), blobs("triple", 3)], [BAYES, STUMP, KNN], folder)
    return pr.study(options, out=folder / "two.duckdb")


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    return pr.study(plan([blobs("pair", 2)], [BAYES, STUMP], folder, measures=["auc"]), out=folder / "one.duckdb")


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    folder = tmp_path_factory.mktemp("failing")
    (folder / "fails.py").write_text(FAILS)
    learners = [BAYES, STUMP, *({"class": f"fails:{name}"} for name in ("Never", "Sometimes"))]
    return pr.study(plan([blobs("pair", 2)], learners, folder), out=folder / "failing.duckdb")


def report(study, **options):
    return pr.report(study, **{"path": None, **options})


def table(made, key):
    return next(candidate for candidate in made.tables if candidate.key == key)


@pytest.mark.slow
def test_numbers_are_those_of_the_summaries(two):
    made = report(two)
    values, means = table(made, "values"), two.spread()
    for row in values.rows:
        for learner, cell in zip([column.name for column in values.columns[1:]], row[1:], strict=True):
            summary = means[row[0], learner]
            assert cell == f"{number_text(summary.mean)} ({number_text(summary.standard_deviation)})"
    for k, (name, test) in enumerate(two.corrected_t().items()):
        shown = table(made, f"pairs-{k}")
        assert shown.title == f"Pairs on {name}"
        for row, summary in zip(shown.rows, test.tests.values(), strict=True):
            numbers = [summary.value, *summary.confidence_interval(0.95)]
            assert row[1:4] == tuple(map(number_text, numbers))
            assert row[4:] == (p_number(summary.pvalue), p_number(summary.adjusted_pvalue))
    for k, test in enumerate(two.duncan().values()):
        assert {row[0]: row[2] for row in table(made, f"duncan-{k}").rows} == test.letters
    ranks = {row[0]: row[1] for row in table(made, "ranks").rows}
    assert ranks == {name: number_text(rank) for name, rank in two.friedman().ranks.items()}
    averaged = pr.evaluate(two.scores("triple", repeat="all"), measure=["hand_till", "accuracy"])
    shown = [row[2] for row in table(made, "pooled-0").rows]
    assert shown == [
        number_text(averaged.estimates[who, key].value) for key in averaged.measures for who in two.learners
    ]
    assert list(made.findings.study.curves) == ["pair"]
    areas = {name: curve.area.value for name, curve in made.findings.study.curves["pair"].curves.items()}
    with pytest.warns(PooledFoldsWarning):
        assert areas == {name: curve.area.value for name, curve in two.pooled_roc("pair").curves.items()}


def test_the_page_says_things_in_order(two):
    made = report(two, title="Which learner?")
    text = made.to_html()
    parts = ["conclusion", "values", "test", "groups", "ranks", "curves", "pooled", "methods"]
    places = [text.index(f'<section id="{name}"') for name in parts]
    assert places == sorted(places)
    assert "<title>Which learner?</title>" in text
    assert 'id="operating"' not in text
    assert len(text.encode()) < 10_000_000
    assert "seed = 3" in text
    assert "polyroc study run plan.toml --out two.duckdb" in text
    assert any("scikit-learn" in sentence for sentence in made.methods)


def test_the_conclusion_is_that_of_the_recommended_test(one):
    made = report(one)
    sentences = made.conclusion.sentences
    pair = one.corrected_t()["bayes", "stump"]
    low, high = pair.confidence_interval()
    mean = one.spread()["pair", "bayes"].mean
    assert pair.pvalue < 0.05
    assert sentences[0].startswith(
        f"On pair, bayes has the highest area under the ROC curve, {mean:.3f} (mean of 5 folds"
    )
    assert sentences[1].startswith(
        f"It is better than stump by {pair.value:.3f} (95 % {low:.3f} to {high:.3f}), p = "
    )
    assert sentences[-1] == f"Tested by Nadeau & Bengio's corrected resampled t: {one.recommend().why}"
    assert made.conclusion.cautions == ()


def test_the_error_of_one_fold_stands_beside_areas(one):
    summary = one.spread()["pair", "bayes"]
    numbers = f"{summary.mean:.4f} ({summary.standard_deviation:.4f}; {summary.wilcoxon_error:.4f})"
    assert table(report(one), "values").rows[0][1] == numbers
    assert "SE(W)" in report(one).to_html()


def test_nothing_is_claimed_at_a_level_that_is_not_reached(one):
    made = report(one, level=0.9999)
    text = " ".join(made.conclusion.sentences)
    assert "do not differ significantly on these folds" in text
    assert "This does not show that they are equal" in text
    assert "better than" not in text
    assert made.findings.study.duncan["pair"].alpha == pytest.approx(0.0001)


@pytest.mark.slow
def test_learners_that_fail_are_a_caution_and_the_rest_is_evaluated(failing):
    made = report(failing)
    cautions = " ".join(made.conclusion.cautions)
    lost = [failure for failure in failing.failures if failure.learner == "Sometimes"]
    assert 0 < len(lost) < 4
    assert "Never failed in 5 fits and has no value, so it is not compared." in cautions
    assert f"Sometimes failed in {len(lost)} fit" in cautions
    assert "left out of the tests for all learners" in cautions
    test = made.findings.study.tests["pair"]
    assert test.learners == ("bayes", "stump", "Sometimes")
    assert test.provenance.dropped == len(lost)
    assert table(made, "values").rows[0][3] == "\N{EN DASH}"
    rows = {row[1]: row[2:] for row in table(made, "failures").rows}
    assert rows["Never"] == ("5", "ValueError: no <b>luck</b> | today")
    assert "no &lt;b&gt;luck&lt;/b&gt; | today" in made.to_html()
    assert "<b>luck" not in made.to_html() + made.to_markdown()
    assert {curve.classifier for curve in made.findings.study.curves["pair"].values()} == set(test.learners)
    assert any("folds of 'pair' are left out" in note for note in made.findings.notes)


@pytest.mark.slow
def test_formats_and_reading_back(two, tmp_path):
    for suffix in ("html", "md", "tex", "json"):
        path = tmp_path / f"report.{suffix}"
        pr.report(two, path=path)
        assert path.stat().st_size > 1000
    assert "Saved as plan.toml" in (tmp_path / "report.md").read_text()
    assert r"\caption{Pairs on triple}" in (tmp_path / "report.tex").read_text()
    stored = json.loads((tmp_path / "report.json").read_text())
    again = pr.results.Report.from_dict(stored)
    made = report(two)
    assert again.conclusion == made.conclusion
    assert again.tables == made.tables
    assert again.plan == made.plan
    assert again.to_dict() == stored
    assert 'id="curves"' not in again.to_html()  # predictions are not stored in JSON
    assert pr.Plan.from_toml("\n".join(again.plan)) == replace(
        two.plan, folder=again.findings.study.study.plan.folder
    )


def test_a_study_without_its_store_is_reported_by_its_values(two):
    bare = pr.results.Study.from_dict(two.to_dict())
    made = report(bare)
    assert made.conclusion == report(two).conclusion
    assert made.findings.study.curves == {}
    assert any("has values only" in note for note in made.findings.notes)


def folds(means, noise=0.01, data_sets=8, n=10):
    """Tables of made-up learners."""
    rng = np.random.default_rng(5)
    return [
        FoldTable(
            np.array(list(means.values())) + rng.normal(scale=noise, size=(n, len(means))),
            tuple(means),
            tuple((0, k) for k in range(n)),
            90.0,
            10.0,
            f"set {i}",
            "auc",
        )
        for i in range(data_sets)
    ]


def over(tables, test):
    """Findings without a run: of a study only names and failures are used."""
    data = {"kind": "Study", "schema": 1, "failures": [], "left": 2, "versions": {}, "tables": []}
    learners = [{"name": name, "class": "sklearn.naive_bayes:GaussianNB"} for name in tables[0].learners]
    options = plan([blobs(fold_table.data_set, 2) for fold_table in tables], learners, None, measures=["auc"])
    study = pr.results.Study.from_dict({**data, "plan": options.to_dict()})
    ranks = friedman(tables)
    return StudyFindings(study, "auc", spread(tables), recommend(tables), {ALL_DATA_SETS: test(tables)}, {}, ranks)


def test_over_data_sets_pairs_are_tested_by_signed_ranks():
    result = over(folds({"good": 0.9, "twin": 0.9, "poor": 0.7}), wilcoxon)
    sentences, cautions = conclude_study(result)
    test = result.tests[ALL_DATA_SETS]
    best, twin = sorted(("good", "twin"), key=lambda name: result.friedman.ranks[name])
    assert sentences[0].startswith(f"{best} has the best mean rank by area under the ROC curve on 8 data sets, ")
    assert f"better than poor by {test[best, 'poor'].value:.3f}" in " ".join(sentences)
    assert f"{best} and {twin} do not differ significantly on these data sets" in " ".join(sentences)
    assert f"Among the others, {twin} is better than poor." in sentences
    assert cautions[0] == "The study is incomplete: 2 fits left to run."
    assert study_tables(result)[1].title == "Pairs on all data sets"


def test_over_data_sets_ranks_are_tested_by_friedman():
    names = {f"m{k}": 0.9 - 0.02 * k for k in range(5)}
    result = over(folds(names, 0.001, data_sets=6), friedman)
    sentences, _ = conclude_study(result)
    assert (
        sentences[0]
        == "m0 has the best mean rank by area under the ROC curve, 1.00 among 5 learners on 6 data sets."
    )
    assert sentences[1] == "The learners do not rank equally (p < 0.001)."
    assert [name for name in names if result.friedman.nemenyi.apart("m0", name)] == ["m3", "m4"]
    assert sentences[2].startswith("It ranks better than m3 and m4, by more than ")
    assert (
        sentences[3] == "It does not differ significantly from m1 and m2; this does not show that they are equal."
    )
    even, _ = conclude_study(over(folds(dict.fromkeys(names, 0.9), data_sets=6), friedman))
    assert even[1].startswith("Mean ranks do not differ significantly (p = ")
    assert not any("ranks better than" in sentence for sentence in even)


@pytest.mark.slow
def test_pooled_predictions_where_folds_are_too_small(tmp_path):
    options = plan([blobs("pair", 2, n=40)], [BAYES, STUMP], tmp_path, splitting={"kind": "leave-one-out"})
    study = pr.study(options, out=tmp_path / "s.duckdb")
    made = report(study)
    with pytest.warns(PooledFoldsWarning, match="leave-one-out"):
        difference = study.fold_test().difference("bayes", "stump")
    assert table(made, "pairs-0").rows[0][1] == number_text(difference.value)
    assert "(all folds together)" in made.conclusion.sentences[0]
    assert made.findings.study.duncan == {}


@pytest.mark.parametrize("alive", [[BAYES], []])
def test_without_two_learners_nothing_is_compared(alive, tmp_path):
    (tmp_path / "fails.py").write_text(FAILS)
    study = pr.study(
        plan([blobs("pair", 2)], [*alive, {"class": "fails:Never"}], tmp_path), out=tmp_path / "s.duckdb"
    )
    made = report(study)
    if alive:
        mean = study.spread()["pair", "bayes"].mean
        assert made.conclusion.sentences[0].startswith(
            f"On pair, bayes: Hand & Till's M {mean:.3f} (mean of 5 folds"
        )
        assert made.conclusion.sentences[1] == "There is no other learner to compare it with."
    else:
        assert made.conclusion.sentences == ("No learner has any value: there is no result.",)
    assert "Never failed in 5 fits and has no value" in made.conclusion.cautions[0]
    assert 'id="test"' not in made.to_html()
    assert "Tested by" not in made.to_markdown()


def test_what_does_not_fit_a_study_is_rejected(one, two):
    for name, value in {"labels": [0, 1], "groups": [1], "rng": 3, "missing": "drop", "y_score": [1]}.items():
        with pytest.raises(InputError, match=f"leave out {name}"):
            report(two, **{name: value})
    with pytest.raises(InputError, match="mossman applies to no data set of this study; its measures are auc"):
        report(one, measure="mossman")
    with pytest.raises(InputError, match="or of one study, got Study"):
        pr.report([two, two.recommend()], path=None)


def command(line, capsys):
    code = run(shlex.split(line))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.slow
def test_the_command_takes_the_store(two, tmp_path, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    out = tmp_path / "page.html"
    code, output, _ = command(f"report {two.path} -o {out} --open --level 0.9 -m accuracy", capsys)
    assert (code, output) == (0, f"Written to {out}.\n")
    assert opened == [out.as_uri()]
    text = out.read_text()
    assert "<h1><bdi>trial</bdi></h1>" in text
    assert "90 %" in text
    code, _, trouble = command(f"report {two.path} -o {out} --scores 'p_*' --case id", capsys)
    assert code == 2
    assert trouble.count("\n") == 1
    assert "leave out --scores, --case" in trouble
    columns = "--table triple --truth truth --scores 'p_*' --classifier learner --case case --folds fold"
    code, _, _ = command(f"report {two.path} {columns} -o {tmp_path / 'data.json'}", capsys)
    assert code == 0
    assert "evaluation" in json.loads((tmp_path / "data.json").read_text())["results"]
