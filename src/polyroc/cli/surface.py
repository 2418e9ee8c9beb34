"""The command `surface`: the ROC surface of three classes."""

from pathlib import Path
from typing import Any

import click

from polyroc.cli.help import Command
from polyroc.cli.options import (
    convert_option,
    data_file,
    formats,
    level_option,
    measure_option,
    name_of,
    one_or_all,
    print_result,
    scores_from,
)
from polyroc.curves.surface import Surface
from polyroc.output.numbers import interval_text, level_text, number_text
from polyroc.output.tables import Row, Table
from polyroc.output.text import Format

__all__ = ["surface"]

SHOWN = 5  # rows and columns of the printed table


@click.command(cls=Command)
@data_file
@measure_option(
    "The rule: vus (thresholds on one score), mossman or he (probabilities).", default="vus", show_default=True
)
@click.option(
    "--points", default=40, show_default=True, type=click.IntRange(1), help="Bins along each axis of the mesh."
)
@convert_option
@level_option
@formats
def surface(file: Path, measure: str, points: int, level: float, output: Format | None, **columns: Any) -> int:
    """The largest rate of the second class, given those of the first and third, for each classifier in FILE.

    The volume below the surface is the measure. --csv and --json give the whole mesh; the table shows
    the rate of the second class at a few rates of the others. `polyroc plot --kind surface` draws it.

    \b
    One score:      polyroc surface marker.csv --truth stage --scores marker --labels healthy,mild,severe
    Probabilities:  polyroc surface irises.parquet --truth species --scores "p_*" --measure he
    """
    from polyroc.curves.surface import surface as compute

    scores = scores_from(file, **columns)
    result = compute(scores, measure=measure, points=points if output in ("csv", "json") else SHOWN)
    surfaces = [result] if isinstance(result, Surface) else [*result.values()]
    print_result(
        output,
        record=lambda: one_or_all([surface.to_dict(level) for surface in surfaces]),
        rows=lambda: [row for surface in surfaces for row in surface.rows(level)],
        table=lambda: [_table(surface, level, name_of(file)) for surface in surfaces],
    )
    return 0


def _table(surface: Surface, level: float, source: str) -> Table:
    first, second, third = surface.classes
    mesh, rows = surface.mesh, list[Row]()
    for i in range(len(mesh.first) - 1):
        row = {f"{first} right": f"{mesh.first[i]:.2f} to {mesh.first[i + 1]:.2f}"}
        for j in range(len(mesh.third) - 1):
            row[f"{third} right {mesh.third[j]:.2f} to {mesh.third[j + 1]:.2f}"] = number_text(mesh.second[i, j])
        rows.append(row)
    volume = surface.volume
    ends = f"{level_text(level)} {interval_text(volume.confidence_interval(level))}"
    note = f"Volume below it: {volume.measure} = {number_text(volume.value)}, {ends}."
    return Table.of(f"{source}, {surface.classifier}: share of {second} right, mean over each bin", rows, [note])
