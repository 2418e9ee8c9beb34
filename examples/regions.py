"""Decision regions along a front.

Logistic regression on two features, its parameters and the costs searched together (Everson & Fieldsend, figure
1). Left the point with the fewest errors; in the middle no case of the second class is missed; right no other case
is predicted as the second class.
"""

import matplotlib.pyplot as plt
import numpy as np

import polyroc as pr

rng = np.random.default_rng(0)
centres = np.array([[0.7, 0.3], [0.3, 0.3], [-0.7, 0.7], [0.4, 0.7], [1.0, 1.0], [0.0, 1.0]])
component = np.arange(600) % 6
features = centres[component] + np.sqrt(0.03) * rng.normal(size=(600, 2))
classes = np.array(["one", "two", "three"])[component // 2]
X, y, others = features[:300], classes[:300], (features[300:], classes[300:])

front = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=300, labels=["one", "two", "three"])
cost_options = {
    "fewest errors": {},
    "none of two missed": {("two", "one"): 1000, ("two", "three"): 1000},
    "none taken for two": {("one", "two"): 1000, ("three", "two"): 1000},
}
figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
for ax, (name, costs) in zip(axes, cost_options.items(), strict=True):
    chosen = pr.operate(front, costs=costs, evaluate_on=others)
    picture = pr.plot(pr.decisions.decision_regions(front.deploy(chosen.point), X, y, labels=front.labels), ax)
    ax.set_title(f"{name}: {picture.ax.get_title(loc='left')}", fontsize=8, loc="left")
    if ax is not axes[-1]:
        picture.legend.remove()
figure.savefig("regions.png")
