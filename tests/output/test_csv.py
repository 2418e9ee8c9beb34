"""CSV output: every value can be read back, and no text becomes a formula in a spreadsheet."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polyroc.output.formats import as_csv

SIGNS = tuple("=+-@\uff1d\uff0b\uff0d\uff20\t\r\n\0")  # OWASP, "CSV Injection", and ASVS 5.0, 1.2.10


def read_back(text):
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


texts = st.one_of(
    st.text(max_size=20), st.builds(str.__add__, st.sampled_from([*SIGNS, " ="]), st.text(max_size=20))
)


@pytest.mark.slow
@given(texts, texts)
@example("a\rb", "c")
@example("a\r\nb", '"')
@example("", "-1")
@example(" =1+1", "\ufeff=1+1")
def test_texts_are_read_back_and_are_no_formula(name, label):
    lines = read_back(as_csv([{"classifier": name, f"p_{label}": label}]))
    assert len(lines) == 2
    for cell, value in zip(lines[1], (name, label), strict=True):
        assert cell in (value, f"'{value}")
        assert not cell.startswith(SIGNS) or is_number(cell)
        assert not cell.lstrip().startswith(SIGNS) or is_number(cell)


@pytest.mark.parametrize("sign", SIGNS)
def test_names_of_columns_are_no_formula_either(sign):
    assert read_back(as_csv([{f"{sign}x": 1}])) == [[f"'{sign}x"], ["1"]]


@pytest.mark.parametrize("value", [-1, -0.5, float("-inf"), 1e-300, None, True, "-1", "-1e-5", "+3"])
def test_numbers_stay_as_they_are(value):
    assert read_back(as_csv([{"x": value, "y": 0}]))[1][0] == ("" if value is None else str(value))


def test_as_the_csv_module_writes():
    rows = [{"a": 0.1 + 0.2, "b": "x,y", "c": 'say "z"', "d": None, "e": False, "f": "line\nline"}]
    expected = io.StringIO(newline="")
    writer = csv.DictWriter(expected, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    assert as_csv(rows) == expected.getvalue().rstrip("\n")
    assert read_back(as_csv([{"a": None}])) == [["a"], [""]]
    with pytest.raises(ValueError, match="the first one does not have"):
        as_csv([{"a": 1}, {"b": 2}])
