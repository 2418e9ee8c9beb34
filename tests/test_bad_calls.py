"""Bad calls of every public callable: an answer, or an error of polyroc that names the argument; nothing else.

For each entry of `public_calls.VALID_CALLS` every argument in turn is replaced by values that are not valid, as in
scikit-learn's common tests.
"""

import contextlib
import io
from collections import Counter
from fractions import Fraction

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import polyroc as pr
from bad_values import BAD_VALUES, FEW, outcome
from golden.data import FEATURES, LABELS
from polyroc.measures.registry import MEASURES
from public_calls import VALID_CALLS, public_callables

DATA = {
    "y_true",
    "y_score",
    "labels",
    "pos_label",
    "sample_weight",
    "groups",
    "folds",
    "repeats",
    "score",
    "X",
    "y",
}
# Other words for an argument in a message: what it is, or another argument that does not fit to it.
WORDS = {
    **dict.fromkeys(DATA, (*DATA, "class")),
    "first": ("classifier", "learner", "learners", "measure", "measures"),
    "second": ("classifier", "learner", "learners", "measure", "measures"),
    "measure": ("measures",),
    "area": ("measure",),
    "key": ("measure",),
    "data_set": ("data set", "data sets"),
    "data": (*DATA, "data set", "classifiers", "dict", "Pilot"),
    "by": ("subgroup", "case"),
    "name": ("data set", "preset", "plan"),
    "against": ("front",),
    "path": ("file name", "front", "file", "store", "cannot be written"),
    "source": ("file", "folder", "plan", "path", "format", "data frame"),
    "plan": ("file", "study"),
    "kind": ("picture",),
    "out": ("store", "cannot be written"),
    "text": ("plan",),
    "classifier": ("Case",),
    "probabilities": ("shape",),
    "rates": ("shape",),
    "means": ("labels",),
    "calibrated": ("probabilities",),
    "pooled": ("folds",),
    "labels": (*DATA, "means", "class", "classes"),
    "positive": ("labels",),
    "versus": ("null", "value"),
    "rule": tuple(DATA),
    "measures": ("measure",),
    "y_true": (*DATA, "class", "classifiers", "dict", "Pilot", "family"),
    "evaluate_on": tuple(DATA),
    "resume": ("front", "path"),
    "save": ("file", "path"),
    "learners": ("learner",),
    "table": ("learner",),
    "tables": ("learner",),
    "cv": ("test sets", "folds", "splits"),
    "fit_params": ("unexpected keyword",),
    "X": (*DATA, "training cases"),
    "y": (*DATA, "Class", "class"),
}
# The errors of scikit-learn for the cases that its estimators are fitted to, and of functions of the user.
OTHERS = {
    ("OperatingPointClassifier.fit", "X"),
    ("OperatingPointClassifier.fit", "y"),
    ("OperatingPointClassifier.fit", "sample_weight"),
    ("OperatingPointClassifier.fit", "cv"),
    ("OperatingPointClassifier.predict", "X"),
    ("folds_of", "X"),
    ("folds_of", "y"),
    ("folds_of", "groups"),
    ("folds_of", "cv"),
}
USER_FUNCTIONS = {("decision_regions", "classifier")}
OF_THE_USER = {"progress": max}  # takes three arguments, and raises an error of its own
LENIENT = {"Measure.with_options", "OperatingPointClassifier.predict"}  # checked when used; by scikit-learn
SLOW = {
    "out_of_fold",
    "study",
    "report",
    "read",
    "Report.save",
    "OperatingPointClassifier.fit",
    "Study.open",
    "plot",
}
SEARCHING = {
    "front",
    "search_front",
    "leave_pair_out",
    "OperatingPointClassifier.predict",
    "Scores",
}  # over a second
COMMON = {"rows", "to_dict", "to_frame", "to_json", "to_latex", "to_table"}  # the same method of every result

matplotlib.use("agg")


def outcomes(name, values):
    """What the calls with these bad values led to, and descriptions of those that are not allowed."""
    call = VALID_CALLS[name]()
    call()
    counts, faults = Counter(), []
    for argument in call.parameters():
        if argument.startswith("_"):
            continue
        for label in values:
            if (name, argument) in USER_FUNCTIONS and callable(BAD_VALUES[label]()):
                continue
            if BAD_VALUES[label]() is OF_THE_USER.get(argument, name):
                continue
            with contextlib.redirect_stderr(io.StringIO()):  # progress bars
                result = outcome(call, argument, BAD_VALUES[label](), WORDS.get(argument, ()))
            if (name, argument) in OTHERS and result.kind in ("bare", "unnamed"):
                result = result._replace(kind="other" if "Error" in result.message else "bare")
            counts[result.kind] += 1
            if result.kind in ("bare", "unnamed", "long"):
                faults.append(f"{name}({argument}={label}): {result.kind} {result.message}")
    return counts, faults


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    """Text may be a valid path, so that files are written."""
    monkeypatch.chdir(tmp_path)


def test_every_public_callable_has_a_valid_call():
    assert public_callables() == set(VALID_CALLS)


def in_every_run(name):
    owner, _, method = name.partition(".")
    return name not in SLOW and (method not in COMMON or owner in ("Estimate", "Comparison", "Anova"))


def marked(name):
    return pytest.param(name, marks=pytest.mark.slow) if name in SEARCHING else name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [marked(name) for name in VALID_CALLS if in_every_run(name)])
def test_bad_arguments(name):
    counts, faults = outcomes(name, FEW)
    assert faults == []
    if name not in LENIENT:
        assert counts["named"] > counts.total() / 3  # most of these values are valid nowhere


@pytest.mark.sweep
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", VALID_CALLS)
def test_many_bad_arguments(name, figures):
    counts, faults = outcomes(name, BAD_VALUES)
    rejected = counts["named"] + counts["other"]
    accepted = counts["answer"]
    figures(
        "calls",
        Counter(tried=counts.total(), rejected=rejected, accepted=accepted, failed=len(faults)),
    )
    assert faults == []


@pytest.mark.parametrize(
    "call",
    [
        lambda: pr.methods.Bootstrap(replicates=True),
        lambda: pr.methods.Bootstrap(rng=1.5),
        lambda: pr.methods.Bootstrap(stratified="yes"),
        lambda: pr.evaluate([0, 1], [1, 2], measure="auc").confidence_interval("0.95"),
        lambda: pr.evaluate([0, 1], [1, 2], measure="auc").rows(level=95),
        lambda: pr.evaluate([0, 1], [1, 2], measure=[]),
        lambda: pr.evaluate([0, 1], [1, 2], measure=["auc"], null={"acu": 0.5}),
        lambda: pr.curve([0, 1], [1, 2], binormal="no"),
        lambda: pr.operate([0, 1], [1, 2], calibrated=1),
        lambda: pr.report([0, 1], [1, 2], measure="", path=None),
        lambda: pr.Tally([0, 1], pos_label=2),
        # found by `make test-calls`
        lambda: pr.evaluate([0, 1], [1, 2], measure="auc", progress=dict),
        lambda: pr.evaluate([0, 1], [1, 2], measure="auc").rows(level=Fraction(1, 2)),
        lambda: pr.operate([0, 1], [1, 2], priors=10**400),
        lambda: pr.sample_size(measure="auc", value=0.8, alpha=5e-324),
        lambda: pr.sample_size(measure="auc", model=pd.Series([1.0])),
        lambda: pr.to_ordered(np.zeros((3, 0))),
        lambda: pr.Tally([0, 1]).update(np.array(1), [0.5]),
        lambda: pr.decisions.CostRule(np.array(1), ((0, 1), (1, 0))),
        lambda: pr.decisions.ThresholdRule((0, 1), pd.Series([1]), 0.5),
        lambda: pr.datasets.Trinormal.with_vus(5e-324),
        lambda: pr.curve([0, 1, 0, 1], [1, 2, 3, 4]).partial_area(fpr=pd.Series([1, 2])),
        lambda: pr.methods.area_correlation(0.5, 5e-324, 0.8),
        lambda: pr.fronts.gini_volume(10**400),
        lambda: pr.Plan.read("x" * 10_000),
        lambda: pr.results.Study.open("x" * 10_000),
        lambda: pr.results.Front.load("/dev/full"),
        lambda: pr.out_of_fold(GaussianNB(), FEATURES, LABELS, cv=iter([1, 2])),
        lambda: pr.plot(pr.evaluate([0, 1], [1, 2], measure="auc"), color=[float("nan")] * 3),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_nonsense_is_not_accepted_silently(call):
    with pytest.raises(pr.errors.PolyrocError):
        call()


OPTIONS = [(key, option) for key, measure in MEASURES.items() for option in measure.options]
OF_KIND = {
    "score": "two_classes",
    "ordered": "ordered",
    **dict.fromkeys(("probabilities", "forecast", "decisions"), "three"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("key", "option"), OPTIONS)
def test_bad_options_of_measures(key, option):
    from golden.data import DATA

    data = DATA["two_columns" if MEASURES[key].classes[1] == 2 else OF_KIND[MEASURES[key].needs]]
    score = next(iter(data.y_score.values())) if isinstance(data.y_score, dict) else data.y_score

    def call(**options):
        return pr.evaluate(data.y_true, score, measure=pr.measure(key, **options), **data.options)

    faults = []
    for label, make in BAD_VALUES.items():
        result = outcome(call, option, make(), (key,))
        if result.kind in ("bare", "unnamed"):
            faults.append(f"{key}({option}={label}): {result.kind} {result.message}")
    assert faults == []
