"""Worker processes: fits that can be killed at their time limit.

A thread cannot be stopped from outside, so a fit with a time limit is done in a process of its own
(`polyroc.studies.worker_process`). Each thread keeps its worker process from fit to fit.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from contextlib import suppress
from typing import IO, Any, cast

from polyroc.studies.data import Data
from polyroc.studies.fit import FitResult, FitTask, failed_fit, fit, preserved_random_state

__all__ = ["run_task", "stop_workers"]

_THREAD = threading.local()  # has the worker of the current thread
_WORKERS: dict[str, list["Worker"]] = defaultdict(list)  # by run
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def run_task(task: FitTask, data: Data) -> FitResult:
    """Do a fit in this process, or in a worker process if the task is isolated."""
    if task.isolated:
        return _worker(task.run).fit(task, data)
    with preserved_random_state():
        return fit(task, data)


def stop_workers(run: str) -> None:
    """Kill the worker processes of a run."""
    for worker in _WORKERS.pop(run, []):
        worker.kill()


def _worker(run: str) -> "Worker":
    """The worker of the current thread; a new one for a new run, or after it was killed."""
    worker: Worker | None = getattr(_THREAD, "worker", None)
    if worker is None or worker.run != run or worker.dead:
        if worker is not None:
            worker.kill()
        worker = _THREAD.worker = Worker(run)
        _WORKERS[run].append(worker)
    return worker


class Worker:
    """A worker process, which receives tasks and sends results through pipes."""

    def __init__(self, run: str) -> None:
        self.run, self.dead = run, False
        self._sent_data: set[int] = set()  # each data set is sent once
        self._process = subprocess.Popen(
            [sys.executable, "-m", "polyroc.studies.worker_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,  # a process group of its own, so that what a learner starts is killed too
        )
        self._send(sys.path)

    def fit(self, task: FitTask, data: Data) -> FitResult:
        """Do a fit in the process; kill it at the time limit."""
        known = task.key.data_set in self._sent_data
        self._sent_data.add(task.key.data_set)
        timed_out = threading.Event()
        try:
            self._send((task, None if known else data))
            self._receive()  # the model is imported and made: from here on the time counts
            timer = threading.Timer(task.limit or threading.TIMEOUT_MAX, self._time_out, [timed_out])
            timer.daemon = True
            timer.start()
            try:
                result: FitResult = self._receive()
            finally:
                timer.cancel()
        except (EOFError, OSError, pickle.UnpicklingError):
            code = self.kill()
            if timed_out.is_set():
                return failed_fit(task, f"Time limit: not done after {task.limit:g} s.", float(task.limit or 0))
            cause = f"signal {-code}" if code < 0 else f"exit code {code}"
            return failed_fit(task, f"The process of the fit died ({cause}).", 0.0)
        return result

    def _time_out(self, timed_out: threading.Event) -> None:
        timed_out.set()
        self._kill_group()

    def kill(self) -> int:
        """Kill the process and return its exit code."""
        self.dead = True
        self._kill_group()
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                cast("IO[bytes]", pipe).close()
        return code

    def _kill_group(self) -> None:
        """Kill the process and all that it has started."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def _send(self, message: Any) -> None:
        pipe = cast("IO[bytes]", self._process.stdin)
        pickle.dump(message, pipe, protocol=pickle.HIGHEST_PROTOCOL)
        pipe.flush()

    def _receive(self) -> Any:
        return pickle.load(cast("IO[bytes]", self._process.stdout))
