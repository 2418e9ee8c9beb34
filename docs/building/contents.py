"""Pages that the index does not name: they get a place of their own, whoever writes them."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1]


def others() -> list[str]:
    """The pages of docs/ to which the index has no link of its own."""
    index = (DOCS / "index.md").read_text()
    return [
        page.stem for page in sorted(DOCS.glob("*.md")) if f"({page.name})" not in index and page.stem != "index"
    ]


def links() -> str:
    """A list of them, by title."""
    return "\n".join(f"- [{_title(name)}]({name}.md)" for name in others())


def tree() -> str:
    """Their place in the table of contents."""
    return "\n".join(["```{toctree}", ":hidden:", ":caption: Go further", "", *others(), "```"])


def _title(name: str) -> str:
    heading = re.search(r"^# (.+)$", (DOCS / f"{name}.md").read_text(), flags=re.MULTILINE)
    return heading[1] if heading else name
