"""Ctrl-C as a request: what is under way is finished first."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["breakable"]


@contextmanager
def breakable() -> Iterator[Callable[[], bool]]:
    """Gives a function that tells whether ctrl-C was pressed; pressed again, it interrupts at once.

    Only in the main thread, and only if no custom SIGINT handler is installed.
    """
    pressed = threading.Event()

    def note(number: int, frame: object) -> None:  # noqa: ARG001 - what a handler is given
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pressed.set()

    ours = threading.current_thread() is threading.main_thread()
    ours = ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
