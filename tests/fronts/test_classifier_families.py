"""The families: posteriors as defined, fits that are maxima, and the watch over families of one's own."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import naive
import polyroc as pr
from front_data import Tilt, three_blobs
from polyroc.errors import InputError
from strategies import at_most


@at_most(40)
@given(st.data())
def test_neighbours_vote_as_defined(data):
    """Whole numbers in few places: many distances tie, and many cases are the same."""
    n, d = data.draw(st.integers(3, 9)), data.draw(st.integers(1, 3))
    point = st.lists(st.integers(-2, 2).map(float), min_size=d, max_size=d)
    cases = data.draw(st.lists(point, min_size=n, max_size=n))
    codes = [0, 1, *data.draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    k, beta = data.draw(st.integers(1, n - 1)), data.draw(st.floats(0, 20))
    family = pr.fronts.NearestNeighbours(largest=n, standardise=False)
    X = np.array(cases)
    family.start(X, np.array(codes), np.random.default_rng(0))
    parameters = np.array([k, beta])
    for i, row in enumerate(family.posteriors(parameters, X)):
        others, theirs = cases[:i] + cases[i + 1 :], codes[:i] + codes[i + 1 :]
        assert row == pytest.approx(naive.neighbour_posteriors(cases[i], others, theirs, 2, k, beta), abs=1e-12)
    new = data.draw(st.lists(point, min_size=1, max_size=3))
    for x, row in zip(new, family.posteriors(parameters, np.array(new)), strict=True):
        assert row == pytest.approx(naive.neighbour_posteriors(x, cases, codes, 2, k, beta), abs=1e-12)


def test_neighbours_start_at_the_largest_likelihood_and_stay_within():
    X, y = three_blobs(sizes=(30, 25, 35))
    family = pr.fronts.NearestNeighbours(largest=12, scale=(20.0, 5.0))
    start = family.start(X, y, np.random.default_rng(0))

    def likelihood(parameters):
        return np.log(family.posteriors(np.array(parameters), X)[np.arange(len(y)), y]).sum()

    rng = np.random.default_rng(1)
    others = [likelihood([rng.integers(1, 13), rng.uniform(0, 20)]) for _ in range(300)]
    assert likelihood(start) > max(others) - 0.5  # the grid of beta is a fifth apart
    seen = np.array([family.perturb(start, rng) for _ in range(400)])
    assert set(seen[:, 0].tolist()) == set(range(1, 13))
    assert (seen[:, 1] >= 0).all()
    for bad in ([0, 1.0], [13, 1.0], [1.5, 1.0], [2, -1.0]):
        with pytest.raises(InputError, match="a whole k from 1 to 12 and a beta of 0 or more"):
            family.posteriors(np.array(bad), X)


def test_blocks_of_distances_change_nothing(monkeypatch):
    X, y = three_blobs()
    whole = pr.fronts.NearestNeighbours()
    begin = whole.start(X, y, np.random.default_rng(0))
    monkeypatch.setattr("polyroc.fronts.models.MOST_DISTANCES", 7 * len(X))
    parts = pr.fronts.NearestNeighbours()
    assert (parts.start(X, y, np.random.default_rng(0)) == begin).all()
    assert (parts.posteriors(begin, X) == whole.posteriors(begin, X)).all()


@at_most(40)
@given(st.data())
def test_logistic_posteriors_are_as_defined(data):
    d, c = data.draw(st.integers(1, 3)), data.draw(st.integers(2, 4))
    number = st.floats(-5, 5)
    X = np.array(data.draw(st.lists(st.lists(number, min_size=d, max_size=d), min_size=c, max_size=8)))
    rows = data.draw(st.lists(st.lists(number, min_size=d + 1, max_size=d + 1), min_size=c, max_size=c))
    family = pr.fronts.LogisticFamily(standardise=False)
    family.start(X, np.arange(len(X)) % c, np.random.default_rng(0))
    parameters = np.array(rows).ravel()
    P = family.posteriors(parameters, X)
    for x, p in zip(X.tolist(), P, strict=True):
        assert p == pytest.approx(naive.logistic_posteriors(x, rows), rel=1e-12, abs=1e-300)
        assert (family.posteriors(parameters, np.array([x]))[0] == p).all()  # alone as among others


@pytest.mark.parametrize("sizes", [(40, 30, 50), (25, 30), (12, 9, 15, 20, 30)])
def test_the_fit_is_that_of_scikit_learn(sizes):
    X, y = three_blobs(sizes=sizes)
    family = pr.fronts.LogisticFamily(penalty=0.5)
    P = family.posteriors(family.start(X, y, np.random.default_rng(0)), X)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    peer = LogisticRegression(C=2.0 if len(sizes) > 2 else 4.0, tol=1e-10, max_iter=10_000).fit(scaled, y)
    # two classes: scikit-learn penalises the one difference b, we both halves of it, b / 2 and -b / 2
    assert np.abs(P - peer.predict_proba(scaled)).max() < 1e-5  # where scikit-learn stops


def test_separable_classes_have_a_fit_too():
    y = np.repeat([0, 1, 2], 10)
    X = np.column_stack([10.0 * y, np.zeros(30)]) + 1e6  # the second feature does not vary
    family = pr.fronts.LogisticFamily()
    P = family.posteriors(family.start(X, y, np.random.default_rng(0)), X)
    assert (P[np.arange(30), y] > 0.99).all()
    front = pr.search_front(family, X, y, generations=5)
    assert front.gini(n_points=1000) == 1
    assert len(front) == 1


def test_steps_are_laplacian():
    """Mean absolute value and mean square of a Laplace variable of scale b are b and 2 b^2."""
    rng = np.random.default_rng(0)
    steps = pr.fronts.LogisticFamily(scale=0.3).perturb(np.zeros(20_000), rng)
    assert np.abs(steps).mean() == pytest.approx(0.3, abs=4 * 0.3 / np.sqrt(20_000))
    assert (steps**2).mean() == pytest.approx(0.18, abs=4 * 0.18 * np.sqrt(5 / 20_000))
    default = [np.abs(pr.fronts.LogisticFamily().perturb(np.zeros(16), rng)).mean() for _ in range(2000)]
    assert np.mean(default) == pytest.approx(0.25, abs=4 * 0.25 / np.sqrt(32_000))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "ranges"),
    [
        (GaussianNB(), {"var_smoothing": (1e-6, 10.0)}),
        (DecisionTreeClassifier(random_state=0), {"min_samples_leaf": (1, 20), "ccp_alpha": (0.0, 0.1)}),
    ],
    ids=["bayes", "tree"],
)
def test_estimators_evolve_their_hyper_parameters(estimator, ranges, tmp_path):
    X, y = three_blobs()
    before = repr(estimator)
    family = pr.fronts.EstimatorFamily(estimator, ranges, scale=0.5, folds=4)
    front = pr.search_front(family, X, y, generations=12)
    assert repr(estimator) == before
    lows, highs = np.array(list(ranges.values()), dtype=float).T
    assert ((front.parameters >= lows) & (front.parameters <= highs)).all()
    assert len(front.search.models) > 2
    parameters = front.parameters[0]
    settings_ = family.settings(parameters)
    if "min_samples_leaf" in ranges:
        assert isinstance(settings_["min_samples_leaf"], int)
    model = type(estimator)(**{**estimator.get_params(), **settings_})
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    peer = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    assert family.posteriors(parameters, family._training[0]) == pytest.approx(peer, abs=1e-12)
    new = three_blobs(seed=5)[0]
    assert family.posteriors(parameters, new) == pytest.approx(model.fit(X, y).predict_proba(new), abs=1e-12)
    front.save(tmp_path / "front.npz")
    again = pr.search_front(family, X, y, generations=14, resume=tmp_path / "front.npz")
    assert again.to_dict() == pr.search_front(family, X, y, generations=14).to_dict()
    deployed = front.deploy(0, family=family)
    assert (deployed.posteriors(new) == family.posteriors(parameters, new)).all()
    assert (deployed.decide(new) == front.rule(0).decide(deployed.posteriors(new))).all()
    with pytest.raises(InputError, match=r"the family (GaussianNB|DecisionTree)"):
        front.deploy(0)
    assert len(front.on(new, y, family=family, n_points=100)) == len(front)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pr.fronts.EstimatorFamily(LogisticRegression, {"C": (0.1, 1.0)}), "predict_proba"),
        (lambda: pr.fronts.EstimatorFamily(LogisticRegression(), {}), "ranges must be a mapping"),
        (lambda: pr.fronts.EstimatorFamily(LogisticRegression(), {"D": (0.1, 1.0)}), "no hyper-parameter 'D'"),
        (lambda: pr.fronts.EstimatorFamily(LogisticRegression(), {"C": (1.0, 0.1)}), "low < high"),
        (lambda: pr.fronts.EstimatorFamily(LogisticRegression(), {"C": ("a", "b")}), "two numbers"),
        (lambda: pr.fronts.EstimatorFamily(LogisticRegression(), {"C": (False, True)}), "two numbers"),
        (
            lambda: pr.fronts.EstimatorFamily(LogisticRegression(), {"C": 3}),
            r"two numbers \(low, high\) with low < high, got 3",
        ),
        (lambda: pr.fronts.EstimatorFamily(LogisticRegression(), {"C": (0.1, 1.0)}, scale=0), "scale"),
        (lambda: pr.fronts.EstimatorFamily(LogisticRegression(), {"C": (0.1, 1.0)}, folds=1), "folds"),
        (lambda: pr.fronts.LogisticFamily(scale=-1), "scale"),
        (lambda: pr.fronts.LogisticFamily(penalty=0), "penalty"),
        (lambda: pr.fronts.NearestNeighbours(largest=0), "largest"),
        (lambda: pr.fronts.NearestNeighbours(scale=1.0), "scale must be 2 finite numbers"),
        (lambda: pr.fronts.LogisticFamily().posteriors(np.zeros(2), np.zeros((1, 1))), "call start first"),
        (lambda: pr.fronts.NearestNeighbours().posteriors(np.zeros(2), np.zeros((1, 1))), "call start first"),
        (lambda: pr.fronts.EstimatorFamily(LogisticRegression(), {"C": (0.1, 1.0)}).fitted([1.0]), r"keep\(X"),
    ],
)
def test_families_reject_bad_settings(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_too_few_cases_for_the_folds():
    X, y = three_blobs(sizes=(10, 3, 10))
    with pytest.raises(InputError, match="5 folds need as many cases of every class, but one has 3"):
        pr.search_front(pr.fronts.EstimatorFamily(LogisticRegression(), {"C": (0.1, 1.0)}), X, y, generations=1)


class Faulty(Tilt):
    """Well behaved until the fifth question, which is that of generation 4."""

    def __init__(self, fault):
        super().__init__()
        self.fault = fault

    def posteriors(self, parameters, X):
        P = super().posteriors(parameters, X)
        return self.fault(P) if len(self.predicted_for) == 5 else P


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda P: np.where(np.arange(60)[:, None] == 7, np.nan, P), r"finite numbers, got \[nan.*for case 7"),
        (lambda P: np.where(np.arange(60)[:, None] == 7, np.inf, P), "finite numbers"),
        (lambda P: P * 1.01, r"sum to 1, got .*sum 1.01\) for case 0"),
        (lambda P: P + np.array([0.5, -0.5, 0]), "sum to 1"),
        (lambda P: P[:, :2], r"60 cases x 3 classes, got shape \(60, 2\)"),
        (lambda P: P[1:], "got shape"),
        (lambda P: P.T, "got shape"),
        (lambda P: P[:, 0], "got shape"),
        (lambda P: [["a"] * 3] * len(P), "numbers, got"),
    ],
)
def test_bad_posteriors_are_reported_with_family_and_generation(fault, message, tmp_path):
    X, y = three_blobs()
    with pytest.raises(InputError, match=f"In generation 4, posteriors of the family tilt must give.*{message}"):
        pr.search_front(Faulty(fault), X, y, generations=9, save=tmp_path / "front.npz")


@pytest.mark.parametrize(
    ("moved", "message"),
    [
        (lambda p: p * np.nan, "vector of finite numbers"),
        (lambda p: p[:2], "3 parameters, as before, got 2"),
        (lambda p: p[None], "vector of finite numbers"),
        (lambda p: f"far from {p}", "vector of numbers"),
        (lambda p: {"p": p}, "vector of"),
    ],
)
def test_bad_parameters_are_reported_with_family_and_generation(moved, message, monkeypatch):
    X, y = three_blobs()
    family = Tilt()
    with monkeypatch.context() as patch:
        patch.setattr(family, "perturb", lambda parameters, rng: moved(parameters))  # noqa: ARG005
        with pytest.raises(InputError, match=f"In generation 1, perturb of the family tilt must give .*{message}"):
            pr.search_front(family, X, y, generations=9)
    monkeypatch.setattr(family, "start", lambda X, y, rng: moved(np.zeros(3)))  # noqa: ARG005
    if message.startswith("vector"):
        with pytest.raises(InputError, match="In generation 0, start of the family tilt"):
            pr.search_front(family, X, y, generations=9)


def test_a_family_needs_random_only_where_it_is_requested():
    X, y = three_blobs()
    with pytest.raises(InputError, match=r"tilt has no method random\(X, y, rng\)"):
        pr.search_front(Tilt(), X, y, generations=2, start="random")


class NoFit(pr.fronts.LogisticFamily):
    """Its fit fails."""

    def start(self, *_):
        raise AssertionError("a fit is made")


@pytest.mark.slow
def test_a_fit_is_made_only_where_it_is_requested():
    X, y = three_blobs()
    front = pr.search_front(NoFit(), X, y, generations=12, start="random")
    assert (
        front.to_dict()
        == pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=12, start="random").to_dict()
    )
    assert pr.search_front(NoFit(), X, y, generations=20, resume=front).search.generations == 20
    assert len(pr.search_front(NoFit(), X, y, generations=0, start=front.parameters[0])) > 0
    with pytest.raises(AssertionError, match="a fit is made"):
        pr.search_front(NoFit(), X, y, generations=1)
    with pytest.raises(InputError, match="must be a whole k from 1 to 50 and a beta of 0 or more; got"):
        pr.search_front(pr.fronts.NearestNeighbours(), X, y, generations=1, start=[0.5, 1])
    ranges = {"C": (0.01, 100.0)}
    with pytest.raises(InputError, match="one parameter for each of C, got 2"):
        pr.search_front(
            pr.fronts.EstimatorFamily(LogisticRegression(), ranges), X, y, generations=1, start=[1.0, 1.0]
        )


@dataclass
class Described(Tilt):
    """A dataclass tells its settings by itself."""

    width: float = 0.5
    decimals: int = 3
    table: object = None

    def __post_init__(self):
        self.predicted_for = []


def test_a_family_is_distinguished_by_its_settings():
    X, y = three_blobs()
    front = pr.search_front(Described(), X, y, generations=3)
    assert front.search.family == {"name": "tilt", "settings": {"width": 0.5, "decimals": 3, "table": None}}
    json.dumps(front.to_dict())
    with pytest.raises(InputError, match="another family"):
        pr.search_front(Described(width=0.6), X, y, generations=6, resume=front)
    named = pr.search_front(type("Nameless", (Tilt,), {"name": None})(), X, y, generations=1)
    assert named.classifier == "Nameless"


def test_a_step_in_place_does_not_harm_the_parent(monkeypatch):
    X, y = three_blobs()
    family = Tilt()

    def inplace(parameters, rng):
        parameters += 1.0
        return parameters

    monkeypatch.setattr(family, "perturb", inplace)
    front = pr.search_front(family, X, y, generations=3)
    assert front.search.models[0].tolist() == [0, 0, 0]


def test_the_protocol_knows_a_family_when_it_sees_one():
    assert isinstance(Tilt(), pr.fronts.Family)
    assert not isinstance(LogisticRegression(), pr.fronts.Family)


def test_a_range_that_the_estimator_rejects_is_an_error_that_names_the_values():
    X, y = three_blobs()
    family = pr.fronts.EstimatorFamily(LogisticRegression(), {"C": (-2.0, -1.0)})
    with pytest.raises(InputError, match=r"LogisticRegression cannot be fitted with C=-1.* narrow the ranges"):
        pr.search_front(family, X, y, generations=1)
