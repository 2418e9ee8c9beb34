"""Ling, Huang & Zhang's tables 5 and 6, continued beyond 16 cases."""

from typing import Any

from repro.ling.experiment import PRINTED
from repro.markdown import markdown_table

__all__ = ["tables"]


def tables(results: dict[str, Any]) -> str:
    """The tables as Markdown."""
    rows = sorted((int(name.split()[0]), counts) for name, counts in results.items() if name.endswith(" cases"))
    head = ["cases", "accuracy agrees", "disagrees", "C", "AUC alone differs", "accuracy alone differs", "D"]
    body = [_row(cases, counts) for cases, counts in rows]
    title = f"**Tables 5 and 6** ({PRINTED[0]} to {PRINTED[-1]} cases), and beyond the paper: pairs of lists"
    return f"{title}\n\n{markdown_table(head, body)}"


def _row(cases: int, counts: dict[str, float]) -> list[str]:
    pairs = [
        f"{counts[name]:.0f}" if name in counts else ""
        for name in ("agree", "disagree", "only AUC", "only accuracy")
    ]
    return [str(cases), *pairs[:2], f"{counts['C']:.6f}", *pairs[2:], f"{counts['D']:.5g}"]
