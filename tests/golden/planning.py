"""Recorded answers: sample size, and the comparison of measures."""

import polyroc as pr
from golden.data import DATA
from golden.registry import METHODS, add, recorded
from polyroc import datasets

SIZES = {
    "one": {"value": 0.85, "null": 0.75, "power": 0.9, "ratio": (1, 2)},
    "paired": {"value": 0.85, "versus": 0.8, "correlation": 0.5},
    "apart": {"value": 0.8, "versus": 0.9, "null": -0.02, "n": 400, "sides": 1},
    "margin": {"value": 0.85, "null": 0.85, "margin": 0.05, "n": 200},
    "width": {"value": 0.85, "width": 0.1},
    "obuchowski": {"value": 0.85, "null": 0.75, "n": 100, "method": pr.methods.Obuchowski()},
}
for _name, _options in SIZES.items():
    recorded(f"sample_size/{_name}")(lambda options=_options: pr.sample_size(measure="auc", **options))
add("pilot", pr.sample_size, "three_in_order", measure="hand_till", null=0.7)


@recorded("sample_size/simulation")
def _simulated_size():
    model, method = datasets.Binormal(1.2), pr.methods.Simulation(replicates=50, rng=0)
    return pr.sample_size(measure="auc", null=0.6, n=(30, 30), model=model, method=method)


@recorded("sample_size/area_correlation")
def _area_correlation():
    return pr.methods.area_correlation(0.6, 0.8, 0.85)


@recorded("reader_study/algorithm")
def reader_study():
    """Three readers, two modalities and an algorithm."""
    y, ratings = datasets.RoeMetz(1.0, gain=0.5).sample(3, 12, 4)
    rounded = {name: {reader: x.round(1) for reader, x in own.items()} for name, own in ratings.items()}
    return pr.reader_study(y, {**rounded, "AI": rounded["B"]["1"] + y}, measure="auc", standalone="AI")


@recorded("plan_reader_study/components")
def reader_plan():
    """A plan from published components."""
    variances = pr.results.ReaderVariances(0.0002, 0.0008, 0.00035, 0.00034, 0.00024, 114)
    return pr.plan_reader_study(variances, effect=0.05, readers=[3, 6])


@recorded("contrast/exact")
def exact_comparison():
    return pr.compare_measures("auc", "accuracy", positives=4, negatives=4)


@recorded("contrast/ties")
def _with_ties():
    return pr.compare_measures("auc", "accuracy", positives=3, negatives=2, ties=True)


@recorded("contrast/several")
def several_comparisons():
    return pr.compare_measures(["auc", "partial_auc", "accuracy"], positives=3, negatives=3)


@recorded("contrast/three_classes")
def _three_classes():
    return pr.compare_measures(sizes=(2, 2, 2))


@recorded("contrast/dirichlet")
def _dirichlet():
    return pr.compare_measures(
        "hand_till", "accuracy", model=pr.consistency.DirichletModel((5, 5, 5)), pairs=200, rng=0, n_jobs=1
    )


@recorded("contrast/gaussian")
def _gaussian():
    model = pr.consistency.GaussianModel((8, 8), separation=1.0, rival=0.6, correlation=0.3, form="score")
    return pr.compare_measures("auc", "accuracy", model=model, pairs=200, rng=0, n_jobs=1)


@recorded("contrast/ranked_lists")
def _ranked_lists():
    return pr.compare_measures(
        "auc", "accuracy", model=pr.consistency.RankedLists((20, 20)), pairs=200, rng=0, n_jobs=1
    )


@recorded("contrast/resampled")
def _resampled():
    three = DATA["three"]
    model = pr.consistency.ResampledModel(three.y_true, three.y_score)
    return pr.compare_measures("hand_till", "accuracy", model=model, pairs=200, rng=0, n_jobs=1)


_STABILITY = {"measure": ["auc", "gini"], "method": METHODS["bootstrap_bca"]}
add("two_classifiers", pr.consistency.order_stability, "two_classifiers", **_STABILITY)
add("two_classifiers", pr.consistency.separation, "two_classifiers", measure=["auc", "gini"])
add("three", pr.consistency.separation, "three", measure=["hand_till", "accuracy"])
