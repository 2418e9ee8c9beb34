"""The pictures of each kind of result."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from polyroc._results.result import Result
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
from polyroc.estimates.grouped import Grouped
from polyroc.fronts.result import Front
from polyroc.fronts.volume_table import FrontVolumes
from polyroc.messages import short_repr
from polyroc.plots.cobweb import draw_cobweb, draw_cobwebs
from polyroc.plots.consistency import (
    draw_consistency,
    draw_discriminancy,
    draw_joint,
    draw_links,
    draw_measures,
    has_links,
)
from polyroc.plots.curves import draw_curve, draw_curves, draw_family, draw_surface
from polyroc.plots.decisions import (
    draw_benefit_differences,
    draw_decision_curve,
    draw_operating_point,
    draw_rates,
    draw_regions,
    draw_thresholds,
)
from polyroc.plots.estimates import (
    draw_comparison,
    draw_differences,
    draw_estimates,
    draw_evaluation,
    draw_pairs,
    draw_parts,
    draw_volumes,
    has_pairs,
    has_volumes,
    shades_of,
)
from polyroc.plots.front_points import draw_false_positives, draw_parallel
from polyroc.plots.fronts import (
    draw_front_volumes,
    draw_growth,
    draw_growths,
    draw_staircase,
    draw_staircases,
    draw_tradeoffs,
)
from polyroc.plots.picture import Picture
from polyroc.plots.readers import draw_plan, draw_reader_curves, draw_reader_differences, draw_readers
from polyroc.plots.reliability import draw_group_reliability, draw_reliability
from polyroc.plots.studies import draw_anova, draw_errors, draw_means, draw_paired, draw_pvalues, draw_spread
from polyroc.plots.studies_groups import draw_critical_difference, draw_letters, draw_several, draw_underlines
from polyroc.plots.studies_posteriors import draw_bars, draw_density, draw_probabilities, draw_triangle
from polyroc.plots.style import PLAIN, figure_layout, first_colour, text_size
from polyroc.plots.subgroups import draw_group_differences, draw_groups
from polyroc.readers.plan_result import ReaderPlan
from polyroc.readers.result import ReaderStudy
from polyroc.reliability.grouped import GroupedCalibration
from polyroc.reliability.result import Calibration
from polyroc.studies.summaries.anova import Anova
from polyroc.studies.summaries.bayesian import Posteriors
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.paired_tests import PairedTests
from polyroc.studies.summaries.range_tests import RangeTest
from polyroc.studies.summaries.spread import Spread, WilcoxonErrors

__all__ = ["draw", "draw_panels"]


LISTED = 36  # pairs that are listed one below the other; more go into a matrix
WIDEST = 17.0  # inches of a figure with several panels

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
        4: {"parallel": draw_parallel},
    }
    growth = {} if result.exact else {"growth": draw_growth}
    first = views.get(len(result.classes), {"tradeoffs": draw_tradeoffs})
    return {**first, "parallel": draw_parallel, "tradeoffs": draw_tradeoffs, **growth}


def _fronts(several: Sequence[Front]) -> dict[str, Drawer]:
    """What all of them allow."""
    two = all(len(result.classes) == 2 for result in several)
    grew = not any(front.exact for front in several)
    return {**({"roc": draw_staircases} if two else {}), **({"growth": draw_growths} if grew else {})}


def _operating_point(point: OperatingPoint) -> dict[str, Drawer]:
    """Its thresholds too, if the rule has any."""
    scores: dict[str, Drawer] = {"scores": draw_thresholds}
    return {"rates": draw_operating_point, **(scores if point.rule.thresholds else {})}


def _paired_tests(tests: PairedTests) -> dict[str, Drawer]:
    """Listed if there are few."""
    both: dict[str, Drawer] = {"differences": draw_paired, "pvalues": draw_pvalues}
    return both if len(tests.tests) <= LISTED else dict(reversed(both.items()))


def _posteriors(posteriors: Posteriors) -> dict[str, Drawer]:
    """One pair in full, few as bars, many as a matrix."""
    listed: dict[str, Drawer] = {"bars": draw_bars, "probabilities": draw_probabilities}
    listed = listed if len(posteriors.pairs) <= LISTED else dict(reversed(listed.items()))
    full = {"density": draw_density} if posteriors.draws is None else {"triangle": draw_triangle}
    return {**full, **listed} if len(posteriors.pairs) == 1 else {**listed, **full}


def _decision_curve(curve: DecisionCurve) -> dict[str, Drawer]:
    """Differences only of several classifiers."""
    several = {} if curve.differences is None else {"decision_difference": draw_benefit_differences}
    return {"decision": draw_decision_curve, **several}


def _spread(spread: Spread) -> dict[str, Drawer]:
    """Standard errors first, if there are any."""
    return {**({"errors": draw_spread} if spread.has_errors else {}), "means": draw_means}


def _grouped(grouped: Grouped) -> dict[str, Drawer]:
    """Differences between classifiers first, if they are compared."""
    return {**({"differences": draw_group_differences} if grouped.pairs else {}), "forest": draw_groups}


KINDS: dict[type[Result], Callable[[Any], dict[str, Drawer]]] = {
    Evaluation: lambda _: {"forest": draw_evaluation},
    Comparison: lambda _: {"differences": draw_differences, "forest": draw_comparison},
    Grouped: _grouped,
    Estimate: _estimate,
    Curve: lambda curve: {curve.kind: draw_curve},
    Curves: lambda curves: {curves.kind: draw_family},
    Rates: lambda _: {"rates": draw_rates, "cobweb": draw_cobweb},
    OperatingPoint: _operating_point,
    DecisionCurve: _decision_curve,
    Calibration: lambda _: {"reliability": draw_reliability},
    ReaderStudy: lambda _: {
        "forest": draw_readers,
        "differences": draw_reader_differences,
        "roc": draw_reader_curves,
    },
    ReaderPlan: lambda _: {"power": draw_plan},
    GroupedCalibration: lambda _: {"reliability": draw_group_reliability},
    DecisionRegions: lambda _: {"regions": draw_regions},
    Front: _front,
    FrontVolumes: lambda _: {"volumes": draw_front_volumes},
    Surface: lambda _: {"surface": draw_surface},
    MeasureComparison: _comparison,
    MeasureComparisons: lambda _: {"measures": draw_measures},
    Anova: lambda _: {"forest": draw_anova},
    Friedman: lambda _: {"critical_difference": draw_critical_difference},
    PairedTests: _paired_tests,
    Posteriors: _posteriors,
    RangeTest: lambda _: {"underlines": draw_underlines, "letters": draw_letters},
    Spread: _spread,
    WilcoxonErrors: lambda _: {"sizes": draw_errors},
}
TOGETHER: dict[type[Result], Callable[[Any], dict[str, Drawer]]] = {
    Estimate: lambda _: {"forest": draw_estimates},
    Curve: lambda curves: {curves[0].kind: draw_curves},
    Front: _fronts,
    Rates: lambda _: {"cobweb": draw_cobwebs},
    MeasureComparison: lambda _: {"consistency": draw_consistency, "discriminancy": draw_discriminancy},
    RangeTest: lambda _: {"underlines": draw_several},
}


def draw(
    result: Result | Sequence[Result] | Mapping[str, Result],
    ax: Axes | None,
    kind: str | None,
    *,
    name: str | None = None,
    color: Any = None,
    title: str | None = None,
    **options: Any,
) -> Picture:
    """Draw it; see `polyroc.plot`."""
    if ax is not None and not isinstance(ax, Axes):
        raise InputError(f"ax must be the axes of matplotlib, got {short_repr(ax)}.")
    if name is not None:
        result = _named(result, name)
    with first_colour(color):
        picture = _draw(result, ax, kind, **options)
    if title is not None:
        picture.ax.set_title(title, fontsize=text_size(), loc="left", **PLAIN)
    return picture


def _named(result: Any, name: str) -> Any:
    if not isinstance(result, Result) or not hasattr(result, "classifier"):
        raise InputError(
            "name is for a result of one classifier; name several by a dict of them, such as {'forest': curve}."
        )
    return replace(result, classifier=name)  # type: ignore[type-var] # every result is a dataclass


def _draw(
    result: Result | Sequence[Result] | Mapping[str, Result], ax: Axes | None, kind: str | None, **options: Any
) -> Picture:
    if isinstance(result, Result) or not isinstance(result, Sequence | Mapping):
        kinds = _kinds(KINDS, type(result), result)
        return _chosen(kinds, kind, type(result).__name__)(result, ax, **options)
    several = [*_renamed(result)] if isinstance(result, Mapping) else [*result]
    types = {type(item) for item in several}
    type_names = " and ".join(sorted(result_type.__name__ for result_type in types)) or "nothing"
    kinds = _kinds(TOGETHER, types.pop(), several) if len(types) == 1 else {}
    return _chosen(kinds, kind, f"several of {type_names}")(several, ax, **options)


def _kinds(
    drawers: Mapping[type[Result], Callable[[Any], dict[str, Drawer]]], kind: type, result: Any
) -> dict[str, Drawer]:
    return drawers[kind](result) if kind in drawers else {}


def _renamed(results: Mapping[str, Any]) -> Iterator[Any]:
    """By their names in the mapping, if they are records of one classifier."""
    for name, result in results.items():
        named = type(result) in TOGETHER and hasattr(result, "classifier")
        yield replace(result, classifier=name) if named else result


def _chosen(kinds: Mapping[str, Drawer], kind: str | None, subject: str) -> Drawer:
    if not kinds:
        known = ", ".join(result_type.__name__ for result_type in KINDS)
        raise InputError(f"There is no picture of {subject}; give a result, such as that of evaluate: {known}.")
    if kind is None:
        return next(iter(kinds.values()))
    if kind not in kinds:
        raise InputError(
            f"There is no picture {kind!r} of {subject} here; there is {', '.join(map(repr, kinds))}."
        )
    return kinds[kind]


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
    figure = pyplot.figure(figsize=(across * width, down * height), layout=figure_layout())
    for place, result in enumerate(results, 1):
        ax = figure.add_subplot(down, across, place, projection="3d" if kind == "surface" else None)
        draw(result, ax, kind, **options)
    return figure
