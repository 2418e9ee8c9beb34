"""Stored results with an entry that was changed: an error of polyroc, or a result that keeps its invariants."""

import json

import numpy as np
import pytest

import polyroc as pr
from golden import files
from golden.files import RESULTS
from polyroc._results.result import Result
from polyroc.errors import InputError, PolyrocError
from stored_damage import mutated, places

FEW, MANY = 25, 50  # mutations of each file: in every run, and in slow tests


def use(result):
    """What a reader does with a result: it must not fail later."""
    json.dumps(result.to_dict(), allow_nan=False)
    if isinstance(result, Result):
        result.rows()
        str(result)


def mutate(name, seed, number):
    """How many mutations were rejected; any other error than polyroc's is a failure that names the mutation."""
    data = json.loads(files.result_text(name))
    paths = [*places(data)]
    rng, rejected = np.random.default_rng(seed), 0
    for _ in range(number):
        damaged, what = mutated(data, rng, paths=paths)
        try:
            use(RESULTS[name].kind.from_dict(damaged))
        except PolyrocError:
            rejected += 1
        except Exception as error:
            raise AssertionError(f"{name}, {what}: {error!r}") from error
    assert data == json.loads(files.result_text(name))  # reading changes nothing in what it reads
    return rejected


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", files.RESULTS)
def test_changed_entries(name):
    assert mutate(name, 0, FEW) > FEW / 5


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", files.RESULTS)
def test_many_changed_entries(name):
    mutate(name, 1, MANY)


def changed(name, path, value):
    data = json.loads(files.result_text(name))
    node = data
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("name", "path", "value", "message"),
    [
        ("Estimate", ["value"], 1.5, "Estimate: value must be from 0 to 1; the stored data are damaged"),
        ("Estimate", ["standard_error"], -0.1, "standard errors must be 0 or more"),
        ("Estimate", ["standard_error"], 1e160, "standard errors must be 0 or more"),
        ("Estimate", ["monte_carlo_error"], 1e160, "standard errors must be 0 or more"),
        ("Estimate", ["effective"], 1e160, "cases must be 0 or more"),
        ("Estimate", ["fewest"], 1e160, "cases must be 0 or more"),
        ("Estimate", ["limits"], [1.0, 0.0], "limits must be in order"),
        ("Estimate", ["fewest"], -3, "cases must be 0 or more"),
        ("Estimate", ["provenance", "cases"], {"0": -5, "1": 3}, "cases must be 0 or more"),
        ("Estimate_tally", ["value"], 0.01, "bounds must contain the value"),
        ("Comparison", ["covariance", 0, 1], 0.5, "covariance must be symmetric"),
        ("Comparison", ["covariance", 0, 0], -0.5, "covariance must be symmetric"),
        ("Comparison", ["pvalue"], 2.0, "pvalue must be from 0 to 1"),
        ("Comparison", ["differences", 0, "value"], 0.77, "is not that of the estimates"),
        ("Comparison", ["estimates", "fair", "classifier"], "weak", "names must agree"),
        ("Curve", ["fpr", 0], 0.9, "must not fall along the curve"),
        ("Curve", ["tpr"], [0.0, 1.0], "lengths must agree"),
        ("Curve", ["band", "low", 3], 1.0, "low must not be above high"),
        ("Rates", ["rates", 0, 0], 0.0, "the rates of a class must sum to 1"),
        ("Rates", ["counts", 0, 0], -1.0, "counts must be 0 or more"),
        ("Rates", ["classes"], ["a", "a", "b"], "classes must be two or more, and distinct"),
        ("OperatingPoint", ["priors"], [0.5, 0.5, 0.5], "priors must sum to 1"),
        ("SampleSize", ["alpha"], 5.0, "alpha must be between 0 and 1"),
        ("HeldOut", ["counts", 0, 0, 0], 10**6, "all points must have the same cases"),
        ("RangeTest", ["pvalues", 0, 1], 0.123, "p-values must be symmetric"),
        ("PairedTests", ["tests", 0, "pvalue"], -0.1, "p-values must be from 0 to 1"),
        ("DecisionCurve", ["thresholds"], [0.5, 0.3, 0.1], "thresholds must rise"),
    ],
)
def test_invariants_are_named(name, path, value, message):
    with pytest.raises(InputError, match=message):
        RESULTS[name].kind.from_dict(changed(name, path, value))


def test_keys_occur_once():
    data = json.loads(files.result_text("Evaluation"))
    data["estimates"].append(data["estimates"][0])
    with pytest.raises(InputError, match="Expected a key that occurs once"):
        pr.results.Evaluation.from_dict(data)
