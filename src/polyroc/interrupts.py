"""Ctrl-C: as a request to finish the step under way, and, on the command line, raised until it is handled."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["end_at_interrupt", "interrupt_flag", "raise_once", "raise_until_handled", "was_raised"]

REPEAT_SECONDS = 0.1
_raised = threading.Event()


def raise_until_handled() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, and again for as long as nothing handles it.

    An exception may be lost: one in a destructor is only printed, and DuckDB makes another error of it. The
    command would then run on.
    """
    _raised.clear()
    signal.signal(signal.SIGINT, _interrupt)
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.signal(signal.SIGALRM, _interrupt)


def was_raised() -> bool:
    """Whether `raise_until_handled` has raised KeyboardInterrupt: an error that comes then is a consequence of it.

    numba, for one, says that its extension failed to import.
    """
    return _raised.is_set()


def raise_once() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, as Python does by itself."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def end_at_interrupt() -> None:
    """Let Ctrl-C end the process at once, silently; one that was lost is not raised any more."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)


def _interrupt(number: int, _frame: object) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, REPEAT_SECONDS)
    # While an exception is handled, or `with` and `finally` are left because of it, it must not be disturbed.
    if number == signal.SIGINT or sys.exc_info()[0] is None:
        _raised.set()
        raise KeyboardInterrupt


@contextmanager
def interrupt_flag() -> Iterator[Callable[[], bool]]:
    """Turn the first ctrl-C into a request: the function given returns True once it was pressed.

    The step under way can then be finished. A second ctrl-C raises KeyboardInterrupt at once. This holds in the
    main thread, and only if no custom SIGINT handler is installed; elsewhere ctrl-C acts as before.
    """
    pressed = threading.Event()

    def request(*_signal_and_frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pressed.set()

    before = signal.getsignal(signal.SIGINT)
    replaceable = threading.current_thread() is threading.main_thread() and before in (
        signal.default_int_handler,
        _interrupt,
    )
    if replaceable:
        signal.signal(signal.SIGINT, request)
    try:
        yield pressed.is_set
    finally:
        if replaceable:
            signal.signal(signal.SIGINT, before)
