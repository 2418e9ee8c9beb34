"""The command `measures`: the registry as a table."""

import click

from polyroc.cli.options import formats, print_result
from polyroc.output.text import Format

__all__ = ["measures"]


@click.command()
@formats
def measures(output: Format | None) -> None:
    """List the measures: the input each needs, its range, chance value, options and reference."""
    from polyroc.cli.pages import measure_rows, measures_page

    print_result(output, record=measure_rows, rows=measure_rows, table=measures_page)
