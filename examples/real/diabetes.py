"""Ordered classes: which measurement foretells how fast a disease goes on?

442 patients with diabetes in three groups by how far the disease went in a year. A useful measurement rises along
the groups. All ten are judged by the ordered volume; with ten of them the best looks better than it is, so the
pairs are compared with an adjustment for all 45 of them (max-t).
"""

import numpy as np
from sklearn.datasets import load_diabetes

import polyroc as pr

patients = load_diabetes()
order = ["slow", "middle", "fast"]
group = np.array(order)[np.digitize(patients.target, np.quantile(patients.target, [1 / 3, 2 / 3]))]
markers = dict(zip(patients.feature_names, patients.data.T, strict=True))
markers["s3"] = -markers["s3"]  # HDL cholesterol: more is better

found = pr.compare(group, markers, measure="vus", labels=order)
for name, estimate in sorted(found.estimates.items(), key=lambda each: -each[1].value):
    low, high = estimate.confidence_interval()
    print(f"{name:4} {estimate.value:.3f} ({low:.3f} to {high:.3f})")
print(f"chance {1 / 6:.3f}")
print("all equal: p", "< 0.001" if found.pvalue < 0.001 else f"= {found.pvalue:.3f}")

others = {name: found.difference("s5", name) for name in markers if name != "s5"}
print("not shown to be worse than s5:", *(name for name, step in others.items() if step.adjusted_pvalue >= 0.05))
