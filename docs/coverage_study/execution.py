"""Running the cells: every replicate has its own random numbers, so the answer is the same in any order."""

import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

import truths
from grid import Cell, cells
from records import Rows, append, resumed, write
from study import simulate


def run(chosen: list[Cell], share: float, out: Path | None, jobs: int) -> Rows:
    """The rows of some cells, in their order; finished cells are kept beside `out`, and not run again."""
    partial = None if out is None else out.with_suffix(".part")
    done = resumed(partial)
    left = [cell for cell in chosen if cell.key not in done]
    start, seconds, total = time.perf_counter(), 0.0, sum(_effort(cell) for cell in left)
    with _cancelling(jobs) as pool:
        # The longest first, so that no process works alone at the end.
        waiting = {pool.submit(_timed, cell, share): cell for cell in sorted(left, key=_effort, reverse=True)}
        finished = 0.0
        for number, future in enumerate(as_completed(waiting), start=1):
            cell = waiting[future]
            done[cell.key], seconds = future.result()
            finished += _effort(cell)
            if partial is not None:
                append(partial, cell, done[cell.key])
            _report(number, len(left), start, finished / total, cell, seconds)
    rows = [row for cell in chosen for row in done[cell.key]]
    if out is not None and partial is not None:
        write(rows, out)
        partial.unlink(missing_ok=True)
    return rows


@contextmanager
def _cancelling(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that do not go on after an error or an interruption."""
    with ProcessPoolExecutor(jobs) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _timed(cell: Cell, share: float) -> tuple[Rows, float]:
    start = time.process_time()
    rows = simulate(cell, share)
    return rows, time.process_time() - start


COST = {
    "single": 1.0,
    "band": 1.0,
    "pair": 4.0,
    "binned": 4.0,
    "curves": 60.0,
    "curve power": 60.0,
    "choice": 12.0,
    "searched": 1000.0,
    "decisions": 12.0,
}  # milliseconds a measure and replicate, about


def _effort(cell: Cell) -> float:
    """About how long a cell takes, in milliseconds."""
    milliseconds = COST[cell.kind] if cell.kind in COST else 4.0 * max(len(cell.values), cell.subgroups)
    measures = 1 if cell.kind == "band" else len(cell.measures)
    return cell.replicates * milliseconds * measures + 15 * cell.bootstrap


def _report(number: int, count: int, start: float, share: float, cell: Cell, seconds: float) -> None:
    elapsed = time.perf_counter() - start
    left = elapsed * (1.0 - share) / share
    name = ", ".join((cell.kind, cell.model_name, cell.shown_values, cell.shown_sizes))
    sys.stdout.write(f"{number}/{count}  {elapsed:.0f} s, {left:.0f} s left  {name}: {seconds:.1f} s\n")
    sys.stdout.flush()


def needed_truths(jobs: int) -> None:
    """Simulate the true values that have no formula and are not in truths.csv yet, and keep them."""
    kinds = ("band", "curves", "curve power", "choice", "searched")
    wanted = {key for cell in cells() if cell.kind not in kinds for key in _without_formula(cell)}
    left = sorted(key for key in wanted if truths.key_of(*key) not in truths.stored())
    if not left:
        return
    entries = dict(truths.stored())
    with ProcessPoolExecutor(jobs) as pool:
        for number, (key, value) in enumerate(zip(left, pool.map(_simulated_truth, left), strict=True), start=1):
            entries[truths.key_of(*key)] = value
            truths.write(entries)
            sys.stdout.write(f"true value {number}/{len(left)}: {key} {value[0]:.5f} +- {value[1]:.5f}\n")
            sys.stdout.flush()
    truths.stored.cache_clear()


def _simulated_truth(key: truths.Name) -> tuple[float, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return truths.simulate(*key)


def _without_formula(cell: Cell) -> Iterator[truths.Name]:
    for name in cell.measures:
        for value in set(cell.values):
            if not truths.has_formula(name, cell.model, value, cell.sizes):
                yield truths.name_of(name, cell.model, value, cell.sizes)
