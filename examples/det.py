"""Detection error tradeoff.

Both error rates on normal deviate axes: a binormal curve is a straight line, and small errors are magnified.
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

picture = pr.plot(pr.curve(sick, risks, kind="det"))
picture.figure.savefig("det.png")
