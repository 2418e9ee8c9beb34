"""A process that fits and can be killed. Run as `python -m polyroc.studies.child`, spoken to through pipes.

It dies when its parent does: the pipe of orders ends then, even in the midst of a fit.
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
    """Take orders until there are none: data by their number, then fits of them."""
    for each in (signal.SIGINT, signal.SIGTERM):  # the parent decides, and its end is ours
        signal.signal(each, signal.SIG_IGN)
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    _silence()
    sys.path[:] = pickle.load(orders)
    received: queue.Queue[Any] = queue.Queue()
    threading.Thread(target=_listen, args=(orders, received), daemon=True).start()
    _work(received, answers)


def _silence() -> None:
    """What learners print goes nowhere, and what they read is nothing."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _listen(orders: Any, received: "queue.Queue[Any]") -> None:
    while True:
        try:
            received.put(pickle.load(orders))
        except (EOFError, OSError):
            os._exit(0)


def _work(received: "queue.Queue[Any]", answers: Any) -> None:
    from polyroc.studies.fit import failure as failed
    from polyroc.studies.fit import fit, prepared

    held: dict[int, Any] = {}
    while True:
        order, data = received.get()
        if data is not None:
            held[order.job.data_set] = data
        data = held[order.job.data_set]
        try:
            model = prepared(order, data)
        except Exception as error:
            _answer(answers, None)
            _answer(answers, failed(order, f"{type(error).__name__}: {error}", 0.0))
            continue
        _answer(answers, None)  # from now on the clock runs
        _answer(answers, fit(order, data, model))


def _answer(answers: Any, what: Any) -> None:
    pickle.dump(what, answers)
    answers.flush()


if __name__ == "__main__":
    main()
