"""Lines no longer than the terminal: sentences are wrapped, commands are continued so that they can be pasted."""

import os
import shutil
import sys
from textwrap import TextWrapper
from typing import Any

__all__ = ["folded", "line_width"]

CONTINUED = " ^" if os.name == "nt" else " \\"
COMMAND = "polyroc "


def line_width(stream: Any = None) -> int | None:
    """The longest line that fits: that of the terminal, or COLUMNS of the environment; None in a pipe or a file.

    There every sentence stays on one line, for programs that search in it.
    """
    is_terminal = getattr(sys.stdout if stream is None else stream, "isatty", lambda: False)()
    if not is_terminal and not os.environ.get("COLUMNS", "").isdecimal():
        return None
    return max(20, shutil.get_terminal_size().columns)


def folded(text: str, width: int | None) -> list[str]:
    r"""The lines of a text, wrapped to a width if there is one; a word that is longer is not cut.

    >>> folded("One sentence that is long.", 16)
    ['One sentence', 'that is long.']
    >>> folded("  polyroc evaluate a.csv --truth y", 24) if os.name != "nt" else None
    ['  polyroc evaluate \\', '    a.csv --truth y']
    """
    lines: list[str] = []
    for line in text.split("\n"):
        lines += [line] if width is None or len(line) <= width else _wrapped(line, width)
    return lines


def _wrapped(line: str, width: int) -> list[str]:
    start = line[: len(line) - len(line.lstrip())]
    is_command = line.lstrip().startswith(COMMAND)
    room = width - len(CONTINUED) if is_command else width
    after = start + "  " if is_command else start
    wrapper = TextWrapper(
        room, initial_indent=start, subsequent_indent=after, break_long_words=False, break_on_hyphens=False
    )
    # a number stays with its sign
    lines = wrapper.wrap(line.strip().replace(" %", "\N{NO-BREAK SPACE}%"))
    lines = [one.replace("\N{NO-BREAK SPACE}", " ") for one in lines]
    return [*(one + CONTINUED for one in lines[:-1]), lines[-1]] if is_command else lines
