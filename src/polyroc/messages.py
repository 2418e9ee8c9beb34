"""Messages that refer to options and calls, spelled for whoever reads them.

The same error reaches a Python user, who writes `pos_label="sick"`, a user of the command line, who writes
`--pos-label sick`, and a visitor of the web page, who fills in a field. A message therefore holds its references
to options and calls as parts (`Option`, `Call`), and every front end renders these parts in its own spelling.
"""

import reprlib
from collections.abc import Callable

__all__ = ["Call", "Message", "Option", "Reference", "Spelling", "install_command", "short_repr"]


class _ShortRepr(reprlib.Repr):
    """`repr` of at most a line, in which an ellipsis reads as it is written."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = 10
        self.maxstring = self.maxother = 60

    def repr_ellipsis(self, value: object, level: int) -> str:  # noqa: ARG002 - the signature is reprlib's
        return "..."


_SHORT = _ShortRepr()


def short_repr(value: object) -> str:
    """`repr` on one line, shortened if it is long.

    >>> short_repr(list(range(1000)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]'
    """
    return " ".join(_SHORT.repr(value).splitlines())


def install_command(extra: str) -> str:
    """How to install what an extra of polyroc needs; the quotes are valid in every shell, also on Windows.

    >>> install_command("plot")
    'pip install "polyroc[plot]"'
    """
    return f'pip install "polyroc[{extra}]"'


class Option:
    """A reference to an option, alone or with the values to choose from; an ellipsis is a value to fill in.

    >>> print(Option("memory"), Option("memory", ...), Option("labels", [...]), sep=", ")
    memory, memory=..., labels=[...]
    >>> print(Option("pos_label", "sick", "well"))
    pos_label='sick' or 'well'
    """

    def __init__(self, name: str, *values: object) -> None:
        self.name = name
        self.values = values

    def __str__(self) -> str:
        values = " or ".join(short_repr(value) for value in self.values)
        return f"{self.name}={values}" if self.values else self.name

    __repr__ = __str__


class Call:
    """A reference to a function or class of polyroc, called with these arguments.

    >>> print(Call("Influence"), Call("to_ordered", ...), Call("RankedLists", (5, 5)), sep=", ")
    Influence(), to_ordered(...), RankedLists((5, 5))
    """

    def __init__(self, name: str, *arguments: object) -> None:
        self.name = name
        self.arguments = arguments

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(short_repr, self.arguments))})"


Reference = Option | Call
Spelling = Callable[[Reference], str]


class Message(str):
    """Text with references to options and calls. As a `str` it is spelled for Python.

    >>> message = Message("Rows are incomplete; use ", Option("missing", "drop"), " to drop them.")
    >>> message
    "Rows are incomplete; use missing='drop' to drop them."
    >>> message.render(lambda option: f"--{option.name} {option.values[0]}")
    'Rows are incomplete; use --missing drop to drop them.'
    """

    parts: tuple[str | Reference, ...]

    def __new__(cls, *parts: "str | Reference") -> "Message":
        """Join text, references and other messages."""
        message = super().__new__(cls, "".join(map(str, parts)))
        message.parts = tuple(
            inner for part in parts for inner in (part.parts if isinstance(part, Message) else (part,))
        )
        return message

    def __getnewargs__(self) -> tuple["str | Reference", ...]:  # type: ignore[override]
        return self.parts

    def render(self, spelling: Spelling) -> str:
        """The text with every reference in this spelling."""
        return "".join(part if isinstance(part, str) else spelling(part) for part in self.parts)
