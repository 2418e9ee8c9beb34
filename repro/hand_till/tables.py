"""Hand & Till's table 1: the printed ranks beside those of many splits."""

from collections import Counter
from typing import Any

import numpy as np
from repro.hand_till.experiment import CASES, MEASURES, PUBLISHED, SETS, measured, ranks_of, splits_of
from repro.markdown import markdown_table

__all__ = ["tables"]

HEAD = [
    "set (splits)",
    "measure",
    "mean of logistic, 9-nn, tree",
    "printed ranks",
    "share of splits",
    "commonest ranks",
    "share",
]


def tables(results: dict[str, Any]) -> str:
    """The tables as Markdown."""
    rows = [_row(results, name, symbol) for name in SETS if splits_of(results, name) for symbol in MEASURES]
    numbers = measured(results)
    counts = numbers.get("Table 1, seven sets")
    headline = [
        f"- M and {other} order the rules differently in "
        f"{counts[f'sets in which {other} orders the rules differently']:.1f} of 7 sets "
        f"(sd {counts[f'standard deviation of that number, {other}']:.1f}); the table has 4 of these 7, "
        "ties counted."
        for other in ("C1", "C2")
        if counts
    ]
    equation = [_equation(numbers[f"Equations, {c} classes, mu = {mu:g}"], c, mu) for c, mu in CASES.items()]
    return "\n\n".join(
        [
            "**Table 1**: one split in the paper, many here",
            markdown_table(HEAD, rows),
            "\n".join(headline),
            "**Equations 9 to 11**",
            markdown_table(
                ["classes, mu", "M (9)", "C1 (10)", "C2 (11), 2/(c(c-1))", "C2 (11) as printed, 2/c"], equation
            ),
        ]
    )


def _row(results: dict[str, Any], name: str, symbol: str) -> list[str]:
    rows = splits_of(results, name)
    ranks = Counter(ranks_of(row[symbol]) for row in rows)
    printed = tuple(map(float, PUBLISHED[name][symbol]))
    ((commonest, many),) = ranks.most_common(1)
    means = np.mean([row[symbol] for row in rows], axis=0)
    first = symbol == next(iter(MEASURES))
    return [
        f"{name} ({len(rows)})" if first else "",
        symbol,
        " ".join(f"{mean:.3f}" for mean in means),
        _rank_text(printed),
        f"{ranks[printed] / len(rows):.2f}",
        _rank_text(commonest),
        f"{many / len(rows):.2f}",
    ]


def _rank_text(ranks: tuple[float, ...]) -> str:
    return " ".join(f"{rank:g}" for rank in ranks)


def _equation(numbers: dict[str, float], classes: int, mu: float) -> list[str]:
    names = ("M (9)", "C1 (10)", "C2 (11)", "C2 (11) as printed")
    return [f"{classes}, {mu:g}", *(f"{numbers[name]:.4f}" for name in names)]
