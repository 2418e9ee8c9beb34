"""The parts of a mean.

One-versus-all areas by class, and their mean (the diamond).
"""

import polyroc as pr

file = pr.datasets.catalogue.path("iris_predictions")
irises = pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")

evaluation = pr.evaluate(irises, measure=["ova"])
picture = pr.plot(evaluation["lda", "ova"])
picture.figure.savefig("parts.png")
