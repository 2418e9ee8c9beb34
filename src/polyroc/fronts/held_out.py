"""A front evaluated on held-out cases, and its optimism."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import hypot
from typing import Any

import numpy as np

from polyroc._results.codec import STORED_IF_SET, stored_as
from polyroc._results.invariants import Invariants, at_least, distinct
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.errors import InputError
from polyroc.fronts.case_errors import DecidedCases, case_errors
from polyroc.fronts.dominated_volume import Volume, volume_shares
from polyroc.kernels.archives import guard_bits, pack, sift
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.cost_decisions import tally_decisions
from polyroc.output.numbers import number_text

__all__ = ["HeldOut", "paired_volumes", "recount"]


def _volume(entry: str) -> Mapping[str, Any]:
    """Metadata of a volume, which is stored as a number; the number of points is that of both volumes."""

    def stored(data: dict[str, Any]) -> Volume:
        return Volume(data[entry], data["n_points"])

    return stored_as(entry, decode=stored)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HeldOut(Result):
    """The points of a front, each with its own parameters and costs, on cases it was not found on.

    Attributes
    ----------
    classifier, classes
        Those of the front.
    apparent_counts, counts
        Points x classes x classes: cases by true class and decision, apparent (where the front was found) and held
        out.
    apparent_gini, gini
        The generalised Gini coefficient, apparent and on the held-out cases, on the same random points.
    provenance
        Of the held-out cases.
    standard_error, apparent_standard_error
        Of the two Gini coefficients, over cases, by the jackknife; None if they were not computed (see
        `with_errors`).
    """

    classifier: str
    classes: tuple[str, ...]
    apparent_counts: IntArray = field(metadata=stored_as("found"))
    counts: IntArray
    apparent_gini: Volume = field(metadata=_volume("gini_found"))
    gini: Volume = field(metadata=_volume("gini"))
    provenance: Provenance
    standard_error: float | None = field(default=None, metadata=STORED_IF_SET)
    apparent_standard_error: float | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        c = len(self.classes)
        yield c >= 2 and distinct(self.classes), "classes must be two or more, and distinct"
        yield self.apparent_counts.shape == self.counts.shape == (len(self.counts), c, c), "shapes must agree"
        yield at_least(self.apparent_counts, 0) and at_least(self.counts, 0), "counts must be 0 or more"
        for table in (self.apparent_counts, self.counts):
            cases = table.sum(axis=2)
            yield bool((cases == cases[:1]).all()), "all points must have the same cases"
        for error in (self.standard_error, self.apparent_standard_error):
            yield error is None or 0.0 <= error < np.inf, "standard errors must be 0 or more"

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        left = f"{int(self.non_dominated.sum())} of {len(self)} points still not dominated"
        gini = f"G {number_text(self.gini)}, optimism {number_text(self.optimism)}"
        return f"HeldOut(of {self.classifier}: {', '.join(self.classes)}, {left}, {gini})"

    @property
    def rates(self) -> FloatArray:
        """Points x classes x classes: rates on the held-out cases."""
        return np.asarray(self.counts / self.counts.sum(axis=2, keepdims=True))

    @property
    def optimism(self) -> float:
        """Apparent G less G on the held-out cases.

        G on the held-out cases is still too large: of many points some do well on any cases by chance, and the
        dominated volume is that of the best ones.
        """
        return self.apparent_gini - self.gini

    @property
    def optimism_standard_error(self) -> float | None:
        """Standard error of the optimism; the two sets of cases are independent. None if it was not computed."""
        if self.standard_error is None or self.apparent_standard_error is None:
            return None
        return hypot(self.standard_error, self.apparent_standard_error)

    def with_errors(self, apparent: DecidedCases, held_out: DecidedCases, replicates: int, rng: Any) -> "HeldOut":
        """The same with standard errors, from the decisions on the cases of the front and on the held-out ones."""
        errors = [
            float(case_errors([sample], replicates, rng).standard_errors[0, 0]) for sample in (apparent, held_out)
        ]
        return replace(self, apparent_standard_error=errors[0], standard_error=errors[1])

    @property
    def non_dominated(self) -> BoolArray:
        """Which points no other one dominates on the held-out cases."""
        errors = self.counts[:, ~np.eye(len(self.classes), dtype=bool)]
        distinct, place = np.unique(errors, axis=0, return_inverse=True)
        return np.asarray(_non_dominated(distinct)[place.ravel()])

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no intervals
        """One record per point and error: its rate where the front was found, and on the held-out cases."""
        apparent = self.apparent_counts / self.apparent_counts.sum(axis=2, keepdims=True)
        rates, non_dominated = self.rates, self.non_dominated
        errors = [(k, j) for k, j in np.ndindex(*self.counts.shape[1:]) if k != j]
        return [
            {
                "classifier": self.classifier,
                "point": i,
                "non_dominated": bool(non_dominated[i]),
                "true": self.classes[k],
                "decision": self.classes[j],
                "rate_found": float(apparent[i, k, j]),
                "rate": float(rates[i, k, j]),
            }
            for i in range(len(self))
            for k, j in errors
        ]

    def _derived(self) -> dict[str, Any]:
        return {"n_points": self.gini.n_points, "optimism": self.optimism}


def _non_dominated(vectors: IntArray) -> BoolArray:
    """Which of these distinct vectors no other one dominates: those that enter an empty archive."""
    order, largest = np.argsort(vectors.sum(axis=1), kind="stable"), int(vectors.max())
    words, enter = pack(vectors[order], largest), np.empty(len(vectors), dtype=np.bool_)
    no_members, places = np.empty((len(words), 0), dtype=np.uint64), np.zeros(len(vectors), dtype=np.int64)
    sift(no_members, words, places, guard_bits(largest), np.empty(0, dtype=np.bool_), enter)
    non_dominated = np.empty(len(vectors), dtype=np.bool_)
    non_dominated[order] = enter
    return non_dominated


def recount(
    codes: IntArray,
    weight: IntArray,
    costs: FloatArray,
    place: IntArray,
    posteriors: Callable[[int], FloatArray],
) -> IntArray:
    """Confusion counts of all points on other cases: point i decides by costs[i] over posteriors(place[i]).

    Points that share parameters are evaluated together, so that posteriors are computed once.
    """
    c = costs.shape[1]
    sizes = np.bincount(codes, minlength=c)
    if not np.bincount(codes, weight, c).all():
        raise InputError("The held-out cases must include every class of the front.")
    order, starts = np.argsort(codes, kind="stable"), np.append(0, np.cumsum(sizes)).astype(np.int64)
    weight, counts = weight[order], np.empty(costs.shape, dtype=np.int64)
    by_place = np.argsort(place, kind="stable")
    for points in np.split(by_place, np.flatnonzero(np.diff(place[by_place])) + 1):
        P = np.ascontiguousarray(posteriors(int(place[points[0]]))[order].T)
        tables = np.empty((len(points), c, c), dtype=np.int64)
        tally_decisions(P, starts, weight, np.ascontiguousarray(costs[points]), tables)
        counts[points] = tables
    return counts


def paired_volumes(apparent: IntArray, counts: IntArray, n_points: int | None, rng: Any) -> tuple[Volume, Volume]:
    """G of two sets of confusion counts on the same random points."""
    rates = [tables / tables.sum(axis=2, keepdims=True) for tables in (apparent, counts)]
    shares = volume_shares(rates, n_points, rng)
    return shares[0][0], shares[1][1]
