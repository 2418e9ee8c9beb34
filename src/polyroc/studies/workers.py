"""Fits in processes of their own, which are killed when their time is over."""

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
from polyroc.studies.fit import Order, Outcome, failure, fit, randomness_kept

__all__ = ["carry_out", "dismiss"]

_HERE = threading.local()
_OF_RUN: dict[str, list["Child"]] = defaultdict(list)
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def carry_out(order: Order, data: Data) -> Outcome:
    """Fit here, or in a process apart if the order asks for one: what every worker does."""
    if order.apart:
        return _child(order.run).fit(order, data)
    with randomness_kept():
        return fit(order, data)


def dismiss(run: str) -> None:
    """Kill the processes of a run."""
    for child in _OF_RUN.pop(run, []):
        child.kill()


def _child(run: str) -> "Child":
    """The process of this thread, kept from fit to fit; a new run has a new one."""
    child: Child | None = getattr(_HERE, "child", None)
    if child is None or child.run != run or child.dead:
        if child is not None:
            child.kill()
        child = _HERE.child = Child(run)
        _OF_RUN[run].append(child)
    return child


class Child:
    """A process that fits; see `polyroc.studies.worker_process`."""

    def __init__(self, run: str) -> None:
        self.run, self.dead, self.held = run, False, set[int]()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "polyroc.studies.worker_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,
        )
        self._send(sys.path)

    def fit(self, order: Order, data: Data) -> Outcome:
        """Carry out an order; past its limit, kill."""
        known = order.job.data_set in self.held
        self.held.add(order.job.data_set)
        late = threading.Event()
        try:
            self._send((order, None if known else data))
            self._receive()  # everything is imported: the clock starts
            timer = threading.Timer(order.limit or threading.TIMEOUT_MAX, self._late, [late])
            timer.daemon = True
            timer.start()
            try:
                answer: Outcome = self._receive()
            finally:
                timer.cancel()
        except (EOFError, OSError, pickle.UnpicklingError):
            code = self.kill()
            if late.is_set():
                return failure(order, f"Time limit: not done after {order.limit:g} s.", float(order.limit or 0))
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            return failure(order, f"The process of the fit died ({how}).", 0.0)
        return answer

    def _late(self, late: threading.Event) -> None:
        late.set()
        self._end()

    def kill(self) -> int:
        """End the process; tells its exit code."""
        self.dead = True
        self._end()
        code = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                cast("IO[bytes]", pipe).close()
        return code

    def _end(self) -> None:
        """Kill the process and all that it has started."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def _send(self, what: Any) -> None:
        pipe = cast("IO[bytes]", self.process.stdin)
        pickle.dump(what, pipe, protocol=pickle.HIGHEST_PROTOCOL)
        pipe.flush()

    def _receive(self) -> Any:
        return pickle.load(cast("IO[bytes]", self.process.stdout))
