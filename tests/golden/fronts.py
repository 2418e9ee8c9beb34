"""Recorded answers: fronts, their volumes, and the classifiers at their points."""

import polyroc as pr
from golden.data import COSTS, DATA, FEATURES, LABELS
from golden.registry import add, recorded

add("two_columns", pr.front, "two_columns")
add("three", pr.front, "three", draws=200, rng=0, n_jobs=1)
add("five", pr.front, "five", draws=60, rng=0, n_jobs=1)
add("alpha", pr.front, "three_in_order", draws=100, rng=0, concentration=2.0, n_jobs=1)


def searched_front(family, **options):
    """A front over the parameters of a family of classifiers."""
    settings = {"generations": 8, "costs": 10, "start": "random", "algorithm": "printed", "rng": 0, "n_jobs": 1}
    return pr.search_front(family, FEATURES, LABELS, **settings, **options)


@recorded("front/nearest_neighbours")
def nearest_neighbours_front():
    return searched_front(pr.fronts.NearestNeighbours(largest=5))


@recorded("front/logistic")
def logistic_front():
    return searched_front(pr.fronts.LogisticFamily())


@recorded("front/false_positives")
def _false_positives():
    return searched_front(pr.fronts.LogisticFamily(), objectives="false_positives", selection="uniform")


CLASSIFIERS = {
    "logistic": lambda: logistic_front().deploy(0),
    "nearest_neighbours": lambda: nearest_neighbours_front().deploy(0),
}


def classifier_answers(classifier):
    """What the classifier at a point of a front decides on the features of the search."""
    return {"decisions": classifier.decide(FEATURES), "posteriors": classifier.posteriors(FEATURES)}


for _name, _make in CLASSIFIERS.items():
    recorded(f"classifier/{_name}")(lambda make=_make: classifier_answers(make()))


@recorded("front/other_cases")
def held_out():
    return logistic_front().on(FEATURES[::-1] + 0.1, LABELS[::-1], n_points=1000)


@recorded("front/volumes")
def front_volumes():
    return pr.fronts.front_volumes(three_fronts(), n_points=1000, rng=0)


@recorded("front/volumes_of_cases")
def volumes_of_cases():
    """Volumes with standard errors over cases, and the paired test."""
    three = DATA["three"]
    options = {"cases": (three.y_true, three.y_score), "replicates": 5, "n_points": 300, "rng": 0}
    return pr.fronts.front_volumes(three_fronts(), **options)


def three_fronts():
    """The fronts of the two classifiers of the data set `three`."""
    return DATA["three"].call(pr.front, draws=50, rng=0, n_jobs=1)


def volume(value):
    """A volume as plain data."""
    return {
        "value": value.value,
        "n_points": value.n_points,
        "standard_error": value.standard_error,
        "interval": list(value.confidence_interval()),
    }


@recorded("front/volume_numbers")
def _volume_numbers():
    good, poor = three_fronts().values()
    return {
        "chance": {str(classes): pr.fronts.chance_volume(classes) for classes in (2, 3, 4, 5)},
        "gini": volume(pr.fronts.gini_volume(good.rates, n_points=2000, rng=0)),
        "exclusive": volume(pr.fronts.exclusive_volume(good.rates, poor.rates, n_points=2000, rng=0)),
        "exclusive_exact": volume(pr.fronts.exclusive_volume(good.rates[:3], poor.rates[:3], n_points=None)),
        "gini_two": volume(pr.fronts.gini_volume(DATA["two_columns"].call(pr.front).rates)),
    }


@recorded("front/operate")
def _front_operate():
    return pr.operate(three_fronts()["good"], costs=COSTS)
