"""Cross-validated predictions: measures within folds, averaged over the trained models."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import naive
import polyroc as pr
from command import polyroc
from polyroc.errors import InputError, NotApplicableError, OptimismWarning, PooledFoldsWarning
from polyroc.measures.registry import MEASURES
from polyroc.scores import Folds

ADMISSIONS = Path(__file__).parents[3] / "shared" / "data" / "cvauc_admissions.csv"


def three_classes(n=20, folds=4, seed=3):
    """Probabilities of three classes in folds of equal class sizes, on scales that differ between folds."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n)
    P = rng.dirichlet(np.ones(3), size=3 * n) + 0.6 * np.eye(3)[y]
    P /= P.sum(axis=1, keepdims=True)
    return y, P, np.tile(np.arange(n) % folds, 3)


def two_classes(n=24, folds=4, seed=5):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n)
    return y, rng.normal(size=2 * n) + y, np.tile(np.arange(n) % folds, 2)


@st.composite
def cross_validations(draw, least=2):
    """(y, score, fold, repeat, case) with `least` cases of each class per fold, and often more."""
    folds, repeats = draw(st.integers(2, 3)), draw(st.integers(1, 2))
    more = draw(st.lists(st.integers(0, 1), max_size=6))
    y = np.array([k for k in (0, 1) for _ in range(folds * least)] + more)
    columns = []
    for r in range(repeats):
        own = [v for _ in (0, 1) for v in draw(st.permutations([*range(folds)] * least))]
        own += draw(st.lists(st.integers(0, folds - 1), min_size=len(more), max_size=len(more)))
        score = draw(st.lists(st.integers(0, 4).map(float), min_size=len(y), max_size=len(y)))
        columns.append((y, score, own, [r] * len(y), range(len(y))))
    return tuple(np.concatenate(column) for column in zip(*columns, strict=True))


# Against the definition


@given(cross_validations(), st.data())
def test_auc_equals_its_slow_twin(rows, data):
    y, s, fold, repeat, case = rows
    weight = None
    if data.draw(st.booleans()):
        weights = data.draw(st.lists(st.integers(1, 3), min_size=len(y), max_size=len(y)))
        weight = np.array(weights, dtype=float)
    groups = case // 2 if data.draw(st.booleans()) else None
    estimate = pr.evaluate(
        y, s, measure="auc", folds=fold, repeats=repeat, groups=groups, sample_weight=weight, labels=[0, 1]
    )
    w = np.ones(len(y)) if weight is None else weight
    value, variance = naive.cross_validated_auc(y, s, w, fold, repeat, case if groups is None else groups)
    assert estimate.value == pytest.approx(value)
    assert estimate.standard_error**2 == pytest.approx(variance, abs=1e-12)


@given(cross_validations(least=1))
def test_folds_with_one_case_of_a_class_equal_their_slow_twin(rows):
    y, s, fold, repeat, case = rows
    estimate = pr.evaluate(y, s, measure="auc", folds=fold, repeats=repeat, labels=[0, 1])
    value, variance = naive.cross_validated_auc(y, s, np.ones(len(y)), fold, repeat, case)
    assert estimate.value == pytest.approx(value)
    assert estimate.standard_error**2 == pytest.approx(variance, abs=1e-12)


def measures_with_data():
    for key, measure in MEASURES.items():
        if not measure.roles:
            yield f"{key}(threshold=0.5)" if key == "net_benefit" else key


@pytest.mark.parametrize("sampling", ["cohort", "case-control"])
@pytest.mark.parametrize("key", [*measures_with_data()])
def test_every_measure_is_averaged_with_the_variance_of_independent_folds(key, sampling):
    measure = pr.measure(key)
    y, s, fold = two_classes(n=60) if measure.classes[1] == 2 else three_classes()
    if measure.needs == "decisions" and s.ndim == 1:
        s = np.c_[s < 0.5, s >= 0.5].astype(float)
    if measure.needs == "ordered":
        s = s @ np.arange(3.0) if s.ndim == 2 else s
    labels = sorted(set(y.tolist()))
    options = {"measure": key, "labels": labels, "sampling": sampling}
    result = pr.evaluate(y, s, folds=fold, **options)
    by_fold = [pr.evaluate(y[fold == v], s[fold == v], **options) for v in range(4)]
    assert result.value == pytest.approx(np.mean([fold.value for fold in by_fold]))
    # class sizes are equal in all folds, so that no degrees of freedom differ but those of the shares of classes
    expected = np.sqrt(np.sum([fold.standard_error**2 for fold in by_fold])) / 4
    assert result.standard_error == pytest.approx(expected, rel=0.02 if measure.prevalence else 1e-9)
    for part, estimate in result.parts.items():
        assert estimate.value == pytest.approx(np.mean([fold.parts[part].value for fold in by_fold]))
    assert result.fewest == pytest.approx(4 * by_fold[0].fewest)


# Published numbers


@pytest.mark.skipif(not ADMISSIONS.exists(), reason="the data of cvAUC are not here")
@pytest.mark.peer("cvAUC 1.1.3 (R)", "value, standard error and interval of ci.cvAUC on its admissions data")
def test_the_numbers_of_cvauc_are_reproduced():
    options = {"truth": "Y", "scores": "prediction", "folds": "fold", "measure": "auc"}
    estimate = pr.evaluate(ADMISSIONS, method=pr.methods.LeDell(), **options)
    assert estimate.value == pytest.approx(0.897328502415459, abs=5e-16)
    assert estimate.standard_error == pytest.approx(0.016511372726029, abs=5e-16)
    low, high = estimate.confidence_interval(kind="wald")
    assert (round(low, 10), round(high, 10)) == (0.8649668065, 0.9296901983)
    # by default sums of squares within folds are divided by their degrees of freedom: 38 for 48 positives
    assert pr.evaluate(ADMISSIONS, **options).standard_error == pytest.approx(0.0179611, abs=5e-8)


@given(cross_validations(), st.booleans())
def test_ledell_equals_its_slow_twin_with_and_without_ids(rows, grouped):
    y, s, fold, *_ = (column[rows[3] == 0] for column in rows)
    ids = fold * 10 + np.arange(len(y)) % 2 if grouped else np.arange(len(y))  # each in one fold
    estimate = pr.evaluate(
        y, s, folds=fold, groups=ids if grouped else None, measure="auc", method="ledell", labels=[0, 1]
    )
    assert estimate.standard_error**2 == pytest.approx(naive.cvauc_variance(y, s, fold, ids), abs=1e-12)
    gini = pr.evaluate(
        y, s, folds=fold, groups=ids if grouped else None, measure="gini", method="ledell", labels=[0, 1]
    )
    assert gini.standard_error == pytest.approx(2 * estimate.standard_error)


def test_ledell_is_for_unweighted_folds_of_an_area():
    y, s, fold = two_classes()
    for options, message in (
        ({}, "folds"),
        ({"folds": fold, "sample_weight": np.ones(len(y))}, "unweighted"),
        ({"folds": fold, "groups": np.arange(len(y)) // 2}, "several folds"),
    ):
        with pytest.raises(NotApplicableError, match=message):
            pr.evaluate(y, s, measure="auc", method="ledell", **options)
    with pytest.raises(NotApplicableError, match="has a formula for auc, gini, not for partial_auc"):
        pr.evaluate(y, s, measure="partial_auc", method="ledell", folds=fold)


# Pooled beside averaged


def test_pooled_values_stand_beside_the_averages():
    y, s, fold = two_classes(n=60)
    estimate = pr.evaluate(y, s, folds=fold, measure="auc")
    folds = estimate.cross_validation
    plain = pr.evaluate(y, s, measure="auc")
    assert (folds.pooled, folds.pooled_standard_error) == (plain.value, pytest.approx(plain.standard_error))
    assert np.mean(folds.values) == pytest.approx(estimate.value)
    assert (folds.folds, folds.cases, folds.repeats) == (("0", "1", "2", "3"), (30,) * 4, 1)
    assert not folds.pooling_is_biased
    shifted = pr.evaluate(y, s + fold, folds=fold, measure="auc").cross_validation
    assert shifted.values == folds.values
    assert shifted.pooled != folds.pooled
    assert shifted.pooling_is_biased
    assert "biased, because scores of the same class differ between folds (p < 0.001)" in shifted.sentence()
    assert "do not differ significantly" in folds.sentence()


def test_the_shift_test_is_kruskal_and_wallis_with_bonferroni():
    y, s, fold = two_classes(n=60)
    s = np.round(s, 1) + 0.15 * fold  # ties
    estimate = pr.evaluate(y, s, folds=fold, measure="auc").cross_validation.shift_pvalue
    by_class = [stats.kruskal(*(s[(y == k) & (fold == v)] for v in range(4))).pvalue for k in (0, 1)]
    assert estimate == pytest.approx(min(1.0, 2 * min(by_class)))


@pytest.mark.slow
def test_the_shift_test_holds_its_level():
    rng = np.random.default_rng(31)
    y, fold = np.repeat([0, 1], 20), np.tile(np.arange(20) % 5, 2)
    pvalues = [
        pr.evaluate(
            y, rng.normal(size=40) + y, folds=fold, measure="auc", method=None
        ).cross_validation.shift_pvalue
        for _ in range(400)
    ]
    assert np.mean(np.array(pvalues) < 0.05) < 0.075  # 400 samples: standard error 0.011


@pytest.mark.filterwarnings("error")
def test_pooling_warns_where_it_is_biased():
    y, s, fold = two_classes()
    assert pr.evaluate(y, s, folds=fold, pooled=True, measure="auc").provenance.pooled
    with pytest.warns(PooledFoldsWarning, match="scores of the same class differ between folds"):
        pr.evaluate(y, s + 3 * fold, folds=fold, pooled=True, measure="auc")
    with pytest.warns(PooledFoldsWarning, match="leave-one-out"):
        pr.evaluate(y, s, folds=np.arange(len(y)), pooled=True, measure="auc")
    decisions = np.where(s > 0.5, "1", "0")
    pr.evaluate(y.astype(str), decisions, folds=np.arange(len(y)), pooled=True, measure="accuracy")


def test_a_leave_one_out_model_of_class_shares_is_named_as_biased():
    y = np.repeat([0, 1], 20)
    share = (20 - y) / 39  # of positives among the other cases
    with pytest.warns(PooledFoldsWarning):
        estimate = pr.evaluate(y, share, folds=np.arange(40), pooled=True, measure="auc")
    assert estimate.value == 0


def test_parts_have_pooled_values_and_values_by_fold():
    y, P, fold = three_classes()
    estimate = pr.evaluate(y, P, folds=fold, measure="hand_till").parts["A(0,1)"]
    expected = pr.evaluate(y, P, measure="hand_till").parts["A(0,1)"]
    assert estimate.cross_validation.pooled == expected.value
    assert estimate.cross_validation.pooled_standard_error == pytest.approx(expected.standard_error)
    assert np.mean(estimate.cross_validation.values) == pytest.approx(estimate.value)


# Results in words and as stored data


def test_the_target_is_stated_everywhere():
    y, s, fold = two_classes()
    t = s + np.random.default_rng(0).normal(size=len(y))
    estimate = pr.evaluate(y, {"s": s, "t": t}, folds=fold)
    target = "the average performance of these 4 trained models on new cases"
    assert target in str(estimate)
    assert target in str(estimate["s", "auc"])
    assert repr(estimate["s", "auc"]).endswith("averaged over 4 folds)")
    assert target in estimate["s", "auc"].to_dict()["provenance"]["target"]
    comparison = pr.compare(y, {"s": s, "t": t}, folds=fold, measure="auc")
    assert target in comparison.conclusion()[-1]
    assert target in str(comparison)
    learner = "for the learner, trained on new samples, repeat it as a study"
    one_run = "One run: intervals are too short"
    for text in (str(estimate), str(comparison), comparison.conclusion()[-1]):
        assert learner in text
        assert one_run in text
    assert "Pooled: " in str(estimate)
    assert "Pooled: " not in str(comparison)  # which shows no pooled values
    twice = {"folds": np.tile(fold, 2), "repeats": np.repeat([1, 2], len(y)), "measure": "auc"}
    repeated = pr.evaluate(np.tile(y, 2), np.tile(s, 2), **twice)
    assert learner in str(repeated)
    assert one_run not in str(repeated)
    assert one_run not in str(pr.evaluate(y, s, folds=fold, measure="auc", method=None))  # there is no interval
    pooled = pr.evaluate(y, s, folds=fold, measure="auc", pooled=True)
    assert repr(pooled).endswith("pooled over 4 folds)")
    assert "as if one model had predicted them" in str(pooled)
    assert pr.evaluate(y, s, measure="auc").provenance.target is None


def test_results_of_folds_are_stored_and_read_again():
    y, P, fold = three_classes()
    y2, P2 = np.tile(y, 2), np.concatenate([P, P[::-1]])
    estimate = pr.evaluate(y2, P2, folds=np.tile(fold, 2), repeats=np.repeat([1, 2], len(y)), measure="hand_till")
    again = type(estimate).from_json(estimate.to_json())
    assert again.to_json() == estimate.to_json()
    assert again.cross_validation == estimate.cross_validation
    assert again.parts["A(0,1)"].cross_validation == estimate.parts["A(0,1)"].cross_validation
    assert again.provenance.fold_text == "2 repeats of 4 folds"
    assert again.cross_validation.folds[5] == "repeat 2, fold 1"
    row = estimate.row()
    assert row["pooled"] == estimate.cross_validation.pooled
    assert len(estimate.cross_validation.rows()) == 8


# Laws


def rows_of(y, s, fold):
    return pr.evaluate(y, s, folds=fold, measure="auc", labels=[0, 1])


@given(cross_validations(), st.randoms(use_true_random=False))
def test_names_of_folds_and_order_of_rows_do_not_matter(rows, random):
    y, s, fold, repeat, case = rows
    order = np.array(random.sample(range(len(y)), len(y)))
    plain = pr.evaluate(y, s, folds=fold, repeats=repeat, groups=case, measure="auc", labels=[0, 1])
    other = pr.evaluate(
        y[order],
        s[order],
        folds=[f"fold {9 - v}" for v in fold[order]],
        repeats=repeat[order],
        groups=case[order],
        measure="auc",
        labels=[0, 1],
    )
    assert other.value == pytest.approx(plain.value)
    assert other.standard_error == pytest.approx(plain.standard_error)


def test_copies_of_a_fold_are_as_many_independent_samples():
    y, s, _ = two_classes()
    single = pr.evaluate(y, s, measure="auc")
    copies = rows_of(np.tile(y, 5), np.tile(s, 5), np.repeat(range(5), len(y)))
    assert copies.value == pytest.approx(single.value)
    assert copies.standard_error == pytest.approx(single.standard_error / np.sqrt(5))
    assert copies.fewest == pytest.approx(5 * single.fewest)


@given(cross_validations())
def test_the_mean_component_of_a_class_is_the_value(rows):
    y, s, fold, repeat, _ = rows
    estimate = pr.evaluate(y, s, folds=fold, repeats=repeat, measure="auc", labels=[0, 1])
    for k in (0, 1):
        assert estimate.components[y == k].mean() == pytest.approx(estimate.value)


def test_pooled_repeats_are_clusters_of_cases():
    y, s, fold = two_classes()
    repeated = {"folds": np.tile(fold, 2), "repeats": np.repeat([1, 2], len(y)), "measure": "auc"}
    pooled = pr.evaluate(np.tile(y, 2), np.tile(s, 2), **repeated, pooled=True)
    plain = pr.evaluate(y, s, measure="auc")
    assert pooled.value == pytest.approx(plain.value)
    assert pooled.standard_error == pytest.approx(plain.standard_error)
    assert pooled.fewest == pytest.approx(plain.fewest)


def test_identical_repeats_are_no_new_information():
    y, s, fold = two_classes()
    once = rows_of(y, s, fold)
    thrice = pr.evaluate(
        np.tile(y, 3), np.tile(s, 3), folds=np.tile(fold, 3), repeats=np.repeat([1, 2, 3], len(y)), measure="auc"
    )
    assert thrice.value == pytest.approx(once.value)
    assert thrice.standard_error == pytest.approx(once.standard_error)
    assert thrice.fewest == pytest.approx(once.fewest)
    assert thrice.provenance.cases == once.provenance.cases


def test_independent_repeats_of_the_same_cases_have_a_smaller_error():
    y, s, fold = two_classes()
    rng = np.random.default_rng(1)
    s2, fold2 = (
        y + rng.normal(size=len(y)),
        np.concatenate([rng.permutation(fold[:24]), rng.permutation(fold[24:])]),
    )
    both = pr.evaluate(
        np.tile(y, 2),
        np.concatenate([s, s2]),
        folds=np.concatenate([fold, fold2]),
        repeats=np.repeat([1, 2], len(y)),
        measure="auc",
    )
    singles = [rows_of(y, s, fold), rows_of(y, s2, fold2)]
    assert both.value == pytest.approx(np.mean([single.value for single in singles]))
    assert both.standard_error < min(single.standard_error for single in singles)


def test_frequency_weights_are_repeated_cases():
    y, s, fold = two_classes()
    times = np.random.default_rng(2).integers(1, 4, len(y))
    options = {"measure": "auc", "labels": [0, 1]}
    weighted = pr.evaluate(y, s, folds=fold, sample_weight=times, weight_kind="frequency", **options)
    longhand = pr.evaluate(
        *(np.repeat(column, times) for column in (y, s)), folds=np.repeat(fold, times), **options
    )
    assert weighted.value == pytest.approx(longhand.value)
    assert weighted.standard_error == pytest.approx(longhand.standard_error)
    twice = pr.evaluate(
        *(np.tile(column, 2) for column in (y, s)),
        folds=np.tile(fold, 2),
        repeats=np.repeat([1, 2], len(y)),
        sample_weight=np.tile(times, 2),
        weight_kind="frequency",
        **options,
    )
    assert twice.standard_error == pytest.approx(longhand.standard_error)


def test_scaled_weights_within_a_fold_change_nothing():
    y, s, fold = two_classes()
    plain = rows_of(y, s, fold)
    scaled = pr.evaluate(y, s, folds=fold, sample_weight=np.where(fold == 0, 7.0, 1.0), measure="auc")
    assert scaled.value == pytest.approx(plain.value)
    assert scaled.standard_error == pytest.approx(plain.standard_error)
    assert scaled.fewest == pytest.approx(plain.fewest)


def test_monotone_changes_of_a_models_scores_do_not_matter_but_pooled_they_do():
    y, s, fold = two_classes()
    shifted = s + 10.0 * fold
    assert rows_of(y, shifted, fold).value == rows_of(y, s, fold).value
    options = {"folds": fold, "measure": "auc", "pooled": True}
    with pytest.warns(PooledFoldsWarning):
        assert pr.evaluate(y, shifted, **options).value != pr.evaluate(y, s, **options).value
    assert pr.evaluate(y, s, **options).value == pr.evaluate(y, s, measure="auc").value


def test_unequal_folds_count_the_same_and_small_ones_limit_the_effective_number():
    rng = np.random.default_rng(8)
    y = np.tile([0, 1], 110)
    fold = np.repeat(["small", "large"], [20, 200])
    s = rng.normal(size=220) + y
    estimate = rows_of(y, s, fold)
    small, large = (pr.evaluate(y[fold == v], s[fold == v], measure="auc") for v in ("small", "large"))
    assert estimate.value == pytest.approx((small.value + large.value) / 2)
    assert estimate.fewest == pytest.approx(1 / (0.25 / 10 + 0.25 / 100))


# Comparisons and methods


def test_paired_differences_have_the_variance_of_the_components_differences():
    y, s, fold = two_classes()
    rng = np.random.default_rng(4)
    t = s + rng.normal(size=len(y))
    comparison = pr.compare(y, {"s": s, "t": t}, folds=fold, measure="auc")
    difference = comparison.difference("s", "t")
    by_fold = [
        pr.compare(y[fold == v], {"s": s[fold == v], "t": t[fold == v]}, measure="auc").difference("s", "t")
        for v in range(4)
    ]
    assert difference.value == pytest.approx(np.mean([fold.value for fold in by_fold]))
    expected = np.sqrt(np.sum([fold.standard_error**2 for fold in by_fold])) / 4
    assert difference.standard_error == pytest.approx(expected)


@pytest.mark.parametrize("method", ["jackknife", "unbiased", "hanley-mcneil", "bootstrap"])
def test_other_methods_add_up_independent_folds(method):
    y, s, fold = two_classes(n=80)
    expected = rows_of(y, s, fold).standard_error
    estimate = pr.evaluate(y, s, folds=fold, measure="auc", method=method)
    assert estimate.standard_error == pytest.approx(expected, rel=0.08)  # 20 + 20 cases a fold, 2000 replicates
    case = np.arange(len(y))
    with pytest.raises(NotApplicableError, match=r"several folds; use method=Influence\(\)"):
        pr.evaluate(y, s, folds=fold, groups=case // 2, measure="auc", method=method)


def test_permutation_exchanges_predictions_within_folds():
    y, s, fold = two_classes()
    other = s + 10.0 * fold  # the same order within every fold
    comparison = pr.compare(
        y, {"s": s, "o": other}, folds=fold, measure="auc", method=pr.methods.Permutation(replicates=50, rng=1)
    )
    assert comparison.difference("s", "o").value == 0


# Small folds


def test_folds_of_two_and_two_cases_have_a_standard_error():
    y, s, fold = two_classes(n=20, folds=10)
    estimate = rows_of(y, s, fold)
    assert 0 < estimate.standard_error < 0.5
    assert estimate.fewest == pytest.approx(20)
    low, high = estimate.confidence_interval()
    assert 0 < low < estimate.value < high < 1


def test_one_rare_case_per_fold_has_a_standard_error():
    rng = np.random.default_rng(6)
    y = np.repeat([1, 0], [10, 200])
    fold = np.concatenate([np.arange(10), np.arange(200) % 10])
    s = rng.normal(size=210) + y
    estimate = rows_of(y, s, fold)
    pooled = pr.evaluate(y, s, measure="auc")
    assert estimate.standard_error == pytest.approx(pooled.standard_error, rel=0.25)


# What is not a cross-validation


def test_folds_are_checked():
    y, s, fold = two_classes()
    for options, message in (
        ({"folds": fold[:-1]}, "must name one fold per row"),
        ({"folds": np.zeros(len(y))}, "one fold only"),
        ({"repeats": fold}, "the folds are missing"),
        ({"folds": [None, *fold[1:]]}, "missing values"),
        ({"folds": np.arange(len(y))}, "leave-one-out"),
        ({"folds": np.arange(len(y)) // 12}, r"fold 0: '1'; fold 1: '1'; fold 2: '0'; fold 3: '0'"),
        ({"folds": fold.reshape(-1, 2)}, "one label per case"),
        ({"pooled": True}, "there are none"),
    ):
        with pytest.raises(InputError, match=message):
            pr.evaluate(y, s, measure="auc", **options)


def test_repeats_must_cover_all_cases_once():
    y, s, fold = two_classes()
    twice = {"folds": np.tile(fold, 2), "repeats": np.repeat([1, 2], len(y))}
    y2, s2 = np.tile(y, 2), np.tile(s, 2)
    for keep, message in (
        (np.arange(len(y2)) != 3, "repeat 1 has 47 rows and repeat 2 has 48"),
        (np.r_[0, np.arange(len(y2))], "repeat 2 has 48 rows and repeat 1 has 49"),
    ):
        options = {name: column[keep] for name, column in twice.items()}
        with pytest.raises(InputError, match=message):
            pr.evaluate(y2[keep], s2[keep], measure="auc", **options)
    order = np.r_[np.arange(len(y)), np.random.default_rng(0).permutation(len(y)) + len(y)]
    mixed = {name: column[order] for name, column in twice.items()}
    with pytest.raises(InputError, match=r"y_true differs between repeats\. Identify the cases with groups"):
        pr.evaluate(y2[order], s2[order], measure="auc", **mixed)
    case = np.tile(np.arange(len(y)), 2)[order]
    assert pr.evaluate(y2[order], s2[order], measure="auc", groups=case, **mixed).fewest == pytest.approx(24)
    case[-1] = case[-2]
    with pytest.raises(InputError, match="every case once in each repeat"):
        pr.evaluate(y2[order], s2[order], measure="auc", groups=case, **mixed)


def test_dropped_rows_must_be_dropped_in_every_repeat():
    y, s, fold = two_classes()
    y2, s2 = np.tile(y, 2), np.tile(s, 2)
    options = {"folds": np.tile(fold, 2), "repeats": np.repeat([1, 2], len(y)), "measure": "auc"}
    s2[[5, 5 + len(y)]] = np.nan
    with pytest.warns(pr.errors.DroppedRowsWarning):
        assert pr.evaluate(y2, s2, missing="drop", **options).provenance.cases == {"0": 23, "1": 24}
    s2[6] = np.nan
    with pytest.warns(pr.errors.DroppedRowsWarning), pytest.raises(InputError, match="does not cover all cases"):
        pr.evaluate(y2, s2, missing="drop", **options)


def test_scores_describe_their_folds():
    y, s, fold = two_classes()
    scores = pr.Scores(y, s, folds=fold)
    assert isinstance(scores.folds, Folds)
    assert scores.folds.names == ("0", "1", "2", "3")
    assert repr(scores) == "Scores(48 cases (0: 24, 1: 24) in 4 folds; score of classifier)"
    with pytest.raises(InputError, match="Scores cannot be combined with folds"):
        pr.evaluate(scores, measure="auc", folds=fold)


# Rates, files, the command line


def test_rates_are_averaged_within_folds():
    y, P, fold = three_classes()
    fold = np.where(np.arange(len(y)) < 3, 0, fold)  # folds of different sizes
    rates = pr.rates(y, P, folds=fold)
    by_fold = [pr.rates(y[fold == v], P[fold == v]) for v in range(4)]
    np.testing.assert_allclose(rates.rates, np.mean([own.rates for own in by_fold], axis=0))
    np.testing.assert_allclose(rates.counts, np.sum([own.counts for own in by_fold], axis=0))
    accuracy = pr.evaluate(y, P, folds=fold, measure="macro_average")
    parts = [accuracy.parts[name] for name in ("0", "1", "2")]
    np.testing.assert_allclose(np.diag(rates.rates), [part.value for part in parts])
    np.testing.assert_allclose(np.diag(rates.standard_errors), [part.standard_error for part in parts])
    assert rates.provenance.target.startswith("Averages over 4 folds")
    pooled = pr.rates(y, P, folds=np.arange(len(y)), pooled=True)  # leave-one-out: decisions need no common scale
    np.testing.assert_array_equal(pooled.rates, pr.rates(y, P).rates)
    with pytest.raises(InputError, match="leave-one-out"):
        pr.rates(y, P, folds=np.arange(len(y)))


@pytest.fixture
def file(tmp_path):
    """Two classifiers, two repeats of four folds, in a file whose rows are in no order."""
    y, s, fold = two_classes()
    rng = np.random.default_rng(12)
    lines = []
    for repeat in (1, 2):
        noise = rng.normal(size=len(y)) / 4
        for case, row in enumerate(zip(y, s + noise, s + 2 * noise, fold, strict=True)):
            lines.append(",".join(map(str, (f"case {case}", repeat, *row))))
    path = tmp_path / "cv.csv"
    path.write_text("id,repeat,y,a,b,fold\n" + "\n".join(rng.permutation(lines)) + "\n")
    return path


COLUMNS = ["--truth", "y", "--scores", "a=a", "--scores", "b=b", "--case", "id"]


@pytest.mark.slow
def test_files_have_columns_of_folds_and_repeats(file):
    options = {"truth": "y", "scores": {"a": "a", "b": "b"}, "folds": "fold", "repeats": "repeat"}
    scores = pr.read(file, case="id", **options)
    assert repr(scores) == "Scores(48 cases (0: 24, 1: 24) in 2 repeats of 4 folds; score of a, b)"
    by_group = pr.read(file, groups="id", **options)
    estimates = [pr.evaluate(read, measure="auc")["a", "auc"] for read in (scores, by_group)]
    assert estimates[0].standard_error == pytest.approx(estimates[1].standard_error)
    assert (estimates[0].provenance.groups, estimates[1].provenance.groups) == (None, 48)
    with pytest.raises(InputError, match=r"differs between repeats\. Identify the cases with groups"):
        pr.read(file, **options)  # rows are in no order
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines, lines[1]]) + "\n")
    with pytest.raises(InputError, match="has two rows"):
        pr.read(file, case="id", **options)
    file.write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(InputError, match=r"Case 'case \d+' of repeat \d has no row; every case needs one"):
        pr.read(file, case="id", **options)


@pytest.mark.slow
def test_the_command_line_has_folds(file):
    shared = [*COLUMNS, "--folds", "fold", "--repeats", "repeat"]
    scores = pr.read(file, truth="y", scores={"a": "a", "b": "b"}, case="id", folds="fold", repeats="repeat")
    done = polyroc("compare", file, *shared, "-m", "auc", "--json")
    expected = pr.compare(scores, measure="auc")
    assert pr.results.Comparison.from_json(done.stdout).pvalue == expected.pvalue
    done = polyroc("evaluate", file, *shared, "-m", "auc")
    assert "Averages over 2 repeats of 4 folds: the average performance of these 8 trained models" in done.stdout
    assert "pooled" in done.stdout
    done = polyroc("evaluate", file, *shared, "-m", "auc", "--pooled")
    assert "as if one model had predicted them" in done.stdout
    done = polyroc("curve", file, *shared, "--json")
    assert pr.results.Curves.from_json(done.stdout)["a"].area.value == expected.estimates["a"].value
    done = polyroc("rates", file, *shared, "--threshold", "0.5")
    assert "Averages over 2 repeats of 4 folds" in done.stdout
    done = polyroc("evaluate", file, *COLUMNS, "--folds", "id", "-m", "auc")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    done = polyroc("evaluate", file, *COLUMNS[:-2], "--folds", "fold", "-m", "auc", "--engine", "duckdb")
    assert done.returncode == 2
    assert "--engine memory" in done.stderr


def test_verbs_of_one_sample_ask_to_pool_the_folds():
    y, P, fold = three_classes()
    scores = pr.Scores(y, P, folds=fold)
    for verb in (pr.operate, pr.surface, pr.front):
        with pytest.raises(InputError, match=r"pass scores\.pool_folds\(\)"):
            verb(scores)
    y, s, fold = two_classes()
    with pytest.raises(InputError, match=r"pass scores\.pool_folds\(\)"):
        pr.decision_curve(pr.Scores(y, 1 / (1 + np.exp(-s)), folds=fold))
    with pytest.warns(OptimismWarning):
        point = pr.operate(pr.Scores(y, s, folds=fold).pool_folds())
    assert point.confusion.provenance.pooled


def test_the_shift_test_of_several_classes_is_that_of_the_slow_twin():
    """Kruskal & Wallis (1952) by loops, per class and column, then Bonferroni; weight 0 does not count."""
    rng = np.random.default_rng(8)
    n = 60
    y, fold = np.arange(n) % 3, rng.integers(0, 4, n)
    P = np.round(rng.dirichlet(np.ones(3), n) + 0.2 * (fold == 1)[:, None], 1)
    w = rng.integers(0, 3, n).astype(float)
    pvalues = []
    for k in range(3):
        cases = [i for i in range(n) if y[i] == k and w[i]]
        m = len(cases)
        for column in range(3):
            s = [P[i, column] for i in cases]
            ranks = [sum(v < u for v in s) + (sum(v == u for v in s) + 1) / 2 for u in s]
            sums = [
                [r for r, i in zip(ranks, cases, strict=True) if fold[i] == f] for f in sorted(set(fold[cases]))
            ]
            h = 12 / (m * (m + 1)) * sum(sum(r) ** 2 / len(r) for r in sums) - 3 * (m + 1)
            ties = sum(s.count(u) ** 3 - s.count(u) for u in set(s))
            pvalues.append(stats.chi2.sf(h / (1 - ties / (m**3 - m)), len(sums) - 1))
    estimate = pr.evaluate(y, P, folds=fold, sample_weight=w, measure="hand_till").cross_validation.shift_pvalue
    assert estimate == pytest.approx(min(1.0, len(pvalues) * min(pvalues)))
