"""All error rates of an operating point side by side.

One line per point of a front of four classes, over its twelve error rates; the colour is one of these rates.
Points where it is small have other rates that are large.
"""

import numpy as np

import polyroc as pr

rng = np.random.default_rng(1)
classes = np.array(["ash", "beech", "birch", "elm"])
y = np.arange(480) % 4
odds = np.exp(rng.normal(size=(480, 4)) + 1.6 * np.eye(4)[y])
P = odds / odds.sum(axis=1, keepdims=True)

front = pr.front(classes[y[:240]], P[:240], draws=400)
chosen = pr.operate(front, evaluate_on=(classes[y[240:]], P[240:]))
picture = pr.plot(front, kind="parallel", shade_by=("ash", "beech"), points={"fewest errors": chosen})
picture.figure.savefig("parallel.png")
