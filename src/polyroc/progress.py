"""Progress reports: one convention for every verb.

The argument `progress` of a verb is None or False (no report), True (a progress bar on the standard error) or a
callable `progress(done, total, message)`. Within the package a verb passes on what `progress_callback` gives: a
`Progress`, or None where nothing is to be reported.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from inspect import signature
from typing import Annotated, TypeVar

from polyroc.errors import InputError
from polyroc.messages import short_repr
from polyroc.validation.signatures import expected

__all__ = ["Progress", "ProgressOption", "progress_bar", "progress_callback", "track"]

Progress = Callable[[int, int, str], None]
ProgressOption = Annotated[Progress | bool | None, expected("True, False or a function of (done, total, message)")]
Item = TypeVar("Item")
NO_REPORT = nullcontext()


def progress_callback(progress: ProgressOption) -> AbstractContextManager[Progress | None]:
    """Resolve the argument `progress` of a verb: a callable, or None where nothing is to be reported.

    >>> with progress_callback(print) as report:
    ...     report(1, 3, "one of three")
    1 3 one of three
    """
    if progress is None or progress is False:
        return NO_REPORT
    if progress is True:
        return progress_bar()
    if callable(progress) and not isinstance(progress, type) and _takes_three(progress):
        return nullcontext(progress)
    raise InputError(
        f"progress must be True, False or a function of (done, total, message), got {short_repr(progress)}."
    )


def _takes_three(function: Callable[..., None]) -> bool:
    try:
        signature(function).bind(0, 0, "")
    except TypeError:
        return False
    except ValueError:  # a compiled function without a signature
        return True
    return True


def track(
    items: Sequence[Item], progress: Progress | None, message: Callable[[Item], str] = str
) -> Iterator[Item]:
    """Iterate over items, and report each before it is worked on.

    >>> list(track(["auc", "brier"], print))
    0 2 auc
    1 2 brier
    ['auc', 'brier']
    """
    for done, item in enumerate(items):
        if progress is not None:
            progress(done, len(items), message(item))
        yield item


@contextmanager
def progress_bar(message: str = "starting", *, transient: bool = False) -> Iterator[Progress]:
    """Show a bar on the standard error; a transient one is erased at the end."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress as Bar

    from polyroc.output.sentences import printable

    with Bar(console=Console(stderr=True), transient=transient) as bar:
        task = bar.add_task(message, total=None)

        def report(done: int, total: int, message: str) -> None:
            bar.update(task, completed=done, total=total, description=escape(printable(message)))

        yield report
