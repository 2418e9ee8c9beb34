"""The commands `measures` and `datasets`: what is available by name."""

from typing import Any

import click

from polyroc.cli.help import Command
from polyroc.cli.options import formats, print_result
from polyroc.messages import install_command
from polyroc.output.tables import Table
from polyroc.output.text import Format

__all__ = ["datasets", "measures"]


@click.command(cls=Command)
@formats
def datasets(output: Format | None) -> None:
    """List the catalogue: real data sets by name, their size, where their files come from, and their traps.

    Every file is verified by its checksum when it is loaded; nothing is downloaded.
    """
    print_result(output, record=_dataset_rows, rows=_dataset_rows, table=_datasets_page)


def _datasets_page() -> Table:
    hidden = ("title", "reference", "traps", "counts")
    shown = [{key: str(cell) for key, cell in row.items() if key not in hidden} for row in _dataset_rows()]
    notes = [
        "Load one with polyroc.datasets.load(NAME); --json has its classes, reference and traps.",
        f"Files that are not here: {install_command('repro')}; for hungarian, name the folder of your copy "
        "in POLYROC_DATA.",
    ]
    return Table.of("Data sets", shown, notes)


def _dataset_rows() -> list[dict[str, Any]]:
    from polyroc.datasets import entries

    return [
        {
            "name": entry.name,
            "title": entry.title,
            "cases": entry.cases,
            "features": len(entry.features),
            "classes": len(entry.classes),
            "here": "yes" if entry.available else "no",
            "source": entry.source,
            "counts": ", ".join(f"{label} {count}" for label, count in entry.counts.items()),
            "reference": entry.reference,
            "traps": entry.traps,
        }
        for entry in entries()
    ]


@click.command(cls=Command)
@formats
def measures(output: Format | None) -> None:
    """List the measures: the input each needs, its range, chance value, options and reference."""
    from polyroc.cli.pages import measure_rows, measures_page

    print_result(output, record=measure_rows, rows=measure_rows, table=measures_page)
