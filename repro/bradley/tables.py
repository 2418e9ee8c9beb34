"""Bradley's tables 4 to 7, printed beside measured, and the groups of Duncan's test."""

from pathlib import Path
from typing import Any

import numpy as np
from repro.bradley.experiment import LEARNERS, TABLES, draws_of, measured, ranges
from repro.expected import read_expected
from repro.markdown import markdown_table

__all__ = ["tables"]

HEAD = [
    "learner",
    "accuracy, published",
    "found",
    "AUC, published",
    "found, paper's thresholds",
    "found, all thresholds",
    "SD of AUC over test sets",
]


def tables(results: dict[str, Any]) -> str:
    """The tables as Markdown."""
    expected = read_expected(Path(__file__).parent / "expected.toml")
    published = {(number.table, number.name): number.value for number in expected}
    numbers = measured(results)
    parts = []
    for name, title in TABLES.items():
        if draws := draws_of(results, name):
            rows = [
                _row(learner, {n: v for (t, n), v in published.items() if t == title}, numbers[title], draws)
                for learner in LEARNERS
                if f"{learner} accuracy" in numbers[title]
            ]
            parts += [
                f"**{title}**, {len(draws)} x 10 test sets",
                markdown_table(HEAD, rows),
                _groups(title, draws[0]),
            ]
    return "\n\n".join(parts)


def _row(
    learner: str, printed: dict[str, float], numbers: dict[str, float], draws: list[dict[str, Any]]
) -> list[str]:
    areas = [draw["learners"][LEARNERS[learner][1]]["AUC, grid"] for draw in draws]
    deviation = 100.0 * float(np.mean([np.std(of_draw, ddof=1) for of_draw in areas]))
    exact = numbers.get(f"{learner} AUC, exact")
    return [
        learner,
        f"{printed[f'{learner} accuracy']:.1f}",
        f"{numbers[f'{learner} accuracy']:.1f}",
        f"{printed[f'{learner} AUC, grid']:.1f}",
        f"{numbers[f'{learner} AUC, grid']:.1f}",
        "" if exact is None else f"{exact:.1f}",
        f"{deviation:.1f}",
    ]


def _groups(title: str, draw: dict[str, Any]) -> str:
    """Learners in order of their means; those that share a letter are underlined together in the paper."""
    lines = []
    for key, test in ranges(title, draw).items():
        letters = test.letters
        row = ", ".join(f"{name} {100.0 * test.values[name]:.1f} {letters[name]}" for name in test.learners)
        lines.append(f"- {key}: {row}")
    return "\n".join([f"Duncan's groups at 5 % in the first ten test sets of {title}:", "", *lines])
