"""What the operating-point explorer of the page works on."""

from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc.reports.desk import label_texts
from polyroc.reports.embedding import packed
from polyroc.reports.gathering import FRONT_BYTES
from polyroc.results import Front

if TYPE_CHECKING:
    from polyroc.reports.document import Report

__all__ = ["explorer"]

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
