"""Readings: layouts, missing and double readings, invalid and odd studies."""

from math import isnan

import numpy as np
import pytest

import polyroc as pr
from polyroc.errors import DegenerateComparisonWarning, DroppedRowsWarning, InputError, NotApplicableError
from reader_data import long, ratings_of_four, rows_of, study_of_four, without

data = pytest.fixture(scope="module")(ratings_of_four)
study = pytest.fixture(scope="module")(study_of_four)


# Layouts ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_all_layouts_agree(data, study, tmp_path):
    import pandas as pd

    y, ratings = data
    expected = study.equal
    table = rows_of(y, ratings)
    order = np.random.default_rng(0).permutation(len(table["case"]))
    shuffled = {name: [column[k] for k in order] for name, column in table.items()}
    assert long(shuffled).equal == pytest.approx(expected)
    columns = {"truth": "truth", "scores": "rating", "reader": "reader", "modality": "modality", "case": "case"}
    frame = pd.DataFrame(shuffled)
    path = tmp_path / "readings.csv"
    frame.to_csv(path, index=False)
    for source in (frame, path):
        assert pr.reader_study(source, measure="auc", **columns).equal == pytest.approx(expected)
    scores = pr.read(path, truth="truth", scores="rating", by=["reader", "modality", "case"])
    assert pr.reader_study(
        scores, measure="auc", reader="reader", modality="modality", case="case"
    ).equal == pytest.approx(expected)
    wide = pd.DataFrame({"y": y, **{f"{m}{r}": x for m, own in ratings.items() for r, x in own.items()}})
    cells = {m: {r: f"{m}{r}" for r in reversed([*own])} for m, own in ratings.items()}
    assert pr.reader_study(wide, measure="auc", truth="y", scores=cells).equal == pytest.approx(expected)
    turned = {"A": ratings["A"], "B": dict(reversed(ratings["B"].items()))}  # readers in another order
    assert pr.reader_study(y, turned, measure="auc").equal == pytest.approx(expected)


def test_one_modality_needs_no_column(data):
    y, ratings = data
    table = rows_of(y, {"A": ratings["A"]})
    columns = {name: table[name] for name in ("reader", "case")}
    study = pr.reader_study(table["truth"], table["rating"], measure="auc", **columns)
    values = [pr.evaluate(y, own, measure="auc").value for own in ratings["A"].values()]
    assert study.averages["all readings"].value == pytest.approx(np.mean(values))
    assert (study.equal, study.differences) == (None, {})
    assert "cannot" not in study.sentence()


def test_one_probability_per_class_in_rows():
    y, ratings = pr.datasets.RoeMetz(1.0, classes=3).sample(2, 10, rng=2)
    wide = pr.reader_study(y, ratings, measure="hand_till")
    rows = [(m, r, k) for m, own in ratings.items() for r in own for k in range(len(y))]
    rating = np.array([ratings[m][r][k] for m, r, k in rows])
    modality, reader, case = zip(*rows, strict=True)
    study = pr.reader_study(
        [y[k] for k in case], rating, measure="hand_till", modality=modality, reader=reader, case=case
    )
    assert study.equal == pytest.approx(wide.equal)


# Invalid and odd input -------------------------------------------------------------------------------------------


def test_missing_readings_are_named_or_dropped(data):
    table = rows_of(*data)
    gap = without(
        table, lambda t, k: t["reader"][k] == "3" and t["modality"][k] == "B" and t["case"][k] in ("c4", "c7")
    )
    with pytest.raises(
        InputError,
        match=r"Reader '3' has no reading of case 'c4' with modality 'B' \(2 cases of this cell, 2 of all 480 "
        r"readings are missing\)\. Add them; .* missing='drop'; .* nested='cases'\.",
    ):
        long(gap)
    with pytest.warns(DroppedRowsWarning, match=r"2 of 60 cases were not read by every reader"):
        study = long(gap, missing="drop")
    assert sum(study.provenance.cases.values()) == 58
    keep = [k for k in range(60) if k not in (4, 7)]
    y, ratings = data
    fewer = {name: {r: x[keep] for r, x in own.items()} for name, own in ratings.items()}
    assert study.equal == pytest.approx(pr.reader_study(y[keep], fewer, measure="auc").equal)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            lambda t: without(t, lambda t, k: t["reader"][k] == "3" and t["modality"][k] == "B"),
            {},
            r"Reader '3' read with modality 'A' but not with 'B'; .* nested='readers'\.",
        ),
        (
            lambda t: without(t, lambda t, k: t["reader"][k] != "3"),
            {},
            r"needs two readers or more, but modality 'A' has one, '3'; .* use compare\.",
        ),
        (
            lambda t: {name: [*column, column[5]] for name, column in t.items()},
            {},
            r"Reader '1' read case 'c5' more than once with modality 'A' \(rows 6 and 481, 1 such rows in all\)",
        ),
        (
            lambda t: {**t, "truth": [1 - t["truth"][0], *t["truth"][1:]]},
            {},
            r"Case 'c0' has different values of its truth \(rows 1 and \d+\); all rows of a case must agree",
        ),
        (
            lambda t: {
                **t,
                "rating": [3.0 if r == "2" else x for r, x in zip(t["reader"], t["rating"], strict=True)],
            },
            {},
            r"Reader '2' gave all cases the same rating with modality 'A'",
        ),
        (lambda t: t, {"standalone": "AI"}, r"standalone='AI' is none of the modalities, which are 'A' and 'B'\."),
        (lambda t: t, {"standalone": "B"}, r"Modality 'B' has 4 readers, but standalone='B' is an algorithm"),
        (lambda t: t, {"nested": "readers"}, r"Reader '1' read with 'A' and 'B', but with nested='readers' each"),
        (
            lambda t: without(t, lambda t, k: (t["reader"][k] == "1") != (t["modality"][k] == "A")),
            {"nested": "readers"},
            r"same number of readers, got 'A': 1, 'B': 3",
        ),
        (lambda t: t, {"method": None}, r"needs the covariances of the errors; use method=Influence\(\)"),
        (lambda t: t, {"fixed": "both"}, r"fixed must be 'readers' or 'cases', got 'both'\."),
    ],
)
def test_invalid_studies_are_explained(data, change, options, message):
    with pytest.raises(InputError, match=message):
        long(change(rows_of(*data)), **options)


def test_calls_that_are_incomplete_are_explained(data):
    y, ratings = data
    table = rows_of(y, ratings)
    with pytest.raises(InputError, match=r"case=.* is missing"):
        pr.reader_study(table["truth"], table["rating"], measure="auc", reader=table["reader"])
    with pytest.raises(InputError, match=r"mapping by modality of mappings by reader, .*; got array"):
        pr.reader_study(y, ratings["A"]["1"], measure="auc")
    with pytest.raises(InputError, match=r"y_score: modality 'AI' has no readers; .* standalone='AI'"):
        pr.reader_study(y, {"A": ratings["A"], "AI": ratings["B"]["1"]}, measure="auc")
    with pytest.raises(InputError, match=r"nested='cases' needs one row per reading"):
        pr.reader_study(y, ratings, measure="auc", nested="cases")
    with pytest.raises(InputError, match=r"nothing to compare"):
        pr.reader_study(y, {"AI": ratings["B"]["1"]}, measure="auc", standalone="AI")
    with pytest.raises(InputError, match=r"first and second must be two of .* 'A', 'B', got 'A' and 'C'"):
        pr.reader_study(y, ratings, measure="auc").difference("A", "C")


def test_cases_that_a_reader_did_not_read_with_all_modalities_are_named():
    """Half the cases with one modality and half with the other: nothing is compared on the same cases."""
    y, ratings = pr.datasets.RoeMetz(1.0).sample(3, 20, rng=0)
    rows = rows_of(y, ratings)
    odd = [int(case[1:]) % 2 == 1 for case in rows["case"]]
    half = [second == (name == "B") for second, name in zip(odd, rows["modality"], strict=True)]
    kept = {
        name: [value for value, keep in zip(column, half, strict=True) if keep] for name, column in rows.items()
    }
    message = r"Reader '1' read 20 cases with 'A' only, and 20 cases with 'B' only, but with nested='cases' each"
    with pytest.raises(InputError, match=message):
        long(kept, nested="cases")
    # one case is enough, and leaving it out mends it
    one = {name: column[1:] for name, column in rows.items()}
    with pytest.raises(
        InputError, match=r"read 0 cases with 'A' only, and 1 case with 'B' only.* Leave out the cases"
    ):
        long(one, nested="cases")
    whole = [case != rows["case"][0] for case in rows["case"]]
    mended = {name: [v for v, keep in zip(column, whole, strict=True) if keep] for name, column in rows.items()}
    assert long(mended, nested="cases").nested == "cases"


def test_a_study_in_which_nothing_varies_has_no_test():
    y = np.repeat([0, 1], 5)
    same = {name: dict.fromkeys("ab", y + 0.0) for name in "AB"}
    with pytest.warns(DegenerateComparisonWarning, match="no interval and no p-value"):
        study = pr.reader_study(y, same, measure="auc", fixed="cases")
    assert "intervals in brackets" not in study.sentence()
    assert isnan(study.equal.pvalue)
    assert isnan(study.difference("A", "B").pvalue)
    assert "cannot be compared" in study.conclusion()[0]
    assert pr.results.ReaderStudy.from_json(study.to_json()).averages["A"].value == 1


def test_an_undefined_cell_is_named():
    y, ratings = pr.datasets.RoeMetz(1.0).sample(2, (5, 1), rng=0)
    with pytest.raises(
        NotApplicableError, match=r"auc of reader '1' with modality 'A' is .* every cell needs both"
    ):
        pr.reader_study(y, ratings, measure="auc")


def test_names_are_any_text(data):
    y, ratings = data
    names = {"A": "reader", "B": "=1+1\x1b[31m"}
    cells = {names[m]: {f"<b>{r}": x for r, x in own.items()} for m, own in ratings.items()}
    study = pr.reader_study(y, cells, measure="auc")
    assert study.equal == pytest.approx(pr.reader_study(y, ratings, measure="auc").equal)
    assert [column.name for column in study.to_table().columns][:2] == ["(reader)", "reader"]
    assert "\x1b" not in str(study)
    assert pr.results.ReaderStudy.from_json(study.to_json()).modalities == study.modalities
    own = ratings["A"]  # two cells that read "a: b: c"
    mixed = {"a: b": {"c": own["1"], "d": own["2"]}, "a": {"b: c": own["3"], "e": own["4"]}}
    assert len(pr.reader_study(y, mixed, measure="auc", nested="readers").estimates) == 4
