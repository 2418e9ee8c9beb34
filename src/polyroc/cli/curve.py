"""The command `curve`: ROC, precision-recall, DET and cost curves."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from polyroc.cli.help import Command
from polyroc.cli.options import (
    FOLDS,
    Files,
    band_option,
    column_options,
    data_files,
    data_from,
    formats,
    level_option,
    machine_text,
    method_from,
    method_options,
    name_of,
    out_option,
    print_result,
    progress_bar,
)
from polyroc.curves.result import Curve, Curves
from polyroc.errors import InputError
from polyroc.output.files import write_file
from polyroc.output.numbers import interval_text, level_text, number_text, p_text
from polyroc.output.sentences import capitalised, counted
from polyroc.output.tables import Row, Table
from polyroc.output.text import Format

__all__ = ["curve"]

# Columns of the table by kind of curve: the quantity on the y axis, that on the x axis, and values of the latter.
SHOWN = {
    "roc": ("TPR", "FPR", (0.05, 0.1, 0.2)),
    "det": ("FNR", "FPR", (0.01, 0.05, 0.1)),
    "pr": ("precision", "recall", (0.5, 0.8, 0.95)),
    "cost": ("cost", "p", (0.25, 0.5, 0.75)),
}


@click.command(cls=Command)
@data_files
@column_options(*FOLDS)
@click.option("--kind", default="roc", show_default=True, type=click.Choice([*SHOWN]), help="Which curve.")
@click.option(
    "--multi-class",
    type=click.Choice(["ova", "ovo"]),
    help="Many classes: each class against all others, or every pair.",
)
@band_option("A confidence band at --level; by resampling with --method bootstrap.")
@click.option("--binormal", is_flag=True, help="Also a binormal curve by maximum likelihood.")
@click.option(
    "--average",
    type=click.Choice(["vertical", "threshold", "none"]),
    help="How the curves of the --folds of a cross-validation are combined; none: one curve per fold. Vertical by "
    "default.",
)
@click.option("--drop-intermediate", is_flag=True, help="Leave out points that do not change the line.")
@click.option(
    "--points",
    type=click.IntRange(2),
    help="Keep about this many points, with the area within 1e-4; all by default.",
)
@click.option(
    "--test",
    type=click.Choice(["venkatraman"]),
    help="Instead of the curves, test whether those of all pairs of classifiers are the same everywhere, by "
    "--replicates permutations.",
)
@out_option("FILE", "Write the points: .csv or .json.")
@method_options()
@column_options("engine", "memory", "tolerance", "exact")
@level_option
@formats
def curve(
    file: Files,
    band: str | None,
    average: str | None,
    points: int | None,
    test: str | None,
    out: Path | None,
    method: str,
    replicates: int,
    rng: int | None,
    level: float,
    output: Format | None,
    kind: Any,
    multi_class: Any,
    binormal: bool,
    drop_intermediate: bool,
    **columns: Any,
) -> int:
    """A curve for every classifier in FILE: its area with an interval, and a few of its points.

    --csv, --json and --out give all points; `polyroc plot` draws them.

    \b
    Two classes:       polyroc curve scores.csv --truth sick --scores risk
    With a band:       polyroc curve scores.csv --truth y --scores s --band simultaneous --method bootstrap
    Many classes:      polyroc curve irises.csv --truth species --scores "p_*" --multi-class ova
    Folds:             polyroc curve cv.csv --truth y --scores s --folds fold --band pointwise
    Same curves?       polyroc curve scores.csv --truth y --scores a=a --scores b=b --test venkatraman
    Points in a file:  polyroc curve scores.csv --truth y --scores s --kind pr --out points.csv
    Large files:       polyroc curve "s/*.parquet" --truth y --scores s --tolerance 1e-6 --points 1000
    """
    from polyroc.curves.curve import curve as compute

    if test is not None:
        return _print_test(file, columns, replicates, rng, output)
    file_format = None if out is None else _format_of(out)
    choices: Any = {"band": band, "average": average}
    with progress_bar() as progress:
        data, options = data_from("curve", file, columns)
        curves = compute(
            data,
            kind=kind,
            multi_class=multi_class,
            method=method_from(method, replicates, rng),
            level=level,
            binormal=binormal,
            drop_intermediate=drop_intermediate,
            progress=progress,
            **options,
            **choices,
        )
    if points is not None:
        curves = curves.thinned(points)
    forms: Any = {"record": lambda: curves.to_dict(level), "rows": lambda: curves.rows(level)}
    if out is not None and file_format is not None:
        write_file(out, machine_text(file_format, **forms) + "\n")
    print_result(output, **forms, table=lambda: _table(curves, level, name_of(file)))
    return 0


def _print_test(
    file: Files, columns: dict[str, Any], replicates: int, rng: int | None, output: Format | None
) -> int:
    """Venkatraman's test of all pairs."""
    from polyroc.curves.curve_test import venkatraman

    with progress_bar() as progress:
        data, options = data_from("curve", file, columns)
        if options:
            raise InputError("--test needs the cases in memory; use --engine memory, one file.")
        result = venkatraman(data, replicates=replicates, rng=rng, progress=progress)
    print_result(
        output,
        record=result.to_dict,
        rows=result.rows,
        table=lambda: Table.of(
            f"{name_of(file)}: whether ROC curves are the same",
            [
                {
                    "classifiers": f"{first}, {second}",
                    "statistic": number_text(one.statistic),
                    "p": p_text(one.pvalue).removeprefix("p = "),
                    "adjusted p": p_text(one.adjusted_pvalue).removeprefix("p = "),
                }
                for (first, second), one in result.pairs.items()
            ],
            [f"Venkatraman's permutation test, {result.replicates} permutations; {result.adjustment} adjustment."],
        ),
    )
    return 0


def _format_of(out: Path) -> Literal["csv", "json"]:
    """CSV or JSON, by the file's ending."""
    if out.suffix not in (".csv", ".json"):
        raise InputError(f"--out writes .csv or .json, got {out.name!r}.")
    return "csv" if out.suffix == ".csv" else "json"


def _table(result: Curve | Curves, level: float, source: str) -> Table:
    """A row per curve: its area, and its height at a few places."""
    from polyroc.cli.pages import certificate_notes
    from polyroc.estimates.tables import score_notes

    curves = {result.classifier: result} if isinstance(result, Curve) else dict(result.curves)
    by = "classifier" if isinstance(result, Curve) else result.by
    first = next(iter(curves.values()))
    notes = [f"{capitalised(first.area.name)}; {first.axes[1]} against {first.axes[0]}."]
    if first.area.provenance.target is not None:
        notes.append(first.area.provenance.target)
    if not isinstance(result, Curve):
        notes += [f"{name}: {mean.name} {number_text(mean.value)}." for name, mean in result.whole.items()]
    if first.band is not None:
        notes.append(f"Band: {first.band.kind}, {level_text(first.band.level)}, {first.band.method}.")
    areas = [replace(curve.area, classifier=key) for key, curve in curves.items()]
    notes += [*certificate_notes(areas), *score_notes(areas if by == "classifier" else (), level)]
    notes += [f"{key}: {curve.binormal!r}" for key, curve in curves.items() if curve.binormal is not None]
    rows = [{by: key, **_row(curve, level)} for key, curve in curves.items()]
    kind = {"pr": "precision-recall", "cost": "cost"}.get(first.kind, first.kind.upper())
    return Table.of(f"{source}: {counted(len(curves), f'{kind} curve')}", rows, notes)


def _row(curve: Curve, level: float) -> Row:
    height, along, places = SHOWN[curve.kind]
    return {
        "of": f"{curve.positive} or {curve.negative}",
        "points": str(len(curve)),
        "value": number_text(curve.area.value),
        "std. error": curve.area.error_text,
        f"{level_text(level)} interval": interval_text(curve.area.confidence_interval(level)),
        **{f"{height} at {along} {place:g}": f"{curve.height(place):.3f}" for place in places},
    }
