"""Today's answers and stored files are those that were recorded (see `golden`)."""

import json
import warnings

import numpy as np
import pytest

import polyroc as pr
from golden import decisions, files, fronts, inputs, record, studies
from golden.answers import ANSWERS, answer
from golden.decisions import RULES
from golden.files import FRONTS, PLAN, RESULTS, ROWS, STORED
from golden.fronts import CLASSIFIERS
from golden.inputs import TALLIES
from golden.plain import differences, message, plain
from polyroc.measures import MEASURES
from polyroc.results import Result

RECORDED = record.read_answers()


def require_same(name, recorded, computed):
    found = sorted(differences(recorded, computed), key=lambda each: each[0])
    assert not found, message(name, found)


def text_of(name):
    return (STORED / name).read_text(encoding="utf-8")


# Answers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ANSWERS)
def test_answer_is_the_recorded_one(name):
    require_same(name, RECORDED[name], answer(name))


def test_every_recorded_answer_is_computed():
    assert RECORDED.keys() == ANSWERS.keys()


def test_every_measure_is_recorded():
    evaluated = {
        estimate["measure"].split("(")[0]
        for name, each in RECORDED.items()
        for estimate in _estimates(each["answer"])
        if name.startswith("evaluate/")
    }
    assert evaluated == set(MEASURES)


def _estimates(node):
    """The estimates anywhere inside an answer."""
    if isinstance(node, dict):
        if node.get("kind") == "Estimate":
            yield node
        for each in node.values():
            yield from _estimates(each)
    elif isinstance(node, list):
        for each in node:
            yield from _estimates(each)


# Stored files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RESULTS)
def test_stored_result_is_read_and_written_again(name):
    stored = text_of(f"{name}.json")
    again = RESULTS[name].read(stored).to_dict()
    require_same(name, json.loads(stored), json.loads(json.dumps(again, allow_nan=False)))


@pytest.mark.parametrize("name", RESULTS)
def test_stored_result_has_the_recorded_rows(name):
    recorded = json.loads(ROWS.read_text(encoding="utf-8"))
    require_same(f"rows of {name}", recorded[name], record.read_rows(name))


@pytest.mark.parametrize("name", RESULTS)
def test_stored_result_is_what_is_computed_now(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        computed = RESULTS[name].make()
    require_same(name, plain(json.loads(text_of(f"{name}.json"))), plain(computed))


def test_every_kind_of_result_is_stored():
    for name in pr.__all__:
        getattr(pr, name)  # a class is known only after its module is imported
    kinds = {
        each.__name__
        for each in _subclasses(Result)
        if each.__module__.startswith("polyroc.") and not each.__abstractmethods__
    }
    assert kinds - {each.kind.__name__ for each in RESULTS.values()} == set()


def _subclasses(kind):
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


@pytest.mark.parametrize("name", RULES)
def test_stored_rule_decides_as_recorded(name):
    stored = text_of(f"rule_{name}.json")
    rule = pr.Rule.from_json(stored)
    require_same(f"rule {name}", RECORDED[f"rule/{name}"]["answer"], plain(decisions.rule_answers(name, rule)))
    assert rule.to_json() == stored


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_stored_classifier_decides_as_recorded(name):
    stored = text_of(f"classifier_{name}.json")
    classifier = pr.PointClassifier.from_json(stored)
    recorded = RECORDED[f"classifier/{name}"]["answer"]
    require_same(f"classifier {name}", recorded, plain(fronts.classifier_answers(classifier)))
    assert json.loads(classifier.to_json()) == json.loads(stored)


@pytest.mark.parametrize("name", TALLIES)
def test_stored_tally_evaluates_as_recorded(name):
    stored = pr.Tally.from_bytes((STORED / f"tally_{name}.bin").read_bytes())
    again = pr.Tally.from_bytes(stored.to_bytes())  # bytes may differ between versions of zlib
    for tally in (stored, again):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            computed = plain(inputs.tally_answers(tally, TALLIES[name]))
        require_same(f"tally {name}", RECORDED[f"tally/{name}"]["answer"], computed)


@pytest.mark.parametrize("name", FRONTS)
def test_stored_front_is_read_and_written_again(name, tmp_path):
    front = pr.Front.load(STORED / name)
    require_same(name, plain(FRONTS[name]()), plain(front))
    front.save(tmp_path / name)
    assert _content(tmp_path / name) == _content(STORED / name)


def _content(path):
    """What a stored front holds; the bytes of a compressed file may differ between versions of zlib."""
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    with np.load(path) as arrays:
        return {name: (each.dtype.str, each.tolist()) for name, each in arrays.items()}


def test_stored_study_is_read_and_resumed(tmp_path):
    recorded = {**RECORDED["study/run"]["answer"]}
    recorded.pop("report")
    path = files.unpack_study(tmp_path)
    study = pr.Study.open(path)
    require_same("study", recorded, plain(studies.study_answers(study)))
    times = study.fit_times()
    resumed = studies.run_study(path)  # nothing is left to do, so no fit is made again
    require_same("resumed study", recorded, plain(studies.study_answers(resumed)))
    assert resumed.fit_times() == times


def test_stored_plan_is_read_and_written_again():
    plan = pr.Plan.read(STORED / PLAN)
    assert plan == pr.Plan.from_dict(studies.PLAN)
    assert plan.to_toml() == text_of(PLAN)


def test_every_stored_file_is_known():
    assert {path.name for path in STORED.iterdir()} == files.contents().keys()


# The comparison itself ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recorded", "computed", "path"),
    [
        ({"a": [1.0, 2.0]}, {"a": [1.0, 2.0 + 4e-9]}, ".a[1]"),
        ({"a": "text"}, {"a": "Text"}, ".a"),
        ({"a": 1}, {"b": 1}, ".a"),
        ({"a": True}, {"a": 1}, ".a"),
        ({"a": None}, {"a": 0.0}, ".a"),
        ({"a": [1, 2]}, {"a": [1, 2, 3]}, ".a"),
    ],
)
def test_comparison_names_the_first_difference(recorded, computed, path):
    found = sorted(differences(recorded, computed), key=lambda each: each[0])
    assert found[0][0] == path
    assert path in message("name", found)


def test_comparison_allows_rounding_only():
    assert not list(differences({"a": [0.1 + 0.2, 0.0]}, {"a": [0.3, 1e-13]}))


def test_long_arrays_are_compared_by_their_sums():
    numbers = [float(k % 7) for k in range(100)]
    swapped = [numbers[1], numbers[0], *numbers[2:]]
    assert list(differences(plain(numbers), plain(swapped)))
