"""The names of measures and options in papers and packages, from the table that answers calls."""

from collections.abc import Sequence
from itertools import groupby

from building.blocks import markdown_table
from polyroc.validation.names_elsewhere import MeasureNames, measure_names, option_names


def tables() -> str:
    """Return all tables in Markdown, each under its heading."""
    sections = [_measures(title, [*rows]) for title, rows in groupby(measure_names(), lambda entry: entry.section)]
    options = [(f"`{entry.option}`", entry.elsewhere, entry.polyroc) for entry in option_names()]
    return "\n\n".join([*sections, _table("Options", ("elsewhere", "in", "polyroc"), options)])


def _measures(title: str, entries: Sequence[MeasureNames]) -> str:
    if entries[0].polyroc:
        rows = [(_link(entry), entry.names, entry.elsewhere) for entry in entries]
        return _table(title, ("polyroc", "papers", "elsewhere"), rows)
    rows = [(entry.names, entry.elsewhere, entry.instead) for entry in entries]
    return _table(title, ("papers", "elsewhere", "use"), rows)


def _link(entry: MeasureNames) -> str:
    """Return the measure, with a link to its page."""
    return f"[`{entry.polyroc}`](measures/{entry.polyroc.partition('(')[0]}.md)"


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return f"## {title}\n\n{markdown_table(head, rows)}"
