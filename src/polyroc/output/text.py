"""Tables as text: on a terminal with rules and bold type, in a pipe with aligned columns.

A table that is too wide is never cut. Its headings wrap first, then long texts in its cells; if it is still too
wide, its columns are folded into blocks, one below the other, each of which repeats the columns that name the row.
"""

import io
import shutil
import sys
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Literal, NamedTuple

from polyroc.output.formats import markdown_table
from polyroc.output.lines import folded, line_width
from polyroc.output.tables import Table

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Format", "as_text", "draw", "render"]

Format = Literal["json", "csv", "markdown"]
GAP = 2  # spaces between columns
SHORTEST_TEXT = 12  # characters of a column of phrases: narrower ones are hard to read
MOST_NAMES = 4  # columns in front that may name a row
NUMBER_SIGNS = (*"0123456789-<>",)
EMPHASISED = ("value", "difference")


class Block(NamedTuple):
    """Some columns of a table side by side: their places and their widths."""

    places: list[int]
    widths: list[int]


def render(table: Table, output: Format | None) -> str:
    """The table for standard output: as Markdown if requested, else for a terminal or a pipe."""
    if output == "markdown":
        return markdown_table(table)
    if not sys.stdout.isatty():
        return as_text(table)
    from rich.console import Console

    text = io.StringIO()
    draw(Console(file=text, force_terminal=True), table)
    return text.getvalue().rstrip("\n")


def as_text(table: Table, width: int | None = None) -> str:
    """The table without colour or rules, in 80 columns unless COLUMNS is set in the environment.

    Title and notes are wrapped to a width that is given, and on a terminal; see `polyroc.output.lines`.

    >>> print(as_text(Table.of("Areas", [{"classifier": "lda", "value": "0.95"}])))
    Areas
    <BLANKLINE>
    classifier  value
    lda         0.95
    """
    fold = line_width() if width is None else width
    width = shutil.get_terminal_size().columns if width is None else width
    lines = [*folded(table.title, fold), ""] if table.title else []
    for number, block in enumerate(blocks(table, width)):
        lines += [""] if number else []
        for cells in block_cells(table, block):
            lines += _aligned(cells, block.widths)
    lines += ["", *(line for note in table.notes for line in folded(note, fold))] if table.notes else []
    return "\n".join(line.rstrip() for line in lines)


def _aligned(cells: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    """The lines of one row, whose cells may have several lines each."""
    for number in range(max(map(len, cells))):
        texts = [cell[number] if number < len(cell) else "" for cell in cells]
        yield (" " * GAP).join(text.ljust(width) for text, width in zip(texts, widths, strict=True))


def blocks(table: Table, width: int) -> list[Block]:
    """The columns of a table, side by side as far as they fit into a width."""
    if not table.columns:
        return []
    texts = [[row[k] for row in table.rows] for k in range(len(table.columns))]
    cells = [max(map(len, column), default=0) for column in texts]
    every = list(range(len(cells)))
    whole = [max(cell, len(column.name)) for cell, column in zip(cells, table.columns, strict=True)]
    if _total(whole) <= width:
        return [Block(every, whole)]
    words = [_longest_word(column.name) for column in table.columns]
    widths = [min(width, max(pair)) for pair in zip(cells, words, strict=True)]
    least = [
        max(word, _longest_word(*column)) if any(map(_wraps, column)) else fixed
        for word, column, fixed in zip(words, texts, widths, strict=True)
    ]
    shrunk = _shrunk(widths, least, width)
    if _total(shrunk) <= width:
        return [Block(every, shrunk)]
    names = _names(texts)
    widths = [min(width, size) for size in whole]
    widths[0] = min(widths[0], max(least[0], width // 2))  # phrases in front leave room for the numbers
    room = max((least[k] for k in every if k not in names), default=0)
    while len(names) > 1 and _total([*(widths[k] for k in names), room]) > width:
        names.pop()
    most = max(1, width - _total([widths[k] for k in names]) - GAP)
    widths = [size if k in names else min(most, size) for k, size in enumerate(widths)]
    return [Block(places, [widths[k] for k in places]) for places in _folded(widths, names, width)]


def _names(texts: Sequence[Sequence[str]]) -> list[int]:
    """The columns that name a row: from the left, those that tell rows apart which the ones before do not.

    >>> _names([["auc", "auc", "gini", "gini"], ["2", "2", "2", "2"], ["lda", "knn", "lda", "knn"]])
    [0, 2]
    """
    names, distinct = [0], len(set(texts[0]))
    for place in range(1, min(len(texts), MOST_NAMES)):
        rows = set(zip(*(texts[k] for k in (*names, place)), strict=True))
        if len(rows) > distinct:
            names.append(place)
            distinct = len(rows)
    return names


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _longest_word(*texts: str) -> int:
    return max((len(word) for text in texts for word in _joined(text).split(" ")), default=0)


def _joined(text: str) -> str:
    """A text whose percentages do not break between the number and the sign."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def _wraps(text: str) -> bool:
    """Whether a cell may be shown in several lines: a phrase, not a number or an interval."""
    return " " in text.strip() and not text.startswith(NUMBER_SIGNS)


def _shrunk(widths: Sequence[int], least: Sequence[int], width: int) -> list[int]:
    """Narrower columns of phrases, the widest first, until they fit or nothing can be gained."""
    shrunk = list(widths)
    while _total(shrunk) > width:
        reducible = [k for k in range(len(shrunk)) if shrunk[k] > max(least[k], SHORTEST_TEXT)]
        if not reducible:
            break
        shrunk[max(reducible, key=shrunk.__getitem__)] -= 1
    return shrunk


def _folded(widths: Sequence[int], names: Sequence[int], width: int) -> list[list[int]]:
    """Places of the columns of each block; those that name the row are in all of them."""
    blocks = [[*names]]
    for place in range(len(widths)):
        if place in names:
            continue
        if len(blocks[-1]) > len(names) and _total([widths[k] for k in (*blocks[-1], place)]) > width:
            blocks.append([*names])
        blocks[-1].append(place)
    return [sorted(block) for block in blocks]


def block_cells(table: Table, block: Block) -> list[list[list[str]]]:
    """The heading and the rows of a block, every cell as its lines."""
    rows = [[column.name for column in table.columns], *table.rows]
    return [[_wrapped(row[k], width) for k, width in zip(block.places, block.widths, strict=True)] for row in rows]


def _wrapped(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in wrap(_joined(text), width)]


def draw(console: "Console", table: Table) -> None:
    """Draw a table on a console; texts are shown literally, never read as markup."""
    from rich.text import Text

    console.print(Text(table.title, "bold"))
    for block in blocks(table, console.width - GAP - 1):  # rich leaves a space at either side, before 15 one more
        console.print(_grid(table, block))
    for note in table.notes:
        console.print(Text("\n".join(folded(note, console.width)), "dim"))


def _grid(table: Table, block: Block) -> object:
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    heading, *rows = block_cells(table, block)
    columns = [table.columns[k] for k in block.places]
    grid = Grid(box=box.SIMPLE_HEAD, header_style="bold cyan", pad_edge=False, collapse_padding=True)
    for column, lines, width in zip(columns, heading, block.widths, strict=True):
        justify: Literal["left", "right"] = "right" if column.numeric else "left"
        grid.add_column(Text("\n".join(lines)), justify=justify, width=width, no_wrap=True)
    previous = None
    for cells in rows:
        name = cells[0]
        repeated = table.grouped and name == previous
        if table.grouped and previous is not None and not repeated and not name[0].startswith(" "):
            grid.add_section()
        grid.add_row(
            *(
                Text("\n".join(lines), "bold" if column.name in EMPHASISED else "")
                for column, lines in zip(columns, [[""], *cells[1:]] if repeated else cells, strict=True)
            )
        )
        previous = name
    return grid
