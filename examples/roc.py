"""A ROC curve with its band, its hull and an operating point.

The step function is the empirical curve; the band contains the whole true curve with 95 % confidence.
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

curve = pr.curve(sick, risks["forest"], band="simultaneous", method=pr.methods.Bootstrap(replicates=500, rng=0))
picture = pr.plot(curve, hull=True, points={"at most 10 % false alarms": curve.nearest(fpr=0.1)})
picture.figure.savefig("roc.png")
