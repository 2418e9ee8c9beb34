"""Three classes: one classifier, nine numbers, and why they differ.

178 wines of three cultivars by alcohol and ash. Every measure has its own chance value, so the numbers cannot
be compared with each other. On a scale where chance is 0 and perfect is 1 they still differ, because they measure
different things: two classes at a time (M), one class against all others (PDI), all three at once (He, Mossman),
decisions only.
"""

from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

import polyroc as pr

wines = load_wine()
X, cultivar = wines.data[:, [0, 2]], wines.target_names[wines.target]
P = cross_val_predict(LinearDiscriminantAnalysis(), X, cultivar, cv=10, method="predict_proba")

evaluation = pr.evaluate(cultivar, P)
print(f"{'measure':18} {'value':>6} {'std. error':>10} {'chance':>7} {'above chance':>13}")
for estimate in sorted(evaluation.estimates.values(), key=lambda estimate: -estimate.value):
    share = (estimate.value - estimate.chance) / (1 - estimate.chance)
    numbers = f"{estimate.value:6.3f} {estimate.standard_error:10.3f} {estimate.chance:7.3f} {share:13.0%}"
    print(f"{estimate.measure:18} {numbers}")
