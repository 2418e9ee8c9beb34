"""Small deterministic data sets: arguments of the verbs, and keyword arguments that belong to the data."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from polyroc import datasets

LEVELS = 64  # probabilities in multiples of 1/64 are exact in binary, so equal ones tie on every machine


@dataclass(frozen=True)
class Data:
    """True classes and predictions, and what has to be stated about them."""

    y_true: Any
    y_score: Any
    options: dict[str, Any] = field(default_factory=dict)

    def call(self, verb, **options):
        """The answer of a verb for these data."""
        return verb(self.y_true, self.y_score, **{**self.options, **options})


def probabilities(codes, classes, strength, seed):
    """Probabilities that favour the true class, in multiples of 1/64, so that there are ties."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(classes), size=len(codes)) + strength * np.eye(classes)[codes]
    weights /= weights.sum(axis=1, keepdims=True)
    return rng.multinomial(LEVELS, weights) / LEVELS


def smooth(codes, classes, strength, seed):
    """Probabilities without ties."""
    weights = np.random.default_rng(seed).dirichlet(np.ones(classes), size=len(codes))
    weights = weights + strength * np.eye(classes)[codes]
    return weights / weights.sum(axis=1, keepdims=True)


def _two_classes():
    y, score = datasets.Binormal(1.2, 1.3).sample((22, 17), 1)
    return Data(y, score)


def _ratings():
    y, score = datasets.Binormal(1.0).sample((25, 20), 2)
    return Data(y, np.clip(np.round(score + 2.5), 1, 5))


def _two_classifiers():
    rng = np.random.default_rng(3)
    y = np.repeat(["healthy", "sick"], [18, 24])
    sick = (y == "sick").astype(float)
    shared = rng.normal(size=len(y))
    scores = {name: sick * shift + shared + rng.normal(size=len(y)) for name, shift in SHIFTS.items()}
    return Data(y, scores, {"pos_label": "sick"})


SHIFTS = {"strong": 1.8, "fair": 1.1, "weak": 0.4}


def _weighted():
    y, score = datasets.Binormal(0.9).sample((20, 20), 4)
    weight = np.random.default_rng(4).integers(1, 9, len(y)) / 4
    return Data(y, score, {"sample_weight": weight})


def _frequency():
    y, score = datasets.Binormal(0.9).sample((9, 9), 5)
    weight = np.random.default_rng(5).integers(0, 5, len(y))
    return Data(y, np.round(score, 1), {"sample_weight": weight, "weight_kind": "frequency"})


def _grouped():
    rng = np.random.default_rng(6)
    patient = np.repeat(np.arange(20), 3)
    y = rng.integers(0, 2, len(patient))
    effect = rng.normal(size=20)[patient]
    scores = {name: shift * y + effect + rng.normal(size=len(y)) for name, shift in SHIFTS.items()}
    return Data(y, scores, {"groups": patient})


def _perfect():
    return Data(np.repeat([0, 1], [12, 10]), np.arange(22.0))


def _constant():
    return Data(np.repeat([0, 1], [12, 10]), np.ones(22))


def _rare():
    y, score = datasets.Binormal(1.5).sample((60, 3), 7)
    return Data(y, score)


def _two_probabilities():
    y = np.repeat([0, 1], [25, 20])
    return Data(y, {"first": probabilities(y, 2, 0.6, 8), "second": probabilities(y, 2, 0.2, 9)})


def _case_control():
    cohort = _two_probabilities()
    return Data(cohort.y_true, cohort.y_score, {"sampling": "case-control"})


def _three():
    codes = np.repeat([0, 1, 2], [14, 18, 12])
    scores = {"good": probabilities(codes, 3, 0.9, 10), "poor": smooth(codes, 3, 0.3, 11)}
    return Data(np.array(["a", "b", "c"])[codes], scores)


def _three_weighted():
    three = _three()
    weight = np.random.default_rng(12).integers(1, 5, len(three.y_true)) / 2
    return Data(three.y_true, three.y_score["poor"], {"sample_weight": weight})


def _three_in_order():
    three = _three()
    return Data(three.y_true, three.y_score["poor"], {"labels": ["c", "a", "b"]})


def _three_grouped():
    three = _three()
    return Data(three.y_true, three.y_score["poor"], {"groups": np.arange(len(three.y_true)) // 2 % 13})


def _three_perfect():
    codes = np.repeat([0, 1, 2], [8, 7, 9])
    return Data(codes, (np.eye(3)[codes] * 3 + 1) / 6)


def _five():
    codes = np.repeat(np.arange(5), [8, 10, 6, 9, 7])
    return Data(codes, smooth(codes, 5, 0.5, 13))


def _ordered():
    y, score = datasets.Trinormal((0.0, 1.0, 2.0), (1.0, 1.2, 0.9)).sample((15, 13, 16), 14)
    names = np.array(["low", "middle", "high"])
    return Data(names[y], score, {"labels": ["low", "middle", "high"]})


def _ordered_ties():
    y, score = datasets.Trinormal((0.0, 0.7, 1.4)).sample((15, 13, 16), 15)
    return Data(y, {"coarse": np.round(score), "fine": np.round(score * 2) / 2}, {"labels": [0, 1, 2]})


def _decisions():
    rng = np.random.default_rng(16)
    y = np.repeat(["a", "b", "c"], [15, 12, 13])
    wrong = rng.random((2, len(y))) < np.array([[0.25], [0.4]])
    other = rng.choice(["a", "b", "c"], size=(2, len(y)))
    first, second = np.where(wrong, other, y)
    return Data(y, {"first": first, "second": second})


def _two_decisions():
    rng = np.random.default_rng(17)
    y = np.repeat(["no", "yes"], [20, 15])
    decided = np.where(rng.random(len(y)) < 0.3, rng.choice(["no", "yes"], len(y)), y)
    return Data(y, decided, {"pos_label": "yes"})


def _missing():
    y, score = datasets.Binormal(1.0).sample((15, 15), 18)
    score[[3, 20]] = np.nan
    return Data(y, score, {"missing": "drop"})


def _two_columns():
    """Two columns of probabilities, of one classifier, with distinct values."""
    y = np.repeat([0, 1], [21, 19])
    return Data(y, smooth(y, 2, 0.5, 19))


DATA = {
    "two_classes": _two_classes(),
    "ratings": _ratings(),
    "two_classifiers": _two_classifiers(),
    "weighted": _weighted(),
    "frequency": _frequency(),
    "grouped": _grouped(),
    "perfect": _perfect(),
    "constant": _constant(),
    "rare": _rare(),
    "two_probabilities": _two_probabilities(),
    "case_control": _case_control(),
    "three": _three(),
    "three_weighted": _three_weighted(),
    "three_in_order": _three_in_order(),
    "three_grouped": _three_grouped(),
    "three_perfect": _three_perfect(),
    "five": _five(),
    "ordered": _ordered(),
    "ordered_ties": _ordered_ties(),
    "decisions": _decisions(),
    "two_decisions": _two_decisions(),
    "missing": _missing(),
    "two_columns": _two_columns(),
}

IRIS = datasets.catalogue.path("iris_predictions")
IRIS_COLUMNS = {"truth": "species", "scores": "p_*", "classifier": "classifier", "case": "case"}

# by (true class, decision); errors that are not named cost 1
COSTS = {("a", "b"): 2.0, ("b", "a"): 5.0}

LABELS = np.array(["a", "b", "c"])[np.arange(36) % 3]
FEATURES = np.random.default_rng(20).normal(size=(36, 2)) + (np.arange(36) % 3)[:, None]
