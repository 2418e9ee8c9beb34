"""Cost curves.

The smallest expected cost for every combination of costs and prevalence (Drummond & Holte). The dashed line is the
better of two trivial rules: everybody is predicted sick, or nobody.
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

picture = pr.plot(pr.curve(sick, risks, kind="cost"))
picture.figure.savefig("cost.png")
