"""Lines of the results: how they are made of samples, stored and read."""

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import truths
from grid import Cell
from models import Data, draw
from quantities import Setting

Rows: TypeAlias = list[dict[str, str]]
Ends: TypeAlias = tuple[float, float]

RESULTS = Path(__file__).parent / "results.csv"
LEVEL = 0.95
COMPETITORS = (
    "wald",
    "logit",
    "mover",
    "bca",
    "percentile",
    "jackknife",
    "unbiased",
    "hanley_mcneil",
    "ungrouped",
)
COLUMNS = (
    *("kind", "measure", "model", "set", "sampling", "values", "sizes", "classifiers", "test", "nominal", "truth"),
    *("replicates", "rate", "below", "above", "nan_share", "median_width"),
    *(f"{name}{what}" for name in COMPETITORS for what in ("", "_width")),
    "bca_replicates",
)
IDENTITY = ("kind", "measure", "model", "values", "sizes", "classifiers", "test", "nominal")  # of a row


class Tally:
    """Intervals of one quantity in one cell: how often they hold the true value, and how wide they are."""

    def __init__(self) -> None:
        self.ends: list[Ends] = []

    def add(self, ends: Ends) -> None:
        """Count one interval."""
        self.ends.append((float(ends[0]), float(ends[1])))

    def summary(self, truth: float) -> dict[str, float]:
        """Coverage, misses on either side, share without an interval (a miss), median width."""
        low, high = np.array(self.ends).T
        width = high - low
        slack = 1e-9  # a true value at the end of an interval, both at the limit of the measure
        return {
            "rate": float(np.mean((low <= truth + slack) & (truth - slack <= high))),
            "below": float(np.mean(high < truth - slack)),
            "above": float(np.mean(low > truth + slack)),
            "nan_share": float(np.mean(np.isnan(width))),
            "median_width": float(np.nanmedian(width)) if np.isfinite(width).any() else math.nan,
        }


def samples_of(cell: Cell, replicates: int) -> Iterator[tuple[int, Data, Setting]]:
    """The samples of a cell: number, cases, and how they are evaluated."""
    setting = truths.setting_of(cell.model)
    for replicate in range(replicates):
        yield replicate, draw(cell.model, cell.values, cell.sizes, cell.rng(replicate)), setting


def true_value(cell: Cell, measure: str, classifier: int = 0) -> float:
    """The true value of a measure for one of the classifiers of a cell."""
    return truths.truth(measure, cell.model, cell.values[classifier], cell.sizes)


def row_of(cell: Cell, kind: str, measure: str, **fields: Any) -> dict[str, str]:
    """A line of the results; rates and widths with four digits, so that they are the same on every machine."""
    shown = {name: f"{value:.4f}" if isinstance(value, float) else str(value) for name, value in fields.items()}
    if "truth" in fields:
        shown["truth"] = f"{fields['truth']:.6f}"
    facts = {
        "kind": kind,
        "measure": measure,
        "model": cell.model_name,
        "set": cell.model.use,
        "sampling": "cohort" if cell.model.cohort else "case-control",
        "values": cell.shown_values,
        "sizes": cell.shown_sizes,
        "classifiers": str(len(cell.values)),
    }
    return dict.fromkeys(COLUMNS, "") | facts | shown


def rejection_row(
    cell: Cell, kind: str, measure: str, pvalues: list[float], test: str, level: float = 0.05
) -> dict[str, str]:
    """How often a true hypothesis is rejected."""
    p = np.array(pvalues)
    rate, missing = float(np.mean(p <= level)), float(np.mean(np.isnan(p)))
    return row_of(
        cell, kind, measure, test=test, nominal=f"{level:g}", replicates=len(p), rate=rate, nan_share=missing
    )


def interval_row(cell: Cell, kind: str, measure: str, truth: float, tallies: dict[str, Tally]) -> dict[str, str]:
    """The row of an interval beside those of other intervals from the same samples."""
    fields: dict[str, Any] = {"nominal": f"{LEVEL:g}", "truth": truth, **tallies["default"].summary(truth)}
    for name in COMPETITORS:
        if name in tallies:
            summary = tallies[name].summary(truth)
            fields |= {name: summary["rate"], f"{name}_width": summary["median_width"]}
    if "bca" in tallies:
        fields["bca_replicates"] = len(tallies["bca"].ends)
    return row_of(cell, kind, measure, replicates=len(tallies["default"].ends), **fields)


def append(path: Path, cell: Cell, rows: Rows) -> None:
    """Add the rows of a finished cell to the file of a run that is under way."""
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, ["cell", *COLUMNS], lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows({"cell": "|".join(cell.key), **row} for row in rows)


def resumed(path: Path | None) -> dict[tuple[str, ...], Rows]:
    """The rows of finished cells of an interrupted run, by cell."""
    done: dict[tuple[str, ...], Rows] = {}
    if path is None or not path.exists():
        return done
    for row in read(path):
        done.setdefault(tuple(row.pop("cell").split("|")), []).append(row)
    return done


def write(rows: Rows, path: Path) -> None:
    """Rows as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def update(rows: Rows, path: Path = RESULTS) -> None:
    """Replace the stored rows of the same cells and quantities; new ones come last, until the next whole run."""
    new = {tuple(row[name] for name in IDENTITY): row for row in rows}
    kept = [new.pop(tuple(row[name] for name in IDENTITY), row) for row in read(path)]
    write([*kept, *new.values()], path)


def read(path: Path = RESULTS) -> Rows:
    """Rows from CSV; by default the committed results."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
