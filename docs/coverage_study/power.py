"""How sharp is the paired test? Size, power, coverage and width beside Wald's (DeLong's) and the permutation test.

    python docs/coverage_study/power.py                 all cells: power.csv and the tables of docs/intervals.md
    python docs/coverage_study/power.py --replicates 200  fewer samples; writes nothing
    python docs/coverage_study/power.py --page          the tables from the results that are there

A cell with equal classifiers gives the size, one with different ones the power; the same samples for all tests.
"""

import argparse
import csv
import os
import re
import sys
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numba
import numpy as np
import numpy.typing as npt
from scipy.stats import norm, rankdata

import polyroc as pr

Array: TypeAlias = npt.NDArray[np.float64]
Data: TypeAlias = tuple[npt.NDArray[np.int64], dict[str, Array]]

FOLDER = Path(__file__).parent
RESULTS, PAGE = FOLDER / "power.csv", FOLDER.parent / "intervals.md"
REPLICATES, REARRANGEMENTS = 2000, 999
MOST_PERMUTED = 110  # cases: with more, the permutation test of all samples takes too long
Z = 1.959963984540054
CORRELATION = 0.5


def noise(rng: np.random.Generator, model: str, n: int, columns: int = 2) -> Array:
    """Draw correlated scores without a shift, at [case, classifier]."""
    z = np.sqrt(CORRELATION) * rng.normal(size=(n, 1)) + np.sqrt(1 - CORRELATION) * rng.normal(size=(n, columns))
    if model == "heavy tails":
        return np.asarray(z / np.sqrt(rng.chisquare(4, (n, 1)) / 4))
    if model == "exponential":  # logarithms of exponential variables: a skewed score
        return np.asarray(np.log(-np.log(norm.sf(z))))
    return z


def two_classes(rng: np.random.Generator, model: str, sizes: tuple[int, ...], shifts: tuple[float, float]) -> Data:
    """Draw cases of two classes; in "mixture", 15 % of the positives are hard for both classifiers."""
    y = np.repeat([0, 1], sizes)
    hard = np.where(rng.random(len(y)) < 0.15, 0.2, 1.0) if model == "mixture" else np.ones(len(y))
    scores = noise(rng, model, len(y)) + np.outer(y * hard, shifts)
    if model == "ratings":
        scores = np.digitize(scores, [-0.5, 0.5, 1.2, 2.0]).astype(float)
    return y, {"a": scores[:, 0], "b": scores[:, 1]}


def probabilities(
    rng: np.random.Generator, model: str, sizes: tuple[int, ...], shifts: tuple[float, float]
) -> Data:
    """Draw the calibrated probabilities of normal scores, for proper scores."""
    y, scores = two_classes(rng, model, sizes, shifts)
    pairs = zip(scores.items(), shifts, strict=True)
    return y, {name: 1 / (1 + np.exp(-(s - shift / 2) * shift)) for (name, s), shift in pairs}


def many_classes(rng: np.random.Generator, _: str, sizes: tuple[int, ...], shifts: tuple[float, float]) -> Data:
    """Draw probabilities of several classes."""
    y, scores = np.repeat(np.arange(len(sizes)), sizes), {}
    shared = rng.normal(size=(len(y), len(sizes)))
    for name, shift in zip("ab", shifts, strict=True):
        own = rng.normal(size=shared.shape)
        x = np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * own + shift * np.eye(len(sizes))[y]
        e = np.exp(1.2 * x)
        scores[name] = e / e.sum(axis=1, keepdims=True)
    return y, scores


def ordered(rng: np.random.Generator, model: str, sizes: tuple[int, ...], shifts: tuple[float, float]) -> Data:
    """Draw one score of ordered classes."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    scores = noise(rng, model, len(y)) + np.outer(y, shifts)
    return y, {"a": scores[:, 0], "b": scores[:, 1]}


@dataclass(frozen=True)
class Cell:
    """A measure, a model and class sizes; a shift by classifier."""

    measure: str
    model: str
    sizes: tuple[int, ...]
    shifts: tuple[float, float]
    draw: Callable[..., Data] = two_classes

    def sample(self, rng: np.random.Generator, times: int = 1) -> Data:
        """Draw cases."""
        return self.draw(rng, self.model, tuple(times * size for size in self.sizes), self.shifts)

    def options(self) -> dict[str, Any]:
        """Return what the verb has to know of the classes."""
        return {"labels": list(range(len(self.sizes)))} if len(self.sizes) > 2 else {}


def cells() -> Iterator[Cell]:
    """Give all cells; the constants of the test were chosen on the normal model."""
    for model, sizes, values in (
        *(
            ("normal", s, v)
            for s, v in (((10, 10), (0.85, 0.85)), ((15, 15), (0.9, 0.71)), ((500, 10), (0.9, 0.9)))
        ),
        *(("normal", s, v) for s, v in (((500, 10), (0.95, 0.83)), ((50, 50), (0.99, 0.948)))),
        *(("normal", s, v) for s, v in (((22, 18), (0.93, 0.93)), ((200, 50), (0.93, 0.88)))),
        *(("exponential", s, v) for s, v in (((15, 15), (0.75, 0.75)), ((15, 15), (0.9, 0.7)))),
        *(("exponential", s, v) for s, v in (((200, 12), (0.85, 0.85)), ((300, 10), (0.95, 0.8)))),
        *(("heavy tails", s, v) for s, v in (((20, 20), (0.8, 0.8)), ((50, 50), (0.97, 0.92)))),
        *(("heavy tails", s, v) for s, v in (((200, 20), (0.95, 0.95)), ((200, 20), (0.97, 0.87)))),
        *(("mixture", s, v) for s, v in (((100, 15), (0.9, 0.9)), ((200, 30), (0.9, 0.8)))),
        *(
            ("ratings", s, v)
            for s, v in (((15, 15), (0.7, 0.7)), ((20, 20), (0.9, 0.75)), ((12, 100), (0.85, 0.7)))
        ),
    ):
        yield Cell("auc", model, sizes, tuple(norm.ppf(v) * 2**0.5 for v in values))  # exact for "normal" alone
    for measure in ("average_precision", "sensitivity(specificity=0.9)", "partial_auc", "brier", "log_loss"):
        draw = probabilities if measure in ("brier", "log_loss") else two_classes
        for model, sizes, shifts in (
            *(("normal", (20, 20), s) for s in ((2.2, 2.2), (2.4, 1.2))),
            *(("exponential", (200, 20), s) for s in ((1.8, 1.8), (2.6, 1.5))),
            *(("heavy tails", (100, 100), s) for s in ((1.5, 1.5), (1.9, 1.4))),
        ):
            if (measure, model) != ("log_loss", "heavy tails"):  # its expectation is infinite
                yield Cell(measure, model, sizes, shifts, draw)
    for measure in ("hand_till", "pdi", "vus"):
        draw = ordered if measure == "vus" else many_classes
        for sizes, shifts in (
            *(((12, 12, 12), s) for s in ((1.2, 1.2), (2.0, 1.0))),
            *(((60, 30, 10), s) for s in ((1.5, 1.5), (2.2, 1.3))),
        ):
            yield Cell(measure, "normal", sizes, shifts, draw)


def true_difference(cell: Cell) -> float:
    """Return the difference in large samples; exactly 0 of equal classifiers."""
    if cell.shifts[0] == cell.shifts[1]:
        return 0.0
    rng, times = np.random.default_rng(0), (300 if len(cell.sizes) == 2 else 60)
    differences = []
    for _ in range(8):
        y, scores = cell.sample(rng, max(1, times * 100 // sum(cell.sizes)))
        values = [
            float(pr.evaluate(y, s, measure=cell.measure, method=None, **cell.options())) for s in scores.values()
        ]
        differences.append(values[0] - values[1])
    return float(np.mean(differences))


@numba.njit(cache=True)
def area(x: Array, n: int) -> float:
    """Return the AUC of n negatives followed by positives."""
    total = 0.0
    for i in range(n, len(x)):
        for j in range(n):
            total += 1.0 if x[i] > x[j] else 0.5 if x[i] == x[j] else 0.0
    return total / (n * (len(x) - n))


@numba.njit(cache=True)
def permutation_pvalue(ranks: Array, n: int, rearrangements: int, rng: np.random.Generator) -> float:
    """Return the p-value of Bandos, Rockette & Gur (2005): each case deals its ranks anew."""
    observed = abs(area(ranks[0], n) - area(ranks[1], n))
    dealt, at_least = ranks.copy(), 1
    for _ in range(rearrangements):
        for i in range(ranks.shape[1]):
            swap = int(rng.random() < 0.5)
            dealt[0, i], dealt[1, i] = ranks[swap, i], ranks[1 - swap, i]
        at_least += abs(area(dealt[0], n) - area(dealt[1], n)) >= observed - 1e-12
    return at_least / (rearrangements + 1)


def simulate(arguments: tuple[int, Cell, int]) -> dict[str, Any]:
    """Return the row of a cell."""
    number, cell, replicates = arguments
    warnings.simplefilter("ignore")
    rng, truth, rows = np.random.default_rng([20261118, number]), true_difference(cell), []
    for _ in range(replicates):
        y, scores = cell.sample(rng)
        difference = pr.compare(y, scores, measure=cell.measure, **cell.options()).difference("a", "b")
        (low, high), error = difference.confidence_interval(), difference.standard_error
        permuted = np.nan
        if cell.measure == "auc" and len(y) <= MOST_PERMUTED:
            ranks = np.array([rankdata(s) for s in scores.values()])
            permuted = permutation_pvalue(ranks, cell.sizes[0], REARRANGEMENTS, rng) <= 0.05
        within = abs(difference.value - truth) <= Z * error + 1e-9
        reject = abs(difference.value) > Z * error
        rows.append(
            (
                low - 1e-9 <= truth <= high + 1e-9,
                difference.pvalue < 0.05,
                high - low,
                within,
                reject,
                error,
                permuted,
            )
        )
    table = np.array(rows, dtype=float)
    coverage, rejected, _, wald_coverage, wald_rejected, _, permuted = table.mean(axis=0)
    return {
        "measure": cell.measure,
        "model": cell.model,
        "sizes": "+".join(map(str, cell.sizes)),
        "difference": f"{truth:.4f}",
        "replicates": replicates,
        "coverage": f"{coverage:.4f}",
        "rejected": f"{rejected:.4f}",
        "width": f"{np.median(table[:, 2]):.4f}",
        "wald_coverage": f"{wald_coverage:.4f}",
        "wald_rejected": f"{wald_rejected:.4f}",
        "wald_width": f"{2 * Z * np.median(table[:, 5]):.4f}",
        "permutation_rejected": "" if np.isnan(permuted) else f"{permuted:.4f}",
    }


HEAD = "| measure | model | cases | difference | coverage | Wald's | {0} | Wald's | permutation | width / Wald's |"


def tables(rows: list[dict[str, str]]) -> str:
    """Return the tables of sizes and of power."""
    parts = []
    for title, equal in (("size", True), ("power", False)):
        lines = [
            HEAD.format(f"{title}, %"),
            "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        for row in rows:
            if (float(row["difference"]) == 0.0) is not equal:
                continue
            shares = [row[key] for key in ("coverage", "wald_coverage", "rejected", "wald_rejected")]
            percent = [
                f"{100 * float(share):.1f}" if share else "" for share in (*shares, row["permutation_rejected"])
            ]
            ratio = float(row["width"]) / max(float(row["wald_width"]), 1e-9)
            cells_ = [row["measure"], row["model"], row["sizes"], f"{float(row['difference']):.3f}", *percent]
            lines.append(f"| {' | '.join(cells_)} | {ratio:.2f} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def write_page() -> None:
    """Put the tables of the results into the page."""
    with RESULTS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    text = PAGE.read_text(encoding="utf-8")
    marked = f"<!-- begin power -->\n{tables(rows)}\n<!-- end power -->"
    PAGE.write_text(re.sub(r"<!-- begin power -->.*<!-- end power -->", marked, text, flags=re.DOTALL))


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--replicates", type=int, default=REPLICATES, help="samples a cell")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; the answer is the same")
    parser.add_argument("--page", action="store_true", help="only write the tables anew")
    chosen = parser.parse_args()
    if not chosen.page:
        tasks = [(number, cell, chosen.replicates) for number, cell in enumerate(cells())]
        with ProcessPoolExecutor(chosen.jobs) as pool:
            rows = list(pool.map(simulate, tasks))
        if chosen.replicates != REPLICATES:
            sys.stdout.write(tables([{key: str(value) for key, value in row.items()} for row in rows]) + "\n")
            return
        with RESULTS.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    write_page()


if __name__ == "__main__":
    main()
