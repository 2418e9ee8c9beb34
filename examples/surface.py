"""The ROC surface of three classes.

The correct rate of the second class for given correct rates of the first and the third; the volume under the
surface is the measure. The dashed triangle is chance.
"""

import numpy as np

import polyroc as pr

rng = np.random.default_rng(1)
stage = np.repeat(["early", "middle", "late"], 80)
marker = rng.normal(size=240) + np.repeat([0.0, 1.1, 2.2], 80)

picture = pr.plot(pr.surface(stage, marker, labels=["early", "middle", "late"]))
picture.figure.savefig("surface.png")
