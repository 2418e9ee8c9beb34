"""Decision curves.

The net benefit of treating those whose risk is at least a threshold, beside treating all and treating none: a
model is worth having where it is above both.
"""

import numpy as np

import polyroc as pr

rng = np.random.default_rng(3)
sick = np.repeat([0, 1], [280, 120])


def risk(separation: float) -> np.ndarray:
    """The probability of being sick, given a marker that is so many standard deviations higher in the sick."""
    marker = rng.normal(size=400) + separation * sick
    return 1 / (1 + np.exp(-np.log(0.3 / 0.7) - separation * (marker - separation / 2)))


picture = pr.plot(pr.decision_curve(sick, {"forest": risk(2.2), "logit": risk(1.0)}))
picture.figure.savefig("decision.png")
