"""Confusion rates.

How often each class is predicted as each class, with intervals.
"""

import polyroc as pr

file = pr.datasets.catalogue.path("iris_predictions")
irises = pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")

picture = pr.plot(pr.rates(irises, only="knn"))
picture.figure.savefig("rates.png")
