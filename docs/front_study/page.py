"""The tables of docs/fronts.md, from results.csv."""

import csv
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

PAGE = Path(__file__).parents[1] / "fronts.md"
START, END = "<!-- front study: {} -->", "<!-- end of {} -->"
COLUMNS = {
    "search": "search",
    "generations": "generations",
    "points": "points",
    "fewest_errors": "fewest errors",
    "gini": "G",
    "lately": "of it lately",
    "only_this": "delta(this, k-nn)",
    "only_knn": "delta(k-nn, this)",
}

SPLIT = {
    "search": "search",
    "points": "points",
    "still_not_dominated": "not dominated on the other half",
    "gini_found": "G where found",
    "gini_other_half": "G on the other half",
}


def filled(text: str, rows: list[dict[str, str]], halves: list[dict[str, str]]) -> str:
    """The page with its tables made of the results."""
    tables = {
        "halves": ranges(halves, SPLIT),
        **{name: plain(name) for name in ("costs", "full", "intervals", "lines", "operate")},
    }
    tables["searches"] = means(stored("searches"))
    for kind in ("synthetic", "vehicle", "image"):
        chosen = [row for row in rows if row["data"].startswith(kind)]
        draws = [row | {"data": "synthetic"} for row in chosen] if kind == "synthetic" else chosen
        tables[kind] = ranges(draws, COLUMNS)
    for kind, table in tables.items():
        start, end = START.format(kind), END.format(kind)
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = f"{before}{start}\n{table}\n{end}{after}"
    return text


def write(rows: Iterable[dict[str, Any]], path: Path) -> None:
    """Rows as CSV, each on disk as soon as it is known."""
    with path.open("w", newline="") as file:
        table: csv.DictWriter[str] | None = None
        for row in rows:
            if table is None:
                table = csv.DictWriter(file, list(row), lineterminator="\n")
                table.writeheader()
            table.writerow(row)
            file.flush()


def stored(name: str) -> list[dict[str, str]]:
    """The rows of a file of results."""
    with (Path(__file__).parent / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def plain(name: str) -> str:
    """A file of results as a table."""
    with (Path(__file__).parent / f"{name}.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    lines = ["| " + " | ".join(column.replace("_", " ") for column in header) + " |", "|---" * len(header) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def ranges(rows: list[dict[str, str]], columns: dict[str, str]) -> str:
    """A line for each set and search: where there are several draws or splits, the smallest to the largest."""
    lines = ["| data | " + " | ".join(columns.values()) + " |", "|---" * (1 + len(columns)) + "|"]
    for data, name in dict.fromkeys((row["data"], row["search"]) for row in rows):
        same = [row for row in rows if (row["data"], row["search"]) == (data, name)]
        cells = [data, name] + [span([row[column] for row in same]) for column in list(columns)[1:]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def means(rows: list[dict[str, str]]) -> str:
    """A line for each set, number of evaluations and search: means over seeds, and the range of G."""
    lines = ["| data | evaluations | search | seeds | mean G | range | CPU seconds |", "|---" * 7 + "|"]
    keys = ("data", "evaluations", "search")
    searches = dict.fromkeys(tuple(row[name] for name in keys) for row in rows)
    for key in sorted(searches, key=lambda k: (k[0], int(k[1]))):
        same = [row for row in rows if tuple(row[name] for name in keys) == key]
        gini, seconds = ([float(row[name]) for row in same] for name in ("gini", "seconds"))
        cells = [*key, str(len(same)), f"{fmean(gini):.4f}", span([row["gini"] for row in same])]
        lines.append("| " + " | ".join([*cells, f"{fmean(seconds):.1f}"]) + " |")
    return "\n".join(lines)


def span(values: list[str]) -> str:
    """The smallest to the largest."""
    numbers = sorted((value for value in values if value), key=float)
    if not numbers:
        return ""
    return numbers[0] if numbers[0] == numbers[-1] else f"{numbers[0]} to {numbers[-1]}"
