"""The cobweb.

Misclassification rates (true class, then predicted class): the smaller the web, the better. Dashed: chance.
"""

import polyroc as pr

file = pr.datasets.catalogue.path("iris_predictions")
irises = pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")

matrices = [pr.rates(irises, only=name) for name in irises.classifiers]
picture = pr.plot(matrices)
picture.figure.savefig("cobweb.png")
