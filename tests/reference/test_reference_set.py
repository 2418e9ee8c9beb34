"""The reference set is what its definitions give, polyroc answers it, and a wrong answer is noticed."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import jsonschema
import pytest

import polyroc as pr
from polyroc.measures.registry import MEASURES

ROOT = Path(__file__).parents[2]
SETS = ROOT / "reference" / "sets"
# The answers of the others take seconds; reference/build.py --check makes them again, every night.
QUICK = (
    "ratings",
    "weights",
    "eight",
    "couples",
    "constant",
    "signed_zero",
    "three_couples",
    "three_patients",
    "four",
)
# p-values of random rearrangements, which polyroc has not exactly
RANDOM = ("permutation(measure=auc) p_value", "venkatraman p_value")
LEAST_DIGITS = 10  # a z near 0 has fewer digits than the two values whose difference it is


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
    assert len(paths) == 47
    for path in paths:
        validator.validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.slow
def test_files_are_what_the_definitions_give(scripts):
    build = scripts("build")
    for cases in build.all_cases():
        assert (SETS / f"{cases.name}.csv").read_text(encoding="utf-8") == build.table_of(cases)
        if cases.name in QUICK:
            stored = json.loads((SETS / f"{cases.name}.json").read_text(encoding="utf-8"))
            assert build.answers(cases) == stored
    for table in build.all_values():
        assert (SETS / f"{table.name}.csv").read_text(encoding="utf-8") == table.text()
        stored = json.loads((SETS / f"{table.name}.json").read_text(encoding="utf-8"))
        assert build.answers_of_values(table) == stored


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
@pytest.mark.filterwarnings("ignore::polyroc.errors.PolyrocWarning")
def test_polyroc_answers_every_item(scripts):
    adapter, certify, program = scripts("adapter"), scripts("certify"), scripts("polyroc_program")
    lines = adapter.lines(program.answer, SETS, largest=100_000)
    rows = [row for row in certify.agreements("\n".join(lines)) if row.data != "recipe_10000000"]
    missing = [row for row in rows if row.answer is None]
    titles = {row.item.partition(" of ")[0] for row in missing}
    assert titles == {"auc infinitesimal_jackknife", *RANDOM}
    few = [row for row in rows if row.answer and (row.digits is None or row.digits < LEAST_DIGITS)]
    assert few == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::polyroc.errors.PolyrocWarning")
def test_random_rearrangements_have_the_exact_p_value(scripts):
    """The share of n random rearrangements, within four standard errors of the share of all."""
    n, items = 300, 0
    for path in sorted(SETS.glob("*.json")):
        facts = json.loads(path.read_text(encoding="utf-8"))
        for item in facts["items"]:
            if item["statistic"] != "p_value" or item["quantity"] not in ("permutation", "venkatraman"):
                continue
            items += 1
            cases = scripts("polyroc_program").scores(item, scripts("adapter").load(SETS, facts))
            if item["quantity"] == "permutation":
                answer = pr.compare(cases, measure="auc", method=pr.methods.Permutation(replicates=n)).pvalue
            else:
                answer = pr.curves.venkatraman(cases, replicates=n).pair(*item["classifiers"]).pvalue
            p = float(item["value"])
            assert abs(answer - (1 + n * p) / (1 + n)) <= 4 * (p * (1 - p) / n) ** 0.5 + 1e-9, (path.name, item)
    assert items == 9


def statistics_by_quantity():
    """By quantity, the statistics that the set has answers to."""
    statistics = {}
    for path in SETS.glob("*.json"):
        for item in json.loads(path.read_text(encoding="utf-8"))["items"]:
            statistics.setdefault(item["quantity"], set()).add(item["statistic"])
    return statistics


def without_answer():
    """The names in the table of the README of what has no answer."""
    text = (ROOT / "reference" / "README.md").read_text(encoding="utf-8").partition("## Without an answer")[2]
    return set(re.findall(r"`([\w.-]+)`", text.partition("## Make it again")[0]))


@pytest.mark.parametrize("key", MEASURES)
def test_every_measure_has_values_variances_and_tests(key):
    """A new measure needs exact answers, or a row in the table of the README."""
    if key in without_answer():
        return
    statistics = {"value", "variance", "covariance", "z", "p_value"}
    if MEASURES[key].prevalence:
        statistics.add("cohort_variance")
    assert statistics_by_quantity()[key] >= statistics


METHODS_AND_TESTS = {
    "DeLong": ("auc", "z"),
    "Influence": ("auc", "variance"),
    "Unbiased": ("auc", "unbiased_variance"),
    "Jackknife": ("average_precision", "jackknife_variance"),
    "HanleyMcNeil": ("auc", "hanley_mcneil_variance"),
    "McNemar": ("accuracy", "mcnemar_p_value"),
    "Permutation": ("permutation", "p_value"),
    "CurveTest": ("venkatraman", "p_value"),
    "ReaderStudy": ("reader_study", "p_value"),
    "in_the_large": ("calibration_in_the_large", "variance"),
    "slope": ("calibration_slope", "variance"),
    "joint": ("calibration", "p_value"),
    "spiegelhalter": ("spiegelhalter", "p_value"),
    "decomposition": ("brier_miscalibration", "value"),
    "holm": ("accuracy", "mcnemar_p_value"),
    "bonferroni": ("accuracy", "mcnemar_p_value"),
    "benjamini-hochberg": ("accuracy", "mcnemar_p_value"),
}


def test_every_method_and_test_has_an_answer_or_a_reason():
    from typing import get_args

    from polyroc.estimates.multiplicity import Adjustment
    from polyroc.inference.methods import METHODS
    from polyroc.reliability.result import EventCalibration
    from polyroc.studies import summaries

    facts = {"predicted", "observed", "curve", "undefined", "smooth", "log_loss", "spherical"}  # no tests
    names = {kind.__name__ for kind in METHODS.values()} | {"CurveTest", "ReaderStudy"} | {*summaries.__all__}
    names |= {*get_args(Adjustment)} | {field.name for field in fields(EventCalibration)} - facts
    answered, reasons = statistics_by_quantity(), without_answer()
    for name in sorted(names):
        quantity, statistic = METHODS_AND_TESTS.get(name, (name, "p_value"))
        has = statistic in answered.get(quantity, ()) or "probability" in answered.get(quantity, ())
        assert has != (name in reasons), f"{name} needs an answer, or a row in the README that says why not"


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


def test_what_is_no_number_is_an_error(scripts):
    certify = scripts("certify")
    rows = certify.agreements("plain,0,NA\nplain,1,error: two, not one\n")
    assert [row.answer for row in rows if row.answer] == ["error: not a number: NA", "error: two, not one"]
    assert certify.table(rows).count("error:") == 2


def test_lines_that_name_no_item_are_reported(scripts):
    certify = scripts("certify")
    assert certify.lines_without_item("plain,0,1\n\nplain, 1 ,error: two, not one\n") == []
    wrong = ["Loading", "plane,0,1", "plain,100000,1", "plain,first,1"]
    assert certify.lines_without_item("\n".join(["plain,0,1", *wrong])) == wrong


def test_options_are_explained():
    text = (ROOT / "reference" / "README.md").read_text(encoding="utf-8")
    items = [
        item for path in SETS.glob("*.json") for item in json.loads(path.read_text(encoding="utf-8"))["items"]
    ]
    names = {name for item in items for name in item.get("options", {})}
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []


@pytest.mark.slow
def test_the_folder_alone_certifies_the_program_of_the_specification(tmp_path):
    """A stranger copies reference/ and the program of its README into an empty folder."""
    shutil.copytree(ROOT / "reference", tmp_path / "reference", ignore=shutil.ignore_patterns("__pycache__"))
    text = (ROOT / "reference" / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "mine.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-I", "reference/certify.py", sys.executable, "-I", "mine.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall(r"(\w+) +value +\d+ +(\d+) +(\S+)", done.stdout) == [
        ("lower", "11", "15.0"),
        ("average", "28", "15.0"),
        ("higher", "6", "15.0"),
    ]


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
    for page in ("README.md", "reference/README.md", "docs/by_hand/index.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert f"{items:,}" in text, page
        if page == "README.md":
            assert f"{answered:,}" in text
    assert min(kind["least"] for kind in kinds if kind["answered"]) >= 10  # digits, as the README says
