"""The data of the operating-point explorer: cases, fronts and class shares, from which the browser decides."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc.decisions.operating_point import OPTIMISTIC
from polyroc.decisions.thresholds import thresholds_of
from polyroc.fronts.result import Front
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.applicability import ROUNDING
from polyroc.reports.collection import FRONT_BYTES, sampled_cases
from polyroc.reports.findings import MOST_CLASSES
from polyroc.reports.page_assets import packed, packed_decimals
from polyroc.reports.probabilities import leaders
from polyroc.scores import Scores

if TYPE_CHECKING:
    from polyroc.reports.result import Report

__all__ = ["ExplorerCases", "explorer_cases", "explorer_data", "label_texts", "why_not_explored"]


BYTES = 500_000  # of all tables together, before base64
FEWEST = 4  # classifiers; if all cases of so many do not fit, a sample or counts between thresholds are used
MOST = 8  # classifiers of a sample
ROWS = 50_000  # of one table
THRESHOLDS = 4000  # kept of very many cases, besides those on the convex hull
FRONT_ALONE = 3.5  # factor of the room for fronts in a page without cases


@dataclass(frozen=True, slots=True, eq=False)
class ExplorerCases:
    """The cases in the explorer, all of them or a sample.

    Attributes
    ----------
    scores
        The cases in the explorer.
    whole
        All cases.
    note
        How results on the sample may differ from those on all cases; empty if there is no sample.
    """

    scores: Scores
    whole: Scores
    note: str

    def tables(self, names: Sequence[str]) -> dict[str, Any]:
        """The packed columns of these classifiers."""
        pack = self._thresholds if self.scores.n_classes == 2 else self._columns
        return {name: pack(name) for name in names}

    def rows(self) -> dict[str, Any]:
        """The class, weight and group of each case, where all tables have these rows."""
        if self._binned:
            return {}
        counted, scores = self._counted(), self.scores
        rows = {"codes": packed(scores.codes[counted], "u2")}
        if scores.sample_weight is not None:
            rows["weight"] = packed_decimals(scores.sample_weight[counted], "f8")
        if scores.groups is not None:
            rows["groups"] = packed(scores.groups[counted], "i4")
        return rows

    @property
    def most_tables(self) -> int:
        """The number of classifiers whose tables there is room for."""
        return _room(self.whole)[0]

    @property
    def intervals(self) -> bool:
        """False if the groups of the cases are left out, without which intervals would be too short."""
        return self.scores.groups is not None or self.whole.groups is None

    @property
    def shares(self) -> list[float]:
        """The shares of the classes among all cases."""
        shares = np.bincount(self.whole.codes, self.whole.sample_weight, self.whole.n_classes)
        return [float(share) for share in shares / shares.sum()]

    def _columns(self, name: str) -> dict[str, Any]:
        values = self.scores.values[name][self._counted()]
        decimals = packed_decimals(values, "f8")
        rest = np.ones(len(values))
        for column in values.T[:-1]:
            rest = rest - column
        more = values[:, -1] - rest
        if "f8" not in decimals or not np.array_equal(rest + more, values[:, -1]):
            return {"values": decimals}
        return {"values": packed(values[:, :-1], "f8"), "more": packed(more, "f8")}

    def _thresholds(self, name: str) -> dict[str, Any]:
        """Two classes: the scores; of very many cases, counts between thresholds that are kept."""
        counted = self._counted()
        values = self.scores.values[name]
        thresholds = thresholds_of(self.scores, values)
        score = (values if values.ndim == 1 else values[:, thresholds.positive])[counted] + 0.0
        if not self._binned:
            return {"values": packed_decimals(score, "f8")}
        kept = _kept(thresholds.fpr, 1.0 - thresholds.fnr, _most_thresholds(self.scores))
        cuts = thresholds.values[kept]
        # Row of the table: the interval between kept thresholds, those of the positive class in the second half.
        place = np.searchsorted(-cuts, -score) + len(cuts) * self.scores.codes[counted].astype(np.int64)
        weight = np.ones(len(score)) if self.scores.sample_weight is None else self.scores.sample_weight[counted]
        times, mass, square = (np.bincount(place, power, 2 * len(cuts)) for power in (None, weight, weight**2))
        rows = np.flatnonzero(times)
        table = {"values": packed_decimals(cuts[rows % len(cuts)], "f8"), "codes": packed(rows // len(cuts), "u2")}
        table |= {"times": packed_decimals(times[rows].astype(np.float64), "f8")}
        if self.scores.sample_weight is not None:
            table |= {"weight": packed(mass[rows], "f8"), "square": packed(square[rows], "f8")}
        return table

    @property
    def _binned(self) -> bool:
        return self.scores.n_classes == 2 and len(self.scores) > _room(self.whole)[1]

    def _counted(self) -> Any:
        weight = self.scores.sample_weight
        return slice(None) if weight is None else weight > 0


def _kept(fpr: FloatArray, tpr: FloatArray, thresholds: int) -> Any:
    """Thresholds on the convex hull, which are optimal for some costs, and others evenly along the curve."""
    from polyroc.kernels.curves import thin, upper_hull

    return np.union1d(upper_hull(fpr, tpr), thin(fpr, tpr, thresholds))


def _most_thresholds(scores: Scores) -> int:
    """The number of thresholds for which the tables of all classifiers fit; each may have a row per class."""
    row = 18 if scores.sample_weight is None else 34
    return min(THRESHOLDS, BYTES // (2 * row * min(MOST, len(scores.classifiers))))


def _room(scores: Scores) -> tuple[int, int]:
    """The number of classifiers, and of cases of each, for whose tables there is room."""
    columns = max(1, scores.n_classes - 1)  # the last one follows from the others
    more = (scores.sample_weight is not None) + (scores.groups is not None)
    rows, number = BYTES // (8 * (columns + more) + 2), len(scores.classifiers)
    complete = rows // max(1, len(scores))
    if complete >= min(FEWEST, number) and len(scores) <= ROWS:
        # Many classifiers need room in other sections too, so half of it is used if there is too little for all.
        return number if complete >= number else max(FEWEST, complete // 2), len(scores)
    shown = min(MOST, number)
    return shown, min(ROWS, rows // shown)


def why_not_explored(scores: Scores) -> str | None:
    """The reason why no operating point can be chosen, or None."""
    if scores.kind == "decisions":
        return "The classifiers gave decisions, so there is no operating point to choose."
    if scores.negated:
        return f"The scores of {scores.negated[0]!r} are negated, and a rule is for scores as they are given."
    if scores.absent:
        return f"There is no case of class {scores.absent[0]!r}, so no rule can be chosen for it."
    if scores.n_classes > MOST_CLASSES:
        return f"With more than {MOST_CLASSES} classes the costs do not fit into a page; use operate in Python."
    if scores.n_classes > 2:
        if scores.kind != "matrix":
            return "With one score for more than two classes there are only cut-points; give probabilities."
        for name, values in scores.values.items():
            if values.min() < -ROUNDING or values.max() > 1 + ROUNDING:
                return (
                    f"The values of {name!r} are not probabilities in [0, 1], so expected costs are not defined."
                )
    return None


def explorer_cases(scores: Scores, seed: int) -> ExplorerCases | None:
    """All cases if they fit into the page, else a stratified sample; None if there is nothing to choose."""
    if why_not_explored(scores) is not None:
        return None
    _, most = _room(scores)
    if len(scores) <= most:
        return ExplorerCases(scores, scores, "")
    if scores.n_classes == 2:
        kept = _most_thresholds(scores)
        lost = "" if scores.groups is None else " Intervals are left out: they need the group of every case."
        return ExplorerCases(
            scores._replace(groups=None),
            scores,
            f"Of the thresholds of {len(scores)} cases, all on the convex hull are included, so that rules of "
            f"least cost are the same as in Python; of the others some {kept}, so that a rate under a limit may "
            f"be up to {4 / kept:.2g} below the attainable one. The counts are of all cases.{lost}",
        )
    sample = scores.subset(sampled_cases(scores, most, seed))
    error = 1.96 * 0.5 / sqrt(min(sample.counts))
    note = (
        f"The explorer uses {len(sample)} of the {len(scores)} cases, a sample stratified by class (seed {seed}). "
        f"Its rates may differ from those of all cases by up to {error:.2g} (95 %), and its intervals are wider."
    )
    return ExplorerCases(sample, scores, note)


def label_texts(labels: tuple[Any, ...]) -> list[str] | None:
    """The labels as JSON, as a stored rule has them; None if one of them is not representable."""
    for label in labels:
        if not isinstance(label, str | int | float) or (isinstance(label, float) and not isfinite(label)):
            return None
    return [json.dumps(label) for label in labels]


def explorer_data(report: "Report") -> dict[str, Any] | None:
    """The cases, the fronts and the class shares for the browser; None if there are neither cases nor fronts."""
    cases, fronts = report.cases, report.findings.fronts
    names = list(report.findings.classifiers)
    kept = names if cases is None else leaders(report.findings, names, cases.most_tables)
    fronts = {name: front for name, front in fronts.items() if name in kept}
    if cases is None and not fronts:
        return None
    labels = cases.scores.labels if cases is not None else next(iter(fronts.values())).labels
    points = _front_points(labels, cases is None) // max(1, len(fronts))
    data: dict[str, Any] = {
        "labels": label_texts(labels),
        "python": [repr(label) for label in labels] if len(repr(labels)) < 2000 else None,
        "names": [repr(name) if len(name) < 100 else None for name in names],
        "left_out": len(names) - len(kept),
        "rows": {},
        "tables": {},
        "fronts": {names.index(name): _front_data(front, points) for name, front in fronts.items()},
        "positive": None,
        "intervals": True,
        "note": "",
        "optimistic": OPTIMISTIC,
    }
    if cases is None:
        counts = next(iter(fronts.values())).counts[0].sum(axis=1)
        return {**data, "shares": (counts / counts.sum()).tolist()}
    scores = cases.scores
    if scores.n_classes == 2:
        data["positive"] = 1 if scores.positive is None else scores.positive
    return {
        **data,
        "rows": cases.rows(),
        "tables": {names.index(name): table for name, table in cases.tables(kept).items()},
        "shares": cases.shares,
        "intervals": cases.intervals,
        "note": cases.note,
    }


def _front_points(labels: tuple[Any, ...], alone: bool) -> int:
    """The number of points there is room for: per kind of error, a cost (8 bytes) and a count (4 bytes)."""
    errors = len(labels) * (len(labels) - 1)
    return int(FRONT_BYTES * (FRONT_ALONE if alone else 1) / (12 * errors))


def _front_data(front: Front, most: int) -> dict[str, Any]:
    """The costs and error counts of the points; of very many points, some evenly along the front."""
    kept = np.arange(len(front))
    if len(front) > most:
        kept = np.unique(np.linspace(0, len(front) - 1, most).astype(np.int64))
    errors = ~np.eye(len(front.classes), dtype=bool)
    return {
        "points": len(kept),
        "totals": front.counts[0].sum(axis=1).tolist(),
        "left_out": len(front) - len(kept),
        "draws": None if front.exact else front.growth.draws[-1],
        "gini": front.growth.gini[-1],
        "seed": front.provenance.seed,
        "costs": packed(front.costs[kept][:, errors], "f8"),
        "errors": packed(front.counts[kept][:, errors], "i4"),
    }
