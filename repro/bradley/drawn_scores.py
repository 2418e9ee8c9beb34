"""SE(W) and SD of the AUC where nothing but the sampling of cases is at work.

Normal scores with the areas that the paper prints, on test sets as large as its own: the mean and SD of SE(W), and
its correlation with SD, that must be expected over its six data sets, and over those that are available.
"""

from collections.abc import Collection, Iterator
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.stats import norm, rankdata

from polyroc.studies.summaries import wilcoxon_error

__all__ = ["PRINTED", "draws"]

FloatArray = npt.NDArray[np.float64]
TEST_SETS = 10
SHARED = (0.5, 0.8)  # correlations of the scores of two learners that are tried; the paper does not print them

# The paper's areas and the cases of one of its test sets, (positive, negative).
PRINTED = {
    "texture": ((6, 6), (88.1, 88.7, 92.1, 96.2, 96.7, 97.8, 98.3, 98.5, 98.6)),
    "bleeding": ((3, 9), (48.7, 60.9, 65.5, 65.7, 66.1, 69.8, 70.0, 70.5, 73.3)),
    "breast": ((24, 45), (93.7, 94.4, 94.4, 94.5, 95.2, 96.2, 96.5, 97.0, 98.2)),
    "pima": ((27, 50), (74.1, 74.4, 76.3, 79.4, 80.2, 82.3, 83.4, 84.7, 85.3)),
    "cleveland": ((14, 16), (73.7, 73.8, 84.2, 84.4, 85.9, 86.1, 86.9, 90.8, 91.2)),
    "hungarian": ((10, 17), (70.1, 70.2, 79.2, 82.0, 82.1, 82.3, 83.8, 84.7, 87.8)),
}


def draws(names: Collection[str], n: int, seed: int) -> FloatArray:
    """Return `spread` of nine learners on these sets in n draws of all scores: draws x points x 3.

    >>> of_mean, averaged, deviation = draws(PRINTED, 10, 0).mean(axis=(0, 1))
    >>> bool(averaged < 0.08 < of_mean)
    True
    """
    rng = np.random.default_rng(seed)
    sets = ([spread(name, shared, rng) for name in names] for shared in SHARED * (n // 2))
    return np.array([np.concatenate(of_draw) for of_draw in sets])


def spread(name: str, shared: float, rng: np.random.Generator) -> FloatArray:
    """Return SE(W) of the mean area, SE(W) averaged over ten test sets, and SD of the areas, by learner."""
    counts, printed = PRINTED[name]
    areas = np.array(list(_areas(counts, np.array(printed) / 100.0, shared, rng)))
    errors = np.vectorize(lambda area: _error(float(area), *counts))
    return np.column_stack([errors(areas.mean(axis=0)), errors(areas).mean(axis=0), areas.std(axis=0, ddof=1)])


@cache
def _error(area: float, positives: int, negatives: int) -> float:
    return wilcoxon_error("auc", area, positives, negatives)


def _areas(
    counts: tuple[int, int], printed: FloatArray, shared: float, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """The areas of all learners in one test set after another, a tenth of the cases each."""
    n = TEST_SETS * np.array(counts)
    positive = np.arange(n.sum()) < n[0]
    noise = np.sqrt(shared) * rng.normal(size=n.sum())
    noise = noise + np.sqrt(1.0 - shared) * rng.normal(size=(len(printed), n.sum()))
    scores = noise + np.outer(np.sqrt(2.0) * norm.ppf(printed), positive)
    for _ in range(TEST_SETS):
        own = [
            rng.choice(np.flatnonzero(positive == k), m, replace=False)
            for k, m in zip((True, False), counts, strict=True)
        ]
        ranks = rankdata(scores[:, np.concatenate(own)], axis=1)[:, : counts[0]]
        yield (ranks.sum(axis=1) - counts[0] * (counts[0] + 1) / 2) / (counts[0] * counts[1])
