import csv
import itertools
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyroc.datasets import Binormal, HandTill, average_correct_rate, catalogue, empirical_average_correct_rate
from polyroc.errors import InputError
from published.iris_loo import posteriors

SPECIES = ["setosa", "versicolor", "virginica"]
MODELS = [HandTill(3, 1.0), HandTill(4, 0.7), HandTill(5, 0.5)]


# The measures, slowly, straight from their definitions.


def psi(a, b):
    return (a[:, None] > b[None, :]) + 0.5 * (a[:, None] == b[None, :])


def phi(z):
    return math.erfc(-z / math.sqrt(2)) / 2


def separations(y, P):
    """A(i|j) by (i, j)."""
    pairs = itertools.permutations(range(P.shape[1]), 2)
    return {(i, j): psi(P[y == i, i], P[y == j, i]).mean() for i, j in pairs}


def hand_till(y, P):
    return np.mean(list(separations(y, P).values()))


def hand_till_standard_error(y, P):
    """From the structural components V_k(x) of the formula sheet, section 1."""
    c, variance = P.shape[1], 0.0
    for k in range(c):
        components = np.zeros(np.sum(y == k))
        for j in set(range(c)) - {k}:
            components += psi(P[y == k, k], P[y == j, k]).mean(axis=1)
            components += psi(P[y == j, j], P[y == k, j]).mean(axis=0)
        variance += np.var(components / (c * (c - 1)), ddof=1) / len(components)
    return math.sqrt(variance)


def ova(y, P):
    return [psi(P[y == i, i], P[y != i, i]).mean() for i in range(P.shape[1])]


def accuracy(y, P):
    largest = P.max(axis=1, keepdims=True) == P
    return np.mean(largest[np.arange(len(y)), y] / largest.sum(axis=1))


def pairwise_accuracy(y, P):
    rates = []
    for i, j in itertools.combinations(range(P.shape[1]), 2):
        lead = np.concatenate([P[y == i, i] - P[y == i, j], P[y == j, j] - P[y == j, i]])
        rates.append(np.mean((lead > 0) + 0.5 * (lead == 0)))
    return np.mean(rates)


def ht3(y, P):
    decisions, classes = P.argmax(axis=1), range(P.shape[1])
    missed = [np.mean(decisions[y == i] != i) for i in classes]
    claimed = [np.mean(decisions[y != i] == i) for i in classes]
    return np.mean([max(0.5, 1 - missed[i] / 2 - claimed[i] / 2) for i in classes])


# Binormal


@pytest.mark.parametrize(("separation", "ratio"), [(0.0, 1.0), (1.0, 1.0), (2.5, 0.4), (-0.7, 3.0), (3.0, 1e-3)])
def test_binormal_whole_area_is_auc(separation, ratio):
    model = Binormal(separation, ratio)
    assert model.auc == pytest.approx(phi(separation / math.sqrt(1 + ratio**2)), abs=1e-15)
    assert model.gini == pytest.approx(2 * model.auc - 1, abs=1e-15)
    assert model.partial_auc(0, 1, standardised=False) == pytest.approx(model.auc, abs=1e-11)
    assert model.partial_auc(0, 1) == pytest.approx(model.auc, abs=1e-11)


@pytest.mark.parametrize("range_", [(0.0, 0.1), (0.2, 0.5), (0.9, 1.0)])
@pytest.mark.parametrize(("separation", "ratio"), [(1.0, 1.0), (2.5, 0.4), (-0.7, 3.0)])
def test_binormal_partial_area_is_a_bivariate_normal_probability(separation, ratio, range_):
    """P(deviate of the threshold in range, positive above it): two correlated normal variables."""
    from scipy.special import ndtri
    from scipy.stats import multivariate_normal

    spread = math.hypot(1, ratio)
    joint = multivariate_normal([0, 0], [[1, -1 / spread], [-1 / spread, 1]])
    low, high = (joint.cdf([z, separation / spread]) if z > -np.inf else 0.0 for z in ndtri(range_))
    area = Binormal(separation, ratio).partial_auc(*range_, standardised=False)
    assert area == pytest.approx(high - low, rel=1e-6, abs=0)


@pytest.mark.parametrize(("separation", "ratio"), [(1.0, 1.0), (2.5, 0.4), (4.0, 0.01)])
def test_binormal_partial_area_of_a_sliver(separation, ratio):
    """Against a million trapezia over the FPR itself."""
    from scipy.special import ndtr, ndtri

    fpr = np.linspace(0.0, 1e-4, 10**6 + 1)
    area = np.trapezoid(ndtr((separation + ndtri(fpr)) / ratio), fpr)
    result = Binormal(separation, ratio).partial_auc(0.0, 1e-4, standardised=False)
    assert result == pytest.approx(area, rel=1e-6, abs=0)


def test_binormal_standardised_partial_area_of_chance_and_perfection():
    assert Binormal(0.0).partial_auc(0.1, 0.3) == pytest.approx(0.5, abs=1e-12)
    assert Binormal(50.0).partial_auc(0.1, 0.3) == pytest.approx(1.0, abs=1e-12)


def test_binormal_sample_has_the_true_auc():
    model = Binormal(1.2, 1.7)
    y, s = model.sample((1500, 2000), rng=1)
    assert np.bincount(y).tolist() == [1500, 2000]
    A = model.auc
    # Var(AUC) <= A (1 - A) / min(n0, n1) whatever the distributions (van Dantzig); four standard errors.
    assert psi(s[y == 1], s[y == 0]).mean() == pytest.approx(A, abs=4 * math.sqrt(A * (1 - A) / 1500))


# Hand & Till's artificial case


@pytest.mark.parametrize(
    ("model", "M", "C1", "C2"),
    [
        (HandTill(3, 1.0), 0.8139501, 0.5886166, 0.7414232),
        (HandTill(4, 0.7), 0.7796821, 0.4552460, 0.7132843),
        (HandTill(5, 0.5), 0.7465909, 0.3579301, 0.6857303),
    ],
)
def test_hand_till_equations_9_to_11(model, M, C1, C2):
    values = (model.hand_till, model.accuracy, model.pairwise_accuracy)
    assert tuple(round(value, 7) for value in values) == (M, C1, C2)


@pytest.mark.parametrize("mu", [0.0, 0.3, 2.0])
def test_hand_till_with_two_classes_is_binormal(mu):
    model = HandTill(2, mu)
    assert model.hand_till == pytest.approx(Binormal(mu).auc, abs=1e-15)
    assert model.accuracy == pytest.approx(model.pairwise_accuracy, abs=1e-15)


def test_hand_till_classes_that_coincide_have_chance_values():
    model = HandTill(4, 0.0)
    assert (model.hand_till, model.accuracy, model.pairwise_accuracy) == (0.5, 0.25, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("model", [*MODELS, HandTill(2, 1.0), HandTill(3, 0.0), HandTill(3, 2.5)])
def test_hand_till_samples_have_the_true_values(model):
    """M, C1, C2 and each A(i|j) are unbiased, so their means over 300 samples are normal about the truth.

    Four standard errors of those means, as observed, are allowed: about .004.
    """
    rng = np.random.default_rng(20010)
    samples = [model.sample(60, rng) for _ in range(300)]
    truth = {pair: phi(abs(pair[0] - pair[1]) * model.mu / math.sqrt(2)) for pair in separations(*samples[0])}
    truth |= {"M": model.hand_till, "C1": model.accuracy, "C2": model.pairwise_accuracy}
    result = [
        separations(y, P) | {"M": hand_till(y, P), "C1": accuracy(y, P), "C2": pairwise_accuracy(y, P)}
        for y, P in samples
    ]
    for key, value in truth.items():
        values = np.array([one[key] for one in result])
        assert values.mean() == pytest.approx(value, abs=4 * values.std(ddof=1) / math.sqrt(300)), key


class Quantiles(np.random.Generator):
    """Hands out, for each class, the n normal quantiles at (1/2, 3/2, ...) / n instead of drawing."""

    def __init__(self, classes):
        super().__init__(np.random.PCG64(0))
        self.classes = classes

    def standard_normal(self, *size, **_):
        from scipy.special import ndtri

        n = size[0] // self.classes
        return np.tile(ndtri((np.arange(n) + 0.5) / n), self.classes)


@pytest.mark.parametrize("model", [*MODELS, HandTill(2, 1.0), HandTill(3, 2.5)])
def test_hand_till_without_chance_has_the_true_values(model):
    """The deviates' distribution is true to 1 / (2 n), and so is that of each monotone piece of a column.

    An entry is made of three such pieces, which leaves 2 / n for A(i|j), and less for the rates.
    """
    n = 1000
    y, P = model.sample(n, Quantiles(model.classes))
    for (i, j), separation in separations(y, P).items():
        assert separation == pytest.approx(phi(abs(i - j) * model.mu / math.sqrt(2)), abs=2 / n)
    assert hand_till(y, P) == pytest.approx(model.hand_till, abs=2 / n)
    assert accuracy(y, P) == pytest.approx(model.accuracy, abs=2 / n)
    assert pairwise_accuracy(y, P) == pytest.approx(model.pairwise_accuracy, abs=2 / n)


@pytest.mark.parametrize("model", MODELS)
def test_hand_till_m_and_c2_hold_for_unequal_classes(model):
    rng = np.random.default_rng(7)
    sizes = [40, 90, 60, 30, 70][: model.classes]
    samples = [model.sample(sizes, rng) for _ in range(200)]
    for measure, truth in ((hand_till, model.hand_till), (pairwise_accuracy, model.pairwise_accuracy)):
        values = np.array([measure(y, P) for y, P in samples])
        assert values.mean() == pytest.approx(truth, abs=4 * values.std(ddof=1) / math.sqrt(200))


@pytest.mark.parametrize("model", [*MODELS, HandTill(3, 0.0), HandTill(4, 60.0)])
def test_hand_till_scores_are_shares_and_may_be_transformed(model):
    y, P = model.sample(200, rng=3)
    assert P.shape == (200 * model.classes, model.classes)
    assert P.min() >= 0
    assert P.max() <= 1
    bent = np.log1p(P) * 3 - 1
    for measure in (hand_till, accuracy, pairwise_accuracy):
        assert measure(y, bent) == measure(y, P)


@pytest.mark.parametrize("model", [Binormal(1.0), HandTill(3, 1.0)])
def test_same_seed_same_sample(model):
    first, again = model.sample(20, rng=5), model.sample(20, rng=np.random.default_rng(5))
    other = model.sample(20, rng=6)
    assert np.array_equal(first[0], again[0])
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[1], other[1])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Binormal(math.inf), "separation must be a finite number, got inf"),
        (lambda: Binormal(1.0, 0.0), "ratio_of_spreads must be positive and finite, got 0.0"),
        (lambda: Binormal(1.0).partial_auc(0.5, 0.2), r"0 <= low < high <= 1, got \(0.5, 0.2\)"),
        (lambda: HandTill(1, 1.0), "classes must be a whole number, at least 2, got 1"),
        (lambda: HandTill(2.5, 1.0), "classes must be a whole number, got 2.5"),
        (lambda: HandTill(3, -1.0), "mu must be finite and not negative, got -1.0"),
        (lambda: HandTill(3, 1.0).sample([4, 4], rng=0), r"or 3 of them, got \[4, 4\]"),
        (lambda: HandTill(3, 1.0).sample(2.5, rng=0), "sizes must be a whole number or a list of whole numbers"),
        (lambda: Binormal(1.0).sample(-1, rng=0), "sizes must be a count of cases"),
    ],
)
def test_invalid_models_raise(make, message):
    with pytest.raises(InputError, match=message):
        make()


# Equation 5

cases = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=30)


@given(cases.filter(lambda drawn: {k for k, _ in drawn} == {0, 1}))
def test_equation_5_is_exact_on_data_with_ties(drawn):
    y, s = (np.array(column) for column in zip(*drawn, strict=True))
    correct = np.where(y[:, None] == 1, psi(s, s), 1 - psi(s, s))  # case x threshold; at the threshold 1/2
    auc = psi(s[y == 1], s[y == 0]).mean()
    result = empirical_average_correct_rate(y, s)
    assert result == pytest.approx(correct.mean(), abs=1e-14)
    assert result == pytest.approx(average_correct_rate(auc, y.mean()), abs=1e-14)


# Iris, leaving one out: Table VI of Sampat et al., the rows of T12 that need no volume

TABLE_VI = {
    1: {
        "A": (0.9208, 0.8316, 0.6684, 0.7708, 0.9828, 0.9808),
        "M": (0.859200, 0.021854),
        "OVA": (0.9518, 0.7500, 0.8758),
        "HT3, errors, C1, C2": (0.81, 38, 0.7467, 0.8500),
    },
    2: {
        "A": (0.9976, 0.9816, 0.7652, 0.7740, 0.9992, 1),
        "M": (0.919600, 0.015954),
        "OVA": (0.9984, 0.8734, 0.8870),
        "HT3, errors, C1, C2": (0.845, 31, 0.7933, 0.8933),
    },
    3: {
        "A": (1, 1, 0.988, 0.988, 1, 1),
        "M": (0.996, 0.002577),
        "OVA": (1, 0.994, 0.994),
        "HT3, errors, C1, C2": (0.97, 6, 0.9600, 0.9800),
    },
    4: {
        "A": (1, 1, 0.9944, 0.9944, 1, 1),
        "M": (0.998133, 0.001388),
        "OVA": (1, 0.9972, 0.9972),
        "HT3, errors, C1, C2": (0.985, 3, 0.9800, 0.9900),
    },
}


@pytest.mark.parametrize("features", TABLE_VI)
def test_iris_posteriors_give_table_vi(features):
    y, P = posteriors(features)
    A, table = separations(y, P), TABLE_VI[features]
    order = [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)]
    assert tuple(round(A[pair], 4) for pair in order) == table["A"]
    assert (round(hand_till(y, P), 6), round(hand_till_standard_error(y, P), 6)) == table["M"]
    assert tuple(round(area, 4) for area in ova(y, P)) == table["OVA"]
    errors = np.sum(P.argmax(axis=1) != y)
    values = (round(ht3(y, P), 6), errors, round(accuracy(y, P), 4), round(pairwise_accuracy(y, P), 4))
    assert values == table["HT3, errors, C1, C2"]
    assert np.mean(ova(y, P)) == pytest.approx(hand_till(y, P), abs=1e-12)


def test_iris_posteriors_are_shared_and_read_only():
    y, P = posteriors(2)
    assert posteriors(2)[1] is P
    with pytest.raises(ValueError, match="read-only"):
        P[0, 0] = 0.5
    with pytest.raises(ValueError, match="read-only"):
        y[0] = 1


# The shipped files


def rows_of(name):
    with catalogue.path(name).open(newline="") as file:
        return list(csv.DictReader(file))


def predictions(classifier):
    rows = [row for row in rows_of("iris_predictions") if row["classifier"] == classifier]
    assert [int(row["case"]) for row in rows] == list(range(1, 151))
    assert [row["species"] for row in rows] == [row["species"] for row in rows_of("iris")]
    return np.array([[float(row[f"p_{name}"]) for name in SPECIES] for row in rows])


@pytest.fixture(scope="module")
def flowers():
    from sklearn.datasets import load_iris

    return load_iris()


@pytest.mark.peer("scikit-learn", "load_iris: the irises that ship with polyroc are the same copy")
def test_iris_is_the_copy_of_scikit_learn_and_r(flowers):
    rows = rows_of("iris")
    assert list(rows[0]) == ["sepal_length", "sepal_width", "petal_length", "petal_width", "species"]
    X = np.array([[float(value) for value in list(row.values())[:4]] for row in rows])
    assert np.array_equal(X, flowers.data)
    assert [row["species"] for row in rows] == flowers.target_names[flowers.target].tolist()
    # cases 35 and 38, in which the UCI copy differs
    assert X[[34, 37]].tolist() == [[4.9, 3.1, 1.5, 0.2], [4.9, 3.6, 1.4, 0.1]]


def test_predictions_have_the_layout_promised():
    rows = rows_of("iris_predictions")
    assert list(rows[0]) == ["case", "species", "classifier", "p_setosa", "p_versicolor", "p_virginica"]
    assert [row["classifier"] for row in rows[::150]] == ["lda", "knn", "tree"]
    assert len(rows) == 450


@pytest.mark.parametrize("classifier", ["lda", "knn", "tree"])
def test_predictions_are_probabilities_written_in_full(classifier):
    P = predictions(classifier)
    assert P.min() >= 0
    assert np.allclose(P.sum(axis=1), 1, atol=1e-15, rtol=0)
    written = [row for row in rows_of("iris_predictions") if row["classifier"] == classifier]
    assert all(row[f"p_{name}"] == repr(float(row[f"p_{name}"])) for row in written for name in SPECIES)


def test_lda_predictions_are_those_of_table_vi():
    y, P = posteriors(2)
    shipped = predictions("lda")
    assert np.max(np.abs(shipped - P)) < 1e-12
    assert round(hand_till(y, shipped), 6) == 0.919600
    assert tuple(round(area, 4) for area in ova(y, shipped)) == (0.9984, 0.8734, 0.8870)
    assert round(ht3(y, shipped), 6) == 0.845


def test_knn_predictions_are_votes_of_fifteen(flowers):
    """Recounted with whole numbers; and by scikit-learn where no sixteenth neighbour is as near."""
    from sklearn.neighbors import KNeighborsClassifier

    P, X, y = predictions("knn"), np.rint(flowers.data[:, :2] * 10).astype(int), flowers.target
    decided = 0
    for case in range(150):
        others = [other for other in range(150) if other != case]
        ranked = sorted(others, key=lambda other: (int(np.sum((X[other] - X[case]) ** 2)), other))
        votes = np.bincount(y[ranked[:15]], minlength=3)
        assert P[case].tolist() == (votes / 15).tolist()
        last, next_ = (np.sum((X[ranked[place]] - X[case]) ** 2) for place in (14, 15))
        if last < next_ and decided < 15:
            fitted = KNeighborsClassifier(15, algorithm="brute").fit(X[others], y[others])
            assert P[case] == pytest.approx(fitted.predict_proba(X[[case]])[0], abs=1e-12)
            decided += 1
    assert decided == 15
    assert len(np.unique(P[:, 0])) <= 16  # ties on purpose


@pytest.mark.peer("scikit-learn", "the shipped predictions of a tree, refitted")
@pytest.mark.parametrize("case", [0, 41, 57, 100, 149])
def test_tree_predictions_are_those_of_scikit_learn(flowers, case):
    from sklearn.tree import DecisionTreeClassifier

    X, y = flowers.data[:, :2], flowers.target
    others = np.arange(150) != case
    fitted = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(X[others], y[others])
    assert predictions("tree")[case] == pytest.approx(fitted.predict_proba(X[[case]])[0], abs=1e-12)


def test_path_takes_the_name_with_or_without_its_ending():
    assert catalogue.path("iris.csv") == catalogue.path("iris")
    assert all(catalogue.path(name).is_file() for name in catalogue.NAMES)


def test_path_of_an_unknown_name_gives_the_nearest_or_all_known_ones():
    with pytest.raises(InputError, match=r"no data set 'irish'; did you mean 'iris'\?"):
        catalogue.path("irish")
    with pytest.raises(InputError, match=r"no data set '\?'; known: iris, iris_predictions\."):
        catalogue.path("?")


def test_importing_datasets_is_cheap():
    heavy = "{'scipy', 'numba', 'matplotlib', 'sklearn'} & set(sys.modules)"
    source = str(Path(catalogue.__file__).parents[2])
    command = f"import sys; sys.path.insert(0, {source!r}); import polyroc.datasets; sys.exit(str({heavy}))"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert done.stderr.strip() == "set()"
