"""Methods as they are tried: which, how often, and which intervals each gives."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from cells import Cell

import polyroc as pr

LEVEL = 0.95


class Way(NamedTuple):
    """A method as it is tried: its label, its record, replicates, and whether it is told of the groups."""

    label: str
    method: Any
    replicates: int
    grouped: bool = True


def ways(cell: Cell) -> list[Way]:
    """The methods that apply to a cell."""
    if cell.study == "test":
        return _tests(cell)
    two = cell.measure == "auc"
    often, some, few = (2000, 500, 200) if two else (1000, 300, 100)
    found = [Way("DeLong", pr.DeLong(), often)]
    if cell.world == "clusters":
        found.append(Way("DeLong, groups ignored", pr.DeLong(), often, grouped=False))
    elif cell.measure != "ova":
        found.append(Way("Unbiased", pr.Unbiased(), some))
    if two and cell.world != "clusters":
        kinds = ("nonparametric", "exponential")
        found += [Way(f"HanleyMcNeil, {kind}", pr.HanleyMcNeil(kind), some) for kind in kinds]
    return [*found, Way("Jackknife", pr.Jackknife(), few), Way("Bootstrap", pr.Bootstrap(n=400), few)]


def _tests(cell: Cell) -> list[Way]:
    found = [Way("DeLong", pr.DeLong(), 2000 if cell.measure == "auc" else 1000)]
    found += [Way("Unbiased", pr.Unbiased(), 500), Way("Bootstrap", pr.Bootstrap(n=400), 200)]
    if cell.nominal == 0.95 and sum(cell.sizes) < 120:
        found.append(Way("Permutation", pr.Permutation(n=199), 200))
    return found


def intervals(label: str, estimate: pr.Estimate) -> Iterator[tuple[str, tuple[float, float]]]:
    """The intervals that one estimate gives, by label."""
    if label == "Bootstrap":
        for kind in ("bca", "percentile"):
            resampled = None if estimate.resampled is None else estimate.resampled._replace(kind=kind)
            yield f"{label}, {kind}", replace(estimate, resampled=resampled).confidence_interval(LEVEL)
        return
    yield label, estimate.confidence_interval(LEVEL)
    if label == "DeLong":
        for kind in ("logit", "wald"):
            yield f"{label}, {kind}", estimate.confidence_interval(LEVEL, kind=kind)
