"""What the Python programs share: read the sets, ask a function for every item, print `set,item,answer` lines."""

import csv
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Data:
    """One data set as arrays."""

    y: np.ndarray
    predictions: dict[str, np.ndarray]  # one score per case, or a row per case
    weights: np.ndarray | None
    groups: np.ndarray | None
    facts: dict[str, Any]  # what the answer file says beside the items

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.facts["classes"])

    @property
    def is_plain(self) -> bool:
        """Neither weights nor groups."""
        return self.weights is None and self.groups is None


Answer = Callable[[dict[str, Any], Data], float | None]


def load(folder: Path, facts: dict[str, Any]) -> Data:
    """The data of an answer file."""
    if facts.get("recipe"):
        i = np.arange(1, facts["cases"] + 1, dtype=np.int64)
        q, r = 7368787 * i % 10000019, 15485863 * i % 10000019
        return Data((3 * r < 10000000 + q).astype(np.int64), {"a": (q // 7).astype(float)}, None, None, facts)
    with (folder / f"{facts['name']}.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    column = {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}
    names = dict.fromkeys(key.partition("_")[0] for key in column if key not in ("class", "weight", "group"))
    of = {name: [column[key] for key in column if key.partition("_")[0] == name] for name in names}
    predictions = {name: np.column_stack(found) if len(found) > 1 else found[0] for name, found in of.items()}
    y = column.get("class", np.zeros(0)).astype(np.int64)  # a table of values has no classes
    return Data(y, predictions, column.get("weight"), column.get("group"), facts)


def lines(answer: Answer, folder: Path, largest: int | None = None) -> Iterator[str]:
    """A line for every item that the function answers, or for its exception. Larger data sets are left out."""
    for path in sorted(folder.glob("*.json")):
        facts = json.loads(path.read_text(encoding="utf-8"))
        if largest is not None and facts["cases"] > largest:
            continue
        data = load(folder, facts)
        for number, item in enumerate(facts["items"]):
            try:
                value = answer(item, data)
            except Exception as error:
                text = " ".join(str(error).split())[:80].replace(",", ";")
                yield f"{facts['name']},{number},error: {type(error).__name__} {text}"
                continue
            if value is not None:
                yield f"{facts['name']},{number},{float(value)!r}"


def run(answer: Answer) -> None:
    """Print the lines for the folder that the last argument names."""
    warnings.simplefilter("ignore")
    for line in lines(answer, Path(sys.argv[-1])):
        sys.stdout.write(line + "\n")
