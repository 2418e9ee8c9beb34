"""Tables in Markdown."""

from collections.abc import Iterable, Sequence

__all__ = ["table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of text below their heads.

    >>> print(table(["learner", "AUC"], [["tree", "0.8"]]))
    | learner | AUC |
    |---|---|
    | tree | 0.8 |
    """
    lines = [" | ".join(cell.replace("|", r"\|") for cell in row) for row in (head, *rows)]
    return "\n".join([f"| {lines[0]} |", "|" + "---|" * len(head), *(f"| {line} |" for line in lines[1:])])
