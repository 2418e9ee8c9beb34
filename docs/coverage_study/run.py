"""Are the error bars honest? The coverage of the 95 % interval and the size of the paired test, by simulation.

    python docs/coverage_study/run.py              all cells on all cores; writes results.csv and the page
    python docs/coverage_study/run.py --quick      a twentieth of the replicates, a minute; writes nothing
    python docs/coverage_study/run.py hand_till    cells whose name contains the word; writes nothing without --out
    python docs/coverage_study/run.py --page       docs/coverage.md anew from results.csv
    python docs/coverage_study/run.py --figure     docs/coverage.svg anew from results.csv (needs matplotlib)

Every cell has its own seed and every replicate its own stream, so the answer is the same in any order.
"""

import argparse
import csv
import math
import os
import re
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

import polyroc as pr
from polyroc import datasets

HERE = Path(__file__).parent
RESULTS, PAGE, FIGURE = HERE / "results.csv", HERE.parent / "coverage.md", HERE.parent / "coverage.svg"
LEVEL, TOO_LOW, QUICK = 0.95, 0.93, 0.05

TRUTHS = (0.6, 0.8, 0.95, 0.99)
BALANCED = ((10, 10), (25, 25), (50, 50), (200, 200), (1000, 1000))
RARE = ((20, 1), (40, 2), (100, 5), (400, 20), (1900, 95))
THREE_BALANCED = ((7, 7, 7), (20, 20, 20), (100, 100, 100))
THREE_RARE = ((40, 40, 2), (100, 100, 5), (400, 400, 20))
CLUSTER, SHARED = 3, 0.5  # cases per group, share of the variance that a group has in common
NARROW = 0.5  # standard deviation of the positives over that of the negatives, in the world of unequal spreads
CORRELATION = 0.5  # of two classifiers' scores within a class

Floats: TypeAlias = npt.NDArray[np.float64]
Data: TypeAlias = dict[str, Any]  # y_true, y_score and, if there are any, groups
Draw: TypeAlias = Callable[[np.random.Generator], Data]


@dataclass(frozen=True)
class Cell:
    """One world at one size: what is asked of it, its nominal true value and the cases per class."""

    study: str  # "interval" or "test"
    measure: str
    world: str
    nominal: float
    sizes: tuple[int, ...]

    @property
    def name(self) -> str:
        """What the seed is made of, and the key in the table."""
        return f"{self.study} {self.measure} {self.world} {self.nominal:g} {self.shown_sizes}"

    @property
    def shown_sizes(self) -> str:
        """Cases per class, the rare one first."""
        return "+".join(map(str, sorted(self.sizes)))

    def rng(self, replicate: int) -> np.random.Generator:
        """The random numbers of one replicate."""
        return np.random.default_rng([zlib.crc32(self.name.encode()), replicate])


def cells() -> list[Cell]:
    """The whole grid, in the order of the results."""
    found = [Cell("interval", "auc", "normal", a, n) for a in TRUTHS for n in BALANCED + RARE]
    some = ((10, 10), (50, 50), (100, 5), (400, 20))
    found += [Cell("interval", "auc", "ties", a, n) for a in TRUTHS[1:] for n in some]
    grouped = ((30, 30), (150, 150), (300, 15))
    found += [Cell("interval", "auc", "clusters", a, n) for a in (0.8, 0.95) for n in grouped]
    rare_negatives = ((5, 100), (20, 400))
    found += [Cell("interval", "auc", "rare negatives", a, n) for a in TRUTHS for n in rare_negatives]
    spreads = ((50, 50), (20, 400))
    found += [Cell("interval", "auc", "unequal spreads", a, n) for a in (0.8, 0.95) for n in spreads]
    three = THREE_BALANCED + THREE_RARE
    found += [Cell("interval", key, "three", a, n) for key in ("hand_till", "ova") for a in TRUTHS for n in three]
    tested = ((10, 10), (50, 50), (200, 200), (100, 5), (400, 20))
    found += [Cell("test", "auc", "normal", a, n) for a in (0.8, 0.95, 0.99) for n in tested]
    tested_three = ((7, 7, 7), (20, 20, 20), (100, 100, 5))
    found += [Cell("test", "hand_till", "three", a, n) for a in (0.8, 0.95) for n in tested_three]
    return found


# Worlds: the true value, and how to draw from it.


def world_of(cell: Cell) -> tuple[float, Draw]:
    """The true value of a cell's measure, and its sampler."""
    if cell.study == "test":
        return cell.nominal, lambda rng: _two_classifiers(cell, rng)
    if cell.measure == "auc":
        return _binormal(cell)
    world = datasets.HandTill(classes=3, mu=_distance(cell.nominal))
    truth = world.hand_till if cell.measure == "hand_till" else _true_ova(world.mu, cell.sizes)
    return truth, lambda rng: dict(zip(("y_true", "y_score"), world.sample(cell.sizes, rng), strict=True))


def _binormal(cell: Cell) -> tuple[float, Draw]:
    """Normal scores: as they are, rounded to whole standard deviations, or with a share common to a group."""
    ratio = NARROW if cell.world == "unequal spreads" else 1.0
    separation = math.hypot(1.0, ratio) * float(ndtri(cell.nominal))
    world = datasets.Binormal(separation, ratio)

    def draw(rng: np.random.Generator) -> Data:
        y, s = world.sample(cell.sizes, rng)
        if cell.world == "ties":
            return {"y_true": y, "y_score": np.round(s)}
        if cell.world != "clusters":
            return {"y_true": y, "y_score": s}
        groups = np.arange(len(y)) // CLUSTER
        common = rng.standard_normal(groups[-1] + 1)[groups]
        noise = math.sqrt(SHARED) * common + math.sqrt(1.0 - SHARED) * (s - separation * y)
        return {"y_true": y, "y_score": separation * y + noise, "groups": groups}

    return (_rounded_auc(separation) if cell.world == "ties" else world.auc), draw


def _rounded_auc(separation: float) -> float:
    """The area for scores rounded to whole numbers: sum over k of P(pos = k) (P(neg < k) + P(neg = k) / 2)."""
    edges = np.arange(-30.5, 31.0)
    negative, positive = np.diff(ndtr(edges)), np.diff(ndtr(edges - separation))
    return float(positive @ (ndtr(edges[:-1]) + negative / 2.0))


def _distance(m: float) -> float:
    """The mu of three classes for which Hand & Till's M is m."""
    return float(brentq(lambda mu: datasets.HandTill(3, mu).hand_till - m, 0.0, 20.0))


def _true_ova(mu: float, sizes: tuple[int, ...]) -> float:
    """Mean over classes of the area against the others, mixed as they are: A(i|j) = Phi(|i - j| mu / sqrt 2)."""
    n = np.array(sizes, dtype=float)
    d = np.abs(np.subtract.outer(np.arange(len(n)), np.arange(len(n))))
    share = np.where(d > 0, n, 0.0)
    return float(np.mean((share * ndtr(d * mu / math.sqrt(2.0))).sum(axis=1) / share.sum(axis=1)))


def _two_classifiers(cell: Cell, rng: np.random.Generator) -> Data:
    """Two equally good classifiers: Phi of columns that are N(0, 1), or N(separation, 1) for their own class."""
    separation = math.sqrt(2.0) * float(ndtri(cell.nominal))
    y = np.repeat(np.arange(len(cell.sizes)), cell.sizes)
    columns = 1 if cell.measure == "auc" else len(cell.sizes)
    own = np.eye(len(cell.sizes))[y][:, -columns:]
    noise = rng.standard_normal((3, len(y), columns))
    a, b = math.sqrt(CORRELATION), math.sqrt(1.0 - CORRELATION)
    scores = [ndtr(separation * own + a * noise[0] + b * noise[i]) for i in (1, 2)]
    return {"y_true": y, "y_score": dict(zip("ab", (s[:, 0] if columns == 1 else s for s in scores), strict=True))}


# Methods: which, how often, and which intervals each gives.


class Way(NamedTuple):
    """A method as it is tried: its label, its record, replicates, and whether it is told of the groups."""

    label: str
    method: Any
    replicates: int
    grouped: bool = True


def ways(cell: Cell) -> list[Way]:
    """The methods that apply to a cell."""
    if cell.study == "test":
        return _tests(cell)
    often, some, few = (2000, 1000, 200) if cell.measure == "auc" else (1000, 1000, 200)
    found = [Way("DeLong", pr.DeLong(), often)]
    if cell.world == "clusters":
        found.append(Way("DeLong, groups ignored", pr.DeLong(), often, grouped=False))
    elif cell.measure != "ova":
        found.append(Way("Unbiased", pr.Unbiased(), some))
    if cell.measure == "auc" and cell.world != "clusters":
        found += [
            Way(f"HanleyMcNeil, {kind}", pr.HanleyMcNeil(kind), some) for kind in ("nonparametric", "exponential")
        ]
    return [*found, Way("Jackknife", pr.Jackknife(), some), Way("Bootstrap", pr.Bootstrap(n=500), few)]


def _tests(cell: Cell) -> list[Way]:
    found = [Way("DeLong", pr.DeLong(), 2000 if cell.measure == "auc" else 1000)]
    found += [Way("Unbiased", pr.Unbiased(), 1000), Way("Bootstrap", pr.Bootstrap(n=500), 300)]
    if cell.nominal == 0.95 and sum(cell.sizes) < 120:
        found.append(Way("Permutation", pr.Permutation(n=199), 300))
    return found


def intervals(label: str, estimate: pr.Estimate) -> Iterator[tuple[str, tuple[float, float]]]:
    """The intervals that one estimate gives, by label."""
    if label == "Bootstrap":
        for kind in ("bca", "percentile"):
            resampled = None if estimate.resampled is None else estimate.resampled._replace(kind=kind)
            yield f"{label}, {kind}", replace(estimate, resampled=resampled).confidence_interval(LEVEL)
        return
    yield label, estimate.confidence_interval(LEVEL)
    if label == "DeLong":
        yield "DeLong, wald", estimate.confidence_interval(LEVEL, kind="wald")


# Running.


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


def simulate(cell: Cell, share: float = 1.0, only: str = "") -> list[dict[str, str]]:
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
    return {
        "study": cell.study,
        "measure": cell.measure,
        "world": cell.world,
        "nominal": f"{cell.nominal:g}",
        "truth": f"{truth:.6f}",
        "sizes": cell.shown_sizes,
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
    """The rows of some cells, in the order of the cells, written as they come."""
    rows: list[dict[str, str]] = []
    start = time.perf_counter()
    with ProcessPoolExecutor(jobs) as pool:
        found = pool.map(simulate, chosen, [share] * len(chosen))
        for number, (cell, new) in enumerate(zip(chosen, found, strict=True), start=1):
            rows += new
            seconds = time.perf_counter() - start
            _say(f"{number}/{len(chosen)} {seconds:.0f} s  {cell.name}: DeLong {new[0]['share']}")
            if out is not None:
                write(rows, out)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def write(rows: list[dict[str, str]], path: Path) -> None:
    """The results as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read(path: Path = RESULTS) -> list[dict[str, str]]:
    """The committed results."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


# The page: every number in it comes from the results.


Rows: TypeAlias = list[dict[str, str]]


def filled(text: str, rows: Rows) -> str:
    """The page with each block between <!-- begin NAME --> and <!-- end NAME --> made anew."""
    for name, block in blocks(rows).items():
        pattern = re.compile(f"(<!-- begin {name} -->\\n).*?(<!-- end {name} -->)", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise ValueError(
                f"The page must have one block {name!r}: <!-- begin {name} --> ... <!-- end {name} -->."
            )
        text = pattern.sub(lambda found, block=block: f"{found[1]}{block}\n{found[2]}", text)
    return text


def blocks(rows: Rows) -> dict[str, str]:
    """The generated parts of the page."""
    found = {
        "summary": _summary(rows),
        "smallest": _by_smallest(rows),
        "methods": _by_method(rows),
        **{world: _methods_by_cell(rows, world) for world in ("clusters", "rare negatives", "unequal spreads")},
        "tests": _tests_table(rows),
        "effort": _effort(rows),
    }
    for measure, world in (("auc", "normal"), ("auc", "ties"), ("hand_till", "three"), ("ova", "three")):
        found[f"{measure} {world}"] = _default(rows, measure, world)
    return found


def pick(rows: Rows, **wanted: str) -> Rows:
    """The rows that have these values."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def table(head: list[str], lines: list[list[str]]) -> str:
    """A Markdown table, numbers to the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *lines])


def percent(share: float) -> str:
    """A share in per cent; bold where an interval's coverage is below 93 %."""
    return f"**{100 * share:.1f}**" if share < TOO_LOW else f"{100 * share:.1f}"


def smallest(row: Mapping[str, str]) -> int:
    """Cases of the smallest class; groups, if clustered."""
    return min(map(int, row["sizes"].split("+"))) // (CLUSTER if row["world"] == "clusters" else 1)


def _summary(rows: Rows) -> str:
    """How often the default is too low, in words."""
    chosen = pick(rows, study="interval", method="DeLong")
    parts = {
        "with balanced classes": [row for row in chosen if not unequal(row)],
        "with one class twenty times rarer": [row for row in chosen if unequal(row)],
    }
    counted = [f"{_low(part)} of {len(part)} {name}" for name, part in parts.items()]
    worst = min(chosen, key=lambda row: float(row["share"]))
    wald = pick(rows, study="interval", method="DeLong, wald")
    return (
        f"- The default is below 93 % in {_low(chosen)} of {len(chosen)} cells:\n  {' and '.join(counted)}.\n"
        f"- The lowest is {100 * float(worst['share']):.1f} %, at {place(worst)}.\n"
        f"- Wald's interval, from the same standard errors, is below 93 % in {_low(wald)} of {len(wald)} cells."
    )


def _low(rows: Rows) -> int:
    return sum(float(row["share"]) < TOO_LOW for row in rows)


def unequal(row: Mapping[str, str]) -> bool:
    """True if the classes differ in size."""
    return len(set(row["sizes"].split("+"))) > 1


def place(row: Mapping[str, str]) -> str:
    """A cell in words."""
    return f"{row['measure']}, {row['world']}, {row['nominal']}, {row['sizes'].replace('+', ' + ')}"


def _default(rows: Rows, measure: str, world: str) -> str:
    """Coverage of the default by class sizes and true value."""
    chosen = pick(rows, study="interval", measure=measure, world=world, method="DeLong")
    truths = list(dict.fromkeys(row["nominal"] for row in chosen))
    lines = []
    for sizes in dict.fromkeys(row["sizes"] for row in chosen):
        shares = [pick(chosen, sizes=sizes, nominal=truth)[0]["share"] for truth in truths]
        lines.append([sizes.replace("+", " + "), *(percent(float(share)) for share in shares)])
    return table(["cases per class", *truths], lines)


def _by_smallest(rows: Rows) -> str:
    """The default by the size of the smallest class, over all measures and worlds."""
    chosen = pick(rows, study="interval", method="DeLong")
    bins = ((1, 1), (2, 2), (5, 5), (7, 10), (20, 25), (50, 100), (200, 1000))
    lines = []
    for low, high in bins:
        inside = [row for row in chosen if low <= smallest(row) <= high]
        shares = [float(row["share"]) for row in inside]
        worst = min(inside, key=lambda row: float(row["share"]))
        bare = float(np.mean([float(row["bare"]) for row in inside]))
        size = str(low) if low == high else f"{low} to {high}"
        counts = [str(len(inside)), str(_low(inside)), f"{100 * np.mean(shares):.1f}", f"{100 * min(shares):.1f}"]
        lines.append([size, *counts, place(worst), f"{100 * bare:.1f}"])
    head = ["smallest class", "cells", "below 93 %", "mean", "lowest", "lowest where", "Wilson's, % of samples"]
    return table(head, lines)


REGIONS: dict[str, Callable[[int, bool], bool]] = {
    "balanced, up to 25": lambda n, rare: not rare and n <= 25,
    "balanced, 50 and more": lambda n, rare: not rare and n >= 50,
    "1:20, rare 1 to 5": lambda n, rare: rare and n <= 5,
    "1:20, rare 20 and more": lambda n, rare: rare and n >= 20,
}


def _by_method(rows: Rows) -> str:
    """Mean and lowest coverage of every method, and its width against the default's."""
    lines = []
    for measure, world in (("auc", "normal"), ("auc", "ties"), ("hand_till", "three"), ("ova", "three")):
        chosen = pick(rows, study="interval", measure=measure, world=world)
        usual = {(row["sizes"], row["nominal"]): float(row["width"]) for row in pick(chosen, method="DeLong")}
        for method in dict.fromkeys(row["method"] for row in chosen):
            own = pick(chosen, method=method)
            ratio = np.mean([float(row["width"]) / usual[row["sizes"], row["nominal"]] for row in own])
            ranges = [_range(own, region) for region in REGIONS.values()]
            lines.append([f"{measure}, {world}: {method}", *ranges, f"{ratio:.2f}"])
    return table(["method", *REGIONS, "width"], lines)


def _range(rows: Rows, region: Callable[[int, bool], bool]) -> str:
    """Mean and lowest coverage over the cells of a region."""
    inside = [row for row in rows if region(smallest(row), unequal(row))]
    shares = [float(row["share"]) for row in inside]
    return f"{100 * np.mean(shares):.1f} ({percent(min(shares))})" if shares else ""


def _methods_by_cell(rows: Rows, world: str) -> str:
    """Coverage of every method in every cell of a world."""
    chosen = pick(rows, world=world)
    columns = list(dict.fromkeys((row["nominal"], row["sizes"]) for row in chosen))
    lines = []
    for method in dict.fromkeys(row["method"] for row in chosen):
        shares = [pick(chosen, method=method, nominal=a, sizes=n)[0]["share"] for a, n in columns]
        lines.append([method, *(percent(float(share)) for share in shares)])
    return table(["method", *(f"{a}: {n.replace('+', ' + ')}" for a, n in columns)], lines)


def _tests_table(rows: Rows) -> str:
    """Share of tests that reject at 5 % where both classifiers are equally good."""
    chosen = pick(rows, study="test")
    methods = list(dict.fromkeys(row["method"] for row in chosen))
    lines = []
    for measure, truth, sizes in dict.fromkeys((row["measure"], row["nominal"], row["sizes"]) for row in chosen):
        own = pick(chosen, measure=measure, nominal=truth, sizes=sizes)
        shown = [
            f"{100 * float(found[0]['share']):.1f}" if found else ""
            for found in (pick(own, method=m) for m in methods)
        ]
        bare = pick(own, method="DeLong")[0]["bare"]
        lines.append([f"{measure} {truth}: {sizes.replace('+', ' + ')}", *shown, f"{100 * float(bare):.1f}"])
    return table(["cell", *methods, "no p-value (DeLong)"], lines)


def _effort(rows: Rows) -> str:
    """How many replicates each method had, and what that makes of a coverage of 95 %."""
    most: dict[str, list[int]] = {}
    for row in rows:
        most.setdefault(row["method"].split(",")[0], []).append(int(row["replicates"]))
    lines = []
    for method, counts in most.items():
        low, high = min(counts), max(counts)
        error = 100 * math.sqrt(LEVEL * (1 - LEVEL) / low)
        lines.append([method, f"{low}" if low == high else f"{low} to {high}", f"{error:.1f}"])
    return table(["method", "replicates per cell", "Monte Carlo error at 95 %, points, at most"], lines)


# The figure.

DRAWN = {  # Okabe & Ito's colours
    "DeLong": ("DeLong (default: logit)", "#000000", "o", "-"),
    "DeLong, wald": ("DeLong, Wald", "#E69F00", "s", "--"),
    "Unbiased": ("Unbiased", "#56B4E9", "^", "-."),
    "HanleyMcNeil, exponential": ("Hanley & McNeil, exponential", "#009E73", "D", "-"),
    "Bootstrap, bca": ("Bootstrap, BCa", "#CC79A7", "v", ":"),
    "Bootstrap, percentile": ("Bootstrap, percentile", "#D55E00", "x", ":"),
}
FLOOR = 0.7


def draw_figure(rows: Rows, path: Path) -> None:
    """Coverage of the AUC's interval against the number of cases, by true value and balance."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams |= {"svg.hashsalt": "polyroc", "svg.fonttype": "none", "font.size": 9}
    figure = Figure(figsize=(11, 6.2), layout="constrained")
    axes = figure.subplots(2, len(TRUTHS), sharex="row", sharey=True)
    for line, (kind, sizes) in enumerate((("balanced", BALANCED), ("1 : 20", RARE))):
        for column, truth in enumerate(TRUTHS):
            _panel(axes[line, column], rows, truth, sizes)
            axes[line, column].set_title(f"AUC {truth:g}, {kind}", fontsize=10)
        axes[line, 0].set_ylabel("coverage of the 95 % interval, %")
    for axis in axes[1]:
        axis.set_xlabel("cases")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def _panel(axis: Any, rows: Rows, truth: float, sizes: tuple[tuple[int, ...], ...]) -> None:
    shown = {"+".join(map(str, sorted(each))) for each in sizes}
    for method, (label, colour, marker, style) in DRAWN.items():
        own = pick(rows, study="interval", measure="auc", world="normal", nominal=f"{truth:g}", method=method)
        own = [row for row in own if row["sizes"] in shown]
        x, y = [int(row["cases"]) for row in own], [100 * max(FLOOR, float(row["share"])) for row in own]
        width = 2.2 if method == "DeLong" else 1.2
        axis.plot(x, y, style, color=colour, marker=marker, markersize=4, linewidth=width, label=label)
    axis.axhline(95, color="#777777", linewidth=0.8)
    axis.axhline(93, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)))
    axis.set(xscale="log", ylim=(100 * FLOOR - 1, 101))
    axis.set_xticks([20, 100, 500, 2000], ["20", "100", "500", "2000"])
    axis.minorticks_off()
    axis.spines[["top", "right"]].set_visible(False)


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="?", default="", help="cells whose name contains this")
    parser.add_argument("--quick", action="store_true", help="few replicates, nothing written")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; the answer is the same")
    parser.add_argument("--out", type=Path, help="where to write the rows, instead of results.csv")
    parser.add_argument("--page", action="store_true", help="only write the page anew from results.csv")
    parser.add_argument("--figure", action="store_true", help="only draw the figure anew from results.csv")
    asked = parser.parse_args(arguments)
    if asked.figure:
        draw_figure(read(), FIGURE)
        return
    whole = not (asked.quick or asked.only or asked.out)  # only a whole run may change what is committed
    if not asked.page:
        chosen = [cell for cell in cells() if asked.only in cell.name]
        run(chosen, QUICK if asked.quick else 1.0, asked.out or (RESULTS if whole else None), asked.jobs)
    if asked.page or whole:
        PAGE.write_text(filled(PAGE.read_text(), read()))


if __name__ == "__main__":
    main()
