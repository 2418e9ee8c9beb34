"""Ctrl-C: on the command line, and as a request to finish the step under way."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["handle_interrupts", "interrupt_flag", "was_interrupted"]

_pressed = threading.Event()


def handle_interrupts() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, and remember it: libraries may make another error of it."""
    _pressed.clear()
    signal.signal(signal.SIGINT, _interrupt)


def was_interrupted() -> bool:
    """Return True if Ctrl-C was pressed since `handle_interrupts`: an error that comes then is its consequence."""
    return _pressed.is_set()


def _interrupt(*_signal_and_frame: object) -> None:
    _pressed.set()
    raise KeyboardInterrupt


@contextmanager
def interrupt_flag() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C into a request: the function given returns True once it was pressed.

    The step under way can then be finished. A second Ctrl-C raises KeyboardInterrupt at once. This holds in the
    main thread, and only if no custom SIGINT handler is installed; elsewhere Ctrl-C acts as before.
    """
    pressed = threading.Event()

    def request(*_signal_and_frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pressed.set()

    before = signal.getsignal(signal.SIGINT)
    known = before in (signal.default_int_handler, _interrupt)
    replaceable = known and threading.current_thread() is threading.main_thread()
    if replaceable:
        signal.signal(signal.SIGINT, request)
    try:
        yield pressed.is_set
    finally:
        if replaceable:
            signal.signal(signal.SIGINT, before)
