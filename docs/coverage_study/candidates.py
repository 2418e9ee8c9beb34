"""Intervals that might be the default, from the same values and components: their coverage and width.

All but Wilson's own give Wilson's interval where the standard error is 0.
"""

import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import truths
from grid import Cell, cells
from models import Data, Floats, draw
from quantities import Setting, evaluate
from records import LEVEL, Rows
from scipy.special import expit, logit, stdtrit

CANDIDATES = Path(__file__).parent / "candidates.csv"
REPLICATES = 500
MEASURES = ("auc", "hand_till", "ova", "vus")
Z = 1.959963984540054

Ends: TypeAlias = tuple[Floats, Floats]


class Sampled(NamedTuple):
    """The samples of a cell: values, the variances that the components of each class give, and sizes."""

    p: Floats
    v: Floats
    n: Floats
    m: float  # effective cases of the smallest class

    @property
    def variance(self) -> Floats:
        """Of the values."""
        return np.asarray(self.v.sum(axis=1))


Candidate: TypeAlias = Callable[[Sampled], Ends]


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


def plain(sampled: Sampled) -> Ends:
    """The logit interval."""
    return on_logit_scale(sampled.p, sampled.variance)


def student(sampled: Sampled) -> Ends:
    """The logit interval with Student's quantile."""
    return on_logit_scale(sampled.p, sampled.variance, satterthwaite(sampled.v, sampled.n))


def unseen(share: float, smoothing: float = 0.0, t: bool = False) -> Candidate:
    """A share of a case added whose outcome is all or nothing, its p smoothed; not beyond Wilson's interval."""

    def candidate(sampled: Sampled) -> Ends:
        p, v, n, m = sampled
        q = (p * m + smoothing) / (m + 2 * smoothing)
        more = share * q * (1 - q) / m**2
        added = v + more[:, None] * (np.arange(len(n)) == n.argmin())
        wide = on_logit_scale(p, sampled.variance + more, satterthwaite(added, n) if t else Z)
        edge = wilson(p, m)
        return hull(plain(sampled), (np.maximum(wide[0], edge[0]), np.minimum(wide[1], edge[1])))

    return candidate


def recentred(sampled: Sampled) -> Ends:
    """The interval with half a case around the value with half a case of either outcome; or the logit."""
    q = (sampled.p * sampled.m + 0.5) / (sampled.m + 1)
    return hull(plain(sampled), on_logit_scale(q, sampled.variance + 0.5 * q * (1 - q) / sampled.m**2))


def inner_end_recentred(sampled: Sampled) -> Ends:
    """Half a case; the end that faces 1/2 at least that of the recentred interval, within Wilson's."""
    edge, centred = wilson(sampled.p, sampled.m), recentred(sampled)
    return hull(unseen(0.5)(sampled), (np.maximum(centred[0], edge[0]), np.minimum(centred[1], edge[1])))


def wilson_effective(most: float) -> Candidate:
    """Wilson's for the effective size p (1 - p) / SE^2, `most` times the smallest class at most; or the logit."""

    def candidate(sampled: Sampled) -> Ends:
        size = np.minimum(sampled.p * (1 - sampled.p) / sampled.variance, most * sampled.m)
        return hull(plain(sampled), wilson(sampled.p, size))

    return candidate


KINDS: dict[str, Candidate] = {
    "logit": plain,
    "logit, Satterthwaite's t": student,
    "a quarter of a case": unseen(0.25),
    "half a case": unseen(0.5),
    "one case": unseen(1.0),
    "half a case, Satterthwaite's t": unseen(0.5, t=True),
    "half a case, p smoothed": unseen(0.5, smoothing=0.5),
    "half a case, recentred": recentred,
    "half a case, inner end recentred (the default)": inner_end_recentred,
    "Wilson's, effective size": wilson_effective(math.inf),
    "Wilson's, thrice the smallest class": wilson_effective(3.0),
}


def candidate_cells() -> list[tuple[Cell, str]]:
    """Cells of the models on which the interval was chosen, and the measures that are tried there."""
    chosen = [cell for cell in cells() if cell.kind == "single" and cell.model.use == "choice"]
    return [(cell, name) for cell in chosen for name in cell.measures if name in MEASURES]


def try_candidates(jobs: int) -> Rows:
    """The rows of all cells of the choice."""
    with ProcessPoolExecutor(jobs) as pool:
        return [row for rows in pool.map(try_cell, *zip(*candidate_cells(), strict=True)) for row in rows]


def try_cell(cell: Cell, measure: str) -> Rows:
    """Coverage and width of every candidate in one cell."""
    truth = truths.truth(measure, cell.model, cell.values[0], cell.sizes)
    setting = truths.setting_of(cell.model)
    drawn = (draw(cell.model, cell.values, cell.sizes, cell.rng(replicate)) for replicate in range(REPLICATES))
    p, v, m = (
        np.array(column) for column in zip(*(_components(measure, data, setting) for data in drawn), strict=True)
    )
    sampled = Sampled(p, v, np.array(cell.sizes, dtype=float), m[0])
    without_error, edge = sampled.variance < 1e-24, wilson(p, m[0])
    rows = []
    for label, candidate in KINDS.items():
        with np.errstate(all="ignore"):  # a perfect sample: replaced below
            ends = candidate(sampled)
        low, high = (np.where(without_error, limit, end) for end, limit in zip(ends, edge, strict=True))
        covered = np.mean((low <= truth) & (truth <= high))
        facts = {
            "measure": measure,
            "model": cell.model_name,
            "values": cell.shown_values,
            "sizes": cell.shown_sizes,
        }
        rows.append(facts | {"candidate": label, "share": f"{covered:.4f}", "width": f"{np.mean(high - low):.4f}"})
    return rows


def _components(measure: str, data: Data, setting: Setting) -> tuple[float, list[float], float]:
    """Value, variances by class and effective cases of one sample."""
    estimate = evaluate(measure, data, setting).estimate
    components, counts = estimate.components, np.bincount(data.y)
    variances = [components[data.y == k].var(ddof=1) / size for k, size in enumerate(counts)]
    return estimate.value, variances, estimate.cases_behind
