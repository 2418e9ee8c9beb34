"""The table in docs/scale.md of what is supported where, from `polyroc.engines.support`.

python docs/make_support.py
"""

import re
from pathlib import Path

from polyroc.engines.support import support_table

PAGE = Path(__file__).parent / "scale.md"
HEAD = ["", "in memory", "files by the engine", "Spark", "`Tally`"]


def table() -> str:
    """The table in Markdown."""
    lines = [HEAD, ["---"] * len(HEAD), *support_table()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def filled(text: str) -> str:
    """The page with the table made anew."""
    return re.sub(
        r"(<!-- begin support -->\n).*?(<!-- end support -->)",
        lambda match: f"{match[1]}\n{table()}\n\n{match[2]}",
        text,
        flags=re.DOTALL,
    )


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
