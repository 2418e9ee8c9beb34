"""Tables in Markdown."""

from collections.abc import Iterable, Sequence

__all__ = ["markdown_table"]


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a head; vertical bars in the texts are escaped.

    >>> print(markdown_table(["learner", "AUC"], [["tree", "0.8"]]))
    | learner | AUC |
    |---|---|
    | tree | 0.8 |
    """
    lines = [" | ".join(text.replace("|", r"\|") for text in row) for row in (head, *rows)]
    return "\n".join([f"| {lines[0]} |", "|" + "---|" * len(head), *(f"| {line} |" for line in lines[1:])])
