"""The page: every number in its tables comes from the results."""

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from running import Rows
from ways import LEVEL
from worlds import CLUSTER

PAGE = Path(__file__).parents[1] / "coverage.md"
TOO_LOW = 0.93


def filled(text: str, rows: Rows, candidates: Rows) -> str:
    """The page with each block between <!-- begin NAME --> and <!-- end NAME --> made anew."""
    for name, block in blocks(rows, candidates).items():
        pattern = re.compile(f"(<!-- begin {name} -->\\n).*?(<!-- end {name} -->)", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise ValueError(
                f"The page must have one block {name!r}: <!-- begin {name} --> ... <!-- end {name} -->."
            )
        text = pattern.sub(lambda found, block=block: f"{found[1]}{block}\n{found[2]}", text)
    return text


def blocks(rows: Rows, candidates: Rows) -> dict[str, str]:
    """The generated parts of the page."""
    areas, judged = pick(rows, measure="auc"), pick(rows, study="interval")
    found = {
        "summary": _summary(judged),
        "low": _low_cells(judged),
        "candidates": _candidates(candidates),
        "smallest": _by_smallest(judged),
        "methods": _by_method(judged),
        **{world: _methods_by_cell(areas, world) for world in ("clusters", "rare negatives", "unequal spreads")},
        "tests": _tests_table(rows),
        "effort": _effort(rows),
        "other worlds": _other_worlds(judged),
    }
    for measure, world in (("auc", "normal"), ("auc", "ties"), *((key, "three") for key in MANY_CLASSES)):
        found[f"{measure} {world}"] = _default(rows, measure, world)
    return found


MANY_CLASSES = ("hand_till", "ova", "vus")


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


def shown(sizes: str) -> str:
    """Class sizes with room between them."""
    return sizes.replace("+", " + ")


def smallest(row: Mapping[str, str]) -> int:
    """Cases of the smallest class; groups, if clustered."""
    return min(map(int, row["sizes"].split("+"))) // (CLUSTER if row["world"] == "clusters" else 1)


def unequal(row: Mapping[str, str]) -> bool:
    """True if the classes differ in size."""
    return len(set(row["sizes"].split("+"))) > 1


def place(row: Mapping[str, str]) -> str:
    """A cell in words."""
    return f"{row['measure']}, {row['world']}, {row['nominal']}, {shown(row['sizes'])}"


def share_of(row: Mapping[str, str]) -> float:
    """The coverage, or the share of tests that reject."""
    return float(row["share"])


def _low(rows: Rows) -> int:
    return sum(share_of(row) < TOO_LOW for row in rows)


def _summary(rows: Rows) -> str:
    """How often the default is too low, in words."""
    chosen = pick(rows, method="DeLong")
    parts = {
        "with balanced classes": [row for row in chosen if not unequal(row)],
        "with one class twenty times rarer": [row for row in chosen if unequal(row)],
    }
    counted = [f"{_low(part)} of {len(part)} {name}" for name, part in parts.items()]
    worst = min(chosen, key=share_of)
    lines = [
        f"- The default is below 93 % in {_low(chosen)} of {len(chosen)} cells:\n  {' and '.join(counted)}.",
        f"- The lowest is {100 * share_of(worst):.1f} %, at {place(worst)}.",
    ]
    for kind, name in (("logit", "The plain logit interval"), ("wald", "Wald's interval")):
        other = pick(rows, method=f"DeLong, {kind}")
        least = 100 * min(map(share_of, other))
        lines.append(
            f"- {name}, from the same standard errors, is below 93 % in {_low(other)} of {len(other)} cells,\n"
            f"  and as low as {least:.1f} %."
        )
    return "\n".join(lines)


def _low_cells(rows: Rows) -> str:
    """The cells in which the default is below 93 %, and what the plain logit interval does there."""
    lines = []
    for row in sorted((row for row in pick(rows, method="DeLong") if share_of(row) < TOO_LOW), key=share_of):
        same = {name: row[name] for name in ("measure", "world", "nominal", "sizes")}
        plain = pick(rows, method="DeLong, logit", **same)[0]
        sides = [f"{100 * float(row[name]):.1f}" for name in ("below", "above")]
        lines.append([place(row), f"{100 * share_of(row):.1f}", *sides, f"{100 * share_of(plain):.1f}"])
    return table(["cell", "default", "interval too low", "interval too high", "plain logit"], lines)


def _default(rows: Rows, measure: str, world: str) -> str:
    """Coverage of the default by class sizes and true value."""
    chosen = pick(rows, study="interval", measure=measure, world=world, method="DeLong")
    truths = list(dict.fromkeys(row["nominal"] for row in chosen))
    lines = []
    for sizes in dict.fromkeys(row["sizes"] for row in chosen):
        own = [pick(chosen, sizes=sizes, nominal=truth)[0] for truth in truths]
        lines.append([shown(sizes), *(percent(share_of(row)) for row in own)])
    return table(["cases per class", *truths], lines)


def _other_worlds(rows: Rows) -> str:
    """M, OVA and VUS with ties and clusters, and VUS with a rare middle class: the default and the plain logit."""
    lines = []
    for key in MANY_CLASSES:
        for world in ("ties", "clusters", "rare middle"):
            for row in pick(rows, measure=key, world=world, method="DeLong"):
                same = {name: row[name] for name in ("measure", "world", "nominal", "sizes")}
                others = [
                    pick(rows, method=method, **same) for method in ("DeLong, logit", "DeLong, groups ignored")
                ]
                told = [percent(share_of(found[0])) if found else "" for found in others]
                lines.append([place(row), percent(share_of(row)), *told])
    return table(["cell", "default", "plain logit", "default, groups ignored"], lines)


def _by_smallest(rows: Rows) -> str:
    """The default by the size of the smallest class, over all measures and worlds."""
    bins = ((1, 1), (2, 2), (5, 5), (7, 10), (20, 25), (50, 100), (200, 1000))
    lines = []
    for low, high in bins:
        inside = [row for row in pick(rows, method="DeLong") if low <= smallest(row) <= high]
        plain = [row for row in pick(rows, method="DeLong, logit") if low <= smallest(row) <= high]
        shares = [share_of(row) for row in inside]
        wider = np.mean([float(a["width"]) / float(b["width"]) for a, b in zip(inside, plain, strict=True)])
        size = str(low) if low == high else f"{low} to {high}"
        counts = [f"{_low(inside)} of {len(inside)}", f"{100 * np.mean(shares):.1f}", f"{100 * min(shares):.1f}"]
        was = [f"{_low(plain)}", f"{100 * np.mean([share_of(row) for row in plain]):.1f}"]
        lines.append([size, *counts, place(min(inside, key=share_of)), *was, f"{wider:.2f}"])
    head = ["smallest class", "below 93 %", "mean", "lowest", "lowest where"]
    return table([*head, "plain logit: below 93 %", "mean", "width against it"], lines)


REGIONS: dict[str, Callable[[int, bool], bool]] = {
    "balanced, up to 25": lambda n, rare: not rare and n <= 25,
    "balanced, 50 and more": lambda n, rare: not rare and n >= 50,
    "1:20, rare 1 to 5": lambda n, rare: rare and n <= 5,
    "1:20, rare 20 and more": lambda n, rare: rare and n >= 20,
}


def _by_method(rows: Rows) -> str:
    """Mean and lowest coverage of every method, and its width against the default's."""
    lines = []
    for measure, world in (("auc", "normal"), ("auc", "ties"), *((key, "three") for key in MANY_CLASSES)):
        chosen = pick(rows, measure=measure, world=world)
        usual = {(row["sizes"], row["nominal"]): float(row["width"]) for row in pick(chosen, method="DeLong")}
        for method in dict.fromkeys(row["method"] for row in chosen):
            own = pick(chosen, method=method)
            ratio = np.mean([float(row["width"]) / usual[row["sizes"], row["nominal"]] for row in own])
            ranges = [_range(own, region) for region in REGIONS.values()]
            lines.append([f"{measure}, {world}: {method}", *ranges, f"{ratio:.2f}"])
    return table(["method", *REGIONS, "width"], lines)


def _range(rows: Rows, region: Callable[[int, bool], bool]) -> str:
    """Mean and lowest coverage over the cells of a region."""
    shares = [share_of(row) for row in rows if region(smallest(row), unequal(row))]
    return f"{100 * np.mean(shares):.1f} ({percent(min(shares))})" if shares else ""


def _candidates(rows: Rows) -> str:
    """For each candidate and region: cells below 93 %, mean and lowest coverage, width against the logit's."""
    regions: dict[str, Callable[[int, bool], bool]] = {
        "balanced": lambda _, rare: not rare,
        "1:20, rare 20 to 95": lambda n, rare: rare and n >= 20,
        "1:20, rare 2 or 5": lambda n, rare: rare and n <= 5,
    }
    usual = {place(row): float(row["width"]) for row in pick(rows, candidate="logit")}
    lines = []
    for label in dict.fromkeys(row["candidate"] for row in rows):
        line = [label]
        for region in regions.values():
            inside = [row for row in pick(rows, candidate=label) if region(smallest(row), unequal(row))]
            shares = [share_of(row) for row in inside]
            ratios = [float(row["width"]) / usual[place(row)] for row in inside]
            width = f"x {math.exp(np.mean(np.log(ratios))):.2f}"
            line.append(
                f"{_low(inside)} of {len(inside)}; {100 * np.mean(shares):.1f} ({100 * min(shares):.1f}); {width}"
            )
        lines.append(line)
    return table(["interval", *regions], lines)


def _methods_by_cell(rows: Rows, world: str) -> str:
    """Coverage of every method in every cell of a world."""
    chosen = pick(rows, world=world)
    columns = list(dict.fromkeys((row["nominal"], row["sizes"]) for row in chosen))
    lines = []
    for method in dict.fromkeys(row["method"] for row in chosen):
        own = [pick(chosen, method=method, nominal=a, sizes=n)[0] for a, n in columns]
        lines.append([method, *(percent(share_of(row)) for row in own)])
    return table(["method", *(f"{a}: {shown(n)}" for a, n in columns)], lines)


def _tests_table(rows: Rows) -> str:
    """Share of tests that reject at 5 % where both classifiers are equally good."""
    chosen = pick(rows, study="test")
    methods = list(dict.fromkeys(row["method"] for row in chosen))
    lines = []
    for measure, truth, sizes in dict.fromkeys((row["measure"], row["nominal"], row["sizes"]) for row in chosen):
        own = pick(chosen, measure=measure, nominal=truth, sizes=sizes)
        found = [pick(own, method=method) for method in methods]
        told = [f"{100 * share_of(each[0]):.1f}" if each else "" for each in found]
        bare = pick(own, method="DeLong")[0]["bare"]
        lines.append([f"{measure} {truth}: {shown(sizes)}", *told, f"{100 * float(bare):.1f}"])
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
