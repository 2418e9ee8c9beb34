"""Searched fronts put to use: classifiers that are deployed, and fronts that are judged on other cases."""

import json

import numpy as np
import pytest

import naive
import polyroc as pr
from front_data import Tilt, errors_of, three_blobs
from polyroc.errors import InputError, NotApplicableError


@pytest.fixture(scope="module", params=["logistic", "neighbours", "two classes"])
def searched(request):
    X, y = three_blobs(sizes=(20, 22) if request.param == "two classes" else (20, 16, 24))
    names = np.array(["a", "b", "c"])[y]
    family = pr.fronts.NearestNeighbours() if request.param == "neighbours" else pr.fronts.LogisticFamily()
    return X, names, pr.search_front(family, X, names, generations=40)


def test_a_point_is_deployed_and_survives_json(searched):
    X, names, result = searched
    new, _ = three_blobs(seed=9, sizes=(30, 30, 30))
    for point in np.linspace(0, len(result) - 1, 6).astype(int).tolist():
        deployed = result.deploy(point)
        again = pr.fronts.PointClassifier.from_json(deployed.to_json())
        P = deployed.posteriors(new)
        assert P.sum(axis=1) == pytest.approx(1, abs=1e-12)
        assert (again.posteriors(new) == P).all()
        assert (again.decide(new) == deployed.decide(new)).all()
        assert (deployed.decide(new) == result.rule(point).decide(P)).all()
        assert (np.concatenate([deployed.decide(x[None]) for x in new]) == deployed.decide(new)).all()
        assert deployed.labels == result.labels
        assert (deployed.parameters == result.parameters[point]).all()
        if result.classifier == "logistic":  # neighbours judge their own cases without themselves
            decisions = deployed.decide(X)
            table = [[np.sum((names == k) & (decisions == j)) for j in result.labels] for k in result.labels]
            assert (result.counts[point] == table).all()


def test_deployed_after_a_file(searched, tmp_path):
    X, _, result = searched
    result.save(tmp_path / "front.npz")
    again = pr.results.Front.load(tmp_path / "front.npz")
    assert (again.deploy(1).posteriors(X) == result.deploy(1).posteriors(X)).all()
    assert repr(again.deploy(1)) == repr(result.deploy(1))
    assert result.classifier in repr(result.deploy(1)).replace("_", " ")


def test_bad_points_and_texts(searched):
    _, _, message = searched
    for bad in (-1, len(message), 1.0, True, "first"):
        with pytest.raises(InputError, match=f"from 0 to {len(message) - 1}"):
            message.deploy(bad)
    with pytest.raises(InputError, match="2 features, as the training cases had, got 3"):
        message.deploy(0).decide(np.zeros((2, 3)))
    with pytest.raises(InputError, match="finite"):
        message.deploy(0).decide([[np.nan, 0.0]])
    stored = json.loads(message.deploy(0).to_json())
    for text in (
        "",
        "[]",
        "{}",
        json.dumps({**stored, "kind": "Rule"}),
        json.dumps({**stored, "model_kind": "x"}),
    ):
        with pytest.raises(InputError):
            pr.fronts.PointClassifier.from_json(text)
    for name in ("rule", "model", "parameters"):
        with pytest.raises(InputError):
            pr.fronts.PointClassifier.from_json(
                json.dumps({**stored, name: stored[name][:1] if name[0] == "p" else {}})
            )
    with pytest.raises(InputError, match=r"damaged|whole"):
        pr.fronts.PointClassifier.from_json(
            json.dumps({**stored, "parameters": [*stored["parameters"], 1.0, 1.0, 1.0]})
        )


@pytest.mark.slow
def test_a_fixed_classifier_has_rules_only():
    y, P = np.repeat([0, 1, 2], 5), np.random.default_rng(0).dirichlet(np.ones(3), 15)
    front = pr.front(y, P, draws=50)
    assert front.rule(0).costs == tuple(map(tuple, front.costs[0].tolist()))
    with pytest.raises(InputError, match=r"a fixed classifier is not in the front; apply front.rule"):
        front.deploy(0)
    with pytest.raises(InputError, match="evaluated"):
        front.on(P, y)


def test_held_out_cases_are_counted_again(searched):
    """Each point decides by its own parameters and costs; all tables once more by `decide`."""
    _, _, result = searched
    sizes = (15, 12) if len(result.classes) == 2 else (15, 12, 18)
    X, y = three_blobs(seed=4, sizes=sizes)
    names = np.array(["a", "b", "c"])[y]
    judged = result.on(X, names, n_points=5000)
    for i in range(0, len(result), max(1, len(result) // 15)):
        decisions = result.deploy(i).decide(X)
        table = [[np.sum((names == k) & (decisions == j)) for j in result.labels] for k in result.labels]
        assert (judged.counts[i] == table).all()
    twin = naive.non_dominated(errors_of(judged.counts).tolist())
    free = {tuple(row) for row in errors_of(judged.counts)[judged.non_dominated].tolist()}
    assert free == twin
    assert judged.gini == pr.fronts.gini_volume(judged.rates, n_points=5000)
    assert judged.apparent_gini == result.gini(n_points=5000)
    assert judged.optimism == judged.apparent_gini - judged.gini
    assert f"{judged.non_dominated.sum()} of {len(result)} points" in repr(judged)
    rows = judged.rows()
    c = len(result.classes)
    assert len(rows) == len(result) * c * (c - 1)
    assert rows[0]["rate_found"] == result.rates[0, 0, 1]
    assert rows[0]["rate"] == judged.rates[0, 0, 1]
    again = pr.results.HeldOut.from_dict(json.loads(json.dumps(judged.to_dict())))
    assert again.to_dict() == judged.to_dict()
    assert repr(again) == repr(judged)


def test_the_logistic_front_on_its_own_cases_is_itself():
    X, y = three_blobs()
    front = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=30)
    same = front.on(X, y, n_points=1000)
    assert (same.counts == front.counts).all()
    assert same.optimism == 0
    assert same.non_dominated.all()


@pytest.mark.slow
def test_a_searched_front_flatters_itself():
    """Sixteen features without meaning: the front of 45 cases is much worse on others."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 16))
    front = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=50)
    judged = front.on(rng.normal(size=(45, 16)), y)
    assert judged.apparent_gini > 0.3
    assert judged.gini < 0.02
    assert judged.optimism > 0.3


@pytest.mark.slow
def test_a_fixed_front_on_other_predictions():
    rng = np.random.default_rng(0)

    def sample(n):
        y = np.repeat([0, 1, 2], n)
        P = rng.dirichlet(np.ones(3), 3 * n) + 0.5 * np.eye(3)[y]
        return y, P / P.sum(axis=1, keepdims=True)

    y, P = sample(30)
    front = pr.front(y, P, draws=400)
    assert (front.evaluated(y, P, n_points=100).counts == front.counts).all()
    z, R = sample(20)
    judged = front.evaluated(z, R, n_points=1000)
    for i in range(0, len(front), len(front) // 9):
        decisions = front.rule(i).decide(R)
        table = [[np.sum((z == k) & (decisions == j)) for j in range(3)] for k in range(3)]
        assert (judged.counts[i] == table).all()
    for wrong in ((z, R[:, 0]), (z, {"a": R, "b": R})):
        with pytest.raises(InputError):
            front.evaluated(*wrong)
    with pytest.raises(InputError, match="every class"):
        front.evaluated(z[z < 2], R[z < 2])
    X, y = three_blobs()
    with pytest.raises(InputError, match=r"give features: on\(X, y\)"):
        pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=1).evaluated(z, R)


@pytest.mark.slow
def test_weights_count_a_case_as_often_as_it_weighs(searched):
    """On other cases, of a fixed classifier, and in the search itself; a weight of 0 takes a case out."""
    X, y, result = searched
    w = np.arange(len(y)) % 3
    weighted = result.on(X, y, sample_weight=w, n_points=100)
    again = result.on(np.repeat(X, w, axis=0), np.repeat(y, w), n_points=100)
    assert (weighted.counts == again.counts).all()
    assert weighted.provenance.weighted
    c = len(result.classes)
    P = np.random.default_rng(0).dirichlet(np.ones(c), len(y))
    fixed = pr.front(y, P, draws=100)
    heavy = fixed.evaluated(y, P, sample_weight=w, n_points=100)
    assert (heavy.counts == fixed.evaluated(np.repeat(y, w), np.repeat(P, w, axis=0), n_points=100).counts).all()
    with pytest.raises(InputError, match="whole numbers"):
        fixed.evaluated(y, P, sample_weight=w + 0.5)


def test_weights_in_a_search():
    """Posteriors that need no training cases, so that repeated cases are searched alike; the fit sees the rows."""
    X, y = three_blobs()
    w = np.arange(len(y)) % 3
    weighted = pr.search_front(Tilt(), X, y, generations=30, sample_weight=w)
    repeated = pr.search_front(Tilt(), np.repeat(X, w, axis=0), np.repeat(y, w), generations=30)
    assert (weighted.counts == repeated.counts).all()
    assert (weighted.parameters == repeated.parameters).all()
    assert weighted.provenance.weighted
    assert weighted.provenance.cases == {str(k): int(np.sum((y == k) & (w > 0))) for k in range(3)}
    plain = pr.search_front(Tilt(), X, y, generations=3)
    with pytest.raises(InputError, match="other cases"):
        pr.search_front(Tilt(), X, y, generations=5, sample_weight=np.full(len(y), 2), resume=plain)
    for bad, message in ((w[:-1], "one number per case"), (-w, "0 or more"), (0 * w, "add up to 1")):
        with pytest.raises(InputError, match=message):
            pr.search_front(Tilt(), X, y, sample_weight=bad)
    with pytest.raises(NotApplicableError, match="none of '1'"):
        pr.search_front(Tilt(), X, y, sample_weight=np.where(y == 1, 0, 1))


def test_always_the_second_of_two_also_where_its_probability_is_zero():
    y, P = np.array([0, 1, 0, 1]), np.array([[1.0, 0.0], [1.0, 0.0], [0.3, 0.7], [0.2, 0.8]])
    front = pr.front(y, P)
    judged = front.evaluated(y, P)
    assert (judged.counts == front.counts).all()


def test_a_family_of_ones_own_is_given_for_other_cases():
    X, y = three_blobs()
    family = Tilt()
    front = pr.search_front(family, X, y, generations=20)
    with pytest.raises(InputError, match="family tilt is not in the front; give it as family="):
        front.on(X, y)
    assert (front.on(X, y, family=family, n_points=10).counts == front.counts).all()
