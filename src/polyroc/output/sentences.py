"""Names of a readable length, and pieces of sentences: lists of names, counted nouns, capital letters."""

from collections.abc import Sequence

__all__ = ["abbreviated", "capitalised", "class_text", "clipped", "counted", "listed", "printable", "shortened"]


ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
NAME_LENGTH = 48  # characters of a name in a report: two of them still fit on a line
TAIL_LENGTH = 12  # of which the last ones, where names of the same family differ


def printable(text: str) -> str:
    r"""A text in which every character that cannot be printed is replaced.

    >>> printable("a\u202eb\x1b[31m") == "a\ufffdb\ufffd[31m"
    True
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def clipped(text: str, length: int = 400) -> str:
    """The beginning of a printable text."""
    clean = printable(text)
    return clean if len(clean) <= length else f"{clean[:length]}{ELLIPSIS}"


def abbreviated(name: str, length: int = 28) -> str:
    """A name on one line of at most so many characters, cut in the middle.

    >>> abbreviated("versicolor"), abbreviated("a name that goes on and on and on", 16)
    ('versicolor', 'a name t…and on')
    """
    clean = printable(" ".join(name.split()))
    if len(clean) <= length:
        return clean
    head = length // 2
    return f"{clean[:head].rstrip()}{ELLIPSIS}{clean[len(clean) - (length - head - 1) :].lstrip()}"


def shortened(names: Sequence[str]) -> tuple[str, ...]:
    """Several names of a readable length, still distinct.

    >>> [len(name) for name in shortened(("a" * 99 + "b", "a" * 99 + "c"))]
    [48, 48]
    """
    head = NAME_LENGTH - TAIL_LENGTH - 1
    short_names: dict[str, None] = {}
    for name in map(printable, names):
        short = name if len(name) <= NAME_LENGTH else f"{name[:head]}{ELLIPSIS}{name[-TAIL_LENGTH:]}"
        number = 2
        while short in short_names:
            short = f"{name[:head]}{ELLIPSIS} ({number})"
            number += 1
        short_names[short] = None
    return tuple(short_names)


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return several names of a readable length by the names."""
    return dict(zip(names, shortened(names), strict=True))


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names as a sentence lists them; of many, the first ones and how many more there are.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a', 'a, b and c', 'a, b and 1 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "fit"), counted(3, "fit"), counted(2, "pass", "passes")
    ('1 fit', '3 fits', '2 passes')
    """
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def class_text(name: str) -> str:
    """The class after a count: "40 negative", but "40 of class 0".

    >>> class_text("negative"), class_text("0")
    ('negative', 'of class 0')
    """
    return name if name[:1].isalpha() else f"of class {name}"


def capitalised(text: str) -> str:
    """A text with a capital first letter, the rest as it is.

    >>> capitalised("mean one-versus-all AUC")
    'Mean one-versus-all AUC'
    """
    return text[:1].upper() + text[1:]
