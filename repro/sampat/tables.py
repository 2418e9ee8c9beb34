"""Tables V and VI of Sampat et al., printed beside found."""

from pathlib import Path
from typing import Any

from repro.expected import Expected, read_expected
from repro.sampat.experiment import MEANS, measured
from repro.telling import table

__all__ = ["tables"]

SPREAD = (
    "A(1|2)",
    "A(2|3)",
    "M",
    "OVA 1",
    "OVA 2",
    "OVA 3",
    "OVA mean",
    "HT3",
    "vol1",
    "vol2",
    "vol3",
    "Nakas",
    "He",
)


def tables(results: dict[str, Any]) -> str:
    """Markdown."""
    expected = read_expected(Path(__file__).parent / "expected.toml")
    found = measured(results)
    return "\n\n".join([_table_six(expected, found), _table_five(expected, found)])


def _table_six(expected: list[Expected], found: dict[str, dict[str, float]]) -> str:
    """84 cells: printed, then found."""
    columns = [f"Table VI, features 1 to {features}" for features in range(1, 5)]
    cells = {(number.table, number.name): number for number in expected if number.table in columns}
    rows = [
        [name, *(f"{_printed(cells[column, name])} / {found[column][name]:.4f}" for column in columns)]
        for name in dict.fromkeys(name for _, name in cells)
    ]
    head = ["index", "feature 1", "1 and 2", "1 to 3", "1 to 4"]
    return f"**Table VI**: printed / found\n\n{table(head, rows)}"


def _printed(number: Expected) -> str:
    return f"{'< ' if number.kind == 'at most' else ''}{number.published:g}"


def _table_five(expected: list[Expected], found: dict[str, dict[str, float]]) -> str:
    """Means over replicates; pairwise areas and M also folded at 1/2."""
    rows = []
    for case in MEANS:
        title = f"Table V, case {case}"
        printed = {number.name: number.published for number in expected if number.table == title}
        for name in SPREAD:
            folded = f"{name} folded"
            told = printed.get(folded, printed.get(name))
            if told is not None:
                here = found[title]
                rows.append(
                    [
                        str(case),
                        name,
                        f"{told:g}",
                        f"{here[name]:.3f}",
                        f"{here[folded]:.3f}" if folded in here else "",
                    ]
                )
    return f"**Table V**: means\n\n{table(['case', 'index', 'printed', 'found', 'found, folded'], rows)}"
