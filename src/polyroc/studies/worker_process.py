"""The program of a worker process: `polyroc.studies.backends` runs `python -m polyroc.studies.worker_process`.

It reads tasks from stdin and writes results to stdout, both pickled. It ends as soon as its parent does, even
during a fit: a thread reads stdin, which reaches its end then. Nothing heavy is imported at the top, so signals
are ignored and the parent is watched before the slow imports start.
"""

import os
import pickle
import queue
import signal
import sys
import threading
from typing import Any

__all__ = ["main"]


def main() -> None:
    """Receive the import path, then tasks until stdin ends."""
    # Ctrl-C reaches the whole terminal; the parent handles it and then kills this process.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    tasks, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    _silence_standard_streams()
    sys.path[:] = pickle.load(tasks)
    received: queue.Queue[Any] = queue.Queue()
    threading.Thread(target=_receive_tasks, args=(tasks, received), daemon=True).start()
    _do_tasks(received, results)


def _silence_standard_streams() -> None:
    """Connect stdin, stdout and stderr to the null device: a learner that prints must not write to the pipe."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)


def _receive_tasks(tasks: Any, received: "queue.Queue[Any]") -> None:
    while True:
        try:
            received.put(pickle.load(tasks))
        except (EOFError, OSError):
            os._exit(0)  # the parent is gone; sys.exit would only end this thread


def _do_tasks(received: "queue.Queue[Any]", results: Any) -> None:
    """Do fits one after the other; each sends None when its time starts to count, then its result."""
    from polyroc.studies.fit import failed_fit, fit, prepare_model

    data_sets: dict[int, Any] = {}
    while True:
        task, data = received.get()
        if data is not None:
            data_sets[task.key.data_set] = data
        data = data_sets[task.key.data_set]
        try:
            model = prepare_model(task, data)
        except Exception as error:
            _send(results, None)
            _send(results, failed_fit(task, error, 0.0))
            continue
        _send(results, None)
        _send(results, fit(task, data, model))


def _send(results: Any, message: Any) -> None:
    pickle.dump(message, results)
    results.flush()


if __name__ == "__main__":
    main()
