"""Classes that are hard to distinguish.

Hand & Till's A(i|j): how well the probabilities of class i (row) separate it from class j (column). Dark pairs are
hard. With many classes the numbers are omitted.
"""

import numpy as np

import polyroc as pr

rng = np.random.default_rng(0)
classes = np.array(["ash", "beech", "birch", "elm", "lime", "maple", "oak", "plane"])
y = rng.integers(8, size=600)
nearness = 2.5 * np.exp(-np.abs(np.subtract.outer(range(8), range(8))) / 1.5)
odds = np.exp(rng.normal(size=(600, 8)) + nearness[y])
estimate = pr.evaluate(classes[y], odds / odds.sum(axis=1, keepdims=True), measure="hand_till")

picture = pr.plot(estimate)
picture.figure.savefig("pairs.png")
