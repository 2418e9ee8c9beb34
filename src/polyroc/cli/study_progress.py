"""Progress of a study: a live table on a terminal, lines of text in a pipe."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from polyroc.output.sentences import printable

if TYPE_CHECKING:
    from polyroc.studies.progress import StudyProgress

__all__ = ["progress_table", "study_progress"]

REFRESH_INTERVAL = 0.1  # seconds between two updates of the table
LONGEST_NAME = 24  # characters
OTHER_LINES = 8  # lines of a screen that are not learners: heading, rules, totals


@contextmanager
def study_progress() -> "Iterator[Callable[[StudyProgress], None]]":
    """A live table on a terminal; in a pipe a line for each data set and learner that is done."""
    if not sys.stderr.isatty():
        yield _print_line
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    with Live("reading data, checking the plan", console=console, auto_refresh=False, transient=True) as live:
        live.refresh()
        updated = 0.0

        def update(tally: "StudyProgress") -> None:
            nonlocal updated
            if time.monotonic() - updated >= REFRESH_INTERVAL or tally.finished:
                live.update(progress_table(tally, *console.size), refresh=True)
                updated = time.monotonic()

        yield update


def _print_line(tally: "StudyProgress") -> None:
    if tally.latest is None:
        before, total = int(tally.done.sum()), int(tally.total.sum())
        if before:
            click.echo(f"polyroc: {before} of {total} fits are already stored", err=True)
        return
    cell = tally.latest.key.data_set, tally.latest.key.learner
    if tally.done[cell] == tally.total[cell]:
        failed = f", {tally.failed[cell]} failed" if tally.failed[cell] else ""
        summary = f"{tally.data_sets[cell[0]]}, {tally.learners[cell[1]]}: {tally.done[cell]} fits{failed}"
        click.echo(printable(f"polyroc: {summary}{_time_left(tally)}"), err=True)


def _time_left(tally: "StudyProgress") -> str:
    seconds = tally.seconds_left()
    if tally.finished or seconds is None:
        return ""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f" ({hours}:{minutes:02}:{seconds:02} left)"


def progress_table(tally: "StudyProgress", width: int, height: int) -> Any:
    """Fits by learner and data set, as many as a screen holds; finished ones are hidden first."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    finished = tally.done >= tally.total
    learners, data_sets = list(map(all, finished.T.tolist())), list(map(all, finished.tolist()))
    now = data_sets.index(False) if False in data_sets else -1
    rows = _window(finished[now].tolist(), max(1, height - OTHER_LINES))
    cells = [[_cell(tally, i, j) for i in range(len(tally.data_sets))] for j in rows]
    names = [_short(tally.learners[j]) for j in rows]
    heads = [_short(name) for name in tally.data_sets]
    needs = [max(len(head), *(len(line[i]) for line in cells)) + 3 for i, head in enumerate(heads)]
    room = width - max(map(len, [*names, "learner"])) - 2
    columns = _window(data_sets, max(1, room // max(needs)))
    table = Table(box=box.SIMPLE_HEAD, header_style="bold cyan", pad_edge=False)
    table.add_column("learner", no_wrap=True)
    for i in columns:
        table.add_column(Text(heads[i]), justify="right", no_wrap=True)
    for name, line in zip(names, cells, strict=True):
        table.add_row(Text(name), *(line[i] for i in columns))
    hidden = [_hidden("learner", learners, rows), _hidden("data set", data_sets, columns)]
    failed = f", {tally.failed.sum()} failed" if tally.failed.any() else ""
    head = Text(f"{tally.done.sum()} of {tally.total.sum()} fits{failed}{_time_left(tally)}", "bold")
    return Group(head, table, *(Text(line, "dim") for line in hidden if line))


def _window(finished: Sequence[bool], room: int) -> list[int]:
    """Indices of the entries to show: if there are too many, finished ones are left out first, then the last ones.

    >>> _window([True, True, False, False, False], 3), _window([False, True, False], 1)
    ([2, 3, 4], [0])
    """
    kept = list(range(len(finished)))
    for place in [place for place in kept if finished[place]][: max(0, len(kept) - room)]:
        kept.remove(place)
    return kept[:room]


def _hidden(noun: str, finished: Sequence[bool], shown: Sequence[int]) -> str:
    """The number of hidden learners or data sets, and how many of them are finished."""
    others = [done for place, done in enumerate(finished) if place not in shown]
    if not others:
        return ""
    return f"and {len(others)} {noun}{'s' if len(others) > 1 else ''} more, {sum(others)} of them done"


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 9]}...{text[-6:]}"


def _cell(tally: "StudyProgress", i: int, j: int) -> Any:
    from rich.text import Text

    done, failed, total = int(tally.done[i, j]), int(tally.failed[i, j]), int(tally.total[i, j])
    style = "green" if done == total else "" if done else "dim"
    text = Text(f"{done}/{total}", style)
    return text.append(f" {failed} failed", "bold red") if failed else text
