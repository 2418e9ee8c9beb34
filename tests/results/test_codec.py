"""The codec of results: layout, round trips, damaged data, pickle and copies, data frames."""

import contextlib
import copy
import json
import pickle
import sys
import warnings
from collections.abc import Callable
from dataclasses import is_dataclass, make_dataclass
from math import inf, nan
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import TypeAliasType

import polyroc as pr
from golden import files
from golden.data import DATA
from golden.files import RESULTS
from golden.plain import differences, plain
from golden.registry import METHODS
from packages import package
from polyroc._results.codec import Known, Record, _decode, _stored_fields, encode_fields
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.errors import InputError, MissingPackageError, PolyrocError
from polyroc.estimates.bootstrap_intervals import Resampled
from strategies import at_most

NAMES = [name for name, stored in RESULTS.items() if issubclass(stored.kind, Result)]


def stored(name):
    return json.loads(files.result_text(name))


# Layout ---------------------------------------------------------------------------------------------------------


def test_nan_is_null_and_infinities_are_text():
    comparison = pr.compare_measures("auc", "accuracy", positives=2, negatives=2)
    assert comparison.discriminancy == inf
    assert comparison.to_dict()["discriminancy"] == "inf"
    estimate = DATA["two_classes"].call(pr.evaluate, measure="auc", method=None)
    assert estimate.to_dict()["standard_error"] is None
    assert np.isnan(pr.results.Estimate.from_dict(estimate.to_dict()).standard_error)
    curve = DATA["two_classes"].call(pr.curve)
    assert curve.to_dict()["thresholds"][0] == "inf"
    assert pr.results.Curve.from_json(curve.to_json()).thresholds[0] == inf


def test_mappings_by_several_names_are_lists_with_a_key():
    evaluation = DATA["two_classifiers"].call(pr.evaluate, measure=["auc", "gini"]).to_dict()
    assert evaluation["estimates"][0]["key"] == ["strong", "auc"]
    comparison = DATA["two_classifiers"].call(pr.compare, measure="auc").to_dict()
    assert comparison["differences"][0]["key"] == ["strong", "fair"]
    assert list(comparison["estimates"]) == ["strong", "fair", "weak"]
    point = files.read_result("OperatingPoint_at_most").to_dict()
    assert point["at_most"] == [{"key": ["1", "0"], "value": 0.3}]
    assert files.read_result("OperatingPoint").to_dict()["at_most"] == []


@pytest.mark.parametrize("name", NAMES)
def test_level_is_stored_where_something_depends_on_it(name):
    result = files.read_result(name)
    if name.startswith("Report"):
        return  # a report has a level of its own
    at_90, at_95 = result.to_dict(0.9), result.to_dict(0.95)
    if _without_inner_results(at_90) != _without_inner_results(at_95):
        assert at_90["level"] == 0.9


def _without_inner_results(node, inside=False):
    if isinstance(node, dict):
        if inside and ("schema" in node or "level" in node):  # which states its own
            return None
        return {name: _without_inner_results(inner, True) for name, inner in node.items() if name != "level"}
    return [_without_inner_results(inner, True) for inner in node] if isinstance(node, list) else node


def test_values_for_readers_of_json():
    """What follows from the fields is written, and not needed to read the data."""
    comparison = DATA["two_classifiers"].call(pr.compare, measure="auc")
    data = comparison.to_dict(0.9)
    (pair, difference), *_ = comparison.differences.items()
    row = data["differences"][0]
    assert row["confidence_interval"] == list(difference.confidence_interval(0.9))
    assert row["simultaneous_interval"] == list(difference.simultaneous_interval(0.9))
    for row in data["differences"]:
        del row["confidence_interval"], row["simultaneous_interval"]
    del data["conclusion"]
    assert pr.results.Comparison.from_dict(data).difference(*pair) == difference


def test_a_piece_of_a_result_can_be_read_alone():
    data = DATA["two_classifiers"].call(pr.evaluate, measure=["auc", "gini"]).to_dict()
    estimate = pr.results.Estimate.from_dict(data["estimates"][1])
    assert (estimate.measure, estimate.classifier) == ("gini", "strong")


def test_labels_that_json_does_not_have_become_text():
    class Day:
        def __str__(self):
            return "Monday"

    grouped = pr.results.Grouped(("day",), {(Day(),): DATA["two_classes"].call(pr.evaluate, measure="auc")})
    again = pr.results.Grouped.from_dict(json.loads(json.dumps(grouped.to_dict())))
    assert list(again) == [("Monday",)]


def test_numpy_numbers_are_plain():
    provenance = Provenance({"a": np.int64(3)}, None)
    assert json.loads(json.dumps(encode_fields(provenance, 0.95)))["cases"] == {"a": 3}


def test_every_stored_field_has_a_decoder():
    """On the newest Python too, where libraries may have made their aliases opaque to `typing.get_args`."""
    records = [kind for kind in subclasses(Record) if is_dataclass(kind)]
    assert len(records) > 80
    stored = [field for kind in records for field in _stored_fields(kind) if not field.storage.get("decode")]
    hints = [hint for field in stored for hint in leaves(field.hint)]
    assert len(hints) > 200
    for hint in hints:
        with pytest.raises(InputError):  # and no TypeError
            _decode(hint, object(), "here")


def leaves(hint):
    """The types inside of a type hint that the codec reads one by one."""
    if get_origin(hint) in (None, Literal, np.ndarray):
        return () if hint in (NoneType, Ellipsis) else (hint,)
    inner = get_args(hint)[1:] if get_origin(hint) is Callable else get_args(hint)
    return [leaf for member in inner for leaf in leaves(member)]


def subclasses(kind):
    return {kind, *(further for own in kind.__subclasses__() for further in subclasses(own))}


def test_an_alias_that_get_args_does_not_see_through_is_an_error():
    """As numpy 2.5 makes of NDArray; it must not be read as a label."""
    alias = TypeAliasType("Numbers", np.ndarray[Any, np.dtype[np.float64]])
    stored = make_dataclass("Stored", [("numbers", alias)], bases=(Record,), frozen=True)
    with pytest.raises(TypeError, match=r"no decoder for the type hint .*Numbers"):
        stored.from_dict({"numbers": [1.0]})


# Round trips ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_json_round_trip(name):
    result = files.read_result(name)
    text = result.to_json()
    assert type(result).from_json(text).to_json() == text
    assert "NaN" not in text
    assert "Infinity" not in text


def test_a_field_with_a_default_may_be_absent():
    data = stored("Estimate")
    for name in ("converted", "monte_carlo_error", "certificate", "boundary", "parts"):
        del data[name]
    assert pr.results.Estimate.from_dict(data).converted is None


# Damaged data ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "Curve"}, "Expected a stored Estimate of schema 1, got kind 'Curve' of schema 1"),
        ({"schema": 99}, "got kind 'Estimate' of schema 99; it may come from another version"),
        ({"schema": True}, "of schema True"),
        ({"value": "high"}, "Expected a number for Estimate.value, got 'high'"),
        ({"value": True}, "Expected a number for Estimate.value, got True"),
        ({"measure": 3}, "Expected a text for Estimate.measure, got 3"),
        ({"limits": [0.0]}, r"Expected a list of 2 for Estimate.limits, got \[0.0\]"),
        ({"limits": [0.0, []]}, r"Expected a number for Estimate.limits\[1\], got \[\]"),
        ({"provenance": None}, r"Expected an object \(Provenance\) for Estimate.provenance, got None"),
        ({"provenance": {}}, "Estimate.provenance has no entry 'cases'"),
        (
            {"resampled": {"kind": "jackknife", "replicates": [], "acceleration": 0}},
            "one of 'guarded'",
        ),
        ({"parts": [1]}, "Expected an object of objects for Estimate.parts"),
        ({"parts": {"a": {"value": "x"}}}, "Expected a number for Estimate.value, got 'x'"),
        (
            {"certificate": {"low": 0, "high": 1, "passes": 1.5, "rows": 2}},
            "whole number for .*passes",
        ),
    ],
)
def test_errors_name_the_entry(change, message):
    with pytest.raises(InputError, match=message):
        pr.results.Estimate.from_dict({**stored("Estimate"), **change})


def test_missing_entries_and_other_data():
    data = stored("Estimate")
    del data["standard_error"]
    with pytest.raises(InputError, match="Estimate has no entry 'standard_error'"):
        pr.results.Estimate.from_dict(data)
    for other in (None, 3, [], "Estimate", {}):
        with pytest.raises(InputError, match="Expected a stored Estimate"):
            pr.results.Estimate.from_dict(other)
    for text in ("{", b"\xff", "[" * 100_000):
        with pytest.raises(InputError, match="Expected JSON text"):
            pr.results.Estimate.from_json(text)


def test_parts_that_do_not_fit_together():
    data = stored("Comparison")
    del data["differences"][1]
    with pytest.raises(InputError, match="This stored Comparison is damaged: its parts do not fit together"):
        pr.results.Comparison.from_dict(data)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=True),
    st.text(max_size=5),
    st.builds(list),  # a new one each time: damage may go into it
    st.builds(dict),
    st.builds(lambda: [[1.0], [1.0, 2.0]]),
    st.builds(lambda: {"kind": "Estimate", "schema": 1}),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", files.RESULTS)
@given(data=st.data())
@at_most(15)
def test_damaged_data_raise_errors_of_polyroc(name, data):
    damaged = json.loads(files.result_text(name))
    for _ in range(data.draw(st.integers(1, 3))):
        _damage(damaged, data)
    with contextlib.suppress(PolyrocError):
        RESULTS[name].kind.from_dict(damaged)


def _damage(node, data):
    """Remove or replace an entry at a random place."""
    while True:
        places = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not places:
            return
        place = data.draw(st.sampled_from(places))
        inner = node[place]
        if isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
            node = inner
            continue
        if data.draw(st.booleans()):
            del node[place]
        else:
            node[place] = copy.deepcopy(data.draw(JUNK))  # `just` draws one and the same list
        return


# Pickle and copies ----------------------------------------------------------------------------------------------


def copies(result):
    return [pickle.loads(pickle.dumps(result)), copy.deepcopy(result), copy.copy(result)]


@pytest.mark.parametrize("name", NAMES)
def test_pickle_and_copies_are_the_same(name):
    """As computed, with fields that are made when they are first needed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = RESULTS[name].make()
    for again in copies(result):
        assert not list(differences(plain(result), plain(again)))


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("two_classes", {"measure": "auc"}),
        ("three_weighted", {"measure": "hand_till"}),
        ("two_probabilities", {"measure": "accuracy"}),
        ("three", {"measure": "hand_till", "method": METHODS["bootstrap_percentile"]}),
    ],
)
def test_pickle_and_copies_keep_components_and_parts(data, options):
    result = DATA[data].call(pr.evaluate, **options)
    estimates = list(result.estimates.values()) if isinstance(result, pr.results.Evaluation) else [result]
    for again in copies(result):
        repeated = list(again.estimates.values()) if isinstance(again, pr.results.Evaluation) else [again]
        for estimate, same in zip(estimates, repeated, strict=True):
            np.testing.assert_array_equal(same.components, estimate.components)
            assert list(same.parts) == list(estimate.parts)
            for key, part in estimate.parts.items():
                assert same.parts[key].value == part.value
                np.testing.assert_array_equal(same.parts[key].components, part.components)


def test_components_are_pickled_also_if_they_were_not_computed():
    estimate = DATA["two_classes"].call(pr.evaluate, measure="auc")
    text = pickle.dumps(estimate)
    np.testing.assert_array_equal(pickle.loads(text).components, estimate.components)


def test_deep_copies_share_no_array():
    rates = DATA["three_weighted"].call(pr.rates)
    again = copy.deepcopy(rates)
    again.rates[0, 0] = nan
    assert np.isfinite(rates.rates).all()


def test_pickled_rates_have_the_errors_of_what_follows():
    rates = DATA["three_weighted"].call(pr.rates)
    expected = rates.information_gain().to_dict()
    for again in copies(rates):
        assert again.information_gain().to_dict() == expected


def test_pickled_comparisons_keep_regions_and_tests():
    comparison = DATA["two_classifiers"].call(pr.compare, measure="auc", method=METHODS["bootstrap_bca"])
    for again in copies(comparison):
        for pair, difference in comparison.differences.items():
            assert again.differences[pair] == difference
            assert again.differences[pair].simultaneous_interval(0.8) == difference.simultaneous_interval(0.8)
            assert again.differences[pair].non_inferiority(0.1) == difference.non_inferiority(0.1)
        assert again.contrast([1, -2, 1]) == comparison.contrast([1, -2, 1])


def test_known_values_can_be_pickled():
    assert pickle.loads(pickle.dumps(Known(3)))() == 3


# Data frames ----------------------------------------------------------------------------------------------------


def test_rows_as_a_data_frame():
    pandas = package("pandas")
    evaluation = DATA["two_classifiers"].call(pr.evaluate, measure=["auc", "gini"], null="chance")
    frame = evaluation.to_frame(0.9)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["measure"]) == ["auc", "gini"] * 3
    assert list(frame["low"]) == [row["low"] for row in evaluation.rows(0.9)]


@pytest.mark.parametrize("name", NAMES)
def test_every_result_has_a_frame(name):
    package("pandas")
    result = files.read_result(name)
    assert len(result.to_frame()) == len(result.rows())


def test_a_frame_of_the_library_that_the_program_uses(monkeypatch):
    pandas, polars, pyarrow = package("pandas"), package("polars"), package("pyarrow")
    estimate = DATA["two_classifiers"].call(pr.compare, measure="auc")
    assert isinstance(estimate.to_frame(), pandas.DataFrame)
    assert isinstance(estimate.to_frame(library="polars"), polars.DataFrame)
    assert estimate.to_frame(library="pyarrow").column_names == list(estimate.to_frame().columns)
    monkeypatch.delitem(sys.modules, "pandas")  # installed, but not imported
    assert isinstance(estimate.to_frame(), polars.DataFrame)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingPackageError, match="needs polars, which is not installed: pip install polars"):
        estimate.to_frame(library="polars")
    assert isinstance(estimate.to_frame(library="pyarrow"), pyarrow.Table)


def test_polars_if_there_is_no_pandas(monkeypatch):
    polars = package("polars")
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    comparison = DATA["two_classifiers"].call(pr.compare, measure="auc")
    frame = comparison.to_frame()
    assert isinstance(frame, polars.DataFrame)
    assert frame["first"].to_list() == ["strong", "strong", "fair"]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingPackageError, match="needs pandas or polars"):
        comparison.to_frame()


def test_replicates_are_stored_with_the_estimates_only():
    comparison = DATA["two_probabilities"].call(pr.compare, measure="auc", method=METHODS["bootstrap_bca"])
    row = comparison.to_dict()["differences"][0]["resampled"]
    assert row["replicates"] == []
    assert set(row) == set(Resampled._fields)
    assert len(comparison.to_dict()["estimates"]["first"]["resampled"]["replicates"]) == 60
