"""The numbers of the five papers that `polyroc reproduce` must agree with, from the files it reads them from."""

import tomllib
from pathlib import Path
from typing import Any

REPRO = Path(__file__).parents[2] / "repro"
PAPERS = {
    "hand_till": "Hand & Till (2001)",
    "ling": "Ling, Huang & Zhang (2003)",
    "sampat": "Sampat et al. (2009)",
    "everson": "Everson & Fieldsend (2005)",
    "bradley": "Bradley (1997)",
}


def groups(paper: str) -> list[dict[str, Any]]:
    """The groups of numbers of a paper."""
    entries: list[dict[str, Any]] = tomllib.loads((REPRO / paper / "expected.toml").read_text())["group"]
    return entries


def tables() -> str:
    """A table for each paper: where the numbers stand, how many they are, how closely they must agree, and why."""
    return "\n\n".join(f"### {name}: table by table\n\n{_table(paper)}" for paper, name in PAPERS.items())


def _table(paper: str) -> str:
    rows = [
        f"| {group['table']} | {len(group['numbers'])} | {_requirement(group)} | {_cell(group['reason'])} |"
        for group in groups(paper)
    ]
    return "\n".join(["| where | numbers | required | why |", "|---|---|---|---|", *rows])


def _cell(text: str) -> str:
    """Text that does not end a cell of a table, nor begin a formula or a tag."""
    return text.replace("|", r"\|").replace("$", r"\$").replace("<", r"\<")


def _requirement(group: dict[str, Any]) -> str:
    kind, tolerance = group.get("kind", "agrees"), group.get("tolerance", 0)
    if kind in ("shown", "not obtainable"):
        return kind
    if kind == "misprint":
        return f"misprint: off by more than {tolerance:g}"
    return f"{kind}, exactly" if tolerance == 0 else f"{kind}, within {tolerance:g}"
