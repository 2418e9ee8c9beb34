"""Intervals and tests of cross-validated predictions: coverage and size by simulation.

    python docs/cross_validation_study/run.py              all cells: results and page
    python docs/cross_validation_study/run.py --quick      a fiftieth of the replicates; writes nothing
    python docs/cross_validation_study/run.py --only lda   cells whose name contains this; writes nothing
    python docs/cross_validation_study/run.py --page       the page from the results that are there

A whole run writes results.part cell by cell, so that it can be resumed; delete that file if the code has changed.
Every replicate has its own random numbers, so the answer is the same in any order.
"""

import argparse
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")

from pathlib import Path

from grid import cells
from page import PAGE, filled
from study import RESULTS, read, run

QUICK = 0.02


def main(arguments: list[str] | None = None) -> None:
    """Run the study, or a part of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="cells whose name contains this; nothing is written")
    parser.add_argument("--quick", action="store_true", help="few replicates; nothing is written")
    parser.add_argument("--out", type=Path, help="file for the rows, instead of results.csv")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    chosen = parser.parse_args(arguments)
    whole = not (chosen.quick or chosen.only or chosen.out)
    if not chosen.page:
        part = RESULTS.with_suffix(".part")
        selected = [cell for cell in cells() if chosen.only in cell.name]
        rows = run(selected, QUICK if chosen.quick else 1.0, chosen.out or (part if whole else None))
        if whole:
            part.replace(RESULTS)
        else:
            for row in rows:
                sys.stdout.write(f"{', '.join(row.values())}\n")
    if whole:
        PAGE.write_text(filled(PAGE.read_text(), read()))


if __name__ == "__main__":
    main()
