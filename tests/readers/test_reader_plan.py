"""Planned reader studies, pictures and commands."""

import json
from math import inf, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc

import polyroc as pr
from command import polyroc
from polyroc.errors import InputError, NotApplicableError
from reader_data import VAN_DYKE, VAN_DYKE_COLUMNS, needs_van_dyke, ratings_of_four, rows_of, study_of_four

data = pytest.fixture(scope="module")(ratings_of_four)
study = pytest.fixture(scope="module")(study_of_four)


# Methods, planning, pictures, commands -------------------------------------------------------------------------


@needs_van_dyke
@pytest.mark.peer(
    "RJafroc 2.1.2 (R)",
    "power of reader studies planned from the Van Dyke data, to 8 digits; 251 cases for 6 readers",
)
def test_powers_of_rjafroc():
    jackknife = pr.methods.Jackknife(stratified=False)
    pilot = pr.reader_study(VAN_DYKE, measure="auc", method=jackknife, **VAN_DYKE_COLUMNS)
    effect = -0.043800322
    for fixed, readers, cases, power in (
        (None, 10, 165, 0.80541995),
        ("readers", 10, 131, 0.80091813),
        ("cases", 10, 53, 0.80496663),
        (None, 6, 111, 0.5526116),
    ):
        plan = pr.plan_reader_study(pilot, effect=effect, readers=readers, cases=cases, fixed=fixed)
        assert plan.powers[0, 0] == pytest.approx(power, abs=5e-8)
    assert pr.plan_reader_study(pilot, readers=6).needed[0].cases == 251


def test_a_plan_is_as_small_as_it_says():
    variances = pr.results.ReaderVariances.from_correlations(
        error=0.0008, r1=0.43, r2=0.43, r3=0.30, interaction=0.0002, cases=114
    )
    plan = pr.plan_reader_study(variances, effect=0.06, readers=[4, 8], power=0.9)
    for one in plan.needed:
        assert one.cases is not None
        again = pr.plan_reader_study(variances, effect=0.06, readers=one.readers, cases=[one.cases - 1, one.cases])
        assert again.powers[0, 0] < 0.9 <= again.powers[0, 1]
    margin = pr.plan_reader_study(variances, margin=0.08, readers=8)
    assert (margin.alpha, margin.sides, margin.effect) == (0.025, 1, 0)
    few = pr.plan_reader_study(pr.results.ReaderVariances(0.01, 0.001, 0.0, 0.0, 0.0, 100), effect=0.02, readers=3)
    assert few.needed[0].cases is None
    assert "No number of cases" in few.sentence()
    stored = pr.results.ReaderPlan.from_json(plan.to_json())
    assert stored.to_dict() == plan.to_dict()


def test_invalid_plans_are_explained(study):
    with pytest.raises(InputError, match=r"must be stated, and not be 0: effect=0\.05"):
        pr.plan_reader_study(study, effect=0.0)
    with pytest.raises(InputError, match=r"readers must be a whole number from 2 to 10000, got 1"):
        pr.plan_reader_study(study, effect=0.1, readers=[1, 5])
    with pytest.raises(InputError, match=r"worse by the margin \(0\.05\) or more"):
        pr.plan_reader_study(study, effect=-0.06, margin=0.05)
    with pytest.raises(InputError, match=r"not be larger than the variance of the error \(0\.001\), got 0\.4"):
        pr.results.ReaderVariances(0.0, 0.001, 0.4, 0.3, 0.3, 100)
    nested = pr.datasets.RoeMetz(1.0).sample(4, 20, rng=0)
    cells = {"A": {k: nested[1]["A"][k] for k in "12"}, "B": {k: nested[1]["B"][k] for k in "34"}}
    with pytest.raises(NotApplicableError, match="all readers read"):
        pr.plan_reader_study(pr.reader_study(nested[0], cells, measure="auc", nested="readers"), effect=0.1)


@pytest.mark.slow
def test_pictures(study, data):
    from matplotlib import pyplot

    forest = pr.plot(study)
    assert len(forest.points) == 10  # four readers and a mean, twice
    differences = pr.plot(study, kind="differences", level=0.9)
    assert len(differences.points) == 5
    curves = pr.plot(study, kind="roc")
    assert (len(curves.readers), len(curves.means)) == (8, 2)
    assert f"{study.averages['A'].value:.3f}" in curves.legend.get_texts()[0].get_text()  # area of the mean curve
    power = pr.plot(pr.plan_reader_study(study, effect=0.08, readers=[4, 8]))
    assert len(power.lines) == 2
    pyplot.close("all")
    stored = pr.results.ReaderStudy.from_json(study.to_json())
    with pytest.raises(InputError, match="no readings to draw curves of"):
        pr.plot(stored, kind="roc")
    y, ratings = pr.datasets.RoeMetz(1.0, classes=3).sample(2, 8, rng=1)
    with pytest.raises(NotApplicableError, match="two classes and one rating per case"):
        pr.reader_study(y, ratings, measure="hand_till").curves()


@pytest.mark.slow
def test_the_commands(data, study, tmp_path):
    y, ratings = data
    table = rows_of(y, ratings)
    path, wide = tmp_path / "readings.csv", tmp_path / "wide.csv"
    names = [*table]
    lines = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
    path.write_text("\n".join([",".join(names), *lines]) + "\n")
    columns = ["--truth", "truth", "--reader", "reader", "--modality", "modality", "--case", "case"]
    answer = polyroc("reader-study", str(path), *columns, "--margin", "0.1", "-o", str(tmp_path / "forest.png"))
    assert answer.returncode == 0, answer
    assert study.sentence() in answer.stdout
    assert "p non-inferior" in answer.stdout
    assert (tmp_path / "forest.png").stat().st_size > 1000
    lines = polyroc("reader-study", str(path), *columns, "--csv").stdout.splitlines()
    assert len(lines) == 1 + len(study.rows())
    stored = json.loads(polyroc("reader-study", str(path), *columns, "--json").stdout)
    assert stored["equal"]["pvalue"] == pytest.approx(study.equal.pvalue)
    cells = {f"{m}_{r}": x for m, own in ratings.items() for r, x in own.items()}
    rows = [",".join(map(str, (y[k], *(x[k] for x in cells.values())))) for k in range(len(y))]
    wide.write_text("\n".join([",".join(["y", *cells]), *rows]) + "\n")
    options = [part for name in cells for part in ("--scores", f"{name.replace('_', ':')}={name}")]
    again = json.loads(polyroc("reader-study", str(wide), "--truth", "y", *options, "--json").stdout)
    assert again["equal"] == pytest.approx(stored["equal"])
    plan = polyroc("plan-reader-study", "--pilot", str(path), *columns, "--effect", "0.08", "--readers", "4,8")
    assert pr.plan_reader_study(study, effect=0.08, readers=[4, 8]).sentence() in plan.stdout
    assert "--reader COLUMN is missing" in polyroc("reader-study", str(path), "--truth", "truth").stderr
    assert "--of-cases missing" in polyroc("plan-reader-study", "--effect", "0.1").stderr


# The slow twin ---------------------------------------------------------------------------------------------------


def expected_error(v, readers, cases, fixed):
    """Variance of a difference of means, degrees of freedom (Hillis, Obuchowski & Berbaum 2011)."""
    error, cov1, cov2, cov3 = (x * v.cases / cases for x in (v.error, v.cov1, v.cov2, v.cov3))
    by_cases = max(cov2 - cov3, 0.0)
    mean_square = v.interaction + max(error - cov1 - by_cases, 0.0)  # expected, of modality by reader
    if fixed == "cases":
        return 2 / readers * mean_square, readers - 1
    if fixed == "readers":
        return 2 / readers * (error - cov1 + (readers - 1) * by_cases), inf
    whole = mean_square + readers * by_cases
    return 2 / readers * whole, (readers - 1) * (whole / mean_square) ** 2


def noncentral_f(x, df, noncentrality):
    """The distribution function of F with 1 and df degrees of freedom, as a Poisson mixture of beta functions."""
    mixture = stats.poisson(noncentrality / 2).pmf(np.arange(80))
    return float(mixture @ betainc(0.5 + np.arange(80), df / 2, x / (x + df)))


def slow_power(v, effect, margin, alpha, readers, cases, fixed):
    variance, df = expected_error(v, readers, cases, fixed)
    shift = (effect + (margin or 0.0)) / sqrt(variance)
    if df == inf:
        z = stats.norm.isf(alpha if margin else alpha / 2)
        return stats.norm.cdf(shift - z) + (0 if margin else stats.norm.cdf(-shift - z))
    if margin:  # Student's t against a shift: over the distribution of its denominator
        critical, denominator = stats.t.isf(alpha, df), stats.chi2(df)
        at = denominator.ppf((np.arange(20_000) + 0.5) / 20_000)
        return float(stats.norm.sf(critical * np.sqrt(at / df) - shift).mean())
    return 1 - noncentral_f(stats.f.isf(alpha, 1, df), df, shift**2)


@pytest.mark.parametrize("fixed", [None, "readers", "cases"])
@pytest.mark.parametrize("margin", [None, 0.05])
def test_plans_are_those_of_the_slow_twin(fixed, margin):
    v = pr.results.ReaderVariances(interaction=2e-4, error=8e-4, cov1=3.4e-4, cov2=3.2e-4, cov3=2.4e-4, cases=114)
    alpha = 0.025 if margin else 0.05
    effect = 0.01 if margin else 0.04
    plan = pr.plan_reader_study(v, effect=effect, margin=margin, readers=[4, 9], cases=[57, 200], fixed=fixed)
    for i, readers in enumerate(plan.readers):
        for j, cases in enumerate(plan.cases):
            expected = slow_power(v, effect, margin, alpha, int(readers), int(cases), fixed)
            assert plan.powers[i][j] == pytest.approx(float(expected), abs=1e-6 if margin else 1e-10)
    for needed in plan.needed:
        if needed.cases and needed.cases > 10:  # the least that has the power
            less = slow_power(v, effect, margin, alpha, needed.readers, needed.cases - 1, fixed)
            assert less < 0.8 + 1e-6
            assert needed.power >= 0.8 - 1e-12
