"""A smooth curve.

The binormal fit by maximum likelihood, with Working & Hotelling's simultaneous band.
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

curve = pr.curve(sick, risks["logit"], binormal=True, band="working-hotelling")
picture = pr.plot(curve)
picture.figure.savefig("binormal.png")
