"""Leave-one-pair-out cross-validation: the slow definition, and its failures."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import polyroc as pr
from polyroc.errors import InputError, NotApplicableError

X, Y = load_iris(return_X_y=True)
X, Y = X[::8, :2], Y[::8]


def naive(estimator, X, y, a, b):
    """A(a, b): the share of pairs that models trained without them rank correctly, by either class's column."""
    outcomes = []
    for i in np.flatnonzero(y == a):
        for j in np.flatnonzero(y == b):
            keep = np.ones(len(y), dtype=bool)
            keep[[i, j]] = False
            model = estimator.fit(X[keep], y[keep])
            P = model.predict_proba(X[[i, j]])
            ca, cb = (list(model.classes_).index(k) for k in (a, b))
            for own, other in ((P[0, ca], P[1, ca]), (P[1, cb], P[0, cb])):
                outcomes.append(1.0 if own > other else 0.5 if own == other else 0.0)
    return np.mean(outcomes)


def test_two_classes_agree_with_the_definition():
    chosen = Y > 0
    estimate = pr.leave_pair_out(GaussianNB(), X[chosen], Y[chosen], pos_label=2)
    assert (estimate.measure, estimate.classifier) == ("auc", "GaussianNB")
    assert estimate.value == pytest.approx(naive(GaussianNB(), X[chosen], Y[chosen], 1, 2))
    assert "leave-one-pair-out" in estimate.provenance.method
    assert type(estimate).from_dict(estimate.to_dict()).value == estimate.value


@pytest.mark.slow
def test_three_classes_agree_with_the_definition():
    evaluation = pr.leave_pair_out({"lda": LinearDiscriminantAnalysis()}, X, Y)
    expected = np.mean([naive(LinearDiscriminantAnalysis(), X, Y, a, b) for a, b in ((0, 1), (0, 2), (1, 2))])
    assert evaluation["lda", "hand_till"].value == pytest.approx(expected)


def test_fixed_scores_have_their_own_auc_and_no_standard_error():
    # Models whose scores do not depend on the training set: leaving out pairs changes nothing.
    estimate = pr.leave_pair_out(Fixed(), X[Y > 0], Y[Y > 0], pos_label=2)
    plain = pr.evaluate(Y[Y > 0], X[Y > 0, 0], measure="auc", pos_label=2)
    assert estimate.value == pytest.approx(plain.value)
    assert np.isnan([estimate.standard_error, *estimate.confidence_interval(), estimate.test(0.5)]).all()


@pytest.mark.slow
def test_model_of_class_frequencies_has_no_information():
    rng = np.random.default_rng(0)
    features, y = rng.normal(size=(40, 3)), np.repeat([0, 1], 20)
    estimate = pr.leave_pair_out(DummyClassifier(strategy="prior"), features, y)
    assert estimate.value == 0.5


@pytest.mark.slow
def test_decision_function_and_processes():
    chosen = Y > 0
    first, second = (
        pr.leave_pair_out(LinearSVC(), X[chosen], Y[chosen], pos_label=2, n_jobs=jobs) for jobs in (1, 2)
    )
    assert first.value == second.value
    reverse = pr.leave_pair_out(LinearSVC(), X[chosen], Y[chosen], pos_label=1)
    assert reverse.value == first.value


def test_invalid_input_says_what_to_do():
    with pytest.raises(NotApplicableError, match="measures of pairs of cases, auc and hand_till"):
        pr.leave_pair_out(GaussianNB(), X, Y, measure="accuracy")
    with pytest.raises(NotApplicableError, match="auc is for 2 classes, here 3"):
        pr.leave_pair_out(GaussianNB(), X, Y, measure="auc")
    with pytest.raises(InputError, match=r"need 121 fits, more than most_fits=100.*out_of_fold"):
        pr.leave_pair_out(GaussianNB(), np.zeros((22, 1)), [0, 1] * 11, most_fits=100)
    with pytest.raises(InputError, match="Class '1' has 1 case"):
        pr.leave_pair_out(GaussianNB(), np.zeros((5, 1)), [0, 0, 0, 0, 1])


class Fixed(GaussianNB):
    """The first feature as score."""

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0] / 10, X[:, 0] / 10])
