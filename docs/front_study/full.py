"""The searches of Table 1 on Vehicle and Image for all 5,000 generations of the paper, from random parameters.

    python docs/front_study/full.py              full.csv (20 minutes of one processor)
    python docs/front_study/full.py image k-nn   the sets and searches whose names begin so; prints, writes nothing

Each search is saved every minute in build/front_study; one that was ended goes on from there when the script is
started again.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data import keel, small_image
from page import write

import polyroc as pr

FOLDER = Path(__file__).parent
SAVED = FOLDER.parents[1] / "build" / "front_study"
GENERATIONS, POINTS = 5000, 20_000
SETS = {"vehicle": lambda: keel("vehicle"), "image": lambda: keel("segment"), "image, 210 cases": small_image}
SEARCHES = {
    "logistic, as printed": lambda: pr.fronts.LogisticFamily(scale=1.0, standardise=False),
    "k-nn": pr.fronts.NearestNeighbours,
}


def searched(data: str, search: str) -> tuple[pr.results.Front, int]:
    """The front after all generations, resumed if a part of them was done before; and the number of cases."""
    X, y = SETS[data]()
    path = SAVED / f"{data} {search}.npz".replace(" ", "_").replace(",", "")
    path.parent.mkdir(parents=True, exist_ok=True)
    front = pr.front(
        SEARCHES[search](),
        X,
        y,
        generations=GENERATIONS,
        start="random",
        algorithm="printed",
        rng=0,
        n_jobs=1,
        save=path,
        save_every=60,
        resume=path if path.exists() else None,
        progress=reported,
    )
    return front, len(y)


def reported(done: int, total: int, message: str) -> None:
    """A line for every hundred generations."""
    if done % 100 == 0:
        print(f"  {done} of {total}: {message}; {time.process_time():.0f} s", flush=True)  # noqa: T201


def rows(data: str = "", search: str = "") -> Iterator[dict[str, Any]]:
    """One record for each search: its front, and how much of G the second half of the generations added."""
    for one in (name for name in SETS if name.startswith(data)):
        for other in (name for name in SEARCHES if name.startswith(search)):
            print(one, other, flush=True)  # noqa: T201
            front, cases = searched(one, other)
            volume = front.gini(n_points=POINTS, rng=0)
            row = {
                "data": one,
                "search": other,
                "generations": front.search.generations if front.search else 0,
                "points": len(front),
                "fewest errors": int((cases - front.counts.trace(axis1=1, axis2=2)).min()),
                "G": f"{volume.value:.4f}",
                "standard error": f"{volume.standard_error:.4f}",
                "second half added": f"{front.growth.lately:.4f}",
            }
            print(*row.values(), sep="\t", flush=True)  # noqa: T201
            yield row


if __name__ == "__main__":
    if len(sys.argv) > 1:
        list(rows(*sys.argv[1:]))
    else:
        write(rows(), FOLDER / "full.csv")
