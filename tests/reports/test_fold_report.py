"""Reports of cross-validated predictions: a section on the folds, what is averaged and what is pooled."""

import numpy as np
import polars as pl
import pytest

import polyroc as pr
from command import polyroc
from polyroc.output.numbers import number_text

RNG = np.random.default_rng(2)
Y, FOLD = np.repeat([0, 1], 40), np.tile(np.arange(40) % 4, 2)
SCORES = {"a": RNG.normal(size=80) + Y, "b": RNG.normal(size=80) + 0.5 * Y + 2 * FOLD}


@pytest.fixture(scope="module")
def page():
    return pr.report(Y, SCORES, folds=FOLD, path=None)


def test_values_by_fold_stand_above_the_average_and_the_pooled_value(page):
    (table,) = [table for table in page.tables if table.key == "folds"]
    estimates = [pr.evaluate(Y, scores, folds=FOLD, measure="auc") for scores in SCORES.values()]
    rows = {row[0]: row[2:] for row in table.rows}
    for number, fold in enumerate("0123"):
        expected = tuple(number_text(estimate.cross_validation.values[number]) for estimate in estimates)
        assert rows[fold] == expected
    assert rows["averaged over folds"] == tuple(number_text(estimate.value) for estimate in estimates)
    assert rows["pooled"] == tuple(number_text(estimate.cross_validation.pooled) for estimate in estimates)


def test_the_page_says_what_is_estimated_and_which_pooled_value_is_biased(page):
    target = "the average performance of these 4 trained models on new cases"
    assert any(target in caution for caution in page.conclusion.cautions)
    assert any(caution.startswith("b: All folds pooled") for caution in page.conclusion.cautions)
    assert not any(caution.startswith("a: All folds pooled") for caution in page.conclusion.cautions)
    assert any(target in sentence for sentence in page.methods)
    html = page.to_html()
    assert '<section id="folds"' in html
    assert (
        "Averaged over folds, with its interval: how well do these models perform on new cases, on average?"
        in html
    )
    assert html.count('stroke-dasharray="4 3"') == 2  # one picture per classifier


def test_averaged_and_pooled_curves_are_both_there(page):
    averaged, pooled = page.findings.fold_curves, page.findings.curves
    for name, scores in SCORES.items():
        estimate = pr.evaluate(Y, scores, folds=FOLD, measure="auc")
        assert averaged[name].area.value == estimate.value
        assert pooled[name].area.value == estimate.cross_validation.pooled


def test_a_file_with_a_column_of_folds(page, tmp_path):
    file = tmp_path / "cases.csv"
    pl.DataFrame({"y": Y, **SCORES, "fold": FOLD}).write_csv(file)
    columns = {"truth": "y", "scores": {"a": "a", "b": "b"}, "folds": "fold"}
    of_file = pr.report(file, path=None, **columns)
    assert [table.rows for table in of_file.tables if table.key == "folds"] == [
        table.rows for table in page.tables if table.key == "folds"
    ]


def test_a_stored_report_has_the_folds(page):
    again = pr.results.Report.from_json(page.to_json())
    assert [table.key for table in again.tables] == [table.key for table in page.tables]
    assert again.findings.fold_curves["a"].area.value == page.findings.fold_curves["a"].area.value


def test_repeats_and_pooled_reports(tmp_path):
    repeated = {"folds": np.tile(FOLD, 2), "repeats": np.repeat([1, 2], 80)}
    page = pr.report(np.tile(Y, 2), np.tile(SCORES["a"], 2), **repeated, path=None)
    (table,) = [table for table in page.tables if table.key == "folds"]
    assert table.rows[4][0] == "repeat 2, fold 0"
    assert page.findings.provenance.cases == {"0": 40, "1": 40}
    pooled = pr.report(Y, SCORES["a"], folds=FOLD, pooled=True, path=None)
    assert "folds" not in [table.key for table in pooled.tables]
    assert any("as if one model had predicted them" in caution for caution in pooled.conclusion.cautions)
    plain = pr.report(Y, SCORES["a"], path=None)
    assert plain.findings.fold_curves is None
    file = tmp_path / "cv.csv"
    rows = zip(Y, SCORES["a"], FOLD, strict=True)
    file.write_text("y,s,fold\n" + "".join(f"{y},{s},{v}\n" for y, s, v in rows))
    done = polyroc(
        "report", file, "--truth", "y", "--scores", "s", "--folds", "fold", "-o", tmp_path / "report.md"
    )
    assert done.returncode == 0, done.stderr
    assert "## auc by fold" in (tmp_path / "report.md").read_text()
