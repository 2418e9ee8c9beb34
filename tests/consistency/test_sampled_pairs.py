"""Measure against measure by drawing pairs: models, quick values, intervals."""

from dataclasses import dataclass
from itertools import pairwise
from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import polyroc as pr
from polyroc.consistency.bulk import goodness, levels, signs
from polyroc.errors import InputError, NotApplicableError, UndefinedMeasureWarning
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.outputs import ClassifierOutputs
from polyroc.measures.registry import MEASURES
from polyroc.measures.sample import Sample
from polyroc.validation.scores import as_scores

KEYS = [
    key for key, measure in MEASURES.items() if measure.needs in ("columns", "probabilities") and not measure.roles
]
KEYS += ["accuracy", "pairwise_accuracy", "macro_average", "ht3", "he(scoring='linear')", "he(scoring='distance')"]


@st.composite
def columns(draw):
    """A few outputs of two to four classes; few distinct probabilities, or many."""
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=2, max_size=4)))
    shape = (draw(st.integers(1, 3)), sum(sizes), len(sizes))
    number = draw(st.sampled_from([st.integers(0, 3).map(lambda v: v / 4), st.floats(0, 1)]))
    values = draw(st.lists(number, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    return ClassifierOutputs(np.array(values).reshape(shape), sizes)


@pytest.mark.slow
@given(columns(), st.sampled_from(KEYS))
@settings(max_examples=150, deadline=None)
def test_values_of_many_outputs_are_those_of_each(outputs, key):
    measure = pr.measure(key)
    if inapplicable_reason(measure, outputs.scores(0), by_name=True) is not None:
        return
    expected = [measure(Sample(outputs.scores(i), "output")).value for i in range(len(outputs))]
    assert goodness(measure, outputs) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "key", ["auc", "gini", "accuracy", "sensitivity", "specificity", "ppv", "npv", "expected_cost"]
)
def test_two_classes_by_columns(key):
    rng = np.random.default_rng(5)
    P = rng.random((40, 9, 1)).round(1)
    outputs = ClassifierOutputs(np.concatenate([1 - P, P], axis=2), (4, 5))
    measure = pr.measure(key)
    sign = 1 if measure.larger_is_better else -1
    expected = [sign * measure(Sample(outputs.scores(i), "output")).value for i in range(len(outputs))]
    assert goodness(measure, outputs) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_the_quick_way_to_he_by_its_definition():
    rng = np.random.default_rng(1)
    P = rng.dirichlet(np.ones(3), size=(12, 8)).round(1)  # ties, and zeros
    outputs = ClassifierOutputs(P, (3, 2, 3))
    values = goodness(pr.measure("he"), outputs)
    y = np.repeat([0, 1, 2], (3, 2, 3))
    assert values == pytest.approx([naive.he(y, row, np.ones(8)) for row in P], abs=1e-12)


def test_values_that_differ_by_rounding_are_equal():
    assert signs(np.array([0.1 + 0.2, 1.0, 2.0]), np.array([0.3, 1.0 + 1e-9, 1.0])).tolist() == [0, -1, 1]
    assert levels(np.array([0.5, 0.1 + 0.2, 0.3, -1.0])).tolist() == [2, 1, 1, 0]


# Simulation models -----------------------------------------------------------------------------------------------


def predictions(kind="matrix"):
    rng = np.random.default_rng(2)
    y = np.repeat(["a", "b", "c"], (6, 9, 5))
    own = np.eye(3)[np.unique(y, return_inverse=True)[1]]
    made = {}
    for name, pull in (("good", 1.5), ("poor", 0.5), ("third", 0.1)):
        P = np.exp(pull * own + rng.normal(size=own.shape))
        P /= P.sum(axis=1, keepdims=True)
        made[name] = P if kind == "matrix" else P[:, 2] - P[:, 0]
    return y, made


MODELS = [
    pr.consistency.RankedLists((4, 6), cut=5),
    pr.consistency.RankedLists((4, 6), levels=3),
    pr.consistency.GaussianModel((3, 4, 5), rival=2.0, correlation=0.5),
    pr.consistency.GaussianModel((3, 4), form="score", cut=2),
    pr.consistency.DirichletModel((3, 4, 5), rival=2.0),
    pr.consistency.ResampledModel(*predictions(), classifiers=("good", "poor")),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_models_draw_from_their_distribution(model):
    one, two = model.draw(np.random.default_rng(0), 7)
    for outputs in (one, two):
        assert len(outputs) == 7
        assert outputs.sizes == model.sizes
        assert outputs.values.shape[1] == sum(model.sizes)
        assert np.isfinite(outputs.values).all()
        if outputs.values.ndim == 3:
            assert outputs.values.sum(axis=2) == pytest.approx(1.0, abs=1e-12)
        assert outputs.decided.sum(axis=2) == pytest.approx(1.0, abs=1e-12)
    again, _ = model.draw(np.random.default_rng(0), 7)
    assert (again.values == one.values).all()
    assert (one.values != two.values).any()


def test_the_better_rival_is_better():
    for model in (
        pr.consistency.GaussianModel((10, 10, 10), separation=0.5, rival=2.0),
        pr.consistency.DirichletModel((10, 10, 10), precision=1.0, rival=50.0),
    ):
        one, two = (
            goodness(pr.measure("hand_till"), outputs) for outputs in model.draw(np.random.default_rng(0), 200)
        )
        assert (two > one).mean() > 0.9


def test_gaussian_scores_have_the_known_area_and_correlation():
    model = pr.consistency.GaussianModel((50, 50), separation=1.0, correlation=0.6, form="score")
    one, two = model.draw(np.random.default_rng(0), 400)
    area = goodness(pr.measure("auc"), one)
    assert area.mean() == pytest.approx(0.7602499, abs=4 * area.std() / 20)  # four standard errors
    noise = np.corrcoef(one.of(0).ravel(), two.of(0).ravel())[0, 1]
    assert noise == pytest.approx(0.6, abs=4 * 0.64 / np.sqrt(20000))


def test_dirichlet_probabilities_are_right_on_average():
    """Given the class, the mean of p is that of the truth: (clarity + [own]) / (c clarity + 1)."""
    one, _ = pr.consistency.DirichletModel((1, 1, 1), precision=3.0).draw(np.random.default_rng(0), 20000)
    expected = (1.0 + np.eye(3)) / 4.0
    assert one.values.mean(axis=0) == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(20000))


def test_resampled_cases_are_the_user_s_own_and_paired():
    y, made = predictions()
    model = pr.consistency.ResampledModel(y, made, classifiers=("good", "third"), sizes=(2, 3, 4))
    one, two = model.draw(np.random.default_rng(0), 5)
    for i in range(5):
        for row, other, k in zip(one.values[i], two.values[i], one.codes, strict=True):
            (case,) = np.flatnonzero((made["good"] == row).all(axis=1))
            assert (made["third"][case] == other).all()
            assert y[case] == "abc"[k]


def test_resampled_weights_are_chances():
    y, made = predictions()
    weight = np.where(np.arange(len(y)) % 2, 0.0, 1.0)
    scores = as_scores(y, {name: made[name] for name in ("good", "poor")}, sample_weight=weight)
    one, _ = pr.consistency.ResampledModel(scores).draw(np.random.default_rng(0), 50)
    drawn = {tuple(row) for row in one.values.reshape(-1, 3)}
    assert drawn == {tuple(row) for row in made["good"][weight > 0]}


def test_a_positive_class_that_comes_first_is_called_at_the_top():
    y = np.array(["sick"] * 4 + ["well"] * 5)
    scores = {"a": np.arange(9.0)[::-1], "b": np.arange(9.0)}
    model = pr.consistency.ResampledModel(y, scores, pos_label="sick")
    one, two = model.draw(np.random.default_rng(0), 3)
    assert goodness(pr.measure("auc"), one).tolist() == [1.0] * 3
    assert goodness(pr.measure("accuracy"), one) == pytest.approx([1.0] * 3)
    assert goodness(pr.measure("auc"), two).tolist() == [0.0] * 3
    assert model.sizes == (5, 4)


@dataclass(frozen=True)
class Coin:
    """A model of one's own: the second classifier is the first, turned round."""

    sizes: tuple[int, ...] = (2, 3)

    def draw(self, rng, pairs):
        values = rng.random((pairs, 5))
        return ClassifierOutputs(values, self.sizes, self.sizes), ClassifierOutputs(
            1.0 - values, self.sizes, self.sizes
        )


def test_a_user_defined_model():
    comparison = pr.compare_measures("auc", "gini", model=Coin(), pairs=300, rng=0)
    assert comparison.counts.disagree == 0
    assert comparison.undecided == 300 - comparison.counts.agree  # AUC 1/2 on both sides
    assert comparison.undecided > 0


@dataclass(frozen=True)
class Strange:
    sizes: tuple[int, ...] = (2, 3)

    def draw(self, rng, pairs):
        return ClassifierOutputs(rng.random((pairs, 5)), self.sizes), ClassifierOutputs(
            rng.random((pairs, 5)), self.sizes
        )


def test_a_model_that_returns_something_else_raises(monkeypatch):
    with pytest.raises(NotApplicableError, match="no cut"):
        pr.compare_measures("auc", "accuracy", model=Strange())
    assert pr.compare_measures("auc", "sensitivity(threshold=0.5)", model=Strange(), pairs=50, rng=0).pairs == 50
    monkeypatch.setattr(Strange, "draw", lambda _, rng, pairs: rng.random((pairs, 5)))
    with pytest.raises(InputError, match="must give two ClassifierOutputs, got ndarray"):
        pr.compare_measures("auc", "accuracy", model=Strange())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pr.consistency.RankedLists((0, 5)), "one case or more"),
        (lambda: pr.consistency.RankedLists(5), "cases of each class"),
        (lambda: pr.consistency.RankedLists((5,)), "two classes or more"),
        (lambda: pr.consistency.RankedLists((5, 5), cut=11), "cut must be"),
        (lambda: pr.consistency.RankedLists((5, 5), levels=0), "levels must be"),
        (lambda: pr.consistency.GaussianModel((5, 5), separation=inf), "separation must be a finite number"),
        (
            lambda: pr.consistency.GaussianModel((5, 5), correlation=1.5),
            "correlation must be a number from -1 to 1",
        ),
        (lambda: pr.consistency.GaussianModel((5, 5), form="row"), "form must be"),
        (lambda: pr.consistency.GaussianModel((5, 5), cut=3), "cut is valid for form='score'"),
        (lambda: pr.consistency.DirichletModel((5, 5), precision=0), "precision must be a number from"),
        (
            lambda: pr.consistency.ResampledModel(*predictions(), classifiers=("good", "poor"), cut=3),
            "cut is valid for one score",
        ),
        (lambda: pr.consistency.ResampledModel(*predictions()), "Expected two classifiers"),
        (
            lambda: pr.consistency.ResampledModel(*predictions(), classifiers=("good", "none")),
            "Expected two classifiers",
        ),
        (
            lambda: pr.consistency.ResampledModel(*predictions("score"), classifiers=("good", "poor")),
            "order of the classes must be known",
        ),
        (
            lambda: pr.consistency.ResampledModel(*predictions(), classifiers=("good", "poor"), sizes=(3, 3)),
            "3 numbers",
        ),
    ],
)
def test_invalid_models_raise(make, message):
    with pytest.raises(InputError, match=message):
        make()


# Several measures -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_sampled_intervals_cover_the_exact_values():
    """Intervals at 90 % hold at least so often: in 45 of 60 draws or more, but for one time in 1000."""
    exact = pr.compare_measures("auc", "accuracy", positives=6, negatives=4, cut=5)
    counts = np.zeros(2)
    for seed in range(60):
        comparison = pr.compare_measures(
            "auc", "accuracy", model=pr.consistency.RankedLists((4, 6), cut=5), pairs=400, rng=seed
        )
        C, D = comparison.consistency_interval(0.9), comparison.discriminancy_interval(0.9)
        counts += [C.low <= exact.consistency <= C.high, D.low <= exact.discriminancy <= D.high]
    assert (counts >= 45).all()


def test_sampled_counts_have_the_exact_shares():
    exact = pr.compare_measures("auc", "accuracy", positives=5, negatives=5)
    comparison = pr.compare_measures(
        "auc", "accuracy", model=pr.consistency.RankedLists((5, 5)), pairs=20000, rng=3
    )
    lists = 252  # two random lists are the same one in 252 times, which the exact count leaves out
    for drawn, counted in zip(
        (*comparison.counts, comparison.undecided), (*exact.counts, exact.undecided), strict=True
    ):
        share = 2 * counted / lists**2 + (counted == exact.undecided) / lists
        assert drawn == pytest.approx(20000 * share, abs=4.5 * np.sqrt(20000 * share) + 1)


def test_zero_counts_leave_a_valid_interval():
    comparison = pr.compare_measures(
        "he", "accuracy", model=pr.consistency.GaussianModel((12, 12, 12)), pairs=200, rng=0
    )
    assert comparison.counts.only_second == 0
    assert comparison.discriminancy == inf
    low, high = comparison.discriminancy_interval()
    assert 1 < low < inf
    assert high == inf
    same = pr.compare_measures("auc", "gini", model=pr.consistency.RankedLists((4, 4)), pairs=50, rng=0)
    assert same.consistency == 1
    assert same.consistency_interval().low < 1
    assert isnan(same.discriminancy)
    assert all(map(isnan, same.discriminancy_interval()))
    assert same.conclusion().startswith("Neither")


@pytest.mark.slow
def test_the_answer_does_not_depend_on_the_workers():
    keys = ["hand_till", "accuracy", "mossman"]
    reports = []
    comparisons = [
        pr.compare_measures(
            keys,
            model=pr.consistency.DirichletModel((4, 5, 6)),
            pairs=1500,
            rng=9,
            n_jobs=n,
            progress=lambda *a: reports.append(a),
        )
        for n in (1, 3)
    ]
    assert comparisons[0].to_dict() == comparisons[1].to_dict()
    assert reports[0][1:] == (1500, "1500 pairs")
    assert [done for done, _, _ in reports].count(1500) == 2
    assert all(a[0] < b[0] for a, b in pairwise(reports[: len(reports) // 2]))
    other = pr.compare_measures(keys, model=pr.consistency.DirichletModel((4, 5, 6)), pairs=1500, rng=10)
    assert other.to_dict() != comparisons[0].to_dict()
    assert comparisons[0]["hand_till", "accuracy"].provenance.seed == 9


def test_pairs_that_neither_measure_separates_are_named():
    model = pr.consistency.RankedLists((3, 3))
    comparison = pr.compare_measures("auc", "accuracy", model=model, pairs=500, rng=4)
    one, two = model.draw(np.random.default_rng(np.random.SeedSequence(4).spawn(1)[0]), 500)
    level = np.ones(500, dtype=bool)
    for key in ("auc", "accuracy"):
        level &= signs(goodness(pr.measure(key), one), goodness(pr.measure(key), two)) == 0
    assert comparison.undecided_pairs.tolist() == np.flatnonzero(level).tolist()
    assert comparison.undecided == level.sum() > 0
    assert comparison.joint.total == 1000
    assert pr.results.MeasureComparison.from_dict(comparison.to_dict()).undecided_pairs is None


def test_a_cost_counts_as_better_where_it_is_smaller():
    model = pr.consistency.GaussianModel((6, 6), form="score")
    comparison = pr.compare_measures(["accuracy", "expected_cost", "auc"], model=model, pairs=400, rng=1)
    assert comparison["accuracy", "expected_cost"].consistency == 1  # equal costs: one less accuracy
    assert comparison["accuracy", "expected_cost"].counts[2:] == (0, 0)
    assert comparison["auc", "expected_cost"].consistency > 0.5
    assert comparison["auc", "expected_cost"].joint.second.min() >= 0


def test_pairs_without_a_value_are_left_out():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 6)
    P = {name: np.clip(rng.normal(0.45, 0.1, 12), 0, 1) for name in "ab"}
    model = pr.consistency.ResampledModel(y, {name: np.column_stack([1 - p, p]) for name, p in P.items()})
    with pytest.warns(UndefinedMeasureWarning, match="left out"):
        comparison = pr.compare_measures("auc", "ppv", model=model, pairs=300, rng=0)
    assert 0 < comparison.pairs < 300


def test_measures_that_do_not_apply_to_the_model_raise():
    with pytest.raises(NotApplicableError, match="vus cannot be applied"):
        pr.compare_measures("vus", "accuracy", model=pr.consistency.DirichletModel((3, 3, 3)))
    with pytest.raises(NotApplicableError, match="sahiner cannot be applied"):
        pr.compare_measures("sahiner", "accuracy", model=pr.consistency.DirichletModel((3, 3, 3)))


def test_unbalanced_classes_of_any_number():
    comparison = pr.compare_measures(
        ["hand_till", "ova", "macro_average"], model=pr.consistency.DirichletModel((2, 9, 4, 3)), pairs=300, rng=0
    )
    assert 0.5 < comparison["hand_till", "ova"].consistency < 1
    assert comparison.consistency.shape == (3, 3)
