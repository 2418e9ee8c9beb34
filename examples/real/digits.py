"""Ten classes: which handwritten digits are confused, and is the better model better on them?

1797 handwritten digits and two fast models; each digit is predicted by a model that was not trained on it. M is
the mean over all 45 pairs of digits; its parts show which pairs are hard.
"""

from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

import polyroc as pr

X, y = load_digits(return_X_y=True)
models = {"lda": LinearDiscriminantAnalysis(), "25 neighbours": KNeighborsClassifier(25)}
P = {name: cross_val_predict(model, X, y, cv=10, method="predict_proba") for name, model in models.items()}

comparison = pr.compare(y, P, measure="hand_till")
for name, M in comparison.estimates.items():
    print(name, M)
    pairs = {pair: part for pair, part in M.parts.items() if "," in pair}
    for pair in sorted(pairs, key=lambda pair: pairs[pair].value)[:3]:
        print(f"  {pair} = {pairs[pair].value:.4f}, standard error {pairs[pair].standard_error:.4f}")
print(*comparison.conclusion(), sep="\n")
