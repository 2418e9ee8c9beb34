"""The report as text: Markdown, and tables for LaTeX."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from polyroc.reports.tables import Table

if TYPE_CHECKING:
    from polyroc.reports.document import Report

__all__ = ["as_latex", "as_markdown"]

MARKDOWN = str.maketrans(
    {sign: f"\\{sign}" for sign in "\\`*_{}[]#+!|~$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)
LATEX = str.maketrans(
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


def as_markdown(report: "Report") -> str:
    """All of it but the pictures."""
    said, cautions = report.conclusion
    lines = [f"# {safe(report.title)}", "", *[f"{safe(each)}\n" for each in said]]
    lines += [f"- {safe(each)}" for each in cautions]
    for table in report.tables:
        lines += ["", f"## {safe(table.title)}", "", *_pipes(table)]
    lines += ["", "## How it was made", ""]
    lines += [f"- {safe(each)}" for each in (*report.methods, *report.findings.notes)]
    lines += ["", "## References", "", *[f"- {safe(each)}" for each in report.references]]
    if report.plan:
        lines += ["", "## The plan", "", "Saved as plan.toml:", "", *[f"    {line}" for line in report.plan]]
    if report.repeat:
        lines += ["", "## To repeat it", "", *[f"    {line}" for line in report.repeat]]
    return "\n".join(lines) + "\n"


def safe(text: str) -> str:
    """A text in which nothing is Markdown."""
    return text.translate(MARKDOWN)


def _pipes(table: Table) -> list[str]:
    rule = ["---:" if numeric else "---" for numeric in table.numeric]
    cells = [[safe(cell) for cell in row] for row in (table.columns, *table.rows)]
    return [f"| {' | '.join(row)} |" for row in (cells[0], rule, *cells[1:])]


def as_latex(report: "Report") -> str:
    """The tables, to be put into a paper; they need the package booktabs."""
    lines = [r"% \usepackage[T1]{fontenc} \usepackage{booktabs}", f"% {_comment(report.title)}"]
    lines += [f"% {_comment(each)}" for each in (*report.conclusion.said, *report.conclusion.cautions)]
    for table in report.tables:
        lines += ["", *_tabular(table)]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    return " ".join(text.split())


def _tabular(table: Table) -> Sequence[str]:
    def row(cells: Sequence[str]) -> str:
        return " & ".join(cell.translate(LATEX) for cell in cells) + r" \\"

    columns = "".join("r" if numeric else "l" for numeric in table.numeric)
    return [
        r"\begin{table}",
        rf"\caption{{{table.title.translate(LATEX)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        row(table.columns),
        r"\midrule",
        *(row(cells) for cells in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
