"""Tables for LaTeX, with the package booktabs."""

from collections.abc import Sequence

from polyroc.output.tables import Table

__all__ = ["latex_table"]

ESCAPES = str.maketrans(
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


def latex_table(table: Table) -> str:
    r"""A table environment with a caption; numbers are aligned to the right."""
    alignment = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [
        r"\begin{table}",
        rf"\caption{{{table.title.translate(ESCAPES)}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _row([column.name for column in table.columns]),
        r"\midrule",
        *map(_row, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cell.translate(ESCAPES) for cell in cells) + r" \\"
