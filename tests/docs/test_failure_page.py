"""The page "How it fails" states what was measured, and the table of the limits of `polyroc serve` what is set."""

import json
import re
from dataclasses import fields
from pathlib import Path

import make_how_it_fails as made

from fuzz.registry import all_subjects
from polyroc.serve.limits import Limits

ROOT = Path(__file__).parents[2]


def test_the_page_is_made_of_the_stored_figures():
    text = made.PAGE.read_text(encoding="utf-8")
    assert made.filled(text) == text


def test_the_figures_are_those_of_all_subjects():
    results = json.loads(made.FUZZ.read_text(encoding="utf-8"))
    assert list(results["subjects"]) == list(all_subjects())
    for name, figure in results["subjects"].items():
        stated = (all_subjects()[name].fault, all_subjects()[name].promise, all_subjects()[name].test)
        assert (figure["fault"], figure["promise"], figure["test"]) == stated
        assert figure["tried"] == figure["rejected"] + figure["accepted"] + figure["failed"]
        assert (ROOT / figure["test"]).exists()


def test_no_failure_is_known():
    results = json.loads(made.FUZZ.read_text(encoding="utf-8"))
    assert {name: figure["failures"] for name, figure in results["subjects"].items() if figure["failed"]} == {}
    calls = json.loads(made.CALLS.read_text(encoding="utf-8"))["kinds"]
    assert {name: row["failed"] for name, row in calls.items() if row["failed"]} == {}
    assert set(calls) <= set(made.CALL_ROWS)


def test_the_limits_of_serve_are_listed_with_their_defaults():
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(--[\w-]+) (\w+)` \| ([\d,]+) \| (.+) \|$", page, flags=re.MULTILINE)
    stated = [(limit.metadata, limit.default) for limit in fields(Limits)]
    assert listed == [
        (terms["option"], terms["unit"], f"{default // terms['size']:,.0f}", terms["help"].rstrip("."))
        for terms, default in stated
    ]
