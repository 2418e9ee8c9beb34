"""Fronts of a fixed classifier: nothing dominates, costs make the decisions, two classes are the ROC curve."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
from polyroc.errors import InputError, MissingFileError, NotApplicableError
from polyroc.fronts.cost_distribution import CostDistribution
from polyroc.fronts.cost_proposals import first_costs
from polyroc.rules import CostRule
from strategies import classes, weights


def sample(rng, sizes, pull=0.4, decimals=12):
    c = len(sizes)
    y = np.repeat(np.arange(c), sizes)
    P = rng.dirichlet(np.ones(c), size=len(y)) + pull * np.eye(c)[y]
    P = (P / P.sum(axis=1, keepdims=True)).round(decimals)
    return y, P


@st.composite
def cases(draw, c=None):
    """(y, P): probabilities with few distinct values, zeros among them, or many."""
    y = draw(classes(c=c))
    c = int(y.max()) + 1
    number = draw(st.sampled_from([st.integers(0, 3).map(float), st.floats(0, 1)]))
    rows = draw(st.lists(st.lists(number, min_size=c, max_size=c), min_size=len(y), max_size=len(y)))
    P = np.array(rows)
    P[P.sum(axis=1) < 1e-3] = 1.0
    return y, P / P.sum(axis=1, keepdims=True)


def errors_of(matrices):
    matrices = np.asarray(matrices)
    return matrices[:, ~np.eye(matrices.shape[1], dtype=bool)]


@pytest.mark.slow
@given(st.data())
def test_the_front_is_the_non_dominated_part_of_all_draws(data):
    y, P = data.draw(cases(c=3))
    w = data.draw(st.one_of(st.none(), weights(y, whole=True)))
    front = pr.front(y, P, draws=59, rng=5, sample_weight=w, concentration=1.0)
    distribution, rng = CostDistribution(1.0 - np.eye(3), []), np.random.default_rng(5)
    whole = np.ones(len(y), dtype=int) if w is None else w.astype(int)
    first = first_costs(np.bincount(y, whole, 3).astype(int))
    drawn = np.concatenate([first, *(distribution.sample(3, rng) for _ in range(15))])
    tallies = [naive.decision_counts(y.tolist(), P.tolist(), costs.tolist(), whole.tolist()) for costs in drawn]
    twin = naive.non_dominated(errors_of(tallies).tolist())
    assert {tuple(row) for row in errors_of(front.counts).tolist()} == twin
    assert len(front) == len(twin)
    for counts, costs in zip(front.counts, front.costs, strict=True):
        assert naive.decision_counts(y.tolist(), P.tolist(), costs.tolist(), whole.tolist()) == counts.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(300, 290, 310), (40, 1, 30, 20)])
def test_the_costs_of_a_point_are_a_deployable_rule(sizes):
    """`CostRule` with these costs decides number for number the same; more cases than are decided at a time."""
    y, P = sample(np.random.default_rng(0), sizes, decimals=2)
    P /= P.sum(axis=1, keepdims=True)
    front = pr.front(y, P, draws=400)
    for i in range(0, len(front), max(1, len(front) // 12)):
        decisions = CostRule(tuple(range(len(sizes))), front.costs[i]).codes(P)
        table = np.zeros((len(sizes), len(sizes)))
        np.add.at(table, (y, decisions), 1)
        assert (front.counts[i] == table).all()
        assert (front.rates[i] == table / table.sum(axis=1, keepdims=True)).all()
        assert front.costs[i].sum() == pytest.approx(1, abs=1e-12)


@given(st.data())
def test_two_classes_are_the_staircase_of_the_roc_curve(data):
    y, P = data.draw(cases(c=2))
    P[:, 0] = 1 - P[:, 1]
    w = data.draw(st.one_of(st.none(), weights(y, whole=True)))
    front = pr.front(y, P, sample_weight=w)
    curve = pr.curve(y, P[:, 1], sample_weight=w, drop_intermediate=False, method=None)
    totals = front.counts[0].sum(axis=1)
    errors = np.stack([curve.fpr, 1 - curve.tpr], axis=1) * totals
    twin = naive.non_dominated(errors.round().astype(int).tolist())
    assert [tuple(row) for row in errors_of(front.counts).tolist()] == sorted(twin)
    assert front.exact
    assert front.gini().standard_error == 0
    assert front.gini() <= 2 * curve.hull().area - 1 + 1e-12


def test_one_probability_of_two_classes_is_enough():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [20, 30])
    p = np.clip(rng.normal(0.4 + 0.2 * y, 0.2), 0, 1)
    both = pr.front(y, np.column_stack([1 - p, p]))
    for front in (pr.front(y, p), pr.front(y, 1 - p, pos_label=0)):
        assert front.counts.tolist() == both.counts.tolist()
        assert front.evaluated(y, p).counts.tolist() == both.counts.tolist()
    chosen = pr.operate(pr.front(y, p), at_least={1: 0.9}, evaluate_on=(y, p))
    assert chosen.rates[1, 1] >= 0.9
    assert [*pr.front(y, {"a": p, "b": 1 - p})] == ["a", "b"]


def test_two_classes_are_bounded_by_cost_ratios():
    """An error on 0 costs 1 to 3 times one on 1: thresholds from 1/2 to 3/4, whichever way it is written."""
    P1 = np.array([0.1, 0.4, 0.6, 0.7, 0.9])
    y = np.array([0, 1, 1, 0, 1])
    P = np.column_stack([1 - P1, P1])
    one = pr.front(y, P, bounds={((0, 1), (1, 0)): (1, 3)})
    other = pr.front(y, P, bounds={((1, 0), (0, 1)): (1 / 3, 1)})
    called = [(t < P1).astype(int) for t in (0.5, 0.65, 0.72)]
    tables = [[np.sum((y == 0) & (s == 1)), np.sum((y == 1) & (s == 0))] for s in called]
    twin = sorted(naive.non_dominated([list(map(int, row)) for row in tables]))
    assert [tuple(r) for r in errors_of(one.counts).tolist()] == twin == [(0, 2), (1, 1)]
    assert errors_of(pr.front(y, P).counts).tolist() == [[0, 2], [1, 0]]
    assert (one.counts == other.counts).all()
    ratio = one.costs[:, 0, 1] / one.costs[:, 1, 0]
    assert ((ratio >= 1) & (ratio <= 3)).all()
    with pytest.raises(InputError, match="contradict"):
        pr.front(y, P, bounds={((0, 1), (1, 0)): (2, 3), ((1, 0), (0, 1)): (2, 3)})


@pytest.mark.slow
def test_many_draws_reach_the_cheapest_rule_for_given_costs():
    """No rule of the family that `operate` finds is cheaper by far than the cheapest point of the front."""
    y, P = sample(np.random.default_rng(3), (30, 30, 30))
    front = pr.front(y, P, draws=5_000)
    for costs in np.random.default_rng(4).exponential(size=(3, 3, 3)) * (1 - np.eye(3)):
        aim = pr.operate(y, P, costs=costs, priors=[1 / 3] * 3, evaluate_on=(y, P))
        cheapest = (front.rates * costs).sum(axis=(1, 2)).min() / 3
        assert cheapest <= aim.expected_cost + costs.max() / 90 + 1e-12  # one case more at most


def test_bounds_and_alphas_shape_the_draws():
    costs = CostDistribution(1.0 - np.eye(3), [((0, 1), (1, 0), 2.0, 4.0), ((2, 0), (0, 2), 0.0, np.inf)])
    drawn = costs.sample(500, np.random.default_rng(0))
    ratio = drawn[:, 0, 1] / drawn[:, 1, 0]
    assert ((ratio >= 2) & (ratio <= 4)).all()
    assert (np.einsum("nkk->nk", drawn) == 0).all()
    alphas = np.array([[0, 400.0, 100], [100, 0, 100], [100, 200, 0]])
    means = CostDistribution(alphas, []).sample(500, np.random.default_rng(0)).mean(axis=0)
    assert means == pytest.approx(alphas / 1000, abs=0.004)  # sd of a share .4 is .0155, of 500 draws .0007
    y, P = sample(np.random.default_rng(0), (20, 20, 20))
    plain = pr.front(y, P, draws=300, concentration=1)
    known = pr.front(
        y, P, draws=300, concentration={(0, 1): 300, (1, 0): 100, (2, 0): 100, (0, 2): 100, (1, 2): 100}
    )
    assert len(known) < len(plain)
    same = [pr.front(y, P, draws=60, concentration=a) for a in (2, np.full((3, 3), 2.0))]
    assert (same[0].counts == same[1].counts).all()


@pytest.mark.slow
def test_the_seed_decides_and_threads_do_not():
    y, P = sample(np.random.default_rng(0), (50, 60, 70))
    one, two = (pr.front(y, P, draws=700, rng=7, n_jobs=jobs) for jobs in (1, 3))
    assert (one.counts == two.counts).all()
    assert (one.costs == two.costs).all()
    assert one.growth == two.growth
    assert one.provenance.seed == 7
    assert not np.array_equal(one.costs, pr.front(y, P, draws=700, rng=8).costs)


@pytest.mark.slow
def test_growth_shows_how_the_front_grew():
    y, P = sample(np.random.default_rng(0), (50, 60, 70))
    calls = []
    front = pr.front(y, P, draws=1000, progress=lambda *step: calls.append(step))
    growth = front.growth
    assert growth.draws[-1] == 1000
    assert growth.sizes[-1] == len(front)
    assert (np.diff(growth.gini) >= 0).all()
    assert 0 <= growth.lately < growth.gini[-1]
    gini = front.gini(n_points=100_000)
    assert abs(growth.gini[-1] - gini) < 4 * np.sqrt(gini * (1 - gini) * (1 / 20_000 + 1 / 100_000))
    assert [done for done, _, _ in calls] == [0, *growth.draws]
    assert calls[-1][2].startswith(f"{len(front)} points")
    half = [g for draws, g in zip(growth.draws, growth.gini, strict=True) if draws <= 500][-1]
    assert growth.lately == growth.gini[-1] - half


def soft(rng, classes, cases, odds):
    y = np.arange(cases) % classes
    P = np.exp(rng.normal(size=(cases, classes)) + odds * np.eye(classes)[y])
    return y, P / P.sum(axis=1, keepdims=True)


def searched(y, P, **options):
    front = pr.front(y, P, **options)
    assert isinstance(front, pr.results.Front)
    return front


def grown(front, *gini):
    growth = pr.fronts.result.Growth((500, 1000), (len(front), len(front)), gini)
    return replace(front, growth=growth)


def test_ten_classes_are_not_called_converged_nor_chance():
    """Four of five are right, but of 20,000 random points in 90 dimensions none is dominated."""
    front = searched(*soft(np.random.default_rng(5), 10, 300, 2.5), draws=50, concentration=1)
    assert front.growth.gini[-1] < 0.001
    assert not front.converged
    assert front.convergence.startswith("Not known to have converged after 50 cost vectors: G is from ")
    assert "of 20,000 random points, too few to tell" in front.convergence
    assert "nothing better than chance" not in repr(front) + front.convergence
    assert "90 dimensions, where near 0 does not mean near chance: about 9" in front.dimension_note
    assert "90 dimensions" in grown(front, 0.1, 0.2).dimension_note  # what G means there is said at any G


def test_a_rise_of_a_share_of_a_small_volume_is_no_convergence():
    front = searched(*soft(np.random.default_rng(0), 3, 60, 1.0), draws=60, concentration=1)
    for gini, converged in (
        ((0.02, 0.024), False),  # less than 0.005, but a sixth of it
        ((0.6, 0.604), True),
        ((0.6, 0.606), False),
        ((0.00010, 0.00010), False),  # two points
        ((0.02, 0.0203), True),
    ):
        changed = grown(front, *gini)
        assert changed.converged == converged
        assert changed.convergence.startswith("Converged") == converged
        assert bool(changed.dimension_note) == (gini[-1] < 0.05)
    assert "6 dimensions" in changed.dimension_note


def test_the_note_on_dimensions_is_nearly_that_of_one_point():
    rates = np.full((3, 3), 0.18) + np.eye(3) * 0.46  # 64 % right
    gini = float(pr.fronts.gini_volume(rates, n_points=50_000))
    front = searched(*soft(np.random.default_rng(0), 3, 60, 1.0), draws=20, concentration=1)
    (right,) = re.findall(r"about ([\d.]+) % right", grown(front, gini, gini).dimension_note)
    assert float(right) == pytest.approx(64, abs=1.5)


@pytest.mark.slow
def test_errors_of_gini_are_over_cases_and_searches():
    y, P = soft(np.random.default_rng(2), 3, 45, 1.5)
    front = searched(y, P, draws=200)
    errors = front.gini_errors(replicates=15)
    assert errors.search == 0.2 * front.growth.lately
    whole = pr.fronts.front_volumes(front, n_points=100, cases=(y, P), replicates=15)
    assert errors.cases == pytest.approx(whole.standard_error("classifier"), rel=0.35)
    assert errors.cases > 5 * front.gini().standard_error
    stored = pr.results.Front.from_dict(front.to_dict())
    assert stored.gini_errors() == (None, errors.search)
    two = searched(y % 2, P[:, :2] / P[:, :2].sum(axis=1, keepdims=True))
    assert two.gini_errors().search == 0
    assert two.gini_errors().cases > 0


@pytest.mark.slow
@pytest.mark.parametrize(("classes", "cases", "odds"), [(3, 60, 1.3), (4, 80, 1.8), (3, 200, 1.0)])
def test_searches_with_other_seeds_differ_by_no_more_than_the_printed_error(classes, cases, odds):
    y, P = soft(np.random.default_rng(11), classes, cases, odds)
    fronts = [searched(y, P, draws=1500, rng=seed) for seed in range(10)]
    spread = np.std([front.gini(n_points=50_000) for front in fronts], ddof=1)
    printed = np.mean([front.gini_errors(replicates=3).search for front in fronts])
    assert printed / 10 < spread < 1.4 * printed  # 1.4: of a standard deviation from ten


@pytest.mark.filterwarnings("ignore::polyroc.errors.SuspectInputWarning")  # columns are exchanged on purpose
@pytest.mark.slow
def test_volumes_of_fronts_are_those_of_their_rates():
    rng = np.random.default_rng(0)
    y, P = sample(rng, (50, 60, 70))
    _, R = sample(rng, (50, 60, 70), pull=0.3)
    front = pr.front(y, {"p": P, "r": R}, draws=300)
    assert set(front) == {"p", "r"}
    p, r = front["p"], front["r"]
    options = {"n_points": 5000, "rng": 1}
    assert p.gini(**options) == pr.fronts.gini_volume(p.rates, **options)
    assert p.exclusive(r, **options) == pr.fronts.exclusive_volume(p.rates, r.rates, **options)
    assert p.gini(**options) - r.gini(**options) == pytest.approx(
        p.exclusive(r, **options) - r.exclusive(p, **options), abs=1e-12
    )
    with pytest.raises(InputError, match="must be a Front"):
        p.exclusive(r.rates)
    with pytest.raises(InputError, match="same classes"):
        p.exclusive(pr.front(y, P, draws=10, labels=[0, 2, 1]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["front.npz", "front.json", "front"])
def test_a_front_is_stored_whole_and_read_back(name, tmp_path):
    y, P = sample(np.random.default_rng(0), (20, 20, 20))
    front = pr.front(y, P, draws=200)
    front.save(tmp_path / name)
    again = pr.results.Front.load(tmp_path / name)
    assert json.dumps(again.to_dict()) == json.dumps(front.to_dict())
    assert (again.rates == front.rates).all()
    assert repr(again) == repr(front)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["front.npz", "front.json"])
def test_damaged_files_are_rejected(name, tmp_path):
    y, P = sample(np.random.default_rng(0), (6, 6, 6))
    file = tmp_path / name
    pr.front(y, P, draws=30).save(file)
    whole = file.read_bytes()
    reference = pr.results.Front.load(file).to_dict()
    for cut in (0, 1, 10, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:cut])
        with pytest.raises(InputError):
            pr.results.Front.load(file)
    refused = 0
    for at in range(0, len(whole), 7):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        try:
            assert (
                pr.results.Front.load(file).to_dict() == reference
            )  # a bit that means nothing, such as a date in a zip
        except InputError:
            refused += 1
    assert refused > len(whole) / 7 / 2


def test_other_files_are_rejected(tmp_path):
    with pytest.raises(MissingFileError, match="There is no file"):
        pr.results.Front.load(tmp_path / "none.npz")
    file = tmp_path / "other"
    for text in ("[]", "{}", '{"kind": "Front", "schema": 99}', "nothing"):
        file.write_text(text)
        with pytest.raises(InputError):
            pr.results.Front.load(file)
    np.savez(tmp_path / "other.npz", counts=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match="not a complete stored front"):
        pr.results.Front.load(tmp_path / "other.npz")
    front = pr.front([0, 1], [[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(InputError, match="cannot be written"):
        front.save(tmp_path / "no" / "folder.npz")
    stored = front.to_dict()
    for name in ("counts", "costs", "growth", "digest", "classes"):
        with pytest.raises(InputError, match="damaged"):
            pr.results.Front.from_dict({key: value for key, value in stored.items() if key != name})


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    front = pr.front([0, 1], [[0.9, 0.1], [0.2, 0.8]])
    file = tmp_path / "front.npz"
    front.save(file)
    before = file.read_bytes()

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match="No space left"):
        front.save(file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["front.npz"]


def test_rows_name_each_error():
    front = pr.front(["b", "a"], [[0.2, 0.8], [0.9, 0.1]])
    assert front.rows() == [
        {"classifier": "classifier", "point": 0, "true": "a", "decision": "b", "rate": 0.0, "cost": 0.45},
        {"classifier": "classifier", "point": 0, "true": "b", "decision": "a", "rate": 0.0, "cost": 0.55},
    ]
    assert front.parameters is None
    assert "<td " in front._repr_html_()


@pytest.mark.filterwarnings("ignore::polyroc.errors.SuspectInputWarning")  # which are noticed first
def test_bad_data_are_rejected():
    y, P = sample(np.random.default_rng(0), (5, 5, 5))
    with pytest.raises(InputError, match=r"sum to 1 .* position 3"):
        pr.front(y, np.where(np.arange(15)[:, None] == 3, 2 * P, P))
    with pytest.raises(InputError, match="0 or more"):
        pr.front(y, P + [0.2, -0.2, 0] * (np.arange(15)[:, None] == 3) * 5)
    with pytest.raises(InputError, match=r"whole numbers, .* got 0.5. Rates do not depend on their scale"):
        pr.front(y, P, sample_weight=np.full(15, 0.5))
    with pytest.raises(InputError, match="less than 2"):
        pr.front(y, P, sample_weight=np.full(15, 2.0**52))
    with pytest.raises(NotApplicableError, match="none of '3'"):
        pr.front(y, np.column_stack([P, np.zeros(15)]), labels=[0, 1, 2, 3])
    with pytest.raises(NotApplicableError, match=r"front of one score needs the probability .* from 1 to 4"):
        pr.front(y > 0, 1 + 3 * (y > 0))
    with pytest.raises(InputError, match="The positive class is ambiguous"):
        pr.front(np.array(["a", "b"])[(y > 0) * 1], P[:, 0])
    with pytest.raises(NotApplicableError, match="decisions"):
        pr.front(["a", "b"], ["a", "b"])
    with pytest.raises(InputError):
        pr.front(y, np.where(np.arange(15)[:, None] == 3, np.nan, P))
    with pytest.raises(InputError, match="true classes and probabilities"):
        pr.front(type("Model", (), {"predict_proba": None})(), P)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 0}, "draws must be"),
        ({"rng": -1}, "rng must be"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"concentration": 0}, "above 0"),
        ({"concentration": [1, 2]}, "concentration must be one number"),
        ({"concentration": "much"}, "concentration must hold numbers"),
        ({"concentration": {(0, 7): 1}}, "not one of the classes"),
        ({"concentration": {(0, 1): -2}}, "above 0"),
        ({"bounds": [1]}, "mapping"),
        ({"bounds": {(0, 1): (1, 2)}}, "by pairs"),
        ({"bounds": {((0, 1), (0, 1)): (1, 2)}}, "different errors"),
        ({"bounds": {((0, 0), (0, 1)): (1, 2)}}, "different errors"),
        ({"bounds": {((0, 1), (1, 0)): (3, 2)}}, "low <= high"),
        ({"bounds": {((0, 1), (1, 0)): 2}}, "low, high"),
        ({"bounds": {((0, 1), (1, 0)): (3, 3)}}, "Hardly any"),
    ],
)
def test_bad_options_are_rejected(options, message):
    y, P = sample(np.random.default_rng(0), (5, 5, 5))
    with pytest.raises(InputError, match=message):
        pr.front(y, P, **options)


def test_the_inputs_are_left_alone():
    y, P = sample(np.random.default_rng(0), (5, 5, 5))
    before = P.copy()
    P.flags.writeable = False
    pr.front(y, P, draws=30)
    assert np.array_equal(P, before)


@pytest.mark.slow
def test_twenty_classes_are_swept():
    y, P = sample(np.random.default_rng(0), (3,) * 20)
    front = pr.front(y, P, draws=20)
    assert front.rates.shape[1:] == (20, 20)
    # the class of largest probability is tried first, and here it is always the true one
    assert front.gini(n_points=50) == front.growth.gini[-1] == 1
