"""Several readers, several cases.

Left the ROC curves of six readers with two modalities and their means, right the differences of all readers and of
the means, with an interval for readers and cases in general.
"""

import matplotlib.pyplot as plt

import polyroc as pr

y_true, ratings = pr.datasets.RoeMetz.published("HH", 1.5, gain=0.6).sample(6, 50, rng=3)
study = pr.reader_study(y_true, {"aided": ratings["B"], "unaided": ratings["A"]}, measure="auc")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
pr.plot(study, left, kind="roc")
pr.plot(study, right, kind="differences")
figure.savefig("readers.png")
