"""Plans: written and read again, and the errors of invalid ones, which name the key."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from polyroc.cli.app import run
from polyroc.errors import InputError, MissingFileError, PolyrocError
from polyroc.studies.plan import PRESETS, preset_text

KNN = "sklearn.neighbors:KNeighborsClassifier"
SMALL = {"data": ["iris"], "learners": [{"name": "knn", "class": KNN}]}

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
words = st.text("abcxyz -_\"'", min_size=1, max_size=8).filter(str.strip)
plain = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(codec="utf-8")),
)
values = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))
steps = st.lists(
    st.fixed_dictionaries({"class": words}, optional={"parameters": st.dictionaries(words, values, max_size=2)}),
    max_size=2,
)


@st.composite
def plans(draw):
    """Plain data of plans of all kinds."""
    named = st.lists(words, min_size=1, max_size=3, unique=True)
    data = [
        {"name": name, **draw(st.sampled_from([{"file": "a.csv", "target": "y"}, {"call": "m:f"}]))}
        for name in draw(named)
    ]
    learners = [{"name": name, "class": draw(words), **draw(_learner)} for name in draw(named)]
    return {"data": data, "learners": learners, **draw(_rest)}


_learner = st.fixed_dictionaries(
    {},
    optional={
        "parameters": st.dictionaries(words, values, max_size=3),
        "steps": steps,
        "output": st.sampled_from(["predict_proba", "decision_function"]),
        "time_limit": st.floats(0.1, 1e6),
    },
)
_rest = st.fixed_dictionaries(
    {},
    optional={
        "seed": st.integers(0, 2**40),
        "name": words,
        "note": st.text(st.characters(codec="utf-8")),
        "time_limit": st.integers(1, 100),
        "steps": steps,
        "measures": st.lists(st.sampled_from(["auc", "hand_till", "partial_auc(fpr=(0, 0.2))"]), min_size=1),
        "splitting": st.sampled_from(
            [
                {"kind": "k-fold", "folds": 5, "repeats": 3, "stratified": False},
                {"kind": "leave-one-out"},
                {"kind": "hold-out", "repeats": 10, "test_size": 0.1},
                {"kind": "hold-out", "test_size": 30},
            ]
        ),
    },
)


@pytest.mark.slow
@given(plans())
def test_a_plan_goes_to_toml_and_back(data):
    plan = pr.Plan.from_dict(data)
    assert pr.Plan.from_toml(plan.to_toml()) == plan
    assert pr.Plan.from_dict(plan.to_dict()) == plan
    assert pr.Plan.from_toml(plan.to_toml()).digest == plan.digest
    assert pr.Plan.from_dict(plan.to_dict()).to_dict() == plan.to_dict()


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_plans_that_go_there_and_back(name):
    plan = pr.Plan.preset(name)
    assert plan.name == name
    assert pr.Plan.from_toml(plan.to_toml()) == plan
    assert "paper" in preset_text(name)


GOOD = f"""seed = 1
data = ["iris"]
measures = ["hand_till"]

[splitting]
folds = 3

[[learners]]
name = "knn"
class = "{KNN}"
parameters = {{ n_neighbors = 5 }}
steps = ["sklearn.preprocessing:StandardScaler"]
"""
BAD = [
    ("seed = 1", "sed = 1", "", "'sed'.*did you mean 'seed'"),
    ("seed = 1", "seed = -1", "", "seed must be a whole number of 0 or more, got -1"),
    ("seed = 1", "seed = true", "", "seed must be a whole number"),
    ("seed = 1", 'time_limit = "long"', "", "time_limit must be a finite number above 0"),
    ('["hand_till"]', "[]", "", "measures is missing"),
    ('["iris"]', '["irs"]', "data[0]", "no data set 'irs'.*did you mean 'iris'"),
    ('["iris"]', '["iris", "iris"]', "", "data has two entries named 'iris'"),
    ('["iris"]', "[3]", "data[0]", "expected a table or a text, got 3"),
    ('["iris"]', "3", "data", "must be a list of tables or texts, got 3"),
    ('["iris"]', '[{name = "a", file = "a.csv"}]', "data[0]", "needs target"),
    ('["iris"]', '[{name = "a", call = "m:f", target = "y"}]', "data[0]", "target names columns of a file"),
    ('["iris"]', '[{name = "iris", encode = "onehot"}]', "data[0]", "encode must be .*did you mean 'one-hot'"),
    ('["iris"]', '[{name = "a", call = "math:squirt"}]', "data[0]", "math has no 'squirt'; did you mean 'sqrt'"),
    (
        '["iris"]',
        '[{name = "a", call = "sklearn.datasets:load_iris", parameters = {as_fram = true}}]',
        "data[0]",
        "as_frame",
    ),
    ('["iris"]', '[{name = "a", file = "none.csv", target = "y"}]', "data[0]", "no file"),
    ('["iris"]', '[{name = "iris", classes = ["setosa", "virginca"]}]', "data[0]", "did you mean 'virginica'"),
    ('["hand_till"]', '["hand_til"]', "measures[0]", "no measure 'hand_til'; did you mean 'hand_till'"),
    ('["hand_till"]', '["accuracy",\n"auc"]', "measures[1]", "auc is not for 3 classes"),
    ('["hand_till"]', '["vus"]', "measures[0]", "vus on data set 'iris'"),
    ("folds = 3", "fold = 3", "splitting", "'fold'.*did you mean 'folds'"),
    ("folds = 3", "folds = 1", "splitting", "folds must be a whole number of 2 or more, got 1"),
    ("folds = 3", 'kind = "kfold"', "splitting", "kind must be .*did you mean 'k-fold'"),
    ("folds = 3", "test_size = 0.5", "splitting", "test_size is not valid for k-fold"),
    ('name = "knn"', 'nam = "knn"', "learners[0]", "did you mean 'name'"),
    (
        "sklearn.neighbors:",
        "sklearn.neighbours:",
        "learners[0].class",
        "sklearn has no module 'neighbours'; did you mean 'neighbors'",
    ),
    ("KNeighborsClassifier", "KNeighboursClassifier", "learners[0].class", "did you mean 'KNeighborsClassifier'"),
    (KNN, "nosuchpackage:Learner", "learners[0].class", "no module 'nosuchpackage'"),
    (f'"{KNN}"', "3", "learners[0]", "class must be text, got 3"),
    ('StandardScaler"', 'StandardScaler", 3', "learners[0].steps[1]", "expected a table or a text, got 3"),
    (
        KNN,
        "math:sqrt",
        "learners[0].class",
        "expected a class, .* got the builtin_function_or_method 'math:sqrt'",
    ),
    (
        KNN,
        "sklearn.preprocessing:StandardScaler",
        "learners[0].parameters.n_neighbors",
        "has no parameter 'n_neighbors'",
    ),
    ("n_neighbors = 5", "n_neigbors = 5", "learners[0].parameters.n_neigbors", "did you mean 'n_neighbors'"),
    (
        "preprocessing:StandardScaler",
        "preprocessing:StandardScalar",
        "learners[0].steps[0].class",
        "did you mean 'StandardScaler'",
    ),
]


@pytest.mark.parametrize(("old", "new", "key", "message"), BAD, ids=[new for _, new, _, _ in BAD])
def test_a_bad_plan_is_reported_with_its_key_and_the_nearest_name(tmp_path, old, new, key, message):
    assert GOOD.count(old) == 1
    path = Path(tmp_path, "plan.toml")
    path.write_text(GOOD.replace(old, new))
    where = f"plan.toml: {key}" + (":" if key not in ("", "data") else "")
    with pytest.raises(PolyrocError, match=re.compile(f"{re.escape(where)}.*{message}", re.DOTALL)):
        pr.study(path, out=tmp_path / "study.duckdb")
    assert list(tmp_path.iterdir()) == [path]


def test_a_learner_without_probabilities_raises_with_advice(tmp_path):
    plan = {**SMALL, "learners": ["sklearn.linear_model:Perceptron"]}
    with pytest.raises(InputError, match='has no predict_proba; set output = "decision_function"'):
        pr.study(plan, out=tmp_path / "study.duckdb")


def test_a_bad_mapping_is_reported_with_its_keys():
    with pytest.raises(
        InputError, match=re.escape("plan: splitting: there is no key 'fods' here; did you mean 'folds'")
    ):
        pr.Plan.from_dict({**SMALL, "splitting": {"fods": 3}})
    with pytest.raises(InputError, match="data is missing"):
        pr.Plan.from_dict({"learners": [KNN]})


def test_files_that_are_no_plans(tmp_path):
    with pytest.raises(MissingFileError, match=r"no plan.*preset: bradley"):
        pr.study("bradly")
    path = tmp_path / "plan.toml"
    path.write_text("seed = = 1")
    with pytest.raises(InputError, match=r"plan.toml is not valid TOML: .*line 1"):
        pr.Plan.read(path)
    with pytest.raises(InputError, match="did you mean 'bradley'"):
        pr.Plan.preset("bradly")


def test_what_fits_do_not_depend_on_is_not_in_the_digest():
    plan = pr.Plan.from_dict(SMALL)
    assert pr.Plan.from_dict({**SMALL, "measures": ["ova"], "name": "other", "note": "!"}).digest == plan.digest
    assert pr.Plan.from_dict({**SMALL, "seed": 1}).digest != plan.digest


@pytest.mark.parametrize("name", ["bradley", "hand-till"])
def test_presets_print_what_they_are(name, capsys):
    assert run(["study", "plan", name]) == 0
    assert pr.Plan.from_toml(capsys.readouterr().out) == pr.Plan.preset(name)
