"""Numbers printed in the papers, or derived from them, through the public verbs."""

import numpy as np
import pytest

import polyroc as pr
from polyroc import datasets
from published.iris_loo import posteriors

SPECIES = ("setosa", "versicolor", "virginica")


def ranks(positives):
    """Ten cases ranked 1 to 10, five of them positive (Ling, Huang & Zhang 2003)."""
    return [int(rank in positives) for rank in range(1, 11)], list(range(1, 11))


@pytest.mark.published("Ling, Huang & Zhang (2003), tables 1 and 2", "the area 24/25 of a list of ten")
@pytest.mark.unverified(
    "Ling, Huang & Zhang (2003), table 2", "16/25, the area of another list with the same accuracy"
)
@pytest.mark.parametrize(("positives", "area"), [((5, 7, 8, 9, 10), 24 / 25), ((1, 6, 7, 8, 9), 16 / 25)])
def test_t1_the_lists_of_ling_huang_and_zhang(positives, area):
    y, s = ranks(positives)
    assert float(pr.evaluate(y, s, measure="auc")) == area
    assert float(pr.evaluate(y, s, measure="expected_cost(threshold=6)")) == pytest.approx(0.2)  # 80 % accuracy


def hanley_mcneil():
    """The ratings of 58 normal and 51 abnormal images, as counts: Hanley & McNeil (1982), table I."""
    normal, abnormal = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
    y = [0] * 5 + [1] * 5
    return y, [1, 2, 3, 4, 5] * 2, normal + abnormal


@pytest.mark.published(
    "Hanley & McNeil (1982), table I",
    "the area 0.893 of 109 rated images; its further digits and DeLong's error are our own",
)
def test_t3_hanley_and_mcneil_ratings():
    y, rating, count = hanley_mcneil()
    estimate = pr.evaluate(np.repeat(y, count), np.repeat(rating, count), measure="auc")
    assert estimate.value == pytest.approx(0.8931711, abs=5e-8)
    assert estimate.standard_error == pytest.approx(0.03072, abs=5e-6)
    weighted = pr.evaluate(y, rating, measure="auc", sample_weight=count, method=None)
    assert weighted.value == pytest.approx(estimate.value, abs=1e-15)


@pytest.mark.published(
    "Hand & Till (2001), equations 9 to 11",
    "M, C1 and C2 of the artificial case, equation 11 corrected to 2/(c(c-1)); and simulated",
)
@pytest.mark.parametrize(
    ("classes", "mu", "M", "C1", "C2"),
    [
        (3, 1.0, 0.8139501, 0.5886166, 0.7414232),
        (4, 0.7, 0.7796821, 0.4552460, 0.7132843),
        (5, 0.5, 0.7465909, 0.3579301, 0.6857303),
    ],
)
def test_t6_hand_and_tills_artificial_case(classes, mu, M, C1, C2):
    model = datasets.HandTill(classes, mu)
    assert (model.hand_till, model.accuracy, model.pairwise_accuracy) == pytest.approx((M, C1, C2), abs=5e-8)
    y, P = model.sample(4000, rng=0)
    for key, true in (("hand_till", M), ("accuracy", C1), ("pairwise_accuracy", C2)):
        estimate = pr.evaluate(y, P, measure=key)
        assert (
            abs(estimate.value - true) < 4 * estimate.standard_error
        )  # four standard errors: 1 in 16,000 by chance


# Sampat et al. (2009), table VI: leave-one-out, pooled covariance, equal priors; features 1, 1-2, 1-3, 1-4.
T12 = {
    1: {
        "A": [(0.9208, 0.8316), (0.6684, 0.7708), (0.9828, 0.9808)],
        "hand_till": (0.859200, 0.021854),
        "ova": [0.9518, 0.7500, 0.8758],
        "ht3": 0.81,
        "accuracy": 0.7467,
        "pairwise_accuracy": 0.8500,
    },
    2: {
        "A": [(0.9976, 0.9816), (0.7652, 0.7740), (0.9992, 1.0)],
        "hand_till": (0.919600, 0.015954),
        "ova": [0.9984, 0.8734, 0.8870],
        "ht3": 0.845,
        "accuracy": 0.7933,
        "pairwise_accuracy": 0.8933,
    },
    3: {
        "A": [(1.0, 1.0), (0.988, 0.988), (1.0, 1.0)],
        "hand_till": (0.996, 0.002577),
        "ova": [1.0, 0.994, 0.994],
        "ht3": 0.97,
        "accuracy": 0.96,
        "pairwise_accuracy": 0.98,
    },
    4: {
        "A": [(1.0, 1.0), (0.9944, 0.9944), (1.0, 1.0)],
        "hand_till": (0.998133, 0.001388),
        "ova": [1.0, 0.9972, 0.9972],
        "ht3": 0.985,
        "accuracy": 0.98,
        "pairwise_accuracy": 0.99,
    },
}


@pytest.mark.published(
    "Sampat et al. (2009), table VI",
    "areas, M, one-versus-all and HT3 of the irises; printed to two digits, the others are our own",
)
@pytest.mark.parametrize("features", T12)
def test_t12_iris_table_vi_of_sampat_et_al(features):
    y, P = posteriors(features)
    names = np.array(SPECIES)[y]
    expected = T12[features]
    evaluation = pr.evaluate(names, P)
    M = evaluation["hand_till"]
    assert M.value == pytest.approx(expected["hand_till"][0], abs=5e-7)
    assert M.standard_error == pytest.approx(expected["hand_till"][1], abs=5e-7)
    for (i, j), areas in zip(((0, 1), (1, 2), (0, 2)), expected["A"], strict=True):
        a, b = SPECIES[i], SPECIES[j]
        assert float(M.parts[f"A({a}|{b})"]) == pytest.approx(areas[0], abs=5e-5)
        assert float(M.parts[f"A({b}|{a})"]) == pytest.approx(areas[1], abs=5e-5)
        assert float(M.parts[f"A({a},{b})"]) == pytest.approx(sum(areas) / 2, abs=5e-5)
    assert [float(evaluation["ova"].parts[name]) for name in SPECIES] == pytest.approx(expected["ova"], abs=5e-5)
    assert evaluation["ova"].value == pytest.approx(M.value, abs=1e-12)  # classes of equal size
    for key in ("ht3", "accuracy", "pairwise_accuracy"):
        assert evaluation[key].value == pytest.approx(expected[key], abs=5e-5)


T12_VOLUMES = {
    1: ([0.6762, 0.2023, 0.1046, 0.0047, 0.0094, 0.0026], 1.2736, (0.676248, 0.049114)),
    2: ([0.6843, 0.3010, 0.0087, 0.0014, 0.0023, 0.0023], 1.5761, (0.684344, 0.054521)),
    3: ([0.9176, 0.0824, 0, 0, 0, 0], 2.1744, (0.917600, 0.037385)),
    4: ([0.9768, 0.0232, 0, 0, 0, 0], 2.4259, (0.976800, 0.019426)),
}


@pytest.mark.published(
    "Sampat et al. (2009), table VI",
    "Scurfield's volumes and D, Nakas's volume; printed to two digits, the others and the errors are our own",
)
@pytest.mark.parametrize("features", T12_VOLUMES)
def test_t12_volumes_of_iris(features):
    """Probabilities become one score by the review's rule (type A to type B)."""
    y, P = posteriors(features)
    volumes, bits, (value, error) = T12_VOLUMES[features]
    D = pr.evaluate(y, pr.to_ordered(P), measure="scurfield", labels=[0, 1, 2])
    assert [float(part) for part in D.parts.values()] == pytest.approx(volumes, abs=5e-5)
    assert D.value == pytest.approx(bits, abs=5e-5)
    nakas = pr.evaluate(y, pr.to_ordered(P), measure="vus", labels=[0, 1, 2])
    assert nakas.value == pytest.approx(value, abs=5e-7)
    assert nakas.standard_error == pytest.approx(error, abs=5e-7)


@pytest.mark.published(
    "Hand & Till (2001), equation 5", "the rate of correct decisions at a random threshold, from the area"
)
def test_equation_5_of_hand_and_till_holds_exactly():
    y, s = datasets.Binormal(1.0).sample((40, 60), rng=2)
    s = s.round(1)
    area = float(pr.evaluate(y, s, measure="auc"))
    expected = datasets.average_correct_rate(area, prior=0.6)
    assert datasets.empirical_average_correct_rate(y, s) == pytest.approx(expected, abs=1e-14)


def test_variance_of_m_against_the_formula_sheets_simulation():
    """c = 3, n = (25, 40, 30): mean of the analytic variance over the true variance of M is about 1."""
    model = datasets.HandTill(3, 1.0)
    values, variances = [], []
    for seed in range(400):
        estimate = pr.evaluate(*model.sample((25, 40, 30), rng=seed), measure="hand_till")
        values.append(estimate.value)
        variances.append(estimate.standard_error**2)
    ratio = np.mean(variances) / np.var(values, ddof=1)
    assert 0.8 < ratio < 1.25  # 400 replicates know a variance to 7 %, three standard errors; DeLong is 1-3 % high


@pytest.mark.peer(
    "VUROCS (R)", "its documented examples, ties counted 1/m! where it counts none; variance by components"
)
def test_t7_vus_with_ties_and_delongs_variance():
    """The documented examples of R's VUROCS, ties counted 1/m! (it counts them 0 itself)."""
    marker = [1, 2, 3, *np.repeat([2, 3, 4, 5], 3)]
    tied = pr.evaluate(np.repeat(range(5), 3), marker, measure="vus", labels=range(5))
    assert tied.value == pytest.approx(1 / 2, abs=1e-15)
    six = pr.evaluate([1, 2, 1, 3, 2, 3], range(6), measure="vus", labels=[1, 2, 3])
    assert six.value == pytest.approx(0.5)
    assert six.standard_error**2 == pytest.approx(0.125)


@pytest.mark.peer("trinROC (R)", "the empirical volume of its examples: 0.368, 1/6 and 1")
def test_t8_vus_of_trinrocs_examples():
    x = [-0.6264538, 0.1836433, -0.8356286, 1.5952808, 0.3295078]
    y = [-0.5204684, 0.7874291, 1.0383247, 0.8757814, -0.0053884]
    z = [2.1117812, 0.9898432, -0.0212406, -1.6146999, 1.7249309]
    truth = np.repeat(["low", "middle", "high"], 5)
    for scores, volume in (([*x, *y, *z], 0.368), ([*range(5)] * 3, 1 / 6), (range(15), 1.0)):
        estimate = pr.evaluate(truth, scores, measure="vus", labels=["low", "middle", "high"])
        assert estimate.value == pytest.approx(volume, abs=1e-12)


@pytest.mark.published(
    "Xiong et al. (2006), volume of three normal classes",
    "9,000 cases within four standard errors of the volume that the integral gives",
)
@pytest.mark.parametrize(("m", "volume"), [(0.5, 0.3372374942), (1.0, 0.5361516341), (2.0, 0.8430121032)])
def test_t10_trinormal_volumes(m, volume):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 3000)
    estimate = pr.evaluate(truth, rng.normal(size=9000) + m * truth, measure="vus", labels=[0, 1, 2])
    assert (
        abs(estimate.value - volume) < 4 * estimate.standard_error
    )  # four standard errors: 1 in 16,000 by chance
