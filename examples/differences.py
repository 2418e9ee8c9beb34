"""Who is better, and how sure is it.

Left the estimates, right every pair: first minus second, with the p-values adjusted for all pairs. A marker is
filled where a difference is shown, open where it is not.
"""

import matplotlib.pyplot as plt

import polyroc as pr

file = pr.datasets.catalogue.path("iris_predictions")
irises = pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")
found = pr.compare(irises, measure="hand_till")

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 1.9), layout="constrained")
pr.plot(found, left, kind="forest", numbers=False)
pr.plot(found, right, kind="differences")
figure.savefig("differences.png")
