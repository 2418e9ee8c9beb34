"""Python and the shell spell alike: options of a command are parameters of its verb, or among few others."""

import inspect

import click
import pytest

import polyroc as pr
from command_lines import tree
from polyroc.validation.option_table import DATA_OPTIONS

ONLY_OF_A_SHELL = {
    *("json", "csv", "markdown", "out", "level", "help-all", "class"),  # the output; `class_` of Python
    *("replicates", "rng", "convert"),  # of the method; `to_ordered` and `to_probabilities`
}
OWN = {  # what Python says in another call: methods of the result, a model, arguments that are files
    "calibration": {"curve"},
    "compare": {"margin"},
    "compare-measures": {
        *("separation", "precision", "rival", "correlation", "levels", "file", "practice", "alpha", "between"),
        *("positives", "negatives", "sizes", "model", "pairs", "n-jobs", "truth", "scores", "labels"),
    },
    "curve": {"points", "test"},
    "decision-curve": {"differences"},
    "evaluate": {"parts"},
    "front": {"points", "family", "features", "generations", "test", "against", "force"},
    "operate": {"front", "rule"},
    "plan-reader-study": {
        *("pilot", "measure", "interaction", "error", "cov1", "cov2", "cov3", "of-cases"),
        *("reader", "modality", "standalone", "nested"),
    },
    "reader-study": {"margin", "kind", "modality", "reader"},
    "report": {"open"},
    "sample-size": {"formula", "pilot", "simulate"},
}
VERBS = [
    name for name in tree() if name.replace("-", "_") in pr.__all__ and name not in ("plot", "study", "datasets")
]


@pytest.mark.parametrize("name", VERBS)
def test_options_of_a_command_are_parameters_of_its_verb(name):
    parameters = {*inspect.signature(getattr(pr, name.replace("-", "_"))).parameters, *DATA_OPTIONS}
    known = {parameter.replace("_", "-") for parameter in parameters} | ONLY_OF_A_SHELL | OWN.get(name, set())
    options = {
        long.removeprefix("--")
        for param in tree()[name].params
        if isinstance(param, click.Option)
        for long in param.opts
        if long.startswith("--")
    }
    assert options <= known
    assert OWN.get(name, set()) <= options  # an exception that is none any more
