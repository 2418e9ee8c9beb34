"""Running the grid: every cell has its own seed and every replicate its own stream, so any order will do."""

import csv
import math
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from cells import Cell, cells
from ways import LEVEL, Way, intervals, ways
from worlds import Data, world_of

import polyroc as pr

Rows: TypeAlias = list[dict[str, str]]

RESULTS = Path(__file__).parent / "results.csv"
KEY = ("study", "measure", "world", "nominal", "sizes")


@dataclass
class Tally:
    """What happened in the replicates of one method in one cell."""

    n: int = 0
    hits: int = 0  # intervals that hold the true value, or tests that reject
    below: int = 0  # intervals that lie wholly below the true value
    above: int = 0
    bare: int = 0  # without a standard error above 0 (interval), or without a p-value (test)
    warned: int = 0
    width: float = 0.0

    def add_interval(self, ends: tuple[float, float], truth: float, bare: bool, warned: bool) -> None:
        """Count one interval."""
        low, high = ends
        self.n += 1
        self.hits += low <= truth <= high
        self.below += high < truth
        self.above += low > truth
        self.bare += bare
        self.warned += warned
        self.width += high - low

    def add_test(self, pvalue: float, warned: bool) -> None:
        """Count one test."""
        self.n += 1
        self.hits += pvalue <= 1.0 - LEVEL + 1e-12
        self.bare += math.isnan(pvalue)
        self.warned += warned


def simulate(cell: Cell, share: float = 1.0, only: str = "") -> Rows:
    """The rows of one cell; `share` of the replicates, of the methods whose label contains `only`."""
    truth, draw = world_of(cell)
    chosen = [
        way._replace(replicates=max(20, round(share * way.replicates))) for way in ways(cell) if only in way.label
    ]
    tallies: dict[str, Tally] = {}
    for replicate in range(max(way.replicates for way in chosen)):
        data = draw(cell.rng(replicate))
        for way in chosen:
            if replicate < way.replicates:
                _try(cell, way, data, truth, replicate, tallies)
    return [_row(cell, truth, label, tally) for label, tally in tallies.items()]


def _try(cell: Cell, way: Way, data: Data, truth: float, replicate: int, tallies: dict[str, Tally]) -> None:
    """One method on one sample."""
    method = replace(way.method, rng=replicate) if hasattr(way.method, "rng") else way.method
    asked = data if way.grouped else {name: value for name, value in data.items() if name != "groups"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if cell.study == "test":
            found = pr.compare(**asked, measure=cell.measure, method=method).difference("a", "b")
            tallies.setdefault(way.label, Tally()).add_test(found.pvalue, bool(caught))
            return
        estimate = pr.evaluate(**asked, measure=cell.measure, method=method)
        ends = dict(intervals(way.label, estimate))
    for label, each in ends.items():
        bare = not estimate.standard_error > 1e-12
        tallies.setdefault(label, Tally()).add_interval(each, truth, bare, bool(caught))


def _row(cell: Cell, truth: float, label: str, tally: Tally) -> dict[str, str]:
    """A line of the results; shares and widths with four digits, so that they are the same on every machine."""
    p, n = tally.hits / tally.n, tally.n
    return dict(zip(KEY, cell.key, strict=True)) | {
        "truth": f"{truth:.6f}",
        "cases": str(sum(cell.sizes)),
        "method": label,
        "replicates": str(n),
        "hits": str(tally.hits),
        "share": f"{p:.4f}",
        "monte_carlo_error": f"{math.sqrt(p * (1.0 - p) / n):.4f}",
        "below": f"{tally.below / n:.4f}",
        "above": f"{tally.above / n:.4f}",
        "width": f"{tally.width / n:.4f}",
        "bare": f"{tally.bare / n:.4f}",
        "warned": f"{tally.warned / n:.4f}",
    }


def run(chosen: list[Cell], share: float, out: Path | None, jobs: int) -> None:
    """The rows of some cells, in the order of the cells.

    What is done is kept beside `out` until all is done, and not done again.
    """
    kept = None if out is None else out.with_suffix(".part")
    rows = read(kept) if kept is not None and kept.exists() else []
    done = {tuple(row[name] for name in KEY) for row in rows}
    left = [cell for cell in chosen if cell.key not in done]
    start = time.perf_counter()
    with ProcessPoolExecutor(jobs) as pool:
        found = pool.map(simulate, left, [share] * len(left))
        for number, (cell, new) in enumerate(zip(left, found, strict=True), start=1):
            rows += new
            seconds = time.perf_counter() - start
            sys.stdout.write(f"{number}/{len(left)} {seconds:.0f} s  {cell.name}: DeLong {new[0]['share']}\n")
            sys.stdout.flush()
            if kept is not None:
                write(rows, kept)
    if out is not None and kept is not None:
        place = {cell.key: i for i, cell in enumerate(cells())}
        write(sorted(rows, key=lambda row: place[tuple(row[name] for name in KEY)]), out)
        kept.unlink(missing_ok=True)


def write(rows: Rows, path: Path) -> None:
    """Rows as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read(path: Path = RESULTS) -> Rows:
    """Rows from CSV; by default the committed results."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
