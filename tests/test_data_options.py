"""Every verb with every option of the data: the same answer from arrays, tables, files, `Scores` and scans."""

import json
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

import polyroc as pr
from polyroc.errors import InputError, NotApplicableError
from polyroc.validation.option_table import DATA_OPTIONS

RNG = np.random.default_rng(5)
SICK = np.repeat([0, 1], 40)
FRAME = pd.DataFrame(
    {
        "y": np.where(SICK, "sick", "well"),
        "a": np.round(1 / (1 + np.exp(-RNG.normal(2 * SICK - 1))), 3),
        "b": np.round(1 / (1 + np.exp(-RNG.normal(SICK - 0.5))), 3),
        "w": RNG.integers(1, 4, 80),
        "g": np.arange(80) // 2,
        "fold": np.arange(80) % 4,
        "sex": np.where(np.arange(80) % 3, "f", "m"),
    }
)
COLUMNS = {"truth": "y", "scores": {"a": "a", "b": "b"}}
POSITIVE = {"labels": ["well", "sick"]}
VERBS = {
    "evaluate": (pr.evaluate, {"measure": "auc"}),
    "compare": (pr.compare, {"measure": "auc"}),
    "curve": (pr.curve, {}),
    "operate": (pr.operate, {"sensitivity": 0.8, "only": "a"}),
    "rates": (pr.rates, {"threshold": 0.5, "only": "a"}),
    "calibration": (pr.calibration, {"replicates": 50}),
    "decision_curve": (pr.decision_curve, {"thresholds": [0.2, 0.5]}),
    "venkatraman": (pr.curves.venkatraman, {"replicates": 50}),
}
OPTIONS = {
    "nothing": {},
    "sample_weight": {"sample_weight": "w"},
    "frequency": {"sample_weight": "w", "weight_kind": "frequency"},
    "groups": {"groups": "g"},
    "folds": {"folds": "fold"},
    "pooled": {"folds": "fold", "pooled": True},
    "sampling": {"sampling": "case-control"},
    "negate": {"negate": ["b"]},
    "by": {"by": "sex"},
}
KINDS = ("arrays", "frame", "file", "Scores", "scan")


def answer(verb, kind, options, folder):
    """Return the result as plain values, or the class of the error."""
    function, own = VERBS[verb]
    columns = {name: value for name, value in options.items() if isinstance(value, str) and value in FRAME.columns}
    settings = {name: value for name, value in options.items() if name not in columns}
    path = folder / "cases.parquet"
    try:
        if kind == "arrays":
            arrays = {name: FRAME[column].to_numpy() for name, column in columns.items()}
            arrays = {name: {"sex": value} if name == "by" else value for name, value in arrays.items()}
            scores = {name: FRAME[name].to_numpy() for name in ("a", "b")}
            result = function(FRAME["y"].to_numpy(), scores, **POSITIVE, **arrays, **settings, **own)
        elif kind in ("frame", "file"):
            data = FRAME if kind == "frame" else path
            result = function(data, **COLUMNS, **POSITIVE, **options, **own)
        else:
            of_verb = {name: options[name] for name in ("by", "pooled") if name in options}
            read = {name: value for name, value in options.items() if name not in of_verb or name == "by"}
            make = pr.read if kind == "Scores" else pr.scan
            reading = read if kind == "Scores" else options
            exact = {} if kind == "Scores" else {"engine": "duckdb", "exact": True}
            result = function(
                make(path, **COLUMNS, **POSITIVE, **reading, **exact),
                **(of_verb if kind == "Scores" else {}),
                **own,
            )
    except (InputError, NotApplicableError) as error:
        return error
    return json.loads(result.to_json())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("data_options")
    FRAME.to_parquet(place / "cases.parquet")
    return place


def numbers(answer):
    """Return all numbers of a result, by their place in it."""
    if isinstance(answer, dict):
        return [pair for key, value in answer.items() for pair in ((f"{key}.{k}", v) for k, v in numbers(value))]
    if isinstance(answer, list):
        return [(f"{place}.{k}", v) for place, value in enumerate(answer) for k, v in numbers(value)]
    return [("", answer)] if isinstance(answer, int | float) and not isinstance(answer, bool) else []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
@pytest.mark.parametrize(("verb", "option"), [*product(VERBS, OPTIONS)])
def test_the_same_answer_from_all_kinds_of_data(verb, option, folder):
    answers = {kind: answer(verb, kind, OPTIONS[option], folder) for kind in KINDS}
    first = answers["arrays"]
    for kind in ("frame", "file", "Scores"):
        if isinstance(first, Exception):
            assert type(answers[kind]) is type(first), (kind, answers[kind])
        else:
            assert numbers(answers[kind]) == numbers(first), kind
    scanned = answers["scan"]
    if isinstance(scanned, Exception) and not isinstance(
        first, Exception
    ):  # one reason, which names what is missing and what to do
        assert re.search(r"is not available|needs the cases in memory|is not for|one sample", str(scanned)), (
            scanned
        )
    elif verb in ("evaluate", "compare") and not isinstance(scanned, Exception):
        values = dict(numbers(first))
        for place, value in numbers(scanned):
            if place.endswith(("value.", "standard_error.")) and place in values:
                assert value == pytest.approx(values[place], rel=1e-6), place


def test_every_option_of_the_data_is_declared_once():
    declared = {*pr.evaluate.__annotations__["data_options"].__args__[0].__annotations__}
    assert declared | {"by"} == {*DATA_OPTIONS}


@pytest.mark.parametrize("verb", VERBS)
def test_scores_without_columns_are_an_error_that_names_them(verb, folder):
    function, own = VERBS[verb]
    with pytest.raises(InputError, match=r"truth=\.\.\. and scores=\.\.\."):
        function(str(folder / "cases.parquet"), **own)
    with pytest.raises(InputError, match=r"scores is missing"):
        function(folder / "cases.parquet", truth="y", **own)
    with pytest.raises(InputError, match="only valid for files and tables"):
        function([0, 1], {"a": [0.1, 0.2]}, truth="y", **own)
