"""Several classifiers.

Distinguished by line style and colour; the legend has the areas. The hull is that of all classifiers together: the
best that selecting or randomising between them can attain.
"""

import numpy as np

import polyroc as pr

rng = np.random.default_rng(3)
sick = np.repeat([0, 1], [120, 80])
risks = {
    "forest": rng.normal(size=200) + 1.9 * sick,
    "logit": rng.normal(size=200) + 1.3 * sick,
    "rule": np.round(rng.normal(size=200) + 0.9 * sick),
}

picture = pr.plot(pr.curve(sick, risks), hull=True)
picture.figure.savefig("roc_of_several.png")
