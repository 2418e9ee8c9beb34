"""Are the error bars honest? The coverage of the 95 % interval and the size of the paired test, by simulation.

    python docs/coverage_study/run.py              all of it, on all cores: tables, page and figure
    python docs/coverage_study/run.py --quick      a twentieth of the replicates, a minute; writes nothing
    python docs/coverage_study/run.py hand_till    cells whose name contains the word; writes nothing without --out
    python docs/coverage_study/run.py --candidates intervals that might be the default: candidates.csv
    python docs/coverage_study/run.py --page       docs/coverage.md anew from results.csv and candidates.csv
    python docs/coverage_study/run.py --figure     docs/coverage.svg anew from results.csv (needs matplotlib)

A run that was broken off goes on where it was (results.part; delete it if anything has changed). The grid is in
cells.py, the true values are in worlds.py, the methods in ways.py.
"""

import argparse
import os
from pathlib import Path

from candidates import CANDIDATES, try_candidates
from cells import cells
from figure import FIGURE, draw_figure
from page import PAGE, filled
from running import RESULTS, read, run, write

QUICK = 0.05


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="?", default="", help="cells whose name contains this")
    parser.add_argument("--quick", action="store_true", help="few replicates, nothing written")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; the answer is the same")
    parser.add_argument("--out", type=Path, help="where to write the rows, instead of results.csv")
    parser.add_argument(
        "--candidates", action="store_true", help="only compare intervals that might be the default"
    )
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    parser.add_argument("--figure", action="store_true", help="only draw the figure anew")
    asked = parser.parse_args(arguments)
    whole = not (asked.quick or asked.only or asked.out)  # only a whole run may change what is committed
    drawing = asked.page or asked.figure
    if not drawing and not asked.candidates:
        chosen = [cell for cell in cells() if asked.only in cell.name]
        run(chosen, QUICK if asked.quick else 1.0, asked.out or (RESULTS if whole else None), asked.jobs)
    if not drawing and whole:
        write(try_candidates(asked.jobs), CANDIDATES)
    if whole and not asked.figure:
        PAGE.write_text(filled(PAGE.read_text(), read(), read(CANDIDATES)))
    if whole and not asked.page and not asked.candidates:
        draw_figure(read(), FIGURE)


if __name__ == "__main__":
    main()
