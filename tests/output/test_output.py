"""The output layer: tables fit the page, texts from outside stay texts."""

import io

import pytest
from rich.console import Console

import polyroc as pr
from polyroc.output.formats import html_table, latex_table, markdown_table
from polyroc.output.numbers import estimate_text, interval_text, p_text
from polyroc.output.sentences import abbreviated, clipped, listed, printable, shortened
from polyroc.output.tables import Table, record_table
from polyroc.output.text import as_text, draw

WIDE = Table.of(
    "A wide table",
    [
        {"classifier": f"classifier {k}", **{f"column number {j}": f"0.{k}{j}" for j in range(12)}}
        for k in range(3)
    ],
    ["A note."],
)


def on_a_console(table, width):
    text = io.StringIO()
    draw(Console(file=text, width=width), table)
    return text.getvalue()


@pytest.mark.parametrize("width", [30, 40, 80, 100])
def test_a_wide_table_folds_and_loses_nothing(width):
    cells = [cell for row in WIDE.rows for cell in row[1:]]
    for text in (as_text(WIDE, width), on_a_console(WIDE, width)):
        assert max(map(len, text.splitlines())) <= width
        assert all(text.split().count(cell) == 1 for cell in cells)
        assert "…" not in text
    assert as_text(WIDE, width).count("classifier 0") == as_text(WIDE, width).count("classifier 2")


def test_a_table_that_fits_is_one_block():
    text = as_text(WIDE, 400)
    assert len(text.splitlines()) == 2 + 4 + 2
    assert text.splitlines()[2].split()[1:4] == ["column", "number", "0"]


def test_long_texts_wrap_before_columns_fold():
    table = Table.of("", [{"name": "a", "message": "one word after another " * 8, "value": "0.5"}])
    lines = as_text(table, 60).splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[0].split() == ["name", "message", "value"]
    assert lines[1].endswith("0.5")


def test_compare_with_a_margin_fits_80_columns():
    y, s = [0, 1] * 20, [(k * 7) % 20 for k in range(40)]
    comparison = pr.compare(y, {"forest": s, "logit": s[::-1], "network": sorted(s)}, measure="auc")
    table = comparison.to_table(margin=0.05)
    assert max(map(len, as_text(table, 80).splitlines())) <= 80
    assert max(map(len, on_a_console(table, 80).splitlines())) <= 80
    assert "equivalent" in as_text(table, 80)


def test_str_is_the_table_and_repr_one_line():
    y, s = [0] * 12 + [1] * 12, [*range(12), *range(6, 18)]
    evaluation = pr.evaluate(y, s)
    assert str(evaluation) == as_text(evaluation.to_table())
    assert str(evaluation).splitlines()[1].split()[:2] == ["auc", "0.8750"]
    assert "\n" not in repr(evaluation)
    assert evaluation.to_table(parts=True).rows[0][0] == "auc"


def test_no_text_from_outside_is_markup_or_control():
    name = "\x1b[31m<b>|_$\\\u202e"
    table = Table.of(name, [{name: name}], [name])
    for text in (as_text(table), html_table(table), markdown_table(table), latex_table(table)):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "<b>" not in html_table(table)
    assert "<b>" not in markdown_table(table)
    assert "_$" not in latex_table(table).replace(r"\_\$", "")
    assert {printable(name), clipped(name), abbreviated(name), *shortened([name])} == {printable(name)}


def test_records_become_readable_columns():
    records = [
        {
            "first": "a",
            "adjusted_pvalue": 1e-9,
            "apart": True,
            "level": 0.9,
            "low": 0.1,
            "high": 0.2,
            "none": None,
        },
        {
            "first": "b",
            "adjusted_pvalue": 0.25,
            "apart": False,
            "level": 0.9,
            "low": None,
            "high": None,
            "none": None,
        },
    ]
    table = record_table(records)
    assert [column.name for column in table.columns] == ["first", "p adjusted", "apart", "90 % interval"]
    assert table.rows == (("a", "< 0.001", "yes", "0.1000 to 0.2000"), ("b", "0.250", "no", ""))
    assert [column.numeric for column in table.columns] == [False, True, False, False]
    assert as_text(record_table([])) == ""


def test_numbers_and_lists_in_sentences():
    assert interval_text((0.88, 0.94), 2) == "0.88 to 0.94"
    assert interval_text((-0.00049, 0.053), 3) == "-0.0005 to 0.0530"  # not "0.000", beside p = 0.052
    assert interval_text((-0.053, 0.0004), 3, signed=True) == "-0.0530 to 0.0004"
    assert interval_text((0.0, 0.053), 3, signed=True) == "0.000 to 0.053"
    assert estimate_text(0.91, (float("nan"), 1.0), 2) == "0.91"
    assert p_text(0.0213) == "p = 0.021"
    assert listed(["a", "b"]) == "a and b"
    assert listed([]) == ""


def test_latex_has_a_label_and_true_minus_signs():
    table = Table.of("Areas", [{"pair": "x-1 - y", "difference": "-0.02", "interval": "-0.03 to 0.01"}])
    lines = latex_table(table, "tab:areas").split("\n")
    assert lines[:4] == [r"\begin{table}", r"\centering", r"\caption{Areas}", r"\label{tab:areas}"]
    assert r"x-1 - y & $-$0.02 & $-$0.03 to 0.01 \\" in lines


def test_a_long_table_is_printed_as_its_ends():
    table = Table.of("", [{"row": str(row), "square": str(row**2)} for row in range(1601)])
    shown = table.shortened(60)
    assert [row[0] for row in shown.rows] == [*map(str, range(10)), "...", *map(str, range(1591, 1601))]
    assert shown.notes == ("20 of 1,601 rows; to_frame() and rows() have all.",)
    few = Table.of("", [{"row": "1"}] * 60)
    assert few.shortened(60) is few


def test_blocks_of_a_folded_table_name_their_rows():
    rows = [
        {"measure": measure, "sites": "all", "classifier": name, "value": "0.5", "interval": "0.1 to 0.9"}
        for measure in ("auc", "gini")
        for name in ("lda", "knn")
    ]
    blocks = as_text(Table.of("", rows), 32).split("\n\n")
    assert [block.split("\n")[0].split() for block in blocks] == [
        ["measure", "sites", "classifier"],
        ["measure", "classifier", "value"],
        ["measure", "classifier", "interval"],
    ]
    assert blocks[2].split("\n")[2].split() == ["auc", "knn", "0.1", "to", "0.9"]
