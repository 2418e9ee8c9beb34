"""Jobs that make reports, each in its own process with a time limit."""

import multiprocessing
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from polyroc.serve.forms import field_spelling

__all__ = ["Job", "Queue", "State"]


@dataclass(frozen=True, slots=True)
class State:
    """The state of a job, with its current step, or the reason if it failed."""

    what: Literal["waiting", "running", "done", "failed", "stopped"] = "waiting"
    step: str = ""
    done: int = 0
    total: int = 0


class Queue:
    """Runs a limited number of jobs at a time; the others wait."""

    def __init__(self, workers: int, seconds: float) -> None:
        self.turn = threading.Semaphore(workers)
        self.seconds = seconds


class Job:
    """One report; starts as soon as the queue has a free worker.

    Parameters
    ----------
    queue
        The queue of the jobs, with their time limit.
    source, target
        The uploaded file, and the file of the report, which is written completely or not at all.
    columns
        The options of `polyroc.read`.
    title
        The name of the file in the report.
    """

    def __init__(self, queue: Queue, source: Path, target: Path, columns: Mapping[str, Any], title: str) -> None:
        self.state = State()
        self._queue, self._stopped = queue, threading.Event()
        self._arguments = (source, target, dict(columns), title)
        self._process: Any = None
        threading.Thread(target=self._run, daemon=True).start()

    def stop(self) -> None:
        """Stop the job."""
        self._stopped.set()
        if self._process is not None:
            self._process.kill()

    def _run(self) -> None:
        while not self._queue.turn.acquire(timeout=0.2):
            if self._stopped.is_set():
                self.state = State("stopped")
                return
        try:
            self.state = State("running", "starting")
            self._watch()
        finally:
            self._queue.turn.release()

    def _watch(self) -> None:
        apart = multiprocessing.get_context("spawn")  # a fork would inherit the server's sockets
        ours, theirs = apart.Pipe(duplex=False)
        self._process = apart.Process(target=_work, args=(*self._arguments, theirs), daemon=True)
        self._process.start()
        theirs.close()
        until = time.monotonic() + self._queue.seconds
        while self.state.what == "running" and not self._stopped.is_set():
            if time.monotonic() > until:
                self.state = State("failed", f"The report took longer than {self._queue.seconds:g} seconds.")
            elif ours.poll(0.1):
                self.state = _heard(ours)
        if self._stopped.is_set():
            self.state = State("stopped")
        if self.state.what != "done":
            self._process.kill()
        self._process.join()


def _heard(ours: Connection) -> State:
    try:
        return State(*ours.recv())
    except EOFError:
        return State("failed", "The report could not be finished: its process ended, perhaps for lack of memory.")


def _work(source: Path, target: Path, columns: dict[str, Any], title: str, theirs: Connection) -> None:
    """Make the report, in the other process."""
    from polyroc.errors import PolyrocError

    def tell(done: int, total: int, what: str) -> None:
        theirs.send(("running", what, done, total))

    try:
        _report(source, target, columns, title, tell)
        theirs.send(("done", "", 1, 1))
    except PolyrocError as error:
        theirs.send(("failed", error.render(field_spelling), 0, 0))
    except Exception as error:
        theirs.send(("failed", f"Internal error ({type(error).__name__}).", 0, 0))
        raise


def _report(source: Path, target: Path, columns: dict[str, Any], title: str, tell: Any) -> None:
    from polyroc.io.read import read
    from polyroc.io.sources import DataFile

    tell(0, 0, "reading")
    scores = read(DataFile(source, title), **columns)
    from polyroc.reports.report import report

    report(scores, path=target, title=title, progress=tell)
