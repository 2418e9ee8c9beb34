"""Decision curves.

The net benefit of treating patients whose risk is at least a threshold, compared with treating all and treating
none. A model is useful at thresholds where it is above both.
"""

import numpy as np

import polyroc as pr

rng = np.random.default_rng(3)
sick = np.repeat([0, 1], [280, 120])


def risk(separation: float) -> np.ndarray:
    """The probability of disease from a marker that is `separation` standard deviations higher in the sick."""
    marker = rng.normal(size=400) + separation * sick
    return 1 / (1 + np.exp(-np.log(0.3 / 0.7) - separation * (marker - separation / 2)))


picture = pr.plot(pr.decision_curve(sick, {"forest": risk(2.2), "logit": risk(1.0)}))
picture.figure.savefig("decision.png")
