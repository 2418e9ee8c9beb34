"""Lines no longer than the terminal: sentences are wrapped, commands are continued so that they can be pasted."""

import os
import re
import shutil
import sys
from textwrap import TextWrapper
from typing import Any

__all__ = ["folded", "folded_example", "line_width"]

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


def folded_example(line: str, width: int, indent: int) -> list[str]:
    """A line that ends in a command, wrapped; an option stays with its value."""
    return _wrap(line, width, "", " " * indent)


def _wrapped(line: str, width: int) -> list[str]:
    start = line[: len(line) - len(line.lstrip())]
    if not line.lstrip().startswith(COMMAND):
        return _wrap(line.strip(), width, start, start)
    lines = _wrap(line.strip(), width - len(CONTINUED), start, start + "  ")
    return [*(one + CONTINUED for one in lines[:-1]), lines[-1]]


def _wrap(text: str, width: int, first: str, rest: str) -> list[str]:
    wrapper = TextWrapper(
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
    # A number stays with its sign, and an option with its value, unless that is long.
    text = text.replace(" %", "\N{NO-BREAK SPACE}%")
    text = re.sub(r"(?<= )(--?[a-z][\w-]*) (?=[^-\s]\S{,24}(?:\s|$))", "\\1\N{NO-BREAK SPACE}", text)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in wrapper.wrap(text)]
