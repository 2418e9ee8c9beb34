"""The reference set is what its definitions give, polyroc answers it, and a wrong answer is noticed."""

import json
import sys
from importlib import import_module
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
SETS = ROOT / "reference" / "sets"
# Components of the largest sets take seconds; they are made again by reference/build.py --check.
LONG = ("twenty", "ordered_twenty", "recipe_10000000")
LEAST_DIGITS = 10.5  # a z near 0 has fewer digits than the two values whose difference it is


@pytest.fixture(scope="module")
def scripts():
    """The modules of reference/, which is no package."""
    folders = [str(ROOT / "reference"), str(ROOT / "reference" / "programs")]
    sys.path[:0] = folders
    yield import_module
    for folder in folders:
        sys.path.remove(folder)


def test_files_follow_the_schema():
    schema = json.loads((ROOT / "reference" / "schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    paths = sorted(SETS.glob("*.json"))
    assert len(paths) == 43
    for path in paths:
        validator.validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.slow
def test_files_are_what_the_definitions_give(scripts):
    build = scripts("build")
    for cases in build.all_cases():
        assert (SETS / f"{cases.name}.csv").read_text(encoding="utf-8") == build.table_of(cases)
        if cases.name not in LONG:
            stored = json.loads((SETS / f"{cases.name}.json").read_text(encoding="utf-8"))
            assert build.answers(cases) == stored


def test_the_recipe_in_integers_is_the_definition(scripts):
    cases, definitions = scripts("cases"), scripts("definitions")
    y, s = cases.large(60)
    w = [definitions.Fraction(1)] * 60
    scores = [definitions.Fraction(v) for v in s]
    value, variance = cases.large_auc(60)
    assert value == definitions.auc(y, scores, w)
    columns = definitions.components(lambda v: definitions.auc(y, scores, v), y, w)
    assert variance == definitions.covariance(columns, columns, y, w)


@pytest.mark.slow
@pytest.mark.peer(
    "reference/definitions.py", "exact values, variances and tests of the reference set, in rational arithmetic"
)
def test_polyroc_answers_every_item(scripts):
    adapter, certify, program = scripts("adapter"), scripts("certify"), scripts("polyroc_program")
    lines = adapter.lines(program.answer, SETS, largest=100_000)
    rows = [row for row in certify.agreements("\n".join(lines)) if row.data != "recipe_10000000"]
    missing = [row for row in rows if row.answer is None]
    assert {certify.statistic_of(row) for row in missing} == {"infinitesimal_jackknife", "chi_square"}
    few = [row for row in rows if row.answer and (row.digits is None or row.digits < LEAST_DIGITS)]
    assert few == []


def test_a_wrong_answer_and_an_error_are_listed(scripts):
    certify = scripts("certify")
    rows = certify.agreements("plain,0,0.5\nplain,1,error: too difficult\nratings,0,nan\n")
    by_name = {(row.data, row.item): row for row in rows}
    assert by_name["plain", "auc value of a"].digits == pytest.approx(0.43, abs=0.01)  # 19/24 and 1/2
    assert by_name["plain", "auc variance of a"].digits is None
    assert by_name["ratings", "auc value of a"].digits == 0
    text = certify.table(rows)
    assert "plain: auc value of a = 0.79166666666666666667, the program says 0.5" in text
    assert "error: too difficult" in text


@pytest.mark.parametrize(
    ("answer", "certified", "digits"),
    [
        ("0.1", "0.1", 15),
        ("0.1001", "0.1", 3),
        ("0", "0", 15),
        ("1e-12", "0", 12),
        ("inf", "1", 0),
        ("-1", "1", 0),
    ],
)
def test_digits(scripts, answer, certified, digits):
    assert scripts("certify").digits_of(answer, certified) == pytest.approx(digits, abs=0.001)


def test_the_certificate_is_made_of_the_stored_results():
    import make_certificate

    text = make_certificate.PAGE.read_text(encoding="utf-8")
    assert make_certificate.filled(text) == text


def test_pages_say_how_many_answers_there_are():
    stored = json.loads((ROOT / "reference" / "results" / "polyroc.json").read_text(encoding="utf-8"))
    kinds = stored["statistics"].values()
    items, answered = (sum(kind[name] for kind in kinds) for name in ("items", "answered"))
    assert items == sum(len(json.loads(path.read_text(encoding="utf-8"))["items"]) for path in SETS.glob("*.json"))
    for page in ("README.md", "CHANGELOG.md", "reference/README.md", "docs/by_hand/index.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert f"{items:,}" in text, page
        if page in ("README.md", "CHANGELOG.md"):
            assert f"{answered:,}" in text
    assert min(kind["least"] for kind in kinds if kind["answered"]) >= 10  # digits, as the README says
