"""Reader studies: MRMCaov's numbers, slow twins, algorithms, groups, designs, methods."""

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f as f_distribution
from scipy.stats import t as student

import naive
import polyroc as pr
from polyroc.errors import NotApplicableError
from polyroc.readers.anova import average_term, error_covariances, error_term, mean_squares
from reader_data import VAN_DYKE, VAN_DYKE_COLUMNS, long, needs_van_dyke, ratings_of_four, rows_of, study_of_four
from strategies import at_most

data = pytest.fixture(scope="module")(ratings_of_four)
study = pytest.fixture(scope="module")(study_of_four)


# MRMCaov 0.3.1 on the Van Dyke data, empirical AUC ------------------------------------------------------------


@needs_van_dyke
@pytest.mark.peer(
    "MRMCaov 0.3.1 (R)",
    "Van Dyke data: mean squares, error covariances, tests, differences, means, with readers and cases random, "
    "readers fixed and cases fixed; DeLong and jackknife covariances; all printed digits",
)
@pytest.mark.parametrize(
    ("method", "fixed", "covariances", "test", "difference"),
    [
        (
            pr.methods.Influence(),
            None,
            (0.0007921325, 0.0003420090, 0.0003395265, 0.0002358497),
            (4.484854, 15.06611, 0.05123303),
            (0.0206825, -0.0878671960, 0.0002665519),
        ),
        (
            pr.methods.Jackknife(stratified=False),
            None,
            (0.0008022883, 0.0003466137, 0.0003440748, 0.0002390284),
            (4.456319, 15.25967, 0.05166569),
            (0.02074862, -0.0879594986, 0.0003588544),
        ),
        (
            pr.methods.Influence(),
            "readers",
            None,
            (5.545789, inf, 0.0185252),
            (0.01859926, -0.080254198, -0.007346446),
        ),
        (pr.methods.Influence(), "cases", None, (8.704, 4, 0.04195875), (0.01484629, -0.08502022, -0.00258042)),
    ],
)
def test_numbers_of_mrmcaov(method, fixed, covariances, test, difference):
    study = pr.reader_study(VAN_DYKE, measure="auc", method=method, fixed=fixed, **VAN_DYKE_COLUMNS)
    assert study.mean_squares.modality == pytest.approx(0.004796171, abs=5e-10)
    assert study.mean_squares.interaction == pytest.approx(0.0005510306, abs=5e-11)
    if covariances is not None:
        assert study.errors == pytest.approx(covariances, abs=5.1e-11)
    statistic, df2, pvalue = test
    assert study.equal.statistic == pytest.approx(statistic, abs=5e-7)
    assert (study.equal.df1, study.equal.df2) == (1, pytest.approx(df2, abs=5e-6))
    effect = study.difference("1", "2")
    assert effect.value == pytest.approx(-0.04380032, abs=5e-9)
    assert effect.pvalue == pytest.approx(pvalue, abs=5e-9)
    assert study.equal.pvalue == pytest.approx(effect.pvalue, rel=1e-9)
    assert (effect.standard_error, *effect.confidence_interval()) == pytest.approx(difference, abs=5.1e-9)


@needs_van_dyke
@pytest.mark.peer("MRMCaov 0.3.1 (R)", "Van Dyke data: means of single modalities and areas of single readers")
def test_means_of_mrmcaov():
    study = pr.reader_study(VAN_DYKE, measure="auc", **VAN_DYKE_COLUMNS)
    expected = {
        "1": (0.8970370, 0.03307642, 12.59597, 0.8253461, 0.9687280),
        "2": (0.9408374, 0.02150464, 12.56530, 0.8942155, 0.9874592),
    }
    for name, numbers in expected.items():
        mean = study.averages[name]
        assert (mean.value, mean.standard_error, mean.df, *mean.student_interval()) == pytest.approx(
            numbers, rel=1e-6
        )
    areas = [0.9196457, 0.8587762, 0.9038647, 0.9731079, 0.8297907]
    areas += [0.9478261, 0.9053140, 0.9217391, 0.9993559, 0.9299517]
    assert [estimate.value for estimate in study.estimates.values()] == pytest.approx(areas, abs=5e-8)


# Twins from the definition --------------------------------------------------------------------------------------


@given(st.integers(2, 4), st.integers(2, 5), st.integers(0, 2**20))
@at_most(25)
def test_mean_squares_and_covariances_are_those_of_loops(t, r, seed):
    rng = np.random.default_rng(seed)
    values, root = rng.random((t, r)), rng.normal(size=(t * r, t * r + 2))
    covariance = (root @ root.T).reshape(t, r, t, r)
    assert tuple(mean_squares(values)) == pytest.approx(naive.reader_mean_squares(values.tolist()))
    expected = naive.reader_error_covariances(covariance.tolist())
    assert error_covariances(covariance)._asdict() == pytest.approx(expected)
    many = error_term(np.stack([values] * 2), np.stack([covariance] * 2))  # several studies at once
    assert many.variance == pytest.approx([float(error_term(values, covariance).variance)] * 2)


def test_the_test_is_that_of_the_formula(study):
    values = np.array([estimate.value for estimate in study.estimates.values()]).reshape(2, 4)
    modality, _, interaction = naive.reader_mean_squares(values.tolist())
    errors = naive.reader_error_covariances(study.covariance.reshape(2, 4, 2, 4).tolist())
    between = 4 * max(errors["cov2"] - errors["cov3"], 0.0)
    df2 = 3 * (1 + between / interaction) ** 2
    statistic = modality / (interaction + between)
    assert study.equal == pytest.approx((statistic, 1, df2, f_distribution.sf(statistic, 1, df2)))
    effect = study.difference("A", "B")
    error = sqrt(2 / 4 * (interaction + between))
    reach = student.ppf(0.975, df2) * error
    assert effect.confidence_interval() == pytest.approx((effect.value - reach, effect.value + reach))
    # non-inferiority and equivalence are one-sided tests with the same error
    assert effect.non_inferiority(0.1) == pytest.approx(student.sf((effect.value + 0.1) / error, df2))
    assert effect.equivalence(0.1) == pytest.approx(
        max(student.sf((effect.value + 0.1) / error, df2), student.cdf((effect.value - 0.1) / error, df2))
    )
    back = study.difference("B", "A")
    assert (back.value, back.superiority()) == pytest.approx((-effect.value, effect.pvalue / 2))


@pytest.mark.parametrize("separation", [0.7, 2.5])
def test_the_difference_of_a_reader_is_that_of_compare(separation):
    """By the normal distribution; near a limit by the score test of `compare`, there with Student's quantile."""
    y, ratings = pr.datasets.RoeMetz(separation).sample(2, 30, rng=5)
    own = pr.compare(y, {name: readers["2"] for name, readers in ratings.items()}, measure="auc")
    expected = own.difference("A", "B")
    effect = pr.reader_study(y, ratings, measure="auc").difference("A", "B", reader="2")
    assert (effect.value, effect.standard_error) == pytest.approx((expected.value, expected.standard_error))
    assert (effect.means is None) == (separation < 1)
    assert effect.pvalue == pytest.approx(expected.wald_test() if separation < 1 else expected.pvalue, rel=0.05)


def test_any_measure_and_three_classes():
    y, ratings = pr.datasets.RoeMetz(1.0, classes=3).sample(3, 12, rng=2)
    for measure in ("hand_till", "pdi"):
        result = pr.reader_study(y, ratings, measure=measure)
        own = pr.compare(y, {name: readers["1"] for name, readers in ratings.items()}, measure=measure)
        assert [result.estimates[name, "1"].value for name in "AB"] == pytest.approx(
            [float(own.estimates[name]) for name in "AB"]
        )
    shares = {
        name: {reader: np.exp(x) / np.exp(x).sum(axis=1, keepdims=True) for reader, x in readers.items()}
        for name, readers in ratings.items()
    }
    brier = pr.reader_study(y, shares, measure="brier").difference("A", "B")
    assert not brier.larger_is_better
    # smaller is better: A is not worse than B if its Brier score is not larger by the margin
    assert brier.non_inferiority(0.2) == pytest.approx(
        student.cdf((brier.value - 0.2) / brier.standard_error, brier.df)
    )


def test_three_modalities_are_adjusted(data):
    y, ratings = data
    third = {
        reader: values + np.random.default_rng(0).normal(size=len(y)) for reader, values in ratings["A"].items()
    }
    study = pr.reader_study(y, {**ratings, "C": third}, measure="auc")
    ps = [effect.pvalue for effect in study.differences.values()]
    assert len(ps) == 3
    assert min(effect.adjusted_pvalue for effect in study.differences.values()) == pytest.approx(
        min(1, 3 * min(ps))
    )
    assert study.equal.df1 == 2
    assert study.conclusion()[0].startswith("Test that all modalities are equal: F(2, ")


# Stand-alone algorithm, groups, designs --------------------------------------------------------------------------


def test_an_algorithm_against_the_mean_reader(data):
    y, ratings = data
    ai = ratings["B"]["1"] + np.random.default_rng(1).normal(size=len(y))
    study = pr.reader_study(y, {"unaided": ratings["A"], "AI": ai}, measure="auc", standalone="AI")
    effect = study.algorithm["unaided"]
    matrix = study.covariance  # four readers, then the algorithm
    values = np.array([estimate.value for estimate in study.estimates.values()])
    differences = values[4] - values[:4]
    cov = [matrix[4, 4] - matrix[4, j] - matrix[4, k] + matrix[j, k] for j in range(4) for k in range(4) if j != k]
    within, between = differences.var(ddof=1), 4 * max(np.mean(cov), 0.0)
    assert effect.value == pytest.approx(differences.mean())
    assert effect.standard_error == pytest.approx(sqrt((within + between) / 4))
    assert effect.df == pytest.approx(3 * (1 + between / within) ** 2)
    assert study.equal is None
    assert study.differences == {}
    assert "AI" in study.sentence()
    # the same from rows
    table = rows_of(y, {"unaided": ratings["A"], "AI": {"machine": ai}})
    again = long(table, standalone="AI")
    assert again.algorithm["unaided"].standard_error == pytest.approx(effect.standard_error)


def test_groups_are_those_of_compare(data):
    y, ratings = data
    patient = np.arange(len(y)) // 3
    study = pr.reader_study(y, ratings, measure="auc", groups=patient)
    cells = {
        f"{name}: {reader}": values for name, readers in ratings.items() for reader, values in readers.items()
    }
    expected = pr.compare(y, cells, measure="auc", groups=patient).covariance
    np.testing.assert_allclose(study.covariance, expected)
    assert study.provenance.groups == 20


def test_readers_nested_in_modalities(data):
    y, ratings = data
    cells = {"A": {name: ratings["A"][name] for name in "12"}, "B": {name: ratings["B"][name] for name in "34"}}
    study = pr.reader_study(y, cells, measure="auc", nested="readers")
    values = np.array([estimate.value for estimate in study.estimates.values()]).reshape(2, 2)
    within = values.var(axis=1, ddof=1).mean()
    matrix = study.covariance
    between = 2 * max((matrix[0, 1] + matrix[2, 3]) / 2 - matrix[:2, 2:].mean(), 0.0)
    effect = study.difference("A", "B")
    assert effect.standard_error == pytest.approx(sqrt(within + between))
    assert effect.df == pytest.approx(2 * (1 + between / within) ** 2)
    assert study.by_reader == {}
    fixed = pr.reader_study(y, cells, measure="auc", nested="readers", fixed="readers").difference("A", "B")
    contrast = np.array([0.5, 0.5, -0.5, -0.5])
    assert fixed.standard_error == pytest.approx(sqrt(contrast @ matrix @ contrast))


def test_cases_nested_in_readers():
    model = pr.datasets.RoeMetz(1.2)
    tables, parts = [], {}
    for reader in "abc":
        y, ratings = model.sample(1, 20, rng=ord(reader))
        table = rows_of(y, {name: {reader: own["1"]} for name, own in ratings.items()})
        table["case"] = [f"{reader}{case}" for case in table["case"]]
        tables.append(table)
        parts[reader] = pr.compare(y, {name: own["1"] for name, own in ratings.items()}, measure="auc")
    table = {name: [value for one in tables for value in one[name]] for name in tables[0]}
    study = long(table, nested="cases")
    for reader, own in parts.items():
        for name in "AB":
            assert study.estimates[name, reader].value == pytest.approx(float(own.estimates[name]))
    assert (study.errors.cov2, study.errors.cov3) == pytest.approx((0, 0))  # no case in common
    differences = np.array([study.difference("A", "B", reader=name).value for name in "abc"])
    effect = study.difference("A", "B")
    assert (effect.standard_error, effect.df) == pytest.approx((differences.std(ddof=1) / sqrt(3), 2))
    with pytest.raises(
        NotApplicableError, match=r"nested='cases' is not available with Jackknife\(\); use method=Influence"
    ):
        long(table, nested="cases", method="jackknife")
    # if all readers read the same cases, it is the crossed analysis
    y, ratings = model.sample(3, 20, rng=0)
    crossed = rows_of(y, ratings)
    np.testing.assert_allclose(long(crossed, nested="cases").covariance, long(crossed).covariance, atol=1e-15)


def test_methods_agree_roughly(data, study):
    for method in (pr.methods.Jackknife(), pr.methods.Unbiased(), pr.methods.Bootstrap(replicates=400, rng=1)):
        other = pr.reader_study(*data, measure="auc", method=method)
        assert other.difference("A", "B").standard_error == pytest.approx(
            study.difference("A", "B").standard_error, rel=0.15
        )
    assert (
        repr(pr.methods.Jackknife(stratified=False))
        in pr.reader_study(*data, measure="auc", method=pr.methods.Jackknife(stratified=False)).sentence()
    )


def test_fixed_cases_of_a_mean(data):
    y, ratings = data
    mean = pr.reader_study(y, ratings, measure="auc", fixed="cases").averages["A"]
    values = np.array([pr.evaluate(y, own, measure="auc").value for own in ratings["A"].values()])
    assert (mean.standard_error, mean.df) == pytest.approx((values.std(ddof=1) / 2, 3))
    covariance = np.eye(4) * 0.01 - 0.002  # a negative covariance between readers counts as 0
    assert average_term(values, covariance).variance == pytest.approx(values.var(ddof=1))


def test_the_interval_of_a_mean_is_on_the_logit_scale(study):
    mean = study.averages["A"]
    logit = np.log(mean.value / (1 - mean.value))
    reach = student.ppf(0.95, mean.df) * mean.standard_error / (mean.value * (1 - mean.value))
    expected = 1 / (1 + np.exp(-(logit - reach))), 1 / (1 + np.exp(-(logit + reach)))
    assert mean.confidence_interval(0.9) == pytest.approx(expected)
    at_limit = pr.results.ReaderAverage(1.0, 0.1, 3.0, (0.0, 1.0))
    assert at_limit.confidence_interval() == at_limit.student_interval()
    without = pr.results.ReaderAverage(2.0, 0.1, inf, (0.0, inf))
    assert without.confidence_interval() == pytest.approx((2 - 0.1959964, 2 + 0.1959964))
