"""Every measure of every classifier.

One row per classifier, grouped by measure; the dashed line is the chance value. The colours and markers of the
classifiers are the same in all pictures.
"""

import polyroc as pr

file = pr.datasets.catalogue.path("iris_predictions")
irises = pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")

picture = pr.plot(pr.evaluate(irises, measure=["hand_till", "accuracy", "pdi"]))
picture.figure.savefig("evaluation.png")
