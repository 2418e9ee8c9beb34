"""Which classes are hard to tell apart.

Hand & Till's A(i|j): how well the probabilities of class i (row) tell it from class j (column). Dark pairs are
hard. With many classes the numbers are left out.
"""

import numpy as np

import polyroc as pr

rng = np.random.default_rng(0)
classes = np.array(["ash", "beech", "birch", "elm", "lime", "maple", "oak", "plane"])
y = rng.integers(8, size=600)
nearness = 2.5 * np.exp(-np.abs(np.subtract.outer(range(8), range(8))) / 1.5)
odds = np.exp(rng.normal(size=(600, 8)) + nearness[y])
found = pr.evaluate(classes[y], odds / odds.sum(axis=1, keepdims=True), measure="hand_till")

picture = pr.plot(found)
picture.figure.savefig("pairs.png")
