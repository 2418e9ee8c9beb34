"""Parts of a page that are made from data: between <!-- begin NAME --> and <!-- end NAME -->."""

import re
from collections.abc import Sequence

__all__ = ["markdown_table", "with_block"]


def with_block(text: str, name: str, content: str) -> str:
    r"""The page with the block of this name made anew.

    >>> with_block("<!-- begin a -->\nold\n<!-- end a -->", "a", "new").splitlines()
    ['<!-- begin a -->', '', 'new', '', '<!-- end a -->']
    """
    pattern = re.compile(f"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"The page must have one block {name!r}: <!-- begin {name} --> ... <!-- end {name} -->.")
    return pattern.sub(lambda match: f"{match[1]}\n{content}\n\n{match[2]}", text)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown.

    >>> print(markdown_table(["a", "b"], [["1", "2"]]))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])
