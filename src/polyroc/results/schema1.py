"""Results that were stored in schema 1, in the layout of schema 2.

Schema 1 wrote a mapping by several names in four ways, some mappings by name as lists, and replicates as a list
of three. One function per kind moves what is at another place; entries of the same name and form are read as they
are.
"""

from collections.abc import Callable
from typing import Any

__all__ = ["from_schema_1"]

Data = dict[str, Any]

RENAMED_KINDS = {
    "Contrast": "MeasureComparison",
    "Contrasts": "MeasureComparisons",
    "OrderKept": "OrderStability",
}
RENAMED_ENTRIES = {
    "MeasureComparison": {"world": "model"},
    "MeasureComparisons": {"contrasts": "comparisons"},
}


def from_schema_1(data: Data) -> Data:
    """The data of a result in the layout of schema 2; results inside it are converted when they are read."""
    kind = str(RENAMED_KINDS.get(data["kind"], data["kind"]))
    names = RENAMED_ENTRIES.get(kind, {})
    data = {names.get(name, name): entry for name, entry in data.items()} | {"kind": kind, "schema": 2}
    return {**data, **CHANGED[kind](data)} if kind in CHANGED else data


def _keyed(records: list[Data], *names: str) -> list[Data]:
    """Records of a list, with the key that their entries make."""
    return [{"key": [record[name] for name in names], **record} for record in records]


def _by_name(records: list[Data], name: str) -> Data:
    return {record[name]: record for record in records}


def _estimate(data: Data) -> Data:
    if data["resampled"] is None:
        return {}
    kind, replicates, acceleration = data["resampled"]
    return {"resampled": {"kind": kind, "replicates": replicates, "acceleration": acceleration}}


def _comparison(data: Data) -> Data:
    first = data["estimates"][0]
    low, high = first["limits"]
    kind = None if first["resampled"] is None else first["resampled"][0]
    differences = []
    for row in data["differences"]:
        acceleration = row.get("acceleration")
        resampled = {"kind": kind, "replicates": [], "acceleration": acceleration}
        differences.append(
            {
                **row,
                "value": row["difference"],
                "limits": [low - high, high - low],
                "resampled": None if acceleration is None else resampled,
            }
        )
    return {
        "estimates": _by_name(data["estimates"], "classifier"),
        "differences": _keyed(differences, "first", "second"),
    }


def _grouped(data: Data) -> Data:
    return {"groups": [{"key": row["group"], **row["found"]} for row in data["groups"]]}


def _surface(data: Data) -> Data:
    heights = data["mesh"]["second"]
    columns = len(data["mesh"]["third"]) - 1
    rows = [heights[start : start + columns] for start in range(0, len(heights), columns)]
    return {"mesh": {**data["mesh"], "second": rows}}


def _paired_tests(data: Data) -> Data:
    tests = [{**row, "value": row["difference"]} for row in data["tests"]]
    return {"tests": _keyed(tests, "first", "second")}


CHANGED: dict[str, Callable[[Data], Data]] = {
    "Anova": lambda data: {"table": _by_name(data["table"], "source")},
    "Comparison": _comparison,
    "Estimate": _estimate,
    "Evaluation": lambda data: {"estimates": _keyed(data["estimates"], "classifier", "measure")},
    "Grouped": _grouped,
    "MeasureComparisons": lambda data: {"comparisons": _keyed(data["comparisons"], "first", "second")},
    "OperatingPoint": lambda data: {
        "at_most": [{"key": [true, decided], "value": limit} for true, decided, limit in data["at_most"]]
    },
    "OrderStability": lambda data: {"pairs": [{**row, "reversed": row["turned"]} for row in data["kept"]]},
    "PairedTests": _paired_tests,
    "Posteriors": lambda data: {"pairs": _keyed(data["pairs"], "first", "second")},
    "RangeTest": lambda data: {"df": "inf" if data["df"] is None else data["df"]},
    "Separation": lambda data: {"measures": _by_name(data["measures"], "measure")},
    "Spread": lambda data: {"spreads": _keyed(data["spreads"], "data_set", "learner")},
    "Study": lambda data: {"tables": _keyed(data["tables"], "measure", "data_set")},
    "Surface": _surface,
}
