"""Tables as Markdown."""

from polyroc.output.tables import Table

__all__ = ["escape_markdown", "markdown_table"]

ESCAPES = str.maketrans(
    {sign: f"\\{sign}" for sign in "\\`*_{}[]#+!|~$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)


def escape_markdown(text: str) -> str:
    r"""A text in which nothing is Markdown.

    >>> print(escape_markdown("a_b <i>"))
    a\_b &lt;i&gt;
    """
    return text.translate(ESCAPES)


def markdown_table(table: Table) -> str:
    """The columns and rows; nothing for a table without columns."""
    if not table.columns:
        return ""
    rule = ["---:" if column.numeric else "---" for column in table.columns]
    head, *rows = [
        [escape_markdown(cell) for cell in row] for row in ([c.name for c in table.columns], *table.rows)
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))
