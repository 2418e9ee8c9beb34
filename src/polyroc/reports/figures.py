"""What the pictures of the page are drawn from: plain data, names shortened, numbers packed."""

from math import isnan
from typing import Any

import numpy as np

from polyroc.curves.result import Curve
from polyroc.estimates.estimate import Estimate
from polyroc.reports.embedding import packed, shortened
from polyroc.reports.findings import COBWEB, MOST_CLASSES, Findings
from polyroc.reports.study_findings import StudyFindings

__all__ = ["curve_panels", "pair_matrix", "shapes"]

CELLS = 24_000  # of the matrices of all classifiers together
STEPS = 200  # of the slider for the threshold


def curve_panels(found: Findings, level: float) -> dict[str, Any] | None:
    """One panel per two-class problem, all classifiers in each; and the thresholds that the slider moves over."""
    if found.study is not None:
        return _data_sets(found.study, level)
    if found.curves is None:
        return None
    panels: dict[tuple[str, str], list[Curve]] = {}
    for each in found.curves.values():
        panels.setdefault((each.positive, each.negative), []).append(each)
    who = list(found.classifiers)
    return {
        "two": found.curves.by == "classifier",
        "grid": _grid([each.thresholds for each in found.curves.values()]),
        "panels": [
            {
                "positive": shortened((positive,))[0],
                "negative": shortened((negative,))[0],
                "curves": [{"who": who.index(each.classifier), **_curve(each, level)} for each in curves],
            }
            for (positive, negative), curves in panels.items()
        ],
    }


def _data_sets(found: StudyFindings, level: float) -> dict[str, Any] | None:
    """The same of a study: one panel per data set of two classes."""
    if not found.curves:
        return None
    who = list(found.study.learners)
    titles = dict(zip(found.study.data_sets, shortened(found.study.data_sets), strict=True))
    every = [each for curves in found.curves.values() for each in curves.values()]
    return {
        "two": False,
        "grid": _grid([each.thresholds for each in every]),
        "panels": [
            {
                "title": titles[name],
                "positive": shortened((next(iter(curves.values())).positive,))[0],
                "negative": shortened((next(iter(curves.values())).negative,))[0],
                "curves": [{"who": who.index(each.classifier), **_curve(each, level)} for each in curves.values()],
            }
            for name, curves in found.curves.items()
        ],
    }


def _curve(each: Curve, level: float) -> dict[str, Any]:
    facts = each.area.provenance
    cases = list(facts.cases.values())
    low, high = each.area.confidence_interval(level)
    band = each.band
    return {
        **_points(each),
        "cases": None if facts.weight_kind == "importance" or len(cases) != 2 else cases,
        "prevalence": each.prevalence,
        "area": [_number(x) for x in (each.area.value, low, high)],
        "band": band and {name: packed(getattr(band, name), "f4") for name in ("x", "low", "high")},
    }


def _points(each: Curve) -> dict[str, Any]:
    names = {"fpr": each.fpr, "tpr": each.tpr, "thresholds": each.thresholds}
    return {name: packed(np.clip(values, -3e38, 3e38), "f4") for name, values in names.items()}


def _number(value: float, digits: int = 6) -> float | None:
    return None if isnan(value) else round(float(value), digits)


def _grid(thresholds: list[Any]) -> list[float]:
    """Evenly spaced for probabilities; otherwise as the scores are."""
    every = np.concatenate(thresholds)
    every = every[np.isfinite(every)]
    if not len(every):
        return []
    if every.min() >= 0 and every.max() <= 1:
        return [step / STEPS for step in range(STEPS + 1)]
    return [float(x) for x in np.unique(np.quantile(every, np.linspace(0, 1, STEPS + 1), method="nearest"))]


def pair_matrix(found: Findings, level: float) -> dict[str, Any] | None:
    """By classifier, A(i|j) with its interval at [i][j], and the curve behind it."""
    names = found.classes
    if not 3 <= len(names) <= MOST_CLASSES or found.evaluation is None:
        return None
    areas = {name: found.evaluation.estimates.get((name, "hand_till")) for name in found.classifiers}
    known = {name: each for name, each in areas.items() if each is not None and not isnan(each.value)}
    best = sorted(known, key=lambda name: -known[name].value)[: max(1, CELLS // len(names) ** 2)]
    made = []
    for number, classifier in enumerate(found.classifiers):
        if classifier not in best:
            continue
        whole = known[classifier]
        cells = [[_cell(whole.parts.get(f"A({a}|{b})"), level) for b in names] for a in names]
        curves = [[_pair_curve(found, classifier, a, b) for b in names] for a in names] if found.pairs else None
        made.append({"who": number, "whole": _cell(whole, level), "cells": cells, "curves": curves})
    left_out = len(known) - len(made)
    return {"classifiers": made, "left_out": left_out, "cases": _class_sizes(found)} if made else None


def _cell(part: Estimate | None, level: float) -> list[float | None] | None:
    if part is None:
        return None
    return [_number(x, 5) for x in (part.value, *part.confidence_interval(level))]


def _pair_curve(found: Findings, classifier: str, a: str, b: str) -> dict[str, Any] | None:
    assert found.pairs is not None
    for key in (f"{classifier}: A({a}|{b})", f"A({a}|{b})"):
        if key in found.pairs and a != b and found.pairs[key].classifier == classifier:
            return _points(found.pairs[key])
    return None


def _class_sizes(found: Findings) -> list[int] | None:
    facts = found.provenance
    return (
        None
        if facts is None or facts.weight_kind == "importance"
        else [facts.cases.get(name, 0) for name in found.classes]
    )


def shapes(found: Findings, level: float) -> dict[str, Any] | None:
    """The surfaces, Scurfield's volumes and the cobwebs."""
    who = list(found.classifiers)
    surfaces = []
    for name, each in found.surfaces.items():
        first, third, second = each.mesh.corners
        surfaces.append(
            {
                "who": who.index(name),
                "classes": shortened(each.classes),
                "name": each.volume.name,
                "volume": _cell(each.volume, level),
                "first": [_number(x) for x in first[:, 0]],
                "third": [_number(x) for x in third[0]],
                "second": [[_number(x) for x in row] for row in second],
            }
        )
    made = {"surfaces": surfaces, "volumes": _volumes(found, level), "cobwebs": _cobwebs(found, level)}
    return made if any(made.values()) else None


def _volumes(found: Findings, level: float) -> list[dict[str, Any]]:
    if found.evaluation is None:
        return []
    return [
        {
            "who": list(found.classifiers).index(name),
            "orders": shortened(tuple(each.parts)),
            "volumes": [_cell(part, level) for part in each.parts.values()],
            "chance": next(iter(each.parts.values())).chance,
        }
        for (name, measure), each in found.evaluation.estimates.items()
        if measure == "scurfield" and each.parts and not isnan(each.value)
    ]


def _cobwebs(found: Findings, level: float) -> list[dict[str, Any]]:
    made = []
    for name, each in found.rates.items():
        if not 3 <= len(each.classes) <= COBWEB or np.isnan(each.rates).any():
            continue
        web = each.cobweb(level)
        labels = dict(zip(each.classes, shortened(each.classes), strict=True))
        made.append(
            {
                "who": list(found.classifiers).index(name),
                "spokes": [[labels[true], labels[said]] for true, said in web.spokes],
                "ratios": [_number(x) for x in web.ratios],
                "low": [_number(x) for x in web.low],
                "high": [_number(x) for x in web.high],
                "chance": web.chance,
            }
        )
    return made
