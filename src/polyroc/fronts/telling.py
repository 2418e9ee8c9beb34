"""A search that is watched: by a function of the caller's, or by a bar."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from polyroc.errors import InputError

__all__ = ["Progress", "telling"]

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
