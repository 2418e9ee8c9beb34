"""The process of the command: standard streams, Ctrl-C, and every failure as one line and an exit code.

Only the standard library is imported here, so that nothing can fail before `main` can say so.
"""

import errno
import gc
import io
import os
import sys
import traceback
from contextlib import suppress
from types import TracebackType

from polyroc.interrupts import end_at_interrupt, raise_until_handled, was_raised

__all__ = ["INTERRUPTED", "discard_output", "failure_text", "is_interrupt", "main", "print_line"]

INTERRUPTED = 130  # the exit code of shells for Ctrl-C
MOST_CHARACTERS = 1000  # of a line
LEAST_MEMORY = 600 * 2**20  # bytes of address space; libraries fail to load with less
PLENTY = 4 * 2**30
YOUNG_OBJECTS = 200_000  # before the collector looks for cycles: by default 700, a tenth of the time of a start
LEARNING = ("front", "reproduce", "study")  # commands that fit classifiers, for which BLAS may need all cores
WORDS_OF_DUCKDB = ("Query interrupted", "KeyboardInterrupt")  # in the errors it makes of Ctrl-C
UNWRITABLE = (errno.ENOSPC, errno.EFBIG, errno.EBADF, errno.EIO)


class LittleMemoryError(MemoryError):
    """The limit of memory is too low to start; the message says what to do."""


def main() -> None:
    """Run `polyroc`: bad input, bad usage and a lack of space end with one line on stderr and exit code 2.

    Ctrl-C ends with exit code 130. There is a traceback only if the environment variable POLYROC_TRACEBACK is set.
    """
    try:
        try:
            _open_closed_streams()
            _prepare_for_little_memory()
            gc.set_threshold(YOUNG_OBJECTS)
            if not set(sys.argv[1:2]) & set(LEARNING):
                # Matrices are small here: threads of BLAS would only wait, for a quarter of the time of a report.
                os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            raise_until_handled()
            sys.unraisablehook, sys.excepthook = _print_unraisable, _print_exception
            from polyroc.cli.app import run

            code = run(sys.argv[1:])
        finally:  # a (second) Ctrl-C from here on ends the process at once, silently
            end_at_interrupt()
    except BaseException as error:
        end_at_interrupt()  # Ctrl-C may have come just before the line above
        if isinstance(error, SystemExit):
            raise
        code = _print_failure(error)
    sys.exit(code)


def is_interrupt(error: BaseException | None) -> bool:
    """True for Ctrl-C, also where a library has made another error of it."""
    if error is not None and was_raised():
        return True
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or str(error).startswith(WORDS_OF_DUCKDB):
            return True
        error = error.__cause__ or error.__context__
    return False


def failure_text(error: BaseException) -> str | None:
    """The message for a lack of memory, space or permissions; None for an error that was not expected."""
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        if error.filename is None and error.errno in UNWRITABLE:
            return f"The output cannot be written ({reason})."
        if error.errno is None and "shared object" in reason:  # numba's words, if its compiler does not fit
            return "A library cannot be loaded; there may not be enough memory for it."
        return f"{reason}." if error.filename is None else f"{error.filename}: {reason}."
    if isinstance(error, LittleMemoryError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory. Use fewer cases, or a machine with more memory."
    if isinstance(error, ImportError):
        return f"A library cannot be loaded ({error})."
    if isinstance(error, RecursionError):
        return "The input is nested too deeply."
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return "No more threads can be started. Raise the limit of processes (ulimit -u) or of memory (ulimit -v)."
    return None


def print_line(message: str) -> None:
    """Print one line on the standard error, if that can be written; on a terminal it is wrapped.

    Names may hold control characters, which a terminal would obey, and may be long: the middle is then left out.
    """
    line = " ".join(message.split())
    if len(line) > MOST_CHARACTERS:
        line = f"{line[: MOST_CHARACTERS // 2]} ... {line[-MOST_CHARACTERS // 3 :]}"
    if not line.isprintable():
        line = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line)
    from polyroc.output.lines import folded, line_width

    with suppress(OSError):
        # elsewhere one line, for programs, even if they have set COLUMNS
        width = line_width(sys.stderr) if sys.stderr.isatty() else None
        sys.stderr.write("\n".join(folded(line, width)) + "\n")
        sys.stderr.flush()


def discard_output() -> None:
    """Send what is still to be written to nowhere: Python would try again when it ends, and fail."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _print_failure(error: BaseException) -> int:
    if os.environ.get("POLYROC_TRACEBACK"):
        traceback.print_exception(error)
    discard_output()
    if is_interrupt(error):
        advice = str(error) if isinstance(error, KeyboardInterrupt) else ""
        print_line(f"polyroc: {advice or 'Interrupted.'}")
        return INTERRUPTED
    text = failure_text(error)
    if text is None:
        text = (
            f"This is a fault of polyroc: {type(error).__name__}: {error}. Please report it; with "
            "POLYROC_TRACEBACK=1 in the environment, the same command shows where it happened."
        )
    print_line(f"polyroc: {text}")
    return 2


def _open_closed_streams() -> None:
    """Give standard streams that are closed a device on which writing fails; print what is no text as escapes.

    Otherwise the next file that is opened would take their place, and output would go there.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDONLY)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):  # names of files may hold bytes that are no text
        sys.stdout.reconfigure(errors="backslashreplace")


def _prepare_for_little_memory() -> None:
    """With a limit of the address space (ulimit -v), raise an error before a library ends the process itself.

    Threads of OpenBLAS and arenas of the C library reserve much more than they use, and more on larger machines.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or limit >= PLENTY:
        return
    if limit < LEAST_MEMORY:
        raise LittleMemoryError(
            f"The limit of memory (ulimit -v) is {limit // 2**20} MB, and polyroc needs {LEAST_MEMORY // 2**20} "
            "MB to start, 1 GB for small files. Raise the limit."
        )
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def _print_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an exception that a library does not raise but prints, as extensions of numba do; not Ctrl-C."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


def _print_unraisable(unraisable: "sys.UnraisableHookArgs") -> None:
    """Print an exception that cannot be raised, such as one in a destructor; Ctrl-C is raised again soon."""
    if not isinstance(unraisable.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
