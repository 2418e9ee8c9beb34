"""Tables V and VI of Sampat et al., printed beside measured."""

from pathlib import Path
from typing import Any

from repro.expected import Expected, read_expected
from repro.markdown import markdown_table
from repro.sampat.experiment import MEANS, measured

__all__ = ["tables"]

INDEXES = (
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
    """The tables as Markdown."""
    expected = read_expected(Path(__file__).parent / "expected.toml")
    numbers = measured(results)
    return "\n\n".join([_table_six(expected, numbers), _table_five(expected, numbers)])


def _table_six(expected: list[Expected], measured_numbers: dict[str, dict[str, float]]) -> str:
    """The 84 entries: printed, then measured."""
    columns = [f"Table VI, features 1 to {features}" for features in range(1, 5)]
    published = {(number.table, number.name): number for number in expected if number.table in columns}
    rows = [
        [
            name,
            *(f"{_printed(published[column, name])} / {measured_numbers[column][name]:.4f}" for column in columns),
        ]
        for name in dict.fromkeys(name for _, name in published)
    ]
    head = ["index", "feature 1", "1 and 2", "1 to 3", "1 to 4"]
    return f"**Table VI**: printed / found\n\n{markdown_table(head, rows)}"


def _printed(number: Expected) -> str:
    return f"{'< ' if number.kind == 'at most' else ''}{number.value:g}"


def _table_five(expected: list[Expected], measured_numbers: dict[str, dict[str, float]]) -> str:
    """Means over replicates; pairwise areas and M also folded at 1/2."""
    rows = []
    for case in MEANS:
        title = f"Table V, case {case}"
        printed = {number.name: number.value for number in expected if number.table == title}
        for name in INDEXES:
            folded = f"{name} folded"
            published = printed.get(folded, printed.get(name))
            if published is not None:
                numbers = measured_numbers[title]
                rows.append(
                    [
                        str(case),
                        name,
                        f"{published:g}",
                        f"{numbers[name]:.3f}",
                        f"{numbers[folded]:.3f}" if folded in numbers else "",
                    ]
                )
    return f"**Table V**: means\n\n{markdown_table(['case', 'index', 'printed', 'found', 'found, folded'], rows)}"
