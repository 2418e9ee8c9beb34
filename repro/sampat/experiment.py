"""Sampat et al. (2009): tables V and VI, figure 2, and the review's classifiers."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from repro.evaluation import estimate, value
from repro.sampat.classifiers import FloatArray, IntArray, gaussian, nearest, regression

import polyroc as pr
from polyroc import datasets
from polyroc.errors import SuspectInputWarning

__all__ = ["indexes", "iris_cases", "measured", "steps"]

LABELS = (1, 2, 3)
VOLUMES = {"vol1": "1<2<3", "vol2": "1<3<2", "vol3": "2<1<3", "vol4": "2<3<1", "vol5": "3<1<2", "vol6": "3<2<1"}
MEANS = {1: (1.0, 1.0, 7.0), 2: (1.0, 7.0, 7.0)}  # table V: two of the classes are identical
PER_CLASS, NEIGHBOURS, SEED = 50, 13, 2009
FARTHEST, CHUNK = 15, 20  # largest distance of figure 2; replicates per step
Indexes = dict[str, float]


def steps(quick: bool) -> dict[str, Callable[[], Any]]:
    """Table VI by features, table V by replicates, figure 2 by distance, the classifiers on all features."""
    replicates, repeats = (40, 4) if quick else (300, 30)
    steps_by_name: dict[str, Callable[[], Any]] = {}
    for features in range(1, 5):
        steps_by_name[f"table VI features {features}"] = partial(iris, features)
    for case in MEANS:
        for first in range(0, replicates, CHUNK):
            steps_by_name[f"table V case {case} from {first}"] = partial(overlap, case, first)
    for distance in range(FARTHEST + 1):
        steps_by_name[f"figure 2 distance {distance}"] = partial(separated, distance, repeats)
    steps_by_name["classifiers"] = classifiers
    return steps_by_name


def indexes(y: IntArray, P: FloatArray) -> Indexes:
    """Every index of the review's tables from posteriors; the volumes after its conversion to one score."""
    keys = ["hand_till", "ova", "ht3", "he"]
    with warnings.catch_warnings():  # classes on a line: the column of the middle one may rank another better
        warnings.simplefilter("ignore", SuspectInputWarning)
        evaluation = pr.evaluate(y, P, measure=keys, labels=LABELS, method=None)
    M, ova, ht3, he = (evaluation["classifier", key] for key in keys)
    values = {f"A({i}|{j})": M.parts[f"A({i}|{j})"].value for i in LABELS for j in LABELS if i != j}
    values |= {"M": M.value} | {f"OVA {i}": ova.parts[str(i)].value for i in LABELS}
    return values | {"OVA mean": ova.value, "HT3": ht3.value} | volumes(y, pr.to_ordered(P)) | {"He": he.value}


def volumes(y: IntArray, score: FloatArray) -> Indexes:
    """The six volumes of Scurfield, his D in bits, and the volume of Nakas & Yiannoutsos, of one score."""
    D = estimate(y, score, "scurfield", labels=LABELS, method=None)
    vus = value(y, score, "vus", labels=LABELS)
    return {name: D.parts[order].value for name, order in VOLUMES.items()} | {"D": D.value, "Nakas": vus}


def iris_cases(features: int) -> tuple[FloatArray, IntArray]:
    """The first features of the irises, and their classes."""
    data = datasets.load("iris")
    return data.X[:, :features], np.array([data.classes.index(label) for label in data.y])


def iris(features: int) -> dict[str, Indexes]:
    """Table VI: a pooled covariance, which reproduces the table, and one for each class, as the text says."""
    X, y = iris_cases(features)
    by_covariance = {}
    for name, pooled in (("pooled", True), ("by class", False)):
        P = gaussian(X, y, pooled=pooled)
        errors = float(np.sum(P.argmax(axis=1) != y))
        by_covariance[name] = indexes(y + 1, P) | {"errors": errors}
    return by_covariance


def _drawn(means: tuple[float, float, float], *stream: int) -> tuple[FloatArray, IntArray]:
    y = np.repeat([0, 1, 2], PER_CLASS)
    noise = np.random.default_rng([SEED, *stream]).standard_normal(len(y))
    return (np.array(means)[y] + noise)[:, None], y


def overlap(case: int, first: int) -> list[Indexes]:
    """Table V: some replicates of two identical classes and a distant third one."""
    return [
        indexes(y + 1, gaussian(X, y, pooled=True))
        for X, y in (_drawn(MEANS[case], case, replicate) for replicate in range(first, first + CHUNK))
    ]


def separated(distance: int, repeats: int) -> Indexes:
    """Figure 2: means 1, 1 + d/2 and 1 + d; the mean of some repetitions, where the paper drew one."""
    means = (1.0, 1.0 + distance / 2, 1.0 + distance)
    samples = [_drawn(means, 100 + distance, repeat) for repeat in range(repeats)]
    return _mean([indexes(y + 1, gaussian(X, y, pooled=True)) for X, y in samples])


def classifiers() -> dict[str, Any]:
    """The review's classifiers on the irises, for which it prints no table; and the cobweb of one of them."""
    X, y = iris_cases(4)
    sepals, _ = iris_cases(2)
    score = regression(X, y)
    results: dict[str, Any] = {
        "k-nn": indexes(y + 1, nearest(X, y, k=NEIGHBOURS)),
        "linear regression": volumes(y + 1, score),
        "Gaussian, pooled": indexes(y + 1, gaussian(X, y, pooled=True)),
        "Gaussian, by class": indexes(y + 1, gaussian(X, y, pooled=False)),
    }
    P = pr.to_probabilities(y + 1, score, labels=LABELS)
    results["linear regression"] |= {"M": value(y + 1, P, "hand_till", labels=LABELS)}
    rates = pr.rates(y + 1, gaussian(sepals, y, pooled=True), labels=LABELS)
    results["cobweb"] = {f"{i} called {j}": rates[i, j].value for i in LABELS for j in LABELS if i != j}
    return results


def _mean(samples: list[Indexes]) -> Indexes:
    return {name: float(np.mean([sample[name] for sample in samples])) for name in samples[0]}


def measured(results: dict[str, Any]) -> dict[str, Indexes]:
    """The numbers of the tables."""
    numbers: dict[str, Indexes] = {}
    for features in range(1, 5):
        numbers[f"Table VI, features 1 to {features}"] = results[f"table VI features {features}"]["pooled"]
        numbers[f"Section II-B, covariances by class, features 1 to {features}"] = results[
            f"table VI features {features}"
        ]["by class"]
    for case in MEANS:
        chunks = [rows for name, rows in results.items() if name.startswith(f"table V case {case} ")]
        numbers[f"Table V, case {case}"] = _table_five([row for rows in chunks for row in rows])
    for distance in range(FARTHEST + 1):
        numbers[f"Figure 2, distance {distance}"] = results[f"figure 2 distance {distance}"]
    steps_down = [
        results[f"figure 2 distance {d}"]["M"] - results[f"figure 2 distance {d + 1}"]["M"]
        for d in range(FARTHEST)
    ]
    numbers["Figure 2"] = {"largest fall of M from one distance to the next": max(steps_down)}
    by_classifier = results["classifiers"]
    numbers |= {
        f"Classifiers on iris: {name}": indexes_of_one
        for name, indexes_of_one in by_classifier.items()
        if name != "cobweb"
    }
    numbers["Cobweb, features 1 and 2"] = by_classifier["cobweb"]
    return numbers


def _table_five(rows: list[Indexes]) -> Indexes:
    """Means over replicates, pairwise areas as they are, and folded at 1/2 as in the table."""
    pairs = [name for name in rows[0] if name.startswith("A(")]
    folded = [{name: max(row[name], 1.0 - row[name]) for name in pairs} for row in rows]
    numbers = _mean(rows) | {f"{name} folded": value for name, value in _mean(folded).items()}
    numbers["M folded"] = float(np.mean([np.mean(list(row.values())) for row in folded]))
    numbers["largest distance of M and the mean OVA"] = max(abs(row["M"] - row["OVA mean"]) for row in rows)
    numbers["M folded less the mean OVA"] = numbers["M folded"] - numbers["OVA mean"]
    return numbers
