"""May one trust the intervals and tests? Their coverage and size, by simulation.

    python docs/coverage_study/run.py              all cells, on all cores: results, page and figure
    python docs/coverage_study/run.py --quick      a fiftieth of the replicates; writes nothing
    python docs/coverage_study/run.py --only vus   cells whose name contains this; writes nothing
    python docs/coverage_study/run.py --only vus --update   the same; their rows in the results are replaced
    python docs/coverage_study/run.py --page       the page and the figure from the results that are there

A run that is interrupted is resumed by the same command; delete results.part if the code has changed since. The
answer does not depend on the number of processes.
"""

import argparse
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")  # processes share the cores already

from pathlib import Path

from candidates import CANDIDATES, try_candidates
from execution import needed_truths, run
from figure import FIGURE, draw_figure
from grid import Cell, cells
from page import PAGE, filled, is_bad, place, reason
from records import RESULTS, Rows, read, update, write

QUICK = 0.02


def main(arguments: list[str] | None = None) -> None:
    """Run the study, or a part of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="cells whose name contains this; nothing is written")
    parser.add_argument("--quick", action="store_true", help="few replicates; nothing is written")
    parser.add_argument("--share", type=float, default=1.0, help="share of the replicates")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; the answer is the same")
    parser.add_argument("--out", type=Path, help="file for the rows, instead of results.csv")
    parser.add_argument(
        "--candidates", action="store_true", help="only the candidates for the single-value interval"
    )
    parser.add_argument("--update", action="store_true", help="with --only: replace the rows of these cells")
    parser.add_argument("--page", action="store_true", help="only write the page and the figure anew")
    chosen = parser.parse_args(arguments)
    whole = not (chosen.quick or chosen.only or chosen.out)  # only a whole run changes what is committed
    if not chosen.page and not chosen.candidates:
        needed_truths(chosen.jobs)
        out = chosen.out or (RESULTS if whole else None)
        share = QUICK if chosen.quick else chosen.share
        rows = run([cell for cell in cells() if chosen.only in _name(cell)], share, out, chosen.jobs)
        if not whole:
            _print_bad(rows)
        if chosen.update:
            update(rows)
    if whole and not chosen.page:
        write(try_candidates(chosen.jobs), CANDIDATES)
    if whole:
        PAGE.write_text(filled(PAGE.read_text(), read(), read(CANDIDATES)))
        draw_figure(read(), FIGURE)


def _name(cell: Cell) -> str:
    return " ".join(cell.key)


def _print_bad(rows: Rows) -> None:
    for row in rows:
        if is_bad(row):
            sys.stdout.write(f"{row['kind']} {row['test']} {place(row)}: {row['rate']} ({reason(row)})\n")


if __name__ == "__main__":
    main()
