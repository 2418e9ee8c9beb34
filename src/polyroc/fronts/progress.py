"""Ctrl-C as a request: what is under way is finished first."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from polyroc.errors import InputError

__all__ = ["Progress", "breakable", "telling"]


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


Progress = Callable[[int, int, str], None]


@contextmanager
def telling(progress: Progress | bool | None) -> Iterator[Progress]:
    """What is to be called on the way: the caller's own function, a bar for True, nothing for None or False."""
    if callable(progress):
        yield progress
    elif progress is None or progress is False:
        yield lambda done, total, what: None  # noqa: ARG005
    elif progress is True:
        with _bar() as tell:
            yield tell
    else:
        raise InputError(f"progress must be True, or a function of (done, total, what), got {progress!r}.")


@contextmanager
def _bar() -> Iterator[Progress]:
    """A bar on the standard error, with what was found so far beside it."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True)) as bar:
        task = bar.add_task("starting", total=None)

        def tell(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=what)

        yield tell
