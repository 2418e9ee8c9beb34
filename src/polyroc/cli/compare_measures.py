"""The command `compare-measures`: consistency and discriminancy of measures."""

from math import isnan
from pathlib import Path
from typing import Any

import click

from polyroc.cli.help import Command
from polyroc.cli.options import (
    add_options,
    column_options,
    complete_measures,
    formats,
    level_option,
    one_or_all,
    out_option,
    print_result,
    progress_bar,
    rng_option,
    scores_from,
)
from polyroc.consistency.practice import OrderStability, Separation
from polyroc.consistency.result import MeasureComparison
from polyroc.errors import InputError
from polyroc.output.numbers import count_text, interval_text, level_text, number_text
from polyroc.output.tables import Row, Table
from polyroc.output.text import Format

__all__ = ["compare_measures"]

LISTS = (
    click.option(
        "--positives", metavar="N", help="All ranked lists: number of positives; 2-10 or 4,8,16 for a table."
    ),
    click.option("--negatives", metavar="N", help="Number of negatives; as many as positives by default."),
    click.option("--sizes", metavar="A,B,C", help="Cases by class, for lists of more classes or for a model."),
    click.option("--cut", metavar="N", help="Number of positive decisions; the number of positives by default."),
    click.option("--ties", is_flag=True, help="Include lists with equal scores."),
)

MODELS = (
    click.option(
        "--model",
        type=click.Choice(["lists", "gaussian", "dirichlet", "data"]),
        help="Draw pairs of outputs: random lists, normal scores, noisy probabilities, or FILE resampled.",
    ),
    click.option(
        "--separation", type=float, metavar="X", help="gaussian: distance between the classes; 1 by default."
    ),
    click.option(
        "--precision", type=float, metavar="X", help="dirichlet: precision around the true class; 10 by default."
    ),
    click.option("--rival", type=float, metavar="X", help="The same for the second classifier; equal by default."),
    click.option(
        "--correlation",
        type=float,
        metavar="R",
        help="gaussian: correlation of the two classifiers' noise; 0 by default.",
    ),
    click.option("--levels", type=int, metavar="N", help="lists: number of ratings; no ties by default."),
    click.option(
        "--pairs", default=10_000, show_default=True, type=click.IntRange(1), help="Number of pairs to draw."
    ),
    click.option("--n-jobs", type=int, metavar="N", help="Threads; all cores by default."),
)

DATA = (
    click.option("--file", type=click.Path(path_type=Path), help="Predictions of two or more classifiers."),
    click.option(
        "--practice",
        type=click.Choice(["order", "groups"]),
        help="On FILE: how often resampling keeps the order of classifiers, or how many groups are separated.",
    ),
    click.option("--alpha", default=0.05, show_default=True, help="groups: level of the tests."),
    click.option(
        "--replicates", default=2000, show_default=True, type=click.IntRange(1), help="order: number of resamples."
    ),
    click.option("--truth", metavar="COLUMN", help="Column of the true classes."),
    click.option("--scores", multiple=True, metavar="COLUMNS", help="As in evaluate."),
    column_options("classifier", "case", "class_", "table", "sample_weight", "weight_kind", "labels"),
    column_options("pos_label", "missing", "decimal", "encoding"),
    click.option("--between", metavar="A,B", help="data: the two classifiers, if there are more."),
    rng_option,
    out_option(
        "PICTURE",
        "Also draw it (.png, .svg, .pdf): C and D against size, or the joint distribution of two measures.",
    ),
)
MOST_SIZES = 1000  # rows of a table
MOST_CONCLUSIONS = 6  # sentences below the table; more are not read
COLUMNS = (
    "truth",
    "scores",
    "classifier",
    "case",
    "class_",
    "sample_weight",
    "weight_kind",
    "labels",
    "pos_label",
    "missing",
    "table",
    "decimal",
    "encoding",
)


@click.command(cls=Command)
@click.argument("measures", nargs=-1, metavar="[MEASURE]...", shell_complete=complete_measures)
@add_options(*LISTS, *MODELS, *DATA)
@level_option
@formats
def compare_measures(
    measures: tuple[str, ...],
    practice: str | None,
    out: Path | None,
    level: float,
    output: Format | None,
    **options: Any,
) -> int:
    """Compare measures: how often two of them agree (C), and which one distinguishes more pairs (D).

    Exactly, over all ranked lists of some size; over pairs of outputs drawn from a model; or on a file of
    predictions. Without a MEASURE, all that apply.

    \b
    The paper's table: polyroc compare-measures auc accuracy --positives 2-8
    Unbalanced:        polyroc compare-measures auc accuracy --positives 20 --negatives 180 --cut 20
    Several, ties:     polyroc compare-measures auc partial_auc accuracy ppv --positives 4 --ties
    Three classes:     polyroc compare-measures hand_till accuracy he --model gaussian --sizes 20,20,20
    Own data:          polyroc compare-measures hand_till accuracy --model data --file p.csv --truth y
                         --scores "p_*" --classifier model --case id
    In practice:       polyroc compare-measures hand_till accuracy --practice groups --file p.csv --truth y
                         --scores "p_*" --classifier model --case id
    """
    if out is not None:
        from polyroc.plots import require_matplotlib
        from polyroc.plots.picture import checked_name

        require_matplotlib()
        checked_name(out)
    with progress_bar() as progress:
        if practice is not None:
            results: list[Any] = [_practice(practice, measures, options, progress)]
        else:
            results = _comparisons(measures, options, progress)
    print_result(
        output,
        record=lambda: one_or_all([result.to_dict(level) for result in results]),
        rows=lambda: [row for result in results for row in result.rows(level)],
        table=lambda: _table(results, level),
    )
    comparisons = [result for result in results if isinstance(result, MeasureComparison)]
    if out is not None:
        _draw(comparisons, out)
    return 1 if comparisons and all(isnan(comparison.consistency) for comparison in comparisons) else 0


def _comparisons(measures: tuple[str, ...], options: dict[str, Any], progress: Any) -> list[MeasureComparison]:
    """The comparisons of every pair of measures, for each size."""
    from polyroc.consistency.compare_measures import compare_measures as compute

    if options["model"] is not None:
        _reject_unused(options, ("positives", "negatives", "ties"), f"--model {options['model']}")
        sampling = {"pairs": options["pairs"], "rng": options["rng"], "n_jobs": options["n_jobs"]}
        sampled = compute([*measures] or None, model=_model(options), progress=progress, **sampling)
        return [*sampled.comparisons.values()]
    _reject_unused(options, ("file", "separation", "precision", "rival", "correlation", "levels"), "ranked lists")
    cut = _numbers(options["cut"], "--cut", "8")
    decisions = None if cut is None else one_or_all(cut)
    comparisons: list[MeasureComparison] = []
    for sizes in _sizes(options):
        exact = compute([*measures] or None, sizes=sizes, cut=decisions, ties=options["ties"], progress=progress)
        comparisons += exact.comparisons.values()
    return comparisons


def _reject_unused(options: dict[str, Any], names: tuple[str, ...], subject: str) -> None:
    """Raise an error for an option that would have no effect."""
    for name in names:
        if options[name] not in (None, False):
            raise InputError(f"--{name} is not valid for {subject}; leave it out.")


def _sizes(options: dict[str, Any]) -> list[tuple[int, ...]]:
    """(negatives, positives) for each size; or the cases by class."""
    sizes = _numbers(options["sizes"], "--sizes", "3,3,3")
    positives = _numbers(options["positives"], "--positives", "8")
    negatives = _numbers(options["negatives"], "--negatives", "8") or positives
    if sizes is not None and positives is None and negatives is None:
        return [tuple(sizes)]
    if sizes is not None or positives is None or negatives is None:
        raise InputError("Give --positives N (and --negatives N), or --sizes A,B,C, or --model.")
    if len({len(positives), len(negatives)} - {1}) > 1:
        raise InputError("--positives and --negatives must have the same number of values, or one value for all.")
    most = max(len(positives), len(negatives))
    repeated = [numbers * (most // len(numbers)) for numbers in (negatives, positives)]
    return [*zip(*repeated, strict=True)]


def _numbers(text: str | None, name: str, example: str) -> list[int] | None:
    """Whole numbers: 4,8,16 or 2-8."""
    if text is None:
        return None
    try:
        ends = [part.split("-") for part in text.split(",")]
        ranges = [range(int(end[0]), int(end[-1]) + 1) for end in ends]
    except ValueError:
        raise InputError(f"{name} must be whole numbers, such as {example}, got {text!r}.") from None
    if not all(ranges) or sum(part.stop - part.start for part in ranges) > MOST_SIZES:
        raise InputError(f"{name} must give from 1 to {MOST_SIZES:,} numbers, such as {example}, got {text!r}.")
    return [number for part in ranges for number in part]


def _model(options: dict[str, Any]) -> Any:
    from polyroc.consistency.models import DirichletModel, GaussianModel, RankedLists, ResampledModel

    settings = {
        "lists": ("cut", "levels"),
        "gaussian": ("separation", "rival", "correlation"),
        "dirichlet": ("precision", "rival"),
        "data": ("cut", "file"),
    }
    chosen = options["model"]
    others = {name for names in settings.values() for name in names} - {*settings[chosen]}
    _reject_unused(options, tuple(sorted(others)), f"--model {chosen}")
    parameters = {name: options[name] for name in settings[chosen] if options[name] is not None and name != "file"}
    if "cut" in parameters:
        parameters["cut"] = one_or_all(_numbers(parameters["cut"], "--cut", "8") or [])
    sizes = _numbers(options["sizes"], "--sizes", "20,20,20")
    if chosen == "data":
        between = options["between"] and tuple(name.strip() for name in options["between"].split(","))
        return ResampledModel(_scores(options), classifiers=between, sizes=sizes, **parameters)
    if sizes is None:
        raise InputError(f"--model {chosen} needs --sizes A,B,C, the cases by class.")
    return {"lists": RankedLists, "gaussian": GaussianModel, "dirichlet": DirichletModel}[chosen](
        tuple(sizes), **parameters
    )


def _scores(options: dict[str, Any]) -> Any:
    if options["file"] is None or not options["truth"] or not options["scores"]:
        raise InputError("Give --file FILE, --truth COLUMN and --scores COLUMNS.")
    return scores_from(options["file"], **{name: options[name] for name in COLUMNS})


def _practice(kind: str, measures: tuple[str, ...], options: dict[str, Any], progress: Any) -> Any:
    from polyroc.consistency.practice import order_stability, separation
    from polyroc.inference.methods import Bootstrap

    unused = ("model", "positives", "negatives", "sizes", "cut", "ties", "between")
    _reject_unused(options, unused, f"--practice {kind}")
    scores = _scores(options)
    if kind == "groups":
        return separation(scores, measure=[*measures], alpha=options["alpha"], progress=progress)
    method = Bootstrap(replicates=options["replicates"], rng=options["rng"], n_jobs=options["n_jobs"])
    return order_stability(scores, measure=[*measures], method=method, progress=progress)


def _table(results: list[Any], level: float) -> Table:
    if isinstance(results[0], OrderStability):
        return _order_table(results[0], level)
    if isinstance(results[0], Separation):
        return _groups_table(results[0])
    return _comparison_table(results, level)


def _comparison_table(comparisons: list[MeasureComparison], level: float) -> Table:
    """A row per pair of measures and size; then the conclusion."""
    rows = [_comparison_row(comparison, level) for comparison in comparisons]
    models = [*dict.fromkeys(comparison.model for comparison in comparisons)]
    title = models[0] if len(models) == 1 else "All ranked lists"
    notes = ["C: agree / (agree + disagree). D: only first / only second."]
    if not comparisons[0].exact:
        notes.append(f"Seed {comparisons[0].provenance.seed}; intervals by Clopper & Pearson.")
    limits = comparisons[-1].asymptotics
    if limits is not None:
        notes.append(
            f"For many cases, C tends to {limits.limit:.4f} and D to {limits.growth:.4f} times their number; for "
            f"{comparisons[-1].cases} cases the normal approximation gives {limits.consistency:.4f} and "
            f"{limits.discriminancy:.2f}."
        )
    last = {(comparison.first, comparison.second): comparison for comparison in comparisons}
    if len(last) <= MOST_CONCLUSIONS:
        notes += ["", *(comparison.conclusion(level) for comparison in last.values())]
    return Table.of(title, rows, notes)


def _comparison_row(comparison: MeasureComparison, level: float) -> Row:
    row = {
        "first": comparison.first,
        "second": comparison.second,
        "cases": str(comparison.cases),
        "C": number_text(comparison.consistency),
        "D": f"{comparison.discriminancy:.5g}",
    }
    if not comparison.exact:
        low, high = comparison.discriminancy_interval(level)
        row["C"] += f" ({interval_text(comparison.consistency_interval(level))})"
        row["D"] += f" ({low:.4g} to {high:.4g})"
    counts = {**comparison.counts._asdict(), "undecided": comparison.undecided}
    return row | {name.replace("_", " "): count_text(count) for name, count in counts.items()}


def _order_table(order: OrderStability, level: float) -> Table:
    rows = [_order_row(record, level) for record in order.rows(level)]
    cases = sum(order.provenance.cases.values())
    title = f"Resampled test sets of {cases} cases: how often the order of the classifiers is kept"
    return Table.of(title, rows, [f"By {order.provenance.method}.", *order.conclusion()])


def _order_row(record: dict[str, Any], level: float) -> Row:
    low, high = record["share_low"], record["share_high"]
    return {
        "measure": record["measure"],
        "better": record["better"],
        "worse": record["worse"],
        "difference": number_text(record["difference"]),
        "share kept": "" if record["share"] is None else number_text(record["share"]),
        f"{level_text(level)} interval": "" if low is None else interval_text((low, high)),
        "tied": str(record["tied"]),
        "reversed": str(record["reversed"]),
    }


def _groups_table(separation: Separation) -> Table:
    rows = [{name: str(value) for name, value in record.items()} for record in separation.rows()]
    adjusted = f"adjusted by {separation.adjustment}" if separation.adjustment else "not adjusted"
    alpha = level_text(separation.alpha)
    note = f"Groups within which no two differ at {alpha} (p-values {adjusted}), the best first."
    return Table.of("Groups that each measure separates", rows, [note])


def _draw(comparisons: list[MeasureComparison], out: Path) -> None:
    from polyroc.plots.consistency import draw_comparisons
    from polyroc.plots.picture import save, without_windows

    without_windows()
    save(draw_comparisons(comparisons), out)
    click.echo(str(out), err=True)
