"""The command line without the cost of a process.

`tests/cli/test_commands.py` starts real processes where the two could differ.
"""

import contextlib
import io
from typing import NamedTuple

from polyroc.cli.app import run


class Done(NamedTuple):
    """What a command leaves behind, in the words of `subprocess`."""

    returncode: int
    stdout: str
    stderr: str


def polyroc(*arguments):
    """Run `polyroc` with these arguments; what is no error of ours is raised."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = run([str(argument) for argument in arguments])
    return Done(code, out.getvalue(), err.getvalue())
