"""He & Frey's volume: against its definition, its surface, exact fractions, published numbers and simulation."""

import json
from itertools import permutations, product
from math import factorial, hypot, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
from polyroc.errors import MeasureError, NotApplicableError
from polyroc.inference.covariance import variance
from polyroc.kernels import threads, triples
from polyroc.kernels.assignments import worths
from polyroc.kernels.triple_blocks import block_volumes, divide
from polyroc.measures import assignment, random_tuples
from polyroc.validation.scores import normalise
from published.iris_loo import posteriors
from samples import samples_of
from strategies import classes, probabilities, weights

SCORINGS = ("log", "linear", "distance")
CLOSE = {"rtol": 0, "atol": 1e-12}
EXTREME = [0.0, -0.0, -1e-17, 5e-324, 2.2e-308, 1e-300, 0.5, float(np.nextafter(0.5, 1)), 1.0]


def ask(y, P, scoring="log", **options):
    return pr.evaluate(y, P, measure=pr.measure("he", scoring=scoring), labels=range(np.shape(P)[1]), **options)


def model(sizes, separation, rng):
    """Classes of these sizes, and probabilities that tell them apart more or less."""
    c = len(sizes)
    y = np.repeat(np.arange(c), sizes)
    P = rng.dirichlet(np.ones(c), size=len(y)) + separation * np.eye(c)[y]
    return y, P / P.sum(axis=1, keepdims=True)


def neighbours(sizes, k, rng):
    """The same with the shares of k neighbours."""
    y, P = model(sizes, 0.7, rng)
    return y, rng.multinomial(k, P) / k


@st.composite
def extreme(draw):
    y = draw(classes(c=3))
    row = st.lists(st.sampled_from(EXTREME), min_size=3, max_size=3)
    return y, np.array(draw(st.lists(row, min_size=len(y), max_size=len(y))))


@pytest.mark.parametrize("scoring", SCORINGS)
@given(st.one_of(probabilities(c=3), probabilities(c=4), extreme()), st.data())
def test_value_and_components_are_the_slow_twins(scoring, cases, data):
    y, P = cases
    w = data.draw(st.one_of(st.none(), weights(y)))
    estimate = ask(y, P, scoring, sample_weight=w, method=None)
    given_or_one = np.ones(len(y)) if w is None else w
    assert estimate.value == pytest.approx(naive.he(y, P, given_or_one, scoring), abs=1e-12)
    np.testing.assert_allclose(estimate.components, naive.he_components(y, P, given_or_one, scoring), **CLOSE)
    assert estimate.monte_carlo_error == 0


@pytest.mark.parametrize("sizes", [(1, 1, 1), (1, 7, 2), (6, 1, 9), (2, 3, 2, 3), (1, 2, 1, 2, 1)])
def test_the_slow_twin_with_classes_of_one_and_unequal_sizes(sizes):
    rng = np.random.default_rng(sum(sizes))
    for y, P in (model(sizes, 0.3, rng), neighbours(sizes, 5, rng)):
        for scoring in SCORINGS:
            ones = np.ones(len(y))
            estimate = ask(y, P, scoring, method=None)
            assert estimate.value == pytest.approx(naive.he(y, P, ones, scoring), abs=1e-12)
            np.testing.assert_allclose(estimate.components, naive.he_components(y, P, ones, scoring), **CLOSE)


def exact_worth(rows):
    """The worth of a tuple of rows of whole numbers, by products without rounding."""
    right, *others = [prod(row[i] for row, i in zip(rows, a, strict=True)) for a in permutations(range(len(rows)))]
    return 0.0 if max(others) > right else 1.0 / (1 + others.count(right))


@given(st.integers(1, 120), st.integers(3, 4), st.data())
def test_products_of_shares_tie_exactly_where_whole_numbers_do(k, c, data):
    y = data.draw(classes(c=c, most=9))
    near = (
        st.integers(0, k)
        if data.draw(st.booleans())
        else st.sampled_from([0, k // 6, k // 3, k // 2, 2 * k // 3, k])
    )
    counts = data.draw(st.lists(st.lists(near, min_size=c, max_size=c), min_size=len(y), max_size=len(y)))
    estimate = ask(y, np.array(counts) / k, method=None)
    assert estimate.value == pytest.approx(naive.vus(y, counts, np.ones(len(y)), exact_worth), abs=1e-12)


@pytest.mark.parametrize("more", [1e-12, -1e-12])
def test_scores_that_truly_differ_are_not_merged(more):
    P = np.array([[0.5, 0.3, 0.2], [0.5 - more, 0.3, 0.2], [0.1, 0.1, 0.8]])
    for scoring in SCORINGS:
        assert float(ask([0, 1, 2], P, scoring, method=None)) == (more > 0)


@pytest.mark.parametrize("c", [3, 4, 5, 7, 12])
@pytest.mark.parametrize("scoring", SCORINGS)
def test_a_constant_score_gets_one_in_c_factorial(c, scoring):
    y = np.repeat(np.arange(c), range(1, c + 1))
    for p in (1 / c, 0.0, 5e-324):
        estimate = ask(y, np.full((len(y), c), p), scoring, method=None)
        assert estimate.value == pytest.approx(1 / factorial(c), rel=1e-12)
        assert estimate.chance == 1 / factorial(c)


def test_zero_products_tie_among_themselves():
    never = [[0.0, 1.0, 0.0]] * 3  # all six products are zero
    assert float(ask([0, 1, 2], never, method=None)) == pytest.approx(1 / 6, abs=1e-15)
    other = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]  # one other product is not
    assert float(ask([0, 1, 2], other, method=None)) == 0.0
    tiny = [
        [1e-320, 1e-300, 1e-300],
        [1e-300, 1e-290, 1e-300],
        [1e-300, 1e-300, 1e-300],
    ]  # their products underflow
    assert float(ask([0, 1, 2], tiny, method=None)) == 0.0
    assert float(ask([1, 0, 2], tiny, method=None)) == 0.0
    assert float(ask([2, 1, 0], tiny, method=None)) == 1.0


@pytest.mark.parametrize("sizes", [(12, 9, 14), (6, 5, 7, 5)])
def test_priors_and_normalisation_change_nothing_under_log(sizes):
    rng = np.random.default_rng(3)
    for y, P in (model(sizes, 0.4, rng), neighbours(sizes, 6, rng)):
        P = P[P.max(axis=1) > 0]
        other = P * rng.uniform(0.1, 1, size=len(sizes))
        other *= rng.uniform(0.1, 1, size=(len(y), 1)) / other.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(ask(y, P).components, ask(y, other).components, **CLOSE)


# The surface ---------------------------------------------------------------------------------------------------


def union_of_boxes(y, s):
    """The volume of the union over gamma of the boxes [0, TPR_1] x [0, TPR_2] x [0, TPR_3] of the rule.

    The rates are largest where two of the lines gamma_k - gamma_i = s_i(x) - s_k(x) meet: of three directions, so
    that every cell of gammas has such a corner. Whole numbers, so without rounding; a tie is right for all.
    """
    steps = {(i, j): {int(row[j] - row[i]) for row, k in zip(s, y, strict=True) if k in (i, j)} for i, j in PAIRS}
    first, second, third = steps.values()
    corners = {(u + v, v) for u in first for v in second} | {(w, w - u) for u in first for w in third}
    corners |= {(w, v) for v in second for w in third}
    covered = np.zeros([np.sum(y == k) for k in range(3)], dtype=bool)
    for corner in corners:
        shifted = s + np.array([*corner, 0])
        right = shifted[np.arange(len(y)), y] == shifted.max(axis=1)
        covered[tuple(slice(0, right[y == k].sum()) for k in range(3))] = True
    return covered.mean()


PAIRS = ((0, 1), (1, 2), (0, 2))


@given(st.integers(0, 2**32 - 1), st.tuples(*[st.integers(1, 7)] * 3))
def test_it_is_the_volume_under_the_ideal_observers_surface(seed, sizes):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), sizes)
    s = rng.integers(0, 2**20, size=(len(y), 3)) + (np.eye(3, dtype=int)[y] << 18)
    s = np.minimum(s, 2**20)
    estimate = ask(y, s / 2**20, "linear", method=None)  # dyadic fractions: their sums are exact
    assert estimate.value == pytest.approx(union_of_boxes(y, s), abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.tuples(*[st.integers(1, 6)] * 3), st.sampled_from([2, 4, 8]))
def test_with_ties_the_volume_counts_them_as_right(seed, sizes, levels):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), sizes)
    s = rng.integers(0, levels + 1, size=(len(y), 3))
    values = np.empty(prod(sizes))
    worths(s.astype(float), np.concatenate([[0], np.cumsum(sizes)]), 1e-9, values)
    assert np.mean(values > 0) == pytest.approx(union_of_boxes(y, s), abs=1e-12)


# Numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.published(
    "Sampat et al. (2009), table VI",
    "He's volume of the irises; printed to two or three digits, the others and the errors are our own",
)
@pytest.mark.parametrize(
    ("features", "value", "error"),
    [(1, 0.693664, 0.046939), (2, 0.769312, 0.046610), (3, 0.988000, 0.007730), (4, 0.994400, 0.004163)],
)
def test_t12_iris_table_vi_of_sampat_et_al(features, value, error):
    estimate = ask(*posteriors(features))
    assert estimate.value == pytest.approx(value, abs=5e-7)
    assert estimate.standard_error == pytest.approx(error, abs=5e-7)


def test_the_scorings_differ_on_iris():
    values = [float(ask(*posteriors(1), scoring, method=None)) for scoring in SCORINGS]
    assert values == pytest.approx([0.6937, 0.6720, 0.6558], abs=5e-5)


@pytest.mark.slow
def test_variance_against_simulation():
    rng = np.random.default_rng(8)
    estimates = [ask(*model((20, 25, 15), 0.4, rng)) for _ in range(400)]
    ratio = np.mean([estimate.standard_error**2 for estimate in estimates]) / np.var(
        [estimate.value for estimate in estimates], ddof=1
    )
    assert (
        0.8 < ratio < 1.25
    )  # 400 replicates know a variance to 7 %, three standard errors; DeLong is slightly high


# Pairs, in parts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [lambda rng: model((40, 31, 52), 0.3, rng), lambda rng: neighbours((60, 70, 50), 9, rng)]
)
def test_the_answer_does_not_depend_on_the_number_of_threads(make, monkeypatch):
    y, P = make(np.random.default_rng(0))
    alone = ask(y, P, method=None)
    monkeypatch.setattr(triples, "MANY_PAIRS", 0)
    monkeypatch.setattr(threads, "FEWEST", 0)
    shared = [ask(y, P, method=None, n_jobs=n_jobs).components for n_jobs in (1, 3)]
    np.testing.assert_array_equal(*shared)
    np.testing.assert_allclose(alone.components, shared[0], **CLOSE)


@pytest.mark.parametrize("sizes", [(30, 20, 25, 10), (120, 90, 70)])
def test_drawn_tuples_do_not_depend_on_the_number_of_threads(sizes, monkeypatch):
    y, P = model(sizes, 0.3, np.random.default_rng(0))
    monkeypatch.setattr(assignment, "MOST_PAIRS", 1)
    monkeypatch.setattr(random_tuples, "ROUND", 200)  # several rounds
    monkeypatch.setattr(threads, "FEWEST", 0)
    alone, shared = (pr.evaluate(y, P, measure="he(tuples=1000)", n_jobs=n_jobs) for n_jobs in (1, 3))
    assert (alone.value, alone.monte_carlo_error) == (shared.value, shared.monte_carlo_error)
    np.testing.assert_array_equal(alone.components, shared.components)


def test_other_weights_use_the_same_sweeps(monkeypatch):
    y, P = model((9, 8, 7), 0.3, np.random.default_rng(1))
    (sample,) = samples_of(y, {"a": P})
    he = pr.measure("he")
    he(sample)
    monkeypatch.setattr(assignment, "sweeps", None)  # no sweep is made ready again
    w = np.random.default_rng(2).integers(0, 3, size=len(y)).astype(float)
    assert he(sample.reweighted(w)).value == pytest.approx(naive.he(y, P, w), abs=1e-12)


def test_it_bootstraps():
    y, P = neighbours((20, 25, 15), 7, np.random.default_rng(1))
    estimate = ask(y, P, method=pr.methods.Bootstrap(replicates=600, rng=0))
    assert estimate.standard_error == pytest.approx(ask(y, P).standard_error, rel=0.12)  # 600 replicates: 3 %


# Random tuples -------------------------------------------------------------------------------------------------


DRAWN = {"tuples": (20, 26, 22, 24), "blocks": (70, 90, 60)}  # sizes of the classes, by what is drawn


@pytest.fixture(scope="module")
def drawn_samples():
    """Samples of four and of three classes, without and with weights."""
    samples = {}
    for kind, sizes in DRAWN.items():
        rng = np.random.default_rng(5)
        y, P = model(sizes, 0.35 if kind == "tuples" else 0.2, rng)
        for weighted in (False, True):
            w = rng.exponential(size=len(y)) if weighted else None
            (samples[kind, weighted],) = samples_of(y, {"a": P}, sample_weight=w)
    return samples


def draws(sample, tuples, seeds=100):
    return [pr.measure("he", tuples=tuples, rng=seed)(sample) for seed in range(seeds)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("kind", "tuples"), [("tuples", 300), ("tuples", 3000), ("blocks", 700), ("blocks", 2000)]
)
def test_draws_are_off_by_as_much_as_they_say(drawn_samples, kind, weighted, tuples, monkeypatch):
    sample = drawn_samples[kind, weighted]
    exact = pr.measure("he")(sample)
    assert exact.monte_carlo_error == 0
    monkeypatch.setattr(assignment, "MOST_PAIRS", 1)
    result = draws(sample, tuples)
    off = np.array([estimate.value for estimate in result]) - exact.value
    stated = np.sqrt(np.mean([estimate.monte_carlo_error**2 for estimate in result]))
    assert abs(off.mean()) < 4 * stated / np.sqrt(len(off))
    # 100 draws know a standard deviation to 7 %; of blocks a fifth of all pairs is looked at, which is not counted
    assert (0.75 if kind == "tuples" else 0.7) < off.std() / stated < 1.3


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", DRAWN)
def test_the_noise_of_the_draw_is_not_in_the_standard_error(drawn_samples, kind, weighted, monkeypatch):
    sample = drawn_samples[kind, weighted]
    exact = variance(pr.measure("he")(sample).strata(), sample.scores)
    monkeypatch.setattr(assignment, "MOST_PAIRS", 1)
    values = [variance(draw.strata(), sample.scores) for draw in draws(sample, 500)]
    # a single variance is off by 15 %, the mean of 100 by 1.5 %; with the noise it would be 10 to 40 % too large
    assert np.mean(values) / exact == pytest.approx(1, abs=0.07)


@pytest.mark.slow
def test_blocks_are_closer_than_as_many_random_triples(monkeypatch):
    y, P = model((300, 280, 290), 0.2, np.random.default_rng(0))
    (sample,) = samples_of(y, {"a": P})
    exact = pr.measure("he")(sample)
    monkeypatch.setattr(assignment, "MOST_PAIRS", 1)
    worth = exact.value * (1 - exact.value)
    effects = sum(stratum.variance() for stratum in exact.strata())
    off = [draw.value - exact.value for draw in draws(sample, 10_000, seeds=40)]
    assert np.mean(np.square(off)) < (worth - effects) / 10_000


@given(st.integers(0, 2**32 - 1), st.sampled_from([None, 3, 13]), st.booleans(), st.data())
def test_blocks_are_the_slow_twins(seed, levels, zeros, data):
    """Ties or none, scores of -inf or none, places without a case; every block by its definition."""
    rng = np.random.default_rng(seed)
    blocks, sizes = data.draw(st.sampled_from([1, 3])), data.draw(st.tuples(*[st.integers(1, 5)] * 3))
    S = np.log(rng.dirichlet(np.ones(3), size=sum(sizes) * blocks)) if levels is None else None
    if S is None:
        S = rng.integers(-levels, levels, size=(sum(sizes) * blocks, 3)).astype(float)
    S[rng.random(S.shape) < 0.2 * zeros] = -np.inf
    cases = np.split(np.arange(len(S)), np.cumsum(sizes)[:-1] * blocks)
    cases = [of_class.reshape(blocks, -1) for of_class in cases]
    for of_class in cases:
        of_class[rng.random(of_class.shape) < 0.1] = -1
        of_class[(of_class < 0).all(axis=1), 0] = 0
    shifts = [0, *data.draw(st.tuples(st.integers(0, 4), st.integers(0, 4)))]
    tolerance, weight = 1e-9, rng.exponential(size=len(S))
    divided, ordered = divide(S, cases, weight)
    sums = [np.zeros(of_class.shape) for of_class in cases]
    means, squares = np.empty(blocks), np.empty((blocks, 3))
    block_volumes(*divided, shifts[1], shifts[2], 0, blocks, tolerance, sums, means, squares)
    for g in range(blocks):
        met = [(g + shift) % blocks for shift in shifts]
        value, components = naive.right_block(S, [cases[k][met[k]] for k in range(3)], weight, tolerance)
        assert means[g] == pytest.approx(value, abs=1e-12)
        by_case = [dict(zip(ordered[k][met[k]], sums[k][met[k]], strict=True)) for k in range(3)]
        for k in range(3):
            assert {x: by_case[k][x] for x in components[k]} == pytest.approx(components[k], abs=1e-12)
            assert squares[g, k] == pytest.approx(sum(v**2 for v in components[k].values()), abs=1e-12)


def test_the_fit_of_blocks_is_nearly_least_squares():
    rng = np.random.default_rng(0)
    y, P = model((300, 250, 180), 0.3, rng)
    (sample,) = samples_of(y, {"a": P}, sample_weight=rng.exponential(size=len(y)))
    draw = random_tuples.BlockDraw(sample, np.log(P), 1e-13, 2000, 0)
    rounds, blocks = draw.means.shape
    design = np.zeros((rounds, blocks, 3 * blocks + 1))
    design[:, :, -1] = 1.0
    for r, g, k in product(range(rounds), range(blocks), range(3)):
        design[r, g, k * blocks + (g + draw.shifts[k, r]) % blocks] = 1.0
    flat = design.reshape(-1, design.shape[-1])
    fit, _, rank, _ = np.linalg.lstsq(flat, draw.means.ravel(), rcond=None)
    rest = draw.means.ravel() - flat @ fit
    value, error = draw.statistic().value, draw.statistic().monte_carlo_error
    assert value == pytest.approx(fit @ np.concatenate([*draw.block_share, [1.0]]), abs=error / 10)
    assert error == pytest.approx(np.sqrt(rest @ rest / (len(rest) - rank) / len(rest)), rel=0.01)


def test_three_classes_too_many_for_pairs_are_drawn(monkeypatch):
    y, P = model((60, 50, 40), 0.3, np.random.default_rng(1))
    exact = ask(y, P)
    monkeypatch.setattr(assignment, "MOST_PAIRS", 1)
    (sample,) = samples_of(y, {"a": P})
    drawn = pr.measure("he", tuples=5000)(sample)
    assert 0 < abs(drawn.value - exact.value) < 4 * drawn.monte_carlo_error
    everything = pr.measure("he", tuples=10**9)(sample)
    assert (everything.value, everything.monte_carlo_error) == (exact.value, 0.0)


def test_same_seed_same_answer():
    y, P = model((30, 30, 30, 30), 0.3, np.random.default_rng(1))
    one, again, other = (pr.evaluate(y, P, measure=f"he(tuples=5000, rng={seed})") for seed in (1, 1, 2))
    assert (one.value, one.standard_error) == (again.value, again.standard_error)
    np.testing.assert_array_equal(one.components, again.components)
    assert one.value != other.value


def test_the_error_of_the_draw_is_reported_beside_the_standard_error():
    y, P = model((15, 15, 15, 15), 0.3, np.random.default_rng(1))
    estimate = pr.evaluate(y, P, measure="he(tuples=500)")
    assert 0.001 < estimate.monte_carlo_error < 0.05
    assert f"(Monte Carlo {estimate.monte_carlo_error:.2g})" in repr(estimate)
    assert estimate.rows()[0]["monte_carlo_error"] == estimate.monte_carlo_error
    copy = pr.results.Estimate.from_dict(json.loads(json.dumps(estimate.to_dict())))
    assert copy.monte_carlo_error == estimate.monte_carlo_error
    low, high = estimate.confidence_interval(kind="wald")
    both = hypot(estimate.standard_error, estimate.monte_carlo_error)
    assert (high - low) / 2 == pytest.approx(1.959964 * both, rel=1e-6)
    exact = pr.evaluate(y, P, measure="he")
    assert "Monte Carlo" not in repr(exact)
    assert exact.rows()[0]["monte_carlo_error"] is None
    stored = exact.to_dict()
    del stored["monte_carlo_error"]  # as stored before there were draws
    assert pr.results.Estimate.from_dict(stored).monte_carlo_error == 0


@pytest.mark.parametrize("right", [True, False])
def test_a_draw_without_variation_is_not_taken_for_exact(right):
    c = 20
    y = np.repeat(np.arange(c), 4)
    P = (1 + np.random.default_rng(0).random((len(y), c)) + 4 * np.eye(c)[y if right else (y + 1) % c]) / 6
    estimate = pr.evaluate(y, P, measure="he(tuples=1000)")
    assert estimate.value == right
    assert estimate.monte_carlo_error == pytest.approx(1 / 1000)
    low, high = estimate.confidence_interval()
    assert high - low > 0.3  # Wilson's for four cases


# Comparisons ---------------------------------------------------------------------------------------------------


def two_classifiers(sizes, rng):
    y, P = model(sizes, 0.5, rng)
    return y, {"good": P, "bad": 0.5 * P + 0.5 * rng.dirichlet(np.ones(len(sizes)), size=len(y))}


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(20, 15, 25), (7, 8, 6, 7)])
def test_comparisons_paired_and_unpaired(sizes):
    y, scores = two_classifiers(sizes, np.random.default_rng(4))
    ones = np.ones(len(y))
    paired = pr.compare(y, scores, measure="he").difference("good", "bad")
    values = [naive.he(y, P, ones) for P in scores.values()]
    assert paired.value == pytest.approx(values[0] - values[1], abs=1e-12)
    good, bad = (np.array(naive.he_components(y, P, ones)) for P in scores.values())
    assert paired.standard_error**2 == pytest.approx(naive.variance(y, good - bad), rel=1e-9)
    apart = {name: normalise(y, P) for name, P in scores.items()}
    unpaired = pr.compare(apart, measure="he").difference("good", "bad")
    both = naive.variance(y, good) + naive.variance(y, bad)
    assert unpaired.standard_error**2 == pytest.approx(both, rel=1e-9)


def test_paired_classifiers_get_the_same_tuples():
    y, scores = two_classifiers((30, 30, 30, 30), np.random.default_rng(4))
    good, near = scores["good"], 0.99 * scores["good"] + 0.01 * scores["bad"]
    comparisons = [
        pr.compare(y, {"a": good, "b": near}, measure=f"he(tuples=3000, rng={seed})") for seed in range(20)
    ]
    error = comparisons[0].estimates["a"].monte_carlo_error
    assert (
        np.std([comparison.difference("a", "b").value for comparison in comparisons]) < error / 2
    )  # 1.4 errors if they were others
    alike = pr.compare(y, {"a": good, "b": good}, measure="he(tuples=3000)").difference("a", "b")
    assert (alike.value, alike.standard_error) == (0.0, 0.0)


# Bad requests --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scoring": "logit"}, "scoring must be one of 'log', 'linear', 'distance', got 'logit'"),
        ({"scoring": ["log"]}, "scoring must be one of"),
        ({"tuples": 0}, "tuples must be a whole number, 1 or more, or None, got 0"),
        ({"tuples": 1e6}, "tuples must be"),
        ({"tuples": True}, "tuples must be"),
        ({"rng": None}, "rng must be a seed, a whole number from 0, got None"),
        ({"rng": -1}, "rng must be"),
        ({"seed": 1}, "he has no option 'seed'"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(MeasureError, match=message):
        pr.evaluate([0, 1, 2], np.eye(3), measure=pr.measure("he", **options))


def test_two_classes_or_one_score_are_not_for_it():
    with pytest.raises(NotApplicableError, match="he needs at least 3 classes, here 2"):
        pr.evaluate([0, 1], np.eye(2), measure="he")
    with pytest.raises(NotApplicableError, match="he needs probabilities, one column per class"):
        pr.evaluate([0, 1, 2], [0.1, 0.2, 0.3], measure="he")
