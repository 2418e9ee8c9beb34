"""Today's answers and stored files are those that were recorded (see `golden`)."""

import json
import warnings
from importlib.metadata import version

import numpy as np
import pytest

import polyroc as pr
from golden import decisions, files, fronts, inputs, record, studies
from golden.answers import ANSWERS, answer
from golden.decisions import RULES
from golden.files import FRONTS, PLAN, RESULTS, STORED
from golden.fronts import CLASSIFIERS
from golden.inputs import TALLIES
from golden.plain import differences, message, plain
from polyroc._results.result import Result
from polyroc.measures.registry import MEASURES

RECORDED = record.read_answers()


def require_same(name, recorded, computed):
    changes = sorted(differences(recorded, computed), key=lambda change: change[0])
    assert not changes, message(name, changes)


def text_of(name):
    return (STORED / name).read_text(encoding="utf-8")


# Answers --------------------------------------------------------------------------------------------------------


SEARCHED = (
    *("front/three", "front/volumes", "front/volume_numbers", "front/volumes_of_cases", "report/three"),
    "FrontVolumes_jackknife",
)


def skip_other_solutions(name):
    """With another solution of a linear program, the search for costs continues elsewhere."""
    if (name in SEARCHED or name.startswith("FrontVolumes")) and version("scipy") < "1.17":
        pytest.skip("the linear programs of scipy before 1.17 have other solutions")


def marked(name):
    """The name of an answer; a search of costs is marked as slow."""
    return pytest.param(name, marks=pytest.mark.slow) if name in SEARCHED else name


@pytest.mark.parametrize("name", [marked(name) for name in ANSWERS])
def test_answer_is_the_recorded_one(name):
    skip_other_solutions(name)
    require_same(name, RECORDED[name], answer(name))


def test_every_recorded_answer_is_computed():
    assert RECORDED.keys() == ANSWERS.keys()


def test_every_measure_is_recorded():
    evaluated = {
        estimate["measure"].split("(")[0]
        for name, recorded in RECORDED.items()
        for estimate in _estimates(recorded["answer"])
        if name.startswith("evaluate/")
    }
    assert evaluated == set(MEASURES)


def _estimates(node):
    """The estimates anywhere inside an answer."""
    if isinstance(node, dict):
        if node.get("kind") == "Estimate":
            yield node
        for inner in node.values():
            yield from _estimates(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _estimates(inner)


# Stored files ---------------------------------------------------------------------------------------------------


def without_sentences(node):
    """Plain data without the sentences of reports, which are written anew from the stored results."""
    if isinstance(node, list):
        return [without_sentences(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    sentences = ("conclusion", "cautions", "methods") if node.get("kind") == "Report" else ()
    return {key: without_sentences(inner) for key, inner in node.items() if key not in sentences}


@pytest.mark.parametrize("name", RESULTS)
def test_stored_result_is_read_and_written_again(name):
    again = json.loads(json.dumps(files.read_result(name).to_dict(), allow_nan=False))
    require_same(name, without_sentences(json.loads(files.result_text(name))), without_sentences(again))


@pytest.mark.parametrize("name", [marked(name) for name in RESULTS])
def test_stored_result_is_what_is_computed_now(name):
    skip_other_solutions(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        computed = plain(RESULTS[name].make())
    require_same(name, plain(files.read_result(name)), computed)


def test_every_kind_of_result_is_stored():
    for name in pr.results.__all__:
        getattr(pr.results, name)  # a class is known only after its module is imported
    kinds = {
        kind.__name__
        for kind in _subclasses(Result)
        if kind.__module__.startswith("polyroc.") and not kind.__abstractmethods__
    }
    assert kinds - {stored.kind.__name__ for stored in RESULTS.values()} == set()


def _subclasses(kind):
    for derived in kind.__subclasses__():
        yield derived
        yield from _subclasses(derived)


@pytest.mark.parametrize("name", RULES)
def test_stored_rule_decides_as_recorded(name):
    stored = text_of(f"rule_{name}.json")
    rule = pr.Rule.from_json(stored)
    require_same(f"rule {name}", RECORDED[f"rule/{name}"]["answer"], plain(decisions.rule_answers(name, rule)))
    assert rule.to_json() == stored


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_stored_classifier_decides_as_recorded(name):
    stored = text_of(f"classifier_{name}.json")
    classifier = pr.fronts.PointClassifier.from_json(stored)
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
    front = pr.results.Front.load(STORED / name)
    if name != "front.json":  # stored when all costs of a fixed classifier's front were drawn
        require_same(name, plain(FRONTS[name]()), plain(front))
    front.save(tmp_path / name)
    assert _content(tmp_path / name) == _content(STORED / name)


def _content(path):
    """What a stored front holds; the bytes of a compressed file may differ between versions of zlib."""
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    with np.load(path) as arrays:
        return {name: (array.dtype.str, array.tolist()) for name, array in arrays.items()}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*was started with other versions")
def test_stored_study_is_read_and_resumed(tmp_path):
    recorded = {**RECORDED["study/run"]["answer"]}
    recorded.pop("report")
    path = files.unpack_study(tmp_path)
    study = pr.results.Study.open(path)
    require_same("study", recorded, plain(studies.study_answers(study)))
    times = study.fit_times()
    resumed = studies.run_study(path)  # all fits are stored, so none is repeated
    require_same("resumed study", recorded, plain(studies.study_answers(resumed)))
    assert resumed.fit_times() == times


def test_stored_plan_is_read_and_written_again():
    plan = pr.Plan.read(STORED / PLAN)
    assert plan == pr.Plan.from_dict(studies.PLAN)
    assert pr.Plan.from_toml(plan.to_toml()) == plan


def test_every_stored_file_is_known():
    assert set(STORED.iterdir()) == files.contents().keys()


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
    changes = sorted(differences(recorded, computed), key=lambda change: change[0])
    assert changes[0][0] == path
    assert path in message("name", changes)


def test_comparison_allows_rounding_only():
    assert not list(differences({"a": [0.1 + 0.2, 0.0]}, {"a": [0.3, 1e-13]}))


def test_long_arrays_are_compared_by_their_sums():
    numbers = [float(k % 7) for k in range(100)]
    swapped = [numbers[1], numbers[0], *numbers[2:]]
    assert list(differences(plain(numbers), plain(swapped)))
