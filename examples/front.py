"""The trade-off between all kinds of errors.

Everson & Fieldsend's front of three classes: all operating points that are not dominated in the six error rates,
drawn at their three false positive rates. The colour is the class into which most errors go; the marked point has
the lowest cost if a missed malignant case costs ten times any other error.
"""

import numpy as np

import polyroc as pr

rng = np.random.default_rng(0)
y = np.repeat(["benign", "malignant", "normal"], 100)
odds = np.exp(rng.normal(size=(300, 3)) + 1.3 * np.eye(3).repeat(100, axis=0))
P = odds / odds.sum(axis=1, keepdims=True)

front = pr.front(y[::2], P[::2], draws=10_000)
costs = {("malignant", "benign"): 10, ("malignant", "normal"): 10}
chosen = pr.operate(front, costs=costs, evaluate_on=(y[1::2], P[1::2]))

picture = pr.plot(front, points={"malignant missed costs 10": chosen})
picture.figure.savefig("front.png")
