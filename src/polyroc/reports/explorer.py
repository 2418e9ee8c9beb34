"""The desk: the cases that the operating-point explorer decides on in the browser, and what they stand for."""

import json
from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc.decisions.thresholds import thresholds_of
from polyroc.fronts.result import Front
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.applicability import ROUNDING
from polyroc.reports.collection import FRONT_BYTES, drawn, part_of
from polyroc.reports.embedding import packed
from polyroc.reports.findings import MOST_CLASSES
from polyroc.scores import Scores

if TYPE_CHECKING:
    from polyroc.reports.document import Report

__all__ = ["Desk", "desk_of", "explorer", "label_texts", "refusal_of_desk"]


BYTES = 1_600_000  # of all tables together, before they are written as text
ROWS = 100_000  # of one table of two classes
THRESHOLDS = 4000  # that are kept at most, besides those on the convex hull, where there are more cases than that


@dataclass(frozen=True, slots=True, eq=False)
class Desk:
    """The cases, or some of them.

    Attributes
    ----------
    scores
        The cases that are decided on.
    whole
        All of them.
    note
        How the answers of the explorer may differ from those of all cases; empty if they cannot.
    """

    scores: Scores
    whole: Scores
    note: str

    def tables(self) -> dict[str, Any]:
        """What the browser needs, by classifier."""
        one = self.scores.n_classes == 2
        return {name: (self._thresholds(name) if one else self._columns(name)) for name in self.scores.classifiers}

    @property
    def intervals(self) -> bool:
        """False where the groups of the cases are left out, without which intervals would be too short."""
        return self.scores.groups is not None or self.whole.groups is None

    @property
    def shares(self) -> list[float]:
        """How frequent the classes are among all cases."""
        shares = np.bincount(self.whole.codes, self.whole.sample_weight, self.whole.n_classes)
        return [float(share) for share in shares / shares.sum()]

    def _columns(self, name: str) -> dict[str, Any]:
        counted = self._counted()
        return {"values": packed(self.scores.values[name][counted], "f8"), **self._rows(counted)}

    def _thresholds(self, name: str) -> dict[str, Any]:
        """Two classes: the score that ranks; of very many, all between two kept thresholds as one."""
        counted = self._counted()
        values = self.scores.values[name]
        found = thresholds_of(self.scores, values)
        score = (values if values.ndim == 1 else values[:, found.positive])[counted] + 0.0
        if not self._together:
            return {"values": packed(score, "f8"), **self._rows(counted)}
        kept = _kept(found.fpr, 1.0 - found.fnr, _most_thresholds(self.scores))
        cuts = found.values[kept]
        place = np.searchsorted(-cuts, -score) + len(cuts) * self.scores.codes[counted].astype(np.int64)
        weight = np.ones(len(score)) if self.scores.sample_weight is None else self.scores.sample_weight[counted]
        times, mass, square = (np.bincount(place, each, 2 * len(cuts)) for each in (None, weight, weight**2))
        rows = np.flatnonzero(times)
        table = {"values": packed(cuts[rows % len(cuts)], "f8"), "codes": packed(rows // len(cuts), "u2")}
        table |= {"times": packed(times[rows], "f8")}
        if self.scores.sample_weight is not None:
            table |= {"weight": packed(mass[rows], "f8"), "square": packed(square[rows], "f8")}
        return table

    @property
    def _together(self) -> bool:
        return self.scores.n_classes == 2 and len(self.scores) > _most_rows(self.scores)

    def _counted(self) -> Any:
        weight = self.scores.sample_weight
        return slice(None) if weight is None else weight > 0

    def _rows(self, counted: Any) -> dict[str, Any]:
        """The class of each case, its weight and its group."""
        rows = {"codes": packed(self.scores.codes[counted], "u2")}
        if self.scores.sample_weight is not None:
            rows["weight"] = packed(self.scores.sample_weight[counted], "f8")
        if self.scores.groups is not None:
            rows["groups"] = packed(self.scores.groups[counted], "i4")
        return rows


def _kept(fpr: FloatArray, tpr: FloatArray, thresholds: int) -> Any:
    """Thresholds on the hull, which are all that costs can ask for, and others evenly along the curve."""
    from polyroc.kernels.curves import thin, upper_hull

    return np.union1d(upper_hull(fpr, tpr), thin(fpr, tpr, thresholds))


def _most_thresholds(scores: Scores) -> int:
    """So that the tables of all classifiers fit: a threshold may have a row of either class."""
    row = 18 if scores.sample_weight is None else 34
    return min(THRESHOLDS, BYTES // (2 * row * len(scores.classifiers)))


def _most_rows(scores: Scores) -> int:
    columns = 1 if scores.n_classes == 2 else scores.n_classes
    more = (scores.sample_weight is not None) + (scores.groups is not None)
    return min(ROWS, BYTES // (8 * (columns + more) + 2) // len(scores.classifiers))


def refusal_of_desk(scores: Scores) -> str | None:
    """Why there is nothing to explore, if so."""
    if scores.kind == "decisions":
        return "The classifiers gave decisions, so there is no operating point left to choose."
    if scores.absent:
        return f"There is no case of class {scores.absent[0]!r}, so no rule can be chosen for it."
    if scores.n_classes > MOST_CLASSES:
        return (
            f"With more than {MOST_CLASSES} classes there is no matrix of costs to look at; ask operate in Python."
        )
    if scores.n_classes > 2:
        if scores.kind != "matrix":
            return "With one score for more than two classes no decision rule is searched; give probabilities."
        for name, values in scores.values.items():
            if values.min() < -ROUNDING or values.max() > 1 + ROUNDING:
                return f"The values of {name!r} are not probabilities in [0, 1], so costs cannot be weighed."
    return None


def desk_of(scores: Scores, seed: int) -> Desk | None:
    """All cases if they fit into the page; else some of them, drawn class by class; None if there is no choice."""
    if refusal_of_desk(scores) is not None:
        return None
    most = _most_rows(scores)
    if len(scores) <= most:
        return Desk(scores, scores, "")
    if scores.n_classes == 2:
        kept = _most_thresholds(scores)
        lost = "" if scores.groups is None else " Intervals are left out: they need the group of every case."
        return Desk(
            replace(scores, groups=None),
            scores,
            f"Of the thresholds of {len(scores)} cases, those on the convex hull are all here, so what costs "
            f"choose is what Python chooses; of the others some {kept}, so under a limit a rate may fall "
            f"short of what could be had by up to {4 / kept:.2g}. The counts are of all cases.{lost}",
        )
    some = part_of(scores, drawn(scores, most, seed))
    reach = 1.96 * 0.5 / sqrt(min(some.counts))
    note = (
        f"The explorer decides on {len(some)} of the {len(scores)} cases, drawn class by class (seed {seed}). "
        f"Rates here may differ from those of all cases by up to {reach:.2g} (95 %); the intervals count the "
        "cases drawn, so they are wider than those of all."
    )
    return Desk(some, scores, note)


def label_texts(labels: tuple[Any, ...]) -> list[str] | None:
    """Each label as the JSON that a stored rule holds; None if one of them has none."""
    for label in labels:
        if not isinstance(label, str | int | float) or (isinstance(label, float) and not isfinite(label)):
            return None
    return [json.dumps(label) for label in labels]


ALONE = 3.5  # times as many points where there are no cases beside them


def explorer(report: "Report") -> dict[str, Any] | None:
    """The tables of the cases, the fronts, and the terms on which Python decides; None if there are neither."""
    desk, fronts = report.desk, report.findings.fronts
    who = list(report.findings.classifiers)
    if desk is None and not fronts:
        return None
    labels = desk.scores.labels if desk is not None else next(iter(fronts.values())).labels
    points = _room(labels, desk is None) // max(1, len(fronts))
    made: dict[str, Any] = {
        "labels": label_texts(labels),
        "python": [repr(label) for label in labels] if len(repr(labels)) < 2000 else None,
        "names": [repr(name) if len(name) < 100 else None for name in who],
        "tables": {},
        "fronts": {who.index(name): _front(each, points) for name, each in fronts.items()},
        "positive": None,
        "intervals": True,
        "note": "",
    }
    if desk is None:
        counts = next(iter(fronts.values())).counts[0].sum(axis=1)
        return {**made, "shares": (counts / counts.sum()).tolist()}
    scores = desk.scores
    if scores.n_classes == 2:
        made["positive"] = 1 if scores.positive is None else scores.positive
    return {
        **made,
        "tables": {who.index(name): table for name, table in desk.tables().items()},
        "shares": desk.shares,
        "intervals": desk.intervals,
        "note": desk.note,
    }


def _room(labels: tuple[Any, ...], alone: bool) -> int:
    """How many points there is room for: of each error a cost and a count."""
    errors = len(labels) * (len(labels) - 1)
    return int(FRONT_BYTES * (ALONE if alone else 1) / (12 * errors))


def _front(each: Front, most: int) -> dict[str, Any]:
    """Of its points, what errors cost and how many there are; of very many points, some evenly along the front."""
    kept = np.arange(len(each))
    if len(each) > most:
        kept = np.unique(np.linspace(0, len(each) - 1, most).astype(np.int64))
    errors = ~np.eye(len(each.classes), dtype=bool)
    return {
        "points": len(kept),
        "totals": each.counts[0].sum(axis=1).tolist(),
        "left_out": len(each) - len(kept),
        "draws": None if each.exact else each.growth.draws[-1],
        "gini": each.growth.gini[-1],
        "seed": each.provenance.seed,
        "costs": packed(each.costs[kept][:, errors], "f8"),
        "errors": packed(each.counts[kept][:, errors], "i4"),
    }
