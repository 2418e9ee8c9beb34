"""Ordered classes: which measurement predicts how fast a disease progresses?

442 patients with diabetes in three groups by disease progression within a year. A useful measurement rises along
the groups. All ten are evaluated by the ordered volume. The best of ten looks better than it is, so the pairs are
compared with an adjustment for all 45 of them (max-t).
"""

import numpy as np
from sklearn.datasets import load_diabetes

import polyroc as pr

patients = load_diabetes()
order = ["slow", "middle", "fast"]
group = np.array(order)[np.digitize(patients.target, np.quantile(patients.target, [1 / 3, 2 / 3]))]
markers = dict(zip(patients.feature_names, patients.data.T, strict=True))
markers["s3"] = -markers["s3"]  # HDL cholesterol: more is better

comparison = pr.compare(group, markers, measure="vus", labels=order)
for name, estimate in sorted(comparison.estimates.items(), key=lambda item: -item[1].value):
    low, high = estimate.confidence_interval()
    print(f"{name:4} {estimate.value:.3f} ({low:.3f} to {high:.3f})")
print(f"chance {1 / 6:.3f}")
print("all equal: p", "< 0.001" if comparison.pvalue < 0.001 else f"= {comparison.pvalue:.3f}")

others = {name: comparison.difference("s5", name) for name in markers if name != "s5"}
print(
    "not shown to be worse than s5:",
    *(name for name, difference in others.items() if difference.adjusted_pvalue >= 0.05),
)
