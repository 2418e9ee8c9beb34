"""Ling, Huang & Zhang (2003): lists of tables 1 to 4, counts of tables 5 and 6, lemma 1, and the limits."""

from collections.abc import Callable
from functools import partial
from typing import Any

from repro.evaluation import value

import polyroc as pr
from polyroc.consistency.result import MeasureComparison

__all__ = ["measured", "steps"]

LISTS = {
    "classifier 1": (5, 7, 8, 9, 10),
    "classifier 2": (1, 6, 7, 8, 9),
}  # ranks of the five positives
PRINTED = (4, 6, 8, 10, 12, 14, 16)
BEYOND, FAR = (18, 20, 50, 100), (200, 400, 800)
MOST_COUNTED = 20  # cases up to which all counts are exact as floating-point numbers


def steps(quick: bool) -> dict[str, Callable[[], Any]]:
    """The lists, then one step for each number of cases."""
    sizes = (*PRINTED, *BEYOND, *(() if quick else FAR))
    by_size: dict[str, Callable[[], Any]] = {f"{cases} cases": partial(compared, cases) for cases in sizes}
    return {"lists": lists, "values": values, "lemma 1": lemma, **by_size}


def lists() -> dict[str, dict[str, float]]:
    """AUC and accuracy of the two lists of tables 1 and 2: ten cases, the upper five predicted positive."""
    values = {}
    for name, positives in LISTS.items():
        truth, rank = [int(place in positives) for place in range(1, 11)], list(range(1, 11))
        decisions = [int(place > 5) for place in rank]
        values[name] = {"AUC": value(truth, rank, "auc"), "accuracy": value(truth, decisions, "accuracy")}
    return values


def values() -> dict[str, float]:
    """How many of the 252 lists of ten cases have each AUC and accuracy."""
    joint = _comparison(5).joint
    assert joint is not None
    entries = zip(joint.first, joint.second, joint.counts, strict=True)
    return {f"{25 * area:.0f}/25, {100 * accuracy:.0f} %": float(count) for area, accuracy, count in entries}


def _comparison(per_class: int) -> MeasureComparison:
    comparison = pr.compare_measures("auc", "accuracy", positives=per_class, negatives=per_class)
    assert isinstance(comparison, MeasureComparison)
    return comparison


def lemma() -> dict[str, float]:
    """Distance of the extreme areas at each accuracy from acc^2 and 1 - (1 - acc)^2, eight cases of each class."""
    joint = _comparison(8).joint
    assert joint is not None
    lowest: dict[float, float] = {}
    highest: dict[float, float] = {}
    for area, accuracy in zip(joint.first.tolist(), joint.second.tolist(), strict=True):
        lowest[accuracy] = min(area, lowest.get(accuracy, 1.0))
        highest[accuracy] = max(area, highest.get(accuracy, 0.0))
    return {
        "lower bound": max(abs(area - accuracy**2) for accuracy, area in lowest.items()),
        "upper bound": max(abs(area - (1.0 - (1.0 - accuracy) ** 2)) for accuracy, area in highest.items()),
    }


def compared(cases: int) -> dict[str, float]:
    """AUC against accuracy over all pairs of lists with this number of cases, half of them positive."""
    comparison = _comparison(cases // 2)
    limits = comparison.asymptotics
    assert limits is not None
    numbers = {
        "C": comparison.consistency,
        "D": comparison.discriminancy,
        "limit of C": limits.limit,
        "growth of D": limits.growth,
    }
    counts = dict(zip(("agree", "disagree", "only AUC", "only accuracy"), comparison.counts, strict=True))
    return numbers | (counts if cases <= MOST_COUNTED else {})


def measured(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The numbers of the tables."""
    numbers = {f"Tables 1 and 2, {name}": by_name for name, by_name in results["lists"].items()}
    numbers["Tables 3 and 4, lists of ten with AUC and accuracy"] = results["values"]
    numbers["Lemma 1"] = results["lemma 1"]
    by_size = {int(name.split()[0]): counts for name, counts in results.items() if name.endswith(" cases")}
    numbers |= {f"Tables 5 and 6, {cases} cases": counts for cases, counts in by_size.items()}
    largest = by_size[max(by_size)]
    numbers["Section 3"] = {
        "smallest D up to 16 cases": min(by_size[cases]["D"] for cases in PRINTED),
        "what C approaches": largest["limit of C"],
        "limit of C, 5/6": largest["limit of C"],
        "what D approaches": largest["D"],
        "D for each case, in the limit": largest["growth of D"],
    }
    return numbers
