"""A threshold for a required rate is a quantile: intervals by order statistics, against binomial probabilities."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import binom

import polyroc as pr
from polyroc.decisions.required_rates import RequiredRate

WELL, SICK = ndtri((np.arange(60) + 0.5) / 60), 1.5 + ndtri((np.arange(40) + 0.5) / 40)
Y, S = np.repeat([0, 1], [60, 40]), np.concatenate([WELL, SICK])
FAST = pr.methods.Bootstrap(replicates=400, rng=1)


def chosen(**options):
    return pr.operate(Y, S, method=FAST, **options)


@given(st.integers(1, 60), st.integers(0, 60), st.floats(0.001, 0.3))
def test_the_limits_are_those_of_binomial_counts(m, k, tail):
    """At the lower limit, k or more of m cases have the probability of the tail; the upper is between two such."""
    k = min(k, m)
    low, high = RequiredRate("sick", k / m, m).limits(np.array(tail))
    if k > 0:
        assert binom.sf(k - 1, m, low) == pytest.approx(tail, rel=1e-6)
    if k < m:
        assert binom.cdf(k - 1, m, high) < tail < binom.cdf(k, m, high)
    assert low <= k / m <= high + 1e-12 or tail > 0.2  # half a case is not much, if the level is low


def test_the_threshold_is_between_order_statistics():
    """Of 40 sick, as many are below the true 10 % quantile as a binomial count; so the interval covers 95 %."""
    (ends,) = chosen(sensitivity=0.9).threshold_intervals()
    first, last = (int(binom.ppf(share, 40, 0.1)) for share in (0.025, 0.975))
    assert ends == (SICK[first - 1], SICK[last])
    (ends,) = chosen(specificity=0.9).threshold_intervals()
    first, last = (int(binom.ppf(share, 60, 0.9)) for share in (0.025, 0.975))
    assert ends.low == WELL[first - 1]
    assert ends.high == max(WELL[last], SICK[WELL[last - 1] < SICK][0])
    (ends,) = chosen(sensitivity=1.0).threshold_intervals()
    assert ends == (-np.inf, SICK[0])


def test_the_rate_on_new_cases():
    point = chosen(sensitivity=0.9)
    sensitivity = point.confusion[1, 1]
    assert point.confusion.required == RequiredRate("1", 0.9, pytest.approx(40))
    assert sensitivity.value == pytest.approx(36 / 41, abs=0.01)  # the mean of beta(36, 5)
    assert sensitivity.confidence_interval() == pytest.approx((0.7634, 0.9651), abs=2e-4)
    missed = point.confusion[1, 0].confidence_interval()
    assert missed == pytest.approx([1 - end for end in sensitivity.confidence_interval()[::-1]])
    assert "reversed" not in str(point.confusion[1, 0])  # few errors are no sign of a reversed score
    plain = pr.rates(Y, S, threshold=point.thresholds[0])
    assert [rates[0, 0].boundary for rates in (plain, point.confusion)] == [None, None]
    again = pr.results.OperatingPoint.from_dict(json.loads(json.dumps(point.to_dict())))
    assert again.to_dict() == point.to_dict()


def test_only_a_limit_that_determines_the_threshold():
    assert chosen(criterion="youden").confusion.required is None
    assert chosen(at_most={(1, 0): 0.9}).confusion.required is None  # other thresholds are better
    limited, required = chosen(at_most={(1, 0): 0.05}), chosen(sensitivity=0.95)
    assert limited.thresholds == required.thresholds
    assert limited.threshold_intervals() == required.threshold_intervals()
    assert limited.confusion.required == required.confusion.required


def test_weights_groups_and_repeated_rows():
    """Frequencies are repeated rows; groups of two count half; weights are an effective number of cases."""
    options = {"sensitivity": 0.9, "method": FAST}
    twice = pr.operate(Y, S, sample_weight=np.full(100, 2), weight_kind="frequency", **options)
    assert twice.confusion.required.cases == pytest.approx(80)
    pairs = pr.operate(np.repeat(Y, 2), np.repeat(S, 2), groups=np.repeat(np.arange(100), 2), **options)
    assert pairs.confusion.required.cases == pytest.approx(40, abs=1.1)
    assert pairs.threshold_intervals() == chosen(sensitivity=0.9).threshold_intervals()
    uneven = np.where(np.arange(100) % 2, 3.0, 1.0)
    weighted = pr.operate(Y, S, sample_weight=uneven, **options)
    assert 25 < weighted.confusion.required.cases <= 32 + 1e-9  # (20 + 60)^2 / (20 + 180)
    (ends,) = weighted.threshold_intervals()
    assert ends.low < weighted.thresholds[0] < ends.high


@pytest.mark.slow
def test_coverage_with_ties():
    """Rounded scores; the study (docs/coverage.md) has other models."""
    rng, new = np.random.default_rng(7), np.random.default_rng(8).normal(1.5, 1.0, 100_000)
    inside = []
    for seed in range(120):
        s = np.round(rng.normal(1.5 * Y, 1.0))
        point = pr.operate(Y, s, sensitivity=0.9, method=pr.methods.Bootstrap(replicates=20, rng=seed))
        low, high = point.confusion[1, 1].confidence_interval()
        inside.append(low <= np.mean(np.round(new) >= point.thresholds[0]) <= high)
    assert np.mean(inside) > 0.91  # two standard errors below 95 %
