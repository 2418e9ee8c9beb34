"""Tables for notebooks."""

from html import escape

from polyroc.output.tables import Table

__all__ = ["html_table"]


def html_table(table: Table) -> str:
    """An HTML table with its title as caption; every text in it is escaped."""
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    head = "".join(f"<th>{escape(column.name)}</th>" for column in table.columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"
