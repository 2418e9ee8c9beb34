"""The cobweb.

Misclassification ratios (true class, then decision): the smaller the web, the better; dashed, chance.
"""

import polyroc as pr

file = pr.datasets.catalogue.path("iris_predictions")
irises = pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")

found = [pr.rates(irises, classifier=name) for name in irises.classifiers]
picture = pr.plot(found)
picture.figure.savefig("cobweb.png")
