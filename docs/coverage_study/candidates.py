"""Intervals that might be the default, from the same values and components: their coverage and width.

All but Wilson's own give Wilson's interval where the standard error is 0.
"""

import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from cells import Cell, cells
from running import KEY, Rows
from scipy.special import expit, logit, stdtrit
from ways import LEVEL
from worlds import Data, Floats, world_of

import polyroc as pr

CANDIDATES = Path(__file__).parent / "candidates.csv"
REPLICATES = 1000
Z = 1.959963984540054

Ends: TypeAlias = tuple[Floats, Floats]


class Found(NamedTuple):
    """What the samples of a cell gave: values, the variances that the components of each class give, and sizes."""

    p: Floats
    v: Floats
    n: Floats
    m: float  # effective cases of the smallest class

    @property
    def variance(self) -> Floats:
        """Of the values."""
        return np.asarray(self.v.sum(axis=1))


Candidate: TypeAlias = Callable[[Found], Ends]


def wilson(p: Floats, n: Floats | float) -> Ends:
    """Wilson's interval for a share p of n cases."""
    middle, reach = p + Z**2 / (2 * n), Z * np.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    return (middle - reach) / (1 + Z**2 / n), (middle + reach) / (1 + Z**2 / n)


def on_logit_scale(p: Floats, variance: Floats, quantile: Floats | float = Z) -> Ends:
    """Symmetric on the logit scale."""
    reach = quantile * np.sqrt(variance) / (p * (1 - p))
    return expit(logit(p) - reach), expit(logit(p) + reach)


def hull(a: Ends, b: Ends) -> Ends:
    """What either interval holds."""
    return np.minimum(a[0], b[0]), np.maximum(a[1], b[1])


def satterthwaite(v: Floats, n: Floats) -> Floats:
    """Student's quantile with Satterthwaite's degrees of freedom, as in Brunner & Munzel's test."""
    df = v.sum(axis=1) ** 2 / (v**2 / (n - 1)).sum(axis=1)
    return np.asarray(stdtrit(df, 0.5 + LEVEL / 2))


def plain(found: Found) -> Ends:
    """The logit interval."""
    return on_logit_scale(found.p, found.variance)


def student(found: Found) -> Ends:
    """The logit interval with Student's quantile."""
    return on_logit_scale(found.p, found.variance, satterthwaite(found.v, found.n))


def unseen(share: float, smoothing: float = 0.0, t: bool = False) -> Candidate:
    """A share of a case added whose outcome is all or nothing, its p smoothed; not beyond Wilson's interval."""

    def candidate(found: Found) -> Ends:
        p, v, n, m = found
        q = (p * m + smoothing) / (m + 2 * smoothing)
        more = share * q * (1 - q) / m**2
        added = v + more[:, None] * (np.arange(len(n)) == n.argmin())
        wide = on_logit_scale(p, found.variance + more, satterthwaite(added, n) if t else Z)
        edge = wilson(p, m)
        return hull(plain(found), (np.maximum(wide[0], edge[0]), np.minimum(wide[1], edge[1])))

    return candidate


def recentred(found: Found) -> Ends:
    """Half a case that is right and half a case that is wrong added to the smallest class; or the logit."""
    q = (found.p * found.m + 0.5) / (found.m + 1)
    return hull(plain(found), on_logit_scale(q, found.variance + 0.5 * q * (1 - q) / found.m**2))


def wilson_effective(most: float) -> Candidate:
    """Wilson's for the effective size p (1 - p) / SE^2, `most` times the smallest class at most; or the logit."""

    def candidate(found: Found) -> Ends:
        size = np.minimum(found.p * (1 - found.p) / found.variance, most * found.m)
        return hull(plain(found), wilson(found.p, size))

    return candidate


KINDS: dict[str, Candidate] = {
    "logit": plain,
    "logit, Satterthwaite's t": student,
    "a quarter of a case": unseen(0.25),
    "half a case (the default)": unseen(0.5),
    "one case": unseen(1.0),
    "half a case, Satterthwaite's t": unseen(0.5, t=True),
    "half a case, p smoothed": unseen(0.5, smoothing=0.5),
    "half a case, recentred": recentred,
    "Wilson's, effective size": wilson_effective(math.inf),
    "Wilson's, thrice the smallest class": wilson_effective(3.0),
}


def try_candidates(jobs: int) -> Rows:
    """The rows of all cells with independent cases and a standard error."""
    chosen = [
        cell for cell in cells() if cell.study == "interval" and cell.world != "clusters" and min(cell.sizes) > 1
    ]
    with ProcessPoolExecutor(jobs) as pool:
        return [row for rows in pool.map(try_cell, chosen) for row in rows]


def try_cell(cell: Cell) -> Rows:
    """Coverage and width of every candidate in one cell."""
    truth, draw = world_of(cell)
    drawn = [_components(cell, draw(cell.rng(replicate))) for replicate in range(REPLICATES)]
    p, v, m = (np.array(each) for each in zip(*drawn, strict=True))
    found = Found(p, v, np.array(cell.sizes, dtype=float), m[0])
    bare, edge = found.variance < 1e-24, wilson(p, m[0])
    rows = []
    for label, candidate in KINDS.items():
        with np.errstate(all="ignore"):  # a perfect sample: replaced below
            ends = candidate(found)
        low, high = (np.where(bare, each, end) for end, each in zip(ends, edge, strict=True))
        held = np.mean((low <= truth) & (truth <= high))
        told = {"candidate": label, "share": f"{held:.4f}", "width": f"{np.mean(high - low):.4f}"}
        rows.append(dict(zip(KEY, cell.key, strict=True)) | told)
    return rows


def _components(cell: Cell, data: Data) -> tuple[float, list[float], float]:
    """Value, variances by class and effective cases of one sample."""
    found = pr.evaluate(**data, measure=cell.measure)
    y, components = np.asarray(data["y_true"]), found.components
    variances = [components[y == k].var(ddof=1) / size for k, size in enumerate(cell.sizes)]
    return found.value, variances, found.effective
