"""The rule inside scikit-learn: a classifier like any other."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import polyroc as pr
from polyroc.cost_rules import optimality, search
from polyroc.errors import InputError


@pytest.fixture
def short_search(monkeypatch):
    """Rules by a short search, and none proven: scikit-learn's checks fit a hundred times, whatever the rule."""
    monkeypatch.setattr(search, "EFFORT", 1.0)
    monkeypatch.setattr(optimality, "improve_and_prove", lambda _, costs, loss: (costs, loss, False))


@pytest.mark.slow
@pytest.mark.usefixtures("short_search")
@pytest.mark.peer("scikit-learn", "estimator_checks of OperatingPointClassifier")
@pytest.mark.filterwarnings(
    "ignore:invalid value encountered in cast:RuntimeWarning"
)  # scikit-learn's own, on inf
@parametrize_with_checks([pr.decisions.OperatingPointClassifier(LogisticRegression(), cv=2)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def irises():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), np.array(["malignant", "benign"])[y]


@pytest.mark.slow
def test_costs_move_the_decisions(irises):
    X, y = irises
    usual = pr.decisions.OperatingPointClassifier(GaussianNB()).fit(X[:, :2], y)
    dear = pr.decisions.OperatingPointClassifier(GaussianNB(), costs={(2, 1): 50}).fit(X[:, :2], y)
    assert (dear.predict(X[:, :2]) == 1).sum() < (usual.predict(X[:, :2]) == 1).sum()
    P = dear.estimator_.predict_proba(X[:, :2])
    assert dear.rule_.decide(P).tolist() == dear.predict(X[:, :2]).tolist()
    assert dear.decision_function(X[:, :2]).argmax(axis=1).tolist() == dear.predict(X[:, :2]).tolist()


@pytest.mark.parametrize("pos_label", ["malignant", "benign"])
@pytest.mark.parametrize("inner", [LogisticRegression(), LinearSVC()], ids=["proba", "margin"])
def test_a_limit_is_kept_where_the_rule_is_chosen(tumours, inner, pos_label):
    X, y = tumours
    fitted = clone(inner).fit(X[:300], y[:300])
    options = {"at_most": {("malignant", "benign"): 0.01}, "pos_label": pos_label, "cv": "prefit"}
    model = pr.decisions.OperatingPointClassifier(fitted, **options).fit(X[300:], y[300:])
    decisions = model.predict(X[300:])
    assert np.mean(decisions[y[300:] == "malignant"] == "benign") <= 0.01
    assert np.mean(decisions == y[300:]) > 0.9
    assert model.estimator_ is fitted
    assert model.rule_.positive == pos_label
    above = model.decision_function(X) > 0
    assert (model.classes_[above.astype(int)] == model.predict(X)).all()


def test_a_rule_is_applied_as_it_is(irises):
    X, y = irises
    never = pr.decisions.CostRule((0, 1, 2), [[0, 1, 1], [1, 0, 1], [1, 1000, 0]])
    model = pr.decisions.OperatingPointClassifier(GaussianNB(), rule=never).fit(X, y)
    assert model.rule_ is never
    P = GaussianNB().fit(X, y).predict_proba(X)
    assert model.predict(X).tolist() == never.decide(P).tolist()
    turned = pr.decisions.CostRule((2, 1, 0), [[0, 1000, 1], [1, 0, 1], [1, 1, 0]])
    again = pr.decisions.OperatingPointClassifier(GaussianNB(), rule=turned).fit(X, y)
    assert again.predict(X).tolist() == model.predict(X).tolist()
    np.testing.assert_array_equal(again.decision_function(X).argmax(axis=1), again.predict(X))
    cut = pr.decisions.OperatingPointClassifier(
        GaussianNB(), rule=pr.decisions.MossmanRule((0, 1, 2), 0.5, 0.0)
    ).fit(X, y)
    assert set(cut.predict(X)) == {0, 1, 2}
    assert not hasattr(cut, "decision_function")
    with pytest.raises(InputError, match=r"rule must be a Rule for the classes \[0, 1, 2\]"):
        pr.decisions.OperatingPointClassifier(GaussianNB(), rule=pr.decisions.ThresholdRule((0, 1), 1, 0.5)).fit(
            X, y
        )


@pytest.mark.slow
def test_it_works_in_pipelines_searches_and_frames(tumours):
    X, y = tumours
    model = make_pipeline(
        StandardScaler(), pr.decisions.OperatingPointClassifier(LogisticRegression(), criterion="youden")
    )
    assert cross_val_score(model, X, y, cv=3, scoring="balanced_accuracy").mean() > 0.9
    assert cross_val_score(model, X, y, cv=3, scoring="roc_auc").mean() > 0.9
    name = "operatingpointclassifier"
    search = GridSearchCV(model, {f"{name}__criterion": ["youden", "closest"]}, cv=2).fit(X, y)
    assert search.best_params_[f"{name}__criterion"] in ("youden", "closest")
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    fitted = pr.decisions.OperatingPointClassifier(LogisticRegression()).fit(frame, y)
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]


def test_calibrated_probabilities_give_bayes_rule(irises):
    X, y = irises
    model = pr.decisions.OperatingPointClassifier(GaussianNB(), costs={(2, 1): 50}, calibrated=True).fit(X, y)
    assert model.rule_ == pr.decisions.CostRule((0, 1, 2), [[0, 1, 1], [1, 0, 1], [1, 50, 0]])
    with pytest.raises(InputError, match="operate needs probabilities"):
        pr.decisions.OperatingPointClassifier(LinearSVC(), calibrated=True).fit(X, y > 0)


def test_weights_count_where_the_rule_is_chosen(tumours):
    X, y = tumours[0][:, :2], tumours[1]
    heavy = np.where(y == "malignant", 20.0, 1.0)
    plain = pr.decisions.OperatingPointClassifier(LogisticRegression()).fit(X, y)
    weighted = pr.decisions.OperatingPointClassifier(LogisticRegression()).fit(X, y, sample_weight=heavy)
    assert (weighted.predict(X) == "malignant").sum() > (plain.predict(X) == "malignant").sum()


def test_a_classifier_that_says_only_labels_is_rejected(irises):
    class Silent(GaussianNB):
        predict_proba = property()

    with pytest.raises(InputError, match="estimator must have predict_proba or decision_function"):
        pr.decisions.OperatingPointClassifier(Silent()).fit(*irises)


class Ordinal(ClassifierMixin, BaseEstimator):
    """Regression on the number of the class: one score that rises along the classes."""

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model_ = LinearRegression().fit(X, codes)
        return self

    def decision_function(self, X):
        return self.model_.predict(X)

    def predict(self, X):
        nearest = np.clip(np.round(self.decision_function(X)), 0, len(self.classes_) - 1)
        return self.classes_[nearest.astype(int)]


def test_one_score_of_more_classes_has_cut_points(irises):
    X, y = irises
    model = pr.decisions.OperatingPointClassifier(Ordinal(), criterion="youden").fit(X, y)
    assert isinstance(model.rule_, pr.decisions.CutPointRule)
    assert (model.predict(X) == y).mean() > 0.95
    assert not hasattr(model, "decision_function")
    fixed = pr.decisions.OperatingPointClassifier(Ordinal(), rule=model.rule_).fit(X, y)
    assert fixed.predict(X).tolist() == model.predict(X).tolist()


def test_youden_of_probabilities_of_more_classes(irises):
    X, y = irises
    keep = np.r_[0:50, 50:60, 100:110]  # rare classes count as much as the frequent one
    model = pr.decisions.OperatingPointClassifier(GaussianNB(), criterion="youden", cv=2).fit(X[keep], y[keep])
    assert isinstance(model.rule_, pr.decisions.CostRule)
    with pytest.raises(InputError, match="needs one ordered score for 3 classes"):
        pr.decisions.OperatingPointClassifier(GaussianNB(), criterion="closest", cv=2).fit(X, y)
