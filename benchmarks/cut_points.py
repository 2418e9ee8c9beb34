"""Cut-points of ordered classes: chosen exactly, and chosen again in resamples."""

import warnings

import numpy as np

import polyroc as pr
from timing import best


def four_classes(n):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, size=n)
    return y, rng.normal(size=n) + y


def chosen(y, s, **options):
    """Without the warning that the rates are those of the cases it was chosen on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pr.operate(y, s, labels=[0, 1, 2, 3], **options)


def cut_points():
    n = 10**5
    y, s = four_classes(n)
    limits = {(3, 0): 0.01, (2, 0): 0.05, (0, 1): 0.3}
    for name, options in (
        ("costs", {}),
        ("limits", {"at_most": limits}),
        ("Youden", {"criterion": "youden"}),
        ("closest", {"criterion": "closest"}),
    ):
        seconds = best(lambda options=options: chosen(y, s, **options))
        yield f"cut-points of 4 classes by {name}, n = {n:.0e}", "seconds", seconds, "<=", 1
    y, s = four_classes(1000)
    again = best(lambda: chosen(y, s, criterion="youden", method=pr.methods.Bootstrap(replicates=2000, n_jobs=1)))
    yield "cut-points of 4 classes, 2000 resamples, n = 1e+03", "seconds", again, "", None
