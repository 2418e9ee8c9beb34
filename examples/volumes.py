"""Scurfield's volumes.

The probability of each order of three cases, one of each class: a good score has one long bar.
"""

import numpy as np

import polyroc as pr

rng = np.random.default_rng(1)
stage = np.repeat(["early", "middle", "late"], 80)
marker = rng.normal(size=240) + np.repeat([0.0, 1.1, 1.6], 80)

picture = pr.plot(pr.evaluate(stage, marker, labels=["early", "middle", "late"], measure="scurfield"))
picture.figure.savefig("volumes.png")
