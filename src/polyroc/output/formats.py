"""Tables as Markdown, LaTeX and HTML, and records as comma-separated values."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from polyroc.output.tables import Table

__all__ = ["as_csv", "escape_markdown", "html_table", "latex_table", "markdown_table"]


# A spreadsheet may take a cell that begins so for a formula (OWASP, "CSV Injection"): the signs, also full-width,
# and the white space and control characters that it skips before them.
FORMULA = re.compile(r"[\s\x00-\x1f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n\x00]")
SPECIAL = re.compile(r'[",\r\n]')
MARKDOWN_ESCAPES = str.maketrans(
    {sign: f"\\{sign}" for sign in "\\`*_{}[]#+!|~$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)
# A number with an exponent, or a minus sign before a number, but not in a date or a name.
EXPONENT_OR_MINUS = re.compile(r"(?<![\w.)-])(?:(-?\d+(?:\.\d+)?)e([+-]\d+)(?!\w)|-(?=\d))")
LATEX_ESCAPES = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "\N{EN DASH}": "--",
        "\N{MINUS SIGN}": "$-$",
        "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    }
)


def escape_markdown(text: str) -> str:
    r"""A text in which nothing is Markdown.

    >>> print(escape_markdown("a_b <i>"))
    a\_b &lt;i&gt;
    """
    return text.translate(MARKDOWN_ESCAPES)


def markdown_table(table: Table) -> str:
    """The columns and rows; nothing for a table without columns."""
    if not table.columns:
        return ""
    rule = ["---:" if column.numeric else "---" for column in table.columns]
    head, *rows = [
        [escape_markdown(cell) for cell in row] for row in ([c.name for c in table.columns], *table.rows)
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def latex_table(table: Table, label: str = "") -> str:
    r"""A table environment with a caption, and a label if there is one; numbers are aligned to the right."""
    alignment = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{table.title.translate(LATEX_ESCAPES)}}}"] if table.title else []),
        *([rf"\label{{{label}}}"] if label else []),
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _latex_row([column.name for column in table.columns]),
        r"\midrule",
        *map(_latex_row, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex_cell, cells)) + r" \\"


def _latex_cell(cell: str) -> str:
    r"""A cell with true minus signs; a number with an exponent is written as a power of ten.

    >>> print(_latex_cell("-0.5"), _latex_cell("4.11e-19 to 0.5"), _latex_cell("a_b"))
    $-$0.5 $4.11 \times 10^{-19}$ to 0.5 a\_b
    """
    return EXPONENT_OR_MINUS.sub(_in_mathematics, cell.translate(LATEX_ESCAPES))


def _in_mathematics(number: re.Match[str]) -> str:
    return "$-$" if number[1] is None else rf"${number[1]} \times 10^{{{int(number[2])}}}$"


def html_table(table: Table) -> str:
    """An HTML table with its title as caption; texts are escaped, and numbers are aligned to the right."""
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    head = _html_row("th", table, [column.name for column in table.columns])
    body = "".join(_html_row("td", table, row) for row in table.rows)
    notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
    return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>{notes}"


def _html_row(tag: str, table: Table, cells: Sequence[str]) -> str:
    """A row. Notebooks align texts to the right unless a style says otherwise; "pre-wrap" keeps indentation."""
    sides = ["right" if column.numeric else "left" for column in table.columns]
    shown = [
        f'<{tag} style="text-align: {side}; white-space: pre-wrap">{escape(cell)}</{tag}>'
        for side, cell in zip(sides, cells, strict=True)
    ]
    return f"<tr>{''.join(shown)}</tr>"


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    r"""Records as comma-separated values with all digits; a text that looks like a formula gets a quote in front.

    Line breaks and quotes inside a value are quoted by the rules of RFC 4180. Lines end with a line feed.

    >>> as_csv([{"classifier": "=1+1", "class": "-1"}])
    "classifier,class\n'=1+1,-1"
    """
    if not rows:
        return ""
    names = list(rows[0])
    unknown = {name for row in rows for name in row} - set(names)
    if unknown:
        raise ValueError(f"rows have fields that the first one does not have: {sorted(unknown)}")
    lines: list[list[Any]] = [list(names), *([row.get(name) for name in names] for row in rows)]
    return "\n".join(_csv_line([_csv_cell(value) for value in line]) for line in lines)


def _csv_line(cells: Sequence[str]) -> str:
    return '""' if cells == [""] else ",".join(cells)  # an empty line would be no record


def _csv_cell(value: Any) -> str:
    text = "" if value is None else str(value)
    if isinstance(value, str) and FORMULA.match(text) and not _is_number(text):
        text = f"'{text}"
    return '"{}"'.format(text.replace('"', '""')) if SPECIAL.search(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip()
