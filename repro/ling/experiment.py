"""Ling, Huang & Zhang (2003): lists of tables 1 to 4, counts of tables 5 and 6, lemma 1, and the limits."""

from collections.abc import Callable
from functools import partial
from typing import Any

import polyroc as pr

__all__ = ["measured", "steps"]

LISTS = {"classifier 1": (5, 7, 8, 9, 10), "classifier 2": (1, 6, 7, 8, 9)}  # ranks of the five positives
PRINTED = (4, 6, 8, 10, 12, 14, 16)
BEYOND, FAR = (18, 20, 50, 100), (200, 400, 800)
COUNTED = 20  # cases up to which the counts are exact as floating-point numbers


def steps(quick: bool) -> dict[str, Callable[[], Any]]:
    """The lists; then one step for each number of cases."""
    sizes = (*PRINTED, *BEYOND, *(() if quick else FAR))
    counted: dict[str, Callable[[], Any]] = {f"{cases} cases": partial(contrasted, cases) for cases in sizes}
    return {"lists": lists, "values": values, "lemma 1": lemma, **counted}


def lists() -> dict[str, dict[str, float]]:
    """AUC and accuracy of the two lists of tables 1 and 2: ten cases, the upper five called positive."""
    found = {}
    for name, positives in LISTS.items():
        truth, rank = [int(place in positives) for place in range(1, 11)], list(range(1, 11))
        area = pr.evaluate(truth, rank, measure="auc", method=None).value
        right = pr.evaluate(truth, [int(place > 5) for place in rank], measure="accuracy", method=None).value
        found[name] = {"AUC": area, "accuracy": right}
    return found


def values() -> dict[str, float]:
    """How many of the 252 lists of ten have an AUC and an accuracy."""
    joint = pr.compare_measures("auc", "accuracy", positives=5, negatives=5).joint
    cells = zip(joint.first, joint.second, joint.counts, strict=True)
    return {f"{25 * area:.0f}/25, {100 * right:.0f} %": float(count) for area, right, count in cells}


def lemma() -> dict[str, float]:
    """How far the extreme areas of each accuracy are from acc^2 and 1 - (1 - acc)^2, eight cases of each class."""
    joint = pr.compare_measures("auc", "accuracy", positives=8, negatives=8).joint
    lowest, highest = {}, {}
    for area, right in zip(joint.first.tolist(), joint.second.tolist(), strict=True):
        lowest[right] = min(area, lowest.get(right, 1.0))
        highest[right] = max(area, highest.get(right, 0.0))
    return {
        "lower bound": max(abs(area - right**2) for right, area in lowest.items()),
        "upper bound": max(abs(area - (1.0 - (1.0 - right) ** 2)) for right, area in highest.items()),
    }


def contrasted(cases: int) -> dict[str, float]:
    """All pairs of lists with so many cases, half of them positive."""
    found = pr.compare_measures("auc", "accuracy", positives=cases // 2, negatives=cases // 2)
    told = {
        "C": found.consistency,
        "D": found.discriminancy,
        "limit of C": found.asymptotics.limit,
        "growth of D": found.asymptotics.growth,
    }
    counts = dict(zip(("agree", "disagree", "only AUC", "only accuracy"), found.counts, strict=True))
    return told | (counts if cases <= COUNTED else {})


def measured(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The numbers of the tables."""
    found = {f"Tables 1 and 2, {name}": numbers for name, numbers in results["lists"].items()}
    found["Tables 3 and 4, lists of ten with AUC and accuracy"] = results["values"]
    found["Lemma 1"] = results["lemma 1"]
    by_size = {int(name.split()[0]): counts for name, counts in results.items() if name.endswith(" cases")}
    found |= {f"Tables 5 and 6, {cases} cases": counts for cases, counts in by_size.items()}
    largest = by_size[max(by_size)]
    found["Section 3"] = {
        "smallest D up to 16 cases": min(by_size[cases]["D"] for cases in PRINTED),
        "what C approaches": largest["limit of C"],
        "what D approaches": largest["D"],
        "D for each case, in the limit": largest["growth of D"],
    }
    return found
