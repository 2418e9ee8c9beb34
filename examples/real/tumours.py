"""Two classes: does a forest find more tumours than a logistic regression?

569 breast tumours described by the mean size, texture and smoothness of their cell nuclei: a hard version, with
three of thirty features. Each tumour is predicted by models that were not trained on it. The whole area under the
curve and the part with few false alarms are two questions.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import polyroc as pr

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:, [0, 1, 4]], np.where(y == 0, "malignant", "benign")
models = {
    "logit": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(50, min_samples_leaf=5, random_state=0),
    "radius alone": make_pipeline(StandardScaler(), LogisticRegression()),
}
columns = {"logit": [0, 1, 2], "forest": [0, 1, 2], "radius alone": [0]}
risk = {
    name: cross_val_predict(model, X[:, columns[name]], y, cv=5, method="predict_proba")[:, 1]
    for name, model in models.items()
}

for measure in ("auc", "partial_auc(fpr=(0, 0.1))"):
    comparison = pr.compare(y, risk, measure=measure, pos_label="malignant")
    print(measure)
    for name, estimate in comparison.estimates.items():
        low, high = estimate.confidence_interval()
        print(f"  {name:13} {estimate.value:.3f} ({low:.3f} to {high:.3f})")
    print(*comparison.conclusion(), sep="\n", end="\n\n")
