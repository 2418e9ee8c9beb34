"""Jobs in processes of their own with limits of time and memory, and the queue in which they wait.

`polyroc.serve.tasks` has what they do.
"""

import json
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from polyroc.errors import PolyrocError
from polyroc.serve.forms import field_spelling
from polyroc.serve.limits import BusyError, size_text

__all__ = ["Job", "Queue"]

_GOODBYE = 2.0  # seconds that a process has to end by itself after its result
_LACK_OF_MEMORY = ("bad alloc", "out of memory", "could not allocate", "file too large")  # in messages of DuckDB


@dataclass(frozen=True, slots=True)
class State:
    """The state of a job.

    Attributes
    ----------
    what
        What happens with it now.
    step, done, total
        The current step and its progress; the reason if it failed.
    place, length
        Its place in the queue, from 1, and the length of the queue, while it waits.
    result
        What it made, if it is done.
    """

    what: Literal["waiting", "running", "done", "failed", "stopped"] = "waiting"
    step: str = ""
    done: int = 0
    total: int = 0
    place: int = 0
    length: int = 0
    result: Any = None


class Queue:
    """Runs a limited number of jobs at a time, in the order in which they came; the others wait.

    Parameters
    ----------
    workers
        How many jobs run at the same time.
    longest
        How many jobs can wait.
    seconds, memory
        The limits of each job: seconds from its start, bytes of its process.
    """

    def __init__(self, workers: int, longest: int, seconds: float, memory: int) -> None:
        self.seconds, self.memory = seconds, memory
        self._workers, self._longest = workers, longest
        self._lock = threading.Lock()
        self._waiting: list[Job] = []
        self._running = 0

    def __len__(self) -> int:
        """The number of jobs that wait."""
        return len(self._waiting)

    def add(self, job: "Job") -> None:
        """Append a job, or raise an error if the queue is full."""
        with self._lock:
            if self._running >= self._workers and len(self._waiting) >= self._longest:
                raise BusyError(f"{len(self._waiting)} others wait already; try again in a few minutes.")
            self._waiting.append(job)
        self._start_next()

    def remove(self, job: "Job") -> None:
        """Take a job out of the queue if it still waits."""
        with self._lock, suppress(ValueError):
            self._waiting.remove(job)

    def place(self, job: "Job") -> tuple[int, int]:
        """The place of a job, from 1 (0 if it does not wait), and the length of the queue."""
        with self._lock:
            return self._waiting.index(job) + 1 if job in self._waiting else 0, len(self._waiting)

    def _start_next(self) -> None:
        with self._lock:
            while self._waiting and self._running < self._workers:
                self._running += 1
                job = self._waiting.pop(0)
                job.leave_queue()
                threading.Thread(target=self._run, args=(job,), daemon=True).start()

    def _run(self, job: "Job") -> None:
        try:
            job.run()
        finally:
            with self._lock:
                self._running -= 1
            self._start_next()


class Job:
    """A function that runs in a process of its own as soon as the queue has a free worker.

    Parameters
    ----------
    queue
        The queue, with the limits of its jobs.
    subject
        What is done, as the subject of a message: "The report".
    folder
        Where its temporary files are made.
    function, arguments
        What is called, with `progress` as last argument: a function of (done, total, step). It must be a function
        of a module, and return plain data.
    """

    def __init__(
        self, queue: Queue, subject: str, folder: Path, function: Callable[..., Any], *arguments: Any
    ) -> None:
        self._queue, self._subject = queue, subject
        self._call = (function, arguments, folder, queue.memory, subject)
        self._state, self._stopped = State(), threading.Event()
        self._process: Any = None
        queue.add(self)

    @property
    def state(self) -> State:
        """The present state."""
        if self._state.what == "waiting":
            place, length = self._queue.place(self)
            if place:
                return State(place=place, length=length)
        return self._state

    @property
    def ended(self) -> bool:
        """True if it is done, has failed or was stopped."""
        return self._state.what in ("done", "failed", "stopped")

    def stop(self) -> None:
        """Stop the job."""
        self._stopped.set()
        self._queue.remove(self)
        if self._process is not None:
            self._process.kill()
        elif self._state.what == "waiting":
            self._state = State("stopped")

    def leave_queue(self) -> None:
        """It is its turn; called by the queue."""
        self._state = State("running", "starting")

    def run(self) -> None:
        """Do the work; called by the queue, in a thread."""
        if not self._stopped.is_set():
            try:
                self._watch()
            except OSError as error:  # no process or pipe can be made
                self._state = State("failed", f"{self._subject} could not be started ({error.strerror}).")
        if self._stopped.is_set():
            self._state = State("stopped")

    def _watch(self) -> None:
        spawn = multiprocessing.get_context("spawn")  # a fork would inherit the server's sockets
        reader, writer = spawn.Pipe(duplex=False)
        process = spawn.Process(target=_work, args=(*self._call, writer), daemon=True)
        with reader:
            with writer:
                process.start()
            self._process = process  # not before: what has not started cannot be killed
            until = time.monotonic() + self._queue.seconds
            while self._state.what == "running" and not self._stopped.is_set():
                if time.monotonic() > until:
                    self._state = State(
                        "failed", f"{self._subject} took longer than {self._queue.seconds:g} seconds."
                    )
                elif reader.poll(0.1):
                    self._state = self._received(reader)
        if self._state.what == "done":
            process.join(_GOODBYE)  # a library may wait for its threads for ever: the next job must not
        process.kill()
        process.join()

    def _received(self, reader: Connection) -> State:
        try:
            return State(**json.loads(reader.recv_bytes()))
        except (EOFError, OSError):
            return State("failed", _lack_of_memory(self._subject, self._queue.memory, "probably"))


def _lack_of_memory(subject: str, memory: int, probably: str = "") -> str:
    return (
        f"{subject} {probably} needs more than {size_text(memory)} of memory, the limit of this page; use fewer "
        "rows or columns, or the command line: polyroc report FILE."
    ).replace("  ", " ")


def _work(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    folder: Path,
    memory: int,
    subject: str,
    writer: Connection,
) -> None:
    """Call the function within limits and send what happens, in the other process."""

    def send(what: str, step: str = "", done: int = 0, total: int = 0, result: Any = None) -> None:
        state = {"what": what, "step": step, "done": done, "total": total, "result": result}
        writer.send_bytes(json.dumps(state).encode())

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; the server ends its jobs
    threading.Thread(target=_end_with_server, daemon=True).start()
    _limit_memory(memory)
    tempfile.tempdir = str(folder)
    try:
        result = function(*arguments, lambda done, total, step: send("running", step, done, total))
        send("done", "", 1, 1, result)
    except MemoryError:
        send("failed", _lack_of_memory(subject, memory))
    except PolyrocError as error:
        text = error.render(field_spelling)
        lack = any(sign in text.lower() for sign in _LACK_OF_MEMORY)
        send("failed", _lack_of_memory(subject, memory) if lack else text)
    except Exception as error:
        send("failed", f"Internal error ({type(error).__name__}).")
        raise


def _end_with_server() -> None:
    """End this process when the server ends, even if that was killed."""
    server = multiprocessing.parent_process()
    if server is not None:
        multiprocessing.connection.wait([server.sentinel])
        os._exit(1)


def _limit_memory(memory: int) -> None:
    """Let the operating system enforce the limit, as far as it can.

    On Linux this is the memory that the process can write to. The address space would also count what libraries
    reserve for each processor.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    for limit in (resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
        with suppress(ValueError, OSError):  # a lower limit is set already
            resource.setrlimit(limit, (memory, memory))
