"""Many classes, one curve each.

Each class against all others together. The title has the mean of the areas with its interval.
"""

import polyroc as pr

file = pr.datasets.catalogue.path("iris_predictions")
irises = pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")

species = [irises.labels[code] for code in irises.codes]

picture = pr.plot(pr.curve(species, irises.values["lda"], multi_class="ova"))
picture.figure.savefig("one_versus_all.png")
