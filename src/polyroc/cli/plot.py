"""The command `plot`: pictures of what the other commands find."""

from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import (
    convert_option,
    level_option,
    method_from,
    method_options,
    optional_data_file,
    progress_bar,
    scores_from,
)
from polyroc.cli.stored import is_front, needs_data
from polyroc.errors import InputError
from polyroc.fronts.result import Front
from polyroc.scores import Scores

__all__ = ["plot"]

MEASURES = {"differences": None, "parts": None, "pairs": "hand_till", "volumes": "scurfield", "surface": "vus"}
CURVES = ("roc", "pr", "det", "cost")
FRONTS = ("false_positives", "parallel", "growth")
KINDS = ("forest", *MEASURES, *CURVES, "decision", "rates", "cobweb", *FRONTS)

OPTIONS = (
    click.option(
        "--kind", type=click.Choice(KINDS), help="Which picture; of a stored front the first that fits by default."
    ),
    click.option(
        "-o",
        "--out",
        required=True,
        type=click.Path(path_type=Path),
        metavar="PICTURE",
        help="The file to write: .png, .svg or .pdf.",
    ),
    click.option(
        "-m", "--measure", multiple=True, metavar="KEY", help="The measure; for forest several, all by default."
    ),
    click.option(
        "--multi-class",
        type=click.Choice(["ova", "ovo"]),
        help="Curves of many classes: each against the rest (default), or every pair.",
    ),
    click.option(
        "--band",
        type=click.Choice(["pointwise", "simultaneous", "working_hotelling"]),
        help="A confidence band around curves.",
    ),
    click.option("--hull", is_flag=True, help="The convex hull of ROC curves."),
    click.option("--binormal", is_flag=True, help="The binormal fit of curves."),
    click.option("--threshold", type=float, help="Rates, two classes: positive if the score is at least this."),
    click.option("--point", multiple=True, type=click.IntRange(0), help="A point of the front to be marked."),
    click.option("--colour", metavar="TRUE>SAID", help="Shade a front's points by an error, or by 'generation'."),
    click.option(
        "--dpi", default=150, show_default=True, type=click.IntRange(20, 1200), help="Dots per inch of a PNG."
    ),
)


def _options(command: Any) -> Any:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.command(short_help="Draw curves, estimates, differences, rates, fronts: a PNG, SVG or PDF.")
@optional_data_file
@_options
@convert_option
@method_options()
@level_option
def plot(
    file: Path | None,
    kind: str | None,
    out: Path,
    dpi: int,
    measure: tuple[str, ...],
    multi_class: str | None,
    band: str | None,
    hull: bool,
    binormal: bool,
    threshold: float | None,
    point: tuple[int, ...],
    colour: str | None,
    method: str,
    replicates: int,
    seed: int | None,
    level: float,
    **columns: Any,
) -> int:
    """Draw what FILE holds, one panel for each classifier where they cannot share one.

    \b
    forest, parts       measures of every classifier; the pieces that one measure is made of
    differences         every pair of classifiers, with adjusted p-values
    pairs, volumes      A(i|j) of Hand & Till's M as a heat map; Scurfield's volumes
    roc, pr, det, cost  curves
    decision            the net benefit of acting on a probability
    surface             the ROC surface of three classes
    rates, cobweb       how often each class is called what
    roc, false_positives, parallel, growth
                        of a stored front: two classes, three classes, any number; how it grew

    \b
    A ROC curve:     polyroc plot scores.csv --truth sick --scores risk --kind roc --band pointwise -o roc.svg
    One class each:  polyroc plot irises.csv --truth species --scores 'p_*' --kind roc -o roc.png
    Who is better:   polyroc plot all.csv --truth y --scores 'p_*' --classifier model --case id
                       --kind differences -m hand_till -o differences.pdf
    A front:         polyroc plot front.npz --point 17 -o front.png
    """
    from polyroc.plots import require_matplotlib

    require_matplotlib()
    from polyroc.plots.dispatch import draw_panels
    from polyroc.plots.picture import checked_name, save, without_windows

    checked_name(out)
    by = method_from(method, replicates, seed)
    curves: dict[str, Any] = {"multi_class": multi_class, "band": band, "binormal": binormal}
    idle = {**curves, "hull": hull, "threshold": threshold, "measure": measure}
    if file is not None and is_front(file):
        _refuse_idle(None, idle)
        without_windows()
        save(_front(file, kind, point, colour), out, dpi=dpi)
        click.echo(str(out))
        return 0
    file = needs_data(file, columns)
    if kind is None:
        raise click.UsageError("Missing option '--kind'.", click.get_current_context())
    _refuse_idle(kind, {**idle, "point": point, "colour": colour})
    if kind in FRONTS:
        raise InputError(f"--kind {kind} is of a stored front; make one with polyroc front FILE -o front.npz.")
    with progress_bar():
        scores = scores_from(file, **columns)
        if kind in CURVES:
            found = [_curves(scores, kind, level=level, method=by, **curves)]
        elif kind == "decision":
            found = [_decisions(scores)]
        elif kind in ("rates", "cobweb"):
            found = _rates(scores, kind, threshold)
        else:
            found = _estimates(scores, kind, measure, by)
        without_windows()
        look: dict[str, Any] = {"level": level} if kind != "pairs" else {}
        figure = draw_panels(
            found, "forest" if kind == "parts" else kind, **look, **({"hull": True} if hull else {})
        )
        save(figure, out, dpi=dpi)
    click.echo(str(out))
    return 0


def _refuse_idle(kind: str | None, given: dict[str, Any]) -> None:
    """An option that has nothing to do with the picture, of a stored front if it has no kind, is misunderstood."""
    what = "a stored front" if kind is None else f"--kind {kind}"
    serves = {"threshold": ("rates", "cobweb"), "measure": ("forest", *MEASURES), "hull": ("roc",)}
    serves |= {"point": ("a stored front",), "colour": ("a stored front",)}
    for name, value in given.items():
        if value and kind not in serves.get(name, CURVES):
            raise InputError(
                f"--{name.replace('_', '-')} has nothing to do with {what}; it is for "
                f"{', '.join(serves.get(name, CURVES))}."
            )


def _front(file: Path, kind: str | None, point: tuple[int, ...], colour: str | None) -> Any:
    from polyroc.plots.dispatch import draw

    found = Front.load(file)
    options: dict[str, Any] = {"points": {f"point {place}": place for place in point}} if point else {}
    if colour is not None:
        true, sign, said = colour.partition(">")
        options["colour"] = (true.strip(), said.strip()) if sign else colour
    if kind == "growth" and options:
        raise InputError("--point and --colour have nothing to do with --kind growth.")
    if colour is not None and len(found.classes) == 2 and kind in (None, "roc"):
        raise InputError("--colour is for three classes or more, or --kind parallel.")
    return draw(found, None, kind, **options).figure


def _curves(scores: Scores, kind: str, *, multi_class: str | None, **how: Any) -> Any:
    from polyroc.curves.curve import curve

    family: Any = multi_class or ("ova" if scores.n_classes > 2 else None)
    which: Any = kind
    return curve(scores, kind=which, multi_class=family, **how)


def _decisions(scores: Scores) -> Any:
    from polyroc.decisions.decision_curve import decision_curve

    return decision_curve(scores)


def _rates(scores: Scores, kind: str, threshold: float | None) -> list[Any]:
    from polyroc.decisions.rates import rates

    found = [rates(scores, threshold=threshold, classifier=name) for name in scores.classifiers]
    return [found] if kind == "cobweb" else [*found]


def _estimates(scores: Scores, kind: str, measure: tuple[str, ...], method: Any) -> list[Any]:
    from polyroc.curves.surface import surface
    from polyroc.inference.compare import compare
    from polyroc.inference.evaluate import evaluate

    if kind == "forest":
        return [evaluate(scores, measure=list(measure) or None, method=method)]
    asked = measure or tuple(filter(None, [MEASURES[kind]]))
    if len(asked) != 1:
        raise InputError(f"--kind {kind} is of one measure; give it with --measure KEY, here {len(asked)}.")
    if kind == "differences":
        return [compare(scores, measure=asked[0], method=method)]
    if kind == "surface":
        found = surface(scores, measure=asked[0], method=method)
        return [*found.values()] if isinstance(found, dict) else [found]
    return list(evaluate(scores, measure=list(asked), method=method).estimates.values())
