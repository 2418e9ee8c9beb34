"""`report`: sentences no surer than the numbers, every kind of data, every format, files of bounded size."""

import base64
import hashlib
import json
import re
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from polyroc.cli.app import run
from polyroc.datasets import catalogue
from polyroc.errors import InputError, MissingPackageError
from polyroc.measures.registry import MEASURES
from polyroc.output.sentences import shortened
from polyroc.reports import collection, conclusion, explorer, figures, page_assets
from polyroc.reports.collection import sampled_cases
from polyroc.reports.methods import PAPERS
from polyroc.reports.page_assets import as_json, compressed, plotly
from polyroc.reports.tables import tables

BAD = "<b>|_&\\%${}"


def two(n=300, seed=0, gap=1.2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    return y, {"good": rng.normal(size=n) + gap * y, "poor": rng.normal(size=n) + 0.2 * y}


def three(n=120, seed=1, k=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    made = {}
    for i in range(k):
        P = rng.dirichlet(np.ones(3), size=n) + (0.6 - 0.4 * i) * np.eye(3)[y]
        made[f"m{i}"] = P / P.sum(axis=1, keepdims=True)
    return y, made


def report(*arguments, **options):
    return pr.report(*arguments, **{"path": None, **options})


def test_nothing_is_written_unasked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = pr.report(*two())
    assert [*tmp_path.iterdir()] == []
    assert made.save("mine.html").exists()


@pytest.mark.slow
def test_the_command_writes_to_a_new_name_and_says_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    y, scores = two(n=60)
    (tmp_path / "s.csv").write_text(
        "y,s\n" + "".join(f"{int(a)},{b}\n" for a, b in zip(y, scores["good"], strict=True))
    )
    (tmp_path / "report.html").write_text("mine")
    for name in ("report-2.html", "report-3.html"):
        assert run(["report", "s.csv", "--truth", "y", "--scores", "s"]) == 0
        assert capsys.readouterr().out == f"Written to {name}.\n"
        assert (tmp_path / name).exists()
    assert (tmp_path / "report.html").read_text() == "mine"


def test_the_better_classifier_is_named_with_numbers_that_compare_gives():
    y, scores = two()
    sentences = report(y, scores).conclusion.sentences
    pair = pr.compare(y, scores, measure="auc").difference("good", "poor")
    low, high = pair.confidence_interval()
    assert sentences[0].startswith("good has the highest area under the ROC curve, 0.")
    assert f"better than poor by {pair.value:.3f} (95 % {low:.3f} to {high:.3f}), p < 0.001." in sentences[1]


def test_methods_name_the_interval_of_each_measure():
    y, scores = two(60)
    rate = "sensitivity(specificity=0.9)"
    bands = f"Intervals of {rate}: from order statistics, as a pointwise ROC band."
    usual = "Standard errors from influence values, class sizes random (cohort)"
    made = report(pr.evaluate(y, scores["good"], measure=["auc", rate, "cost_area"])).methods
    assert f"{usual}; guarded logit intervals." in made
    assert bands in made
    assert "Intervals of cost_area: noncentral chi-square, valid at chance." in made
    made = report(pr.compare(y, scores, measure=rate)).methods
    assert f"{usual}." in made
    assert bands in made
    y, P = three(60, k=1)
    made = report(pr.evaluate(y, P["m0"], measure="log_loss")).methods
    assert "Intervals of log_loss: Student's t, on the scale of logarithms." in made
    method = pr.methods.Bootstrap(replicates=20, stratified=True, kind="percentile", rng=1)
    made = report(pr.evaluate(y, P["m0"], measure="hand_till", method=method)).methods
    assert f"Standard errors by {method!r}; class sizes random (cohort); its own intervals." in made


def test_no_winner_is_named_without_a_significant_difference():
    y, scores = two()
    rng = np.random.default_rng(3)
    twin = {"one": scores["good"], "other": scores["good"] + 0.3 * rng.normal(size=len(y))}
    text = " ".join(report(y, twin).conclusion.sentences)
    assert "do not differ significantly on these cases" in text
    assert "This does not show that they are equal" in text
    assert "is better than" not in text


def test_chance_is_not_called_an_achievement():
    y, scores = two(gap=0.0)
    sentences = report(y, scores["good"]).conclusion.sentences
    assert "This is not significantly better than chance (0.5)." in sentences[0]
    reversed_score = report(y, -two(gap=2)[1]["good"])
    assert "is the score reversed?" in reversed_score.conclusion.sentences[0]


@pytest.mark.slow
def test_small_classes_are_a_caution():
    y = np.array([0] * 30 + [1] * 5 + [2])
    P = np.random.default_rng(0).dirichlet(np.ones(3), size=36)
    made = report(y, P)
    cautions = " ".join(made.conclusion.cautions)
    assert "only one case of 2" in cautions
    assert "Few cases of 1 (5)" in cautions
    assert any("one case only" in note for note in made.findings.notes)


def test_an_absent_class_leaves_out_what_needs_it():
    y, scores = three()
    P = np.column_stack([scores["m0"], np.zeros(len(y))])
    made = report(y, P, labels=[0, 1, 2, 3])
    assert "There is no case of 3" in " ".join(made.conclusion.cautions)
    assert made.cases is None
    assert "no case of class '3'" in made.why_no_cases
    assert "Operating point" in made.to_html()


def test_a_perfect_classifier_is_not_praised_beyond_its_cases():
    y = np.repeat([0, 1, 2], 6)
    made = report(y, np.eye(3)[y])
    assert "makes no error on these cases; a larger sample may show some." in " ".join(made.conclusion.sentences)
    assert "Wilson" in " ".join(made.conclusion.cautions)


@pytest.mark.slow
def test_decisions_and_ordered_scores_and_groups():
    y, scores = three()
    labels = np.array(["a", "b", "c"])
    decided = report(labels[y], {name: labels[P.argmax(axis=1)] for name, P in scores.items()})
    assert decided.findings.comparison.measure == "macro_average"
    assert decided.findings.curves is None
    assert "decisions" in decided.why_no_cases
    ordered = report(y, scores["m0"] @ [0, 1, 2], labels=[0, 1, 2])
    assert ordered.findings.surfaces["classifier"].volume.measure == "vus"
    assert "one score for more than two classes" in ordered.why_no_cases
    orders = pr.evaluate(y, scores["m0"] @ [0, 1, 2], labels=[0, 1, 2], measure="scurfield").parts
    wrong = max((key for key in orders if key != "0<1<2"), key=lambda key: orders[key].value)
    assert f"of each class: {wrong}, {100 * orders[wrong].value:.1f} % (" in ordered.conclusion.sentences[1]
    grouped = report(*two(), groups=np.arange(300) // 3)
    assert "based on 100 groups" in " ".join(grouped.conclusion.cautions)
    for made in (decided, ordered, grouped):
        assert made.to_html().startswith("<!DOCTYPE html>")


@pytest.mark.slow
def test_formats_follow_the_suffix(tmp_path):
    made = report(*three())
    for suffix in (".html", ".md", ".tex", ".json"):
        path = made.save(tmp_path / f"report{suffix}")
        assert path.stat().st_size > 1000
        assert list(tmp_path.glob("*.part")) == []
    with pytest.raises(InputError, match=r"must end in \.html"):
        pr.report(*three(), path=tmp_path / "report.pdf")
    with pytest.raises(InputError, match="no folder"):
        pr.report(*three(), path=tmp_path / "nowhere" / "report.html")
    with pytest.raises(InputError, match="seed"):
        report(*three(), rng=-1)


@pytest.mark.slow
def test_json_comes_back():
    made = report(*three())
    again = pr.results.Report.from_dict(json.loads(made.to_json()))
    assert again.conclusion == made.conclusion
    assert again.to_dict()["results"].keys() == made.to_dict()["results"].keys()
    assert tables(again.findings) == tables(made.findings)
    assert again.cases is None


@pytest.mark.slow
def test_results_make_a_report_without_cases(tmp_path):
    y, scores = three()
    result = report(
        [pr.evaluate(y, scores), pr.compare(y, scores, measure="hand_till"), pr.rates(y, scores, only="m0")]
    )
    assert result.conclusion.sentences[0].startswith("m0 has the highest Hand & Till's M")
    assert result.conclusion.sentences == report(y, scores).conclusion.sentences
    assert "Curves</h2>" not in result.to_html()
    front = report(pr.front(y, scores["m0"], draws=300))
    assert "Pareto-optimal operating points" in front.conclusion.sentences[0]
    page = front.to_html()
    assert 'id="explorer-terms"' in page
    with pytest.raises(InputError, match="A report is made of scores, or of results"):
        report([pr.sample_size(measure="auc", value=0.85, null=0.75, power=0.9)])
    with pytest.raises(InputError, match="kind='roc'"):
        report(pr.curve(*two(), kind="pr"))


@pytest.mark.slow
def test_tables_have_the_numbers_of_evaluate():
    y, scores = three()
    made = report(y, scores, measure="pdi")
    by_key = {table.key: table for table in tables(made.findings)}
    evaluation = pr.evaluate(y, scores)
    rows = {(row[1], row[2]): row for row in by_key["measures"].rows}
    for (name, key), estimate in evaluation.estimates.items():
        low, high = estimate.confidence_interval()
        assert rows[key, name][3:7] == tuple(
            f"{x:.4f}" for x in (estimate.value, estimate.standard_error, low, high)
        )
    assert made.findings.comparison.measure == "pdi"
    assert by_key["measures"].rows[0][1] == "pdi"
    alone = report(y, scores["m0"], measure="sahiner(malignant=1)")
    assert alone.conclusion.sentences[0].startswith("classifier: normalised volume, one class against two 0.")
    assert len(by_key["differences"].rows) == 1


@pytest.mark.slow
def test_markdown_and_latex_hold_no_markup_from_names():
    y, scores = three(k=1)
    labels = np.array([BAD, "plain", "x"])
    made = report(labels[y], {BAD: scores["m0"]}, labels=labels)
    markdown = made.to_markdown()
    assert "<b>" not in markdown
    rows = [len(re.findall(r"(?<!\\)\|", line)) for line in markdown.splitlines() if line.startswith("|")]
    assert set(rows) == {9, 5, 10, 7}  # eight columns; confusion rates and panel; calibration; Brier's terms
    tex = "\n".join(line for line in made.to_latex().splitlines() if not line.startswith("%"))
    assert re.search(r"(?<!\\)[$#]", tex.replace("$-$", "")) is None
    assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}") > 1
    assert r"\textless{}b\textgreater{}\textbar{}\_\&\textbackslash{}\%\$\{\}" in tex


def test_data_inside_the_page_come_back_and_cannot_end_their_element():
    hostile = {"</script>": "<!-- \u2028 & \u2029", "lone": "\ud800"}
    text, size = compressed(as_json(hostile))
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", text)
    content = zlib.decompress(base64.b64decode(text), wbits=-zlib.MAX_WBITS)
    assert json.loads(content) == hostile
    assert size == len(content)


def test_shortened_names_stay_distinct():
    names = ("a" * 60, "a" * 61, "a" * 35 + "b" * 30 + "a" * 12, "a\x00", "a\x01")
    short = shortened(names)
    assert len(set(short)) == len(names)
    assert max(map(len, short)) <= 48 + 4


def test_plotly_is_there_without_addresses():
    (text, size), fingerprint = plotly()
    script = zlib.decompress(base64.b64decode(text), wbits=-zlib.MAX_WBITS)
    assert len(script) == size
    assert fingerprint == f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
    assert set(re.findall(rb"https?://[\w.]+", script)) <= {b"http://www.w3.org"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"pos_label": "b"},
        {"pos_label": "b", "measure": "gini", "level": 0.9, "method": pr.methods.Bootstrap(replicates=50, rng=1)},
        {"pos_label": "a", "groups": np.arange(40) % 20, "negate": True, "sampling": "case-control"},
    ],
)
def test_the_lines_that_repeat_a_report_repeat_it(options):
    rng = np.random.default_rng(0)
    y_true = np.array(["a", "b"])[np.arange(40) % 2]
    y_score = rng.normal(size=40) + (y_true == "b")
    made = pr.report(y_true, y_score, path=None, **options)
    names = {"y_true": y_true, "y_score": y_score, "groups": options.get("groups")}
    *first, last = made.repeat
    again = eval(last.replace(", level=", ", path=None, level="), {"pr": pr, **names})
    assert first == ["import polyroc as pr"]
    assert again.findings.evaluation.rows() == made.findings.evaluation.rows()


def unpacked(packing):
    """What the page makes of packed numbers, as base.js describes it."""
    kind = next(iter(packing))
    planes = np.frombuffer(base64.b64decode(packing[kind]), np.uint8)
    dtype = np.dtype(page_assets.TYPES[kind])
    stored = planes.reshape(dtype.itemsize, -1).T.copy().view(dtype).ravel()
    if packing.get("steps"):
        stored = np.cumsum(stored, dtype=dtype)
    return stored / packing["of"] if "of" in packing else stored


@given(
    st.lists(
        st.floats(allow_nan=False) | st.integers(-(2**40), 2**40).map(lambda k: k / 10**4) | st.just(-0.0),
        max_size=9,
    ),
    st.booleans(),
)
def test_packed_numbers_keep_every_bit(values, steps):
    numbers = np.array(values, dtype=float)
    again = unpacked(page_assets.packed_decimals(numbers, "f8", steps=steps))
    assert again.astype(float).tobytes() == numbers.tobytes()


def test_short_decimals_are_packed_as_integers():
    table = np.array([[0.5, 0.25], [0.125, 1.0]])
    assert unpacked(page_assets.packed_decimals(table, "f8", steps=True)).tolist() == table.ravel().tolist()
    assert page_assets.packed_decimals(np.array([0.001, 0.25, 3.0]), "f8")["of"] == 1000
    assert "i4" in page_assets.packed_decimals(np.array([-0.5, 123456.25]), "f8")


@pytest.mark.parametrize(("c", "k"), [(2, 3), (3, 3), (12, 2)])
def test_the_file_stays_small_whatever_the_cases(c, k):
    rng = np.random.default_rng(0)
    n = 150_000
    y = rng.integers(c, size=n)
    made = {}
    for i in range(k):
        P = rng.random((n, c)) + 0.3 * np.eye(c)[y]
        made[f"m{i}"] = P / P.sum(axis=1, keepdims=True)
    tables_ = explorer.explorer_cases(
        pr.Scores._make(y.astype(np.int32), tuple(range(c)), made, "matrix", 1 if c == 2 else None), 0
    )
    kept = list(made)[: tables_.most_tables]
    assert len(json.dumps(tables_.tables(kept))) < (1 + 1 / (c - 1)) * 1.34 * explorer.BYTES + 2000
    assert "cases" in tables_.note


def test_sampled_cases_keep_their_classes():
    rng = np.random.default_rng(0)
    y = np.concatenate([np.zeros(90_000), np.ones(9_950), np.full(50, 2)]).astype(np.int32)
    P = rng.dirichlet(np.ones(3), size=100_000)
    sampled = explorer.explorer_cases(pr.Scores._make(y, (0, 1, 2), {"a": P, "b": P}, "matrix"), 0)
    assert sampled.scores.counts[2] == 50
    assert sampled.shares == pytest.approx([0.9, 0.0995, 0.0005], abs=1e-15)
    assert "0.14 (95 %)" in sampled.note  # 1.96 x 0.5 / sqrt(50)
    again = explorer.explorer_cases(pr.Scores._make(y, (0, 1, 2), {"a": P, "b": P}, "matrix"), 0)
    assert (again.scores.values["a"] == sampled.scores.values["a"]).all()


def test_no_more_cases_are_drawn_than_requested():
    y = np.arange(4000) % 60
    scores = pr.Scores._make(y.astype(np.int32), tuple(range(60)), {"a": np.zeros((4000, 60))}, "matrix")
    cases = sampled_cases(scores, 700, 0)
    assert 600 < len(cases) <= 700
    assert np.bincount(y[cases], minlength=60).min() >= 5


@pytest.mark.slow
def test_many_classifiers_share_the_room_for_thresholds():
    rng = np.random.default_rng(0)
    y = (rng.random(60_000) < 0.3).astype(np.int32)
    made = {f"m{i}": rng.normal(size=len(y)) + y for i in range(30)}
    sampled = explorer.explorer_cases(pr.Scores._make(y, (0, 1), made, "score", 1), 0)
    assert sampled.most_tables == 8
    kept = list(made)[:8]
    assert len(json.dumps(sampled.tables(kept))) < 1.34 * 1.3 * explorer.BYTES  # the hull comes on top
    assert f"some {explorer.BYTES // (36 * 8)}, so" in sampled.note


@pytest.mark.slow
def test_the_error_of_thinned_curves_is_stated_and_true():
    y, scores = three(n=2400, k=1)
    with pytest.MonkeyPatch.context() as small:
        small.setattr(collection, "ALL_PAIR_POINTS", 120)
        findings = report(y, scores).findings
    (note,) = [note for note in findings.notes if note.startswith("Curves of pairs")]
    stated = float(re.search(r"by up to (\S+);", note)[1])
    off = [abs(np.trapezoid(pair.tpr, pair.fpr) - pair.area.value) for pair in findings.pairs.values()]
    assert 0.9 * stated <= max(off) <= stated
    assert max(len(pair.fpr) for pair in findings.pairs.values()) <= 20


def test_every_paper_can_be_found():
    short = {paper for measure in MEASURES.values() for paper in measure.paper.split("; ")}
    assert short - PAPERS.keys() == set()


@pytest.mark.slow
def test_a_front_of_many_classes_is_not_called_guessing():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 5
    P = rng.dirichlet(np.ones(5), size=200) + np.eye(5)[y]
    made = report(pr.front(y, P / P.sum(axis=1, keepdims=True), draws=100))
    text = " ".join(made.conclusion.sentences)
    assert "chance" not in text
    assert "always predicting 0 misclassifies 80.0 %" in text
    assert not any("Standard errors" in sentence for sentence in made.methods)


@pytest.mark.slow
def test_very_many_classes_have_no_matrix(monkeypatch):
    for module in (explorer, collection, figures, conclusion):
        monkeypatch.setattr(module, "MOST_CLASSES", 12)
    monkeypatch.setattr(collection, "MOST_PAIR_CURVES", 100)
    rng = np.random.default_rng(0)
    c, n = 13, 52
    y = np.arange(n) % c
    P = rng.dirichlet(np.ones(c), size=n) + 0.05 * np.eye(c)[y]
    made = report(y, P / P.sum(axis=1, keepdims=True))
    assert "more than 12 classes" in made.why_no_cases
    assert any(note.startswith("No pairs: 156 curves for every classifier") for note in made.findings.notes)
    page = made.to_html()
    assert 'id="pair-matrix"' not in page
    assert 'id="explorer-terms"' not in page


@pytest.mark.slow
def test_progress_is_reported():
    calls = []
    report(*three(), progress=lambda done, total, what: calls.append((done, total, what)))
    done = [step for step, _, _ in calls]
    assert done == sorted(done)
    assert len(set(done)) > 20  # measures are steps of their own
    assert {total for _, total, _ in calls} == {1000}
    assert (150, 1000, "m1: hand_till") in calls
    assert calls[-1] == (942, 1000, "writing")


@pytest.mark.slow
def test_a_missing_package_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("polyroc.reports.page_assets.find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match=r"polyroc\[report\]"):
        pr.report(*three(), path=tmp_path / "report.html")
    pr.report(*three(), path=tmp_path / "report.md")


@pytest.mark.slow
def test_same_data_same_page():
    assert report(*three()).to_html() == report(*three()).to_html()


@pytest.mark.slow
def test_the_command_writes_the_page(tmp_path, capsys, monkeypatch):
    out, opened = tmp_path / "r.html", []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(sys, "argv", ["polyroc", "report", "p q.csv"])
    file = catalogue.path("iris_predictions")
    columns = ["--truth", "species", "--scores", "p_*", "--classifier", "classifier", "--case", "case"]
    assert run(["report", str(file), *columns, "-o", str(out), "--open", "-m", "pdi"]) == 0
    text = out.read_text()
    assert "iris_predictions.csv</bdi></h1>" in text
    assert "polyroc report &#39;p q.csv&#39;" in text
    assert opened == [out.as_uri()]
    assert capsys.readouterr().out == f"Written to {out}.\n"
    assert run(["report", str(file)]) == 2
    assert "--truth" in capsys.readouterr().err
    assert run(["report", str(file), *columns, "-o", str(tmp_path / "r.doc")]) == 2


@pytest.mark.slow
def test_the_command_reads_a_stored_front(tmp_path, capsys):
    y, scores = three()
    pr.front(y, scores["m0"], draws=200).save(tmp_path / "front.npz")
    assert run(["report", str(tmp_path / "front.npz"), "-o", str(tmp_path / "front.html")]) == 0
    assert 'id="explorer-terms"' in (tmp_path / "front.html").read_text()
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_demo_ends_with_the_report(tmp_path, capsys):
    assert run(["demo", "--report", str(tmp_path / "report.html")]) == 0
    assert capsys.readouterr().out.endswith(f"browser: {tmp_path / 'report.html'}\n")
    assert (tmp_path / "report.html").stat().st_size < 10_000_000


@pytest.mark.slow
def test_notebooks_show_names_as_text():
    y, scores = three(k=1)
    made = report(y, {BAD: scores["m0"]})
    assert "&lt;b&gt;" in made._repr_html_()
    assert "<b>" not in made._repr_html_()


def test_cut_points_of_an_ordered_score():
    rng = np.random.default_rng(0)
    stages = ["none", "mild", "severe"]
    y = np.repeat(stages, [60, 50, 40])
    marker = np.repeat([0, 1.2, 2.5], [60, 50, 40]) + rng.normal(size=150)
    report = pr.report(y, {"marker": marker}, labels=stages, path=None)
    point = report.findings.points["marker"]
    (table,) = [table for table in report.tables if table.key == "cut-points"]
    assert [row[1] for row in table.rows] == ["mild", "severe"]
    assert [float(row[2]) for row in table.rows] == pytest.approx(point.thresholds, rel=1e-5)
    for row, ends in zip(table.rows, point.threshold_intervals(), strict=True):
        assert [float(row[3]), float(row[4])] == pytest.approx([*ends], rel=1e-5)
    text = " ".join(report.conclusion.sentences)
    assert "Cut-points of the largest generalised Youden index: mild from" in text
    assert "At these, corrected for the choice, the most frequent error" in text
    page = report.to_html()
    assert "Cut-points of the score" in page
    assert "at the cut-points of the largest generalised Youden index, corrected for the choice" in page
    again = pr.results.Report.from_json(report.to_json())
    assert [table.rows for table in again.tables] == [table.rows for table in report.tables]


def one_score(n=40, m=25):
    return np.repeat(["well", "sick"], [n, m]), np.random.default_rng(3).normal(np.repeat([0.0, 1.0], [n, m]))


def test_a_threshold_chosen_on_the_cases_is_corrected_as_operate_does():
    y, s = one_score()
    made = pr.report(y, s, pos_label="sick", path=None)
    own = pr.operate(y, s, pos_label="sick", method=pr.methods.Bootstrap())
    point = made.findings.points["classifier"]
    np.testing.assert_array_equal(point.rates, own.rates)
    assert point.threshold_intervals() == own.threshold_intervals()
    apparent = pr.rates(y, s, threshold=point.rule.threshold, pos_label="sick")["sick", "sick"]
    assert point.tpr < apparent.value
    sentence = made.conclusion.sentences[-1]
    assert sentence.startswith(
        "At the threshold of least error on these cases, corrected for the choice, the most"
    )
    assert f"{100 * point.rates.min():.1f} %" in sentence or f"{100 * (1 - point.tpr):.1f} %" in sentence
    assert "rates and cost are corrected for the choice" in made.to_markdown()
    assert "at the threshold of least error, corrected for the choice" in made.to_html()


def test_rates_that_are_not_corrected_are_called_optimistic_where_they_stand(monkeypatch):
    monkeypatch.setattr("polyroc.reports.collection.RECHOSEN_CASES", 64)
    y, s = one_score()
    made = pr.report(y, s, pos_label="sick", path=None)
    with pytest.warns(pr.errors.OptimismWarning) as caught:
        pr.operate(y, s, pos_label="sick")
    text = "The rule was chosen and evaluated on the same cases, so its rates and cost are optimistic."
    assert str(caught[0].message).startswith(text)
    assert made.conclusion.sentences[-1] == text
    (table,) = [table for table in made.tables if table.key == "rates-classifier"]
    assert table.notes == (text,)
    assert made.to_html().count(text) == 2
    assert text in pr.results.Report.from_json(made.to_json()).to_markdown()


def test_numbers_of_the_report_are_those_of_the_verbs():
    rng = np.random.default_rng(0)
    stage = np.repeat(["none", "mild", "severe"], 10)
    marker = np.repeat([0, 1.2, 2.5], 10) + rng.normal(size=30)
    options = {"labels": ["none", "mild", "severe"]}
    report = pr.report(stage, marker, **options, path=None)
    own = pr.operate(stage, marker, **options, criterion="youden", method="bootstrap")
    assert report.findings.points["classifier"].threshold_intervals() == own.threshold_intervals()
    y, p = rng.random(80) < 0.4, rng.random(80)
    events = [one.event() for one in (pr.report(y, p, path=None).findings.calibration, pr.calibration(y, p))]
    assert events[0].simulated_pvalue == events[1].simulated_pvalue
    assert events[0].joint == events[1].joint


def test_a_reader_study_has_a_section(tmp_path):
    y, ratings = pr.datasets.RoeMetz.published("HL", 1.5, gain=0.5).sample(3, 20, rng=0)
    named = {"<b>CT</b>": ratings["A"], "MRI": ratings["B"]}
    study = pr.reader_study(y, named, measure="auc")
    made = pr.report(study, path=tmp_path / "readers.html")
    assert list(made.conclusion.sentences) == study.conclusion()
    assert [table.key for table in made.tables] == ["readers", "reader-differences", "reader-variances"]
    page = (tmp_path / "readers.html").read_text(encoding="utf-8")
    assert '<section id="readers"' in page
    assert "Operating point" not in page
    assert "&lt;b&gt;CT&lt;/b&gt;" in page
    assert "<b>CT" not in page
    assert any("Obuchowski & Rockette" in text for text in (*made.methods, *made.references))
    assert pr.results.Report.from_dict(made.to_dict()).to_dict() == made.to_dict()
