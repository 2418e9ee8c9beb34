"""The verb `curve` over files: the points at the edges of cells, which are points of the exact curve."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from polyroc.curves.families import MultiClass
from polyroc.engines.column import Column
from polyroc.engines.judging import solved
from polyroc.engines.options import Settings
from polyroc.errors import InputError, NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.tracing import turning_points
from polyroc.measures import Measure
from polyroc.results import Estimate
from polyroc.results.curve import Curve, CurveKind
from polyroc.scores import Scores

__all__ = ["curves_of_files"]


class _Pair(NamedTuple):
    """Two sets of classes that one column tells apart."""

    key: str
    classes: tuple[str, str]
    column: int
    positive: list[int]
    negative: list[int]


def curves_of_files(
    asked: Settings,
    kind: CurveKind,
    multi_class: MultiClass | None,
    area: Measure,
    drop_intermediate: bool,
    **given: Any,
) -> tuple[dict[str, Curve], dict[str, Any]]:
    """The curves by key, and for many classes the measure whose parts their areas are, by classifier.

    Between two points the exact curve may bend; how far is bounded by the bounds of the area.
    """
    if kind not in ("roc", "det"):
        raise NotApplicableError(
            f"Engines draw curves of kind 'roc' and 'det', not {kind!r}; use engine='memory'."
        )
    if asked.by:
        raise NotApplicableError("curve does not take by=...; draw each group's files apart.")
    measure = area if multi_class is None else "ova" if multi_class == "ova" else "hand_till"
    found, _, like = solved(asked, measure, **given)
    if not found.read:
        raise InputError("A class has no case: a curve needs cases of every class.")
    several = len(found.read) > 1
    curves: dict[str, Curve] = {}
    whole = {classifier: estimate for (classifier, _), estimate in found.estimates.items()}
    for classifier, read in found.read.items():
        for pair in _pairs(like, multi_class):
            judged = whole[classifier] if multi_class is None else whole[classifier].parts[pair.key]
            key = classifier if multi_class is None else f"{classifier}: {pair.key}" if several else pair.key
            points, prevalence = _points(read.columns[pair.column], pair, drop_intermediate)
            curves[key] = Curve(kind, classifier, *pair.classes, *points, prevalence, _given(judged))
    return curves, {} if multi_class is None else whole


def _pairs(like: Scores, multi_class: MultiClass | None) -> Iterator[_Pair]:
    names, c = like.names, like.n_classes
    if multi_class is None:
        assert like.positive is not None
        i, j = like.positive, 1 - like.positive
        yield _Pair("", (names[i], names[j]), i if like.kind == "matrix" else 0, [i], [j])
    elif multi_class == "ova":
        for i in range(c):
            yield _Pair(names[i], (names[i], f"not {names[i]}"), i, [i], [k for k in range(c) if k != i])
    else:
        for i, j in ((i, j) for i in range(c) for j in range(c) if i != j):
            yield _Pair(f"A({names[i]}|{names[j]})", (names[i], names[j]), i, [i], [j])


def _given(estimate: Estimate) -> Callable[[], Estimate]:
    return lambda: estimate


def _points(
    column: Column, pair: _Pair, drop_intermediate: bool
) -> tuple[tuple[FloatArray, FloatArray, FloatArray], float]:
    """Rates and thresholds from infinity down, and the share of the positive class."""
    assert column.where is not None
    sides = [column.weight[:, held].sum(axis=1)[::-1] for held in (pair.positive, pair.negative)]
    moved = (sides[0] > 0) | (sides[1] > 0)
    tp, fp = (np.append(0.0, np.cumsum(side[moved])) for side in sides)
    thresholds = np.append(np.inf, column.where.edges()[::-1][moved])
    kept = turning_points(fp, tp) if drop_intermediate else np.ones(len(tp), dtype=bool)
    points = fp[kept] / fp[-1], tp[kept] / tp[-1], thresholds[kept]
    return points, float(tp[-1] / (tp[-1] + fp[-1]))
