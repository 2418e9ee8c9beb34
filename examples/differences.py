"""Differences between classifiers.

Left the estimates, right every pair: first minus second, with p-values adjusted for all pairs. A filled marker is
a significant difference.
"""

import matplotlib.pyplot as plt

import polyroc as pr

file = pr.datasets.catalogue.path("iris_predictions")
irises = pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")
comparison = pr.compare(irises, measure="hand_till")

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 1.9), layout="constrained")
pr.plot(comparison, left, kind="forest", numbers=False)
pr.plot(comparison, right, kind="differences")
figure.savefig("differences.png")
