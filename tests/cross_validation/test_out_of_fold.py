"""Out-of-fold predictions of scikit-learn estimators, with the folds that made them."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import polyroc as pr
from polyroc.cross_validation.splits import partitions
from polyroc.errors import InputError, NotApplicableError, OptimismWarning, UnseenClassWarning

X, Y = load_iris(return_X_y=True)
X = X[:, :2]
LABELS = np.array(["setosa", "versicolor", "virginica"])[Y]
BINARY_X, BINARY_Y = load_breast_cancer(return_X_y=True)
BINARY_X, BINARY_Y = BINARY_X[:120, :3], BINARY_Y[:120]


def test_predictions_and_folds_are_those_of_cross_val_predict():
    cv = StratifiedKFold(5, shuffle=True, random_state=3)
    scores = pr.out_of_fold({"lda": LinearDiscriminantAnalysis()}, X, LABELS, cv=cv)
    P = cross_val_predict(LinearDiscriminantAnalysis(), X, LABELS, cv=cv, method="predict_proba")
    np.testing.assert_allclose(scores.values["lda"], P)
    fold = pr.folds_of(cv, X, LABELS)
    np.testing.assert_array_equal(scores.folds.codes, fold)
    assert pr.evaluate(LABELS, P, measure="hand_till", folds=fold).value == pytest.approx(
        pr.evaluate(scores, measure="hand_till").value
    )


def test_number_of_folds_is_stratified_and_repeated():
    scores = pr.out_of_fold([LinearDiscriminantAnalysis(), GaussianNB()], X, LABELS, cv=5, repeats=3)
    assert scores.classifiers == ("LinearDiscriminantAnalysis", "GaussianNB")
    assert (scores.folds.repeats, len(scores.folds), len(scores)) == (3, 15, 450)
    assert scores.cases == dict.fromkeys(("setosa", "versicolor", "virginica"), 50)
    for fold in range(15):
        np.testing.assert_array_equal(np.bincount(scores.codes[scores.folds.codes == fold]), [10, 10, 10])


def test_repeated_splitter_and_pairs_of_positions_give_the_same():
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=1)
    scores = pr.out_of_fold(GaussianNB(), X, LABELS, cv=cv)
    again = pr.out_of_fold(GaussianNB(), X, LABELS, cv=list(cv.split(X, LABELS)))
    assert scores.folds.repeats == 2
    np.testing.assert_array_equal(scores.values["GaussianNB"], again.values["GaussianNB"])
    np.testing.assert_array_equal(scores.folds.codes, again.folds.codes)


@pytest.mark.slow
def test_seed_fixes_folds_and_models_whatever_the_number_of_processes():
    forest = RandomForestClassifier(n_estimators=5)
    first, second = (pr.out_of_fold(forest, X, Y, cv=3, repeats=1, n_jobs=jobs) for jobs in (1, 2))
    other = pr.out_of_fold(forest, X, Y, cv=3, repeats=1, rng=1)
    (name,) = first.classifiers
    np.testing.assert_array_equal(first.values[name], second.values[name])
    assert (first.values[name] != other.values[name]).any()
    assert forest.random_state is None


def test_two_classes_without_probabilities_are_ranked_by_decision_values():
    estimators = {"svm": LinearSVC(), "lda": LinearDiscriminantAnalysis()}
    scores = pr.out_of_fold(estimators, BINARY_X, BINARY_Y, cv=3, repeats=1)
    assert scores.kind == "score"
    cv = list(StratifiedKFold(3).split(BINARY_X, BINARY_Y))
    reverse = pr.out_of_fold(estimators, BINARY_X, BINARY_Y, cv=cv, pos_label=0)
    straight = pr.out_of_fold(estimators, BINARY_X, BINARY_Y, cv=cv, pos_label=1)
    for name in estimators:
        a, b = (pr.evaluate(scores, measure="auc")[name, "auc"].value for scores in (straight, reverse))
        assert a == pytest.approx(b)
        assert a > 0.8
    with pytest.raises(InputError, match="positive class is ambiguous"):
        pr.out_of_fold(estimators, BINARY_X, np.array(["ill", "well"])[BINARY_Y])


def test_decision_values_of_several_classes_are_passed_on_as_they_are():
    scores = pr.out_of_fold({"p": Perceptron(), "bayes": GaussianNB()}, X, LABELS, cv=3, repeats=1)
    assert scores.converted is None
    assert pr.evaluate(scores, measure="hand_till")["p", "hand_till"].value > 0.5
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = pr.out_of_fold(Perceptron(random_state=0), X, LABELS, cv=cv)
    decisions = cross_val_predict(Perceptron(random_state=0), X, LABELS, cv=cv, method="decision_function")
    np.testing.assert_array_equal(scores.values["Perceptron"], decisions)
    with pytest.raises(NotApplicableError, match=r"needs probabilities in \[0, 1\], but 'Perceptron' gives class"):
        pr.evaluate(scores, measure="he")
    with pytest.raises(InputError, match="decision_function_shape"):
        pr.out_of_fold(SVC(decision_function_shape="ovo"), X, np.arange(150) % 4, cv=3)


def test_groups_stay_together_and_are_the_units():
    groups = np.repeat(np.arange(30), 5)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 30)[groups]
    features = rng.normal(size=(150, 2)) + y[:, None]
    scores = pr.out_of_fold(GaussianNB(), features, y, cv=3, repeats=2, groups=groups)
    for repeat in range(2):
        rows = slice(150 * repeat, 150 * (repeat + 1))
        for group in range(30):
            assert len(set(scores.folds.codes[rows][groups == group])) == 1
    assert len(np.unique(scores.units)) == 30
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pr.out_of_fold(GaussianNB(), features, y, cv=GroupKFold(3), groups=groups)
    with pytest.warns(OptimismWarning, match="one group are in the training set"):
        pr.out_of_fold(GaussianNB(), features, y, cv=StratifiedKFold(3), groups=groups)


def test_data_frames_pipelines_and_fit_parameters():
    table = pd.DataFrame(X, columns=["length", "width"])
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    scores = pr.out_of_fold(pipeline, table, pd.Series(LABELS), cv=3, repeats=1)
    assert scores.classifiers == ("LogisticRegression",)
    cv = StratifiedKFold(3)
    weight = np.where(Y == 0, 5.0, 1.0)
    weighted = pr.out_of_fold(GaussianNB(), X, Y, cv=cv, fit_params={"sample_weight": weight})
    plain = pr.out_of_fold(GaussianNB(), X, Y, cv=cv)
    assert weighted.sample_weight is None
    assert weighted.values["GaussianNB"][:, 0].mean() > plain.values["GaussianNB"][:, 0].mean()
    assert pr.out_of_fold(GaussianNB(), X, Y, cv=cv, sample_weight=weight).sample_weight is not None


@pytest.mark.filterwarnings("ignore::polyroc.errors.SuspectInputWarning")  # a column is 0 for its own class
def test_class_without_training_case_is_named():
    order = np.argsort(Y, kind="stable")
    with pytest.warns(UnseenClassWarning) as warned:
        scores = pr.out_of_fold(GaussianNB(), X[order], LABELS[order], cv=KFold(3))
    unseen = [record for record in warned if issubclass(record.category, UnseenClassWarning)]
    assert [str(record.message).split(":")[0] for record in unseen] == [
        f"Class '{name}' has no training case in fold {fold}"
        for name, fold in zip(("setosa", "versicolor", "virginica"), (1, 2, 3), strict=True)
    ]
    assert (scores.values["GaussianNB"][:50, 0] == 0).all()
    with pytest.warns(UnseenClassWarning):  # a model of two classes has one decision value per case
        decisions = pr.out_of_fold(LinearSVC(), X[order], LABELS[order], cv=KFold(3)).values["LinearSVC"][:50]
    assert decisions[:, 0].max() < decisions[:, 1:].min()
    np.testing.assert_array_equal(decisions[:, 1], -decisions[:, 2])
    with pytest.raises(InputError, match="folds lack a class"):
        pr.evaluate(scores, measure="hand_till")
    with pytest.raises(InputError, match="training set of fold 1 has no case of class '0'"):
        pr.out_of_fold(GaussianNB(), X[:100], Y[:100], cv=KFold(2))


def test_invalid_input_says_what_to_do():
    few = np.array([0] * 50 + [1] * 3)
    with pytest.raises(InputError, match=r"Class '1' has 3 cases, fewer than the 5 folds.*leave_pair_out"):
        pr.out_of_fold(GaussianNB(), X[:53], few)
    with pytest.raises(InputError, match="partition of the 150 cases"):
        pr.out_of_fold(GaussianNB(), X, Y, cv=ShuffleSplit(3, random_state=0))
    thirds = [(np.setdiff1d(np.arange(150), test), test) for test in np.split(np.arange(150), 3)]
    with pytest.raises(InputError, match="cases are in 0 to 1 of the 2 test sets"):
        pr.out_of_fold(GaussianNB(), X, Y, cv=thirds[:2])
    with pytest.raises(InputError, match="cases are in 1 to 2 of the 3 test sets"):
        pr.out_of_fold(GaussianNB(), X, Y, cv=[*thirds[:2], (thirds[2][0], np.arange(99, 150))])
    with pytest.raises(InputError, match="in the training set and in the test set of the same split"):
        pr.out_of_fold(GaussianNB(), X, Y, cv=[(np.arange(150), test) for _, test in thirds])
    with pytest.raises(InputError, match="repeats are for a number of folds"):
        pr.out_of_fold(GaussianNB(), X, Y, cv=KFold(3), repeats=2)
    with pytest.raises(InputError, match="cv must be two folds or more"):
        pr.out_of_fold(GaussianNB(), X, Y, cv=1)
    with pytest.raises(InputError, match="cv must be a number of folds \\(2 or more\\), a splitter"):
        pr.out_of_fold(GaussianNB(), X, Y, cv="five")
    with pytest.raises(InputError, match="repeats must be a whole number"):
        pr.out_of_fold(GaussianNB(), X, Y, cv=5, repeats=0)
    with pytest.raises(InputError, match="objects with fit"):
        pr.out_of_fold(GaussianNB, X, Y)
    with pytest.raises(InputError, match="neither predict_proba nor decision_function"):
        pr.out_of_fold(Guess(), X, Y)
    with pytest.raises(InputError, match=r"tree failed in fold 1 of repeat 1 .*ValueError"):
        pr.out_of_fold({"tree": DecisionTreeClassifier()}, np.array([["x", "y"]] * 150), Y)
    with pytest.raises(InputError, match="got none"):
        pr.out_of_fold([], X, Y)
    overlapping = [(np.arange(75), np.arange(150)), (np.arange(75, 150), np.arange(75))]
    with pytest.raises(InputError, match="training set and in the test set"):
        pr.out_of_fold(GaussianNB(), X, Y, cv=overlapping)


def test_folds_of_rejects_what_it_cannot_know():
    with pytest.raises(InputError, match="draws other folds at each call"):
        pr.folds_of(StratifiedKFold(5, shuffle=True), X, Y)
    with pytest.raises(InputError, match=r"2 repeats.*out_of_fold"):
        pr.folds_of(RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0), X, Y)
    np.testing.assert_array_equal(pr.folds_of(LeaveOneOut(), X[:4], [0, 1, 0, 1]), range(4))
    P = cross_val_predict(GaussianNB(), X, Y, cv=5, method="predict_proba")
    scores = pr.out_of_fold(GaussianNB(), X, Y, cv=StratifiedKFold(5))
    np.testing.assert_array_equal(P, scores.values["GaussianNB"])
    np.testing.assert_array_equal(pr.folds_of(5, X, Y), scores.folds.codes)


def test_partitions_of_repeats():
    splits = list(RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0).split(X, Y))
    repeats = partitions(splits, len(Y))
    assert [len(repeat) for repeat in repeats] == [3] * 4
    with pytest.raises(InputError, match="in 1 to 2 of the 4 test sets"):
        partitions(splits[:4], len(Y))


def test_progress_counts_fits():
    calls = []
    pr.out_of_fold(
        {"a": GaussianNB(), "b": GaussianNB()}, X, Y, cv=3, repeats=2, progress=lambda *c: calls.append(c)
    )
    assert [done for done, _, _ in calls] == list(range(13))
    assert {total for _, total, _ in calls} == {12}
    assert calls[1][2] == "a, fold 1 of repeat 1"


class Guess(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.n_features_in_, self.classes_ = np.shape(X)[1], np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


def test_no_more_processes_than_fits(monkeypatch):
    """joblib starts as many as it may; 10,000 would take the memory of any machine."""
    import joblib

    wanted = []

    class Recorder(joblib.Parallel):
        def __init__(self, n_jobs=None, **options):
            wanted.append(n_jobs)
            super().__init__(n_jobs=1, **options)

    monkeypatch.setattr(joblib, "Parallel", Recorder)
    pr.out_of_fold(GaussianNB(), X, Y, cv=3, repeats=1, n_jobs=10_000)
    assert wanted == [3]
