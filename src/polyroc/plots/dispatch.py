"""The pictures of each kind of result."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from polyroc.consistency.result import MeasureComparison, MeasureComparisons
from polyroc.curves.result import Curve, Curves
from polyroc.curves.surface import Surface
from polyroc.decisions.decision_curve import DecisionCurve
from polyroc.decisions.operating_point import OperatingPoint
from polyroc.decisions.rate_matrix import Rates
from polyroc.decisions.regions import DecisionRegions
from polyroc.errors import InputError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.fronts.result import Front
from polyroc.fronts.volume_table import FrontVolumes
from polyroc.plots.cobweb import draw_cobweb, draw_cobwebs
from polyroc.plots.consistency import (
    draw_consistency,
    draw_discriminancy,
    draw_joint,
    draw_links,
    draw_measures,
    has_links,
)
from polyroc.plots.curves import draw_curve, draw_curves, draw_family
from polyroc.plots.decisions import draw_decision_curve, draw_operating_point, draw_rates
from polyroc.plots.estimates import draw_comparison, draw_differences, draw_estimates, draw_evaluation, draw_parts
from polyroc.plots.front_parallel import draw_parallel
from polyroc.plots.front_spaces import draw_false_positives
from polyroc.plots.fronts import draw_growth, draw_growths, draw_staircase, draw_staircases
from polyroc.plots.matrix import draw_pairs, has_pairs, shades_of
from polyroc.plots.picture import Picture
from polyroc.plots.regions import draw_regions
from polyroc.plots.studies import SEVERAL, SUMMARIES
from polyroc.plots.style import room
from polyroc.plots.surface import draw_surface
from polyroc.plots.volumes import draw_front_volumes, draw_volumes, has_volumes
from polyroc.results.result import Result

__all__ = ["draw", "draw_panels"]


Drawer: TypeAlias = Callable[..., Picture]


def _estimate(result: Estimate) -> dict[str, Drawer]:
    """What fits its parts first."""
    fitting = (
        {"pairs": draw_pairs} if has_pairs(result) else {"volumes": draw_volumes} if has_volumes(result) else {}
    )
    return {**fitting, "forest": draw_parts}


def _comparison(result: MeasureComparison) -> dict[str, Drawer]:
    """The paper's figure first, if it can be read."""
    return {**({"links": draw_links} if has_links(result) else {}), "joint": draw_joint}


def _front(result: Front) -> dict[str, Drawer]:
    """What the number of classes allows; a front that was not drawn did not grow."""
    views: dict[int, dict[str, Drawer]] = {
        2: {"roc": draw_staircase},
        3: {"false_positives": draw_false_positives},
    }
    growth = {} if result.exact else {"growth": draw_growth}
    return {**views.get(len(result.classes), {}), "parallel": draw_parallel, **growth}


def _fronts(several: Sequence[Front]) -> dict[str, Drawer]:
    """What all of them allow."""
    two = all(len(result.classes) == 2 for result in several)
    grew = not any(each.exact for each in several)
    return {**({"roc": draw_staircases} if two else {}), **({"growth": draw_growths} if grew else {})}


KINDS: dict[type[Result], Callable[[Any], dict[str, Drawer]]] = {
    Evaluation: lambda _: {"forest": draw_evaluation},
    Comparison: lambda _: {"differences": draw_differences, "forest": draw_comparison},
    Estimate: _estimate,
    Curve: lambda curve: {curve.kind: draw_curve},
    Curves: lambda curves: {curves.kind: draw_family},
    Rates: lambda _: {"rates": draw_rates, "cobweb": draw_cobweb},
    OperatingPoint: lambda _: {"rates": draw_operating_point},
    DecisionCurve: lambda _: {"decision": draw_decision_curve},
    DecisionRegions: lambda _: {"regions": draw_regions},
    Front: _front,
    FrontVolumes: lambda _: {"volumes": draw_front_volumes},
    Surface: lambda _: {"surface": draw_surface},
    MeasureComparison: _comparison,
    MeasureComparisons: lambda _: {"measures": draw_measures},
    **SUMMARIES,
}
TOGETHER: dict[type[Result], Callable[[Any], dict[str, Drawer]]] = {
    Estimate: lambda _: {"forest": draw_estimates},
    Curve: lambda curves: {curves[0].kind: draw_curves},
    Front: _fronts,
    Rates: lambda _: {"cobweb": draw_cobwebs},
    MeasureComparison: lambda _: {"consistency": draw_consistency, "discriminancy": draw_discriminancy},
    **SEVERAL,
}


def draw(
    result: Result | Sequence[Result] | Mapping[str, Result], ax: Axes | None, kind: str | None, **options: Any
) -> Picture:
    """Draw it; see `polyroc.plot`."""
    if isinstance(result, Result) or not isinstance(result, Sequence | Mapping):
        kinds = _kinds(KINDS, type(result), result)
        return _chosen(kinds, kind, type(result).__name__)(result, ax, **options)
    several = [*_renamed(result)] if isinstance(result, Mapping) else [*result]
    types = {type(each) for each in several}
    what = " and ".join(sorted(each.__name__ for each in types)) or "nothing"
    kinds = _kinds(TOGETHER, types.pop(), several) if len(types) == 1 else {}
    return _chosen(kinds, kind, f"several of {what}")(several, ax, **options)


def _kinds(
    drawers: Mapping[type[Result], Callable[[Any], dict[str, Drawer]]], kind: type, result: Any
) -> dict[str, Drawer]:
    return drawers[kind](result) if kind in drawers else {}


def _renamed(results: Mapping[str, Any]) -> Iterator[Any]:
    """By their names in the mapping, if they are records of one classifier."""
    for name, result in results.items():
        named = type(result) in TOGETHER and hasattr(result, "classifier")
        yield replace(result, classifier=name) if named else result


def _chosen(kinds: Mapping[str, Drawer], kind: str | None, what: str) -> Drawer:
    if not kinds:
        known = ", ".join(each.__name__ for each in KINDS)
        raise InputError(f"There is no picture of {what}; give a result, such as that of evaluate: {known}.")
    if kind is None:
        return next(iter(kinds.values()))
    if kind not in kinds:
        raise InputError(f"There is no picture {kind!r} of {what} here; there is {', '.join(map(repr, kinds))}.")
    return kinds[kind]


WIDEST = 17.0  # inches


def draw_panels(results: Sequence[Any], kind: str, **options: Any) -> Figure:
    """Draw each result on axes of its own, all of the size that the first would have alone.

    Parameters
    ----------
    results
        Results, or sequences of results that are drawn together.
    kind
        Which picture.
    options
        Of the picture. The shades of "pairs" are the same for all.
    """
    if kind == "pairs" and all(map(has_pairs, results)):
        options.setdefault("shades", shades_of(results))
    first = draw(results[0], None, kind, **options)
    if len(results) == 1:
        return first.figure
    width, height = first.figure.get_size_inches()
    across = min(len(results), max(1, int(WIDEST / width)))
    down = -(-len(results) // across)
    pyplot.close(first.figure)
    figure = pyplot.figure(figsize=(across * width, down * height), layout=room())
    for place, result in enumerate(results, 1):
        ax = figure.add_subplot(down, across, place, projection="3d" if kind == "surface" else None)
        draw(result, ax, kind, **options)
    return figure
