"""The table in docs/scale.md of what is supported where, from `polyroc.engines.support`.

python docs/make_support.py
"""

from pathlib import Path

from building.blocks import markdown_table, with_block

from polyroc.engines.support import support_table

PAGE = Path(__file__).parent / "scale.md"
HEAD = ["", "in memory", "files by the engine", "Spark", "`Tally`"]


def table() -> str:
    """The table in Markdown."""
    return markdown_table(HEAD, support_table())


def filled(text: str) -> str:
    """The page with the table made anew."""
    return with_block(text, "support", table())


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
