"""The options that describe data, from the table that the command line is made from."""

from building.blocks import markdown_table
from polyroc.validation.option_table import DATA_OPTIONS

TITLES = {
    "column": "Columns of files and tables",
    "case": "Cases: arrays, or columns of a table",
    "setting": "All kinds of data",
    "text": "Files",
    "scan": "Data larger than memory",
}


def tables() -> str:
    """Return a table of the options for each kind of data, in Markdown, each under its heading."""
    return "\n\n".join(f"## {title}\n\n{_table(kind)}" for kind, title in TITLES.items())


def _table(kind: str) -> str:
    rows = [
        (f"`{option.name}`", f"`--{option.name.strip('_').replace('_', '-')}`", option.meaning)
        for option in DATA_OPTIONS.values()
        if option.kind == kind
    ]
    return markdown_table(("Python", "shell", "meaning"), rows)
