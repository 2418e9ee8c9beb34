"""How it is shown: a table for people on a terminal, plain in a pipe; CSV and Markdown."""

import io
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from polyroc.output.csv import as_csv

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Format", "Page", "Row", "as_csv", "draw", "printable", "render"]

Format = Literal["json", "csv", "markdown"]
Row: TypeAlias = dict[str, str]
NUMBERS = ("value", "difference", "std. error", "chance", "p", "p adjusted", "p not worse", "p equivalent")


class Page(NamedTuple):
    """A title, a table whose rows have the same columns, and notes below it."""

    title: str
    table: Sequence[Row]
    notes: Sequence[str]


def render(page: Page, output: Format | None) -> str:
    """The page for where it goes: Markdown if asked for, a terminal, or a pipe."""
    if output == "markdown":
        return _markdown(page.table)
    if not sys.stdout.isatty():
        return _plain(page)
    from rich.console import Console

    text = io.StringIO()
    draw(Console(file=text, force_terminal=True), page)
    return text.getvalue().rstrip("\n")


def printable(text: str) -> str:
    """Names come from files: no control character reaches the terminal."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def _lines(table: Sequence[Row]) -> list[list[str]]:
    return [list(table[0]), *(list(row.values()) for row in table)] if table else []


def _markdown(table: Sequence[Row]) -> str:
    safe = str.maketrans({"|": "\\|", "<": "&lt;", ">": "&gt;"})
    lines = [[cell.translate(safe) for cell in line] for line in _lines(table)]
    lines[1:1] = [["---"] * len(lines[0])] if lines else []
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _plain(page: Page) -> str:
    """Columns lined up with spaces; no colour, no box, nothing cut."""
    lines = _lines(page.table)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    body = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return "\n".join(line.rstrip() for line in [page.title, "", *body, "", *page.notes])


def draw(console: "Console", page: Page) -> None:
    """Draw a page on a console; texts are shown as they are, never read as markup."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, header_style="bold cyan", pad_edge=False, collapse_padding=True)
    for name in page.table[0] if page.table else ():
        grid.add_column(name, justify="right" if name in NUMBERS else "left", no_wrap=name != "options")
    last = None
    for row in page.table:
        key = row.get("measure", "")
        if "classifier" in row and last not in (None, key) and not key.startswith(" "):
            grid.add_section()
        shown = {**row, "measure": ""} if key and key == last else row
        grid.add_row(
            *(Text(cell, "bold" if name in ("value", "difference") else "") for name, cell in shown.items())
        )
        last = key
    console.print(Text(page.title, "bold"))
    console.print(grid)
    for note in page.notes:
        console.print(Text(note, "dim"))
