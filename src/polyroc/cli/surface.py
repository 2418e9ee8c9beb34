"""The command `surface`: the ROC surface of three classes."""

import json
from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import convert_option, data_file, formats, level_option, scores_from
from polyroc.curves.surface import Surface
from polyroc.output.terminal import Format, Page, Row, as_csv, printable, render
from polyroc.results.result import number_text

__all__ = ["surface"]

SHOWN = 5  # rows and columns of the table for people


@click.command(short_help="The ROC surface of three classes, as a mesh.")
@data_file
@click.option(
    "-m",
    "--measure",
    default="vus",
    show_default=True,
    metavar="KEY",
    help="The rule: vus (thresholds on one score), mossman or he (probabilities).",
)
@click.option("--points", default=40, show_default=True, type=click.IntRange(1), help="Cells along each side.")
@convert_option
@level_option
@formats
def surface(file: Path, measure: str, points: int, level: float, output: Format | None, **columns: Any) -> int:
    """How much of the second class is left for given rates of the first and third, for each classifier in FILE.

    The volume below the surface is the measure. --csv and --json give the whole mesh; the table for people shows
    the rate of the second class at a few rates of the others. `polyroc plot --kind surface` draws it.

    \b
    One score:      polyroc surface marker.csv --truth stage --scores marker --labels healthy,mild,severe
    Probabilities:  polyroc surface irises.parquet --truth species --scores 'p_*' --measure he
    """
    from polyroc.curves.surface import surface as make

    scores = scores_from(file, **columns)
    made = make(scores, measure=measure, points=points if output in ("csv", "json") else SHOWN)
    found = [made] if isinstance(made, Surface) else [*made.values()]
    if output == "json":
        records = [each.to_dict(level) for each in found]
        click.echo(json.dumps(records[0] if len(records) == 1 else records, indent=2))
    elif output == "csv":
        click.echo(as_csv([row for each in found for row in each.rows(level)]))
    else:
        click.echo("\n\n".join(render(_page(each, level, file.name), output).rstrip() for each in found))
    return 0


def _page(found: Surface, level: float, source: str) -> Page:
    first, second, third = map(printable, found.classes)
    mesh, table = found.mesh, list[Row]()
    for i in range(len(mesh.first) - 1):
        row = {f"{first} right": f"{mesh.first[i]:.2f} to {mesh.first[i + 1]:.2f}"}
        for j in range(len(mesh.third) - 1):
            row[f"{third} right {mesh.third[j]:.2f} to {mesh.third[j + 1]:.2f}"] = number_text(mesh.second[i, j])
        table.append(row)
    low, high = found.volume.confidence_interval(level)
    ends = f"{100 * level:g} % {number_text(low)} to {number_text(high)}"
    note = f"Volume below it: {found.volume.measure} = {number_text(found.volume.value)}, {ends}."
    told = f"{printable(source)}, {printable(found.classifier)}: share of {second} right, mean over each cell"
    return Page(told, table, [note])
