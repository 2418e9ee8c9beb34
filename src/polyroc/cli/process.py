"""The process of the command: Ctrl-C, and every failure as one line and an exit code.

Only the standard library is imported here, so that nothing can fail before `main` can say so.
"""

import errno
import gc
import io
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path

from polyroc.interrupts import handle_interrupts, was_interrupted

__all__ = ["INTERRUPTED", "discard_output", "failure_text", "main", "print_line"]

INTERRUPTED = 130  # the exit code of shells for Ctrl-C
MAX_CHARACTERS = 1000  # of a line
YOUNG_OBJECTS = 200_000  # before the collector looks for cycles: by default 700, a tenth of the time of a start
LEARNING = ("front", "reproduce", "study")  # commands that fit classifiers, for which BLAS may need all cores
UNWRITABLE = (errno.ENOSPC, errno.EFBIG, errno.EBADF, errno.EIO)


def main() -> None:
    """Run `polyroc`: bad input, bad usage and a lack of space end with one line on stderr and exit code 2.

    Ctrl-C ends with exit code 130. There is a traceback only if the environment variable POLYROC_TRACEBACK is set.
    """
    try:
        handle_interrupts()
        gc.set_threshold(YOUNG_OBJECTS)
        if not set(sys.argv[1:2]) & set(LEARNING):
            # Matrices are small here: threads of BLAS would only wait, for a quarter of the time of a report.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        for name in ("stdin", "stdout", "stderr"):  # a closed one gets the number of the next file that is opened
            if getattr(sys, name) is None:
                setattr(sys, name, Path(os.devnull).open("r+"))  # noqa: SIM115
        if isinstance(sys.stdout, io.TextIOWrapper):  # names of files may hold bytes that are no text
            sys.stdout.reconfigure(errors="backslashreplace")
        from polyroc.cli.app import run

        code = run(sys.argv[1:])
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        code = _print_failure(error)
    sys.exit(code)


def failure_text(error: BaseException) -> str | None:
    """Return the message for a lack of memory, space or permissions; None for an error that was not expected."""
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        if error.filename is None and error.errno in UNWRITABLE:
            return f"The output cannot be written ({reason})."
        if error.errno is None and "shared object" in reason:  # numba's words, if its compiler does not fit
            return "A library cannot be loaded; there may not be enough memory for it."
        return f"{reason}." if error.filename is None else f"{error.filename}: {reason}."
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
    if len(line) > MAX_CHARACTERS:
        line = f"{line[: MAX_CHARACTERS // 2]} ... {line[-MAX_CHARACTERS // 3 :]}"
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
    if isinstance(error, KeyboardInterrupt) or was_interrupted():
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
