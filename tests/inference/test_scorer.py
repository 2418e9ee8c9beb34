"""Scorers inside the real scikit-learn."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

import polyroc as pr
from polyroc.errors import InputError, UndefinedMeasureWarning
from polyroc.measures.registry import MEASURES

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
FOLDS = StratifiedKFold(3)


@pytest.mark.peer(
    "scikit-learn", "cross_val_score with roc_auc_ovo, roc_auc_ovr, accuracy, balanced_accuracy, to 1e-12"
)
@pytest.mark.parametrize(
    ("key", "theirs"),
    [
        ("hand_till", "roc_auc_ovo"),
        ("ova", "roc_auc_ovr"),
        ("accuracy", "accuracy"),
        ("macro_average", "balanced_accuracy"),
    ],
)
def test_many_classes_agree_with_scikit_learns_own_scorers(key, theirs):
    ours = cross_val_score(GaussianNB(), *IRIS, cv=FOLDS, scoring=pr.scorer(key))
    assert ours == pytest.approx(cross_val_score(GaussianNB(), *IRIS, cv=FOLDS, scoring=theirs), abs=1e-12)


@pytest.mark.slow
def test_two_classes_by_decision_function_and_by_probabilities():
    X, y = StandardScaler().fit_transform(CANCER[0]), np.array(["malignant", "benign"])[CANCER[1]]
    by_margin = cross_val_score(LogisticRegression(), X, CANCER[1], cv=FOLDS, scoring=pr.scorer("auc"))
    theirs = cross_val_score(LogisticRegression(), X, CANCER[1], cv=FOLDS, scoring="roc_auc")
    assert by_margin == pytest.approx(theirs, abs=1e-12)
    by_probability = cross_val_score(GaussianNB(), X, y, cv=FOLDS, scoring=pr.scorer("auc"), n_jobs=2)
    assert by_probability.min() > 0.95
    cost = pr.scorer("expected_cost", threshold=0.2, false_negative=10)
    assert cross_val_score(GaussianNB(), X, CANCER[1], cv=FOLDS, scoring=cost).max() < 0


def test_grid_search_and_pickle():
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-1]}, cv=FOLDS, scoring=pr.scorer("hand_till"))
    assert search.fit(*IRIS).best_score_ > 0.95
    assert pickle.loads(pickle.dumps(pr.scorer("auc"))) == pr.scorer("auc")


def test_every_measure_can_score():
    for key, measure in MEASURES.items():  # an ordered score is what `predict` gives: here few values
        if key != "sahiner" and not measure.required:  # whose domain is empty on iris
            data = CANCER if measure.classes[0] == 2 else IRIS
            assert np.isfinite(pr.scorer(key)(GaussianNB().fit(*data), *data)), key


def test_fold_without_a_class_is_nan_with_a_warning():
    model = GaussianNB().fit(*IRIS)
    with pytest.warns(UndefinedMeasureWarning, match="No case of class '2'"):
        assert np.isnan(pr.scorer("hand_till")(model, IRIS[0][:100], IRIS[1][:100]))


def test_classifier_without_probabilities_raises_with_advice():
    with pytest.raises(InputError, match="mossman needs predict_proba, which RidgeClassifier does not have"):
        pr.scorer("mossman")(RidgeClassifier().fit(*IRIS), *IRIS)


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["iris", "two classes"])
def test_ranks_within_columns_need_no_probabilities(data):
    model = RidgeClassifier().fit(*data)
    assert pr.scorer("hand_till")(model, *data) > 0.8


NAMED = np.array(["malignant", "benign"])[CANCER[1]]
MARGIN, BAYES = RidgeClassifier().fit(CANCER[0], NAMED), GaussianNB().fit(CANCER[0], NAMED)


@pytest.mark.parametrize("model", [MARGIN, BAYES], ids=["decision_function", "predict_proba"])
@pytest.mark.parametrize(
    "key", ["partial_auc", "average_precision", "sensitivity(specificity=0.9)", "sensitivity"]
)
def test_the_positive_class_of_named_classes_is_never_guessed(model, key):
    with pytest.raises(InputError, match=r"positive class, .*use pos_label='malignant' or 'benign' in scorer"):
        pr.scorer(key)(model, CANCER[0], NAMED)
    code = {"malignant": 0, "benign": 1}
    for positive in code:
        # the same classes as 1 and 0, the positive one being 1
        as_numbers = type(model)().fit(CANCER[0], (positive == NAMED).astype(int))
        expected = pr.scorer(key)(as_numbers, CANCER[0], (positive == NAMED).astype(int))
        assert pr.scorer(key, pos_label=positive)(model, CANCER[0], NAMED) == pytest.approx(expected, abs=1e-6)


def test_where_both_classes_give_the_same_value_no_positive_class_is_needed():
    for key in ("auc", "gini", "accuracy", "macro_average"):
        values = [
            pr.scorer(key, pos_label=label)(BAYES, CANCER[0], NAMED) for label in (None, "malignant", "benign")
        ]
        assert values[1:] == pytest.approx(values[:1] * 2, abs=1e-12)
    with pytest.raises(InputError, match="pos_label must be one of the classes"):
        pr.scorer("auc", pos_label="sick")(BAYES, CANCER[0], NAMED)
    with pytest.raises(InputError, match="pos_label is for two classes"):
        pr.scorer("hand_till", pos_label=1)(GaussianNB().fit(*IRIS), *IRIS)
    assert repr(pr.scorer("ppv", pos_label="sick")) == "Scorer(measure='ppv', pos_label='sick')"
