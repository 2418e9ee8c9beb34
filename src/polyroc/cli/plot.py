"""The command `plot`: pictures of the results of the other commands."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyroc.cli.front import is_front, needs_data
from polyroc.cli.help import Command
from polyroc.cli.options import (
    add_options,
    band_option,
    convert_option,
    data_option,
    level_option,
    measure_option,
    method_from,
    method_options,
    optional_data_file,
    out_option,
    progress_bar,
    scores_from,
    smooth_option,
    view_option,
)
from polyroc.errors import InputError
from polyroc.fronts.result import Front
from polyroc.scores import Scores

if TYPE_CHECKING:
    from polyroc.measures.measure import Parts

__all__ = ["plot"]

PARTS: Mapping[str, "Parts"] = {"pairs": "pair_areas", "volumes": "order_volumes"}  # a picture of these parts
ESTIMATES = ("forest", "differences", "parts", *PARTS, "surface")
CURVES = ("roc", "pr", "det", "cost")
DECISIONS = ("decision", "decision_difference")
FRONTS = ("false_positives", "tradeoffs", "parallel", "growth")
KINDS = (*ESTIMATES, *CURVES, *DECISIONS, "reliability", "rates", "cobweb", "scores", *FRONTS)

OPTIONS = (
    click.option(
        "--kind",
        type=click.Choice(KINDS),
        help="Kind of picture; for a stored front, the first that applies by default.",
    ),
    out_option("PICTURE", "The file to write: .png, .svg or .pdf.", required=True),
    measure_option("The measure; for forest several, all by default.", multiple=True),
    data_option("by"),
    click.option(
        "--multi-class",
        type=click.Choice(["ova", "ovo"]),
        help="Curves of many classes: each against the rest (default), or every pair.",
    ),
    band_option("A confidence band around curves."),
    click.option("--hull", is_flag=True, help="The convex hull of ROC curves."),
    click.option("--binormal", is_flag=True, help="The binormal fit of curves."),
    click.option(
        "--threshold",
        type=float,
        help="Rates of two classes: the decision is positive if the score is at least this.",
    ),
    click.option(
        "--criterion",
        type=click.Choice(["youden", "closest"]),
        help="Scores: what the threshold or the cut-points are chosen for; least error by default.",
    ),
    view_option,
    smooth_option,
    click.option("--point", multiple=True, type=click.IntRange(0), help="A point of the front to mark."),
    click.option(
        "--shade-by", metavar="TRUE>DECISION", help="Shade a front's points by an error, or by 'generation'."
    ),
    click.option(
        "--dpi", default=150, show_default=True, type=click.IntRange(20, 1200), help="Dots per inch of a PNG."
    ),
)


@click.command(cls=Command)
@optional_data_file
@add_options(*OPTIONS)
@convert_option
@method_options()
@level_option
def plot(
    file: Path | None,
    kind: str | None,
    out: Path,
    dpi: int,
    measure: tuple[str, ...],
    by: tuple[str, ...],
    multi_class: str | None,
    band: str | None,
    hull: bool,
    binormal: bool,
    threshold: float | None,
    criterion: Any,
    views: Any,
    smooth: bool,
    point: tuple[int, ...],
    shade_by: str | None,
    method: str,
    replicates: int,
    rng: int | None,
    level: float,
    **columns: Any,
) -> int:
    """Draw the results for FILE, one panel per classifier where they cannot share one.

    \b
    forest, parts       measures of every classifier; the parts of one measure
    differences         every pair of classifiers, with adjusted p-values
    pairs, volumes      A(i|j) of Hand & Till's M as a heat map; Scurfield's volumes
    roc, pr, det, cost  curves
    decision            the net benefit of acting on a probability
    reliability         the share of events by predicted probability, one panel per classifier and event
    decision_difference differences of net benefit between classifiers, with bands
    surface             the ROC surface of three classes
    rates, cobweb       confusion rates; misclassification ratios
    scores              the scores of each class, and the threshold or the cut-points of operate
    roc, false_positives, tradeoffs, parallel, growth
                        of a stored front: two classes, three classes, any number; its growth

    \b
    A ROC curve:     polyroc plot scores.csv --truth sick --scores risk --kind roc --band pointwise -o roc.svg
    Many classes:    polyroc plot irises.csv --truth species --scores "p_*" --kind roc -o roc.png
    Differences:     polyroc plot all.csv --truth y --scores "p_*" --classifier model --case id
                       --kind differences -m hand_till -o differences.pdf
    Subgroups:       polyroc plot scores.csv --truth sick --scores risk --kind forest -m auc --by sex -o sex.svg
    Cut-points:      polyroc plot stages.csv --truth stage --scores marker --labels none,mild,severe --kind scores
                       --criterion youden --method bootstrap -o cuts.svg
    A front:         polyroc plot front.npz --point 17 -o front.png
    """
    from polyroc.plots import require_matplotlib

    require_matplotlib()
    from polyroc.plots.dispatch import draw_panels
    from polyroc.plots.picture import checked_name, save, without_windows

    checked_name(out)
    standard_errors = method_from(method, replicates, rng)
    curve_options: dict[str, Any] = {"multi_class": multi_class, "band": band, "binormal": binormal}
    data_options = {**curve_options, "hull": hull, "threshold": threshold, "measure": measure}
    data_options |= {"by": by, "criterion": criterion, "views": views, "smooth": smooth}
    if file is not None and is_front(file):
        _reject_unused(None, data_options)
        without_windows()
        save(_front(file, kind, point, shade_by), out, dpi=dpi)
        click.echo(str(out))
        return 0
    file = needs_data(file, columns)
    if kind is None:
        raise click.UsageError(
            f"Missing option '--kind': {', '.join(k for k in KINDS if k not in FRONTS)}.",
            click.get_current_context(),
        )
    _reject_unused(kind, {**data_options, "point": point, "shade_by": shade_by})
    if kind in FRONTS:
        raise InputError(f"--kind {kind} needs a stored front; make one with polyroc front FILE -o front.npz.")
    with progress_bar():
        scores = scores_from(file, by=[*by] or None, **columns)
        if kind in CURVES:
            results = [_curves(scores, kind, level=level, method=standard_errors, **curve_options)]
        elif kind in ESTIMATES:
            results = _estimates(scores, kind, measure, standard_errors)
        else:
            panels = partial(_calibrations, scores, level, by, views, smooth)
            results = _decisions(scores, kind, level, threshold, criterion, standard_errors, panels)
        without_windows()
        style: dict[str, Any] = {"level": level} if kind not in ("pairs", "reliability") else {}
        style |= {"hull": True} if hull else {"scores": scores} if kind == "scores" else {}
        save(draw_panels(results, "forest" if kind == "parts" else kind, **style), out, dpi=dpi)
    click.echo(str(out))
    return 0


def _reject_unused(kind: str | None, options: dict[str, Any]) -> None:
    """Raise an error for an option that would have no effect on this kind of picture (None: of a stored front)."""
    subject = "a stored front" if kind is None else f"--kind {kind}"
    kinds_of = {"threshold": ("rates", "cobweb"), "measure": ESTIMATES, "hull": ("roc",)}
    kinds_of["criterion"] = ("scores",)
    kinds_of |= {
        "point": ("a stored front",),
        "shade_by": ("a stored front",),
        "by": ("forest", "differences", "reliability"),
    }
    kinds_of |= {"views": ("reliability",), "smooth": ("reliability",)}
    for name, value in options.items():
        kinds = kinds_of.get(name, CURVES)
        if value and kind not in kinds:
            option = name.replace("_", "-")
            raise InputError(f"--{option} is not valid for {subject}; it is for {', '.join(kinds)}.")


def _front(file: Path, kind: str | None, point: tuple[int, ...], shade_by: str | None) -> Any:
    from polyroc.plots.dispatch import draw

    front = Front.load(file)
    options: dict[str, Any] = {"points": {f"point {place}": place for place in point}} if point else {}
    if shade_by is not None:
        true, sign, decision = shade_by.partition(">")
        options["shade_by"] = (true.strip(), decision.strip()) if sign else shade_by
    if kind == "growth" and options:
        raise InputError("--point and --shade-by are not valid for --kind growth; leave them out.")
    if shade_by is not None and len(front.classes) == 2 and kind in (None, "roc"):
        raise InputError("--shade-by is for three classes or more, or --kind parallel.")
    return draw(front, None, kind, **options).figure


def _curves(scores: Scores, kind: Any, *, multi_class: Any, band: Any, **options: Any) -> Any:
    from polyroc.curves.curve import curve

    family: Any = multi_class or ("ova" if scores.n_classes > 2 else None)
    return curve(scores, kind=kind, multi_class=family, band=band, **options)


def _decisions(
    scores: Scores,
    kind: str,
    level: float,
    threshold: float | None,
    criterion: Any,
    method: Any,
    panels: Callable[[], list[Any]],
) -> list[Any]:
    """The results for decisions and for the probabilities that they are made by."""
    from polyroc.decisions.decision_curve import decision_curve

    if kind in DECISIONS:
        return [decision_curve(scores, level=level)]
    if kind == "reliability":
        return panels()
    return _points(scores, criterion, method) if kind == "scores" else _rates(scores, kind, threshold)


def _calibrations(scores: Scores, level: float, by: tuple[str, ...], views: Any, smooth: bool) -> list[Any]:
    from polyroc.reliability.calibration import calibration

    options: dict[str, Any] = {"level": level, "views": views, "smooth": smooth}
    result: Any = calibration(scores, by=[*by] or None, **options)
    panels: list[Any] = result.separate()
    return panels


def _rates(scores: Scores, kind: str, threshold: float | None) -> list[Any]:
    from polyroc.decisions.rates import rates

    matrices = [rates(scores, threshold=threshold, only=name) for name in scores.classifiers]
    return [matrices] if kind == "cobweb" else [*matrices]


def _points(scores: Scores, criterion: Any, method: Any) -> list[Any]:
    """The threshold or the cut-points of each classifier, chosen on the cases that are drawn."""
    import warnings

    from polyroc.decisions.operate import operate
    from polyroc.errors import OptimismWarning

    if scores.n_classes > 2 and scores.kind == "matrix":
        raise InputError(
            "--kind scores is for one score per case; with one column per class use --kind rates, or --convert."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptimismWarning)  # no rates are drawn
        return [operate(scores, criterion=criterion, method=method, only=name) for name in scores.classifiers]


def _estimates(scores: Scores, kind: str, measure: tuple[str, ...], method: Any) -> list[Any]:
    from polyroc.curves.surface import surface
    from polyroc.inference.compare import compare
    from polyroc.inference.evaluate import evaluate
    from polyroc.measures.registry import measure_of_parts

    by = [*scores.by] or None  # as read for --by
    if kind == "forest":
        return [evaluate(scores, measure=list(measure) or None, method=method, by=by)]
    if not measure and kind in PARTS:
        measure = (measure_of_parts(PARTS[kind]).key,)
    if len(measure) > 1 or (not measure and kind != "surface"):
        raise InputError(f"--kind {kind} needs one measure; give it with --measure KEY, here {len(measure)}.")
    if kind == "differences":
        return [compare(scores, measure=measure[0], method=method, by=by)]
    if kind == "surface":
        named: dict[str, Any] = {"measure": measure[0]} if measure else {}
        surfaces = surface(scores, method=method, **named)
        return [*surfaces.values()] if isinstance(surfaces, dict) else [surfaces]
    return list(evaluate(scores, measure=list(measure), method=method).estimates.values())
