"""The data of the figures of the page: plain data, names shortened, numbers packed."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from math import isinf, isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polyroc.curves.result import Curve
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import FloatArray
from polyroc.output.sentences import short_names, shortened
from polyroc.reports.findings import MOST_CLASSES, MOST_COBWEB_CLASSES, Findings, with_parts
from polyroc.reports.page_assets import packed, packed_decimals
from polyroc.reports.study_findings import StudyFindings

__all__ = ["SQUARE", "curve_panels", "fold_figure", "pair_matrix", "shapes", "squares_figure", "unit_path"]

MATRIX_CELLS = 24_000  # of the matrices of all classifiers together
SLIDER_STEPS = 200  # of the threshold
SQUARE = 200  # side of a picture of a curve averaged over folds, in pixels
RATE_STEPS = 65_535  # of the rates of a band
MOST_FOLD_CURVES = 12  # such pictures
SURFACE_STEPS = 1000  # of the rates of a surface, which are shown in percent with one decimal
ROUNDING = 1e-12  # of a rate


def curve_panels(findings: Findings, level: float) -> dict[str, Any] | None:
    """One panel per binary problem, all classifiers in each; and the thresholds of the slider."""
    if findings.study is not None:
        return _study_panels(findings.study, level)
    if findings.curves is None:
        return None
    problems: dict[tuple[str, str], list[Curve]] = {}
    for curve in findings.curves.values():
        problems.setdefault((curve.positive, curve.negative), []).append(curve)
    return {
        "two": findings.curves.by == "classifier",
        "grid": _slider_thresholds(findings.curves.values()),
        "panels": [_panel(curves, list(findings.classifiers), level) for curves in problems.values()],
    }


def fold_figure(findings: Findings) -> str:
    """The averaged curves (lines with bands) and the pooled ones (dashed) as SVG; empty without folds."""
    if findings.fold_curves is None or findings.curves is None:
        return ""
    pooled = findings.curves.curves
    pairs = [(key, curve, pooled[key]) for key, curve in findings.fold_curves.curves.items() if key in pooled]
    squares = {key: _fold_lines(averaged, of_pooled) for key, averaged, of_pooled in pairs[:MOST_FOLD_CURVES]}
    return squares_figure(squares, "Averaged curves with bands, pooled curves dashed")


def squares_figure(squares: Mapping[str, str], label: str) -> str:
    """Unit squares with titles, as many side by side as there is room for; each holds paths of `unit_path`."""
    drawn = "".join(_square(key, lines) for key, lines in squares.items())
    return f'<div class="squares" role="img" aria-label="{escape(label)}">{drawn}</div>'


def _fold_lines(averaged: Curve, pooled: Curve) -> str:
    """One averaged curve with its band, and the pooled one."""
    band = averaged.band
    area = "" if band is None else unit_path([*band.x, *band.x[::-1]], [*band.low, *band.high[::-1]])
    return (
        f'<path d="{area}" fill="var(--accent)" opacity="0.15"/>'
        f'<path d="{unit_path(averaged.fpr, averaged.tpr)}" fill="none" stroke="var(--accent)"/>'
        f'<path d="{unit_path(pooled.fpr, pooled.tpr)}" fill="none" stroke="currentColor" stroke-dasharray="4 3"/>'
    )


def _square(key: str, content: str) -> str:
    """A unit square as SVG, with its diagonal, ends of the scale and title."""
    lines = [
        f'<path d="M0 0H{SQUARE}V{SQUARE}H0Z" fill="none" stroke="var(--line)"/>',
        f'<text x="0" y="{SQUARE + 13}" font-size="11" fill="currentColor">0</text>',
        f'<text x="{SQUARE}" y="{SQUARE + 13}" font-size="11" text-anchor="end" fill="currentColor">1</text>',
        content,
        f'<path d="M0 {SQUARE}L{SQUARE} 0" fill="none" stroke="var(--soft)" stroke-dasharray="1 3"/>',
    ]
    size = f'viewBox="-1 -1 {SQUARE + 2} {SQUARE + 17}" width="{SQUARE + 2}" aria-hidden="true"'
    return f"<div><bdi>{escape(shortened((key,))[0])}</bdi><svg {size}>{''.join(lines)}</svg></div>"


def unit_path(x: ArrayLike, y: ArrayLike) -> str:
    """Straight lines between points of the unit square, upwards, as an SVG path.

    Points that a screen does not show are left out: those nearer than half a pixel to the one before, and those on
    a horizontal or vertical line between their neighbours.

    >>> unit_path([0, 0.1, 0.2, 1], [0, 0, 0, 1])
    'M0 200l40 0 160-200'
    """
    points: list[tuple[int, int]] = []  # tenths of pixels
    across, down = (np.round(10 * SQUARE * side).astype(int).tolist() for side in (np.array(x), 1 - np.array(y)))
    every = list(zip(across, down, strict=True))
    for i, point in enumerate(every):
        if len(points) > 1 and _is_between(points[-2], points[-1], point):
            points.pop()
        if not points or i == len(every) - 1 or abs(point[0] - points[-1][0]) + abs(point[1] - points[-1][1]) >= 5:
            points.append(point)
    if not points:
        return "M"
    steps = [_tenths(b[k] - a[k]) for a, b in pairwise(points) for k in (0, 1)]
    # A sign separates numbers as a blank does.
    lines = "".join(step if step.startswith("-") else f" {step}" for step in steps).lstrip()
    return f"M{_tenths(points[0][0])} {_tenths(points[0][1])}" + (f"l{lines}" if lines else "")


def _tenths(number: int) -> str:
    """A tenth of an integer, as short as SVG allows.

    >>> _tenths(-5), _tenths(120)
    ('-.5', '12')
    """
    whole, tenth = divmod(abs(number), 10)
    return f"{'-' if number < 0 else ''}{whole or '' if tenth else whole}{f'.{tenth}' if tenth else ''}"


def _is_between(first: tuple[int, int], middle: tuple[int, int], last: tuple[int, int]) -> bool:
    """True if the middle point is on a horizontal or vertical line from the first to the last."""
    (a, u), (b, v), (c, w) = first, middle, last
    return (a == b == c and min(u, w) <= v <= max(u, w)) or (u == v == w and min(a, c) <= b <= max(a, c))


def _study_panels(findings: StudyFindings, level: float) -> dict[str, Any] | None:
    """The same for a study: one panel per data set of two classes."""
    if not findings.curves:
        return None
    study = findings.study
    titles = short_names(study.data_sets)
    every = [curve for curves in findings.curves.values() for curve in curves.values()]
    return {
        "two": False,
        "grid": _slider_thresholds(every),
        "panels": [
            {"title": titles[name], **_panel(list(curves.values()), list(study.learners), level)}
            for name, curves in findings.curves.items()
        ],
    }


def _panel(curves: Sequence[Curve], names: list[str], level: float) -> dict[str, Any]:
    positive, negative = ((label,) for label in (curves[0].positive, curves[0].negative))
    return {
        "positive": shortened(positive)[0],
        "negative": shortened(negative)[0],
        "curves": [{"classifier": names.index(curve.classifier), **_curve(curve, level)} for curve in curves],
    }


def _curve(curve: Curve, level: float) -> dict[str, Any]:
    provenance = curve.area.provenance
    cases = list(provenance.cases.values())
    low, high = curve.area.confidence_interval(level)
    band = curve.band
    return {
        **_points(curve),
        "cases": None if provenance.weight_kind == "importance" or len(cases) != 2 else cases,
        "prevalence": curve.prevalence,
        "area": [_number(x) for x in (curve.area.value, low, high)],
        "band": band and {name: _packed_rates(getattr(band, name)) for name in ("x", "low", "high")},
    }


def _packed_rates(rates: FloatArray) -> dict[str, Any]:
    """Rates as 16 bits each, for pictures only."""
    return packed(np.round(RATE_STEPS * rates), "u2", RATE_STEPS, steps=True)


def _points(curve: Curve, shown: bool = False) -> dict[str, Any]:
    """The points, with the digits of the thresholds that are shown or with all of single precision.

    The threshold above all scores is left out, because JSON has no infinity.
    """
    cases = list(curve.area.provenance.cases.values())
    sizes = cases if len(cases) == 2 else (0, 0)
    first = int(len(curve.thresholds) > 0 and isinf(curve.thresholds[0]))
    # Others can be infinite where scores are; single precision has a largest number.
    thresholds = np.clip(curve.thresholds[first:], -3e38, 3e38)
    return {
        "fpr": _packed_shares(curve.fpr, sizes[0]),
        "tpr": _packed_shares(curve.tpr, sizes[1]),
        "thresholds": packed_decimals(np.round(thresholds, 4) + 0.0 if shown else thresholds, "f4", steps=True),
    }


def _packed_shares(rates: FloatArray, cases: int) -> dict[str, Any]:
    """Rates as numbers of cases where they are that, else in single precision."""
    counts = np.round(rates * cases)
    if not 0 < cases <= RATE_STEPS or np.abs(counts / cases - rates).max(initial=0.0) > ROUNDING:
        return packed(rates, "f4")
    return packed(counts, "u2", cases, steps=True)


def _number(value: float, digits: int = 6) -> float | None:
    return None if isnan(value) else round(float(value), digits)


def _slider_thresholds(curves: Iterable[Curve]) -> list[float]:
    """Evenly spaced for probabilities; otherwise quantiles of the scores."""
    every = np.concatenate([curve.thresholds for curve in curves])
    every = every[np.isfinite(every)]
    if not len(every):
        return []
    if every.min() >= 0 and every.max() <= 1:
        return [step / SLIDER_STEPS for step in range(SLIDER_STEPS + 1)]
    quantiles = np.quantile(every, np.linspace(0, 1, SLIDER_STEPS + 1), method="nearest")
    return [float(x) for x in np.unique(quantiles)]


def pair_matrix(findings: Findings, level: float) -> dict[str, Any] | None:
    """By classifier, A(i|j) with its interval at [i][j], and the curve behind it."""
    names = findings.classes
    if not 3 <= len(names) <= MOST_CLASSES or findings.evaluation is None:
        return None
    estimates = with_parts(findings.evaluation, "pair_areas")
    known = {name: estimate for name, estimate in estimates.items() if not isnan(estimate.value)}
    best = sorted(known, key=lambda name: -known[name].value)[: max(1, MATRIX_CELLS // len(names) ** 2)]
    matrices = []
    for number, classifier in enumerate(findings.classifiers):
        if classifier not in best:
            continue
        whole = known[classifier]
        cells = [[_cell(whole.parts.get(f"A({a}|{b})"), level) for b in names] for a in names]
        curves = None
        if findings.pairs:
            curves = [[_pair_curve(findings, classifier, a, b) for b in names] for a in names]
        matrices.append({"classifier": number, "whole": _cell(whole, level), "cells": cells, "curves": curves})
    if not matrices:
        return None
    return {"classifiers": matrices, "left_out": len(known) - len(matrices), "cases": _class_sizes(findings)}


def _cell(part: Estimate | None, level: float) -> list[float | None] | None:
    if part is None:
        return None
    return [_number(x, 5) for x in (part.value, *part.confidence_interval(level))]


def _pair_curve(findings: Findings, classifier: str, a: str, b: str) -> dict[str, Any] | None:
    assert findings.pairs is not None
    for key in (f"{classifier}: A({a}|{b})", f"A({a}|{b})"):
        if key in findings.pairs and a != b and findings.pairs[key].classifier == classifier:
            return _points(findings.pairs[key], shown=True)
    return None


def _class_sizes(findings: Findings) -> list[int] | None:
    provenance = findings.provenance
    if provenance is None or provenance.weight_kind == "importance":
        return None
    return [provenance.cases.get(name, 0) for name in findings.classes]


def shapes(findings: Findings, level: float) -> dict[str, Any] | None:
    """The surfaces, the volumes of the orders of the classes, and the cobwebs."""
    names = list(findings.classifiers)
    surfaces = []
    for name, surface in findings.surfaces.items():
        first, third, second = surface.mesh.corners
        surfaces.append(
            {
                "classifier": names.index(name),
                "classes": shortened(surface.classes),
                "name": surface.volume.name,
                "volume": _cell(surface.volume, level),
                "first": _packed_steps(first[:, 0]),
                "third": _packed_steps(third[0]),
                "second": _packed_steps(second),
            }
        )
    data = {"surfaces": surfaces, "volumes": _volumes(findings, level), "cobwebs": _cobwebs(findings, level)}
    return data if any(data.values()) else None


def _packed_steps(rates: FloatArray) -> dict[str, Any]:
    return packed(np.round(SURFACE_STEPS * rates), "u2", SURFACE_STEPS, steps=True)


def _volumes(findings: Findings, level: float) -> list[dict[str, Any]]:
    return [
        {
            "classifier": list(findings.classifiers).index(name),
            "orders": shortened(tuple(estimate.parts)),
            "volumes": [_cell(part, level) for part in estimate.parts.values()],
            "chance": next(iter(estimate.parts.values())).chance,
        }
        for name, estimate in with_parts(findings.evaluation, "order_volumes").items()
        if estimate.parts and not isnan(estimate.value)
    ]


def _cobwebs(findings: Findings, level: float) -> list[dict[str, Any]]:
    cobwebs = []
    for name, rates in findings.rates.items():
        if not 3 <= len(rates.classes) <= MOST_COBWEB_CLASSES or np.isnan(rates.rates).any():
            continue
        cobweb = rates.cobweb(level)
        labels = short_names(rates.classes)
        cobwebs.append(
            {
                "classifier": list(findings.classifiers).index(name),
                "spokes": [[labels[true], labels[decision]] for true, decision in cobweb.spokes],
                "ratios": [_number(x) for x in cobweb.ratios],
                "low": [_number(x) for x in cobweb.low],
                "high": [_number(x) for x in cobweb.high],
                "chance": cobweb.chance,
            }
        )
    return cobwebs
